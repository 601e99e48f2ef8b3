//! The tree divergence table as reference model and as contract (TD-01 to TD-10).
//!
//! | module | what it is |
//! | --- | --- |
//! | [`set`] | threads of a warp, or of a group of warps |
//! | [`table`] | the nodes of one warp, the turns of its leaves, the memory behind a full table |
//! | [`follow`] | selecting the leaf that other hardware selected |
//! | [`rules`] | what each instruction does to them |
//! | [`table_unit`] | the warps behind [`crate::engine::Engine`] |
//! | [`structure`] | what any table's nodes owe to each other, judged from a picture of them |
//! | [`contract`] | what any tree engine owes to its user, judged from its ports |
//! | [`group`] | one tree for several warps, masks stored once (TD-10) |
//!
//! **Source** US 2015/0205606 (the tree and claim 1), US 9,921,847 (trees that span warps). Arrival is by instruction, never by
//! comparing PCs, and only at the nearest region of the kind: both other readings lose threads or wake them in the wrong place.

pub mod contract;
pub mod follow;
pub mod group;
pub mod rules;
pub mod set;
pub mod structure;
pub mod table;
pub mod table_unit;

#[cfg(test)]
mod capacity_tests;
#[cfg(test)]
mod rules_tests;

pub use table::{Limits, Table};
pub use table_unit::TreeTable;
