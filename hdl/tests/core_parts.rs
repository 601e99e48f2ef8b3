//! The queues of the control core against plain lists, under random traffic, and how large a block may be (SM-03, SM-07).

use heddle_hdl::clocked::Clocked;
use heddle_hdl::core::barrier_answers::BarrierAnswers;
use heddle_hdl::core::barrier_queue::{BarrierQueue, Origin};
use heddle_hdl::core::cta_slots::CtaSlots;
use heddle_hdl::core::instruction_decoder::InstructionDecoder;
use heddle_hdl::core::launch_queue::LaunchQueue;
use heddle_hdl::core::wake_queue::WakeQueue;
use heddle_hdl::divergence::token::{Kind, Operation};
use heddle_hdl::isa::{BarrierOpcode, ControlOpcode, ADDRESS, FIRST_DATA_OPCODE, OPCODE, OPTIONAL_FLAG};
use heddle_hdl::part::Part;
use heddle_hdl::ports::Ports;
use heddle_hdl::simulation::index_of;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::core::prelude::Block;
use std::collections::VecDeque;

/// A block after a cycle of reset.
fn reset<B: Ports>(block: B) -> Clocked<B> {
    let mut clocked = Clocked::new(block);
    let reset = clocked.port("reset");
    clocked.set(reset, 1);
    clocked.tick();
    clocked.set(reset, 0);
    clocked
}

fn set<B: Ports>(block: &mut Clocked<B>, port: &str, value: u128) {
    let port = block.port(port);
    block.set(port, value);
}

fn get<B: Ports>(block: &mut Clocked<B>, port: &str) -> u128 {
    let port = block.port(port);
    block.get(port)
}

/// SM-03: launches leave in their order, each once, in the cycle of their entry if nobody waits.
#[test]
fn sm_03_launches_keep_their_order() {
    let mut queue = reset(LaunchQueue::<2, 3, 8>::default());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut list: VecDeque<u128> = VecDeque::new();
    let mut passed = 0;
    for _ in 0..5000 {
        let enters = list.len() < 4 && random.random_bool(0.5);
        let data = random.random_range(0..256);
        let ready = random.random_bool(0.5);
        for (port, value) in [("enter_valid", enters.into()), ("enter_data", data), ("leave_ready", ready.into())] {
            set(&mut queue, port, value);
        }
        passed += u32::from(enters && ready && list.is_empty());
        list.extend(enters.then_some(data));
        assert_eq!(get(&mut queue, "leave_valid") == 1, !list.is_empty());
        if let Some(front) = list.front().copied() {
            assert_eq!(get(&mut queue, "leave_data"), front);
            if ready {
                list.pop_front();
            }
        }
        queue.tick();
    }
    assert!(passed > 100);
}

/// SM-03: a block is taken if it has no more threads than the core, up to the largest number that the port can say.
#[test]
fn sm_03_a_block_larger_than_the_core_waits() {
    let mut slots = reset(CtaSlots::<4, 2, 3, 32, 5, 28, 84>::default());
    for (port, value) in [("warp_enable", 0xf), ("block_valid", 1)] {
        set(&mut slots, port, value);
    }
    for threads in 1..4096 {
        set(&mut slots, "block_threads", threads);
        assert_eq!(get(&mut slots, "block_ready") == 1, threads <= 4 * 32, "{threads} threads");
    }
}

/// SM-07, BR-05: whoever asks the barrier scheduler is served in order; of one cycle: refused ends, ends, launches, warps.
#[test]
fn sm_07_first_come_first_served() {
    const ENTRIES: usize = 8;
    let mut queue = reset(BarrierQueue::<2, ENTRIES, { ENTRIES + 1 }, 4, 4>::default());
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut list: VecDeque<(u128, u128)> = VecDeque::new();
    let mut fullest = 0;
    for _ in 0..10_000 {
        let entries = [
            ("again_valid", "again_slot", Origin::End),
            ("end_valid", "end_slot", Origin::End),
            ("launch_valid", "launch_slot", Origin::Launch),
            ("present_valid", "present_warp", Origin::Warp),
        ];
        let alone = list.is_empty();
        let mut new = 0;
        for (valid, index, origin) in entries {
            let enters = list.len() < ENTRIES && random.random_bool(0.2);
            let which = random.random_range(0..4);
            set(&mut queue, valid, enters.into());
            set(&mut queue, index, which);
            if enters {
                list.push_back((origin as u128, which));
                new += 1;
            }
        }
        fullest = fullest.max(list.len());
        assert_eq!(get(&mut queue, "front_valid") == 1, !list.is_empty());
        let leaves = !list.is_empty() && random.random_bool(0.7);
        set(&mut queue, "leave", leaves.into());
        if let Some(front) = list.front() {
            assert_eq!((get(&mut queue, "front_origin"), get(&mut queue, "front_index")), *front);
            let newcomer = alone && new == 1 && front.0 == Origin::Warp as u128;
            assert_eq!(get(&mut queue, "front_new") == 1, newcomer);
            if leaves {
                list.pop_front();
            }
        }
        queue.tick();
    }
    assert_eq!(fullest, ENTRIES);
}

/// SM-07, BR-19: an instruction of two requests lands with the second answer, as both said; if one of them was wrong it never does, whichever that was.
#[test]
fn br_19_an_instruction_in_error_never_lands() {
    let mut answers = reset(BarrierAnswers::<2, 32, 16>::default());
    for wrong in [None, Some(0), Some(1)] {
        for request in 0..3 {
            // The requests of two edges, and the answer to each in the cycle behind.
            for (port, value) in [
                ("accepted", u128::from(request < 2)),
                ("asked_index", 3),
                ("asked_first", u128::from(request == 0)),
                ("asked_last", u128::from(request == 1)),
                ("asked_down", 16 * request),
                ("asked_threads", 0xffff << (16 * (request % 2))),
                ("asked_active", 0xffff_ffff),
                ("response_valid", u128::from(request > 0)),
                ("response_sleep", 0xf),
                ("response_error", u128::from(request > 0 && wrong == Some(request - 1))),
            ] {
                set(&mut answers, port, value);
            }
            assert_eq!(get(&mut answers, "land_valid") == 1, request == 2 && wrong.is_none(), "{wrong:?} {request}");
            if request == 2 && wrong.is_none() {
                assert_eq!((get(&mut answers, "land_warp"), get(&mut answers, "land_sleep")), (3, 0x000f_000f));
            }
            answers.tick();
        }
    }
}

/// A wake-up in the list: warp, threads, address, inside, the first cycle in which it may go.
#[derive(Clone, Copy, Debug)]
struct Waking(u128, u128, u128, bool, u64);

/// SM-07: wake-ups of a warp keep their order; whoever goes on at one address joins the set that waits; the others of a blocked warp let others pass.
#[test]
fn sm_07_wakeups_join_and_pass() {
    const ENTRIES: usize = 4;
    let mut queue = reset(WakeQueue::<4, 2, 8, 4, ENTRIES, { ENTRIES + 1 }, 3>::default());
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut list: Vec<Waking> = Vec::new();
    let (mut joined, mut passed, mut refused) = (0, 0, 0);
    for cycle in 0..20_000_u64 {
        let blocked = random.random_range(0..16) & random.random_range(0..16);
        let enters = random.random_bool(0.6);
        let (warp, mask, address) = (random.random_range(0..4), random.random_range(1..256), random.random_range(0..2));
        let inside = random.random_bool(0.2);
        let alone = inside || random.random_bool(0.3);
        for (port, value) in [
            ("blocked", blocked),
            ("enter_valid", enters.into()),
            ("enter_warp", warp),
            ("enter_mask", mask),
            ("enter_address", address),
            ("enter_inside", inside.into()),
            ("enter_alone", alone.into()),
        ] {
            set(&mut queue, port, value);
        }
        let able = list.iter().position(|waking| waking.4 <= cycle && blocked >> waking.0 & 1 == 0);
        assert_eq!(get(&mut queue, "leave_valid") == 1, able.is_some(), "cycle {cycle}: {list:?}");
        assert_eq!(get(&mut queue, "empty") == 1, list.is_empty());
        let taken = able.is_some() && random.random_bool(0.8);
        set(&mut queue, "leave_taken", taken.into());
        if let Some(place) = able {
            let Waking(warp, mask, address, ..) = list[place];
            let shown = ["leave_warp", "leave_mask", "leave_address"].map(|port| get(&mut queue, port));
            assert_eq!(shown, [warp, mask, address], "cycle {cycle}");
            if taken {
                list.remove(place);
                passed += u32::from(place > 0);
            }
        }
        let room = list.len() < ENTRIES;
        assert_eq!(get(&mut queue, "enter_ready") == 1, room);
        refused += u32::from(enters && !room);
        if enters && room {
            let joins = |other: &&mut Waking| other.0 == warp && other.2 == address && !other.3 && !inside;
            match list.iter_mut().find(joins) {
                Some(other) => {
                    other.1 |= mask;
                    joined += 1;
                }
                None => list.push(Waking(warp, mask, address, inside, cycle + 1 + u64::from(!alone))),
            }
        }
        queue.tick();
    }
    assert!(joined > 1000 && passed > 1000 && refused > 100, "{joined} {passed} {refused}");
}

/// What the decoder makes of a word: operation, kind, mask, target, targeted, again, control, barrier, plain exit.
fn decoded(word: u64) -> [u128; 9] {
    type Decoder = InstructionDecoder<8, 22>;
    let index = |name: &str| index_of(&Decoder::ports(), name);
    let mut decoder = Box::new(Decoder::default());
    decoder.connect_all();
    for (port, value) in
        [("word", word.into()), ("active", 0xf7), ("named", 0xf0), ("agreeing", 0x50), ("register_target", 77)]
    {
        Ports::set(&mut *decoder, index(port), value);
    }
    decoder.settle();
    ["operation", "kind", "mask", "target", "targeted", "again", "control", "barrier", "plain_exit"]
        .map(|port| Ports::get(&*decoder, index(port)))
}

/// IS-02, DQ-20 to DQ-31: each control instruction asks for what the table of opcodes says, of the threads and with the address that its form has.
#[test]
fn is_02_control_instructions() {
    for opcode in ControlOpcode::ALL {
        for optional in [false, true] {
            let word = OPCODE.place(opcode.code().into()) | OPTIONAL_FLAG.place(optional.into()) | ADDRESS.place(1234);
            let [operation, kind, mask, target, targeted, again, control, barrier, plain_exit] = decoded(word);
            let exits = opcode == ControlOpcode::Exit;
            let expected = if exits && optional { Operation::Leave } else { opcode.operation() };
            assert_eq!((operation, control, barrier), (expected as u128, 1, 0), "{opcode:?}");
            assert_eq!(plain_exit == 1, exits && !optional);
            let leaves = expected == Operation::Leave;
            let names_kind = leaves || expected == Operation::Push;
            assert_eq!(kind, if names_kind { opcode.kind().map_or(0, Kind::code).into() } else { 0 }, "{opcode:?}");
            let returns = matches!(opcode, ControlOpcode::Ret | ControlOpcode::Longjmp);
            let by_register = expected == Operation::Indirect || returns && optional;
            assert_eq!((mask, target), if by_register { (0x50, 77) } else { (0xf0, 1234) }, "{opcode:?}");
            assert_eq!(targeted == 1, leaves && (!returns || optional), "{opcode:?}");
            assert_eq!(again == 1, returns && optional, "{opcode:?}");
        }
    }
}

/// IS-02: barrier forms are told apart from the mark at the bottom of a conditional barrier; that, and everything that is no control flow, steps.
#[test]
fn is_02_other_instructions() {
    let codes = BarrierOpcode::ALL.map(BarrierOpcode::code).into_iter().chain([0, FIRST_DATA_OPCODE, 0xff]);
    for code in codes {
        let barrier = BarrierOpcode::ALL.iter().any(|opcode| opcode.code() == code)
            && code != BarrierOpcode::ConditionalBottom.code();
        let word = OPCODE.place(code.into()) | ADDRESS.place(9);
        assert_eq!(decoded(word), [0, 0, 0xf7, 0, 0, 0, 0, barrier.into(), 0], "{code:#x}");
    }
}
