//! Heddle's Verilog back end, and the export with its manifests.

pub mod verilog;
