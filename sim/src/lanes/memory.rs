//! Bytes with bounds (SM-08).

use crate::isa::{Space, Width};

/// A memory access, for watchdogs and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Which memory.
    pub space: Space,
    /// Address of the first thread that accessed.
    pub address: u32,
    /// Memory holds other values than before.
    pub changed: bool,
}

/// Why an access is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It ends beyond the memory.
    OutOfBounds,
    /// It does not start at a multiple of its size.
    Misaligned,
}

/// Whether an access to a memory of `size` bytes is allowed.
pub fn permits(size: u32, address: u32, width: Width) -> Result<(), Refusal> {
    if u64::from(address) + u64::from(width.bytes()) > u64::from(size) {
        Err(Refusal::OutOfBounds)
    } else if !address.is_multiple_of(width.bytes()) {
        Err(Refusal::Misaligned)
    } else {
        Ok(())
    }
}

/// A little-endian memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory(Vec<u8>);

impl Memory {
    /// `bytes` zeros.
    pub fn zeros(bytes: u32) -> Self {
        Memory(vec![0; bytes as usize])
    }

    /// These bytes.
    pub fn holding(bytes: Vec<u8>) -> Self {
        Memory(bytes)
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Size in bytes.
    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    /// The value at a permitted address, zero-extended.
    pub fn load(&self, address: u32, width: Width) -> u32 {
        let start = address as usize;
        let bytes = &self.0[start..start + width.bytes() as usize];
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
    }

    /// Writes the low bits of `value` to a permitted address; tells whether that changed anything.
    pub fn store(&mut self, address: u32, width: Width, value: u32) -> bool {
        let start = address as usize;
        let bytes = &mut self.0[start..start + width.bytes() as usize];
        let new = &value.to_le_bytes()[..bytes.len()];
        let changed = bytes != new;
        bytes.copy_from_slice(new);
        changed
    }
}
