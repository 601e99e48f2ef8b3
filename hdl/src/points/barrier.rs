//! The blocks of the barrier system, all at the same points.

use super::elaboration::{connected, simulated};
use super::Entry;
use crate::barrier::barrier_arbiter::BarrierArbiter;
use crate::barrier::barrier_execution::BarrierExecution;
use crate::barrier::barrier_scheduler::BarrierScheduler;
use crate::barrier::dynamic_barrier_fifo::DynamicBarrierFifo;
use crate::barrier::execution_slots::ExecutionSlots;
use crate::barrier::logical_map::LogicalMap;
use crate::barrier::release_walker::ReleaseWalker;
use crate::barrier::thread_selection_unit::ThreadSelectionUnit;
use crate::barrier::thread_state::ThreadState;
use crate::ports::Ports;

/// An entry of a block of type `$block`.
macro_rules! entry {
    ($block:ty, $name:literal, $point:expr, $parameters:expr, $summary:literal, $timing:literal) => {
        Entry {
            block: $name,
            point: $point,
            parameters: $parameters,
            summary: $summary,
            timing: $timing,
            ports: <$block>::ports,
            block_of: connected::<$block>,
            simulate: simulated::<$block>,
        }
    };
}

/// The execution side at one point: `execution!(point; CTAs, barriers, blocks, threads of a block, slots, each with its log2)`.
macro_rules! execution {
    ($point:literal; $ctas:literal $cta_bits:literal, $barriers:literal $barrier_bits:literal, $blocks:literal $block_bits:literal,
     $threads:literal $offset_bits:literal, $slots:literal $slot_bits:literal) => {{
        type Execution = BarrierExecution<
            $ctas,
            $cta_bits,
            $barriers,
            $barrier_bits,
            $block_bits,
            $threads,
            $offset_bits,
            { $block_bits + $offset_bits + 1 },
            $slots,
            $slot_bits,
            { $slot_bits + 1 },
            { $cta_bits + $barrier_bits },
            { $cta_bits + $barrier_bits + 1 },
            { $cta_bits + $block_bits },
            { $blocks * $block_bits },
            { $cta_bits + $barrier_bits + 29 },
            { $cta_bits + $barrier_bits + 23 },
        >;
        type Scheduler = BarrierScheduler<
            $ctas,
            $cta_bits,
            $barriers,
            $barrier_bits,
            $blocks,
            $block_bits,
            $threads,
            $offset_bits,
            { $block_bits + $offset_bits + 1 },
            $slots,
            $slot_bits,
            { $slot_bits + 1 },
            { $cta_bits + $barrier_bits },
            { $cta_bits + $barrier_bits + 1 },
            { $cta_bits + $block_bits },
            { $cta_bits + $barrier_bits + $block_bits },
            { $blocks * $block_bits },
            { $cta_bits + $barrier_bits + 29 },
            { $cta_bits + $barrier_bits + 23 },
        >;
        type Fifo = DynamicBarrierFifo<
            { $cta_bits + $barrier_bits },
            $slots,
            $slot_bits,
            { $slot_bits + 1 },
            { $cta_bits + $barrier_bits + 29 },
            { $cta_bits + $barrier_bits + 1 },
        >;
        type Slots = ExecutionSlots<$slots, $slot_bits, { $cta_bits + $barrier_bits }, $block_bits, $offset_bits>;
        type Arbiter = BarrierArbiter<$slots, $slot_bits>;
        type Selection = ThreadSelectionUnit<$slots, $slot_bits, $block_bits, $threads, $offset_bits>;
        type Threads = ThreadState<{ $cta_bits + $block_bits }, $threads, $barrier_bits>;
        type Map = LogicalMap<
            $cta_bits,
            $block_bits,
            { $blocks * $block_bits },
            $offset_bits,
            { $block_bits + $offset_bits + 1 },
        >;
        type Walker = ReleaseWalker<
            $cta_bits,
            $barriers,
            $barrier_bits,
            $block_bits,
            { $cta_bits + $barrier_bits },
            { $cta_bits + $barrier_bits + 23 },
            { $cta_bits + $barrier_bits + 1 },
        >;
        let parameters = || {
            vec![
                ("ctas", $ctas),
                ("barriers", $barriers),
                ("blocks", $blocks),
                ("block_threads", $threads),
                ("slots", $slots),
                ("address_bits", 22),
            ]
        };
        [
            entry!(
                Scheduler,
                "barrier_scheduler",
                $point,
                parameters(),
                "Schedules barriers and critical sections: threads sleep until all are there, and enter sections in turn.",
                "An answer 1 cycle after acceptance; the first wake-up of a release 3 cycles after the last arrival, of a \
                 section 4 and 1 for each empty block; the next thread of a section 2 cycles after a bottom."
            ),
            entry!(
                Execution,
                "barrier_execution",
                $point,
                parameters(),
                "Runs the sections of complete barriers, a thread at a time, and turns releases into wake-ups.",
                "First thread of a section 3 cycles after the barrier turned dynamic and 1 for each empty block; the next \
                 one in the cycle after its predecessor's bottom executes. First block of a release after 2 cycles, then \
                 1 a block."
            ),
            entry!(
                Fifo,
                "dynamic_barrier_fifo",
                $point,
                parameters(),
                "Complete barriers wait here, in order, for a slot that exclusivity lets them have.",
                "A barrier that enters an empty queue is handed over in the next cycle; one a cycle."
            ),
            entry!(
                Slots,
                "execution_slots",
                $point,
                parameters(),
                "The barriers whose sections run, each with its next thread as soon as that is known.",
                "A slot can start a thread in the cycle after it was found; it is free in the third cycle after its last \
                 pass."
            ),
            entry!(
                Arbiter,
                "barrier_arbiter",
                $point,
                parameters(),
                "Chooses the slot that starts its thread: by priority, by turns, and nobody starves.",
                "Combinational choice."
            ),
            entry!(
                Selection,
                "thread_selection_unit",
                $point,
                parameters(),
                "Finds the next thread of a section in logical order, a thread block a cycle.",
                "Combinational; an empty block costs one cycle."
            ),
            entry!(
                Threads,
                "thread_state",
                $point,
                parameters(),
                "Who sleeps, in which barrier and phase, and who is done.",
                "Combinational reads, writes show in the next cycle; a sweep of a cycle a thread block after reset."
            ),
            entry!(
                Map,
                "logical_map",
                $point,
                parameters(),
                "Which physical thread block is the n-th of its CTA.",
                "Combinational reads, a write shows in the next cycle."
            ),
            entry!(
                Walker,
                "release_walker",
                $point,
                parameters(),
                "Turns the end of a barrier's phase into wake-ups, a thread block a cycle.",
                "A release is walked from the next cycle on, a block a cycle."
            ),
        ]
    }};
}

/// Every block at every point.
pub fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(execution!("2x2x2x4x2"; 2 1, 2 1, 2 1, 4 2, 2 1));
    entries.extend(execution!("16x8x8x16x16"; 16 4, 8 3, 8 3, 16 4, 16 4));
    entries.extend(execution!("16x8x8x64x16"; 16 4, 8 3, 8 3, 64 6, 16 4));
    entries
}
