//! How a block lies in a save area, in words of 64 bits, from the first on: its warps, then its barriers, then its program and its place in the grid.
//! A warp is its tokens, front first; a word for each reason for which threads of it are disabled; its live threads, with the handle of its local memory; its header. What was pushed last is
//! popped first, so a warp is read from its header on, and its tokens from the last one; the barriers are read upwards, as they left (CX-09).

/// Of a token: its address.
pub const ADDRESS_AT: usize = 4;
/// Of a token or a reason: the threads, up to 32.
pub const MASK_AT: usize = 32;
/// Of the live threads, of which there are at most 32: the handle of the warp's local memory.
pub const GROUP_AT: usize = 32;
/// Of a header: where the warp goes on.
pub const HEADER_ADDRESS_AT: usize = 0;
/// Of a header: the state of its yield policy, 16 bits.
pub const HEADER_YIELDS_AT: usize = 22;
/// Of a header: its number in its block, up to 6 bits.
pub const HEADER_PLACE_AT: usize = 38;
/// Of a header: it was parked: all its live threads sleep.
pub const HEADER_PARKED_AT: usize = 44;
/// Of a header: how many words of reasons, 4 bits.
pub const HEADER_REASONS_AT: usize = 45;
/// Of a header: how many tokens, the rest of the word.
pub const HEADER_TOKENS_AT: usize = 49;
/// Width of a count of tokens: a window and a spill area.
pub const TOKENS_BITS: usize = 64 - HEADER_TOKENS_AT;
/// Of the words of a block: bits of its place in the grid and the grid's name; the number of its warps lies above.
pub const PLACE_BITS: usize = 56;
/// Of the other word of a block: where its barriers' words begin; its program lies below.
pub const BARRIERS_AT: usize = 32;
