//! What every block imports: `rust_hdl`'s kernel vocabulary with Heddle's vector and primitives in place of its own.

pub use crate::part::Part;
pub use crate::ports::{Direction, Port, PortValue, Ports};
pub use crate::primitives::{
    bit_cast, bits, Bits, FieldJoin, FieldSplit, LowestBit, MaskUnion, PopulationCount, Ram, Register, RegisterFile,
    ToBits,
};
pub use crate::{block, clock, dff_setup};
pub use rust_hdl::core::ast;
pub use rust_hdl::core::bits::{clog2, LiteralType};
pub use rust_hdl::core::prelude::{
    block, hdl_gen, logic, probe, synth, type_descriptor, Atom, AtomKind, Bit, Block, Clock, Constant, In, Local,
    Logic, LogicBlock, LogicState, Out, Probe, Signal, Synth, TypeDescriptor, TypeField, TypeKind, VCDValue, Verilog,
    VerilogLiteral,
};
