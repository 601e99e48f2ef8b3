//! The divergence unit's cycle counts at its ports, exactly (DQ-40), deep nests (DQ-43), and threads that sleep at barriers (SM-07).

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

    /// Presents an instruction: whether it is taken in this cycle.
    fn offer(&mut self, warp: u128, (operation, kind, mask, target, targeted): Request) -> bool {
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", operation as u128);
        self.set("request_kind", kind.map_or(0, |kind| kind.code().into()));
        self.set("request_mask", mask);
        self.set("request_target", target);
        self.set("request_targeted", targeted.into());
        self.get("request_ready") == 1
    }

    /// Issues an instruction, which must be taken at once; gives the cycles for which its warp then stalls.
    fn issue(&mut self, warp: u128, request: Request) -> u32 {
        let operation = request.0;
        assert!(self.offer(warp, request), "{operation:?} is taken at once");
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

/// DQ-40: while a warp's token is looked for, instructions of another warp that need no sequencer are taken, one in each cycle but the
/// last, in which that warp goes on; one that needs the sequencer waits for the search to end.
#[test]
fn other_warps_pass_a_search() {
    let waits = [(step(), 1), (branch(ALL, 20), 1), (push(Kind::Sync, 50), 1), (branch(0xff, 30), 11)];
    for (request, refused) in waits {
        let mut unit = Unit::new("4x32x32");
        (0..2).for_each(|warp| unit.launch(warp));
        assert_eq!(unit.issue(0, push(Kind::Sync, 40)), 0);
        for target in 0..10 {
            assert_eq!(unit.issue(0, push(Kind::Call, target)), 0);
        }
        assert!(unit.offer(0, leave(Kind::Sync, 0xff, 40)));
        unit.0.tick();
        // Eleven are looked at; survivors go on.
        let mut taken = Vec::new();
        while unit.get("warp_ready") & 1 == 0 {
            taken.push(unit.offer(1, request));
            unit.0.tick();
        }
        assert_eq!(taken.len(), 11);
        let expected: Vec<bool> = (0..11).map(|cycle| cycle < 11 - refused).collect();
        assert_eq!(taken, expected, "{request:?}");
    }
}

/// DQ-40, DQ-28: threads that wait for no token stall their warp for as long as the search for their token, a YIELD and an unwind take together.
#[test]
fn implicit_yields_stall_no_longer_than_their_parts() {
    let mut unit = Unit::new("4x32x32");
    unit.launch(0);
    // Nothing is in the queue: neither a token to look for nor one to look at; the token passes the queue.
    assert_eq!(unit.issue(0, leave(Kind::Break, ALL, 20)), 1 + 1);
    assert_eq!(unit.state(0), (20, ALL));
    assert_eq!(unit.issue(0, branch(0xff, 30)), 2);
    // Nothing to look for, and survivors: 0, 1 and 2 yield tokens looked at.
    assert_eq!(unit.issue(0, leave(Kind::Break, 0x01, 70)), 1);
    assert_eq!(unit.issue(0, leave(Kind::Break, 0x02, 71)), 1 + (1 + 1));
    assert_eq!(unit.issue(0, leave(Kind::Break, 0x04, 72)), 1 + (1 + 2));
    // The last of the three merges.
    assert_eq!(unit.issue(0, leave(Kind::Break, 0x08, 70)), 1 + (1 + 3));
    assert_eq!(unit.disabled(0, Kind::Yield), 0x0f);
    // Nothing to look for, 3 yield tokens looked at; the unwind drops 1 token and finds the branch's.
    assert_eq!(unit.issue(0, push(Kind::Call, 99)), 0);
    assert_eq!(unit.issue(0, leave(Kind::Break, ALL, 73)), 1 + (1 + 3) + (1 + 1));
    assert_eq!(unit.state(0), (21, ALL & !0xff));
    // The region's token is the first, but has another address: 1 looked at, then 4 yield tokens, then 1 dropped.
    assert_eq!(unit.issue(0, push(Kind::Break, 80)), 0);
    assert_eq!(unit.issue(0, leave(Kind::Break, ALL, 81)), (1 + 1) + (1 + 4) + (1 + 1));
    assert_eq!(unit.state(0), (70, 0x09));
    // Some wait for the region's token, the others have none: 1 looked at, then 4 yield tokens; survivors go on.
    assert_eq!(unit.issue(0, push(Kind::Break, 80)), 0);
    assert_eq!(unit.issue(0, (Operation::Leave, Some(Kind::Call), 0x01, 50, true)), 1 + (1 + 4));
    // A YIELD with all others asleep goes to an empty queue: its 1, and the unwind's.
    unit.launch(1);
    assert_eq!(unit.issue(1, sleep(0xff)), 0);
    assert_eq!(unit.issue(1, (Operation::Yield, None, ALL, 0, false)), 1 + 1);
    assert_eq!(unit.state(1), (12, ALL & !0xff));
}

/// DQ-29: RET without an address finds no region: the warp stops at it, and its threads are as they were.
#[test]
fn a_return_without_a_token_stops_where_it_stands() {
    let mut unit = Unit::new("4x32x32");
    unit.launch(0);
    unit.set("request_valid", 1);
    unit.set("request_operation", Operation::Leave as u128);
    unit.set("request_kind", Kind::Call.code().into());
    unit.set("request_mask", 0xff);
    assert_eq!(unit.get("request_ready"), 1);
    unit.0.tick();
    unit.set("request_valid", 0);
    assert_eq!(["valid", "cause", "address"].map(|port| unit.get(&format!("error_{port}"))), [1, 4, 10]);
    unit.0.tick();
    assert_eq!((unit.get("warp_running"), unit.state(0)), (0, (10, ALL)));
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

fn sleep(mask: u128) -> Request {
    (Operation::Sleep, None, mask, 0, false)
}
fn wake(mask: u128, target: u128) -> Request {
    (Operation::Wake, None, mask, target, false)
}

impl Unit {
    /// The threads of a warp that are disabled for `kind`.
    fn disabled(&mut self, warp: u128, kind: Kind) -> u128 {
        self.set("query_warp", warp);
        self.set("query_kind", kind.code().into());
        self.get("query_disabled")
    }

    /// Issues an instruction that leaves its warp parked; gives the cycles until the unit is free, which another warp shows.
    fn park(&mut self, warp: u128, request: Request) -> u32 {
        let (operation, kind, mask, target, _) = request;
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", operation as u128);
        self.set("request_kind", kind.map_or(0, |kind| kind.code().into()));
        self.set("request_mask", mask);
        self.set("request_target", target);
        assert_eq!(self.get("request_ready"), 1, "{operation:?} is taken at once");
        self.0.tick();
        // A wake of nobody is taken as soon as the sequencer is free.
        self.set("request_operation", Operation::Wake as u128);
        self.set("request_mask", 0);
        let mut cycles = 0;
        while self.get("request_ready") == 0 {
            assert_eq!((self.get("error_valid"), self.get("done_valid")), (0, 0), "{operation:?}");
            self.0.tick();
            cycles += 1;
            assert!(cycles < 1000, "{operation:?} hangs");
        }
        self.0.tick();
        self.set("request_valid", 0);
        assert_eq!((self.get("warp_ready") >> warp & 1, self.get("warp_running") >> warp & 1), (0, 1), "{operation:?}");
        cycles
    }
}

/// SM-07: threads fall asleep, the others go on; with nobody left the warp unwinds as after an EXIT, in 1 + the tokens discarded.
#[test]
fn sm_07_sleepers_leave_the_warp_to_the_others() {
    for stack_mode in [0, 1] {
        let mut unit = Unit::new("4x32x32");
        unit.set("stack_mode", stack_mode);
        unit.launch(0);
        assert_eq!(unit.issue(0, sleep(0)), 0, "nobody is named");
        assert_eq!(unit.issue(0, sleep(0xf000_0000)), 0, "survivors");
        assert_eq!(unit.state(0), (12, 0x0fff_ffff));
        assert_eq!(unit.disabled(0, Kind::Barrier), 0xf000_0000);
        assert_eq!(unit.issue(0, push(Kind::Sync, 40)), 0);
        assert_eq!(unit.issue(0, branch(0xff, 30)), 2);
        assert_eq!(unit.issue(0, push(Kind::Break, 90)), 0);
        // The break token belongs to nobody and is discarded, the divergence token is next.
        assert_eq!(unit.issue(0, sleep(ALL)), 1 + 1);
        assert_eq!(unit.state(0), (14, 0x0fff_ff00));
        assert_eq!(unit.disabled(0, Kind::Barrier), 0xf000_00ff);
        // Nobody waits at the region's end.
        assert_eq!(unit.park(0, sleep(ALL)), 1 + 1);
        assert_eq!(unit.disabled(0, Kind::Barrier), ALL);
    }
}

/// SM-07: a wake makes its threads a set of their own at their address, whatever the warp does; sets woken to one address are one.
#[test]
fn sm_07_woken_threads_are_a_set_of_their_own() {
    for stack_mode in [0, 1] {
        let mut unit = Unit::new("4x32x32");
        unit.set("stack_mode", stack_mode);
        unit.launch(2);
        assert_eq!(unit.issue(2, sleep(0xffff)), 0);
        assert_eq!(unit.issue(2, wake(0, 70)), 0, "an empty set");
        assert_eq!(unit.issue(2, wake(0xffff_0000, 70)), 0, "nobody of them sleeps");
        assert_eq!(unit.state(2), (11, 0xffff_0000), "the PC stays");
        // No yield token to look at; then one, which has another address; then two, one of which has this one.
        assert_eq!(unit.issue(2, wake(0x000f, 70)), 1);
        assert_eq!(unit.issue(2, wake(0x00f0, 71)), 2 + 1);
        assert_eq!(unit.issue(2, wake(0xff00, 70)), 2 + 2);
        assert_eq!((unit.disabled(2, Kind::Barrier), unit.disabled(2, Kind::Yield)), (0, 0xffff));
        assert_eq!(unit.state(2), (11, 0xffff_0000), "those that ran go on");
        assert_eq!(unit.issue(2, (Operation::Exit, None, ALL, 0, false)), 1);
        assert_eq!(unit.state(2), (70, 0xff0f));
        assert_eq!(unit.issue(2, (Operation::Exit, None, ALL, 0, false)), 1);
        assert_eq!(unit.state(2), (71, 0x00f0));
    }
}

/// SM-07, DQ-26: a warp all of whose live threads sleep is parked; it issues nothing, and a wake runs it. Exited threads stay out.
#[test]
fn sm_07_a_warp_asleep_is_parked_until_a_wake() {
    let mut unit = Unit::new("4x32x16");
    unit.launch(1);
    assert_eq!(unit.issue(1, (Operation::Exit, None, 0xf, 0, false)), 0);
    assert_eq!(unit.park(1, sleep(ALL)), 1);
    assert_eq!(unit.state(1).1, 0);
    unit.set("request_valid", 1);
    for operation in [Operation::Step, Operation::Exit, Operation::Sleep, Operation::Yield] {
        unit.set("request_operation", operation as u128);
        assert_eq!(unit.get("request_ready"), 0, "{operation:?} of a parked warp");
    }
    unit.set("request_valid", 0);
    // A YIELD of an empty queue, which its token passes, and the unwind that finds it.
    assert_eq!(unit.issue(1, wake(0xff, 80)), 1 + 1);
    assert_eq!(unit.state(1), (80, 0xf0));
    assert_eq!(unit.issue(1, step()), 0);
    // The last thread awake leaves; the sleepers keep the warp.
    assert_eq!(unit.park(1, (Operation::Exit, None, ALL, 0, false)), 1);
    assert_eq!(unit.issue(1, wake(ALL, 90)), 1 + 1);
    assert_eq!(unit.state(1), (90, ALL & !0xff));
    // With nobody asleep the warp ends as ever: here it is done.
    unit.issue(1, (Operation::Exit, None, ALL, 0, false));
    assert_eq!(unit.get("warp_running"), 0);
}

/// SM-07, DQ-26: sleepers do not excuse a thread that waits for a token which does not exist.
#[test]
fn sm_07_a_lost_thread_beside_sleepers_is_an_error() {
    let mut unit = Unit::new("4x32x32");
    unit.launch(0);
    assert_eq!(unit.issue(0, push(Kind::Sync, 40)), 0);
    assert_eq!(unit.issue(0, leave(Kind::Sync, 0xff, 40)), 1);
    assert_eq!(unit.issue(0, push(Kind::Sync, 50)), 0);
    assert_eq!(unit.issue(0, sleep(0xff00)), 0);
    // The others lose their token: RET without a region and without an address stops the warp.
    unit.issue(0, (Operation::Leave, Some(Kind::Call), ALL, 0, false));
    assert_eq!(unit.get("warp_running"), 0);
    // A warp that is launched again has no sleepers.
    unit.launch(0);
    assert_eq!(unit.disabled(0, Kind::Barrier), 0);
    assert_eq!(unit.state(0), (10, ALL));
}
