//! The control core with each engine; points are `<warps>x<threads>x<depth>`, where the depth is that of the engine: tokens of a window, or nodes of a warp.

use super::elaboration::{connected, simulated};
use super::Entry;
use crate::core::control_core::ControlCore;
use crate::core::control_core_suspending::ControlCoreSuspending;
use crate::core::control_core_tree::ControlCoreTree;
use crate::core::flight_table::FLIGHT_BITS;
use crate::ports::Ports;

/// How often 2^`divisor` fits in 2^`dividend`, at least once.
const fn quotient(dividend: usize, divisor: usize) -> usize {
    1 << dividend.saturating_sub(divisor)
}

/// Bits that tell so many apart, at least one.
const fn log2(dividend: usize, divisor: usize) -> usize {
    let bits = dividend.saturating_sub(divisor);
    if bits == 0 {
        1
    } else {
        bits
    }
}

/// A control core at one point: `core!(top, block, point, warps log2, threads log2, depth log2, bits of a word of the engine's memory,
/// log2 of the threads of a block of the barrier scheduler, bits of a priority)`, and log2 of the rows of local memory, if there is a context unit.
macro_rules! core {
    ($top:ident, $block:literal, $point:literal, $warp_bits:literal, $thread_bits:literal, $depth_bits:literal, $word:literal,
     $offset_bits:literal, $priority:literal $(, $group_bits:literal)?) => {{
        type Core = $top<
            { 1 << $warp_bits },
            $warp_bits,
            { $warp_bits + 1 },
            { 1 << $thread_bits },
            $thread_bits,
            $depth_bits,
            { $depth_bits + 1 },
            { $warp_bits + $depth_bits },
            { $warp_bits + 4 },
            $word,
            { $warp_bits + (1 << $thread_bits) + 22 },
            { 2 << $warp_bits },
            { (2 << $warp_bits) + 1 },
            { $warp_bits + 2 },
            { 2 * $warp_bits },
            { 2 << $thread_bits },
            { FLIGHT_BITS + 2 * $warp_bits },
            { 1 << $offset_bits },
            $offset_bits,
            { $offset_bits + 4 },
            { quotient($thread_bits, $offset_bits) },
            { log2($thread_bits, $offset_bits) },
            { quotient($offset_bits, $thread_bits) },
            $priority,
            { $priority + 22 },
            { $priority + 22 + 42 },
            { $priority + 22 + 56 },
            $({ 1 << $group_bits }, $group_bits, { $group_bits + 1 }, { $thread_bits + 16 },)?
        >;
        Entry {
            block: $block,
            point: $point,
            parameters: vec![
                ("warps", 1 << $warp_bits),
                ("threads", 1 << $thread_bits),
                ("depth", 1 << $depth_bits),
                ("address_bits", 22),
                ("word_bits", $word),
                ("block_threads", 1 << $offset_bits),
                ("priority_bits", $priority),
                $(("groups", 1 << $group_bits),)?
            ],
            summary: "Runs the control flow of a core: grids become blocks, blocks warps, and one warp a cycle issues.",
            timing: "One instruction a cycle, chosen, fetched, seen by the lanes and offered to the engine in the same cycle; its stalls \
                     are the engine's.",
            ports: Core::ports,
            block_of: connected::<Core>,
            simulate: simulated::<Core>,
        }
    }};
}

/// The control core at every point.
pub fn entries() -> Vec<Entry> {
    vec![
        core!(ControlCore, "control_core", "4x32x16", 2, 5, 4, 64, 4, 6),
        core!(ControlCore, "control_core", "4x32x32", 2, 5, 5, 64, 4, 6),
        core!(ControlCore, "control_core", "16x32x32", 4, 5, 5, 64, 6, 10),
        core!(ControlCoreSuspending, "control_core_suspending", "4x32x32", 2, 5, 5, 64, 4, 6, 4),
        core!(ControlCoreTree, "control_core_tree", "4x32x64", 2, 5, 6, 128, 4, 6),
    ]
}
