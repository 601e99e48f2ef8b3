//! The hand-written blocks, against which the speed of the export is measured, are the same machines: equal to the
//! Rust kernels on every port in every cycle, under the traffic of the lockstep.

use heddle_tb::bench::contestants::{Contest, PlainBackPushes, CONTESTS};
use heddle_tb::lockstep::barrier_blocks::PlainBarrierJudge;
use heddle_tb::lockstep::bench::{run_episode, Counts, Subject};
use heddle_tb::lockstep::pair::Pair;
use heddle_tb::lockstep::ports::PortsSubject;
use heddle_tb::lockstep::tree_blocks::LeafSelectorJudge;
use heddle_tb::verilated::{Model, Options, Start};

/// Cycles to compare, at least.
const CYCLES: u64 = 100_000;
/// Episodes within which everything must have happened.
const EPISODES: u64 = 40;

fn contest(block: &str) -> &'static Contest {
    CONTESTS.iter().find(|contest| contest.block == block).expect("it is one of the contests")
}

/// Runs the hand-written block beside the kernels until everything was met that the lockstep expects.
fn is_cycle_exact<S: Subject>(block: &str) {
    let contest = contest(block);
    let entry = contest.entry().expect("it is in the list of points");
    let source = contest.handwritten().expect("it is in the list of points");
    let shape = S::shape(&entry);
    let model = Model::build(&source, &Options { quick: true, ..Options::CHECKING })
        .expect("the hand-written block is Verilog");
    let (mut cycles, mut seed, mut counts) = (0, 0, Counts::default());
    while cycles < CYCLES || (seed < EPISODES && !counts.missing(S::EXPECTED).is_empty()) {
        let stimulus = S::stimulus(&shape, seed);
        let mut pair = Pair::new((entry.simulate)(), Some(Box::new(model.simulation(Start::Pattern))));
        let mut bench = S::bench(&shape, pair.ports(), &stimulus);
        cycles += run_episode(&mut pair, Start::Pattern, &mut bench, &mut counts)
            .unwrap_or_else(|failure| panic!("episode {seed}, {failure}"));
        seed += 1;
    }
    assert_eq!(counts.missing(S::EXPECTED), [""; 0], "after {seed} episodes");
}

/// UX-06: the yardstick equals the kernels, so a comparison of speeds compares the same work.
#[test]
fn ux_06_the_handwritten_deque_is_cycle_exact() {
    is_cycle_exact::<PlainBackPushes>("token_deque");
}

/// UX-06: the same for the barrier.
#[test]
fn ux_06_the_handwritten_barrier_is_cycle_exact() {
    is_cycle_exact::<PortsSubject<PlainBarrierJudge>>("plain_barrier");
}

/// UX-06: the same for the ring of leaves.
#[test]
fn ux_06_the_handwritten_ring_is_cycle_exact() {
    is_cycle_exact::<PortsSubject<LeafSelectorJudge>>("leaf_selector");
}
