//! The grids that wait: served in order, each inserted at the tail or at the head.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `request_valid`, `request_ready` | in, out | 1 | a grid is offered; there is room for it |
//! | `request_head` | in | 1 | before all that wait, else behind them |
//! | `request_task`, `request_shape` | in | `TASK_BITS`, 96 | what the queue keeps of it |
//! | `next_valid` | out | 1 | a grid waits |
//! | `next_task`, `next_shape` | out | `TASK_BITS`, 96 | the one to be served next |
//! | `next_take` | in | 1 | it leaves the queue; only with `next_valid` |
//!
//! **Timing** a grid is shown from the cycle after its request on; `request_ready` depends on nothing of the cycle's inputs.
//! **Invariants** 1. at most `2^QUEUE_BITS` grids wait, in a ring of that many entries. 2. grids leave in the order of the
//! queue, each once and unchanged; one that is taken in the cycle of a head insertion is the one shown, not the one inserted.
//! **Source** US 2014/0165072, task metadata inserted at the head or the tail of its list; WD-06.

use crate::prelude::*;

block! {
    /// `COUNT_BITS` = `QUEUE_BITS` + 1; see the module's page.
    pub struct GridQueue<const QUEUE_BITS: usize, const COUNT_BITS: usize, const TASK_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A grid is offered.
            pub request_valid: Signal<In, Bit>,
            /// There is room for it.
            pub request_ready: Signal<Out, Bit>,
            /// It goes before all that wait.
            pub request_head: Signal<In, Bit>,
            /// What is launched.
            pub request_task: Signal<In, Bits<TASK_BITS>>,
            /// Ranges and cluster sizes.
            pub request_shape: Signal<In, Bits<96>>,
            /// A grid waits.
            pub next_valid: Signal<Out, Bit>,
            /// What the next one launches.
            pub next_task: Signal<Out, Bits<TASK_BITS>>,
            /// Its ranges and cluster sizes.
            pub next_shape: Signal<Out, Bits<96>>,
            /// It leaves the queue.
            pub next_take: Signal<In, Bit>,
        }
        parts {
            first: Register<Bits<QUEUE_BITS>>,
            count: Register<Bits<COUNT_BITS>>,
            tasks: RegisterFile<QUEUE_BITS, TASK_BITS>,
            shapes: RegisterFile<QUEUE_BITS, 96>,
            enters: Signal<Local, Bit>,
            first_left: Signal<Local, Bits<QUEUE_BITS>>,
            entry: Signal<Local, Bits<QUEUE_BITS>>,
            capacity: Constant<Bits<COUNT_BITS>> = Constant::new(bits(1 << QUEUE_BITS)),
        }
    }
}

impl<const QUEUE_BITS: usize, const COUNT_BITS: usize, const TASK_BITS: usize> Logic
    for GridQueue<QUEUE_BITS, COUNT_BITS, TASK_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, count);
        clock!(self, clock, tasks, shapes);

        self.request_ready.next = self.count.q.val() != self.capacity.val();
        self.next_valid.next = self.count.q.val().any();
        self.enters.next = self.request_valid.val() & self.request_ready.val();

        // First the grid that leaves, then the one that enters before or behind the rest.
        self.first_left.next = self.first.q.val();
        if self.next_take.val() {
            self.first_left.next = self.first.q.val() + 1;
        }
        self.first.d.next = self.first_left.val();
        self.entry.next = self.first.q.val() + bit_cast::<QUEUE_BITS, COUNT_BITS>(self.count.q.val());
        if self.request_head.val() {
            self.entry.next = self.first_left.val() - 1;
            if self.enters.val() {
                self.first.d.next = self.first_left.val() - 1;
            }
        }
        if self.enters.val() & !self.next_take.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if !self.enters.val() & self.next_take.val() {
            self.count.d.next = self.count.q.val() - 1;
        }

        self.tasks.write_enable.next = self.enters.val();
        self.tasks.write_address.next = self.entry.val();
        self.tasks.write_data.next = self.request_task.val();
        self.tasks.read_address.next = self.first.q.val();
        self.shapes.write_enable.next = self.enters.val();
        self.shapes.write_address.next = self.entry.val();
        self.shapes.write_data.next = self.request_shape.val();
        self.shapes.read_address.next = self.first.q.val();
        self.next_task.next = self.tasks.read_data.val();
        self.next_shape.next = self.shapes.read_data.val();
    }
}
