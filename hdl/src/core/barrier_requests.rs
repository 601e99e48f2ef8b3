//! The requests that an instruction, a launch or an end of a thread block makes at the barrier scheduler, one a cycle: one for each of the scheduler's
//! blocks of threads that has some of the warp's, or one for all, or as many as a count of transactions takes.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `origin`, `index`, `word` to `threads` | in | what is in front of the queue; of a warp, its instruction |
//! | `block_threads` | in | threads of a thread block of the grid |
//! | `request_*` | out, `request_ready` in | the request at the scheduler's port |
//! | `leave` | out | the last request of what is in front is accepted |
//! | `asked_*` | out | of the request that is shown: is it the first, the last; which part; what its answer means for whom |
//!
//! A thread of rank r in its thread block is lane r mod `THREADS` of warp r / `THREADS`, and offset r mod `BLOCK_THREADS` of the scheduler's block
//! r / `BLOCK_THREADS`. So a warp has `PARTS` = max(1, `THREADS` / `BLOCK_THREADS`) blocks, or a part of one.
//!
//! **Timing** combinational; a request holds until it is accepted. **Invariants** 1. a thread for which an instruction asks is in one request of it, unless that is about counts, or once for all.
//! 2. it is asked for where its rank puts it. 3. counts of transactions are announced or complete in requests of up to 63, those of the even phase first. 4. a request is of the
//! kind, barrier and flags that the instruction says; a configuration is what it or a register says. 5. a launch or an end is one request, of its slot. 6. the first request is told, and
//! the last, with which what is in front leaves.
//! **Source** SM-07, BR-02, BR-05, BR-06, BR-51.

use super::barrier_queue::Origin;
use crate::barrier::operation::BarrierOperation;
use crate::isa::{barrier_flag, configuration, BarrierOpcode, ADDRESS, BARRIER, BARRIER_FLAGS, OPCODE};
use crate::prelude::*;

/// Barrier opcodes, and EXIT: what the scheduler is asked for each.
const OPERATIONS: usize = BarrierOpcode::ALL.len();

/// The most transactions that a request takes.
const MOST: u64 = 63;

/// The opcode and the request of each barrier form.
const fn operation(opcode: BarrierOpcode) -> BarrierOperation {
    match opcode {
        BarrierOpcode::Configure => BarrierOperation::Configure,
        BarrierOpcode::Conditional | BarrierOpcode::Ordered | BarrierOpcode::Unordered => BarrierOperation::Arrive,
        // The mark at the bottom of a conditional barrier asks nothing, and does not come here.
        BarrierOpcode::Bottom | BarrierOpcode::ConditionalBottom => BarrierOperation::Bottom,
        BarrierOpcode::Arrive => BarrierOperation::SplitArrive,
        BarrierOpcode::Wait => BarrierOperation::SplitWait,
        BarrierOpcode::Expect => BarrierOperation::Expect,
        BarrierOpcode::Complete => BarrierOperation::Complete,
        BarrierOpcode::Reset => BarrierOperation::Reset,
    }
}

block! {
    /// See the module's page.
    pub struct BarrierRequests<
        const WARP_BITS: usize, const THREADS: usize, const THREAD_BITS: usize, const ADDRESS_BITS: usize,
        const BLOCK_THREADS: usize, const OFFSET_BITS: usize, const PARTS: usize, const PART_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Something is in front.
            pub front_valid: Signal<In, Bit>,
            /// A warp 0, a launch 1, an end 2.
            pub origin: Signal<In, Bits<2>>,
            /// Its warp or slot.
            pub index: Signal<In, Bits<WARP_BITS>>,
            /// Threads of a thread block of the grid.
            pub block_threads: Signal<In, Bits<12>>,
            /// The instruction.
            pub word: Signal<In, Bits<64>>,
            /// Where it is.
            pub address: Signal<In, Bits<ADDRESS_BITS>>,
            /// What of it comes from registers.
            pub operand: Signal<In, Bits<24>>,
            /// The slot of the warp's block.
            pub slot: Signal<In, Bits<WARP_BITS>>,
            /// The warp's number in its block.
            pub place: Signal<In, Bits<WARP_BITS>>,
            /// Threads in which its guard holds.
            pub named: Signal<In, Bits<THREADS>>,
            /// Those for which the scheduler is asked.
            pub threads: Signal<In, Bits<THREADS>>,
            /// A request.
            pub request_valid: Signal<Out, Bit>,
            /// It is accepted.
            pub request_ready: Signal<In, Bit>,
            /// What is asked for.
            pub request_operation: Signal<Out, Bits<4>>,
            /// The slot of the thread block.
            pub request_slot: Signal<Out, Bits<WARP_BITS>>,
            /// The scheduler's block.
            pub request_block: Signal<Out, Bits<3>>,
            /// The barrier.
            pub request_barrier: Signal<Out, Bits<3>>,
            /// Threads that do it.
            pub request_mask: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Those of them that take part.
            pub request_participants: Signal<Out, Bits<BLOCK_THREADS>>,
            /// Address of the instruction.
            pub request_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Address after the bottom.
            pub request_after: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The barrier opens a critical section.
            pub request_critical: Signal<Out, Bit>,
            /// The section runs in logical order.
            pub request_ordered: Signal<Out, Bit>,
            /// No conflicting section runs meanwhile.
            pub request_exclusive: Signal<Out, Bit>,
            /// Threads wait at the bottom for all others.
            pub request_blocking: Signal<Out, Bit>,
            /// The barrier need not wait for all.
            pub request_impatient: Signal<Out, Bit>,
            /// Configuration, launch parameters, phase and count.
            pub request_data: Signal<Out, Bits<64>>,
            /// What is in front has no further request.
            pub leave: Signal<Out, Bit>,
            /// It is the first request of what is in front.
            pub asked_first: Signal<Out, Bit>,
            /// It is the last one.
            pub asked_last: Signal<Out, Bit>,
            /// It is an EXIT.
            pub asked_exit: Signal<Out, Bit>,
            /// The warp's first thread is that offset of the block.
            pub asked_up: Signal<Out, Bits<6>>,
            /// The block's first thread is that lane of the warp.
            pub asked_down: Signal<Out, Bits<6>>,
            /// Threads of the warp that present again if the request is refused.
            pub asked_threads: Signal<Out, Bits<THREADS>>,
            /// Threads that present again, whatever the answer.
            pub asked_again: Signal<Out, Bits<THREADS>>,
        }
        parts {
            sent: Register<Bits<PARTS>>,
            under_way: Register<Bit>,
            even_left: Register<Bits<12>>,
            odd_left: Register<Bits<12>>,
            rows: MaskUnion<OPERATIONS, 4>,
            present: MaskUnion<PARTS, PARTS>,
            #[reads_back(mask)]
            part: LowestBit<PARTS, PART_BITS>,
            map: MaskUnion<8, 24>,
            opcode: Signal<Local, Bits<8>>,
            warp: Signal<Local, Bit>,
            exit: Signal<Local, Bit>,
            once: Signal<Local, Bit>,
            counts: Signal<Local, Bit>,
            splits: Signal<Local, Bit>,
            asks: Signal<Local, Bits<THREADS>>,
            named_even: Signal<Local, Bits<THREADS>>,
            even: Signal<Local, Bits<12>>,
            odd: Signal<Local, Bits<12>>,
            left: Signal<Local, Bits<12>>,
            amount: Signal<Local, Bits<12>>,
            parity: Signal<Local, Bit>,
            configured: Signal<Local, Bits<64>>,
            rank: Signal<Local, Bits<12>>,
            up: Signal<Local, Bits<12>>,
            flags: Signal<Local, Bits<3>>,
            blocks: Signal<Local, Bits<12>>,
            accepted: Signal<Local, Bit>,
            codes: [Constant<Bits<8>>; OPERATIONS] =
                std::array::from_fn(|at| Constant::new(bits(u64::from(BarrierOpcode::ALL[at].code())))),
            operations: [Constant<Bits<4>>; OPERATIONS] =
                std::array::from_fn(|at| Constant::new(bits(operation(BarrierOpcode::ALL[at]) as u64))),
            downs: [Constant<Bits<6>>; PARTS] =
                std::array::from_fn(|part| Constant::new(bits((part * BLOCK_THREADS) as u64))),
            entries: [Constant<Bits<24>>; 8] = std::array::from_fn(|block| Constant::new(bits((block << (3 * block)) as u64))),
            number: [Constant<Bits<12>>; 8] = std::array::from_fn(|block| Constant::new(bits(block as u64))),
            none: Constant<Bits<PARTS>> = Constant::new(bits(0)),
            opcode_at: Constant<Bits<6>> = Constant::new(bits(OPCODE.offset as u64)),
            barrier_at: Constant<Bits<6>> = Constant::new(bits(BARRIER.offset as u64)),
            flags_at: Constant<Bits<6>> = Constant::new(bits(BARRIER_FLAGS.offset as u64)),
            after_at: Constant<Bits<6>> = Constant::new(bits(ADDRESS.offset as u64)),
            thread_bits: Constant<Bits<4>> = Constant::new(bits(THREAD_BITS as u64)),
            offset_bits: Constant<Bits<4>> = Constant::new(bits(OFFSET_BITS as u64)),
            offset_mask: Constant<Bits<12>> = Constant::new(bits(BLOCK_THREADS as u64 - 1)),
            origin_warp: Constant<Bits<2>> = Constant::new(bits(Origin::Warp as u64)),
            origin_launch: Constant<Bits<2>> = Constant::new(bits(Origin::Launch as u64)),
            operation_launch: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Launch as u64)),
            operation_retire: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Retire as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(BarrierOperation::Exit as u64)),
            code_configure: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Configure.code() as u64)),
            code_conditional: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Conditional.code() as u64)),
            code_ordered: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Ordered.code() as u64)),
            code_wait: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Wait.code() as u64)),
            code_announce: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Expect.code() as u64)),
            code_complete: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Complete.code() as u64)),
            code_reset: Constant<Bits<8>> = Constant::new(bits(BarrierOpcode::Reset.code() as u64)),
            most: Constant<Bits<12>> = Constant::new(bits(MOST)),
            reference_bits: Constant<Bits<64>> = Constant::new(bits(configuration::REFERENCE.place(u64::MAX))),
            reference_at: Constant<Bits<6>> = Constant::new(bits(configuration::REFERENCE.offset as u64)),
            by_register_at: Constant<Bits<6>> = Constant::new(bits(configuration::REFERENCE_IN_REGISTER.offset as u64)),
            lower_bits: Constant<Bits<64>> = Constant::new(bits(configuration::LOWER.place(u64::MAX))),
            class_at: Constant<Bits<6>> = Constant::new(bits(configuration::CLASS.offset as u64)),
            class_from: Constant<Bits<6>> = Constant::new(bits(configuration::INSTRUCTION_CLASS.offset as u64)),
            exclusive_at: Constant<Bits<2>> = Constant::new(bits(barrier_flag::EXCLUSIVE.trailing_zeros() as u64)),
            nonblocking_at: Constant<Bits<2>> = Constant::new(bits(barrier_flag::NONBLOCKING.trailing_zeros() as u64)),
            impatient_at: Constant<Bits<2>> = Constant::new(bits(barrier_flag::IMPATIENT.trailing_zeros() as u64)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const THREADS: usize,
        const THREAD_BITS: usize,
        const ADDRESS_BITS: usize,
        const BLOCK_THREADS: usize,
        const OFFSET_BITS: usize,
        const PARTS: usize,
        const PART_BITS: usize,
    > Logic
    for BarrierRequests<WARP_BITS, THREADS, THREAD_BITS, ADDRESS_BITS, BLOCK_THREADS, OFFSET_BITS, PARTS, PART_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sent, under_way, even_left, odd_left);
        self.warp.next = self.origin.val() == self.origin_warp.val();
        self.opcode.next = self.word.val().get_bits::<8>(self.opcode_at.val());
        for i in 0..OPERATIONS {
            self.rows.masks[i].next = 0.into();
            if self.opcode.val() == self.codes[i].val() {
                self.rows.masks[i].next = self.operations[i].val();
            }
        }
        // Of what comes here, only EXIT is no barrier form.
        self.exit.next = !self.rows.result.val().any();
        self.counts.next =
            (self.opcode.val() == self.code_announce.val()) | (self.opcode.val() == self.code_complete.val());
        self.once.next =
            (self.opcode.val() == self.code_configure.val()) | (self.opcode.val() == self.code_reset.val());
        self.splits.next = self.warp.val() & !self.counts.val() & !self.once.val();

        // Transactions: first those of even parity, then those of odd parity, a handful at a time.
        self.even.next = self.operand.val().get_bits::<12>(0);
        self.odd.next = self.operand.val().get_bits::<12>(12);
        if self.under_way.q.val() {
            self.even.next = self.even_left.q.val();
            self.odd.next = self.odd_left.q.val();
        }
        self.parity.next = !self.even.val().any();
        self.left.next = self.even.val();
        self.named_even.next = self.named.val() & !self.threads.val();
        if self.parity.val() {
            self.left.next = self.odd.val();
        }
        self.amount.next = self.left.val();
        if self.left.val() > self.most.val() {
            self.amount.next = self.most.val();
        }

        // The blocks that have threads of the warp, and the one that is asked for now.
        self.asks.next = self.threads.val();
        if self.counts.val() & !self.parity.val() {
            self.asks.next = self.named_even.val();
        }
        for i in 0..PARTS {
            self.present.masks[i].next = self
                .none
                .val()
                .replace_bit(i, (self.asks.val() >> self.downs[i].val()).get_bits::<BLOCK_THREADS>(0).any());
        }
        self.part.mask.next = self.present.result.val() & !self.sent.q.val();
        self.asked_down.next = 0.into();
        for i in 0..PARTS {
            if self.part.one_hot.val().get_bit(i) {
                self.asked_down.next = self.downs[i].val();
            }
        }
        self.up.next = (bit_cast::<12, WARP_BITS>(self.place.val()) << self.thread_bits.val()) & self.offset_mask.val();
        self.asked_up.next = bit_cast::<6, 12>(self.up.val());
        self.rank.next = (bit_cast::<12, WARP_BITS>(self.place.val()) << self.thread_bits.val())
            + bit_cast::<12, 6>(self.asked_down.val());

        // The request.
        self.request_valid.next = self.front_valid.val();
        self.request_operation.next = self.rows.result.val();
        if self.exit.val() {
            self.request_operation.next = self.operation_exit.val();
        }
        self.request_slot.next = self.slot.val();
        self.request_block.next = bit_cast::<3, 12>(self.rank.val() >> self.offset_bits.val());
        self.request_barrier.next = self.word.val().get_bits::<3>(self.barrier_at.val());
        self.request_mask.next =
            bit_cast::<BLOCK_THREADS, THREADS>(self.asks.val() >> self.asked_down.val()) << self.up.val();
        self.request_participants.next =
            bit_cast::<BLOCK_THREADS, THREADS>(self.named.val() >> self.asked_down.val()) << self.up.val();
        self.request_tag.next = self.address.val();
        self.request_after.next = self.word.val().get_bits::<ADDRESS_BITS>(self.after_at.val());
        self.flags.next = self.word.val().get_bits::<3>(self.flags_at.val());
        self.request_critical.next = self.opcode.val() != self.code_conditional.val();
        self.request_ordered.next = self.opcode.val() == self.code_ordered.val();
        self.request_exclusive.next = self.flags.val().get_bit(self.exclusive_at.val());
        self.request_blocking.next = !self.flags.val().get_bit(self.nonblocking_at.val());
        self.request_impatient.next = self.flags.val().get_bit(self.impatient_at.val());
        self.configured.next = (self.word.val() & self.lower_bits.val())
            | (bit_cast::<64, 2>(self.word.val().get_bits::<2>(self.class_from.val())) << self.class_at.val());
        self.request_data.next = bit_cast::<64, 24>(self.operand.val());
        if self.counts.val() {
            self.request_data.next =
                bit_cast::<64, 1>(self.parity.val().into()) | (bit_cast::<64, 12>(self.amount.val()) << 1);
        } else if self.opcode.val() == self.code_configure.val() {
            self.request_data.next = self.configured.val();
            if self.word.val().get_bit(self.by_register_at.val()) {
                self.request_data.next = (self.configured.val() & !self.reference_bits.val())
                    | (bit_cast::<64, 24>(self.operand.val()) << self.reference_at.val());
            }
        }
        self.blocks.next = (self.block_threads.val() + self.offset_mask.val()) >> self.offset_bits.val();
        for i in 0..8 {
            self.map.masks[i].next = 0.into();
            if self.number[i].val() < self.blocks.val() {
                self.map.masks[i].next = self.entries[i].val();
            }
        }
        if !self.warp.val() {
            self.request_slot.next = self.index.val();
            self.request_block.next = 0.into();
            self.request_operation.next = self.operation_retire.val();
            if self.origin.val() == self.origin_launch.val() {
                self.request_operation.next = self.operation_launch.val();
            }
            self.request_data.next =
                bit_cast::<64, 12>(self.block_threads.val()) | (bit_cast::<64, 24>(self.map.result.val()) << 16);
        }

        // How far it is.
        self.accepted.next = self.request_valid.val() & self.request_ready.val();
        self.asked_first.next = !self.under_way.q.val();
        self.asked_last.next = true;
        if self.splits.val() {
            self.asked_last.next = !(self.part.mask.val() & !self.part.one_hot.val()).any();
        } else if self.warp.val() & self.counts.val() {
            self.asked_last.next = (self.left.val() == self.amount.val()) & (self.parity.val() | !self.odd.val().any());
        }
        self.leave.next = self.accepted.val() & self.asked_last.val();
        if self.accepted.val() {
            self.under_way.d.next = !self.asked_last.val();
            self.sent.d.next = self.none.val();
            if self.splits.val() & !self.asked_last.val() {
                self.sent.d.next = self.sent.q.val() | self.part.one_hot.val();
            }
            self.even_left.d.next = self.even.val();
            self.odd_left.d.next = self.odd.val();
            if self.parity.val() {
                self.odd_left.d.next = self.odd.val() - self.amount.val();
            } else {
                self.even_left.d.next = self.even.val() - self.amount.val();
            }
        }

        // What its answer means.
        self.asked_exit.next = self.warp.val() & self.exit.val();
        self.asked_threads.next = self.asks.val();
        if self.splits.val() {
            self.asked_threads.next = ((self.asks.val() >> self.asked_down.val())
                & bit_cast::<THREADS, BLOCK_THREADS>(!bits::<BLOCK_THREADS>(0)))
                << self.asked_down.val();
        }
        self.asked_again.next = 0.into();
        if self.opcode.val() == self.code_wait.val() {
            self.asked_again.next = self.named.val() & !self.threads.val();
        }
    }
}
