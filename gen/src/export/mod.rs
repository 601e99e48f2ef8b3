//! The export: folders of Verilog that stand by themselves, and the manifests that say what is in them.
//!
//! `DIR/manifest.json` and, for each block and point, `DIR/<block>_<point>/` with one module a file, the file list
//! `<block>_<point>.f`, the FuseSoC core file `<block>_<point>.core`, the Bender manifest `Bender.yml` and `manifest.json`.

pub mod cores;
pub mod manifest;
pub mod package;
pub mod selection;
pub mod store;

pub use manifest::{Manifest, Record};
pub use package::Package;
pub use selection::select;
