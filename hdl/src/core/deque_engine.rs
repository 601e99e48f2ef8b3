//! The token deque as an engine of the core, and with `stack_mode` the plain stack: a divergence unit without its software handler.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `engine_ports` | | those of every engine |
//! | `engine_choice_ports` | | configuration, counters and memory, whichever engine it is |
//! | `engine_context_ports` | | warps that are saved and restored |
//!
//! **Timing** that of the divergence unit.
//! **Source** SM-01.

use crate::divergence::divergence_unit::DivergenceUnit;
use crate::prelude::*;

block! {
    /// `POINTER_BITS` = `DEPTH_BITS` + 1, `ENTRY_BITS` = log2 of warps × tokens of a window, `KEY_BITS` = `WARP_BITS` + 4; a word is a token.
    pub struct DequeEngine<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const DEPTH_BITS: usize, const POINTER_BITS: usize, const ENTRY_BITS: usize, const KEY_BITS: usize, const WORD_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
        }
        shared { engine_ports, engine_choice_ports, engine_context_ports }
        parts {
            unit: DivergenceUnit<
                WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, WORD_BITS, KEY_BITS,
            >,
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const DEPTH_BITS: usize,
        const POINTER_BITS: usize,
        const ENTRY_BITS: usize,
        const KEY_BITS: usize,
        const WORD_BITS: usize,
    > Logic
    for DequeEngine<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, DEPTH_BITS, POINTER_BITS, ENTRY_BITS, KEY_BITS, WORD_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, unit);
        self.unit.reset.next = self.reset.val();
        self.unit.path_policy.next = self.path_policy.val();
        self.unit.yield_policy.next = self.yield_policy.val();
        self.unit.yield_parameter.next = self.yield_parameter.val();
        self.unit.yield_seed.next = self.yield_seed.val();
        self.unit.stack_mode.next = self.stack_mode.val();
        self.unit.launch_valid.next = self.launch_valid.val();
        self.unit.launch_warp.next = self.launch_warp.val();
        self.unit.launch_mask.next = self.launch_mask.val();
        self.unit.launch_address.next = self.launch_address.val();
        self.unit.request_valid.next = self.request_valid.val();
        self.unit.request_warp.next = self.request_warp.val();
        self.unit.request_operation.next = self.request_operation.val();
        self.unit.request_kind.next = self.request_kind.val();
        self.unit.request_mask.next = self.request_mask.val();
        self.unit.request_target.next = self.request_target.val();
        self.unit.request_targeted.next = self.request_targeted.val();
        self.unit.request_again.next = self.request_again.val();
        self.unit.query_warp.next = self.query_warp.val();
        self.unit.query_kind.next = self.query_kind.val();
        self.unit.spill_base.next = self.spill_base.val();
        self.unit.spill_limit.next = self.spill_limit.val();
        self.unit.memory_request_ready.next = self.memory_request_ready.val();
        self.unit.memory_response_valid.next = self.memory_response_valid.val();
        self.unit.memory_response_data.next = self.memory_response_data.val();
        self.unit.launch_resumes.next = self.launch_resumes.val();
        self.unit.launch_yields.next = self.launch_yields.val();
        // The core has no software handler.
        self.unit.handler_software.next = false;
        self.unit.handler_done.next = false;
        self.unit.handler_pointer_write.next = false;
        self.unit.handler_head.next = 0.into();
        self.unit.handler_tail.next = 0.into();
        self.unit.handler_spill_first.next = 0.into();
        self.unit.handler_spill_end.next = 0.into();
        self.unit.handler_spill_count.next = 0.into();
        self.unit.window_write.next = false;
        self.unit.window_index.next = 0.into();
        self.unit.window_data.next = 0.into();
        self.launch_ready.next = self.unit.launch_ready.val();
        self.request_ready.next = self.unit.request_ready.val();
        self.query_address.next = self.unit.query_address.val();
        self.query_active.next = self.unit.query_active.val();
        self.query_disabled.next = self.unit.query_disabled.val();
        self.warp_ready.next = self.unit.warp_ready.val();
        self.warp_running.next = self.unit.warp_running.val();
        self.done_valid.next = self.unit.done_valid.val();
        self.done_warp.next = self.unit.done_warp.val();
        self.error_valid.next = self.unit.error_valid.val();
        self.error_cause.next = self.unit.error_cause.val();
        self.error_warp.next = self.unit.error_warp.val();
        self.error_address.next = self.unit.error_address.val();
        self.event_push.next = self.unit.event_push.val();
        self.event_push_warp.next = self.unit.event_push_warp.val();
        self.event_pop.next = self.unit.event_pop.val();
        self.event_pop_warp.next = self.unit.event_pop_warp.val();
        self.event_diverge.next = self.unit.event_diverge.val();
        self.event_yield.next = self.unit.event_yield.val();
        self.event_merge.next = self.unit.event_merge.val();
        self.event_discard.next = self.unit.event_discard.val();
        self.exception_valid.next = self.unit.exception_valid.val();
        self.exception_cause.next = self.unit.exception_cause.val();
        self.exception_warp.next = self.unit.exception_warp.val();
        self.memory_request_valid.next = self.unit.memory_request_valid.val();
        self.memory_request_write.next = self.unit.memory_request_write.val();
        self.memory_request_address.next = self.unit.memory_request_address.val();
        self.memory_request_data.next = self.unit.memory_request_data.val();
        self.memory_response_ready.next = self.unit.memory_response_ready.val();
        self.event_nodes.next = 0.into();
        self.query_yields.next = self.unit.query_yields.val();
        self.saved_valid.next = self.unit.saved_valid.val();
        self.saved_last.next = self.unit.saved_last.val();
        self.saved_kind.next = self.unit.saved_kind.val();
        self.saved_mask.next = self.unit.saved_mask.val();
        self.saved_address.next = self.unit.saved_address.val();
    }
}
