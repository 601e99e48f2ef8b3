//! The contract accepts a queue that keeps it and catches each way of breaking it.

use super::super::token_deque::TokenQueue;
use super::super::windowed_deque::WindowedDeque;
use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CAPACITY: Capacity = Capacity { depth: 8, spill_limit: 8 };

fn token(kind: Kind, mask: u64, address: u32) -> Token {
    Token::new(kind, mask, address)
}

/// Runs random operations on a bounded queue behind a distortion of its answers; the first breach, if any.
fn run(seed: u64, distort: impl Fn(QueueOperation, Token, &mut Answer)) -> Result<(), Breach> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut contract = TokenDequeContract::new(2, CAPACITY);
    let mut queues = [WindowedDeque::new(8, 8), WindowedDeque::new(8, 8)];
    for _ in 0..400 {
        let warp = random.random_range(0..2);
        let kind = Kind::ALL[random.random_range(0..7)];
        let (operation, kind) = match random.random_range(0..10) {
            0..=3 => (QueueOperation::PushFront, kind),
            4 => (QueueOperation::PushBack, Kind::Yield),
            5..=6 => (QueueOperation::Yield, Kind::Yield),
            7 => (QueueOperation::Find, kind),
            _ => (QueueOperation::PopFront, kind),
        };
        let operand = token(kind, 1 << random.random_range(0..32), random.random_range(0..6));
        let held = queues[warp].len();
        let mut answer = queues[warp].apply(operation, operand);
        if operation == QueueOperation::PushFront && !answer.failed && random.random_bool(0.5) {
            contract.observe(&Transaction::Push { warp, token: operand })?;
            for cause in queues[warp].take_exceptions() {
                contract.observe(&Transaction::Exception { warp, cause })?;
            }
            continue;
        }
        contract.observe(&Transaction::Operation { warp, operation, token: operand })?;
        for cause in queues[warp].take_exceptions() {
            contract.observe(&Transaction::Exception { warp, cause })?;
        }
        distort(operation, operand, &mut answer);
        contract.observe(&Transaction::Response { warp, answer })?;
        assert_eq!(contract.held(warp), queues[warp].len(), "{held}");
    }
    contract.finish()
}

/// The rules that a distortion breaks over many seeds.
fn rules(distort: impl Fn(QueueOperation, Token, &mut Answer)) -> Vec<&'static str> {
    let mut rules: Vec<_> = (0..40).filter_map(|seed| run(seed, &distort).err()).map(|breach| breach.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// DQ-04, DQ-07, DQ-08, DQ-12: a queue that keeps its contract is never accused.
#[test]
fn an_honest_queue_passes() {
    for seed in 0..200 {
        run(seed, |_, _, _| {}).unwrap();
    }
}

/// DQ-08: a token whose mask, address or kind changed, and one that is kept back, are noticed.
#[test]
fn dq_08_damage_is_noticed() {
    type Damage = fn(&mut Answer);
    let damages: [Damage; 4] = [
        |answer| answer.token.iter_mut().for_each(|token| token.mask |= 1 << 40),
        |answer| answer.token.iter_mut().for_each(|token| token.address += 1),
        |answer| answer.token.iter_mut().for_each(|token| token.kind = Kind::Barrier),
        |answer| answer.token = None,
    ];
    for damage in damages {
        let found = rules(|operation, _, answer| {
            if operation == QueueOperation::PopFront {
                damage(answer);
            }
        });
        assert_eq!(found, ["DQ-08"]);
    }
}

/// DQ-08: two tokens that change places are noticed; so is a token that is given twice.
#[test]
fn dq_08_order_and_duplicates() {
    let (first, second) = (token(Kind::Sync, 1, 1), token(Kind::Sync, 1, 2));
    for given in [[first, second], [second, second]] {
        let mut contract = TokenDequeContract::new(1, CAPACITY);
        contract.observe(&Transaction::Push { warp: 0, token: first }).unwrap();
        contract.observe(&Transaction::Push { warp: 0, token: second }).unwrap();
        let outcome = given.iter().try_for_each(|token| {
            let operation = Transaction::Operation { warp: 0, operation: QueueOperation::PopFront, token: *token };
            contract.observe(&operation)?;
            let answer = Answer { token: Some(*token), summary: u8::from(contract.held(0) == 2), ..Answer::default() };
            contract.observe(&Transaction::Response { warp: 0, answer })
        });
        assert_eq!(outcome.unwrap_err().rule, "DQ-08");
    }
}

/// DQ-04: each wrong summary bit is noticed.
#[test]
fn dq_04_wrong_summary_is_noticed() {
    for bit in 0..4 {
        let found = rules(|operation, _, answer| {
            if operation == QueueOperation::PopFront && answer.token.is_some() {
                answer.summary ^= 1 << bit;
            }
        });
        assert_eq!(found, ["DQ-04"]);
    }
}

/// DQ-07: a merge that is claimed without a partner, and one that is missed, are noticed.
#[test]
fn dq_07_wrong_merge_is_noticed() {
    assert_eq!(rules(|operation, _, answer| answer.merged |= operation == QueueOperation::Yield), ["DQ-07"]);
    assert_eq!(rules(|_, _, answer| answer.merged = false), ["DQ-07"]);
}

/// DQ-28: a find that shows another token is noticed.
#[test]
fn dq_28_wrong_find_is_noticed() {
    let found = rules(|operation, operand, answer| {
        if operation == QueueOperation::Find {
            answer.token = Some(operand);
        }
    });
    assert_eq!(found, ["DQ-28"]);
}

/// DQ-12: giving up with room left, or silently, is noticed.
#[test]
fn dq_12_needless_failure_is_noticed() {
    let found = rules(|_, _, answer| *answer = Answer { failed: true, ..Answer::default() });
    assert_eq!(found, ["DQ-12"]);
    let mut contract = TokenDequeContract::new(1, Capacity { depth: 1, spill_limit: 0 });
    contract.observe(&Transaction::Push { warp: 0, token: token(Kind::Sync, 1, 1) }).unwrap();
    let operand = token(Kind::Sync, 1, 2);
    contract
        .observe(&Transaction::Operation { warp: 0, operation: QueueOperation::PushFront, token: operand })
        .unwrap();
    let mut silent = contract.clone();
    let answer = Answer { failed: true, ..Answer::default() };
    assert_eq!(silent.observe(&Transaction::Response { warp: 0, answer }).unwrap_err().rule, "DQ-12");
    contract.observe(&Transaction::Exception { warp: 0, cause: Cause::Fatal }).unwrap();
    contract.observe(&Transaction::Response { warp: 0, answer }).unwrap();
}

/// DQ-08: a queue that takes more than it can keep is noticed before it loses anything.
#[test]
fn dq_08_too_many_tokens_are_noticed() {
    let mut contract = TokenDequeContract::new(1, Capacity { depth: 2, spill_limit: 1 });
    let push = Transaction::Push { warp: 0, token: token(Kind::Sync, 1, 1) };
    (0..3).for_each(|_| contract.observe(&push).unwrap());
    assert_eq!(contract.observe(&push).unwrap_err().rule, "DQ-08");
}

/// DQ-06: a response too many, one for another warp, and one that never comes are noticed.
#[test]
fn dq_06_answers_are_counted() {
    let mut contract = TokenDequeContract::new(2, CAPACITY);
    let response = |warp| Transaction::Response { warp, answer: Answer::default() };
    assert_eq!(contract.observe(&response(0)).unwrap_err().rule, "DQ-06");
    let pop = Transaction::Operation { warp: 1, operation: QueueOperation::PopFront, token: token(Kind::Sync, 0, 0) };
    contract.observe(&pop).unwrap();
    assert_eq!(contract.finish().unwrap_err().rule, "DQ-06");
    assert_eq!(contract.observe(&response(0)).unwrap_err().rule, "DQ-06");
}

/// DQ-09: a refill of what was never spilled, a spill of a window that is not full, and a recentering of nothing are noticed.
#[test]
fn dq_09_exceptions_need_a_reason() {
    for cause in [Cause::Recenter, Cause::Spill, Cause::Refill, Cause::LostThread] {
        let mut contract = TokenDequeContract::new(1, CAPACITY);
        assert_eq!(contract.observe(&Transaction::Exception { warp: 0, cause }).unwrap_err().rule, "DQ-09");
    }
}
