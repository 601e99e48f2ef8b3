pub mod error;
pub mod files;
pub mod interrupt;
pub mod nearest;
pub mod options;
pub mod registry;
