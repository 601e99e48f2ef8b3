//! The contract itself: a good conversation passes, and each small lie in it is found under the requirement that it breaks.

use super::*;
use crate::barrier::{launch_data, Configuration, Event, Operation, Response};
use crate::model::barrier::backend::ModelScheduler;

const SIZE: Size = Size::SMALL;
const TAG: u32 = 0x40;
const AFTER: u32 = 0x50;

/// A conversation: what was offered, and what was shown.
type Conversation = Vec<(Option<Request>, Outputs)>;

/// Four threads go through an ordered, blocking section.
fn conversation() -> Conversation {
    let mut scheduler = ModelScheduler::new(SIZE, Statics::default());
    let mut said = Vec::new();
    let mut tick = |request: Option<Request>| {
        scheduler.offer(request);
        let outputs = scheduler.tick();
        said.push((request, outputs.clone()));
        outputs
    };
    let launch = Request { data: launch_data(&SIZE, 4, &[1]), ..Request::default() };
    tick(Some(launch));
    (0..4).for_each(|_| drop(tick(None)));
    let configuration = Configuration { condition: 3, reference: 3, ..Configuration::default() };
    let configure = Operation::Configure;
    tick(Some(Request { operation: configure, barrier: 1, data: configuration.word(), ..Request::default() }));
    let arrive = Request {
        operation: Operation::Arrive,
        barrier: 1,
        block: 1,
        mask: 0b1111,
        participants: 0b1101,
        tag: TAG,
        after: AFTER,
        critical: true,
        ordered: true,
        blocking: true,
        ..Request::default()
    };
    tick(Some(arrive));
    for _ in 0..40 {
        let wake = tick(None).wake;
        if let Some(wake) = wake.filter(|wake| wake.inside) {
            tick(None);
            let operation = Operation::Bottom;
            tick(Some(Request { operation, barrier: 1, block: 1, mask: wake.mask, ..Request::default() }));
        }
    }
    said
}

/// What the contract says of a conversation.
fn judge(said: &Conversation) -> Result<(), Breach> {
    let mut contract = Contract::new(&ModelScheduler::new(SIZE, Statics::default()), Limits::of(&SIZE));
    said.iter().try_for_each(|(request, outputs)| contract.observe(request.as_ref(), true, outputs))?;
    contract.finish()
}

/// The rule under which a changed conversation is found.
fn rule_of(lie: impl Fn(&mut Conversation)) -> &'static str {
    let mut said = conversation();
    lie(&mut said);
    judge(&said).expect_err("the lie was believed").rule
}

/// The place of the so-manieth wake-up.
fn wake(said: &Conversation, number: usize) -> usize {
    said.iter().enumerate().filter(|(_, (_, outputs))| outputs.wake.is_some()).nth(number).expect("a wake-up").0
}

/// The place of the answer to an operation.
fn answer(said: &mut Conversation, operation: Operation) -> &mut Response {
    let asked = |(request, _): &&mut (Option<Request>, Outputs)| request.is_some_and(|one| one.operation == operation);
    said.iter_mut().find(asked).and_then(|(_, outputs)| outputs.response.as_mut()).expect("an answer")
}

/// XV-02: the conversation is good.
#[test]
fn xv_02_truth_is_believed() {
    assert_eq!(judge(&conversation()), Ok(()));
}

/// BR-40, BR-41, BR-31: a wake-up twice, two at once, in another order, of somebody awake.
#[test]
fn br_31_40_41_wrong_wake_ups() {
    let again = rule_of(|said| {
        let place = wake(said, 0);
        said[place + 1].1.wake = said[place].1.wake;
    });
    assert_eq!(again, "BR-41");
    let two = rule_of(|said| {
        let place = wake(said, 0);
        said[place + 1].1.wake = said[wake(said, 1)].1.wake;
    });
    assert_eq!(two, "BR-40");
    let order = rule_of(|said| {
        let (first, second) = (wake(said, 0), wake(said, 1));
        said[first].1.wake = said[second].1.wake;
    });
    assert_eq!(order, "BR-31");
    let awake = rule_of(|said| {
        let place = wake(said, 0);
        said[place].1.wake = said[place].1.wake.map(|wake| Wake { mask: 0b10, ..wake });
    });
    assert_eq!(awake, "BR-41");
}

/// BR-42: a wake-up that never comes.
#[test]
fn br_42_a_lost_wake_up() {
    for number in [0, 3] {
        let rule = rule_of(|said| {
            let place = wake(said, number);
            said.truncate(place);
            said.extend(vec![(None, said[place - 1].1.clone()); 400].into_iter().map(|(request, mut outputs)| {
                outputs.response = None;
                outputs.accepted = false;
                outputs.events.clear();
                (request, outputs)
            }));
        });
        assert_eq!(rule, "BR-42", "wake-up {number}");
    }
}

/// BR-10: answers that do not part the mask, or send a participant past the bottom.
#[test]
fn br_10_wrong_answers() {
    let partition = |said: &mut Conversation| answer(said, Operation::Arrive).skip = 0;
    let skipped = |said: &mut Conversation| {
        let response = answer(said, Operation::Arrive);
        (response.sleep, response.skip) = (0b1100, 0b0011);
    };
    assert_eq!(rule_of(partition), "BR-10");
    assert_eq!(rule_of(skipped), "BR-10");
    assert_eq!(rule_of(|said| answer(said, Operation::Bottom).sleep = 0), "BR-32");
}

/// BR-12, BR-35, BR-41, BR-45: strobes too early, twice, to the wrong slot, or missing.
#[test]
fn br_12_35_41_wrong_strobes() {
    let key = Key { cta: 0, barrier: 1 };
    let at = |said: &Conversation, event: Event| {
        said.iter().position(|(_, outputs)| outputs.events.contains(&event)).expect("the event")
    };
    let early = |said: &mut Conversation| said[2].1.events.push(Event::Dynamic(key));
    assert_eq!(rule_of(early), "BR-14");
    let twice = |said: &mut Conversation| {
        let place = at(said, Event::Handed(key, 0));
        said[place].1.events.push(Event::Handed(key, 1));
    };
    assert_eq!(rule_of(twice), "BR-37");
    let idle = |said: &mut Conversation| {
        let place = wake(said, 1);
        said[place].1.events.extend([Event::Idle(key), Event::Released(key, false)]);
    };
    assert_eq!(rule_of(idle), "BR-33");
    let missing = |said: &mut Conversation| {
        let place = at(said, Event::Released(key, false));
        said[place].1.events.retain(|event| !matches!(event, Event::Released(..)));
    };
    assert_eq!(rule_of(missing), "BR-45");
    let unfinished = |said: &mut Conversation| {
        let place = at(said, Event::Dynamic(key));
        said[place].1.events.clear();
    };
    assert!(["BR-14", "BR-35", "BR-37"].contains(&rule_of(unfinished)));
}
