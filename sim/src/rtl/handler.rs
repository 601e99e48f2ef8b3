//! The software exception handler at the ports of a block: it reads the window, lets the driver model work on the copy, writes
//! back what changed, sets the pointers and reports that it is done (DQ-13).

use super::memory::{Memory, SPILL_STRIDE};
use crate::engine::Cause;
use crate::model::exception_driver::{serve, Pointers, SpillMemory, Unserved, WindowPort};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Pins;

heddle_hdl::pins! {
    /// The pins of the handler's port.
    struct Service {
        exception_valid, exception_cause, exception_warp, handler_done, handler_pointer_write, handler_head, handler_tail,
        handler_spill_first, handler_spill_end, handler_spill_count, window_write, window_index, window_data,
        window_read_data, queue_head, queue_tail, spill_first, spill_count,
    }
}

/// Where the handler is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// No exception.
    Idle,
    /// The next entry to ask for; the one before it is on the pins.
    Reading(usize),
    /// What is left to write, last first.
    Writing(Vec<(usize, u128)>),
    /// The pointers go in.
    Pointing,
    /// Telling the block.
    Done,
    /// The exception is over in the next cycle.
    Leaving,
}

/// The software handler of one block; see the module's page.
#[derive(Clone, Debug)]
pub struct Handler {
    pins: Service,
    depth: usize,
    spill_base: u32,
    spill_limit: usize,
    step: Step,
    cause: Cause,
    warp: u32,
    window: Vec<u128>,
    pointers: Pointers,
    shifting: bool,
    /// Exceptions served so far.
    pub served: u64,
}

/// The copy on which the driver model works.
struct Copy<'a> {
    window: &'a mut [u128],
    pointers: &'a mut Pointers,
}

impl WindowPort for Copy<'_> {
    fn read(&mut self, entry: usize) -> u128 {
        self.window[entry]
    }
    fn write(&mut self, entry: usize, token: u128) {
        self.window[entry] = token;
    }
    fn pointers(&mut self) -> Pointers {
        *self.pointers
    }
    fn set_pointers(&mut self, pointers: Pointers) {
        *self.pointers = pointers;
    }
}

/// The spill area of one warp.
struct Area<'a> {
    memory: &'a mut Memory,
    base: u32,
    limit: usize,
}

impl SpillMemory for Area<'_> {
    fn limit(&self) -> usize {
        self.limit
    }
    fn read(&mut self, slot: usize) -> u128 {
        self.memory.read(self.base + slot as u32)
    }
    fn write(&mut self, slot: usize, token: u128) {
        self.memory.write(self.base + slot as u32, token);
    }
}

/// Moves all spilled tokens a slot further on in the circle, if there is a free one; the slot of the first.
fn shift(area: &mut Area, pointers: Pointers) -> usize {
    let Pointers { spill_first: first, spill_count: count, .. } = pointers;
    let limit = area.limit();
    if count >= limit {
        return first;
    }
    for place in (0..count).rev() {
        let token = area.read((first + place) % limit);
        area.write((first + place + 1) % limit, token);
    }
    (first + 1) % limit
}

impl Handler {
    /// A handler for a block whose window has `depth` entries.
    pub fn new(ports: &[Port], depth: usize, spill_base: u32, spill_limit: usize) -> Self {
        Self {
            pins: Service::of(ports),
            depth,
            spill_base,
            spill_limit,
            step: Step::Idle,
            cause: Cause::Recenter,
            warp: 0,
            window: vec![0; depth],
            pointers: Pointers::empty(depth),
            shifting: false,
            served: 0,
        }
    }

    /// Software that each time also moves what is spilled a slot further on: the block has to follow its pointers.
    #[must_use]
    pub fn shifting(self) -> Self {
        Self { shifting: true, ..self }
    }

    /// Gives up the exception under way, for a block that is being reset.
    pub fn forget(&mut self) {
        self.step = Step::Idle;
    }

    /// Puts this cycle's strobes on the pins.
    pub fn drive(&mut self, pins: &mut impl Pins) {
        pins.set(self.pins.handler_done, (self.step == Step::Done).into());
        pins.set(self.pins.handler_pointer_write, (self.step == Step::Pointing).into());
        let write = match &self.step {
            Step::Writing(changes) => changes.last().copied(),
            _ => None,
        };
        pins.set(self.pins.window_write, write.is_some().into());
        match (&self.step, write) {
            (_, Some((entry, token))) => {
                pins.set(self.pins.window_index, entry as u128);
                pins.set(self.pins.window_data, token);
            }
            (Step::Reading(entry), _) => pins.set(self.pins.window_index, *entry as u128),
            (Step::Pointing, _) => {
                let Pointers { head, tail, spill_first, spill_count } = self.pointers;
                let end = if self.spill_limit == 0 { 0 } else { (spill_first + spill_count) % self.spill_limit };
                pins.set(self.pins.handler_head, head as u128);
                pins.set(self.pins.handler_tail, tail as u128);
                pins.set(self.pins.handler_spill_first, spill_first as u128);
                pins.set(self.pins.handler_spill_end, end as u128);
                pins.set(self.pins.handler_spill_count, spill_count as u128);
            }
            _ => {}
        }
    }

    /// Goes on by one cycle, on the settled pins.
    ///
    /// # Errors
    /// The block raised an exception that software cannot serve: a defect of the block.
    pub fn observe(&mut self, pins: &mut impl Pins, memory: &mut Memory) -> Result<(), Unserved> {
        self.step = match std::mem::replace(&mut self.step, Step::Idle) {
            Step::Idle => self.begin(pins),
            Step::Reading(entry) => {
                if entry > 0 {
                    self.window[entry - 1] = pins.get(self.pins.window_read_data);
                }
                if entry < self.depth {
                    Step::Reading(entry + 1)
                } else {
                    Step::Writing(self.work(memory)?)
                }
            }
            Step::Writing(mut changes) => {
                changes.pop();
                if changes.is_empty() {
                    Step::Pointing
                } else {
                    Step::Writing(changes)
                }
            }
            Step::Pointing => Step::Done,
            Step::Done => Step::Leaving,
            Step::Leaving => Step::Idle,
        };
        Ok(())
    }

    /// Looks for an exception.
    fn begin(&mut self, pins: &mut impl Pins) -> Step {
        if pins.get(self.pins.exception_valid) == 0 {
            return Step::Idle;
        }
        self.cause = match pins.get(self.pins.exception_cause) {
            0 => Cause::Recenter,
            1 => Cause::Spill,
            2 => Cause::Refill,
            // Fatal is a strobe: there is nothing to serve.
            _ => return Step::Idle,
        };
        self.warp = pins.get(self.pins.exception_warp) as u32;
        self.pointers = Pointers {
            head: pins.get(self.pins.queue_head) as usize,
            tail: pins.get(self.pins.queue_tail) as usize,
            spill_first: pins.get(self.pins.spill_first) as usize,
            spill_count: pins.get(self.pins.spill_count) as usize,
        };
        Step::Reading(0)
    }

    /// Lets the driver work on the copy; what it changed in the window.
    fn work(&mut self, memory: &mut Memory) -> Result<Vec<(usize, u128)>, Unserved> {
        let before = self.window.clone();
        let base = self.spill_base + self.warp * SPILL_STRIDE;
        let mut copy = Copy { window: &mut self.window, pointers: &mut self.pointers };
        let mut area = Area { memory, base, limit: self.spill_limit };
        serve(self.cause, self.depth, &mut copy, &mut area)?;
        self.served += 1;
        if self.shifting {
            self.pointers.spill_first = shift(&mut area, self.pointers);
        }
        let changed = before.iter().zip(&self.window).enumerate().filter(|(_, (old, new))| old != new);
        Ok(changed.map(|(entry, (_, new))| (entry, *new)).collect())
    }
}
