//! Barriers in the core (SM-07): between the warps, the barrier scheduler and the divergence engine.
//!
//! ```text
//!   warp ──instruction──▶ flight ──requests, a block each──▶ BarrierScheduler
//!                           │ ◀────────answers──────────────────────┤
//!   engine ◀──sleep, yield, step, exit                              │
//!   engine ◀──wake ◀─────────── wake-ups, a block each ─────────────┘
//! ```
//!
//! The scheduler is any [`crate::barrier::BarrierScheduler`]: the reference model, or the RTL in Rust or Verilated.

mod flight;
mod ledger;
mod mapping;
mod moving;
mod report;
#[cfg(test)]
mod tests;
mod unit;

pub use flight::{concerns, configuration, Answer, Flight, Issue};
pub use ledger::{count, Cta, Top};
pub use mapping::Mapping;
pub use moving::{asleep, Leaving, SavedBarriers};
pub use report::{BarrierFault, BarrierHang, Gathering};
pub use unit::BarrierUnit;
