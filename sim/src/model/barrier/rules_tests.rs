//! What chapter 2 states of single barriers, on the automaton: each test would fail if that behaviour broke.

use super::{Answer, Automaton, Step};
use crate::barrier::{
    launch_data, phase_data, Configuration, ErrorCause, Event, Key, LateMode, Operation, Request, Response, Size,
    Statics, TimeoutEvent, Wake,
};

const SIZE: Size = Size { ctas: 2, barriers: 4, blocks: 2, block_threads: 4, slots: 2 };
const TAG: u32 = 0x100;
const AFTER: u32 = 0x140;

/// A conditional top of CTA 0, block 0.
fn top(barrier: usize, mask: u64, participants: u64) -> Request {
    let operation = Operation::Arrive;
    Request { operation, barrier, mask, participants, tag: TAG, after: AFTER, ..Request::default() }
}

/// An ordered blocking section.
fn section(barrier: usize, mask: u64, participants: u64) -> Request {
    Request { critical: true, ordered: true, blocking: true, ..top(barrier, mask, participants) }
}

fn impatient(request: Request) -> Request {
    Request { impatient: true, ..request }
}

fn simple(operation: Operation, barrier: usize, mask: u64) -> Request {
    Request { operation, barrier, mask, ..Request::default() }
}

fn in_block(block: usize, request: Request) -> Request {
    Request { block, ..request }
}

fn key(barrier: usize) -> Key {
    Key { cta: 0, barrier }
}

/// CTA 0 with `threads` threads and its blocks in reverse; all ids configured alike.
fn bench(threads: usize, configuration: Configuration) -> Automaton {
    bench_with(threads, configuration, Statics::default())
}

fn bench_with(threads: usize, configuration: Configuration, statics: Statics) -> Automaton {
    let mut model = Automaton::new(SIZE, statics);
    let data = launch_data(&SIZE, threads, &[1, 0]);
    model.request(&Request { data, ..simple(Operation::Launch, 0, 0) });
    for barrier in 0..SIZE.barriers {
        assert_eq!(configure(&mut model, barrier, configuration).response, Response::default());
    }
    model
}

fn configure(model: &mut Automaton, barrier: usize, configuration: Configuration) -> Answer {
    model.request(&Request { data: configuration.word(), ..simple(Operation::Configure, barrier, 0) })
}

fn condition(condition: u8, reference: u16) -> Configuration {
    Configuration { condition, reference, minimum: 1, timeout: 10, ..Configuration::default() }
}

/// Takes first steps until none is enabled; the wake-ups.
fn settle(model: &mut Automaton) -> Vec<Wake> {
    let mut wakes = Vec::new();
    while let Some(step) = model.enabled().first().copied() {
        wakes.extend(model.take(&step).unwrap().wake);
    }
    wakes
}

fn cause(answer: &Answer) -> Option<ErrorCause> {
    answer.response.error.map(|report| report.cause)
}

fn wait(model: &mut Automaton, cycles: u64) {
    (0..cycles).for_each(|_| model.tick());
}

/// BR-02, BR-31: a section runs its threads in logical order, named by physical block and offset; BR-32: blocking, all wake together.
#[test]
fn br_02_31_32_logical_order_and_blocking_bottom() {
    let mut model = bench(8, condition(1, 0));
    model.request(&section(0, 0b1111, 0b0101));
    model.request(&in_block(1, section(0, 0b1111, 0b1010)));
    let mut order = Vec::new();
    for _ in 0..4 {
        let wakes = settle(&mut model);
        let [wake] = wakes[..] else { panic!("{wakes:?}") };
        assert!(wake.inside && wake.address == TAG + 1);
        order.push((wake.block, wake.mask));
        let bottom = model.request(&in_block(wake.block, simple(Operation::Bottom, 0, wake.mask)));
        assert_eq!(bottom.response.sleep, wake.mask);
    }
    assert_eq!(order, [(1, 0b10), (1, 0b1000), (0, 0b1), (0, 0b100)]);
    let wakes: Vec<_> =
        settle(&mut model).iter().map(|wake| (wake.block, wake.mask, wake.address, wake.inside)).collect();
    assert_eq!(wakes, [(1, 0b1010, AFTER, false), (0, 0b101, AFTER, false)]);
}

/// BR-04: barrier id 0 is a barrier like any other: its sleepers are woken.
#[test]
fn br_04_id_0_is_real() {
    let mut model = bench(1, condition(1, 0));
    let answer = model.request(&in_block(1, top(0, 1, 1)));
    assert_eq!((answer.response.sleep, answer.events), (1, vec![Event::Released(key(0), false)]));
    assert_eq!(settle(&mut model).len(), 1);
}

/// BR-05: a partial last block is legal: 5 threads, and condition 1 wants exactly those; launch clears what was there before.
#[test]
fn br_05_partial_block_launch_and_retire() {
    let mut model = bench(5, condition(1, 0));
    assert!(model.request(&in_block(1, top(2, 0b1111, 0b1111))).events.is_empty());
    assert!(model.request(&simple(Operation::Retire, 0, 0)).response.refused);
    assert_eq!(model.request(&in_block(0, top(2, 1, 1))).events, [Event::Released(key(2), false)]);
    assert!(model.request(&simple(Operation::Retire, 0, 0)).response.refused, "wake-ups are under way");
    settle(&mut model);
    assert!(!model.request(&simple(Operation::Retire, 0, 0)).response.refused);
    assert_eq!(cause(&model.request(&simple(Operation::Reset, 2, 0))), Some(ErrorCause::Illegal));
    model.request(&Request { data: launch_data(&SIZE, 1, &[0]), ..simple(Operation::Launch, 0, 0) });
    assert!(!model.barrier(key(2)).phase);
    assert_eq!(model.barrier(key(2)).configuration, Configuration::default());
}

/// BR-05, BR-06: attributes are fixed from idle to static: others under the same tag are an error, another configuration has to wait.
#[test]
fn br_05_06_attributes_are_fixed() {
    let mut model = bench(8, condition(1, 0));
    model.request(&top(1, 1, 1));
    let before = model.clone();
    assert_eq!(cause(&model.request(&Request { exclusive: true, ..top(1, 2, 2) })), Some(ErrorCause::Differs));
    assert_eq!(cause(&model.request(&Request { after: AFTER + 1, ..top(1, 2, 2) })), Some(ErrorCause::Differs));
    assert!(configure(&mut model, 1, condition(2, 3)).response.refused);
    assert!(!configure(&mut model, 1, condition(1, 0)).response.refused);
    assert_eq!(model, before);
}

/// BR-06, BR-19: a bottom outside and a top inside are precise errors that name thread, ids and addresses.
#[test]
fn br_06_19_bottom_outside_and_top_inside() {
    let mut model = bench(1, condition(1, 0));
    assert_eq!(cause(&model.request(&in_block(1, simple(Operation::Bottom, 0, 1)))), Some(ErrorCause::NotInside));
    model.request(&in_block(1, section(3, 1, 1)));
    settle(&mut model);
    let before = model.clone();
    let nested = model.request(&in_block(1, Request { tag: 0x999, ..section(2, 1, 1) })).response.error.unwrap();
    assert_eq!((nested.cause, nested.block, nested.offset), (ErrorCause::Nested, 1, 0));
    assert_eq!((nested.barrier, nested.address, nested.other), (2, 0x999, Some((3, TAG))));
    assert_eq!(cause(&model.request(&in_block(1, simple(Operation::Bottom, 2, 1)))), Some(ErrorCause::NotInside));
    assert_eq!(model, before);
}

/// BR-10, BR-11: participants sleep, non-participants go on behind the bottom; the first arrival makes the barrier static.
#[test]
fn br_10_11_participants_sleep_others_go_on() {
    let mut model = bench(8, condition(1, 0));
    let response = model.request(&section(1, 0b1110, 0b0110)).response;
    assert_eq!((response.sleep, response.skip, response.pass, response.wait), (0b0110, 0b1000, 0, 0));
    assert_eq!(model.barrier(key(1)).tag, Some(TAG));
    assert!(settle(&mut model).is_empty());
}

/// BR-12: conditions 2 and 3 at the reference or above it, since a block arrives at once; 2 counts everybody, 3 participants.
#[test]
fn br_12_references_are_reached_or_passed() {
    for (number, participants, completes) in [(2, 0b0001, true), (3, 0b0111, true), (3, 0b0011, false)] {
        let mut model = bench(8, condition(number, 3));
        let answer = model.request(&top(1, 0b1111, participants));
        assert_eq!(!answer.events.is_empty(), completes, "condition {number}, {participants:b}");
    }
}

/// BR-12, BR-13: condition 5 is complete at the minimum, 4 only at the reference or by the timeout.
#[test]
fn br_12_minimum_counts_under_5_only() {
    for (number, completes) in [(4, false), (5, true)] {
        let mut model = bench(8, Configuration { minimum: 2, ..condition(number, 4) });
        let answer = model.request(&impatient(top(1, 0b11, 0b11)));
        assert_eq!(!answer.events.is_empty(), completes);
        wait(&mut model, 9);
        assert!(!model.is_enabled(&Step::Timeout(key(1))));
        wait(&mut model, 1);
        assert_eq!(model.is_enabled(&Step::Timeout(key(1))), !completes);
    }
}

/// BR-13: the four events from which a timeout counts; an `x` is a non-participant's arrival, a `p` a participant's, 4 cycles apart.
#[test]
fn br_13_timeout_references() {
    let due = |event, arrivals: &str| {
        let mut model = bench(8, Configuration { event, ..condition(4, 100) });
        for (place, arrival) in arrivals.chars().enumerate() {
            let mask = 1 << place;
            model.request(&impatient(top(1, mask, if arrival == 'p' { mask } else { 0 })));
            wait(&mut model, 4);
        }
        model.barrier(key(1)).deadline.map(|deadline| deadline - 10)
    };
    assert_eq!(due(TimeoutEvent::FirstParticipating, "xppx"), Some(4));
    assert_eq!(due(TimeoutEvent::FirstOfAny, "xppx"), Some(0));
    assert_eq!(due(TimeoutEvent::LatestParticipating, "xppx"), Some(8));
    assert_eq!(due(TimeoutEvent::LatestOfAny, "xppx"), Some(12));
    assert_eq!(due(TimeoutEvent::FirstParticipating, "xx"), None);
}

/// BR-13: a completion without participants turns idle: no slot, no message, no phase.
#[test]
fn br_13_nobody_takes_part() {
    let mut model = bench(2, condition(1, 0));
    let answer = model.request(&in_block(1, section(1, 0b11, 0)));
    assert_eq!((answer.response.skip, answer.events.len()), (0b11, 0));
    assert_eq!(model.barrier(key(1)).state, super::state::State::Idle);
    assert!(!model.barrier(key(1)).phase && model.enabled().is_empty());
}

/// BR-14: one exit completes several barriers, lowest id first.
#[test]
fn br_14_lowest_id_first() {
    let mut model = bench(4, condition(1, 0));
    for (barrier, passes_by) in [(3, 0b011), (2, 0b101), (0, 0b110)] {
        model.request(&in_block(1, section(barrier, passes_by, 0)));
    }
    for (barrier, sleeps) in [(3, 0b100), (2, 0b010), (0, 0b001)] {
        model.request(&in_block(1, section(barrier, sleeps, sleeps)));
    }
    let answer = model.request(&in_block(1, simple(Operation::Exit, 0, 0b1000)));
    assert_eq!(answer.events, [0, 2, 3].map(|barrier| Event::Dynamic(key(barrier))));
}

/// BR-15, BR-17: an id in use under another tag makes arrivals that count wait; who does not count goes on.
#[test]
fn br_15_17_another_tag_waits() {
    let mut model = bench(8, condition(3, 4));
    model.request(&top(1, 1, 1));
    let response = model.request(&Request { tag: 0x200, ..top(1, 0b1110, 0b0110) }).response;
    assert_eq!((response.wait, response.skip, response.sleep), (0b0110, 0b1000, 0));
}

/// BR-16: a thread counts once a phase: under 1 its second arrival waits, under 3 a non-participant's has no effect.
#[test]
fn br_16_once_a_phase() {
    let mut model = bench(3, condition(1, 0));
    model.request(&in_block(1, top(1, 1, 0)));
    let again = model.request(&in_block(1, top(1, 0b11, 0b10))).response;
    assert_eq!((again.wait, again.sleep), (0b01, 0b10));
    assert_eq!(model.barrier(key(1)).count(), 2);
    let mut model = bench(3, condition(3, 2));
    model.request(&in_block(1, top(1, 0b10, 0b10)));
    let before = model.clone();
    for _ in 0..2 {
        assert_eq!(model.request(&in_block(1, top(1, 1, 0))).response.skip, 1);
    }
    assert_eq!(model, before);
}

/// BR-16, BR-17: a non-participant that comes again and again cannot hold off "latest of any".
#[test]
fn br_16_17_the_clock_is_not_held_off() {
    let mut model = bench(8, Configuration { event: TimeoutEvent::LatestOfAny, ..condition(4, 8) });
    model.request(&impatient(top(1, 1, 1)));
    for _ in 0..5 {
        wait(&mut model, 5);
        model.request(&impatient(top(1, 0b10, 0)));
    }
    assert!(model.is_enabled(&Step::Timeout(key(1))));
}

/// BR-20, BR-33: a late thread joins, sets rescan and runs in this execution; one that ran waits until idle.
#[test]
fn br_20_33_late_threads_join() {
    let mut model = bench(8, Configuration { late: LateMode::Join, ..condition(3, 2) });
    model.request(&section(1, 0b110, 0b110));
    assert_eq!(settle(&mut model)[0].mask, 0b10);
    let late = model.request(&section(1, 1, 1)).response;
    assert_eq!((late.sleep, model.barrier(key(1)).rescan), (1, true));
    let mut order = vec![];
    for mask in [0b10, 0b1, 0b100] {
        model.request(&simple(Operation::Bottom, 1, mask));
        order.extend(settle(&mut model).iter().map(|wake| wake.mask));
    }
    assert_eq!(order, [0b1, 0b100, 0b111]);
    assert_eq!(model.barrier(key(1)).state, super::state::State::Idle);
}

/// BR-21: without late join the thread waits until idle and starts the barrier again.
#[test]
fn br_21_late_threads_wait() {
    let mut model = bench(8, condition(3, 1));
    model.request(&section(1, 0b10, 0b10));
    settle(&mut model);
    assert_eq!(model.request(&section(1, 1, 1)).response.wait, 1);
    model.request(&simple(Operation::Bottom, 1, 0b10));
    settle(&mut model);
    assert_eq!(model.request(&section(1, 1, 1)).response.sleep, 1);
}

/// BR-22: ended short, the barrier lets later threads pass; a second arrival of a thread of that execution makes it count again, and so does
/// another tag, a reset or a launch. A section is never invalidated.
#[test]
fn br_22_invalidation() {
    let ended_short = || {
        let mut model = bench(8, Configuration { late: LateMode::Pass, ..condition(5, 4) });
        model.request(&impatient(top(1, 1, 1)));
        settle(&mut model);
        model
    };
    let mut model = ended_short();
    assert_eq!(model.request(&impatient(top(1, 0b10, 0b10))).response.pass, 0b10);
    assert_eq!(model.request(&impatient(top(1, 0b01, 0b01))).response.sleep, 0b01);
    let mut model = ended_short();
    model.request(&simple(Operation::Reset, 1, 0));
    assert_eq!(model.request(&impatient(top(1, 0b10, 0b10))).response.sleep, 0b10);
    let mut model = ended_short();
    let other = Request { tag: 0x200, ..impatient(top(1, 0b10, 0b10)) };
    assert_eq!(model.request(&other).response.sleep, 0b10);
    let mut model = bench(8, Configuration { late: LateMode::Pass, ..condition(5, 4) });
    model.request(&impatient(section(1, 1, 1)));
    settle(&mut model);
    model.request(&simple(Operation::Bottom, 1, 1));
    settle(&mut model);
    assert_eq!(model.request(&impatient(section(1, 0b10, 0b10))).response.sleep, 0b10);
}

/// BR-23: a late thread of a section sleeps until it ends, does not run it and goes on behind the bottom.
#[test]
fn br_23_late_threads_skip() {
    let mut model = bench(8, Configuration { late: LateMode::Skip, ..condition(3, 1) });
    model.request(&Request { blocking: false, ..section(1, 1, 1) });
    settle(&mut model);
    assert_eq!(model.request(&Request { blocking: false, ..section(1, 0b10, 0b10) }).response.sleep, 0b10);
    assert!(settle(&mut model).is_empty());
    assert_eq!(model.request(&simple(Operation::Bottom, 1, 1)).response.pass, 1);
    let wakes = settle(&mut model);
    assert_eq!(wakes, [Wake { cta: 0, block: 0, mask: 0b10, address: AFTER, inside: false }]);
}

/// BR-24: the count goes on through idle and triggers at the reference; a second arrival starts anew instead of waiting for ever.
#[test]
fn br_24_counting_goes_on() {
    let ended_short = || {
        let late = LateMode::Continue;
        let mut model = bench(8, Configuration { late, ..condition(4, 3) });
        model.request(&impatient(top(1, 0b11, 0b11)));
        wait(&mut model, 10);
        assert_eq!(settle(&mut model).len(), 1);
        model
    };
    let mut model = ended_short();
    assert_eq!(model.request(&impatient(top(1, 0b100, 0b100))).events, [Event::Released(key(1), true)]);
    assert_eq!(model.barrier(key(1)).count(), 0);
    let mut model = ended_short();
    let again = model.request(&impatient(top(1, 0b1, 0b1)));
    assert_eq!((again.response.sleep, again.events.len(), model.barrier(key(1)).count()), (1, 0, 1));
}

/// BR-25: RESET frees sleepers: behind the top of a conditional barrier, behind the bottom of a section; who is inside is so no more.
#[test]
fn br_25_reset() {
    let mut model = bench(8, condition(1, 0));
    model.request(&top(1, 1, 1));
    model.request(&section(2, 0b10, 0b10));
    model.request(&simple(Operation::Reset, 1, 0));
    model.request(&simple(Operation::Reset, 2, 0));
    let wakes: Vec<_> = settle(&mut model).iter().map(|wake| (wake.mask, wake.address)).collect();
    assert_eq!(wakes, [(1, TAG + 1), (0b10, AFTER)]);
    let mut model = bench(2, condition(1, 0));
    model.request(&in_block(1, section(1, 0b11, 0b11)));
    assert_eq!(settle(&mut model).len(), 1);
    model.request(&simple(Operation::Reset, 1, 0));
    assert_eq!(cause(&model.request(&in_block(1, simple(Operation::Bottom, 1, 1)))), Some(ErrorCause::NotInside));
    let wakes: Vec<_> = settle(&mut model).iter().map(|wake| (wake.mask, wake.address, wake.inside)).collect();
    assert_eq!(wakes, [(0b10, AFTER, false)]);
}

/// BR-26: an EXIT inside a section acts as its bottom; after the last exit everything is idle, split phases with open transactions too.
#[test]
fn br_26_exit_inside_and_last_exit() {
    let mut model = bench(2, condition(1, 0));
    model.request(&in_block(1, section(1, 0b11, 0b11)));
    assert_eq!(settle(&mut model)[0].mask, 1);
    model.request(&in_block(1, simple(Operation::Exit, 0, 1)));
    assert_eq!(settle(&mut model)[0].mask, 0b10);
    model.request(&Request { data: phase_data(false, 3), ..simple(Operation::Expect, 3, 0) });
    model.request(&in_block(1, simple(Operation::Bottom, 1, 0b10)));
    settle(&mut model);
    model.request(&in_block(1, simple(Operation::SplitArrive, 3, 0b10)));
    assert!(model.request(&simple(Operation::Retire, 0, 0)).response.refused);
    model.request(&in_block(1, simple(Operation::Exit, 0, 0b10)));
    assert!(!model.request(&simple(Operation::Retire, 0, 0)).response.refused);
}
