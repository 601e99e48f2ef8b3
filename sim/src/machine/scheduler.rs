//! The warp scheduler: which ready warp issues in this cycle (SM-02).

use serde::{Deserialize, Serialize};

/// How the scheduler chooses among ready warps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerPolicy {
    /// Each ready warp in turn; a warp that is not ready loses its turn only.
    #[default]
    RoundRobin,
    /// The warp that issued last while it stays ready, else the one launched longest ago.
    GreedyThenOldest,
}

/// Chooses one ready warp a cycle.
#[derive(Clone, Debug)]
pub struct WarpScheduler {
    policy: SchedulerPolicy,
    last: Option<usize>,
    /// Launch number of each warp, the smaller the older.
    age: Vec<u64>,
    launches: u64,
}

impl WarpScheduler {
    /// A scheduler of `warps` warps, none of which has issued yet.
    pub fn new(policy: SchedulerPolicy, warps: usize) -> Self {
        Self { policy, last: None, age: vec![0; warps], launches: 0 }
    }

    /// Notes that a warp was launched, which makes it the youngest.
    pub fn launched(&mut self, warp: usize) {
        self.launches += 1;
        self.age[warp] = self.launches;
        if self.last == Some(warp) {
            // The greedy choice holds for a run of a warp, not for the next tenant of its slot.
            self.last = None;
        }
    }

    /// The warp that may issue now, of those whose bit in `ready` is set.
    pub fn choose(&self, ready: u64) -> Option<usize> {
        let warps = self.age.len();
        let is_ready = |warp: &usize| ready >> warp & 1 == 1;
        match self.policy {
            SchedulerPolicy::RoundRobin => {
                let first = self.last.map_or(0, |last| last + 1);
                (0..warps).map(|step| (first + step) % warps).find(is_ready)
            }
            SchedulerPolicy::GreedyThenOldest => {
                self.last.filter(is_ready).or_else(|| (0..warps).filter(is_ready).min_by_key(|&warp| self.age[warp]))
            }
        }
    }

    /// Notes that a warp's instruction was accepted.
    pub fn issued(&mut self, warp: usize) {
        self.last = Some(warp);
    }

    /// What decides the next choices, beside the ready mask; equal states choose equally.
    pub fn state(&self) -> (Option<usize>, &[u64]) {
        (self.last, &self.age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(scheduler: &mut WarpScheduler, ready: &[u64]) -> Vec<Option<usize>> {
        ready
            .iter()
            .map(|&ready| {
                let choice = scheduler.choose(ready);
                if let Some(warp) = choice {
                    scheduler.issued(warp);
                }
                choice
            })
            .collect()
    }

    /// SM-02: round robin gives each ready warp its turn and skips the others.
    #[test]
    fn round_robin_takes_turns() {
        let mut scheduler = WarpScheduler::new(SchedulerPolicy::RoundRobin, 4);
        let choices = run(&mut scheduler, &[0b1111, 0b1111, 0b1011, 0b1011, 0b1111, 0]);
        assert_eq!(choices, [Some(0), Some(1), Some(3), Some(0), Some(1), None]);
    }

    /// SM-02: greedy stays with its warp, then falls to the oldest, not to the lowest number.
    #[test]
    fn greedy_stays_then_takes_the_oldest() {
        let mut scheduler = WarpScheduler::new(SchedulerPolicy::GreedyThenOldest, 3);
        for warp in [2, 0, 1] {
            scheduler.launched(warp);
        }
        let choices = run(&mut scheduler, &[0b111, 0b111, 0b011, 0b111, 0b110]);
        assert_eq!(choices, [Some(2), Some(2), Some(0), Some(0), Some(2)]);
    }

    /// SM-02: under round robin no warp waits longer than the number of ready warps.
    #[test]
    fn round_robin_is_fair() {
        let mut scheduler = WarpScheduler::new(SchedulerPolicy::RoundRobin, 64);
        let choices = run(&mut scheduler, &[u64::MAX; 128]);
        for warp in 0..64 {
            assert_eq!(choices.iter().filter(|&&choice| choice == Some(warp)).count(), 2);
        }
    }
}
