//! What each thread did over time, in a bounded number of buckets (XV-09, UX-02).

use crate::engine::{Kind, Mask};

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ThreadState {
    /// Never launched, or gone for good.
    Exited,
    /// In the active mask.
    Active,
    /// Disabled, and why.
    Disabled(Kind),
}

impl ThreadState {
    /// Every state, in the order of legends.
    pub const ALL: [ThreadState; 11] = [
        ThreadState::Active,
        ThreadState::Disabled(Kind::Sync),
        ThreadState::Disabled(Kind::Divergence),
        ThreadState::Disabled(Kind::Call),
        ThreadState::Disabled(Kind::Break),
        ThreadState::Disabled(Kind::Continue),
        ThreadState::Disabled(Kind::Exit),
        ThreadState::Disabled(Kind::LongJump),
        ThreadState::Disabled(Kind::Yield),
        ThreadState::Disabled(Kind::Barrier),
        ThreadState::Exited,
    ];

    /// The letter of a timeline's cell.
    pub const fn letter(self) -> char {
        match self {
            ThreadState::Exited => '.',
            ThreadState::Active => '#',
            ThreadState::Disabled(kind) => match kind {
                Kind::Sync => 's',
                Kind::Divergence => 'd',
                Kind::Call => 'c',
                Kind::Break => 'b',
                Kind::Continue => 'n',
                Kind::Exit => 'e',
                Kind::LongJump => 'l',
                Kind::Yield => 'y',
                Kind::Barrier => 'w',
            },
        }
    }

    /// Its name in legends.
    pub const fn name(self) -> &'static str {
        match self {
            ThreadState::Exited => "not running",
            ThreadState::Active => "active",
            ThreadState::Disabled(kind) => kind.name(),
        }
    }

    fn index(self) -> usize {
        match self {
            ThreadState::Exited => 0,
            ThreadState::Active => 1,
            ThreadState::Disabled(kind) => 1 + usize::from(kind.code()),
        }
    }
}

/// States that a bucket counts, by [`ThreadState::index`].
const STATES: usize = 11;

/// A warp's threads over time. As a run gets longer the buckets get wider, so memory stays bounded.
#[derive(Clone, Debug)]
pub struct Timeline {
    threads: usize,
    bucket_cycles: u64,
    limit: usize,
    /// Buckets of cycles by thread and state.
    buckets: Vec<Vec<[u64; STATES]>>,
    now: u64,
}

impl Timeline {
    /// A timeline of `threads` threads with at most `limit` buckets (an even number, at least 2).
    pub fn new(threads: usize, limit: usize) -> Self {
        Self { threads, bucket_cycles: 1, limit: limit.max(2) & !1, buckets: Vec::new(), now: 0 }
    }

    /// Adds `cycles` cycles in which the threads were in these states.
    pub fn record(&mut self, states: &[ThreadState], cycles: u64) {
        let end = self.now + cycles;
        while self.now < end {
            if self.now >= self.bucket_cycles * self.limit as u64 {
                self.halve();
                continue;
            }
            let index = (self.now / self.bucket_cycles) as usize;
            if index >= self.buckets.len() {
                self.buckets.push(vec![[0; STATES]; self.threads]);
            }
            let share = (end - self.now).min((index as u64 + 1) * self.bucket_cycles - self.now);
            for (counts, state) in self.buckets[index].iter_mut().zip(states) {
                counts[state.index()] += share;
            }
            self.now += share;
        }
    }

    /// Merges neighbouring buckets.
    fn halve(&mut self) {
        self.bucket_cycles *= 2;
        let old = std::mem::take(&mut self.buckets);
        for pair in old.chunks(2) {
            let mut merged = pair[0].clone();
            for (counts, more) in merged.iter_mut().zip(pair.get(1).into_iter().flatten()) {
                for (count, more) in counts.iter_mut().zip(more) {
                    *count += more;
                }
            }
            self.buckets.push(merged);
        }
    }

    /// Cycles that were recorded.
    pub fn cycles(&self) -> u64 {
        self.now
    }

    /// The state that a thread was in most in each of at most `columns` equal slices of the run; a tie goes to the state
    /// listed first in [`ThreadState::ALL`].
    pub fn rows(&self, columns: usize) -> Vec<Vec<ThreadState>> {
        let columns = columns.clamp(1, self.buckets.len().max(1));
        let slice = self.buckets.len().div_ceil(columns).max(1);
        (0..self.threads)
            .map(|thread| {
                let cell = |buckets: &[Vec<[u64; STATES]>]| {
                    let count = |state: ThreadState| buckets.iter().map(|b| b[thread][state.index()]).sum::<u64>();
                    // `max_by_key` keeps the last of equals, hence the reversal.
                    ThreadState::ALL.into_iter().rev().max_by_key(|&state| count(state)).unwrap_or(ThreadState::Exited)
                };
                self.buckets.chunks(slice).map(cell).collect()
            })
            .collect()
    }

    /// Cycles of a column of [`Timeline::rows`].
    pub fn column_cycles(&self, columns: usize) -> u64 {
        let columns = columns.clamp(1, self.buckets.len().max(1));
        self.buckets.len().div_ceil(columns).max(1) as u64 * self.bucket_cycles
    }
}

/// The states of a warp's threads from its masks.
pub fn thread_states(threads: usize, active: Mask, disabled: &[(Kind, Mask)]) -> Vec<ThreadState> {
    let mut states = vec![ThreadState::Exited; threads];
    for (thread, state) in states.iter_mut().enumerate() {
        let has = |mask: Mask| mask >> thread & 1 == 1;
        if has(active) {
            *state = ThreadState::Active;
        } else if let Some((kind, _)) = disabled.iter().find(|(_, mask)| has(*mask)) {
            *state = ThreadState::Disabled(*kind);
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-02: a run longer than the buckets keeps its proportions, and loses no cycle.
    #[test]
    fn long_runs_keep_their_shape() {
        let mut timeline = Timeline::new(2, 8);
        for cycle in 0..1000 {
            let first = if cycle < 500 { ThreadState::Active } else { ThreadState::Disabled(Kind::Yield) };
            timeline.record(&[first, ThreadState::Exited], 1);
        }
        let rows = timeline.rows(8);
        let letters = |row: &[ThreadState]| row.iter().map(|state| state.letter()).collect::<String>();
        assert_eq!(letters(&rows[0]), "####yyyy");
        assert_eq!(letters(&rows[1]), "........");
        assert_eq!(timeline.column_cycles(8), 128);
        let counted: u64 = timeline.buckets.iter().map(|bucket| bucket[0].iter().sum::<u64>()).sum();
        assert_eq!(counted, 1000);
    }

    /// UX-02: adding cycles one by one or many at once is the same.
    #[test]
    fn cycles_may_come_in_runs() {
        let mut single = Timeline::new(1, 8);
        let mut runs = Timeline::new(1, 8);
        for (run, state) in [(3, ThreadState::Active), (50, ThreadState::Exited), (7, ThreadState::Active)] {
            runs.record(&[state], run);
            (0..run).for_each(|_| single.record(&[state], 1));
        }
        assert_eq!(single.rows(8), runs.rows(8));
        assert_eq!(single.cycles(), 60);
    }

    /// UX-02: each state has a letter of its own.
    #[test]
    fn letters_are_distinct() {
        let mut letters = ThreadState::ALL.map(ThreadState::letter).to_vec();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), ThreadState::ALL.len());
    }

    /// UX-02: the masks of an engine become states; a thread in none of them is gone.
    #[test]
    fn masks_become_states() {
        let states = thread_states(4, 0b0001, &[(Kind::Sync, 0b0100), (Kind::Yield, 0b1000)]);
        assert_eq!(states.iter().map(|state| state.letter()).collect::<String>(), "#.sy");
    }
}
