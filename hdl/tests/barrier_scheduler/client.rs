//! What a core does at the scheduler's ports, request by request.

use crate::support::bench::Bench;
use heddle_hdl::barrier::operation::BarrierOperation::{self as Operation, *};

/// A top: where it is and what it opens.
#[derive(Clone, Copy)]
pub struct Top {
    pub tag: u128,
    pub after: u128,
    pub critical: bool,
    pub exclusive: bool,
    pub blocking: bool,
    pub impatient: bool,
}

pub const PLAIN: Top =
    Top { tag: 0x100, after: 0x200, critical: false, exclusive: false, blocking: false, impatient: false };
pub const SECTION: Top = Top { critical: true, ..PLAIN };

/// An answer: who sleeps, passes, skips and waits; refused; the error's cause, 0 if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub sleep: u128,
    pub pass: u128,
    pub skip: u128,
    pub wait: u128,
    pub refused: bool,
    pub error: u128,
}

/// A wake-up: CTA, physical block, threads, address, inside.
pub type Wake = (u128, u128, u128, u128, bool);

pub struct Scheduler {
    pub bench: Bench,
    pub blocks: u128,
    pub threads: u128,
    block_bits: u128,
}

impl Scheduler {
    /// After reset and its sweep; every class conflicts with every other.
    pub fn new(point: &str) -> Self {
        let bench = Bench::new("barrier_scheduler", point);
        let (blocks, threads) = (bench.parameter("blocks"), bench.parameter("block_threads"));
        let mut scheduler = Scheduler { bench, blocks, threads, block_bits: u128::from(blocks.trailing_zeros()) };
        scheduler.bench.drive(&[("class_conflicts", 0xffff), ("wake_ready", 1)]);
        scheduler
    }

    /// The same with full CTAs 0 and 1; the blocks of CTA 1 are mapped in reverse.
    pub fn with_ctas(point: &str) -> Self {
        let mut scheduler = Self::new(point);
        let blocks = scheduler.blocks;
        scheduler.launch(0, blocks * scheduler.threads, |logical| logical);
        scheduler.launch(1, blocks * scheduler.threads, |logical| blocks - 1 - logical);
        scheduler
    }

    pub fn all(&self) -> u128 {
        u128::MAX >> (128 - self.threads)
    }

    /// Presents a request until it is taken; afterwards this is its cycle 1.
    pub fn request(&mut self, operation: Operation, inputs: &[(&str, u128)]) -> Answer {
        self.bench.drive(&[("request_valid", 1), ("request_operation", operation as u128)]);
        self.bench.drive(inputs);
        let limit = self.bench.cycle + 1000;
        while self.bench.get("request_ready") == 0 {
            self.bench.tick();
            assert!(self.bench.cycle < limit, "{operation:?} is never taken");
        }
        self.bench.tick();
        self.bench.set("request_valid", 0);
        assert_eq!(self.bench.get("response_valid"), 1);
        let [sleep, pass, skip, wait, refused, error, cause] = self.bench.read([
            "response_sleep",
            "response_pass",
            "response_skip",
            "response_wait",
            "response_refused",
            "response_error",
            "error_cause",
        ]);
        Answer { sleep, pass, skip, wait, refused: refused == 1, error: error * cause }
    }

    pub fn launch(&mut self, cta: u128, count: u128, block: impl Fn(u128) -> u128) {
        let map = (0..self.blocks).fold(0, |map, logical| map | block(logical) << (16 + self.block_bits * logical));
        let answer = self.request(Launch, &[("request_cta", cta), ("request_data", map | count)]);
        assert_eq!(answer, Answer::default());
    }

    /// Condition, reference, minimum, timeout, late mode, priority.
    pub fn configure(
        &mut self,
        cta: u128,
        id: u128,
        [condition, reference, minimum, timeout, late, priority]: [u128; 6],
    ) {
        let word = condition | reference << 3 | minimum << 13 | timeout << 23 | late << 41 | priority << 44;
        let answer = self.request(Configure, &[("request_cta", cta), ("request_barrier", id), ("request_data", word)]);
        assert_eq!(answer, Answer::default());
    }

    pub fn arrive(&mut self, cta: u128, id: u128, block: u128, mask: u128, participants: u128, top: Top) -> Answer {
        self.request(
            Arrive,
            &[
                ("request_cta", cta),
                ("request_barrier", id),
                ("request_block", block),
                ("request_mask", mask),
                ("request_participants", participants),
                ("request_tag", top.tag),
                ("request_after", top.after),
                ("request_critical", top.critical.into()),
                ("request_ordered", 1),
                ("request_exclusive", top.exclusive.into()),
                ("request_blocking", top.blocking.into()),
                ("request_impatient", top.impatient.into()),
            ],
        )
    }

    /// Every thread of the CTA arrives, block after block; only those of `participants` (of each block) take part.
    pub fn arrive_all(&mut self, cta: u128, id: u128, participants: impl Fn(u128) -> u128, top: Top) {
        for block in 0..self.blocks {
            let taking = participants(block);
            let answer = self.arrive(cta, id, block, self.all(), taking, top);
            assert_eq!(answer, Answer { sleep: taking, skip: self.all() & !taking, ..Answer::default() });
        }
    }

    pub fn threads_do(&mut self, operation: Operation, cta: u128, id: u128, block: u128, mask: u128) -> Answer {
        self.request(
            operation,
            &[("request_cta", cta), ("request_barrier", id), ("request_block", block), ("request_mask", mask)],
        )
    }

    pub fn wake(&mut self) -> Option<Wake> {
        let [valid, cta, block, mask, address, inside] =
            self.bench.read(["wake_valid", "wake_cta", "wake_block", "wake_mask", "wake_address", "wake_inside"]);
        (valid == 1).then_some((cta, block, mask, address, inside == 1))
    }

    /// In which cycle the next wake-up shows, the present one being `now`, and which; it is taken at the end of that cycle.
    pub fn next_wake(&mut self, now: u64) -> (u64, Wake) {
        for cycle in now..now + 200 {
            let wake = self.wake();
            self.bench.tick();
            if let Some(wake) = wake {
                return (cycle, wake);
            }
        }
        panic!("nobody is woken");
    }

    pub fn quiet(&mut self, cycles: u64) {
        for _ in 0..cycles {
            assert_eq!(self.wake(), None, "in cycle {}", self.bench.cycle);
            self.bench.tick();
        }
    }
}
