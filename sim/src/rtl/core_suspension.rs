//! What a control core that suspends blocks has at its ports beside the others: the memory of its save areas, and its context unit.

use std::collections::HashMap;

use heddle_hdl::barrier::operation::BarrierError;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Pins, Simulation};

use super::control_core::Wires;
use crate::control_core::{Inputs, LocalEdge, LocalInputs, SuspendRequest, Suspended};
use crate::model::context::pointer_table::{AccessError, Location};

heddle_hdl::pins! {
    /// The pins of a control core's suspensions, by index.
    struct Suspensions {
    suspend_valid, suspend_ready, suspend_resumes, suspend_slot, suspend_address, suspend_warps, suspend_patience,
    suspend_done, suspend_failure, suspend_end, resume_valid,
    save_request_valid, save_request_ready, save_request_write, save_request_address, save_request_data,
    save_response_valid, save_response_data,
    barrier_response_valid, barrier_error_cause, barrier_error_other_barrier, barrier_error_other_address,
    }
}

/// The memory of the save areas: every request is taken at once, every answer comes after the same time.
pub(super) struct SaveArea {
    pins: Suspensions,
    latency: u64,
    now: u64,
    words: HashMap<u32, u128>,
    /// A word that was asked for, and the cycle in which it is there.
    asked: Option<(u64, u128)>,
    /// Where the section was entered of which no thread came back in time.
    section: (usize, u32),
}

impl SaveArea {
    pub(super) fn new(ports: &[Port], latency: u32) -> Self {
        let (pins, words, latency) = (Suspensions::of(ports), HashMap::new(), latency.max(1).into());
        Self { pins, latency, now: 0, words, asked: None, section: (0, 0) }
    }

    /// Inputs of a cycle.
    pub(super) fn drive<S: Simulation>(&mut self, wires: &mut Wires<S>, inputs: &Inputs) {
        let pins = self.pins;
        let due = self.asked.filter(|(due, _)| *due <= self.now).map(|(_, word)| word);
        wires.set(pins.save_request_ready, 1);
        wires.set(pins.save_response_valid, due.is_some().into());
        wires.set(pins.save_response_data, due.unwrap_or(0));
        wires.set(pins.suspend_valid, inputs.suspend.is_some().into());
        match inputs.suspend {
            Some(SuspendRequest::Leave { slot, address, patience }) => {
                wires.set(pins.suspend_resumes, 0);
                wires.set(pins.suspend_slot, slot as u128);
                wires.set(pins.suspend_address, address.into());
                wires.set(pins.suspend_patience, patience.into());
            }
            Some(SuspendRequest::Return { address, warps }) => {
                wires.set(pins.suspend_resumes, 1);
                wires.set(pins.suspend_address, address.into());
                wires.set(pins.suspend_warps, warps.into());
            }
            None => {}
        }
    }

    /// The warp that is launched comes back.
    pub(super) fn resumes<S: Simulation>(&self, wires: &mut Wires<S>) -> bool {
        wires.flag(self.pins.resume_valid)
    }

    /// What the edge takes, before it: whether a request was, and whether one is over.
    pub(super) fn observe<S: Simulation>(&mut self, wires: &mut Wires<S>) -> (bool, Option<Suspended>) {
        let pins = self.pins;
        if self.asked.is_some_and(|(due, _)| due <= self.now) {
            self.asked = None;
        }
        if wires.flag(pins.save_request_valid) {
            let address = wires.get(pins.save_request_address) as u32;
            if wires.flag(pins.save_request_write) {
                let word = wires.get(pins.save_request_data);
                self.words.insert(address, word);
            } else {
                let word = self.words.get(&address).copied().unwrap_or(0);
                self.asked = Some((self.now + self.latency, word));
            }
        }
        self.now += 1;
        if wires.flag(pins.barrier_response_valid)
            && wires.get(pins.barrier_error_cause) == BarrierError::NoBottom as u128
        {
            let barrier = wires.number(pins.barrier_error_other_barrier);
            self.section = (barrier, wires.get(pins.barrier_error_other_address) as u32);
        }
        let over = wires.flag(pins.suspend_done).then(|| Suspended {
            failure: wires.get(pins.suspend_failure) as u8,
            end: wires.get(pins.suspend_end) as u32,
            section: self.section,
        });
        let taken = wires.driven[pins.suspend_valid] == 1 && wires.flag(pins.suspend_ready);
        (taken, over)
    }
}

heddle_hdl::pins! {
    /// The pins of a control core's context unit, by index.
    struct Local {
    local_words, local_freeing, bind_error, access_valid, access_ready, access_warp, access_thread, access_word,
    location_valid, location_group, location_global, location_address,
    access_error_valid, access_error_bound, access_error_group, access_error_warp, access_error_thread, access_error_word,
    complete_valid, complete_group, allocate_valid, allocate_ready, allocate_words,
    allocated_valid, allocated_ready, allocated_failed, allocated_pointer, free_valid, free_ready, free_pointer,
    copy_read_valid, copy_read_ready, copy_read_address, copy_data_valid, copy_data_ready, copy_data,
    copy_write_valid, copy_write_ready, copy_write_address, copy_write_data, copy_acknowledge_valid,
    }
}

/// A core's context unit.
pub(super) struct LocalMemory {
    pins: Local,
    /// Its rows.
    pub(super) groups: usize,
}

impl LocalMemory {
    pub(super) fn of(ports: &[Port]) -> Self {
        let pins = Local::of(ports);
        Self { groups: 1 << ports[pins.location_group].width, pins }
    }

    /// Memory of warps that have ended is still to be given back.
    pub(super) fn freeing<S: Simulation>(&self, wires: &mut Wires<S>) -> bool {
        wires.flag(self.pins.local_freeing)
    }

    /// What holds for the whole run: allocator and memories take every request at once.
    pub(super) fn set_up<S: Simulation>(&self, wires: &mut Wires<S>, words: u16) {
        wires.set(self.pins.local_words, words.into());
        for ready in
            [self.pins.allocate_ready, self.pins.free_ready, self.pins.copy_read_ready, self.pins.copy_write_ready]
        {
            wires.set(ready, 1);
        }
    }

    /// Inputs of a cycle.
    pub(super) fn drive<S: Simulation>(&self, wires: &mut Wires<S>, inputs: &LocalInputs) {
        wires.set(self.pins.access_valid, inputs.access.is_some().into());
        if let Some(access) = inputs.access {
            wires.set(self.pins.access_warp, access.slot as u128);
            wires.set(self.pins.access_thread, access.thread.into());
            wires.set(self.pins.access_word, access.word.into());
        }
        wires.set(self.pins.complete_valid, inputs.complete.is_some().into());
        wires.set(self.pins.complete_group, inputs.complete.unwrap_or(0) as u128);
        wires.set(self.pins.allocated_valid, inputs.allocated.is_some().into());
        wires.set(self.pins.allocated_failed, (inputs.allocated == Some(None)).into());
        wires.set(self.pins.allocated_pointer, inputs.allocated.flatten().unwrap_or(0).into());
        wires.set(self.pins.copy_data_valid, inputs.data.is_some().into());
        wires.set(self.pins.copy_data, inputs.data.unwrap_or(0).into());
        wires.set(self.pins.copy_acknowledge_valid, inputs.acknowledge.into());
    }

    /// What the edge takes and gives, before it.
    pub(super) fn observe<S: Simulation>(&self, wires: &mut Wires<S>) -> LocalEdge {
        let both = |wires: &mut Wires<S>, valid: usize, ready: usize| wires.flag(valid) && wires.flag(ready);
        LocalEdge {
            access_taken: both(wires, self.pins.access_valid, self.pins.access_ready),
            location: wires.flag(self.pins.location_valid).then(|| Location {
                group: wires.number(self.pins.location_group),
                global: wires.flag(self.pins.location_global),
                address: wires.get(self.pins.location_address) as u32,
            }),
            access_error: wires.flag(self.pins.access_error_valid).then(|| AccessError {
                group: wires.flag(self.pins.access_error_bound).then(|| wires.number(self.pins.access_error_group)),
                slot: wires.number(self.pins.access_error_warp),
                thread: wires.get(self.pins.access_error_thread) as u32,
                word: wires.get(self.pins.access_error_word) as u16,
            }),
            allocate: wires.flag(self.pins.allocate_valid).then(|| wires.get(self.pins.allocate_words) as u32),
            allocated_taken: both(wires, self.pins.allocated_valid, self.pins.allocated_ready),
            free: wires.flag(self.pins.free_valid).then(|| wires.get(self.pins.free_pointer) as u32),
            read: wires.flag(self.pins.copy_read_valid).then(|| wires.get(self.pins.copy_read_address) as u32),
            data_taken: both(wires, self.pins.copy_data_valid, self.pins.copy_data_ready),
            write: wires
                .flag(self.pins.copy_write_valid)
                .then(|| (wires.get(self.pins.copy_write_address) as u32, wires.get(self.pins.copy_write_data) as u32)),
            bind_error: wires.flag(self.pins.bind_error),
        }
    }
}
