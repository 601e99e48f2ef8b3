//! The hand-written token deque, against which the speed of the export is measured, is the same machine: equal to the
//! Rust kernels on every port in every cycle, under the traffic of the lockstep.

use heddle_hdl::points::{self, Entry};
use heddle_tb::bench::contestants;
use heddle_tb::lockstep::bench::{run_episode, Counts, Subject};
use heddle_tb::lockstep::pair::Pair;
use heddle_tb::lockstep::token_deque::TokenDequeSubject;
use heddle_tb::verilated::{Model, Options, Start};

/// Cycles to compare, at least.
const CYCLES: u64 = 100_000;
/// Episodes within which everything must have happened.
const EPISODES: u64 = 40;

fn entry() -> Entry {
    points::find("token_deque", "4x32x16").expect("the point of the bench is in the list")
}

/// UX-06: the yardstick equals the kernels, so a comparison of speeds compares the same work.
#[test]
fn ux_06_the_handwritten_deque_is_cycle_exact() {
    let entry = entry();
    let shape = TokenDequeSubject::shape(&entry);
    let model = Model::build(&contestants::handwritten(&entry), &Options { quick: true, ..Options::CHECKING })
        .expect("the hand-written deque is Verilog");
    let (mut cycles, mut seed, mut counts) = (0, 0, Counts::default());
    while cycles < CYCLES || (seed < EPISODES && !counts.missing(TokenDequeSubject::EXPECTED).is_empty()) {
        let stimulus = TokenDequeSubject::stimulus(&shape, seed);
        let mut pair = Pair::new((entry.simulate)(), Some(Box::new(model.simulation(Start::Pattern))));
        let mut bench = TokenDequeSubject::bench(&shape, pair.ports(), &stimulus);
        cycles += run_episode(&mut pair, &mut bench, &mut counts)
            .unwrap_or_else(|failure| panic!("episode {seed}, {failure}"));
        seed += 1;
    }
    assert_eq!(counts.missing(TokenDequeSubject::EXPECTED), [""; 0], "after {seed} episodes");
}
