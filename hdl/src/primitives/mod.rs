//! The few parts that `hdl_gen` cannot say: each is a Rust `update` beside hand-written Verilog, kept tiny, and
//! proven equal to its model by a test of its own.

pub mod bits;
pub mod field_join;
pub mod field_split;
pub mod lowest_bit;
pub mod mask_union;
pub mod population_count;
pub mod ram;
pub mod register;
pub mod register_file;

pub use bits::{bit_cast, bits, Bits, ToBits};
pub use field_join::FieldJoin;
pub use field_split::FieldSplit;
pub use lowest_bit::LowestBit;
pub use mask_union::MaskUnion;
pub use population_count::PopulationCount;
pub use ram::Ram;
pub use register::Register;
pub use register_file::RegisterFile;
