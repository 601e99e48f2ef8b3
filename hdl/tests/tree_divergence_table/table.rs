//! A tree divergence table at its ports, with a memory behind it.

use heddle_hdl::divergence::token::Kind;
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use std::collections::{HashMap, VecDeque};

/// Operation codes of the request port.
pub const STEP: u128 = 0;
pub const PUSH: u128 = 1;
pub const BRANCH: u128 = 2;
pub const INDIRECT: u128 = 3;
pub const CALL: u128 = 4;
pub const LEAVE: u128 = 5;
pub const YIELD: u128 = 6;
pub const EXIT: u128 = 7;
pub const SLEEP: u128 = 8;
pub const WAKE: u128 = 9;
pub const WITHDRAW: u128 = 10;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub operation: u128,
    pub kind: u128,
    pub mask: u128,
    pub target: u128,
    pub targeted: bool,
    pub again: bool,
}

fn request(operation: u128, kind: u128, mask: u128, target: u128) -> Request {
    Request { operation, kind, mask, target, targeted: true, again: false }
}

pub fn step() -> Request {
    request(STEP, 0, u128::MAX, 0)
}
pub fn push(kind: Kind, target: u128) -> Request {
    request(PUSH, kind.code().into(), u128::MAX, target)
}
pub fn branch(mask: u128, target: u128) -> Request {
    request(BRANCH, 0, mask, target)
}
pub fn indirect(mask: u128, target: u128) -> Request {
    request(INDIRECT, 0, mask, target)
}
pub fn call(mask: u128, target: u128) -> Request {
    request(CALL, 0, mask, target)
}
pub fn leave(kind: Kind, mask: u128, target: u128) -> Request {
    request(LEAVE, kind.code().into(), mask, target)
}
pub fn leave_untargeted(kind: Kind, mask: u128) -> Request {
    Request { targeted: false, ..leave(kind, mask, 0) }
}
pub fn yielding(mask: u128) -> Request {
    request(YIELD, 0, mask, 0)
}
pub fn exit(mask: u128) -> Request {
    request(EXIT, 0, mask, 0)
}
pub fn sleep(mask: u128) -> Request {
    request(SLEEP, 0, mask, 0)
}
pub fn wake(mask: u128, target: u128) -> Request {
    request(WAKE, 0, mask, target)
}

pub fn withdraw() -> Request {
    request(WITHDRAW, 0, 0, 0)
}

/// A leaf or a node that left with its warp.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    pub kind: u128,
    pub mask: u128,
    pub address: u128,
    pub node: u128,
    pub above: u128,
}

/// What a run has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub opened: u32,
    pub closed: u32,
    pub diverged: u32,
    pub departed: u32,
    pub merged: u32,
    pub discarded: u32,
    pub spilled: u32,
    pub refilled: u32,
}

/// The table, its memory, and what it has reported.
pub struct Table {
    simulation: Box<dyn Simulation>,
    latency: u64,
    now: u64,
    words: HashMap<u128, u128>,
    answers: VecDeque<(u64, u128)>,
    pub counts: Counts,
    pub done: Vec<u128>,
    pub left: Vec<u128>,
    pub saved: Vec<Saved>,
    pub errors: Vec<(u128, u128, u128)>,
}

impl Table {
    pub fn new(point: &str) -> Self {
        let entry = points::find("tree_divergence_table", point).expect("the point is in the list");
        let mut table = Table {
            simulation: (entry.simulate)(),
            latency: 3,
            now: 0,
            words: HashMap::new(),
            answers: VecDeque::new(),
            counts: Counts::default(),
            done: Vec::new(),
            left: Vec::new(),
            saved: Vec::new(),
            errors: Vec::new(),
        };
        table.set("spill_limit", 1024);
        table.set("exchange_interval", 4);
        table.set("memory_request_ready", 1);
        table.set("reset", 1);
        table.simulation.tick();
        table.set("reset", 0);
        table
    }

    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.simulation.port(port);
        self.simulation.set(port, value);
    }

    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.simulation.port(port);
        self.simulation.get(port)
    }

    fn flag(&mut self, port: &str) -> u32 {
        self.get(port) as u32
    }

    /// One cycle: the reports are noted, the memory serves its port.
    pub fn tick(&mut self) {
        self.counts.opened += self.flag("event_push");
        self.counts.closed += self.flag("event_pop");
        self.counts.diverged += self.flag("event_diverge");
        self.counts.departed += self.flag("event_yield");
        self.counts.merged += self.flag("event_merge");
        self.counts.discarded += self.flag("event_discard");
        if self.get("exception_valid") == 1 {
            match self.get("exception_cause") {
                1 => self.counts.spilled += 1,
                2 => self.counts.refilled += 1,
                other => panic!("exception cause {other}"),
            }
        }
        if self.get("done_valid") == 1 {
            let warp = self.get("done_warp");
            self.done.push(warp);
        }
        if self.get("saved_last") == 1 {
            let warp = self.get("saved_warp");
            self.left.push(warp);
        }
        if self.get("saved_valid") == 1 {
            let [kind, mask, address, node, above] =
                ["saved_kind", "saved_mask", "saved_address", "saved_node", "saved_above"].map(|port| self.get(port));
            self.saved.push(Saved { kind, mask, address, node, above });
        }
        if self.get("error_valid") == 1 {
            let error = (self.get("error_warp"), self.get("error_cause"), self.get("error_address"));
            self.errors.push(error);
        }
        if self.get("memory_request_valid") == 1 {
            let address = self.get("memory_request_address");
            if self.get("memory_request_write") == 1 {
                let data = self.get("memory_request_data");
                self.words.insert(address, data);
            } else {
                let word = self.words.get(&address).copied().expect("a word is written before it is read");
                self.answers.push_back((self.now + self.latency, word));
            }
        }
        if self.get("memory_response_valid") == 1 && self.get("memory_response_ready") == 1 {
            self.answers.pop_front();
        }
        self.simulation.tick();
        self.now += 1;
        let answer = self.answers.front().filter(|(due, _)| *due <= self.now).map(|(_, word)| *word);
        self.set("memory_response_valid", answer.is_some().into());
        self.set("memory_response_data", answer.unwrap_or(0));
    }

    /// Starts a warp; it may issue in the next cycle.
    pub fn launch(&mut self, warp: u128, mask: u128, address: u128) {
        self.set("launch_valid", 1);
        self.set("launch_warp", warp);
        self.set("launch_mask", mask);
        self.set("launch_address", address);
        assert_eq!(self.get("launch_ready"), 1, "a launch is taken at once");
        self.tick();
        self.set("launch_valid", 0);
    }

    pub fn ready(&mut self, warp: u128) -> bool {
        self.get("warp_ready") >> warp & 1 == 1
    }

    pub fn running(&mut self, warp: u128) -> bool {
        self.get("warp_running") >> warp & 1 == 1
    }

    /// Offers an instruction until it is taken; gives the cycles for which it was refused.
    pub fn offer(&mut self, warp: u128, request: Request) -> u32 {
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", request.operation);
        self.set("request_kind", request.kind);
        self.set("request_mask", request.mask);
        self.set("request_target", request.target);
        self.set("request_targeted", request.targeted.into());
        self.set("request_again", request.again.into());
        let mut refused = 0;
        while self.get("request_ready") == 0 {
            self.tick();
            refused += 1;
            assert!(refused < 1000 && self.errors.is_empty(), "{request:?} is never taken: {:?}", self.errors);
        }
        self.tick();
        self.set("request_valid", 0);
        refused
    }

    /// Issues an instruction, which must be taken at once; gives the cycles for which the table is then busy.
    pub fn issue(&mut self, warp: u128, request: Request) -> u32 {
        assert_eq!(self.offer(warp, request), 0, "{request:?} is taken at once");
        self.settle(warp)
    }

    /// Waits until the warp may issue again or is parked or ends; gives the cycles.
    pub fn settle(&mut self, warp: u128) -> u32 {
        let mut busy = 0;
        // A launch port for a warp that does not run shows whether the table is at rest: another warp's, if this one runs.
        while self.running(warp) && !self.ready(warp) && !self.parked(warp) {
            self.tick();
            busy += 1;
            assert!(busy < 1000, "warp {warp} hangs");
        }
        busy
    }

    /// Every live thread of the warp sleeps: a wake-up would be taken.
    fn parked(&mut self, warp: u128) -> bool {
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", WAKE);
        self.set("request_mask", 0);
        let parked = self.get("request_ready") == 1;
        self.set("request_valid", 0);
        parked
    }

    /// Address and threads of the selected leaf.
    pub fn state(&mut self, warp: u128) -> (u128, u128) {
        self.set("query_warp", warp);
        (self.get("query_address"), self.get("query_active"))
    }

    pub fn disabled(&mut self, warp: u128, kind: Kind) -> u128 {
        self.set("query_warp", warp);
        self.set("query_kind", kind.code().into());
        self.get("query_disabled")
    }
}
