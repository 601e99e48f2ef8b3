//! The block at its ports, driven request by request, and what it answered.

use heddle_hdl::barrier::operation::BarrierOperation::{self, *};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;

/// What a block at a point is made of: CTAs, barriers, thread blocks, threads of a block.
#[derive(Clone, Copy)]
pub struct Size {
    pub point: &'static str,
    pub ctas: u128,
    pub barriers: u128,
    pub blocks: u128,
    pub threads: u128,
}

pub const SIZES: [Size; 3] = [
    Size { point: "2x2x2x4x2", ctas: 2, barriers: 2, blocks: 2, threads: 4 },
    Size { point: "16x8x8x16x16", ctas: 16, barriers: 8, blocks: 8, threads: 16 },
    Size { point: "16x8x8x64x16", ctas: 16, barriers: 8, blocks: 8, threads: 64 },
];

/// What the ports show in the execute stage. Masks are of the request's block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub sleep: u128,
    pub pass: u128,
    pub skip: u128,
    pub wait: u128,
    pub refused: bool,
    pub error: Option<u128>,
    /// Tag and priority.
    pub dynamic: Option<(u128, u128)>,
    /// Phase, address, done.
    pub release: Option<(u128, u128, bool)>,
    pub idle: bool,
    pub timeout: bool,
}

/// A top and where it is.
#[derive(Clone, Copy)]
pub struct Top {
    pub tag: u128,
    pub after: u128,
    pub critical: bool,
    pub exclusive: bool,
    pub impatient: bool,
}

pub const TOP: Top = Top { tag: 100, after: 200, critical: false, exclusive: false, impatient: false };
pub const SECTION: Top = Top { critical: true, ..TOP };
pub const IMPATIENT: Top = Top { impatient: true, ..TOP };

/// Fields of a configuration word.
#[derive(Clone, Copy, Default)]
pub struct Word {
    pub condition: u128,
    pub reference: u128,
    pub minimum: u128,
    pub timeout: u128,
    pub event: u128,
    pub late: u128,
    pub priority: u128,
}

impl Word {
    pub fn bits(self) -> u128 {
        self.condition
            | self.reference << 3
            | self.minimum << 13
            | self.timeout << 23
            | self.event << 39
            | self.late << 41
            | self.priority << 44
    }
}

pub struct Tracker {
    pub block: Box<dyn Simulation>,
    pub size: Size,
    pub cycle: u64,
}

impl Tracker {
    /// A tracker after reset, CTA 0 launched with every thread there can be.
    pub fn new(size: Size) -> Self {
        let entry = points::find("arrival_tracker", size.point).expect("the point is in the list");
        let mut tracker = Tracker { block: (entry.simulate)(), size, cycle: 0 };
        tracker.set("reset", 1);
        tracker.tick();
        tracker.set("reset", 0);
        tracker.launch(0, size.blocks * size.threads);
        tracker
    }

    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    pub fn tick(&mut self) {
        self.block.tick();
        self.cycle += 1;
    }

    /// Lowers an input at the end of this cycle.
    pub fn clear(&mut self, port: &str) {
        self.tick();
        self.set(port, 0);
    }

    pub fn all(&self) -> u128 {
        u128::MAX >> (128 - self.size.threads)
    }

    /// What the execute stage shows in this cycle.
    pub fn answer(&mut self) -> Answer {
        let mut strobe = |valid: &str, values: [&str; 3]| {
            let on = self.get(valid) == 1;
            let values = values.map(|name| if name.is_empty() { 0 } else { self.get(name) });
            on.then_some(values)
        };
        let error = strobe("error_valid", ["error_cause", "", ""]).map(|[cause, ..]| cause);
        let dynamic = strobe("dynamic_valid", ["dynamic_tag", "dynamic_priority", ""]).map(|[a, b, _]| (a, b));
        let release = strobe("release_valid", ["release_phase", "release_address", "release_done"]);
        Answer {
            sleep: self.get("sleep_mask"),
            pass: self.get("pass_mask"),
            skip: self.get("skip_mask"),
            wait: self.get("wait_mask"),
            refused: self.get("refused") == 1,
            error,
            dynamic,
            release: release.map(|[phase, address, done]| (phase, address, done == 1)),
            idle: self.get("idle_valid") == 1,
            timeout: self.get("timeout_valid") == 1,
        }
    }

    /// Presents a request until it is taken; shows the cycle behind that, and leaves the block there: the next request follows at once.
    pub fn ask(&mut self, operation: BarrierOperation, cta: u128, barrier: u128, data: u128) -> Answer {
        self.set("request_valid", 1);
        self.set("request_operation", operation as u128);
        self.set("request_cta", cta);
        self.set("request_barrier", barrier);
        self.set("request_data", data);
        while self.get("request_ready") == 0 {
            self.tick();
        }
        self.tick();
        self.set("request_valid", 0);
        assert_eq!(self.get("execute_request"), 1, "the answer comes in the cycle behind acceptance");
        self.answer()
    }

    pub fn threads(&mut self, block: u128, mask: u128, participants: u128) {
        self.set("request_block", block);
        self.set("request_mask", mask);
        self.set("request_participants", participants);
    }

    pub fn launch(&mut self, cta: u128, threads: u128) {
        assert_eq!(self.ask(Launch, cta, 0, threads), Answer::default());
        self.finish_launch();
    }

    /// The steps of a launch whose first one is in the execute stage.
    pub fn finish_launch(&mut self) {
        for step in 0..self.size.barriers {
            assert_eq!((self.get("execute_barrier"), self.get("execute_valid")), (step, 1));
            assert_eq!(self.get("launched_valid"), u128::from(step + 1 == self.size.barriers));
            assert_eq!(self.get("request_ready"), u128::from(step + 1 == self.size.barriers), "step {step}");
            if step + 1 < self.size.barriers {
                self.tick();
            }
        }
    }

    /// The execution side holds a CTA, whose Suspend was refused; gives the first cycle in which it is held, and leaves the block there.
    pub fn hold(&mut self, cta: u128) -> u64 {
        // What was asked before has had its answer.
        self.tick();
        self.set("saving_refused", 1);
        assert_eq!(self.ask(Suspend, cta, 0, 1000), refused());
        self.clear("saving_refused");
        self.set("frozen", 1 << cta);
        self.cycle
    }

    /// Nobody is held; gives the first cycle of that, which is this one.
    pub fn let_go(&mut self) -> u64 {
        self.set("frozen", 0);
        self.cycle
    }

    pub fn configure(&mut self, barrier: u128, word: Word) -> Answer {
        self.ask(Configure, 0, barrier, word.bits())
    }

    /// `mask` of a block of CTA 0 reaches `top`; those in `participants` take part.
    pub fn arrive(&mut self, barrier: u128, top: Top, block: u128, mask: u128, participants: u128) -> Answer {
        self.arrive_in(0, barrier, top, block, (mask, participants))
    }

    pub fn arrive_in(&mut self, cta: u128, barrier: u128, top: Top, block: u128, who: (u128, u128)) -> Answer {
        self.threads(block, who.0, who.1);
        self.set("request_tag", top.tag);
        self.set("request_after", top.after);
        self.set("request_critical", top.critical.into());
        self.set("request_exclusive", top.exclusive.into());
        self.set("request_impatient", top.impatient.into());
        self.ask(Arrive, cta, barrier, 0)
    }

    pub fn exit(&mut self, cta: u128, block: u128, mask: u128) -> Vec<Answer> {
        self.threads(block, mask, 0);
        let mut steps = vec![self.ask(Exit, cta, 0, 0)];
        for step in 1..self.size.barriers {
            self.tick();
            assert_eq!((self.get("execute_barrier"), self.get("execute_request")), (step, 0));
            steps.push(self.answer());
        }
        steps
    }

    pub fn split_wait(&mut self, barrier: u128, block: u128, mask: u128, parity: u128) -> Answer {
        self.threads(block, mask, 0);
        self.set("request_tag", 300);
        self.ask(SplitWait, 0, barrier, parity)
    }

    pub fn split_arrive(&mut self, barrier: u128, block: u128, mask: u128) -> Answer {
        self.threads(block, mask, 0);
        self.ask(SplitArrive, 0, barrier, 0)
    }

    /// The execution side says that the section of CTA 0 has ended.
    pub fn finish(&mut self, barrier: u128, cancel: bool) -> Answer {
        self.set("finish_valid", 1);
        self.set("finish_key", barrier);
        while self.get("finish_ready") == 0 {
            self.tick();
        }
        assert_eq!(self.get("request_ready"), 0, "the finish comes before a request");
        self.tick();
        self.set("finish_valid", 0);
        self.set("finish_cancel", cancel.into());
        let answer = self.answer();
        if cancel {
            self.tick();
            self.set("finish_cancel", 0);
        }
        answer
    }

    /// Cycles until a timeout passes, at most `limit`; the block is left in its cycle.
    pub fn wait_for_timeout(&mut self, limit: u64) -> Option<(u64, Answer)> {
        let start = self.cycle;
        while self.cycle - start < limit {
            self.tick();
            if self.get("timeout_valid") == 1 {
                return Some((self.cycle - start, self.answer()));
            }
        }
        None
    }
}

pub fn sleeps(mask: u128) -> Answer {
    Answer { sleep: mask, ..Answer::default() }
}
pub fn skips(mask: u128) -> Answer {
    Answer { skip: mask, ..Answer::default() }
}
pub fn waits(mask: u128) -> Answer {
    Answer { wait: mask, ..Answer::default() }
}
pub fn passes(mask: u128) -> Answer {
    Answer { pass: mask, ..Answer::default() }
}
pub fn wrong(cause: u128) -> Answer {
    Answer { error: Some(cause), ..Answer::default() }
}
pub fn refused() -> Answer {
    Answer { refused: true, ..Answer::default() }
}

impl Answer {
    pub fn releasing(self, phase: u128, address: u128) -> Answer {
        Answer { release: Some((phase, address, false)), ..self }
    }
    pub fn turning_dynamic(self, tag: u128) -> Answer {
        Answer { dynamic: Some((tag, 0)), ..self }
    }
}
