//! The distributor that launches the thread blocks that a table of flags selects (US 8,413,151).

pub mod cluster_walker;
pub mod core_selector;
pub mod flag_picker;
pub mod flag_scanner;
pub mod grid_queue;
pub mod plane_stride;
pub mod table_address;
pub mod table_fetcher;
pub mod work_distributor;
