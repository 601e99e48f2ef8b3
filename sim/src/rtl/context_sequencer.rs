//! The RTL of the context sequencer as [`ContextPorts`]: one driver of its ports for every simulation of it, in Rust or Verilated.

use crate::model::context::pointer_table::{AccessError, Location};
use crate::model::context::ports::{Command, ContextPorts, Done, Inputs, Outputs, Shape, ShownRow};
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Pins, Simulation};

heddle_hdl::pins! {
    /// The pins of a context sequencer, by index.
    struct Context {
    reset, bind_valid, bind_ready, bind_slot, bind_group, bind_fresh, bind_base, bind_limit, bind_error,
    release_valid, release_slot, access_valid, access_ready, access_slot, access_thread, access_word,
    location_valid, location_group, location_global, location_address,
    access_error_valid, access_error_bound, access_error_group, access_error_slot, access_error_thread, access_error_word,
    complete_valid, complete_group, request_valid, request_ready, request_operation, request_mask, stopped,
    done_valid, done_failed, done_saved, done_words, allocate_valid, allocate_ready, allocate_group, allocate_words,
    allocated_valid, allocated_ready, allocated_failed, allocated_pointer, free_valid, free_ready, free_group, free_pointer,
    copy_read_valid, copy_read_ready, copy_read_address, copy_data_valid, copy_data_ready, copy_data,
    copy_write_valid, copy_write_ready, copy_write_address, copy_write_data, copy_acknowledge_valid,
    row_group, row_used, row_remapped, row_pointer, row_limit,
}}

/// What may stand at the pins of a word that is not valid: nobody may look.
const NOISE: u128 = 0xaaaa_5555_dead_beef;

/// The sizes of an entry of `context_sequencer`.
pub fn shape_of(entry: &Entry) -> Shape {
    let parameter = |name: &str| entry.parameter(name).unwrap_or(1);
    Shape {
        groups: parameter("groups") as usize,
        thread_bits: parameter("threads").trailing_zeros(),
        engines: parameter("engines") as usize,
    }
}

/// A context sequencer's ports as [`Inputs`] and [`Outputs`], whatever lies behind the pins.
#[derive(Clone, Copy, Debug)]
pub struct ContextPins(Context);

impl ContextPins {
    /// The pins among `ports`.
    pub fn of(ports: &[Port]) -> Self {
        Self(Context::of(ports))
    }

    /// Drives the inputs of this cycle.
    pub fn drive(&self, to: &mut dyn Pins, inputs: &Inputs) {
        let pins = &self.0;
        let fresh = inputs.bind.and_then(|bind| bind.fresh);
        for (pin, value) in [
            (pins.reset, 0),
            (pins.bind_valid, inputs.bind.is_some().into()),
            (pins.bind_slot, inputs.bind.map_or(NOISE, |bind| bind.slot as u128)),
            (pins.bind_group, inputs.bind.map_or(NOISE, |bind| bind.group as u128)),
            (pins.bind_fresh, fresh.is_some().into()),
            (pins.bind_base, fresh.map_or(NOISE, |(base, _)| base.into())),
            (pins.bind_limit, fresh.map_or(NOISE, |(_, limit)| limit.into())),
            (pins.release_valid, inputs.release.is_some().into()),
            (pins.release_slot, inputs.release.map_or(NOISE, |slot| slot as u128)),
            (pins.access_valid, inputs.access.is_some().into()),
            (pins.access_slot, inputs.access.map_or(NOISE, |access| access.slot as u128)),
            (pins.access_thread, inputs.access.map_or(NOISE, |access| access.thread.into())),
            (pins.access_word, inputs.access.map_or(NOISE, |access| access.word.into())),
            (pins.complete_valid, inputs.complete.is_some().into()),
            (pins.complete_group, inputs.complete.map_or(NOISE, |group| group as u128)),
            (pins.request_valid, inputs.request.is_some().into()),
            (pins.request_operation, matches!(inputs.request, Some(Command::Free(_))).into()),
            (pins.request_mask, inputs.request.map_or(NOISE, |command| command.groups().into())),
            (pins.allocate_ready, inputs.allocate_ready.into()),
            (pins.allocated_valid, inputs.allocated.is_some().into()),
            (pins.allocated_failed, (inputs.allocated == Some(None)).into()),
            (pins.allocated_pointer, inputs.allocated.flatten().map_or(NOISE, u128::from)),
            (pins.free_ready, inputs.free_ready.into()),
            (pins.copy_read_ready, inputs.read_ready.into()),
            (pins.copy_data_valid, inputs.data.is_some().into()),
            (pins.copy_data, inputs.data.map_or(NOISE, u128::from)),
            (pins.copy_write_ready, inputs.write_ready.into()),
            (pins.copy_acknowledge_valid, inputs.acknowledge.into()),
            (pins.row_group, inputs.row as u128),
        ] {
            to.set(pin, value);
        }
    }

    /// Reads the outputs of this cycle, settled.
    pub fn show(&self, from: &mut dyn Pins) -> Outputs {
        let pins = &self.0;
        let mut get = |pin: usize| from.get(pin);
        let location = (get(pins.location_valid) == 1).then(|| Location {
            group: get(pins.location_group) as usize,
            global: get(pins.location_global) == 1,
            address: get(pins.location_address) as u32,
        });
        let access_error = (get(pins.access_error_valid) == 1).then(|| {
            // Without a group the port says 0; anything else is shown as the wrong group that it is.
            let (bound, group) = (get(pins.access_error_bound) == 1, get(pins.access_error_group) as usize);
            AccessError {
                group: (bound || group != 0).then_some(group),
                slot: get(pins.access_error_slot) as usize,
                thread: get(pins.access_error_thread) as u32,
                word: get(pins.access_error_word) as u16,
            }
        });
        let done = (get(pins.done_valid) == 1).then(|| Done {
            failed: get(pins.done_failed) == 1,
            saved: get(pins.done_saved) as u64,
            words: get(pins.done_words) as u32,
        });
        let mut pair = |valid: usize, first: usize, second: usize| {
            (from.get(valid) == 1).then(|| (from.get(first) as u32, from.get(second) as u32))
        };
        let named = |(group, value): (u32, u32)| (group as usize, value);
        let allocate = pair(pins.allocate_valid, pins.allocate_group, pins.allocate_words).map(named);
        let free = pair(pins.free_valid, pins.free_group, pins.free_pointer).map(named);
        let write = pair(pins.copy_write_valid, pins.copy_write_address, pins.copy_write_data);
        let row = pair(pins.row_used, pins.row_pointer, pins.row_limit);
        let mut flag = |pin: usize| from.get(pin) == 1;
        // A pointer without the bit is shown as one, for it should be 0.
        let remapped = flag(pins.row_remapped);
        let row = row.map(|(pointer, limit)| ShownRow {
            pointer: (remapped || pointer != 0).then_some(pointer),
            limit: limit as u16,
        });
        Outputs {
            bind_ready: flag(pins.bind_ready),
            bind_error: flag(pins.bind_error),
            access_ready: flag(pins.access_ready),
            location,
            access_error,
            request_ready: flag(pins.request_ready),
            done,
            allocate,
            allocated_ready: flag(pins.allocated_ready),
            free,
            data_ready: flag(pins.copy_data_ready),
            write,
            row,
            stopped: from.get(pins.stopped) as u64,
            read: (from.get(pins.copy_read_valid) == 1).then(|| from.get(pins.copy_read_address) as u32),
        }
    }
}

/// A context sequencer in RTL.
pub struct RtlContextSequencer<S: Simulation> {
    simulation: S,
    pins: ContextPins,
}

impl<S: Simulation> RtlContextSequencer<S> {
    /// Resets the sequencer.
    pub fn new(mut simulation: S) -> Self {
        let pins = ContextPins::of(simulation.ports());
        pins.drive(&mut simulation, &Inputs::default());
        simulation.set(pins.0.reset, 1);
        simulation.tick();
        Self { simulation, pins }
    }
}

impl<S: Simulation> ContextPorts for RtlContextSequencer<S> {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        self.pins.drive(&mut self.simulation, inputs);
        self.pins.show(&mut self.simulation)
    }

    fn tick(&mut self) {
        self.simulation.tick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::context::traffic::{drive, EVENTS};
    use heddle_hdl::points;

    /// CX-01, CX-02, CX-03, CX-04, CX-05, CX-06, CX-07, CX-11: the RTL keeps the contract under random traffic at every point, and meets everything
    /// there is to meet.
    #[test]
    fn cx_11_the_rtl_keeps_the_contract() {
        let mut met = vec![0; EVENTS.len()];
        for entry in points::entries().into_iter().filter(|entry| entry.block == "context_sequencer") {
            for seed in 0..12 {
                let mut sequencer = RtlContextSequencer::new((entry.simulate)());
                let report =
                    drive(&mut sequencer, shape_of(&entry), seed, 5_000).unwrap_or_else(|failure| panic!("{failure}"));
                for ((met, (name, count)), expected) in met.iter_mut().zip(report.events()).zip(EVENTS) {
                    assert_eq!(name, *expected);
                    *met += count;
                }
            }
        }
        assert!(met.iter().all(|count| *count > 0), "{EVENTS:?} {met:?}");
    }
}
