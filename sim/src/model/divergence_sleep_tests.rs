//! Threads that sleep at a barrier, on the reference model (SM-07).

use super::divergence_unit::DequeModel;
use crate::engine::{Cause, Configuration, Engine, Events, Fault, Fetch, Kind, Mask, Operation, Request};

/// One warp of four threads that starts at address 0.
struct Bench {
    unit: DequeModel,
    last: Events,
}

impl Bench {
    fn new(stack_mode: bool) -> Self {
        let mut unit = DequeModel::new(Configuration { warps: 1, threads: 4, stack_mode, ..Configuration::default() });
        unit.launch(0, 0b1111, 0);
        Self { unit, last: Events::default() }
    }

    fn run(&mut self, operation: Operation, kind: Option<Kind>, mask: Mask, target: u32) -> &mut Self {
        let request = Request { warp: 0, operation, kind, mask, target, targeted: true, again: false };
        assert!(self.unit.offer(&request));
        self.last = self.unit.tick();
        self
    }
    fn sleep(&mut self, mask: Mask) -> &mut Self {
        self.run(Operation::Sleep, None, mask, 0)
    }
    fn wake(&mut self, mask: Mask, address: u32) -> &mut Self {
        self.run(Operation::Wake, None, mask, address)
    }
    fn exit(&mut self, mask: Mask) -> &mut Self {
        self.run(Operation::Exit, None, mask, 0)
    }

    /// The address, the threads that run it, and those asleep.
    #[track_caller]
    fn at(&mut self, address: u32, active: Mask, asleep: Mask) -> &mut Self {
        assert_eq!(self.unit.fetch(0), Fetch { address, active });
        assert_eq!(self.unit.disabled(0, Kind::Barrier), asleep);
        assert_eq!(self.unit.ready(), 1);
        self
    }
    #[track_caller]
    fn parked(&mut self, asleep: Mask) -> &mut Self {
        assert_eq!((self.unit.running(), self.unit.ready()), (1, 0));
        assert_eq!((self.unit.fetch(0).active, self.unit.disabled(0, Kind::Barrier)), (0, asleep));
        assert!(self.last.done.is_empty() && self.last.faults.is_empty());
        self
    }
    fn tokens(&self) -> Vec<(Kind, Mask, u32)> {
        let warp = self.unit.warp(0).expect("it runs");
        warp.queue.tokens().map(|token| (token.kind, token.mask, token.address)).collect()
    }
}

/// SM-07, DQ-32: sleepers leave no token; the others go on; woken threads wait behind them as if they had yielded, and sets that
/// are woken to one address become one. The plain stack does the same.
#[test]
fn sleepers_wake_as_if_they_had_yielded() {
    for stack_mode in [false, true] {
        let mut bench = Bench::new(stack_mode);
        bench.sleep(0b0011).at(1, 0b1100, 0b0011);
        assert!(bench.tokens().is_empty());
        bench.wake(0b0001, 50).at(1, 0b1100, 0b0010);
        assert_eq!((bench.last.yielded, bench.last.merged, bench.last.pushed.as_slice()), (1, 0, &[0_usize][..]));
        bench.wake(0b1110, 50).at(1, 0b1100, 0);
        assert_eq!((bench.last.yielded, bench.last.merged), (1, 1));
        assert_eq!(bench.tokens(), [(Kind::Yield, 0b0011, 50)]);
        bench.exit(0b1100).at(50, 0b0011, 0);
    }
}

/// SM-07: nobody named does nothing: a sleep steps on, a wake-up leaves even the address as it is.
#[test]
fn nobody_named_changes_nothing() {
    let mut bench = Bench::new(false);
    bench.sleep(0).at(1, 0b1111, 0).wake(0b1111, 7).at(1, 0b1111, 0);
    assert_eq!((bench.last, bench.unit.high_water(0)), (Events::default(), 0));
}

/// SM-07, DQ-26: a warp whose live threads all sleep is parked, neither done nor lost, until a wake-up; what runs then is what was woken.
#[test]
fn a_sleeping_warp_is_parked() {
    let mut bench = Bench::new(false);
    bench.exit(0b1000).sleep(0b0111).parked(0b0111);
    bench.wake(0b1000, 9).parked(0b0111);
    bench.wake(0b0100, 9).at(9, 0b0100, 0b0011);
    bench.exit(0b0100).parked(0b0011);
    bench.wake(0b0011, 9).at(9, 0b0011, 0).exit(0b0011);
    assert_eq!(bench.last.done, [0]);
}

/// SM-07, DQ-25: the last thread that falls asleep unwinds the warp like the last that yields; a region that nobody waits for is
/// dropped, and a woken thread that leaves it goes on at its address all the same (DQ-28).
#[test]
fn the_last_sleeper_unwinds() {
    let mut bench = Bench::new(false);
    bench.run(Operation::Push, Some(Kind::Sync), 0, 90).run(Operation::Branch, None, 0b0011, 10);
    bench.sleep(0b0011).at(2, 0b1100, 0b0011);
    bench.run(Operation::Leave, Some(Kind::Sync), 0b1100, 90).at(90, 0b1100, 0b0011);
    bench.wake(0b0011, 11).run(Operation::Yield, None, 0b1100, 0).at(11, 0b0011, 0);
    bench.run(Operation::Leave, Some(Kind::Sync), 0b0011, 90).at(91, 0b1100, 0);
    bench.exit(0b1100).at(90, 0b0011, 0);
}

/// DQ-26: sleepers do not hide a thread that waits for a token which is gone.
#[test]
fn a_lost_thread_beside_sleepers_is_an_error() {
    let mut bench = Bench::new(false);
    bench.sleep(0b0001);
    let untargeted = Request {
        warp: 0,
        operation: Operation::Leave,
        kind: Some(Kind::Call),
        mask: 0b0010,
        target: 0,
        targeted: false,
        again: false,
    };
    assert!(bench.unit.offer(&untargeted));
    assert_eq!(bench.unit.tick().faults, [Fault { warp: 0, cause: Cause::LostThread, address: 1 }]);
}

/// SM-07, DQ-27: a YIELD beside sleepers yields: not every live thread is active. With nothing else to run the same threads resume.
#[test]
fn a_yield_beside_sleepers_is_no_noop() {
    let mut bench = Bench::new(false);
    bench.sleep(0b0001).run(Operation::Yield, None, 0b1110, 0).at(2, 0b1110, 0b0001);
    assert_eq!((bench.last.yielded, bench.last.popped.as_slice()), (1, &[0_usize][..]));
}
