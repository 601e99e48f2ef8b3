//! A group divergence table at its ports, with a memory behind it.

use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use std::collections::HashMap;

/// A warp's report.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    operation: Operation,
    kind: u128,
    mask: u128,
    target: u128,
}

fn request(operation: Operation, mask: u128, target: u128) -> Request {
    Request { operation, kind: 0, mask, target }
}

pub fn step() -> Request {
    request(Operation::Step, 0, 0)
}
pub fn push(kind: Kind, target: u128) -> Request {
    Request { kind: kind.code().into(), ..request(Operation::Push, 0, target) }
}
pub fn branch(mask: u128, target: u128) -> Request {
    request(Operation::Branch, mask, target)
}
pub fn indirect(mask: u128, target: u128) -> Request {
    request(Operation::Indirect, mask, target)
}
pub fn leave(kind: Kind, mask: u128, target: u128) -> Request {
    Request { kind: kind.code().into(), ..request(Operation::Leave, mask, target) }
}
pub fn yielding(mask: u128) -> Request {
    request(Operation::Yield, mask, 0)
}
pub fn exit(mask: u128) -> Request {
    request(Operation::Exit, mask, 0)
}
pub fn sleep(mask: u128) -> Request {
    request(Operation::Sleep, mask, 0)
}

/// The warp whose request is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub position: u128,
    pub warp: u128,
    pub index: u128,
    pub active: u128,
    pub address: u128,
}

/// The table, its memory, and what it has reported.
pub struct Group {
    simulation: Box<dyn Simulation>,
    words: HashMap<u128, u128>,
    pub done: u32,
    pub errors: u32,
    /// Causes of the exceptions, in their order.
    pub exceptions: Vec<u128>,
}

impl Group {
    pub fn new(point: &str) -> Self {
        let entry = points::find("group_divergence_table", point).expect("the point is in the list");
        let mut group =
            Group { simulation: (entry.simulate)(), words: HashMap::new(), done: 0, errors: 0, exceptions: Vec::new() };
        for (port, value) in
            [("spill_limit", 1024), ("exchange_interval", 4), ("memory_request_ready", 1), ("reset", 1)]
        {
            group.set(port, value);
        }
        group.simulation.tick();
        group.set("reset", 0);
        group
    }

    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.simulation.port(port);
        self.simulation.set(port, value);
    }

    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.simulation.port(port);
        self.simulation.get(port)
    }

    /// One cycle: the reports are noted, the memory answers in the next one.
    pub fn tick(&mut self) {
        self.done += self.get("done_valid") as u32;
        self.errors += self.get("error_valid") as u32;
        if self.get("exception_valid") == 1 {
            let cause = self.get("exception_cause");
            self.exceptions.push(cause);
        }
        let mut answer = None;
        if self.get("memory_request_valid") == 1 {
            let address = self.get("memory_request_address");
            if self.get("memory_request_write") == 1 {
                let data = self.get("memory_request_data");
                self.words.insert(address, data);
            } else {
                answer = Some(self.words[&address]);
            }
        }
        self.simulation.tick();
        self.set("memory_response_valid", answer.is_some().into());
        self.set("memory_response_data", answer.unwrap_or(0));
    }

    /// Starts the group: the warp and the threads of each position.
    pub fn launch(&mut self, warps: &[(u128, u128)], address: u128) {
        for (position, (warp, mask)) in warps.iter().enumerate() {
            self.set("launch_position", position as u128);
            self.set("launch_warp", *warp);
            self.set("launch_mask", *mask);
            self.set("launch_last", (position + 1 == warps.len()).into());
            self.set("launch_address", address);
            self.set("launch_valid", 1);
            self.wait("launch_ready");
            self.tick();
            self.set("launch_valid", 0);
        }
        self.wait("turn_valid");
    }

    fn wait(&mut self, port: &str) {
        for _ in 0..200 {
            if self.get(port) == 1 {
                return;
            }
            self.tick();
        }
        panic!("{port} never comes");
    }

    /// The warp that is to issue.
    pub fn turn(&mut self) -> Option<Turn> {
        (self.get("turn_valid") == 1).then(|| Turn {
            position: self.get("turn_position"),
            warp: self.get("turn_warp"),
            index: self.get("turn_index"),
            active: self.get("turn_active"),
            address: self.get("turn_address"),
        })
    }

    /// Puts a request on its port.
    pub fn offer(&mut self, request: Request) {
        self.set("request_operation", request.operation as u128);
        self.set("request_kind", request.kind);
        self.set("request_mask", request.mask);
        self.set("request_target", request.target);
        self.set("request_targeted", 1);
        self.set("request_valid", 1);
    }

    /// The report of the warp shown; gives the cycles for which its threads are then stored; of the last one, unions at a join
    /// among them.
    pub fn report(&mut self, request: Request) -> u32 {
        self.offer(request);
        assert_eq!(self.get("request_ready"), 1, "{request:?} is taken at once");
        self.tick();
        self.set("request_valid", 0);
        let mut cycles = 0;
        // Nothing is stored once the next warp may report or the tree takes the instruction.
        while self.get("turn_valid") == 0 && self.get("changed") == 0 && cycles < 500 {
            self.tick();
            cycles += 1;
        }
        cycles
    }

    /// The same report for every warp of the leaf.
    pub fn all(&mut self, request: Request) {
        while self.get("turn_valid") == 1 {
            self.report(request);
        }
        self.settle();
    }

    /// Puts a wake-up of threads of a position on the port.
    pub fn offer_wake(&mut self, position: u128, mask: u128, target: u128) {
        self.offer(request(Operation::Wake, mask, target));
        self.set("request_position", position);
    }

    /// Threads of a position wake.
    pub fn wake(&mut self, position: u128, mask: u128, target: u128) {
        self.offer_wake(position, mask, target);
        self.wait("request_ready");
        self.tick();
        self.set("request_valid", 0);
        self.wait("turn_valid");
    }

    /// The tree takes the instruction and works until a warp may issue, or none can.
    pub fn settle(&mut self) {
        for _ in 0..3_000 {
            self.tick();
            if self.get("turn_valid") == 1 || self.get("running") == 0 {
                return;
            }
        }
        panic!("the group hangs: {} done, {} errors", self.done, self.errors);
    }
}
