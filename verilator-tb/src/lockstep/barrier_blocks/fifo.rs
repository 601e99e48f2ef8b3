//! The judge of the queue of dynamic barriers (BR-14, BR-35, BR-37, BR-41, CX-10): order by the model's FIFO, and who may leave by the
//! page's rules of exclusivity and turns.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::barrier::Key;
use heddle_sim::model::barrier::fifo::DynamicBarrierFifo;

pins! {
    struct Ports {
        class_conflicts, exclusive_inside, reserved_slots, key, enter_valid, enter_tag, enter_critical, enter_exclusive,
        enter_blocking, enter_priority, enter_class, reset_valid, occupied, occupied_classes, exclusive_classes, inside_classes,
        hand_valid, hand_slot, hand_slots, hand_key, hand_tag, hand_critical, hand_exclusive, hand_blocking, hand_priority,
        hand_class, hand_discarded, count, common_count, own_count, stop, turn_common, turn_own, held_key, held_mask, turn_mine, turn_key
    }
}

/// What an entry carries, in the order of the ports: address, critical, exclusive, blocking, priority, class.
type Load = [u128; 6];

/// A barrier that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    load: Load,
    discarded: bool,
}

/// Both queues, and whose turn it is.
pub struct FifoJudge {
    ports: Ports,
    slots: usize,
    barriers: usize,
    /// The common queue and that of class 3.
    queues: [DynamicBarrierFifo; 2],
    /// By key, who waits.
    waiting: Vec<Option<Waiting>>,
    own_turn: bool,
    /// The static inputs; they change only while nobody waits.
    statics: [u128; 3],
    cycle: u64,
    /// Time and again no slot is free for a while.
    crowded: Option<bool>,
}

/// Cycles of 128 in which a crowded episode has no free slot, so that both queues fill before a barrier goes.
const CROWDED: u64 = 48;
/// Then the common queue may go, and of the own one what is not exclusive.
const EMPTIED: u64 = 64;

impl FifoJudge {
    fn number(&self, key: Key) -> usize {
        key.cta * self.barriers + key.barrier
    }

    fn load(&self, pins: &Frame) -> Load {
        let Ports { enter_tag, enter_critical, enter_exclusive, enter_blocking, enter_priority, enter_class, .. } =
            self.ports;
        [enter_tag, enter_critical, enter_exclusive, enter_blocking, enter_priority, enter_class]
            .map(|port| pins.read(port))
    }

    /// Whether the head of a queue may have one of the slots that it may use (invariants 2 and 3).
    fn open(&self, pins: &Frame, waiting: &Waiting, free: u128) -> bool {
        let conflicts = pins.read(self.ports.class_conflicts) >> (4 * waiting.load[5]) & 15;
        let others = match pins.read(self.ports.exclusive_inside) {
            0 => pins.read(self.ports.occupied_classes),
            _ => pins.read(self.ports.inside_classes),
        };
        let alone = conflicts & pins.read(self.ports.exclusive_classes) == 0;
        let exclusive = waiting.load[2] == 1;
        free != 0 && (waiting.discarded || alone && !(exclusive && conflicts & others != 0))
    }
}

impl FifoJudge {
    /// A queue that turns: its head leaves, and enters again at the back unless it is of the CTA that leaves (CX-10).
    fn turn(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let Ports { turn_common, turn_own, turn_mine, turn_key, held_key, held_mask, .. } = self.ports;
        let Some(queue) = [turn_common, turn_own].into_iter().position(|port| read(port) == 1) else { return Ok(()) };
        let Some(head) = self.queues[queue].head() else { return Err("an empty queue turns".into()) };
        let number = self.number(head);
        let mine = (number as u128 ^ read(held_key)) & read(held_mask) == 0;
        expect("turn_key", read(turn_key), number as u128)?;
        expect("turn_mine", read(turn_mine) == 1, mine)?;
        let again = (!mine).then_some(head);
        self.queues[queue].cycle(again, true).map_err(|refused| refused.to_string())?;
        if mine {
            self.waiting[number] = None;
        }
        counts.add(if mine { "barrier that leaves with its CTA" } else { "barrier that turns" });
        Ok(())
    }
}

impl Judge for FifoJudge {
    const EXPECTED: &'static [&'static str] = &[
        "handed over",
        "handed over in the cycle after it entered",
        "exclusive one waits",
        "exclusive one handed over",
        "waits for an exclusive one",
        "reset one handed over",
        "both queues wait",
        "own queue handed over",
        "own queue waits for the common one's exclusive head",
        "common queue waits for the own one's exclusive head",
        "barrier that leaves with its CTA",
        "barrier that turns",
    ];
    const EPISODE: usize = 1_000;

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let keys = size(entry, "ctas") * size(entry, "barriers");
        Self {
            ports: Ports::of(ports),
            slots: size(entry, "slots"),
            barriers: size(entry, "barriers"),
            queues: [DynamicBarrierFifo::new(keys), DynamicBarrierFifo::new(keys)],
            waiting: vec![None; keys],
            own_turn: false,
            statics: [0; 3],
            cycle: 0,
            crowded: None,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { class_conflicts, exclusive_inside, reserved_slots, key, enter_valid, reset_valid, .. } = self.ports;
        self.cycle += 1;
        let crowded = *self.crowded.get_or_insert(pins.read(self.ports.enter_tag) & 32 == 0);
        let filling = crowded && self.cycle % 128 < EMPTIED;
        if self.queues.iter().all(|queue| queue.count() == 0) {
            let random = pins.read(class_conflicts);
            // Symmetric, and every class conflicts with itself or not.
            let symmetric = (0..16).fold(0, |bits, at| {
                let (low, high) = ((at / 4).min(at % 4), (at / 4).max(at % 4));
                bits | (random >> (4 * low + high) & 1) << at
            });
            let reserved = pins.read(reserved_slots) % (self.slots as u128 + 1);
            // Where the queues fill, class 3 often has its own, and conflicts with everybody.
            let conflicts = if crowded && random >> 4 & 1 == 1 { 0xf888 } else { 0 };
            let reserved = if crowded { reserved.max(1) } else { reserved };
            let symmetric = symmetric | conflicts;
            self.statics = [symmetric, pins.read(exclusive_inside), reserved];
        }
        for (port, value) in [class_conflicts, exclusive_inside, reserved_slots].into_iter().zip(self.statics) {
            pins.write(port, value);
        }
        // Now and then a queue turns, so that a CTA can leave: nothing else happens in such a cycle. Not while the queues fill, for they never would.
        let Ports { stop, turn_common, turn_own, .. } = self.ports;
        let queue = usize::from(pins.read(turn_own) == 1);
        let turns = !filling && pins.read(stop) & pins.read(turn_common) == 1 && self.queues[queue].count() > 0;
        pins.write(turn_common, u128::from(turns && queue == 0));
        pins.write(turn_own, u128::from(turns && queue == 1));
        if turns {
            pins.write(enter_valid, 0);
            pins.write(reset_valid, 0);
        }
        // A barrier enters once in an execution; one that enters is not reset in that cycle.
        let waits = self.waiting[pins.read(key) as usize].is_some();
        pins.write(enter_valid, pins.read(enter_valid) & u128::from(!waits));
        let resets = waits && !filling && pins.read(self.ports.enter_tag).is_multiple_of(8);
        pins.write(reset_valid, pins.read(reset_valid) & u128::from(resets));
        let Ports { occupied, occupied_classes, exclusive_classes, enter_class, enter_exclusive, .. } = self.ports;
        match self.cycle % 128 {
            // The queues fill; barrier 0 is exclusive and of class 3.
            0..CROWDED if crowded => {
                pins.write(occupied, (1 << self.slots) - 1);
                if pins.read(key) == 0 {
                    pins.write(enter_class, 3);
                    pins.write(enter_exclusive, 1);
                }
            }
            // A slot for all is free, and those of class 3 have barriers that are not exclusive: the own queue's exclusive head waits, and may hold
            // back the common one's.
            CROWDED..EMPTIED if crowded => {
                pins.write(occupied, (1 << pins.read(reserved_slots)) - 1);
                pins.write(occupied_classes, 8);
                pins.write(exclusive_classes, 0);
            }
            _ => {}
        }
        // Classes agree with the slots.
        let classes = if pins.read(occupied) == 0 { 0 } else { pins.read(occupied_classes) };
        for port in [occupied_classes, exclusive_classes, self.ports.inside_classes] {
            pins.write(port, pins.read(port) & classes);
        }
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let key = read(self.ports.key) as usize;
        if let (1, Some(waiting)) = (read(self.ports.reset_valid), &mut self.waiting[key]) {
            waiting.discarded = true;
        }
        let inside: usize = self.queues.iter().map(DynamicBarrierFifo::count).sum();
        expect("count", read(self.ports.count), inside as u128)?;
        let each = [self.ports.common_count, self.ports.own_count].map(|port| read(port) as usize);
        expect("the counts of the queues", each, [0, 1].map(|queue| self.queues[queue].count()))?;

        let every = (1u128 << self.slots) - 1;
        let free = !read(self.ports.occupied) & every;
        let free = [free & every << read(self.ports.reserved_slots), free];
        let heads = [0, 1].map(|queue| {
            let key = self.queues[queue].head()?;
            self.waiting[self.number(key)].map(|waiting| (key, waiting))
        });
        let open = [0, 1].map(|queue| heads[queue].is_some_and(|(_, head)| self.open(pins, &head, free[queue])));
        // An exclusive head that waits holds the other queue's conflicting head, unless it is the other queue's turn.
        let holds = |queue: usize| {
            let turn = self.own_turn == (queue == 1);
            let (Some((_, mine)), Some((_, other))) = (heads[queue], heads[1 - queue]) else { return false };
            let conflict = read(self.ports.class_conflicts) >> (4 * mine.load[5] + other.load[5]) & 1 == 1;
            turn && mine.load[2] == 1 && !open[queue] && conflict && !other.discarded
        };
        let stopped = read(self.ports.stop) == 1;
        let may = [open[0] && !holds(1) && !stopped, open[1] && !holds(0) && !stopped];
        let goes = match (may[0], may[1]) {
            (true, true) => Some(usize::from(self.own_turn)),
            (true, false) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        };
        if heads[0].is_some() && heads[1].is_some() {
            counts.add("both queues wait");
        }
        for queue in [0, 1] {
            if open[queue] && !may[queue] && !stopped {
                counts.add(match queue {
                    0 => "common queue waits for the own one's exclusive head",
                    _ => "own queue waits for the common one's exclusive head",
                });
            }
            if let (Some((_, head)), false, true) = (heads[queue], open[queue], free[queue] != 0) {
                counts.add(if head.load[2] == 1 { "exclusive one waits" } else { "waits for an exclusive one" });
            }
        }

        expect("hand_valid", read(self.ports.hand_valid) == 1, goes.is_some())?;
        if let Some(queue) = goes {
            let Some((key, head)) = heads[queue] else { return Err("nobody is at the head".into()) };
            let slot = free[queue].trailing_zeros();
            expect("hand_key", read(self.ports.hand_key), self.number(key) as u128)?;
            expect("hand_slot", read(self.ports.hand_slot), u128::from(slot))?;
            expect("hand_slots", read(self.ports.hand_slots), 1 << slot)?;
            expect("hand_discarded", read(self.ports.hand_discarded) == 1, head.discarded)?;
            let Ports { hand_tag, hand_critical, hand_exclusive, hand_blocking, hand_priority, hand_class, .. } =
                self.ports;
            let load = [hand_tag, hand_critical, hand_exclusive, hand_blocking, hand_priority, hand_class].map(read);
            expect("what is handed over", load, head.load)?;
            counts.add(match (head.discarded, head.load[2] == 1) {
                (true, _) => "reset one handed over",
                (_, true) => "exclusive one handed over",
                _ => "handed over",
            });
            if queue == 1 {
                counts.add("own queue handed over");
            }
            if inside == 1 {
                counts.add("handed over in the cycle after it entered");
            }
            self.own_turn = queue == 0;
            let number = self.number(key);
            self.waiting[number] = None;
        }
        self.turn(pins, counts)?;
        let entering = (read(self.ports.enter_valid) == 1)
            .then_some(Key { cta: key / self.barriers, barrier: key % self.barriers });
        let load = self.load(pins);
        let to_own = read(self.ports.reserved_slots) > 0 && load[5] == 3;
        for queue in [0, 1] {
            let enters = entering.filter(|_| to_own == (queue == 1));
            self.queues[queue].cycle(enters, goes == Some(queue)).map_err(|refused| refused.to_string())?;
        }
        if entering.is_some() {
            self.waiting[key] = Some(Waiting { load, discarded: false });
        }
        Ok(())
    }
}
