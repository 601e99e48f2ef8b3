//! Random instructions on random leaves: whatever a leaf is asked to do, each of its threads must be next seen where that
//! instruction sends it alone, no thread may be in two places, and in the end each has exited once.

use super::table::*;
use heddle_hdl::divergence::token::Kind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const KINDS: [Kind; 4] = [Kind::Sync, Kind::Break, Kind::Continue, Kind::Call];

/// A thread as its instructions alone determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    /// Its next instruction is here, whether it runs or waits at a join for others.
    At(u128),
    Asleep,
    Exited,
}

/// The checker of one warp.
struct Warp {
    threads: Vec<Thread>,
    /// The turn in which each thread was last issued, or did not run.
    seen: Vec<u32>,
}

impl Warp {
    fn all(&mut self, mask: u128, state: impl Fn(u128) -> Thread) {
        for (number, thread) in self.threads.iter_mut().enumerate().filter(|(number, _)| mask >> number & 1 == 1) {
            let Thread::At(address) = *thread else { panic!("thread {number} ran, but is {thread:?}") };
            *thread = state(address);
        }
    }

    fn asleep(&self) -> u128 {
        let sleeps = |number: &usize| self.threads[*number] == Thread::Asleep;
        (0..self.threads.len()).filter(sleeps).fold(0, |mask, number| mask | 1 << number)
    }

    fn live(&self) -> bool {
        self.threads.iter().any(|thread| *thread != Thread::Exited)
    }
}

/// Every thread of the warp that is neither exited nor in the selected leaf has exactly one reason.
fn check_partition(table: &mut Table, warp: u128, checker: &Warp) {
    let (address, active) = table.state(warp);
    let mut seen = active;
    for kind in Kind::ALL {
        let disabled = table.disabled(warp, kind);
        assert_eq!(seen & disabled, 0, "a thread is in two places, one of them {kind:?}");
        seen |= disabled;
        if kind == Kind::Barrier {
            assert_eq!(disabled, checker.asleep());
        }
    }
    for (number, thread) in checker.threads.iter().enumerate() {
        assert_eq!(seen >> number & 1 == 1, *thread != Thread::Exited, "thread {number} is {thread:?}");
        if active >> number & 1 == 1 {
            assert_eq!(*thread, Thread::At(address), "thread {number} runs");
        }
    }
}

/// TD-04, TD-09: a thread that runs is issued within a number of turns, wake-ups included: the ring of ready leaves moves on in each,
/// new leaves may go before it, its leaf may be deferred, and then each `interval` turns bring one back.
fn check_turns(table: &mut Table, warp: u128, checker: &mut Warp, turn: u32, interval: u32) {
    let elsewhere = table.disabled(warp, Kind::Divergence);
    let leaves = checker.threads.len() as u32;
    for (number, seen) in checker.seen.iter_mut().enumerate() {
        if elsewhere >> number & 1 == 0 {
            *seen = turn;
        }
        assert!(turn - *seen <= leaves * (8 + 2 * interval), "thread {number} waits since turn {seen}, now {turn}");
    }
}

/// One instruction of a warp; `calm` ones end the warp.
fn instruct(table: &mut Table, warp: u128, checker: &mut Warp, random: &mut ChaCha8Rng, calm: bool) {
    check_partition(table, warp, checker);
    let (_, active) = table.state(warp);
    let asleep = checker.asleep();
    let some = active & random.random::<u128>() & random.random::<u128>();
    let target = 100 + u128::from(random.random_range(0..6_u8)) * 8;
    let kind = KINDS[random.random_range(0..KINDS.len())];
    if asleep != 0 && (active == 0 || random.random_range(0..6) == 0) {
        let woken = if calm { asleep } else { asleep & random.random::<u128>() };
        table.offer(warp, wake(woken, target));
        for number in (0..checker.threads.len()).filter(|number| woken >> number & 1 == 1) {
            checker.threads[number] = Thread::At(target);
        }
        return;
    }
    if active == 0 {
        return;
    }
    if calm {
        table.offer(warp, exit(active));
        checker.all(active, |_| Thread::Exited);
        return;
    }
    let stay = active & !some;
    let next = |address| Thread::At(address + 1);
    match random.random_range(0..32) {
        0..4 => {
            table.offer(warp, step());
            checker.all(active, next);
        }
        4..11 => {
            table.offer(warp, push(KINDS[random.random_range(0..3)], target));
            checker.all(active, next);
        }
        11..16 => {
            table.offer(warp, branch(some, target));
            checker.all(some, |_| Thread::At(target));
            checker.all(stay, next);
        }
        16..18 => {
            table.offer(warp, indirect(some, target));
            checker.all(some, |_| Thread::At(target));
            // Those that disagree are still at the instruction; with none named it is a step.
            if some == 0 {
                checker.all(stay, next);
            }
        }
        18..20 => {
            table.offer(warp, call(some, target));
            checker.all(some, |_| Thread::At(target));
            checker.all(stay, next);
        }
        20..28 => {
            let again = random.random::<bool>() && some != 0 && stay != 0;
            table.offer(warp, Request { again, ..leave(kind, some, target) });
            checker.all(some, |_| Thread::At(target));
            if !again {
                checker.all(stay, next);
            }
        }
        28..30 => {
            table.offer(warp, yielding(some));
            checker.all(active, next);
        }
        30 => {
            table.offer(warp, sleep(some));
            checker.all(some, |_| Thread::Asleep);
            checker.all(stay, next);
        }
        _ => {
            let few = some & random.random::<u128>();
            table.offer(warp, exit(few));
            checker.all(few, |_| Thread::Exited);
            checker.all(active & !few, next);
        }
    }
}

/// Runs all warps of a point for `length` instructions each, then to their end.
fn run(point: &str, warps: u128, threads: usize, seed: u64, length: u32) -> Counts {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut table = Table::new(point);
    table.set("path_policy", (seed % 4).into());
    table.set("exchange_interval", u128::from(1 + seed % 7));
    let all = u128::MAX >> (128 - threads);
    let mut checkers = Vec::new();
    for warp in 0..warps {
        table.launch(warp, all, 100);
        checkers.push(Warp { threads: vec![Thread::At(100); threads], seen: vec![0; threads] });
    }
    for turn in 0..length + 4000 {
        for warp in 0..warps {
            let checker = &mut checkers[warp as usize];
            table.settle(warp);
            if checker.live() {
                check_turns(&mut table, warp, checker, turn, 1 + (seed % 7) as u32);
                instruct(&mut table, warp, checker, &mut random, turn > length);
            }
        }
        if checkers.iter().all(|checker| !checker.live()) {
            break;
        }
    }
    (0..4).for_each(|_| table.tick());
    table.done.sort_unstable();
    assert_eq!(table.done, (0..warps).collect::<Vec<_>>(), "{point}, seed {seed}: every warp ends");
    assert_eq!(table.errors, []);
    for checker in &checkers {
        assert!(!checker.live(), "{point}, seed {seed}: {:?}", checker.threads);
    }
    table.counts
}

/// TD-02, TD-05, TD-06, TD-08, TD-09: no thread is lost, doubled or led astray, whatever the instructions, at every point.
#[test]
fn td_09_random_instructions_lose_no_thread() {
    for (point, warps, threads, runs) in [("1x8x16", 1, 8, 60), ("1x8x8", 1, 8, 60), ("4x32x64", 4, 32, 8)] {
        let mut total = Counts::default();
        for seed in 0..runs {
            let counts = run(point, warps, threads, seed, 300);
            total.spilled += counts.spilled;
            total.refilled += counts.refilled;
            total.merged += counts.merged;
            total.discarded += counts.discarded;
            total.departed += counts.departed;
        }
        assert!(total.merged > 0 && total.discarded > 0 && total.departed > 0, "{point}: {total:?}");
        assert!(point != "1x8x8" || (total.spilled > 100 && total.refilled > 100), "{point}: {total:?}");
    }
}
