//! The judge of the thread selection unit (BR-31, BR-33): who is searched by turns, who is found by the model's pass.
//!
//! The block sees how far each slot's pass has come at `present_logical`; the judge keeps that for it, as the slots do.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, next_in_circle, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::model::barrier::selection::{Look, Pass};

pins! {
    struct Ports {
        needing, fresh_valid, fresh_slot, fresh_slots, serve_valid, serve_slot, serve_slots, present_logical, serve_logical, last,
        mask, found, offset, next_logical, pass_ends
    }
}

/// A section in a slot.
#[derive(Clone, Debug)]
struct Section {
    /// Thread blocks of its CTA.
    blocks: usize,
    /// Where its pass goes on, as the block said.
    logical: usize,
    /// Its pass in the model.
    pass: Pass,
}

/// The sections of all slots.
pub struct SelectionJudge {
    ports: Ports,
    sections: Vec<Option<Section>>,
    /// Where the turn of the slots goes on.
    turn: usize,
}

impl SelectionJudge {
    /// The slot that is searched.
    fn served(&self, pins: &Frame) -> Option<usize> {
        if pins.read(self.ports.fresh_valid) == 1 {
            return Some(pins.read(self.ports.fresh_slot) as usize);
        }
        next_in_circle(pins.read(self.ports.needing), self.turn)
    }
}

impl Judge for SelectionJudge {
    const EXPECTED: &'static [&'static str] = &[
        "thread found",
        "empty block",
        "pass ends",
        "hand-over goes before a slot that needs its thread",
        "turn goes round",
        "nothing to search",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self { ports: Ports::of(ports), sections: vec![None; size(entry, "slots")], turn: 0 }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { needing, fresh_valid, fresh_slot, fresh_slots, present_logical, last, mask, .. } = self.ports;
        let fresh = pins.read(fresh_slot) as usize % self.sections.len();
        pins.write(fresh_slot, fresh as u128);
        pins.write(fresh_slots, 1 << fresh);
        if pins.read(fresh_valid) == 1 {
            // The random value says how many blocks the CTA has; a slot that is handed a section had none.
            let blocks = pins.read(present_logical) as usize + 1;
            self.sections[fresh] = Some(Section { blocks, logical: 0, pass: Pass::start() });
            pins.write(needing, pins.read(needing) & !(1 << fresh));
        }
        let held = self.sections.iter().enumerate().filter(|(_, section)| section.is_some());
        let held = held.fold(0u128, |mask, (slot, _)| mask | 1 << slot);
        pins.write(needing, pins.read(needing) & held);
        let served = self.served(pins);
        if let Some(section) = served.and_then(|slot| self.sections[slot].as_ref()) {
            // How far the pass before had come in a slot that is handed a section may be anything.
            if pins.read(fresh_valid) == 0 {
                pins.write(present_logical, section.logical as u128);
            }
            pins.write(last, u128::from(section.logical + 1 == section.blocks));
            // Every other mask is empty: what random bits hardly ever are.
            if pins.read(mask) & 1 == 0 {
                pins.write(mask, 0);
            }
        }
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let served = self.served(pins);
        expect("serve_valid", read(self.ports.serve_valid) == 1, served.is_some())?;
        let Some(slot) = served else {
            counts.add("nothing to search");
            return expect("serve_slots", read(self.ports.serve_slots), 0);
        };
        expect("serve_slot", read(self.ports.serve_slot), slot as u128)?;
        expect("serve_slots", read(self.ports.serve_slots), 1 << slot)?;
        if read(self.ports.fresh_valid) == 1 {
            if read(self.ports.needing) != 0 {
                counts.add("hand-over goes before a slot that needs its thread");
            }
        } else {
            if slot < self.turn {
                counts.add("turn goes round");
            }
            self.turn = slot + 1;
        }
        let Some(section) = &mut self.sections[slot] else { return Err(format!("slot {slot} has no section")) };
        expect("serve_logical", read(self.ports.serve_logical), section.logical as u128)?;
        let mut masks = vec![0; section.blocks];
        masks[section.logical] = read(self.ports.mask) as u64;
        let map: Vec<usize> = (0..section.blocks).collect();
        let (mut found, mut ends, mut next) = (None, false, section.logical);
        match section.pass.look(&map, &masks) {
            Look::Thread(block, offset) => {
                expect("the block of the pass", block, section.logical)?;
                found = Some(offset as u128);
                counts.add("thread found");
            }
            _ if section.logical + 1 == section.blocks => {
                // The model takes one more look to see that the pass has ended, the block says so at once.
                expect("the end of the pass", section.pass.look(&map, &masks), Look::Ended)?;
                (ends, next) = (true, 0);
                counts.add("pass ends");
            }
            _ => {
                next += 1;
                counts.add("empty block");
            }
        }
        expect("found", read(self.ports.found) == 1, found.is_some())?;
        if let Some(offset) = found {
            expect("offset", read(self.ports.offset), offset)?;
        }
        expect("pass_ends", read(self.ports.pass_ends) == 1, ends)?;
        expect("next_logical", read(self.ports.next_logical), next as u128)?;
        section.logical = read(self.ports.next_logical) as usize;
        Ok(())
    }
}
