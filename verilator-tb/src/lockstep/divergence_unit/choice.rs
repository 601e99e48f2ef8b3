//! From what an operation wants to what the pins say, by the state of the warp that it meets.

use super::stimulus::{Code, Named, Operation, Target};
use crate::lockstep::bench::Shape;
use heddle_hdl::divergence::token::{Kind, Operation as UnitOperation};
use heddle_sim::engine::Request;
use heddle_sim::model::divergence_warp::Warp;
use heddle_sim::model::TokenDeque;

/// What a code stands for at the request port; none for a reset.
pub(in crate::lockstep) fn operation_of(code: Code) -> Option<UnitOperation> {
    Some(match code {
        Code::Step => UnitOperation::Step,
        Code::Push => UnitOperation::Push,
        Code::Branch => UnitOperation::Branch,
        Code::Indirect => UnitOperation::Indirect,
        Code::Call => UnitOperation::Call,
        Code::Leave => UnitOperation::Leave,
        Code::Yield => UnitOperation::Yield,
        Code::Exit => UnitOperation::Exit,
        Code::Sleep => UnitOperation::Sleep,
        Code::Wake => UnitOperation::Wake,
        Code::Withdraw => UnitOperation::Withdraw,
        Code::Deposit => UnitOperation::Deposit,
        Code::Disable => UnitOperation::Disable,
        Code::Reset => return None,
    })
}

/// The request of `operation` on a running warp; none for a reset.
pub fn request(operation: &Operation, warp: &Warp<TokenDeque>, shape: &Shape) -> Option<Request> {
    // A warp that is parked takes nothing but what wakes it, or takes it away.
    let unit_operation = match operation_of(operation.code)? {
        UnitOperation::Withdraw => UnitOperation::Withdraw,
        _ if warp.parked() => UnitOperation::Wake,
        other => other,
    };
    let kind = match unit_operation {
        UnitOperation::Deposit => deposited(operation, warp),
        _ => Kind::from_code(operation.kind)?,
    };
    let token = warp.queue.find(kind).map(|(_, token)| token);
    let asleep = warp.disabled[usize::from(Kind::Barrier.code())];
    let concerned = if unit_operation == UnitOperation::Wake { asleep } else { warp.active };
    let mut mask = mask(operation.named, concerned) & shape.all_threads();
    if unit_operation == UnitOperation::Disable && mask & warp.active == warp.active {
        // Nobody disables all: a warp without active threads is saved as one that sleeps.
        mask &= !(warp.active & warp.active.wrapping_neg());
    }
    let named = mask & warp.active;
    let safe = token.is_some_and(|token| named & !token.mask == 0) || named == 0;
    let targeted = match operation.target {
        Target::Address(_) | Target::Token => true,
        Target::Absent => !safe,
        Target::AbsentAtAnyRisk => false,
    };
    let target = match operation.target {
        Target::Address(address) => address,
        _ => token.map_or(0, |token| token.address),
    };
    Some(Request {
        warp: operation.warp,
        operation: unit_operation,
        kind: Some(kind),
        mask,
        target: target & shape.last_address(),
        targeted: targeted && unit_operation == UnitOperation::Leave,
        again: operation.again && mask & warp.active != warp.active,
    })
}

/// The kind of a token that a saved context had: one of a branch as well, or one of a YIELD if none but those are there, each with an address of
/// its own, for they were behind all others.
fn deposited(operation: &Operation, warp: &Warp<TokenDeque>) -> Kind {
    let kind = Kind::from_code(operation.kind).unwrap_or(Kind::Sync);
    let Target::Address(address) = operation.target else { return kind };
    let may_yield = warp.queue.tokens().all(|token| token.kind == Kind::Yield && token.address != address);
    match (may_yield, address.count_ones() % 4) {
        (true, 0 | 1) => Kind::Yield,
        (_, 2) => Kind::Divergence,
        _ => kind,
    }
}

/// The threads that are named. Bits of threads that are not active stay: the unit has to mask them off.
pub(in crate::lockstep) fn mask(named: Named, active: u64) -> u64 {
    let first = active & active.wrapping_neg();
    match named {
        Named::All => u64::MAX,
        Named::None => !active,
        Named::First => first | !active,
        Named::Others => active & !first,
        Named::Mask(mask) => mask,
    }
}
