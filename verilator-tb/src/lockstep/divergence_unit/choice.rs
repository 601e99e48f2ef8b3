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
        Code::Reset => return None,
    })
}

/// The request of `operation` on a running warp; none for a reset.
pub fn request(operation: &Operation, warp: &Warp<TokenDeque>, shape: &Shape) -> Option<Request> {
    let unit_operation = operation_of(operation.code)?;
    let kind = Kind::from_code(operation.kind)?;
    let token = warp.queue.find(kind).map(|(_, token)| token);
    let mask = mask(operation.named, warp.active) & shape.all_threads();
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
        targeted: targeted && operation.code == Code::Leave,
        again: operation.again && mask & warp.active != warp.active,
    })
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
