//! The control core with the deque as its engine whose blocks can be suspended and resumed: from grids to the instructions that its lanes carry out.
//!
//! The data path stays outside: the lanes answer what of an instruction depends on registers and predicates, and do its work when the core says so.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `grid_ports` | | configuration, grids, tables of flags |
//! | `residency_ports` | out | blocks and warps that come and go |
//! | `lane_ports` | | instructions and lanes |
//! | `offer_ports` | | what the engine is offered, what it reports; a port for observers |
//! | `engine_choice_ports` | | configuration and memory of the engine |
//! | `barrier_ports` | | configuration of the barriers, and what happens at them |
//! | `suspension_ports` | | suspensions and resumptions, the memory of save areas |
//! | `local_memory_ports` | | the lanes' accesses to local memory, its allocator and its memories |
//! | `resume_valid` | out | the warp that is launched in this cycle comes back from a save area |
//!
//! **Timing** one instruction a cycle: choice of a warp, fetch, lanes and engine meet in it. An instruction that the engine refuses is offered again,
//! unchanged. While nothing is suspended it is `control_core`, cycle for cycle, but for accesses to local memory, of which only this core knows. The
//! first warp of a block is launched in the cycle after the block was taken, the others one a cycle behind it.
//! **Invariants** those of its parts. **Source** SM-01 to SM-03, SM-05, SM-06, CX-01 to CX-09.
//! **See also** `suspension_unit`, `local_memory_unit`, `core_top` for how the parts are wired.

use super::barrier_unit::BarrierUnit;
use super::cta_slots::CtaSlots;
use super::deque_engine::DequeEngine;
use super::issue_stage::IssueStage;
use super::launch_queue::LaunchQueue;
use super::local_memory_unit::LocalMemoryUnit;
use super::suspension_unit::SuspensionUnit;
use crate::barrier::operation::ADDRESS_BITS;
use crate::core_top;
use crate::launch::work_distributor::WorkDistributor;
use crate::prelude::*;

core_top! {
    /// `WARPS` = 2^`WARP_BITS` warps of `THREADS` = 2^`THREAD_BITS` threads; `WARP_COUNT_BITS` = `WARP_BITS` + 1, `LAUNCH_BITS` = `WARP_BITS` +
    /// `THREADS` + 22; `PRIORITY_BITS` is 6 or 10, `PROGRAM_BITS` = 22 + `PRIORITY_BITS`, `TASK_BITS` = `PROGRAM_BITS` + 42, `BLOCK_BITS` =
    /// `PROGRAM_BITS` + 56; `GROUPS` = 2^`GROUP_BITS` rows of local memory, for warps in the core and away, `GROUP_COUNT_BITS` = `GROUP_BITS` + 1, `SIZE_BITS` = `THREAD_BITS`
    /// + 16; the other parameters are those of the engine and of `barrier_unit`. See the module's page.
    pub struct ControlCoreSuspending around DequeEngine {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The warp that is launched comes back from a save area.
            pub resume_valid: Signal<Out, Bit>,
        }
        shared { grid_ports, residency_ports, lane_ports, offer_ports, engine_choice_ports, barrier_ports, suspension_ports, local_memory_ports }
        with {
            suspension: SuspensionUnit, local: LocalMemoryUnit;
            GROUPS, GROUP_BITS, GROUP_COUNT_BITS, SIZE_BITS
        }
    }
}
