//! Who waits where, as the core knows it: for the watchdog's report and for counters. No decision rests on it.

use crate::barrier::Configuration;
use crate::engine::Mask;
use crate::machine::counters::BarrierCounts;

use super::flight::Answer;

/// What a thread of a resident CTA does, as far as barriers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It runs, or waits for something else.
    Runs,
    /// It sleeps in a barrier.
    Asleep(Top),
    /// It was told to present its instruction again.
    Waits(Top),
    /// It is gone.
    Exited,
}

/// A barrier and the instruction at which a thread met it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Top {
    /// The barrier.
    pub barrier: usize,
    /// PC of the instruction.
    pub address: u32,
}

/// A thread: how it stands, and the section that it is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// How it stands.
    pub standing: Standing,
    /// The section that it runs, by its top.
    pub inside: Option<Top>,
}

/// A resident CTA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cta {
    /// Its number in the grid.
    pub block: u32,
    /// Its warps, in order.
    pub warps: Vec<usize>,
    /// Threads of a warp.
    pub warp_threads: usize,
    /// Its threads by rank.
    pub threads: Vec<Record>,
    /// The configuration of each of its barriers, as last accepted.
    pub configurations: Vec<Configuration>,
}

impl Cta {
    /// A CTA whose threads all run.
    pub fn new(block: u32, warps: Vec<usize>, warp_threads: usize, threads: usize, barriers: usize) -> Self {
        let record = Record { standing: Standing::Runs, inside: None };
        let configurations = vec![Configuration::default(); barriers];
        Self { block, warps, warp_threads, threads: vec![record; threads], configurations }
    }

    /// The records of threads of a warp, given by its number in the CTA.
    pub fn records(&mut self, warp: usize, threads: Mask) -> impl Iterator<Item = &mut Record> {
        let first = warp * self.warp_threads;
        self.threads
            .iter_mut()
            .enumerate()
            .filter(move |(rank, _)| (first..first + 64).contains(rank) && threads >> (rank - first) & 1 == 1)
            .map(|(_, record)| record)
    }

    /// Sets how threads of a warp stand.
    pub fn stand(&mut self, warp: usize, threads: Mask, standing: Standing) {
        self.records(warp, threads).for_each(|record| record.standing = standing);
    }

    /// Threads wake up; with `inside`, in the section that they slept in.
    pub fn wake(&mut self, warp: usize, threads: Mask, inside: bool) {
        for record in self.records(warp, threads) {
            if let Standing::Asleep(top) = record.standing {
                record.standing = Standing::Runs;
                record.inside = inside.then_some(top);
            }
        }
    }

    /// An instruction of a warp, which stands at `top`, is answered completely; `exits` leave with it.
    pub fn landed(&mut self, warp: usize, top: Top, answer: &Answer, exits: Mask) {
        self.stand(warp, answer.sleep, Standing::Asleep(top));
        self.stand(warp, answer.wait, Standing::Waits(top));
        self.stand(warp, answer.pass | answer.skip, Standing::Runs);
        self.stand(warp, exits, Standing::Exited);
        // Of the instructions that put a thread to sleep or let it pass, only a bottom is run inside.
        let done = (answer.sleep | answer.pass) & !answer.wait;
        self.records(warp, done)
            .filter(|record| record.inside.is_some_and(|inside| inside.barrier == top.barrier))
            .for_each(|record| record.inside = None);
    }

    /// Every live thread of a warp sleeps.
    pub fn parked(&self, warp: usize) -> bool {
        let first = warp * self.warp_threads;
        let of_warp = self.threads.iter().skip(first).take(self.warp_threads);
        let mut live = of_warp.filter(|record| record.standing != Standing::Exited).peekable();
        live.peek().is_some() && live.all(|record| matches!(record.standing, Standing::Asleep(_)))
    }

    /// The ranks of threads for which a condition holds.
    pub fn ranks(&self, holds: impl Fn(&Record) -> bool) -> Vec<usize> {
        (0..self.threads.len()).filter(|rank| holds(&self.threads[*rank])).collect()
    }
}

/// Ranks as text: `0`, `1-31`, `0,2-4`.
pub fn ranks_text(ranks: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = ranks;
    while let [first, ..] = rest {
        let run = rest.iter().zip(*first..).take_while(|(rank, expected)| *rank == expected).count();
        parts.push(if run == 1 { first.to_string() } else { format!("{first}-{}", first + run - 1) });
        rest = &rest[run..];
    }
    if parts.is_empty() {
        "none".to_string()
    } else {
        parts.join(",")
    }
}

impl BarrierCounts {
    /// Counts the answer to an instruction.
    pub fn answered(&mut self, answer: &Answer) {
        self.slept += count(answer.sleep);
        self.waits += u64::from(answer.wait != 0);
        self.skipped += count(answer.skip);
    }
}

/// How many threads a mask has, for counters.
pub fn count(threads: Mask) -> u64 {
    threads.count_ones().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SM-04: ranks read as ranges, beyond a warp's 64 as well.
    #[test]
    fn ranks_read_as_ranges() {
        assert_eq!(ranks_text(&[]), "none");
        assert_eq!(ranks_text(&[7]), "7");
        assert_eq!(ranks_text(&[0, 2, 3, 4, 127, 128]), "0,2-4,127-128");
    }

    /// SM-07: a warp is parked if all its live threads sleep, and neither if one runs nor if none lives.
    #[test]
    fn parked_means_all_live_threads_sleep() {
        let mut cta = Cta::new(0, vec![5, 6], 4, 6, 8);
        let top = Top { barrier: 1, address: 9 };
        cta.stand(1, 0b01, Standing::Asleep(top));
        assert!(!cta.parked(0) && !cta.parked(1));
        cta.stand(1, 0b10, Standing::Exited);
        assert!(!cta.parked(0) && cta.parked(1));
        cta.wake(1, 0b01, true);
        assert_eq!(cta.threads[4], Record { standing: Standing::Runs, inside: Some(top) });
        cta.stand(0, 0b1111, Standing::Exited);
        assert!(!cta.parked(0));
        assert_eq!(cta.ranks(|record| record.standing == Standing::Exited), [0, 1, 2, 3, 5]);
    }
}
