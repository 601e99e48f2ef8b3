//! Answers and wake-ups on their way to the divergence engine.

use std::collections::VecDeque;

use super::flight::{Answer, Flight, Issue};
use super::unit::BarrierUnit;
use crate::assembler::{assemble_instruction, Launch};
use crate::barrier::{BarrierScheduler, Operation, Outputs, Request, Response, Size, Statics, Wake};
use crate::engine::{self, Configuration, Engine, Fetch, Kind, Mask};
use crate::isa::Instruction;
use crate::lanes::Lanes;
use crate::model::DequeModel;
use rstest::rstest;

const TOP: u32 = 5;
const AFTER: u32 = 40;

fn flight(answer: Answer) -> Flight {
    Flight { warp: 0, address: TOP, barrier: 0, after: AFTER, active: 0b1111, exits: 0, parts: VecDeque::new(), answer }
}

/// Carries out steps on an engine whose four threads stand at the top; runs every thread that is not asleep to its EXIT, and tells where each went on.
fn carry_out(steps: VecDeque<engine::Request>, stack_mode: bool) -> (Vec<(u32, Mask)>, Mask) {
    let mut engine = DequeModel::new(Configuration { warps: 1, threads: 4, stack_mode, ..Configuration::default() });
    engine.launch(0, 0b1111, TOP);
    for step in steps {
        assert!(engine.offer(&step));
        engine.tick();
    }
    let asleep = engine.disabled(0, Kind::Barrier);
    let mut places = Vec::new();
    while engine.ready() == 1 {
        let Fetch { address, active } = engine.fetch(0);
        places.push((address, active));
        engine.offer(&engine::Request {
            operation: engine::Operation::Exit,
            mask: active,
            ..engine::Request::nothing(0)
        });
        engine.tick();
    }
    places.sort_unstable();
    (places, asleep)
}

/// SM-07: whatever the scheduler answers, each thread goes where its answer says, and nowhere else; on the plain stack as well, where only a
/// warp that waits as a whole stays.
#[rstest]
fn every_answer_comes_true(#[values(false, true)] stack_mode: bool) {
    for code in 0..256_u32 {
        let mut answer = Answer::default();
        for thread in 0..4 {
            let part = match code >> (2 * thread) & 3 {
                0 => &mut answer.sleep,
                1 => &mut answer.pass,
                2 => &mut answer.skip,
                _ => &mut answer.wait,
            };
            *part |= 1 << thread;
        }
        let (places, asleep) = carry_out(flight(answer).steps(stack_mode), stack_mode);
        let expected: Vec<(u32, Mask)> = [(TOP, answer.wait), (TOP + 1, answer.pass), (AFTER, answer.skip)]
            .into_iter()
            .filter(|(_, threads)| *threads != 0)
            .collect();
        assert_eq!((places, asleep), (expected, answer.sleep), "{answer:?}");
    }
}

/// SM-07: a uniform skip is a branch, a uniform pass a step; neither touches the queue.
#[test]
fn uniform_answers_are_cheap() {
    let operations = |answer| {
        let steps = flight(answer).steps(false);
        steps.iter().map(|step| step.operation).collect::<Vec<_>>()
    };
    assert_eq!(operations(Answer { skip: 0b1111, ..Answer::default() }), [engine::Operation::Branch]);
    assert_eq!(operations(Answer { pass: 0b1111, ..Answer::default() }), [engine::Operation::Step]);
    assert!(flight(Answer { wait: 0b1111, ..Answer::default() }).steps(true).is_empty());
}

/// A scheduler that answers as it is told.
#[derive(Default)]
struct Script {
    offered: Option<Request>,
    outputs: VecDeque<Outputs>,
}

impl BarrierScheduler for Script {
    fn size(&self) -> Size {
        Size { block_threads: 4, ..Size::SMALL }
    }
    fn statics(&self) -> Statics {
        Statics::default()
    }
    fn ready(&self) -> bool {
        true
    }
    fn offer(&mut self, request: Option<Request>) {
        self.offered = request;
    }
    fn wake_ready(&mut self, ready: bool) {
        assert!(ready, "the core takes every wake-up");
    }
    fn tick(&mut self) -> Outputs {
        let request = self.offered.take();
        let mut outputs = self.outputs.pop_front().unwrap_or_default();
        outputs.accepted = request.is_some();
        outputs.response = request.map(|request| match request.operation {
            Operation::Arrive => Response { sleep: request.mask, ..Response::default() },
            _ => Response::default(),
        });
        outputs
    }
}

fn lanes() -> Lanes {
    let launch = Launch {
        parameters: Vec::new(),
        names: Default::default(),
        grid: [1; 3],
        block: [8, 1, 1],
        shared_bytes: 0,
        local_bytes: 0,
        global: Vec::new(),
        sections: Vec::new(),
        predicate: None,
    };
    let mut lanes = Lanes::new(&launch, 1, 8);
    lanes.bind(0, 0, 0);
    lanes
}

fn top() -> Instruction {
    assemble_instruction("BARRIER.CONDITIONAL 1, 6").unwrap_or_else(|errors| panic!("{errors}"))
}

/// SM-07: a block's threads may be woken before the warp's other block is answered; the engine hears of it when it knows that they sleep, and of both
/// blocks' threads at once.
#[test]
fn wake_ups_wait_for_the_sleep() {
    let wake = |block| Some(Wake { cta: 0, block, mask: 0b1111, address: 6, inside: false });
    let outputs = [None, None, wake(0), wake(1)].map(|wake| Outputs { wake, ..Outputs::default() });
    let script = Script { outputs: outputs.into(), ..Script::default() };
    let mut unit = BarrierUnit::new(Box::new(script), 1, 8, false);
    unit.launch(0, 0, vec![0], 8);
    unit.tick(0);
    let instruction = top();
    let issue = Issue { instruction: &instruction, warp: 0, warp_of_cta: 0, cta: 0, address: 5, active: 0xff };
    unit.present(issue, &lanes()).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(unit.presenting(), 1);
    unit.tick(1);
    unit.tick(2);
    assert_eq!((unit.presenting(), unit.parked()), (0, 0), "answered, but the engine does not know yet");
    let sleep = unit.step(0).expect("a step");
    assert_eq!((sleep.operation, sleep.mask), (engine::Operation::Sleep, 0xff));
    unit.tick(3);
    unit.tick(4);
    unit.tick(5);
    assert_eq!(unit.wake(20, 0), None, "nobody sleeps yet");
    unit.stepped(0);
    assert_eq!(unit.wake(20, 1), None, "the warp is not there");
    let wake = unit.wake(20, 0).expect("a wake-up");
    assert_eq!((wake.operation, wake.warp, wake.mask, wake.target), (engine::Operation::Wake, 0, 0xff, 6));
    assert_eq!(unit.wake(20, 0), None);
    assert!(unit.at_rest());
}
