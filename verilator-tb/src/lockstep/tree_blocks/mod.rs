//! The parts of the tree divergence system that stand alone: random inputs within what each block's page allows, the Rust kernels
//! and the export compared on every port, and a judge that knows the page's rules (XV-02, TD-04, TD-10).

mod leaf_selector;
mod mask_row;
mod mask_table;

pub use leaf_selector::LeafSelectorJudge;
pub use mask_row::{MaskRow, Place};
pub use mask_table::MaskTableJudge;
