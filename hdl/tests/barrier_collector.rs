//! Barriers across cores at the collector's ports (BR-52), at every parameter point.

use heddle_hdl::barrier::barrier_collector::CollectorOperation::{self, *};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POINTS: [(&str, u128); 3] = [("2x8", 2), ("4x8", 4), ("16x8", 16)];

/// The cycle behind acceptance: error, stale, and a release's phase and cores.
type Answer = (bool, bool, Option<(u128, u128)>);

const FINE: Answer = (false, false, None);
const WRONG: Answer = (true, false, None);
const STALE: Answer = (false, true, None);

struct Collector(Box<dyn Simulation>);

impl Collector {
    fn new(point: &str) -> Self {
        let entry = points::find("barrier_collector", point).expect("the point is in the list");
        let mut collector = Collector((entry.simulate)());
        collector.set("reset", 1);
        collector.0.tick();
        collector.set("reset", 0);
        collector
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.0.port(port);
        self.0.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.0.port(port);
        self.0.get(port)
    }

    /// A request, and what the next cycle shows. Requests follow one another without a gap.
    fn ask(&mut self, operation: CollectorOperation, id: u128, core: u128, phase: u128, count: u128) -> Answer {
        self.set("request_valid", 1);
        self.set("request_operation", operation as u128);
        self.set("request_id", id);
        self.set("request_core", core);
        self.set("request_phase", phase);
        self.set("request_count", count);
        self.0.tick();
        self.set("request_valid", 0);
        assert_eq!(self.get("response_valid"), 1);
        let released = self.get("release_valid") == 1;
        assert!(!released || self.get("release_id") == id);
        let release = released.then(|| (self.get("release_phase"), self.get("release_cores")));
        (self.get("response_error") == 1, self.get("response_stale") == 1, release)
    }
}

/// BR-52: the release comes in the cycle after the last arrival, to all cores that arrived, in parts or at once.
#[test]
fn the_last_arrival_releases_every_core() {
    for (point, cores) in POINTS {
        let mut collector = Collector::new(point);
        let all = (1 << cores) - 1;
        assert_eq!(collector.ask(Configure, 5, 0, 0, cores * 3), FINE);
        for phase in [0, 1, 0] {
            for core in 0..cores {
                assert_eq!(collector.ask(Arrive, 5, core, phase, 1), FINE, "a part");
                let release = (core + 1 == cores).then_some((phase, all));
                assert_eq!(collector.ask(Arrive, 5, core, phase, 2), (false, false, release));
            }
            (0..cores).for_each(|core| assert_eq!(collector.ask(Acknowledge, 5, core, phase, 0), FINE));
        }
        collector.0.tick();
        assert_eq!((collector.get("response_valid"), collector.get("release_valid")), (0, 0));
    }
}

/// BR-52: the next phase is counted meanwhile, but released only when every core has acknowledged the last release.
#[test]
fn a_release_waits_for_the_acknowledgements_of_the_last() {
    for (point, cores) in POINTS {
        let mut collector = Collector::new(point);
        let all = (1 << cores) - 1;
        collector.ask(Configure, 0, 0, 0, cores);
        for core in 0..cores {
            collector.ask(Arrive, 0, core, 0, 1);
        }
        (0..cores).for_each(|core| assert_eq!(collector.ask(Arrive, 0, core, 1, 1), FINE, "held off"));
        for core in 0..cores {
            let release = (core + 1 == cores).then_some((1, all));
            assert_eq!(collector.ask(Acknowledge, 0, core, 0, 0), (false, false, release));
        }
    }
}

/// BR-52: an exited core counts as arrived in this phase and for ever, gets no release and owes no acknowledgement.
#[test]
fn an_exited_core_counts_for_ever() {
    for (point, cores) in POINTS {
        let mut collector = Collector::new(point);
        let others = (1 << cores) - 2;
        collector.ask(Configure, 1, 0, 0, cores * 2);
        assert_eq!(collector.ask(Arrive, 1, 0, 0, 1), FINE);
        for core in 1..cores {
            assert_eq!(collector.ask(Arrive, 1, core, 0, 2), FINE);
        }
        // Core 0 has given 1 of its 2: the exit gives the rest, and completes the phase for the others.
        assert_eq!(collector.ask(Exit, 1, 0, 0, 2), (false, false, Some((0, others))));
        assert_eq!(collector.ask(Arrive, 1, 0, 1, 1), WRONG, "it is gone");
        for core in 1..cores {
            collector.ask(Acknowledge, 1, core, 0, 0);
        }
        for core in 1..cores {
            let release = (core + 1 == cores).then_some((1, others));
            assert_eq!(collector.ask(Arrive, 1, core, 1, 2), (false, false, release));
        }
        // The exit of a core that owes the last acknowledgement stands for it; when all are gone nobody is released.
        for core in 1..cores {
            assert_eq!(collector.ask(Exit, 1, core, 0, 2), FINE);
        }
        assert_eq!(collector.ask(Configure, 1, 0, 0, 1), FINE, "not in use");
        assert_eq!(collector.ask(Arrive, 1, 0, 0, 1), (false, false, Some((0, 1))), "a new life begins in phase 0");
    }
}

/// BR-52: what is stale or wrong has no effect.
#[test]
fn errors_have_no_effect() {
    for (point, cores) in POINTS {
        let mut collector = Collector::new(point);
        assert_eq!(collector.ask(Arrive, 2, 0, 0, 1), WRONG, "unknown");
        collector.ask(Configure, 2, 0, 0, 3);
        assert_eq!(collector.ask(Arrive, 2, 0, 1, 1), STALE);
        assert_eq!(collector.ask(Acknowledge, 2, 0, 1, 0), WRONG, "nothing to acknowledge");
        assert_eq!(collector.ask(Arrive, 2, 0, 0, 4), WRONG, "more than expected");
        assert_eq!(collector.ask(Arrive, 2, 0, 0, 2), FINE);
        assert_eq!(collector.ask(Arrive, 2, 1, 0, 2), WRONG, "more than missing");
        assert_eq!(collector.ask(Exit, 2, 0, 0, 1), WRONG, "less than it has given");
        assert_eq!(collector.ask(Configure, 2, 0, 0, 9), WRONG, "in use");
        assert_eq!(collector.ask(Arrive, 2, cores - 1, 0, 1).2, Some((0, 1 | 1 << (cores - 1))));
        assert_eq!(collector.ask(Arrive, 2, 0, 0, 1), STALE);
        assert_eq!(collector.ask(Configure, 2, 0, 0, 9), WRONG, "acknowledgements are missing");
    }
}

/// BR-52: barriers do not meet: random interleavings of eight, each held to plain counting.
#[test]
fn random_interleavings_release_exactly_when_complete() {
    for (point, cores) in POINTS {
        for seed in 0..4 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut collector = Collector::new(point);
            let share = 4_u128;
            // For each barrier: phase, what each core has given, who owes.
            let mut states = vec![(0_u128, vec![0_u128; cores as usize], 0_u128); 8];
            (0..8).for_each(|id| assert_eq!(collector.ask(Configure, id, 0, 0, cores * share), FINE));
            for _ in 0..4000 {
                let (id, core) = (random.random_range(0..8_usize), random.random_range(0..cores));
                let (phase, given, owing) = &mut states[id];
                let answer = if *owing >> core & 1 == 1 && random.random_bool(0.5) {
                    *owing &= !(1 << core);
                    collector.ask(Acknowledge, id as u128, core, *phase ^ 1, 0)
                } else {
                    let count = random.random_range(0..=share - given[core as usize]);
                    if count == 0 {
                        continue;
                    }
                    given[core as usize] += count;
                    collector.ask(Arrive, id as u128, core, *phase, count)
                };
                let complete = given.iter().all(|given| *given == share) && *owing == 0;
                assert_eq!(answer, (false, false, complete.then_some((*phase, (1 << cores) - 1))));
                if complete {
                    *phase ^= 1;
                    given.fill(0);
                    *owing = (1 << cores) - 1;
                }
            }
            assert!(states.iter().any(|(phase, ..)| *phase == 1), "phases ended");
        }
    }
}
