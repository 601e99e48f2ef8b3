//! The judge of the execution slots (BR-20, BR-30, BR-31, BR-33, BR-35, BR-37): plays everything around them (the threads that sleep,
//! the search, who is inside), knows each slot's state, and lets no section end while a thread of it sleeps.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, next_in_circle, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;

pins! {
    struct Ports {
        hand_valid, hand_slot, hand_slots, hand_key, hand_tag, hand_critical, hand_exclusive, hand_blocking, hand_priority, hand_class,
        hand_discarded, execute_key, join_valid, reset_valid, key_slots, key_blocking, needing, serve_valid, serve_slot, serve_slots,
        serve_key, present_logical, serve_found, serve_block, serve_offset, serve_next, serve_ends, class_conflicts, entered, staying,
        schedulable, priority_high, priority_low, start_slot, start_slots, start_key, start_block, start_offset, start_tag,
        finish_valid, finish_ready, finish_key, finish_cancel, other_slots, other_key, other_tag, occupied, occupied_classes,
        exclusive_classes, inside_classes, held_valid, held_key, held_mask, remove_slots, frozen, finish_held, other_first
    }
}

/// A barrier in a slot.
#[derive(Clone, Debug, Default)]
struct Slot {
    key: u128,
    tag: u128,
    critical: bool,
    exclusive: bool,
    blocking: bool,
    priority: u128,
    class: u128,
    /// Threads of each block that sleep and are to run the section.
    pending: Vec<u128>,
    /// Blocks of its CTA.
    blocks: usize,
    logical: usize,
    known: Option<(usize, u128)>,
    searched: bool,
    rescan: bool,
    discarded: bool,
    inside: bool,
}

/// All slots, and the finish under way.
pub struct SlotsJudge {
    ports: Ports,
    slots: Vec<Option<Slot>>,
    blocks: usize,
    block_threads: usize,
    conflicts: Option<u128>,
    offered: Option<usize>,
    /// The slot that was offered last, whether or not it still is.
    last_offer: Option<usize>,
    finishing: Option<usize>,
    /// The thread that joins in this cycle: block and offset.
    joining: (usize, u128),
}

impl SlotsJudge {
    /// The slots of which `which` holds.
    fn mask(&self, which: impl Fn(&Slot) -> bool) -> u128 {
        let slots = self.slots.iter().enumerate();
        slots.filter(|(_, slot)| slot.as_ref().is_some_and(&which)).fold(0, |mask, (number, _)| mask | 1 << number)
    }

    /// The classes of the slots in `mask`.
    fn classes(&self, mask: u128) -> u128 {
        let slots = self.slots.iter().enumerate().filter(|(number, _)| mask >> number & 1 == 1);
        slots.filter_map(|(_, slot)| slot.as_ref()).fold(0, |classes, slot| classes | 1 << slot.class)
    }

    fn needing(&self) -> u128 {
        self.mask(|slot| slot.known.is_none() && (!slot.searched || slot.rescan) && !slot.discarded)
    }

    /// Who may start a thread (invariants 1 and 3, BR-40).
    fn schedulable(&self, pins: &Frame) -> u128 {
        let staying = pins.read(self.ports.staying);
        let (inside, exclusive) = (self.classes(staying), self.classes(self.mask(|slot| slot.exclusive)));
        let reset = pins.read(self.ports.reset_valid) == 1;
        let key = pins.read(self.ports.execute_key);
        let able = self.mask(|slot| {
            let conflicts = self.conflicts.unwrap_or(0) >> (4 * slot.class) & 15;
            let against = if slot.exclusive { inside } else { exclusive };
            slot.known.is_some() && !slot.discarded && !(reset && slot.key == key) && conflicts & against == 0
        });
        able & !staying
    }

    /// The slots of the CTA that is held.
    fn frozen(&self, pins: &Frame) -> u128 {
        let (key, mask) = (pins.read(self.ports.held_key), pins.read(self.ports.held_mask));
        if pins.read(self.ports.held_valid) == 1 {
            self.mask(|slot| (slot.key ^ key) & mask == 0)
        } else {
            0
        }
    }

    /// A CTA is held; now and then a slot of it is emptied, while nothing is in the execute stage and nobody is inside (CX-10).
    fn leave(&self, pins: &mut Frame) {
        let Ports { remove_slots, hand_valid, join_valid, reset_valid, finish_ready, .. } = self.ports;
        let still = self.frozen(pins) & !self.mask(|slot| slot.inside);
        let leaves = pins.read(remove_slots) & 1 == 1 && still != 0 && self.finishing.is_none();
        pins.write(remove_slots, if leaves { still & still.wrapping_neg() } else { 0 });
        if leaves {
            [hand_valid, join_valid, reset_valid, finish_ready].iter().for_each(|port| pins.write(*port, 0));
        }
    }

    fn ended(slot: &Slot) -> bool {
        slot.searched && slot.known.is_none() && !slot.inside && !slot.rescan
    }

    /// A barrier that is handed over: to a free slot, one that is in none yet.
    fn hand(&self, pins: &mut Frame) {
        let Ports { hand_valid, hand_slot, hand_slots, hand_key, hand_tag, hand_discarded, .. } = self.ports;
        let Ports { hand_class, hand_exclusive, .. } = self.ports;
        let key = pins.read(hand_key);
        let free = (0..self.slots.len()).find(|slot| self.slots[*slot].is_none());
        let twice = self.mask(|slot| slot.key == key) != 0;
        pins.write(hand_valid, pins.read(hand_valid) & u128::from(free.is_some() && !twice));
        pins.write(hand_slot, free.unwrap_or(0) as u128);
        pins.write(hand_slots, 1 << free.unwrap_or(0));
        // Often it runs alone, and its class conflicts with that of a thread that is inside, but not with itself.
        let conflict = |one: u128, other: u128| self.conflicts.unwrap_or(0) >> (4 * one + other) & 1 == 1;
        let inside = self.slots.iter().flatten().find(|slot| slot.inside && !slot.exclusive);
        let first = pins.read(hand_class);
        let class = inside.and_then(|slot| {
            let mut classes = (0..4).map(|step| (first + step) % 4);
            classes.find(|class| conflict(*class, slot.class) && !conflict(*class, *class))
        });
        if let (Some(class), 1) = (class, pins.read(hand_tag) >> 12 & 1) {
            pins.write(hand_class, class);
            pins.write(hand_exclusive, 1);
        }
        let resets = pins.read(self.ports.reset_valid) == 1 && pins.read(self.ports.execute_key) == key;
        pins.write(hand_discarded, u128::from(pins.read(hand_tag).is_multiple_of(16) || resets));
    }

    /// What the selection unit finds.
    fn search(&self, pins: &mut Frame) {
        let Ports { serve_valid, serve_slot, serve_slots, serve_found, serve_block, serve_offset, .. } = self.ports;
        let fresh = pins.read(self.ports.hand_valid) == 1
            && pins.read(self.ports.hand_critical) == 1
            && pins.read(self.ports.hand_discarded) == 0;
        let turn = pins.read(serve_slot) as usize;
        let served =
            if fresh { Some(pins.read(self.ports.hand_slot) as usize) } else { next_in_circle(self.needing(), turn) };
        let slot = served.unwrap_or(0);
        let held = self.slots[slot].as_ref();
        let logical = held.map_or(0, |slot| slot.logical);
        let mask = held.map_or_else(|| self.threads(pins)[0], |slot| slot.pending[logical]);
        let blocks = held.filter(|_| !fresh).map_or_else(|| self.blocks_of(pins), |slot| slot.blocks);
        let last = logical + 1 == blocks;
        pins.write(serve_valid, u128::from(served.is_some()));
        if served.is_none() {
            // Nobody may look at what is said then.
            return pins.write(serve_slots, 1 << (turn % self.slots.len()));
        }
        pins.write(serve_slot, slot as u128);
        pins.write(serve_slots, 1 << slot);
        pins.write(serve_found, u128::from(mask != 0));
        pins.write(serve_block, logical as u128);
        pins.write(serve_offset, u128::from(mask.trailing_zeros()) % self.block_threads as u128);
        pins.write(self.ports.serve_ends, u128::from(mask == 0 && last));
        let next = if mask != 0 { logical } else { (logical + 1) % blocks };
        pins.write(self.ports.serve_next, next as u128);
    }

    /// The threads of a section that is handed over, few in each block, from the random address.
    fn threads(&self, pins: &Frame) -> Vec<u128> {
        let tag = pins.read(self.ports.hand_tag);
        let blocks = self.blocks_of(pins);
        (0..self.blocks).map(|block| if block < blocks { tag >> (2 * block) & 3 } else { 0 }).collect()
    }

    /// The blocks of its CTA.
    fn blocks_of(&self, pins: &Frame) -> usize {
        (pins.read(self.ports.hand_tag) >> 18) as usize % self.blocks + 1
    }

    /// The state after this cycle's edge.
    fn advance(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let bit = |port, slot: usize| pins.read(port) >> slot & 1 == 1;
        let cancelled = read(self.ports.finish_cancel) == 1;
        let (frozen, removed) = (self.frozen(pins), read(self.ports.remove_slots));
        let freed = self.finishing.filter(|slot| !cancelled && frozen >> slot & 1 == 0);
        let ended = self.mask(|slot| Self::ended(slot) || slot.discarded) & !frozen;
        let (offered, ready) = (self.offered, read(self.ports.finish_ready) == 1);
        if offered.is_some() {
            self.offered = offered.filter(|_| !ready);
        } else if self.finishing.is_none() {
            self.offered = next_in_circle(ended, 0);
        }
        // What leaves is not offered; the cycle in which the last one that was leaves offers nothing.
        let before = self.last_offer;
        if offered.is_none() && self.finishing.is_none() {
            self.last_offer = self.offered;
        }
        if before.is_some_and(|slot| removed >> slot & 1 == 1) {
            self.offered = None;
        }
        self.finishing = offered.filter(|_| ready);

        let incoming = (read(self.ports.hand_valid) == 1).then_some(read(self.ports.hand_slot) as usize);
        let join = read(self.ports.join_valid) == 1;
        let reset = read(self.ports.reset_valid) == 1;
        if let Some(slot) = incoming {
            let discarded = read(self.ports.hand_discarded) == 1;
            let critical = read(self.ports.hand_critical) == 1;
            self.slots[slot] = Some(Slot {
                key: read(self.ports.hand_key),
                tag: read(self.ports.hand_tag),
                critical,
                exclusive: read(self.ports.hand_exclusive) == 1,
                blocking: read(self.ports.hand_blocking) == 1,
                priority: read(self.ports.hand_priority),
                class: read(self.ports.hand_class),
                pending: if critical { self.threads(pins) } else { vec![0; self.blocks] },
                blocks: self.blocks_of(pins),
                searched: !critical,
                discarded,
                ..Slot::default()
            });
            counts.add(if discarded { "reset one handed over" } else { "handed over" });
        }
        for (number, place) in self.slots.iter_mut().enumerate() {
            let Some(slot) = place else { continue };
            slot.inside &= bit(self.ports.staying, number);
            if bit(self.ports.start_slots, number) {
                if let Some((block, offset)) = slot.known.take() {
                    slot.pending[block] &= !(1 << offset);
                }
                slot.inside = true;
                counts.add("thread started");
            }
            if read(self.ports.serve_valid) == 1 && bit(self.ports.serve_slots, number) {
                let restarts = slot.searched;
                let ends = read(self.ports.serve_ends) == 1;
                let again = ends && slot.rescan && !restarts;
                slot.rescan &= !restarts && !again;
                slot.searched = ends && !again;
                if read(self.ports.serve_found) == 1 {
                    slot.known = Some((read(self.ports.serve_block) as usize, read(self.ports.serve_offset)));
                }
                slot.logical = read(self.ports.serve_next) as usize;
                if restarts || again {
                    counts.add("rescan");
                    if join && slot.key == read(self.ports.execute_key) {
                        counts.add("thread joins in the cycle of a rescan");
                    }
                }
            }
            if slot.key == read(self.ports.execute_key) {
                if join && slot.critical {
                    slot.rescan = true;
                    slot.pending[self.joining.0] |= 1 << self.joining.1;
                    counts.add(if incoming == Some(number) { "thread joins at the hand-over" } else { "thread joins" });
                }
                slot.discarded |= reset;
            }
            if removed >> number & 1 == 1 {
                counts.add("slot emptied for a CTA that leaves");
                *place = None;
                continue;
            }
            if freed != Some(number) {
                continue;
            }
            let left: u128 = slot.pending.iter().sum();
            if !slot.discarded && (left != 0 || slot.inside) {
                return Err(format!("slot {number} ends while threads {:x?} sleep (BR-33)", slot.pending));
            }
            counts.add(if slot.discarded { "reset one ended" } else { "ended" });
            *place = None;
        }
        Ok(())
    }
}

impl Judge for SlotsJudge {
    const EXPECTED: &'static [&'static str] = &[
        "handed over",
        "reset one handed over",
        "thread started",
        "thread joins",
        "thread joins at the hand-over",
        "thread joins in the cycle of a rescan",
        "rescan",
        "finish cancelled",
        "ended",
        "reset one ended",
        "held back by its class",
        "finish of a held CTA",
        "slot emptied for a CTA that leaves",
    ];
    const EPISODE: usize = 500;

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self {
            ports: Ports::of(ports),
            slots: vec![None; size(entry, "slots")],
            blocks: size(entry, "blocks"),
            block_threads: size(entry, "block_threads"),
            conflicts: None,
            offered: None,
            last_offer: None,
            finishing: None,
            joining: (0, 0),
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { execute_key, join_valid, reset_valid, entered, staying, start_slot, start_slots, .. } = self.ports;
        let random = pins.read(self.ports.class_conflicts);
        let conflicts = *self.conflicts.get_or_insert((0..16).fold(0, |bits, at| {
            let (low, high) = ((at / 4).min(at % 4), (at / 4).max(at % 4));
            // In every second episode no class conflicts with itself.
            let others = low != high || random >> 4 & 1 == 0;
            bits | (random >> (4 * low + high) & u128::from(others)) << at
        }));
        pins.write(self.ports.class_conflicts, conflicts);

        self.leave(pins);

        // The execute stage: a finish, or something about a barrier that is in a slot or on its way there.
        let chosen = pins.read(execute_key) as usize % (self.slots.len() + 1);
        let key = match self.slots.get(chosen).and_then(Option::as_ref) {
            Some(slot) => slot.key,
            None => pins.read(self.ports.hand_key),
        };
        pins.write(execute_key, key);
        let slot = self.slots.iter().flatten().find(|slot| slot.key == key);
        let busy = self.finishing.is_some();
        let resets = !busy && pins.read(reset_valid) == 1 && pins.read(self.ports.hand_tag) % 32 == 1;
        pins.write(reset_valid, u128::from(resets));
        self.hand(pins);
        let blocks = slot.map_or_else(|| self.blocks_of(pins), |slot| slot.blocks);
        self.joining = (
            pins.read(self.ports.serve_block) as usize % blocks,
            pins.read(self.ports.serve_offset) % self.block_threads as u128,
        );
        // Who joins is awake: neither pending nor found.
        let awake = match slot {
            Some(slot) => !slot.discarded && slot.pending[self.joining.0] >> self.joining.1 & 1 == 0,
            None => {
                pins.read(self.ports.hand_discarded) == 0
                    && self.threads(pins)[self.joining.0] >> self.joining.1 & 1 == 0
            }
        };
        pins.write(join_valid, pins.read(join_valid) & u128::from(awake && !busy && !resets));
        if let Some(slot) = self.finishing.and_then(|slot| self.slots[slot].as_ref()) {
            pins.write(execute_key, slot.key);
        }

        // Who is inside, and who leaves; a reset lets nobody stay.
        let inside = self.mask(|slot| slot.inside);
        let reset = if resets { self.mask(|slot| slot.key == key) } else { 0 };
        pins.write(entered, inside);
        let stays = if busy { inside } else { inside & pins.read(staying) };
        pins.write(staying, stays & !reset);
        self.search(pins);

        let able = self.schedulable(pins);
        let starts = pins.read(start_slots) & 3 != 0;
        let able = able & !self.frozen(pins);
        let winner = next_in_circle(able, pins.read(start_slot) as usize);
        pins.write(start_slot, winner.unwrap_or(0) as u128);
        pins.write(start_slots, winner.filter(|_| starts).map_or(0, |slot| 1 << slot));
        let held = self.mask(|_| true);
        let named = next_in_circle(held, pins.read(self.ports.other_slots) as usize % self.slots.len());
        pins.write(self.ports.other_slots, named.map_or(0, |slot| 1 << slot));
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let held = self.mask(|_| true);
        expect("occupied", read(self.ports.occupied), held)?;
        expect("needing", read(self.ports.needing), self.needing())?;
        let here = self.mask(|slot| slot.key == read(self.ports.execute_key));
        expect("key_slots", read(self.ports.key_slots), here)?;
        expect("key_blocking", read(self.ports.key_blocking) == 1, here & self.mask(|slot| slot.blocking) != 0)?;
        let able = self.schedulable(pins);
        expect("schedulable", read(self.ports.schedulable), able)?;
        if able != self.mask(|slot| slot.known.is_some() && !slot.discarded) & !read(self.ports.staying) {
            counts.add("held back by its class");
        }
        expect("priority_high", read(self.ports.priority_high) & held, self.mask(|slot| slot.priority & 2 != 0))?;
        expect("priority_low", read(self.ports.priority_low) & held, self.mask(|slot| slot.priority & 1 != 0))?;
        let classes = [self.ports.occupied_classes, self.ports.exclusive_classes, self.ports.inside_classes].map(read);
        let masks = [held, self.mask(|slot| slot.exclusive), read(self.ports.entered)];
        expect("the classes", classes, masks.map(|mask| self.classes(mask)))?;

        let served = self.slots[read(self.ports.serve_slot) as usize].as_ref();
        if let (1, Some(slot)) = (read(self.ports.serve_valid), served) {
            expect("serve_key", read(self.ports.serve_key), slot.key)?;
            expect("present_logical", read(self.ports.present_logical), slot.logical as u128)?;
        }
        let started = self.slots[read(self.ports.start_slot) as usize].as_ref();
        if let Some((slot, (block, offset))) = started.and_then(|slot| Some((slot, slot.known?))) {
            let Ports { start_key, start_tag, start_block, start_offset, .. } = self.ports;
            let promised = [slot.key, slot.tag, block as u128, offset];
            expect("the thread", [start_key, start_tag, start_block, start_offset].map(read), promised)?;
        }
        let other = read(self.ports.other_slots);
        if let Some(slot) = self.slots.get(other.trailing_zeros() as usize).and_then(Option::as_ref) {
            expect("other_key", [self.ports.other_key, self.ports.other_tag].map(read), [slot.key, slot.tag])?;
        }
        let other = [read(self.ports.other_first), other & other.wrapping_neg()];
        expect("other_first", other[0], other[1])?;
        let frozen = self.frozen(pins);
        expect("frozen", read(self.ports.frozen), frozen)?;
        if let Some(slot) = self.finishing {
            let held = frozen >> slot & 1 == 1;
            expect("finish_held", read(self.ports.finish_held) == 1, held)?;
            if held {
                counts.add("finish of a held CTA");
            }
        }
        expect("finish_valid", read(self.ports.finish_valid) == 1, self.offered.is_some())?;
        if let Some(slot) = self.offered.and_then(|slot| self.slots[slot].as_ref()) {
            expect("finish_key", read(self.ports.finish_key), slot.key)?;
        }
        if let Some(slot) = self.finishing.and_then(|slot| self.slots[slot].as_ref()) {
            let cancel = !slot.discarded && !Self::ended(slot);
            expect("finish_cancel", read(self.ports.finish_cancel) == 1, cancel)?;
            if cancel {
                counts.add("finish cancelled");
            }
        }
        self.advance(pins, counts)
    }
}
