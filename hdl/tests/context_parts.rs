//! The small parts of the context sequencer, each at its own ports and at odd sizes, against a few lines that say the same.

use heddle_hdl::clocked::Clocked;
use heddle_hdl::context::access_counter::AccessCounter;
use heddle_hdl::context::copy_order::CopyOrder;
use heddle_hdl::context::port_turn::PortTurn;
use heddle_hdl::ports::Ports;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

struct Part<B: Ports>(Clocked<B>);

impl<B: Ports + Default> Part<B> {
    fn new() -> Self {
        let mut part = Self(Clocked::new(B::default()));
        part.set("reset", 1);
        part.0.tick();
        part.set("reset", 0);
        part
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.0.port(port);
        self.0.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.0.port(port);
        self.0.get(port)
    }
}

/// Runs a turn of `ENGINES` and counts, for each engine, how often it was taken.
fn turns<const ENGINES: usize>(asking_rate: f64, ready_rate: f64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut part = Part::<PortTurn<ENGINES>>::new();
    let (mut asking, mut waiting, mut taken) = (vec![false; ENGINES], None, vec![0; ENGINES]);
    let mut passed = vec![0; ENGINES];
    for _ in 0..4000 {
        for engine in &mut asking {
            *engine |= random.random_bool(asking_rate);
        }
        let mask = asking.iter().enumerate().fold(0, |mask, (at, asks)| mask | u128::from(*asks) << at);
        let ready = random.random_bool(ready_rate);
        part.set("asking", mask);
        part.set("ready", ready.into());
        let chosen = part.get("chosen");
        assert_eq!(chosen == 0, mask == 0, "somebody is chosen exactly if somebody asks");
        if chosen != 0 {
            assert!(chosen.is_power_of_two() && chosen & mask == chosen, "{chosen:#b} of {mask:#b}");
            assert!(waiting.is_none_or(|before| before == chosen), "who waits is shown again");
            waiting = (!ready).then_some(chosen);
        }
        let engine = chosen.trailing_zeros() as usize;
        if chosen != 0 && ready {
            for other in (0..ENGINES).filter(|other| *other != engine && asking[*other]) {
                passed[other] += 1;
                assert!(passed[other] < ENGINES, "engine {other} was passed over {} times", passed[other]);
            }
            (asking[engine], passed[engine]) = (false, 0);
            taken[engine] += 1;
        }
        part.0.tick();
    }
    taken
}

/// CX-06: round robin: nobody is passed over by more than all others once, and who is shown and not taken stays.
#[test]
fn cx_06_engines_take_turns() {
    for (asking, ready) in [(1.0, 1.0), (1.0, 0.3), (0.3, 0.5), (0.05, 0.9)] {
        turns::<1>(asking, ready);
        turns::<2>(asking, ready);
        turns::<3>(asking, ready);
    }
    let taken = turns::<3>(1.0, 1.0);
    assert!(taken.iter().all(|count| (1333..=1334).contains(count)), "equal shares: {taken:?}");
}

/// CX-06: engines come out in the order in which they went in, up to the room there is.
#[test]
fn cx_06_answers_find_their_engines() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut part = Part::<CopyOrder<3, 2, 3>>::new();
    let mut model: VecDeque<u32> = VecDeque::new();
    let mut full = 0;
    for _ in 0..5000 {
        assert_eq!(part.get("room"), u128::from(model.len() < 4));
        assert_eq!(part.get("oldest"), model.front().map_or(0, |engine| 1_u128 << engine));
        full += usize::from(model.len() == 4);
        let enters = (model.len() < 4 && random.random_bool(0.6)).then(|| random.random_range(0..3));
        let leaves = !model.is_empty() && random.random_bool(0.5);
        part.set("enter_valid", enters.is_some().into());
        part.set("enter_engine", enters.map_or(0b111, |engine| 1_u128 << engine));
        part.set("leave_valid", leaves.into());
        part.0.tick();
        if leaves {
            model.pop_front();
        }
        model.extend(enters);
    }
    assert!(full > 100);
}

/// CX-06, CX-08: a single engine is always meant, however much is under way.
#[test]
fn cx_08_a_single_engine_is_never_held_up() {
    let mut part = Part::<CopyOrder<1, 2, 3>>::new();
    part.set("enter_valid", 1);
    part.set("enter_engine", 1);
    for _ in 0..100 {
        assert_eq!((part.get("room"), part.get("oldest")), (1, 1));
        part.0.tick();
    }
}

/// CX-11: drained is none under way, full is 255 under way, whatever the counts have been before.
#[test]
fn cx_11_accesses_are_counted() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut part = Part::<AccessCounter<2>>::new();
    for _ in 0..4 {
        assert_eq!(part.get("clearing"), 1);
        part.0.tick();
    }
    assert_eq!(part.get("clearing"), 0);
    let mut under_way = [0_u32; 4];
    let (mut fulls, mut empties) = (0, 0);
    for cycle in 0..20_000 {
        // Long stretches of filling and of draining.
        let filling = if cycle / 1500 % 2 == 0 { 0.9 } else { 0.05 };
        let (group, other, asked) = (random.random_range(0..4), random.random_range(0..4), random.random_range(0..4));
        part.set("sent_group", group as u128);
        part.set("complete_group", other as u128);
        part.set("drain_group", asked as u128);
        assert_eq!(part.get("full"), u128::from(under_way[group] == 255), "cycle {cycle}");
        assert_eq!(part.get("drained"), u128::from(under_way[asked] == 0), "cycle {cycle}");
        fulls += usize::from(under_way[group] == 255);
        empties += usize::from(under_way[asked] == 0);
        let sent = under_way[group] < 255 && random.random_bool(filling);
        let completed = under_way[other] > 0 && random.random_bool(1.0 - filling);
        part.set("sent_valid", sent.into());
        part.set("complete_valid", completed.into());
        part.0.tick();
        under_way[group] += u32::from(sent);
        under_way[other] -= u32::from(completed);
    }
    assert!(fulls > 100 && empties > 100, "{fulls} full, {empties} drained");
}
