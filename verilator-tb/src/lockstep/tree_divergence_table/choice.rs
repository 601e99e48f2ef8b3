//! From what an operation wants to what the pins say, by the leaf that it meets.

use crate::lockstep::bench::Shape;
use crate::lockstep::divergence_unit::choice::{mask, operation_of};
use crate::lockstep::divergence_unit::stimulus::{Code, Named, Operation, Target};
use crate::lockstep::tree_watch::ancestors;
use heddle_hdl::divergence::token::{Kind, Operation as UnitOperation};
use heddle_sim::engine::Request;
use heddle_sim::model::tree::Table;

/// Whether the selected leaf has to be known before the request can be made. What need not wait for that follows at once.
pub fn needs_leaf(operation: &Operation) -> bool {
    let threads = matches!(operation.named, Named::First | Named::Others | Named::None);
    let address = operation.code == Code::Leave && !matches!(operation.target, Target::Address(_));
    operation.code != Code::Wake && (threads || address)
}

/// The request of `operation` on a running warp; none for a reset. A warp that is parked can only be woken.
/// One that is `leaving` is withdrawn.
pub fn request(operation: &Operation, table: &Table, leaving: bool, shape: &Shape) -> Option<Request> {
    let kind = Kind::from_code(operation.kind)?;
    let asked = operation_of(operation.code)?;
    let unit_operation = if leaving { UnitOperation::Withdraw } else { asked };
    let address = if let Target::Address(address) = operation.target { address & shape.last_address() } else { 0 };
    let warp = operation.warp;
    let request = Request {
        warp,
        operation: unit_operation,
        kind: Some(kind),
        mask: 0,
        target: address,
        targeted: false,
        again: false,
    };
    if unit_operation == UnitOperation::Withdraw {
        return Some(Request { mask: shape.all_threads(), ..request });
    }
    let Some(leaf) = table.selected() else {
        let mask = shape.all_threads();
        return Some(Request { operation: UnitOperation::Wake, mask, ..request });
    };
    let members = if operation.code == Code::Wake { table.asleep } else { leaf.threads };
    let mask = mask(operation.named, members) & shape.all_threads();
    if operation.code != Code::Leave {
        return Some(Request { mask, ..request });
    }
    let region = ancestors(table, leaf).filter_map(|node| node.region).find(|region| region.kind == kind);
    // Nobody is named, or there is a region to go to.
    let safe = region.is_some() || mask & leaf.threads == 0;
    let targeted = match operation.target {
        Target::Address(_) | Target::Token => true,
        Target::Absent => !safe,
        Target::AbsentAtAnyRisk => false,
    };
    let target = match operation.target {
        Target::Address(_) => address,
        _ => region.map_or(0, |region| region.resume),
    };
    Some(Request { mask, target, targeted, again: operation.again, ..request })
}
