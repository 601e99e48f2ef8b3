//! The warp scheduler: which ready warp issues in this cycle (SM-02).

use std::collections::BTreeMap;

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

/// Chooses one ready warp a cycle: of those of the highest priority, as the policy says.
#[derive(Clone, Debug)]
pub struct WarpScheduler {
    policy: SchedulerPolicy,
    /// Priority of each warp, the larger the sooner.
    priorities: Vec<u16>,
    /// Of the warps of each priority, the one that issued last.
    last: BTreeMap<u16, usize>,
    /// Launch number of each warp, the smaller the older.
    age: Vec<u64>,
    launches: u64,
}

impl WarpScheduler {
    /// A scheduler of `warps` warps, none of which has issued yet.
    pub fn new(policy: SchedulerPolicy, warps: usize) -> Self {
        Self { policy, priorities: vec![0; warps], last: BTreeMap::new(), age: vec![0; warps], launches: 0 }
    }

    /// Notes that a warp was launched with a priority, which makes it the youngest.
    pub fn launched(&mut self, warp: usize, priority: u16) {
        self.launches += 1;
        self.age[warp] = self.launches;
        // The greedy choice holds for a run of a warp, not for the next tenant of its slot.
        self.last.retain(|_, last| *last != warp);
        self.priorities[warp] = priority;
    }

    /// The warp that may issue now, of those whose bit in `ready` is set.
    pub fn choose(&self, ready: u64) -> Option<usize> {
        let warps = self.age.len();
        let highest = (0..warps).filter(|warp| ready >> warp & 1 == 1).map(|warp| self.priorities[warp]).max()?;
        let last = self.last.get(&highest).copied();
        let able = |warp: &usize| ready >> warp & 1 == 1 && self.priorities[*warp] == highest;
        match self.policy {
            SchedulerPolicy::RoundRobin => {
                let first = last.map_or(0, |last| last + 1);
                (0..warps).map(|step| (first + step) % warps).find(able)
            }
            SchedulerPolicy::GreedyThenOldest => {
                last.filter(able).or_else(|| (0..warps).filter(able).min_by_key(|&warp| self.age[warp]))
            }
        }
    }

    /// Notes that a warp's instruction was accepted.
    pub fn issued(&mut self, warp: usize) {
        self.last.insert(self.priorities[warp], warp);
    }

    /// What decides the next choices, beside the ready mask; equal states choose equally.
    pub fn state(&self) -> (&BTreeMap<u16, usize>, &[u64], &[u16]) {
        (&self.last, &self.age, &self.priorities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

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
            scheduler.launched(warp, 0);
        }
        let choices = run(&mut scheduler, &[0b111, 0b111, 0b011, 0b111, 0b110]);
        assert_eq!(choices, [Some(2), Some(2), Some(0), Some(0), Some(2)]);
    }

    /// SM-02: a ready warp of a higher priority goes first, and a lower one waits for as long as there is one.
    #[rstest]
    #[case(SchedulerPolicy::RoundRobin)]
    #[case(SchedulerPolicy::GreedyThenOldest)]
    fn priority_goes_first(#[case] policy: SchedulerPolicy) {
        let mut scheduler = WarpScheduler::new(policy, 4);
        for (warp, priority) in [(0, 5), (1, 63), (2, 5), (3, 1023)] {
            scheduler.launched(warp, priority);
        }
        assert_eq!(run(&mut scheduler, &[0b1111; 20]), [Some(3); 20]);
        assert_eq!(run(&mut scheduler, &[0b0111, 0b0101, 0b0111]), [Some(1), Some(0), Some(1)]);
        scheduler.launched(3, 0);
        assert_eq!(run(&mut scheduler, &[0b1100, 0b1000]), [Some(2), Some(3)]);
    }

    /// SM-02: who has a higher priority takes cycles, not turns: below it everyone gets the next one.
    #[test]
    fn turns_outlast_an_interruption() {
        let mut scheduler = WarpScheduler::new(SchedulerPolicy::RoundRobin, 4);
        scheduler.launched(0, 1);
        let choices = run(&mut scheduler, &[0b1110, 0b1111, 0b1110, 0b1111, 0b1110, 0b1111, 0b1110]);
        assert_eq!(choices, [Some(1), Some(0), Some(2), Some(0), Some(3), Some(0), Some(1)]);
        let mut scheduler = WarpScheduler::new(SchedulerPolicy::GreedyThenOldest, 4);
        [(1, 0), (2, 0), (0, 1)].into_iter().for_each(|(warp, priority)| scheduler.launched(warp, priority));
        assert_eq!(run(&mut scheduler, &[0b100, 0b111, 0b110]), [Some(2), Some(0), Some(2)]);
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
