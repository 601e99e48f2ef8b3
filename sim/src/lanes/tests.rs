//! Lanes, instruction by instruction.

use super::*;
use crate::assembler::{assemble, Overrides};
use crate::engine::{Kind, Operation, Request};
use crate::isa::Space;
use rstest::rstest;

const WARP: usize = 1;

/// Two bound warps of `threads` threads over 64 bytes of global, 32 of shared and 16 of local memory.
fn lanes(threads: usize, block: [u32; 3]) -> Lanes {
    let text = ".param unused = 77\n.memory all, 16\n.shared 32\n.local 16\n.grid 3, 2\nEXIT";
    let kernel = assemble(text, "lanes.s").unwrap_or_else(|errors| panic!("{errors:?}"));
    let launch = kernel.launch(&Overrides { block: Some(block), ..Overrides::default() }).expect("it launches");
    let mut lanes = Lanes::new(&launch, 3, threads);
    lanes.bind(0, 4, 0);
    lanes.bind(WARP, 4, 1);
    lanes
}

/// Runs a program without control flow in the threads of a mask; tells what the last instruction did.
fn execute(lanes: &mut Lanes, active: Mask, text: &str) -> Result<LaneResult, LaneFault> {
    let kernel = assemble(text, "test.s").unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)));
    let mut result = LaneResult::default();
    for (pc, instruction) in (0..).zip(&kernel.instructions) {
        result = lanes.execute(instruction, WARP, active, pc)?;
    }
    Ok(result)
}

fn registers(lanes: &Lanes, register: u8) -> Vec<u32> {
    (0..lanes.threads).map(|thread| lanes.register(WARP, thread, register)).collect()
}

fn request(lanes: &Lanes, active: Mask, text: &str) -> Result<Request, LaneFault> {
    let instruction = crate::assembler::assemble_instruction(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    lanes.request(&instruction, WARP, active, 0x10)
}

/// IS-01: only active threads whose guard holds write; RZ and PT do not change.
#[test]
fn guards_and_constants() {
    let mut lanes = lanes(4, [8, 1, 1]);
    let text = "S2R R1, %lane\nISETP.LT.U P0, R1, 2\nMOV RZ, 9\nISETP.NE.U PT, RZ, RZ\n@P0 MOV R2, 5\n@!P0 MOV R2, 6";
    let result = execute(&mut lanes, 0b1101, text).expect("no fault");
    assert_eq!(result.executed, 0b1100);
    assert_eq!(registers(&lanes, 1), [0, 0, 2, 3]);
    assert_eq!(registers(&lanes, 2), [5, 0, 6, 6]);
    assert_eq!(registers(&lanes, ALWAYS_ZERO), [0; 4]);
    assert_eq!(lanes.holding(Guard::ALWAYS, WARP, 0b1111), 0b1111);
}

/// IS-03: special registers tell each thread who it is, in a block of three dimensions and the second warp of it.
#[test]
fn special_registers() {
    let mut lanes = lanes(4, [3, 2, 2]);
    let names = Special::ALL.map(|(_, name)| name);
    let text: String = (1..).zip(names).map(|(register, name)| format!("S2R R{register}, {name}\n")).collect();
    execute(&mut lanes, 0b1111, &text).expect("no fault");
    let value = |name: &str, thread| {
        let register = names.iter().position(|other| *other == name).expect("it exists") + 1;
        lanes.register(WARP, thread, register as u8)
    };
    // Thread 2 of warp 1 has rank 6: x = 0, y = 0, z = 1. CTA 4 of a grid of 3 by 2 is (1, 1, 0).
    let found = names.map(|name| value(name, 2));
    assert_eq!(found, [2, 1, 0, 0, 1, 1, 1, 0, 6, 3, 2, 2, 3, 2, 1, 4, 12]);
}

/// SM-08: of several lanes that store to one address, the highest stays; a lane that takes no part does not count.
#[test]
fn highest_lane_wins() {
    let mut lanes = lanes(4, [8, 1, 1]);
    let result =
        execute(&mut lanes, 0b0111, "S2R R1, %lane\nIADD R1, R1, 40\nST.GLOBAL.W [RZ + 8], R1").expect("no fault");
    assert_eq!(lanes.global()[8..12], [42, 0, 0, 0]);
    assert_eq!(result.access, Some(MemoryAccess { space: Space::Global, address: 8, changed: true }));
    let again = execute(&mut lanes, 0b0100, "ST.GLOBAL.W [RZ + 8], R1").expect("no fault");
    assert!(!again.access.expect("it accessed").changed, "the same value again changes nothing");
}

/// SM-08: atomics of one instruction take effect lane after lane; each lane gets the value that it found.
#[test]
fn atomics_follow_the_lanes() {
    let mut lanes = lanes(4, [8, 1, 1]);
    execute(&mut lanes, 0b1011, "S2R R1, %lane\nIADD R1, R1, 1\nATOM.GLOBAL.ADD R2, [RZ + 4], R1").expect("no fault");
    assert_eq!(registers(&lanes, 2), [0, 1, 0, 3]);
    assert_eq!(lanes.global()[4], 7);
    execute(&mut lanes, 0b1111, "MOV R3, 9\nMOV R4, 7\nMOV R5, 4\nATOM.GLOBAL.CAS R6, [R5], R4, R3").expect("no fault");
    assert_eq!(registers(&lanes, 6), [7, 9, 9, 9], "the first one swaps, the others find its value");
    execute(&mut lanes, 0b1111, "ATOM.SHARED.EXCH R7, [RZ], R1").expect("no fault");
    assert_eq!(lanes.shared(4).expect("it is bound")[0], 4);
}

/// IS-03: bytes and halves, with and without sign, in every space; spaces are apart; local memory is each thread's own.
#[test]
fn widths_and_spaces() {
    let mut lanes = lanes(4, [8, 1, 1]);
    let text =
        "S2R R1, %lane\nMOV R2, 0x1234ff80\nST.GLOBAL.W [RZ], R2\nLD.GLOBAL.UB R3, [RZ]\nLD.GLOBAL.SB R4, [RZ]\n\
                LD.GLOBAL.UH R5, [RZ]\nLD.GLOBAL.SH R6, [RZ]\nLD.SHARED.W R7, [RZ]\nST.LOCAL.H [RZ + 2], R1\n\
                LD.LOCAL.W R8, [RZ]\nST.SHARED.B [R1 + 4], R2";
    execute(&mut lanes, 0b1111, text).expect("no fault");
    let of = |register| lanes.register(WARP, 0, register);
    assert_eq!([of(3), of(4), of(5), of(6), of(7)], [0x80, 0xffff_ff80, 0xff80, 0xffff_ff80, 0]);
    assert_eq!(registers(&lanes, 8), [0, 1 << 16, 2 << 16, 3 << 16]);
    assert_eq!(lanes.shared(4).expect("bound")[4..8], [0x80; 4]);
}

/// SM-08: a bad access is an error that names thread, PC and address, and leaves memory as it was.
#[rstest]
#[case("ST.GLOBAL.W [R1], R2", 64, "warp 1, lane 2), PC 0x2", "0x40, which ends at 0x40")]
#[case("LD.GLOBAL.W R2, [R1 + 1]", 4, "lane 2), PC 0x2", "0x5, which is misaligned")]
#[case("ATOM.SHARED.ADD R2, [R1 + 2], R2", 0, "lane 2), PC 0x2", "shared memory at 0x2, which is misaligned")]
#[case("LD.LOCAL.UH R2, [R1]", 15, "lane 2), PC 0x2", "local memory at 0xf, which ends at 0x10")]
#[case("LD.SHARED.UB R2, [R1]", u32::MAX, "lane 2), PC 0x2", "0xffffffff, which ends at 0x20")]
fn bad_accesses(#[case] access: &str, #[case] address: u32, #[case] who: &str, #[case] what: &str) {
    let mut lanes = lanes(4, [8, 1, 1]);
    let before = lanes.global().to_vec();
    let fault = execute(&mut lanes, 0b1100, &format!("MOV R1, {address}\nMOV R2, 255\n{access}")).expect_err("a fault");
    let message = fault.to_string();
    assert!(message.contains("CTA 4, thread 6") && message.contains(who) && message.contains(what), "{message}");
    assert_eq!(lanes.global(), before);
    assert_eq!(fault.place().thread, 2);
}

/// IS-03: votes and shuffles see the threads that execute, and no others.
#[test]
fn votes_and_shuffles() {
    let mut lanes = lanes(4, [8, 1, 1]);
    let text = "S2R R1, %lane\nISETP.GE.U P0, R1, 2\nVOTE.ALL P1, P0\nVOTE.ANY P2, P0\nVOTE.BALLOT R2, !P0\n\
                IADD R3, R1, 10\nSHFL.UP R4, R3, 1\nSHFL.DOWN R5, R3, 1\nSHFL.XOR R6, R3, 3\nSHFL.INDEX R7, R3, 2";
    execute(&mut lanes, 0b1101, text).expect("no fault");
    assert_eq!(lanes.holding(Guard { predicate: 1, negate: false }, WARP, 0b1111), 0);
    assert_eq!(lanes.holding(Guard { predicate: 2, negate: false }, WARP, 0b1111), 0b1101);
    assert_eq!(registers(&lanes, 2), [1, 0, 1, 1]);
    assert_eq!(registers(&lanes, 4), [10, 0, 12, 12], "thread 2 would read thread 1, which takes no part");
    assert_eq!(registers(&lanes, 5), [10, 0, 13, 13]);
    assert_eq!(registers(&lanes, 6), [13, 0, 12, 10]);
    assert_eq!(registers(&lanes, 7), [12, 0, 12, 12]);
    let mut wide = self::lanes(64, [128, 1, 1]);
    execute(&mut wide, Mask::MAX, "S2R R1, %lane\nISETP.EQ.U P0, R1, 40\nVOTE.BALLOT.HIGH R2, P0").expect("no fault");
    assert_eq!(wide.register(WARP, 63, 2), 1 << 8);
}

/// IS-02: each control instruction asks the engine for what chapter 1 says it does.
#[rstest]
#[case("SSY 5", Operation::Push, Some(Kind::Sync), 0b1111, 5, false)]
#[case("PLONGJMP 5", Operation::Push, Some(Kind::LongJump), 0b1111, 5, false)]
#[case("@P0 SYNC 5", Operation::Leave, Some(Kind::Sync), 0b0011, 5, true)]
#[case("@!P0 BRK 5", Operation::Leave, Some(Kind::Break), 0b1100, 5, true)]
#[case("CONT 5", Operation::Leave, Some(Kind::Continue), 0b1111, 5, true)]
#[case("RET", Operation::Leave, Some(Kind::Call), 0b1111, 0, false)]
#[case("LONGJMP", Operation::Leave, Some(Kind::LongJump), 0b1111, 0, false)]
#[case("EXIT 5", Operation::Leave, Some(Kind::Exit), 0b1111, 5, true)]
#[case("@P0 EXIT", Operation::Exit, None, 0b0011, 0, false)]
#[case("@P0 BRA 5", Operation::Branch, None, 0b0011, 5, false)]
#[case("JMP 5", Operation::Branch, None, 0b1111, 5, false)]
#[case("@P0 CAL 5, R9", Operation::Call, None, 0b0011, 5, false)]
#[case("@P0 YIELD", Operation::Yield, None, 0b0011, 0, false)]
#[case("IADD R1, R1, 1", Operation::Step, None, 0b1111, 0, false)]
fn requests(
    #[case] text: &str,
    #[case] operation: Operation,
    #[case] kind: Option<Kind>,
    #[case] mask: Mask,
    #[case] target: u32,
    #[case] targeted: bool,
) {
    let mut lanes = lanes(4, [8, 1, 1]);
    execute(&mut lanes, 0b1111, "S2R R1, %lane\nISETP.LT.U P0, R1, 2").expect("no fault");
    let expected = Request { warp: WARP, operation, kind, mask, target, targeted, again: false };
    assert_eq!(request(&lanes, 0b1111, text), Ok(expected));
}

/// IS-02, DQ-23, DQ-29: register targets name one group at a time; RET and LONGJMP say whether more follow.
#[test]
fn groups_by_register() {
    let mut lanes = lanes(4, [8, 1, 1]);
    execute(&mut lanes, 0b1111, "S2R R1, %lane\nSHR.U R1, R1, 1\nIADD R1, R1, 7").expect("no fault");
    let indirect = |mask, target| Request {
        warp: WARP,
        operation: Operation::Indirect,
        kind: None,
        mask,
        target,
        targeted: false,
        again: false,
    };
    assert_eq!(request(&lanes, 0b1111, "BRX R1, 0x20"), Ok(indirect(0b0011, 0x27)));
    assert_eq!(request(&lanes, 0b1100, "JMX R1"), Ok(indirect(0b1100, 8)));
    let first = request(&lanes, 0b1110, "RET R1").expect("no fault");
    assert_eq!((first.mask, first.target, first.targeted, first.again), (0b0010, 7, true, true));
    let last = request(&lanes, 0b1100, "LONGJMP R1").expect("no fault");
    assert_eq!((last.mask, last.target, last.kind, last.again), (0b1100, 8, Some(Kind::LongJump), false));
    assert_eq!(request(&lanes, 0b1111, "@!PT BRX R1, 0x20").map(|request| request.mask), Ok(0));
    let fault = request(&lanes, 0b1000, "BRX R1, 0x3fffff").expect_err("beyond the last address");
    assert!(fault.to_string().contains("lane 3), PC 0x10") && fault.to_string().contains("0x400007"), "{fault}");
}

/// DQ-21: CAL writes the return address to its link register, in the threads that it calls for.
#[test]
fn call_links() {
    let mut lanes = lanes(4, [8, 1, 1]);
    execute(&mut lanes, 0b1111, "S2R R1, %lane\nISETP.LT.U P0, R1, 2\n@P0 CAL 0, R9\nCAL 0").expect("no fault");
    assert_eq!(registers(&lanes, 9), [3, 3, 0, 0]);
}

/// IS-02: a barrier form is a clear error where no barrier scheduler is there to run it; the mark of a conditional bottom needs none.
#[test]
fn barriers_need_their_scheduler() {
    let mut lanes = lanes(4, [8, 1, 1]);
    let fault = request(&lanes, 0b0100, "ARRIVE 3").expect_err("not executed");
    assert!(fault.to_string().contains("`ARRIVE 3` needs a barrier scheduler"), "{fault}");
    assert_eq!(execute(&mut lanes, 0b0100, "ARRIVE 3").expect_err("not executed").place().thread, 2);
    let mark = request(&lanes, 0b0100, "BARRIER.BOTTOM.CONDITIONAL 3").expect("a step");
    assert_eq!((mark.operation, mark.mask), (Operation::Step, 0b0100));
    execute(&mut lanes, 0b0100, "BARRIER.BOTTOM.CONDITIONAL 3").expect("nothing to do");
}

/// SM-09: PARAM reads parameters and section addresses; one that does not exist is an error.
#[test]
fn parameters() {
    let mut lanes = lanes(4, [8, 1, 1]);
    execute(&mut lanes, 0b1111, "PARAM R1, 0\nPARAM R2, 1").expect("no fault");
    assert_eq!((lanes.register(WARP, 3, 1), lanes.register(WARP, 3, 2)), (77, 0));
    assert!(matches!(execute(&mut lanes, 1, "PARAM R1, 2"), Err(LaneFault::Parameter { index: 2, count: 2, .. })));
}

/// SM-08: warps of a CTA share its memory, which is fresh for the next CTA; a bind clears registers and local memory.
#[test]
fn binding() {
    let mut lanes = lanes(4, [6, 1, 1]);
    assert_eq!(lanes.bind(2, 5, 1), 0b0011, "a block of 6 has two threads in its second warp of 4");
    execute(&mut lanes, 0b0011, "MOV R1, 5\nST.SHARED.W [RZ], R1\nST.LOCAL.W [RZ], R1").expect("no fault");
    assert_eq!(lanes.shared(5).expect("bound")[0], 0, "another CTA");
    lanes.release(0);
    assert_eq!(lanes.shared(4).expect("one warp is left")[0], 5);
    lanes.release(WARP);
    assert_eq!(lanes.shared(4), None);
    lanes.bind(WARP, 4, 1);
    assert_eq!(lanes.shared(4).expect("bound")[0], 0);
    execute(&mut lanes, 0b0011, "LD.LOCAL.W R2, [RZ]").expect("no fault");
    assert_eq!((registers(&lanes, 1), registers(&lanes, 2)), (vec![0; 4], vec![0; 4]));
}
