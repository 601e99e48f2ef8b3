//! The divergence unit in RTL against the reference model: the same random instructions, warp by warp, give the same
//! active threads at the same addresses, the same halts and the same errors.

use heddle_hdl::points;
use heddle_sim::engine::{Configuration, Engine, Kind, Operation, PathPolicy, Request, YieldPolicy};
use heddle_sim::model::divergence_unit::DequeModel;
use heddle_sim::rtl::RtlEngine;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cycles after which an engine without spilled tokens has surely come to rest.
const PARKED_FOR: u32 = 200;

/// Ticks until `warp` is ready, is parked or no longer runs; gives the stall cycles and what ended it.
fn settle(engine: &mut dyn Engine, warp: usize) -> (u32, Option<String>) {
    for stall in 0..100_000 {
        let parked = stall > PARKED_FOR && engine.fetch(warp).active == 0 && engine.disabled(warp, Kind::Barrier) != 0;
        if engine.ready() >> warp & 1 == 1 || parked {
            return (stall, None);
        }
        let events = engine.tick();
        if !events.done.is_empty() || !events.faults.is_empty() {
            return (stall, Some(format!("{:?} {:?}", events.done, events.faults)));
        }
    }
    panic!("warp {warp} hangs");
}

fn issue(engine: &mut dyn Engine, request: &Request) -> (u32, Option<String>) {
    for _ in 0..1000 {
        let taken = engine.offer(request);
        let events = engine.tick();
        if !events.done.is_empty() || !events.faults.is_empty() {
            return (0, Some(format!("{:?} {:?}", events.done, events.faults)));
        }
        if taken {
            return settle(engine, request.warp);
        }
    }
    panic!("never accepted: {request:?}");
}

fn launch(engine: &mut dyn Engine, warp: usize, threads: u64) {
    engine.launch(warp, threads, 100);
    for _ in 0..10_000 {
        if engine.ready() >> warp & 1 == 1 {
            return;
        }
        engine.tick();
    }
    panic!("warp {warp} never starts");
}

fn run(point: &str, seed: u64, configuration: Configuration, steps: usize) {
    let entry = points::find("divergence_unit", point).unwrap();
    let mut model = DequeModel::new(configuration);
    let mut rtl = RtlEngine::new((entry.simulate)(), "deque RTL", configuration);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let all = u64::MAX >> (64 - configuration.threads);
    let mut ended = 0;
    let mut alive = vec![false; configuration.warps];
    for step in 0..steps {
        let warp = random.random_range(0..configuration.warps);
        if !alive[warp] {
            let threads = if random.random_bool(0.5) { all } else { random.random::<u64>() & all | 1 };
            launch(&mut model, warp, threads);
            launch(&mut rtl, warp, threads);
            alive[warp] = true;
        }
        let here = model.fetch(warp);
        let parked = here.active == 0;
        assert_eq!(rtl.fetch(warp).active, here.active, "{point} seed {seed} step {step}");
        assert!(parked || rtl.fetch(warp) == here, "{point} seed {seed} step {step}");
        assert_eq!(rtl.ready() >> warp & 1 == 1, !parked, "{point} seed {seed} step {step}");
        for kind in Kind::ALL {
            assert_eq!(rtl.disabled(warp, kind), model.disabled(warp, kind), "{point} {seed} {step} {kind:?}");
        }
        let operation = [
            Operation::Step,
            Operation::Push,
            Operation::Push,
            Operation::Branch,
            Operation::Branch,
            Operation::Indirect,
            Operation::Call,
            Operation::Leave,
            Operation::Leave,
            Operation::Leave,
            Operation::Yield,
            Operation::Exit,
            Operation::Sleep,
            Operation::Wake,
        ][random.random_range(0..14)];
        let operation = if parked { Operation::Wake } else { operation };
        // No token has the kind barrier: a leave of that kind is a yield to its address, which is what barriers use it for.
        let kinds = [Kind::Sync, Kind::Break, Kind::Continue, Kind::Call, Kind::Exit, Kind::LongJump, Kind::Barrier];
        let mask = match random.random_range(0..4) {
            _ if operation == Operation::Exit => {
                random.random::<u64>() & random.random::<u64>() & random.random::<u64>()
            }
            0 => all,
            1 => random.random(),
            2 => random.random::<u64>() & random.random::<u64>(),
            _ => 1 << random.random_range(0..configuration.threads),
        };
        let request = Request {
            warp,
            operation,
            kind: Some(kinds[random.random_range(0..kinds.len())]),
            mask,
            target: random.random_range(100..104),
            targeted: random.random_bool(0.95),
            again: operation == Operation::Leave && mask & here.active != here.active && random.random_bool(0.1),
        };
        let (_, expected) = issue(&mut model, &request);
        let (stall, got) = issue(&mut rtl, &request);
        assert_eq!(got, expected, "{point} seed {seed} step {step} {request:?} {here:?} stall {stall}");
        if expected.is_some() {
            alive[warp] = false;
            ended += 1;
        }
    }
    println!("{point} seed {seed}: {ended} warps ended");
}

/// DQ-20 to DQ-32 and SM-07 in RTL, instruction by instruction: threads that fall asleep and are woken among them, and warps whose
/// threads all sleep.
#[test]
fn rtl_and_model_agree() {
    for (point, warps, threads, depth) in [("1x32x8", 1, 32, 8), ("4x32x16", 4, 32, 16), ("4x64x32", 4, 64, 32)] {
        for seed in 0..12 {
            let configuration = Configuration {
                warps,
                threads,
                depth,
                path_policy: [PathPolicy::Taken, PathPolicy::NotTaken, PathPolicy::Smaller, PathPolicy::Larger]
                    [seed as usize % 4],
                yield_policy: [YieldPolicy::Always, YieldPolicy::EveryNth, YieldPolicy::Random][seed as usize % 3],
                yield_parameter: [3, 2, 100][seed as usize % 3],
                stack_mode: seed == 5,
                software_handler: seed % 5 == 4,
                ..Configuration::default()
            };
            run(point, seed, configuration, 2000);
        }
    }
}
