//! The blocks of context save and restore; points are `<groups>`, with `e<engines>` behind it for several copy engines.

use super::elaboration::{connected, simulated};
use super::Entry;
use crate::context::context_sequencer::ContextSequencer;
use crate::ports::Ports;

/// Threads of a group, as a logarithm.
const THREAD_BITS: usize = 5;

/// Accesses that several engines may have under way, as a logarithm.
const ORDER_BITS: usize = 6;

/// The context sequencer at one point: `sequencer!(point, groups log2, engines)`.
macro_rules! sequencer {
    ($point:literal, $group_bits:literal, $engines:literal) => {{
        type Sequencer = ContextSequencer<
            { 1 << $group_bits },
            $group_bits,
            THREAD_BITS,
            { THREAD_BITS + 16 },
            $engines,
            { $engines + 1 },
            ORDER_BITS,
            { ORDER_BITS + 1 },
        >;
        Entry {
            block: "context_sequencer",
            point: $point,
            parameters: vec![("groups", 1 << $group_bits), ("threads", 1 << THREAD_BITS), ("engines", $engines)],
            summary: "Saves and restores thread groups by re-mapping their local memory to global memory, to which it is copied once.",
            timing: "An access is answered in the next cycle. A Save of W words is done W + allocator latency + memory latency + 5 \
                     cycles after the request, 3 instead of 5 for each further group, 1 for a group that is re-mapped already.",
            ports: Sequencer::ports,
            block_of: connected::<Sequencer>,
            simulate: simulated::<Sequencer>,
        }
    }};
}

/// The context sequencer at every point.
pub fn entries() -> Vec<Entry> {
    vec![sequencer!("4", 2, 1), sequencer!("16", 4, 1), sequencer!("16e2", 4, 2), sequencer!("64", 6, 1)]
}
