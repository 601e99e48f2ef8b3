//! A kernel whose threads sleep in many places at once: the cases of a switch each meet at a barrier of their own, until its timeout. Whoever wakes takes another switch, so that the first of them
//! fill the engine's windows. A release is one set of each of its warps (BR-15), and an engine that is kept from its memory takes none: only then many wait between it and the barrier scheduler.

use heddle_sim::oracle::grid::program::{
    Attributes, Condition, GridProgram, Operand, Statement, Suspend, BARRIERS, VALUES,
};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Cycles after which sleepers wake: as long as it takes until all sleep, or shorter.
const PATIENCE: std::ops::Range<u16> = 500..1_500;
/// How much sooner those of each next barrier do, as they fall asleep later.
const SOONER: std::ops::Range<u16> = 20..70;

/// Draws such a kernel for a core of so many warps of so many threads; `suspends` if a block of it is to be suspended on the way.
pub fn draw(random: &mut ChaCha8Rng, (warps, threads): (usize, usize), suspends: bool) -> GridProgram {
    // One block of all warps, or several of a few.
    let warps_of_block = if random.random() { warps as u32 } else { random.random_range(1..=warps as u32) };
    let ctas = random.random_range(1..=warps as u32 / warps_of_block);
    let block_threads = warps_of_block * threads as u32 - random.random_range(0..3);
    let first_warp = Condition { operand: Operand::Rank, shift: threads.ilog2() as u8, bound: 1 };
    // A warp that stays awake asks for memory when the others wake.
    let statement = match warps_of_block > 1 && random.random_range(0..4) > 0 {
        true => Statement::If { condition: first_warp, first: vec![busy(random)], second: vec![asleep(random)] },
        false => asleep(random),
    };
    let turns = Statement::Loop {
        operand: Operand::Common,
        mask: 1,
        least: 1,
        continues: false,
        yields: random.random(),
        body: vec![statement],
    };
    GridProgram {
        ctas,
        block_threads,
        data_seed: random.random_range(0..1 << 30),
        attributes: attributes(random, block_threads as u16),
        functions: Vec::new(),
        body: vec![turns],
        suspend: suspends.then(|| Suspend { at: random.random_range(0..1500), times: random.random_range(1..4) }),
    }
}

/// Barriers that more threads have to come to than do, so that nobody wakes before a timeout.
fn attributes(random: &mut ChaCha8Rng, block_threads: u16) -> Vec<Attributes> {
    let (patience, sooner) = (random.random_range(PATIENCE), random.random_range(SOONER));
    let (event, upwards) = (random.random_range(0..4), random.random());
    let of = |barrier: u8| Attributes {
        barrier,
        condition: random.random_range(4..=5),
        reference: block_threads,
        minimum: block_threads,
        timeout: patience - sooner * u16::from(if upwards { barrier } else { BARRIERS - 1 - barrier }),
        event,
        late: [0, 2, 3, 4, 5, 7][random.random_range(0..6)],
        priority: random.random_range(0..4),
    };
    (0..BARRIERS).map(of).collect()
}

/// Who sleeps at which barrier is drawn, or told by the rank; some take another switch when they wake.
fn asleep(random: &mut ChaCha8Rng) -> Statement {
    let case = |barrier: u8| {
        let then = if random.random_range(0..4) == 0 { apart(random) } else { mix(random) };
        vec![mix(random), Statement::Gather { barrier }, then]
    };
    let cases = (0..BARRIERS).map(case).collect();
    Statement::Switch { operand: if random.random_range(0..3) == 0 { value(random) } else { Operand::Rank }, cases }
}

/// Threads that part as far as they can, twice.
fn busy(random: &mut ChaCha8Rng) -> Statement {
    let cases = (0..8).map(|_| vec![apart(random), apart(random)]).collect();
    Statement::Switch { operand: Operand::Rank, cases }
}

/// A switch each of whose cases lets the others go on, so that all of them are there at once.
fn apart(random: &mut ChaCha8Rng) -> Statement {
    let cases = (0..8).map(|_| vec![mix(random), Statement::Yield(None)]).collect();
    Statement::Switch { operand: value(random), cases }
}

fn value(random: &mut ChaCha8Rng) -> Operand {
    Operand::Value(random.random_range(0..VALUES))
}

fn mix(random: &mut ChaCha8Rng) -> Statement {
    let (left, destination) = (value(random), random.random_range(0..VALUES));
    Statement::Mix { destination, left, right: Operand::Rank, constant: random.next_u32() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_lockstep::episode::{Episode, Topic};
    use crate::core_lockstep::trial::Trial;
    use crate::core_lockstep::watched::Watched;
    use crate::lockstep::rig::Contestant;
    use crate::verilated::Start;
    use heddle_hdl::core::issue_stage::Origin;
    use heddle_hdl::core::wake_queue::CAPACITY;
    use heddle_hdl::points;
    use heddle_hdl::simulation::Simulation;
    use heddle_sim::engine::Configuration;
    use heddle_sim::oracle::grid::campaign::reference;
    use heddle_sim::oracle::grid::runner::{run, PreparedGrid};
    use rand::SeedableRng;
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Arc;

    heddle_hdl::pins! {
        /// Wake-ups that the barrier scheduler sends, and what the engine is offered.
        struct Wakes {
            barrier_wake_valid, barrier_wake_warp, barrier_wake_address,
            offer_valid, offer_ready, offer_origin, offer_warp, offer_target
        }
    }

    /// A core with a count, in `most`, of the sets that wait between the two: threads of a warp that go on at one address are one.
    fn counted(inner: Box<dyn Simulation>, most: Arc<AtomicUsize>) -> impl Simulation {
        let wakes = Wakes::of(inner.ports());
        let mut waiting = BTreeSet::new();
        Watched::new(inner, move |core| {
            if core.get(wakes.barrier_wake_valid) == 1 {
                waiting.insert((core.get(wakes.barrier_wake_warp), core.get(wakes.barrier_wake_address)));
            }
            let accepted = core.get(wakes.offer_valid) == 1 && core.get(wakes.offer_ready) == 1;
            if accepted && core.get(wakes.offer_origin) == Origin::Wake as u128 {
                waiting.remove(&(core.get(wakes.offer_warp), core.get(wakes.offer_target)));
            }
            most.fetch_max(waiting.len(), Ordering::Relaxed);
        })
    }

    /// XV-02: of the first crowds in rough surroundings at least one fills all that leads from the barrier scheduler to the engine.
    #[test]
    fn xv_02_a_crowd_fills_the_queue() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let most = Arc::new(AtomicUsize::new(0));
        let simulations = || vec![Contestant::export(counted((entry.simulate)(), most.clone()))];
        let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: false };
        let crowds = (0..)
            .map(|number| Episode::draw(&entry, 1, number))
            .filter(|episode| episode.topic == Topic::Crowd && episode.rough.is_some());
        for crowd in crowds.take(4) {
            trial.run(&crowd).expect("a test").unwrap_or_else(|wrong| panic!("{wrong:?}"));
        }
        let most = most.load(Ordering::Relaxed);
        assert!(most >= CAPACITY, "{most}");
    }

    /// XV-02, XV-03: each is a test of a core, in which hardly anybody wakes but by a timeout, and most barriers have theirs; each may be suspended.
    #[test]
    fn xv_02_a_crowd_wakes_by_timeouts() {
        let entry = points::find("control_core", "4x32x16").expect("a point");
        let configuration = Configuration { tree: true, ..Configuration::of(&entry) };
        let (mut passed, mut timeouts) = (0, 0);
        for seed in 0..20 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let program = draw(&mut random, (configuration.warps, configuration.threads), seed % 2 == 1);
            assert_eq!(program.suspend.is_some(), seed % 2 == 1);
            let prepared = PreparedGrid::new(program, 200_000).unwrap_or_else(|cause| panic!("seed {seed}: {cause}"));
            let ran =
                run(&reference(), &configuration, &prepared).unwrap_or_else(|cause| panic!("seed {seed}: {cause}"));
            let counts: BTreeMap<_, _> = ran.counts().into_iter().collect();
            passed += counts["barriers passed"];
            timeouts += counts["timeouts"];
        }
        // When the others have ended, those who are left may be all.
        assert!(timeouts > 20 * u64::from(BARRIERS) && timeouts > passed * 9 / 10, "{timeouts} of {passed}");
    }
}
