//! A warp leaves the divergence unit by its ports and comes back on another one (CX-09), cycle by cycle.

use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;

const ALL: u128 = 0xffff_ffff;

/// Kind, threads and address of a token.
type Token = (u128, u128, u128);

struct Unit(Box<dyn Simulation>);

impl Unit {
    fn new() -> Self {
        let mut unit = Unit((points::find("divergence_unit", "4x32x16").expect("the point is in the list").simulate)());
        // Every second YIELD yields, so that the count is a part of the state.
        for (port, value) in
            [("spill_limit", 100), ("memory_request_ready", 1), ("yield_policy", 1), ("yield_parameter", 2)]
        {
            unit.set(port, value);
        }
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

    fn launch(&mut self, warp: u128, threads: u128, address: u128, yields: Option<u128>) {
        self.set("launch_valid", 1);
        self.set("launch_warp", warp);
        self.set("launch_mask", threads);
        self.set("launch_address", address);
        self.set("launch_resumes", yields.is_some().into());
        self.set("launch_yields", yields.unwrap_or(0));
        while self.get("launch_ready") == 0 {
            self.0.tick();
        }
        self.0.tick();
        self.set("launch_valid", 0);
        while self.get("warp_ready") >> warp & 1 == 0 {
            self.0.tick();
        }
    }

    /// Offers a request, which must be taken at once, and passes its clock edge.
    fn request(&mut self, warp: u128, operation: Operation, kind: Kind, mask: u128, target: u128) {
        self.set("request_valid", 1);
        self.set("request_warp", warp);
        self.set("request_operation", operation as u128);
        self.set("request_kind", kind.code().into());
        self.set("request_mask", mask);
        self.set("request_target", target);
        self.set("request_targeted", 1);
        assert_eq!(self.get("request_ready"), 1, "{operation:?} is taken at once");
        self.0.tick();
        self.set("request_valid", 0);
    }

    /// The same, until the warp is ready again; gives the cycles for which it stalls.
    fn issue(&mut self, warp: u128, operation: Operation, kind: Kind, mask: u128, target: u128) -> u32 {
        self.request(warp, operation, kind, mask, target);
        let mut stall = 0;
        while self.get("warp_ready") >> warp & 1 == 0 {
            self.0.tick();
            stall += 1;
            assert!(stall < 1000, "{operation:?} hangs");
        }
        stall
    }

    /// What the query ports show: address, active threads, yield state, and the disabled threads of every kind.
    fn state(&mut self, warp: u128) -> (u128, u128, u128, Vec<u128>) {
        self.set("query_warp", warp);
        let disabled = Kind::ALL.map(|kind| {
            self.set("query_kind", kind.code().into());
            self.get("query_disabled")
        });
        (self.get("query_address"), self.get("query_active"), self.get("query_yields"), disabled.to_vec())
    }

    /// Withdraws every token, then the warp.
    fn withdraw(&mut self, warp: u128) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            self.request(warp, Operation::Withdraw, Kind::Sync, 0, 0);
            // The pop was in the cycle of the request; this is the one behind it.
            assert_eq!(self.get("saved_warp"), warp);
            assert_eq!((self.get("done_valid"), self.get("error_valid"), self.get("event_discard")), (0, 0, 0));
            if self.get("saved_last") == 1 {
                assert_eq!(self.get("saved_valid"), 0);
                self.0.tick();
                return tokens;
            }
            assert_eq!(self.get("saved_valid"), 1, "a token a request");
            tokens.push((self.get("saved_kind"), self.get("saved_mask"), self.get("saved_address")));
            self.0.tick();
            assert_eq!(self.get("warp_ready") >> warp & 1, 1, "the next request after 2 cycles");
        }
    }
}

/// CX-09: address, masks, reasons, exited threads, yield state and tokens leave a warp by the ports and go on elsewhere as if nothing had
/// been; a token takes 2 cycles on its way out and 1 back.
#[test]
fn cx_09_a_warp_moves() {
    let mut unit = Unit::new();
    unit.launch(0, ALL, 10, None);
    unit.issue(0, Operation::Exit, Kind::Sync, 1 << 31, 0);
    unit.issue(0, Operation::Push, Kind::Sync, ALL, 40);
    unit.issue(0, Operation::Branch, Kind::Sync, 0xffff, 30);
    unit.issue(0, Operation::Leave, Kind::Sync, 0xff, 40);
    unit.issue(0, Operation::Yield, Kind::Yield, 0xf00, 0);
    let before = unit.state(0);
    assert_eq!((before.0, before.1, before.2), (32, 0xff00, 1), "a YIELD was counted, none yielded");
    assert_eq!(unit.issue(0, Operation::Yield, Kind::Yield, 0xf00, 0), 1, "the second yields");
    let before = unit.state(0);
    assert_eq!((before.0, before.1, before.2), (33, 0xf000, 0));

    let tokens = unit.withdraw(0);
    let codes: Vec<u128> = tokens.iter().map(|token| token.0).collect();
    assert_eq!(codes, [Kind::Divergence, Kind::Sync, Kind::Yield].map(|kind| u128::from(kind.code())));
    assert_eq!(unit.get("warp_running"), 0, "the warp is gone");

    let live = before.3.iter().fold(before.1, |live, threads| live | threads);
    assert_eq!(live, ALL >> 1, "an exited thread stays out");
    unit.launch(3, live, before.0, Some(1));
    for (kind, threads) in Kind::ALL.into_iter().zip(&before.3) {
        assert_eq!(unit.issue(3, Operation::Disable, kind, *threads, 0), 0);
    }
    for (code, mask, address) in tokens.iter().rev() {
        let kind = Kind::from_code(*code as u8).expect("a kind");
        assert_eq!(unit.issue(3, Operation::Deposit, kind, *mask, *address), 0);
    }
    let after = unit.state(3);
    assert_eq!((after.0, after.1, &after.3), (before.0, before.1, &before.3));
    assert_eq!(after.2, 1, "the yield state of the launch");
    assert_eq!(unit.withdraw(3), tokens);
}

/// CX-09: tokens that were spilled come back from memory on the way out, in order, and a parked warp leaves at once.
#[test]
fn cx_09_parked_warps_leave_too() {
    let mut unit = Unit::new();
    unit.launch(1, 0xff, 10, None);
    unit.request(1, Operation::Sleep, Kind::Sync, ALL, 0);
    (0..4).for_each(|_| unit.0.tick());
    assert_eq!((unit.get("warp_ready"), unit.get("warp_running")), (0, 2), "parked");
    assert_eq!(unit.withdraw(1), []);
    assert_eq!(unit.get("warp_running"), 0);
    // The next to run there is not parked.
    unit.launch(1, 0xff, 10, None);
    assert_eq!(unit.issue(1, Operation::Step, Kind::Sync, ALL, 0), 0);
}
