//! Heddle's Verilog back end, and the export with its manifests.
//!
//! [`verilog`] translates a block; [`known`] reads the documentation of its parts; [`export`] packs the blocks of
//! `heddle_hdl::points` into folders; [`cli`] is the door `cargo export`.

pub mod cli;
pub mod export;
pub mod known;
pub mod verilog;
