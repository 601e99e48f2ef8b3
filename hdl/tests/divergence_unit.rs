//! The divergence unit's cycle counts at its ports, exactly (DQ-40), and deep nests (DQ-43).

use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;

const ALL: u128 = 0xffff_ffff;

struct Unit(Box<dyn Simulation>);

/// An instruction: `(operation, kind, mask, target, targeted)`.
type Request = (Operation, Option<Kind>, u128, u128, bool);

impl Unit {
    fn new(point: &str) -> Self {
        let mut unit = Unit((points::find("divergence_unit", point).expect("the point is in the list").simulate)());
        unit.set("spill_limit", 100);
        unit.set("memory_request_ready", 1);
        unit.set("reset", 1);
        unit.0.tick();
        unit.set("reset", 0);
        unit
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.0.port(port);
        self.0.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.0.port(port);
        self.0.get(port)
    }

    fn launch(&mut self, warp: u128) {
        self.set("launch_valid", 1);
        self.set("launch_warp", warp);
        self.set("launch_mask", ALL);
        self.set("launch_address", 10);
        while self.get("launch_ready") == 0 {
            self.0.tick();
        }
        self.0.tick();
        self.set("launch_valid", 0);
        while self.get("warp_ready") >> warp & 1 == 0 {
            self.0.tick();
        }
    }

    /// Issues an instruction, which must be taken at once; gives the cycles for which its warp then stalls.
    fn issue(&mut self, warp: u128, (operation, kind, mask, target, targeted): Request) -> u32 {
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", operation as u128);
        self.set("request_kind", kind.map_or(0, |kind| kind.code().into()));
        self.set("request_mask", mask);
        self.set("request_target", target);
        self.set("request_targeted", targeted.into());
        assert_eq!(self.get("request_ready"), 1, "{operation:?} is taken at once");
        self.0.tick();
        self.set("request_valid", 0);
        let mut stall = 0;
        while self.get("warp_ready") >> warp & 1 == 0 && self.get("warp_running") >> warp & 1 == 1 {
            self.0.tick();
            stall += 1;
            assert!(stall < 1000, "{operation:?} hangs");
        }
        stall
    }

    fn state(&mut self, warp: u128) -> (u128, u128) {
        self.set("query_warp", warp);
        (self.get("query_address"), self.get("query_active"))
    }
}

fn step() -> Request {
    (Operation::Step, None, ALL, 0, false)
}
fn push(kind: Kind, target: u128) -> Request {
    (Operation::Push, Some(kind), ALL, target, false)
}
fn branch(mask: u128, target: u128) -> Request {
    (Operation::Branch, None, mask, target, false)
}
fn leave(kind: Kind, mask: u128, target: u128) -> Request {
    (Operation::Leave, Some(kind), mask, target, true)
}

/// DQ-40: what needs no sequencer frees its warp for the next cycle, and a cycle takes an instruction of any warp.
#[test]
fn single_cycle_instructions_never_stall() {
    let mut unit = Unit::new("4x32x32");
    (0..4).for_each(|warp| unit.launch(warp));
    for round in 0..8 {
        for warp in 0..4 {
            let request = [
                step(),
                push(Kind::Sync, 50),
                branch(ALL, 20),
                branch(0, 99),
                (Operation::Call, None, ALL, 30, false),
                (Operation::Call, None, 0, 99, false),
                leave(Kind::Break, 0, 99),
                (Operation::Exit, None, 1 << 31, 0, false),
            ][round];
            assert_eq!(unit.issue(warp, request), 0, "{request:?}");
        }
    }
    assert_eq!(unit.state(3), (33, 0x7fff_ffff));
}

/// DQ-40: exact stalls of the instructions that use the sequencer.
#[test]
fn sequenced_instructions_stall_as_stated() {
    let mut unit = Unit::new("4x32x32");
    unit.launch(0);
    assert_eq!(unit.issue(0, push(Kind::Sync, 40)), 0);
    assert_eq!(unit.issue(0, branch(0xff, 30)), 2, "a mixed branch");
    assert_eq!(unit.state(0), (30, 0xff));
    // The sync token is the second from the front: 2 scanned; the unwind pops the divergence token: 0 dropped.
    assert_eq!(unit.issue(0, leave(Kind::Sync, ALL, 40)), (1 + 2) + 1);
    assert_eq!(unit.state(0), (12, ALL & !0xff));
    // Survivors: 1 scanned, no unwind; a cycle less than the bound.
    assert_eq!(unit.issue(0, leave(Kind::Sync, 0xff00, 40)), 1);
    // The rest: 1 scanned, 0 dropped.
    assert_eq!(unit.issue(0, leave(Kind::Sync, ALL, 40)), (1 + 1) + 1);
    assert_eq!(unit.state(0), (40, ALL));
    // With every live thread active a YIELD has nobody to yield to.
    assert_eq!(unit.issue(0, (Operation::Yield, None, ALL, 0, false)), 0);
    assert_eq!(unit.issue(0, branch(0xff, 60)), 2);
    // A YIELD of some, with no yield token to look at: survivors go on.
    assert_eq!(unit.issue(0, (Operation::Yield, None, 0xf, 0, false)), 1);
    assert_eq!(unit.state(0), (61, 0xf0));
    // A YIELD of the others, to another address: 1 yield token looked at; the unwind finds the divergence token.
    assert_eq!(unit.issue(0, (Operation::Yield, None, ALL, 0, false)), (1 + 1) + 1);
    assert_eq!(unit.state(0), (42, ALL & !0xff));
    // An exit of all that run: the unwind finds the first yield token.
    assert_eq!(unit.issue(0, (Operation::Exit, None, ALL, 0, false)), 1);
    assert_eq!(unit.state(0), (61, 0xf));
}

/// DQ-43: 33 nested regions on a window of 32 tokens return to the right addresses, in order.
#[test]
fn a_nest_deeper_than_the_window_returns_right() {
    let mut unit = Unit::new("4x32x32");
    unit.launch(1);
    let mut memory = std::collections::HashMap::new();
    let mut answer = None;
    // The memory answers a read in the next cycle; instructions are offered until they are taken.
    let mut run = |unit: &mut Unit, request: Request| {
        let (operation, kind, mask, target, targeted) = request;
        unit.set("request_valid", 1);
        unit.set("request_warp", 1);
        unit.set("request_operation", operation as u128);
        unit.set("request_kind", kind.map_or(0, |kind| kind.code().into()));
        unit.set("request_mask", mask);
        unit.set("request_target", target);
        unit.set("request_targeted", targeted.into());
        let mut taken = false;
        for _ in 0..2000 {
            unit.set("memory_response_valid", u128::from(answer.is_some()));
            unit.set("memory_response_data", answer.unwrap_or(0));
            if !taken && unit.get("request_ready") == 1 {
                taken = true;
            } else if taken {
                unit.set("request_valid", 0);
                if unit.get("warp_ready") >> 1 & 1 == 1 {
                    return;
                }
            }
            if answer.is_some() && unit.get("memory_response_ready") == 1 {
                answer = None;
            }
            if unit.get("memory_request_valid") == 1 {
                let address = unit.get("memory_request_address");
                if unit.get("memory_request_write") == 1 {
                    memory.insert(address, unit.get("memory_request_data"));
                } else {
                    answer = Some(memory[&address]);
                }
            }
            unit.0.tick();
        }
        panic!("{operation:?} hangs");
    };
    for depth in 0..33 {
        run(&mut unit, push(Kind::Sync, 1000 + depth));
    }
    for depth in (0..33).rev() {
        run(&mut unit, leave(Kind::Sync, ALL, 1000 + depth));
        assert_eq!(unit.state(1), (1000 + depth, ALL), "region {depth}");
    }
}
