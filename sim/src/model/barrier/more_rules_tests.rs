//! What chapter 2 states of several barriers, exits and split phases, on the automaton; its table of cases that break open peers (BR-53).

use super::backend::ModelScheduler;
use super::state::State;
use super::{Automaton, Step};
use crate::barrier::{
    launch_data, phase_data, BarrierScheduler, Configuration, ErrorCause, Event, Key, Operation, Outputs, Request,
    Size, Statics, Wake,
};

const SIZE: Size = Size { ctas: 2, barriers: 4, blocks: 2, block_threads: 4, slots: 2 };
const TAG: u32 = 0x100;
const AFTER: u32 = 0x140;

fn top(cta: usize, barrier: usize, mask: u64) -> Request {
    let operation = Operation::Arrive;
    Request { operation, cta, barrier, mask, participants: mask, tag: TAG, after: AFTER, ..Request::default() }
}

fn section(cta: usize, barrier: usize, mask: u64) -> Request {
    Request { critical: true, ..top(cta, barrier, mask) }
}

fn simple(operation: Operation, cta: usize, barrier: usize, mask: u64) -> Request {
    Request { operation, cta, barrier, mask, ..Request::default() }
}

/// Both CTAs with so many threads in physical block 0, all barriers configured alike.
fn bench(threads: usize, configuration: Configuration, statics: Statics) -> Automaton {
    let mut model = Automaton::new(SIZE, statics);
    for request in preamble(threads, configuration) {
        assert_eq!(model.request(&request).response.error, None);
    }
    model
}

fn preamble(threads: usize, configuration: Configuration) -> Vec<Request> {
    let mut requests = Vec::new();
    for cta in 0..2 {
        let data = launch_data(&SIZE, threads, &[0, 1]);
        requests.push(Request { data, ..simple(Operation::Launch, cta, 0, 0) });
        let conf = |barrier| Request { data: configuration.word(), ..simple(Operation::Configure, cta, barrier, 0) };
        requests.extend((0..SIZE.barriers).map(conf));
    }
    requests
}

fn condition(condition: u8, reference: u16) -> Configuration {
    Configuration { condition, reference, minimum: 1, timeout: 10, ..Configuration::default() }
}

fn settle(model: &mut Automaton) -> Vec<Wake> {
    let mut wakes = Vec::new();
    while let Some(step) = model.enabled().first().copied() {
        wakes.extend(model.take(&step).unwrap().wake);
    }
    wakes
}

fn key(cta: usize, barrier: usize) -> Key {
    Key { cta, barrier }
}

/// BR-28: a section needs all participants: condition 2 below the live threads is an error there, and legal for a conditional barrier; so are an
/// impatient flag that disagrees with the condition, conditions that are none, and a minimum of 0.
#[test]
fn br_28_illegal_configurations() {
    let mut model = bench(4, condition(2, 3), Statics::default());
    let mut cause = |request: Request| model.request(&request).response.error.map(|report| report.cause);
    let conf =
        |configuration: Configuration| Request { data: configuration.word(), ..simple(Operation::Configure, 0, 3, 0) };
    assert_eq!(cause(section(0, 1, 1)), Some(ErrorCause::Illegal));
    assert_eq!(cause(top(0, 1, 1)), None);
    assert_eq!(cause(Request { impatient: true, ..top(0, 2, 0b10) }), Some(ErrorCause::Illegal));
    for number in [0, 6, 7] {
        assert_eq!(cause(conf(condition(number, 0))), Some(ErrorCause::Illegal));
    }
    assert_eq!(cause(conf(Configuration { minimum: 0, ..condition(5, 0) })), Some(ErrorCause::Illegal));
    assert_eq!(cause(conf(Configuration { minimum: 0, ..condition(4, 0) })), None);
    assert_eq!(cause(simple(Operation::Exit, 0, 0, 0b1000)), None);
    assert_eq!(cause(section(0, 0, 0b10)), None, "3 live threads are all");
}

/// BR-30, BR-45: a plain barrier bypasses FIFO and slots; an exclusive conditional one goes through them; both wake all at once.
#[test]
fn br_30_45_conditional_barriers() {
    let mut model = bench(3, condition(1, 0), Statics::default());
    let plain = model.request(&top(0, 1, 0b111));
    assert_eq!(plain.events, [Event::Released(key(0, 1), false)]);
    assert_eq!(settle(&mut model), [Wake { cta: 0, block: 0, mask: 0b111, address: TAG + 1, inside: false }]);
    let exclusive = model.request(&Request { exclusive: true, ..top(0, 2, 0b111) });
    assert_eq!(exclusive.events, [Event::Dynamic(key(0, 2))]);
    assert_eq!(settle(&mut model), [Wake { cta: 0, block: 0, mask: 0b111, address: TAG + 1, inside: false }]);
}

/// BR-45: a second phase does not end before the wake-ups of the first are delivered, and its sleepers are not woken with them.
#[test]
fn br_45_second_phase_waits_for_the_wake_ups() {
    let mut model = bench(3, condition(3, 1), Statics::default());
    model.request(&top(0, 1, 0b001));
    assert!(model.request(&top(0, 1, 0b010)).events.is_empty());
    assert!(!model.is_enabled(&Step::Complete(key(0, 1))));
    assert_eq!(model.take(&Step::Release(key(0, 1), 0)).unwrap().wake.unwrap().mask, 0b001);
    assert_eq!(model.take(&Step::Complete(key(0, 1))).unwrap().events, [Event::Released(key(0, 1), true)]);
    assert_eq!(settle(&mut model)[0].mask, 0b010);
}

/// BR-32: non-blocking: the thread goes on at its bottom and the next is woken; the barrier turns idle behind the last.
#[test]
fn br_32_non_blocking() {
    let mut model = bench(2, condition(1, 0), Statics::default());
    model.request(&section(0, 1, 0b11));
    for mask in [0b01, 0b10] {
        assert_eq!(settle(&mut model)[0].mask, mask);
        assert_eq!(model.request(&simple(Operation::Bottom, 0, 1, mask)).response.pass, mask);
    }
    assert!(settle(&mut model).is_empty());
    assert_eq!(model.barrier(key(0, 1)).state, State::Idle);
}

/// BR-34: unordered: any participant may be next, still one at a time; ordered: one choice.
#[test]
fn br_34_unordered() {
    for (ordered, choices) in [(false, 3), (true, 1)] {
        let mut model = bench(3, condition(1, 0), Statics::default());
        model.request(&Request { ordered, ..section(0, 1, 0b111) });
        let hand_out = model.enabled()[0];
        model.take(&hand_out).unwrap();
        assert_eq!(model.enabled().len(), choices);
        let first = *model.enabled().last().unwrap();
        model.take(&first).unwrap();
        assert_eq!(model.enabled(), []);
    }
}

/// BR-35: two slots, three dynamic barriers: the third waits in the FIFO and takes the slot that comes free.
#[test]
fn br_35_waits_for_a_slot() {
    let mut model = bench(3, condition(3, 1), Statics::default());
    for barrier in 0..3 {
        model.request(&section(0, barrier, 1 << barrier));
    }
    assert_eq!(settle(&mut model).len(), 2);
    assert_eq!(model.barrier(key(0, 2)).state, State::Queued);
    model.request(&simple(Operation::Bottom, 0, 1, 0b10));
    assert_eq!(settle(&mut model)[0].mask, 0b100);
    assert_eq!(model.barrier(key(0, 2)).state, State::Slot(1));
}

/// BR-37, BR-40: an exclusive section waits for the slots, and what is behind it in the FIFO waits for it; a class that does not conflict neither.
#[test]
fn br_37_exclusive() {
    let mut model = bench(3, condition(3, 1), Statics::default());
    model.request(&section(0, 0, 0b001));
    settle(&mut model);
    model.request(&Request { exclusive: true, ..section(0, 1, 0b010) });
    model.request(&section(1, 0, 0b001));
    assert!(settle(&mut model).is_empty());
    model.request(&simple(Operation::Bottom, 0, 0, 0b001));
    assert_eq!(settle(&mut model)[0].mask, 0b010);
    model.request(&simple(Operation::Bottom, 0, 1, 0b010));
    assert_eq!(settle(&mut model)[0].cta, 1);
    let mut model = bench(3, condition(3, 1), Statics { class_conflicts: 0, ..Statics::default() });
    model.request(&section(0, 0, 0b001));
    model.request(&Request { exclusive: true, ..section(0, 1, 0b010) });
    assert_eq!(settle(&mut model).len(), 2);
}

/// BR-37, BR-40: with the option of [§122] an exclusive section comes in as soon as nobody is inside, and then holds the others.
#[test]
fn br_37_40_exclusive_inside() {
    let mut model = bench(3, condition(3, 2), Statics { exclusive_inside: true, ..Statics::default() });
    model.request(&section(0, 0, 0b011));
    settle(&mut model);
    model.request(&Request { exclusive: true, ..section(1, 0, 0b011) });
    assert!(settle(&mut model).is_empty());
    model.request(&simple(Operation::Bottom, 0, 0, 0b001));
    model.take(&Step::HandOut(key(1, 0), 1)).unwrap();
    assert!(!model.is_enabled(&Step::Select(key(0, 0), 0, 1)), "held by the exclusive one");
    for mask in [0b01, 0b10] {
        assert_eq!(settle(&mut model).iter().map(|wake| (wake.cta, wake.mask)).collect::<Vec<_>>(), [(1, mask)]);
        model.request(&simple(Operation::Bottom, 1, 0, mask));
    }
    assert_eq!(settle(&mut model)[0].cta, 0);
}

/// BR-37: reserved slots serve class 3 only, which has its own FIFO past the others; an exclusive head is not overtaken for ever.
#[test]
fn br_37_reserved_slots() {
    let mut model = bench(4, condition(3, 1), Statics { reserved_slots: 1, ..Statics::default() });
    let class_3 = Configuration { class: 3, ..condition(3, 1) };
    model.request(&Request { data: class_3.word(), ..simple(Operation::Configure, 0, 3, 0) });
    model.request(&section(0, 0, 0b0001));
    model.request(&section(0, 1, 0b0010));
    settle(&mut model);
    assert_eq!((model.barrier(key(0, 0)).state, model.barrier(key(0, 1)).state), (State::Slot(1), State::Queued));
    model.request(&section(0, 3, 0b1000));
    settle(&mut model);
    assert_eq!(model.barrier(key(0, 3)).state, State::Slot(0));
    let mut model = bench(4, condition(3, 1), Statics { reserved_slots: 1, ..Statics::default() });
    model.request(&Request { data: class_3.word(), ..simple(Operation::Configure, 0, 3, 0) });
    model.request(&section(0, 0, 0b0001));
    settle(&mut model);
    model.request(&Request { exclusive: true, ..section(0, 1, 0b0010) });
    model.request(&section(0, 3, 0b1000));
    assert!(settle(&mut model).is_empty(), "class 3 waits behind the exclusive head");
}

/// BR-39: an exited thread satisfies condition 1 whenever it exited, and counts for nothing else; if all the live ones sleep here, 2 and 3 are complete.
#[test]
fn br_39_exits() {
    let exit = |mask| simple(Operation::Exit, 0, 0, mask);
    let mut model = bench(4, condition(1, 0), Statics::default());
    model.request(&exit(0b1000));
    assert!(model.request(&top(0, 1, 0b0011)).events.is_empty());
    assert_eq!(model.request(&exit(0b0100)).events, [Event::Released(key(0, 1), false)]);
    for number in [2, 3] {
        let mut model = bench(4, condition(number, 4), Statics::default());
        model.request(&exit(0b1000));
        assert!(model.request(&top(0, 1, 0b0011)).events.is_empty());
        assert_eq!(model.request(&top(0, 1, 0b0100)).events, [Event::Released(key(0, 1), false)]);
    }
    let mut model = bench(4, condition(2, 3), Statics::default());
    model.request(&Request { participants: 0, ..top(0, 1, 0b1000) });
    model.request(&top(0, 1, 0b0001));
    model.request(&exit(0b1000));
    assert!(model.request(&top(0, 1, 0b0010)).events.is_empty(), "who exited does not count any more");
}

/// BR-50: arrive does not wait, wait names the parity, a second arrive in a phase is ignored.
#[test]
fn br_50_split_phases() {
    let mut model = bench(2, condition(1, 0), Statics::default());
    let arrive = |mask| simple(Operation::SplitArrive, 0, 1, mask);
    let wait =
        |mask, parity| Request { tag: TAG, data: phase_data(parity, 0), ..simple(Operation::SplitWait, 0, 1, mask) };
    assert_eq!(model.request(&arrive(0b01)).response, Default::default());
    model.request(&arrive(0b01));
    assert_eq!(model.request(&wait(0b01, false)).response.sleep, 0b01);
    assert_eq!(model.request(&wait(0b10, true)).response.pass, 0b10, "the phase before has ended");
    assert_eq!(model.request(&arrive(0b10)).events, [Event::Released(key(0, 1), false)]);
    assert_eq!(model.request(&wait(0b10, false)).response.pass, 0b10);
    assert_eq!(settle(&mut model), [Wake { cta: 0, block: 0, mask: 0b01, address: TAG + 1, inside: false }]);
}

/// BR-50: a WAIT elsewhere and a top on the same id wait, and the other way round; conditions 3 to 5 are illegal.
#[test]
fn br_50_one_use_at_a_time() {
    let mut model = bench(3, condition(1, 0), Statics::default());
    let wait = |mask, tag| Request { tag, data: phase_data(false, 0), ..simple(Operation::SplitWait, 0, 1, mask) };
    model.request(&wait(0b001, TAG));
    assert_eq!(model.request(&wait(0b010, TAG + 9)).response.wait, 0b010);
    assert_eq!(model.request(&top(0, 1, 0b010)).response.wait, 0b010);
    model.request(&top(0, 2, 0b010));
    assert!(model.request(&simple(Operation::SplitArrive, 0, 2, 0b100)).response.refused);
    assert_eq!(model.request(&Request { barrier: 2, ..wait(0b100, TAG) }).response.wait, 0b100);
    let mut model = bench(3, condition(3, 1), Statics::default());
    let error = model.request(&simple(Operation::SplitArrive, 0, 1, 1)).response.error;
    assert_eq!(error.map(|report| report.cause), Some(ErrorCause::Illegal));
}

/// BR-51: a phase ends when its arrivals are complete and its own count is 0; beyond 63 is an error without effect.
#[test]
fn br_51_transactions() {
    let mut model = bench(1, condition(1, 0), Statics::default());
    let transact = |operation, parity, count| Request { data: phase_data(parity, count), ..simple(operation, 0, 1, 0) };
    model.request(&transact(Operation::Complete, false, 2));
    model.request(&transact(Operation::Expect, true, 5));
    assert!(model.request(&simple(Operation::SplitArrive, 0, 1, 1)).events.is_empty());
    assert!(model.request(&transact(Operation::Expect, false, 63)).events.is_empty());
    let before = model.clone();
    let error = model.request(&transact(Operation::Expect, false, 3)).response.error;
    assert_eq!(error.map(|report| report.cause), Some(ErrorCause::Overflow));
    assert_eq!(model, before);
    assert_eq!(model.request(&transact(Operation::Complete, false, 61)).events, [Event::Released(key(0, 1), false)]);
    assert_eq!(model.barrier(key(0, 1)).transactions, [0, 5]);
}

/// A scheduler with both CTAs launched.
fn scheduler(threads: usize, configuration: Configuration) -> ModelScheduler {
    let mut scheduler = ModelScheduler::new(SIZE, Statics::default());
    for request in preamble(threads, configuration) {
        accept(&mut scheduler, request);
    }
    while !scheduler.ready() {
        scheduler.tick();
    }
    scheduler
}

/// Offers until accepted; the outputs with the response.
fn accept(scheduler: &mut ModelScheduler, request: Request) -> Outputs {
    loop {
        scheduler.offer(Some(request));
        let outputs = scheduler.tick();
        if outputs.accepted {
            return outputs;
        }
    }
}

/// All wake-ups of the next cycles.
fn wakes(scheduler: &mut ModelScheduler) -> Vec<(usize, u64)> {
    (0..40).filter_map(|_| scheduler.tick().wake).map(|wake| (wake.cta, wake.mask)).collect()
}

/// BR-53: two CTAs whose arrivals interleave, block by block, on the same id: each is released by its own last arrival alone.
#[test]
fn br_53_two_ctas_interleave() {
    let mut scheduler = scheduler(4, condition(1, 0));
    for (cta, mask) in [(0, 0b0001), (1, 0b0010), (0, 0b0110), (1, 0b1001)] {
        assert!(accept(&mut scheduler, top(cta, 2, mask)).events.is_empty());
    }
    assert_eq!(accept(&mut scheduler, top(1, 2, 0b0100)).events, [Event::Released(key(1, 2), false)]);
    assert_eq!(wakes(&mut scheduler), [(1, 0b1111)]);
    assert_eq!(accept(&mut scheduler, top(0, 2, 0b1000)).events, [Event::Released(key(0, 2), false)]);
    assert_eq!(wakes(&mut scheduler), [(0, 0b1111)]);
}

/// BR-53: two ids completing in adjacent cycles: two messages in adjacent cycles, both sets of sleepers woken once.
#[test]
fn br_53_adjacent_completions() {
    let mut scheduler = scheduler(4, condition(3, 2));
    accept(&mut scheduler, top(0, 1, 0b0001));
    accept(&mut scheduler, top(0, 2, 0b0100));
    scheduler.offer(Some(top(0, 1, 0b0010)));
    assert_eq!(scheduler.tick().events, [Event::Released(key(0, 1), false)]);
    scheduler.offer(Some(top(0, 2, 0b1000)));
    let second = scheduler.tick();
    assert_eq!(second.events, [Event::Released(key(0, 2), false)]);
    assert_eq!(second.wake.map(|wake| wake.mask), Some(0b0011));
    assert_eq!(wakes(&mut scheduler), [(0, 0b1100)]);
}

/// BR-53: a warp that exits before arriving is not waited for, whether the others have arrived before or after.
#[test]
fn br_53_exit_before_arriving() {
    let exit = simple(Operation::Exit, 0, 0, 0b1100);
    for exit_first in [true, false] {
        let mut scheduler = scheduler(4, condition(1, 0));
        let requests = if exit_first { [exit, top(0, 1, 0b0011)] } else { [top(0, 1, 0b0011), exit] };
        assert!(accept(&mut scheduler, requests[0]).events.is_empty());
        assert_eq!(accept(&mut scheduler, requests[1]).events, [Event::Released(key(0, 1), false)]);
        assert_eq!(wakes(&mut scheduler), [(0, 0b0011)]);
    }
}

/// BR-53: a warp that arrives twice counts once; its second arrival waits for the next phase and counts there.
#[test]
fn br_53_arriving_twice() {
    let mut scheduler = scheduler(4, condition(1, 0));
    let passes_by = Request { participants: 0, ..top(0, 1, 0b0011) };
    assert_eq!(accept(&mut scheduler, passes_by).response.map(|response| response.skip), Some(0b0011));
    let again = accept(&mut scheduler, top(0, 1, 0b0011));
    assert_eq!(again.response.map(|response| response.wait), Some(0b0011));
    assert!(again.events.is_empty());
    assert_eq!(accept(&mut scheduler, top(0, 1, 0b1100)).events, [Event::Released(key(0, 1), false)]);
    assert_eq!(wakes(&mut scheduler), [(0, 0b1100)]);
    assert_eq!(accept(&mut scheduler, top(0, 1, 0b0011)).response.map(|response| response.sleep), Some(0b0011));
}

/// BR-43, BR-45: the model keeps the bounds itself: message with the response, first wake-up of a section within 4 cycles, the next within 2 of a bottom.
#[test]
fn br_43_45_cycle_bounds() {
    let mut scheduler = scheduler(2, condition(1, 0));
    let last = accept(&mut scheduler, section(0, 1, 0b11));
    assert_eq!(last.events, [Event::Dynamic(key(0, 1))]);
    let first = (2..10).find_map(|cycle| scheduler.tick().wake.map(|wake| (cycle, wake.mask)));
    assert!(first.is_some_and(|(cycle, mask)| cycle <= 4 && mask == 0b01), "{first:?}");
    accept(&mut scheduler, simple(Operation::Bottom, 0, 1, 0b01));
    let next = (2..10).find_map(|cycle| scheduler.tick().wake.map(|wake| (cycle, wake.mask)));
    assert_eq!(next, Some((2, 0b10)));
}

/// CX-10: the clock of a CTA that is held stands, from the cycle behind the Suspend to that in which it runs on; another CTA's does not.
#[test]
fn cx_10_clocks_stand_still() {
    let mut model = bench(4, condition(4, 4), Statics::default());
    let arrive = |cta| Request { impatient: true, ..top(cta, 1, 1) };
    let suspend = |data| Request { data, ..simple(Operation::Suspend, 0, 0, 0) };
    let left = |model: &Automaton, cta| model.barrier(key(cta, 1)).deadline.map(|deadline| deadline - model.now);
    for cta in 0..2 {
        model.request(&arrive(cta));
    }
    model.tick();
    assert!(model.request(&suspend(50)).response.refused);
    assert_eq!((left(&model, 0), left(&model, 1)), (Some(9), Some(9)));
    model.tick();
    for _ in 0..6 {
        assert_eq!(left(&model, 0), Some(8));
        model.tick();
    }
    assert_eq!(left(&model, 1), Some(2));
    assert!(!model.request(&suspend(0)).response.refused, "it runs on");
    model.tick();
    assert_eq!(left(&model, 0), Some(8), "held in this cycle, too");
    (0..8).for_each(|_| model.tick());
    assert_eq!(settle(&mut model).len(), 2, "both timeouts have passed");
}
