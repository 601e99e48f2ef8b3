//! The judge of the barrier arbiter (BR-36): the whole choice, from the page's rules.
//!
//! The model `sim/src/model/barrier/arbiter.rs` turns one circle for all priorities, the block one a priority, and the model's patience
//! starts anew with a cycle without a request: BR-36 allows both, so the judge keeps the page's own account, in plain integers.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, next_in_circle, size};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::model::barrier::arbiter::PATIENCE;

pins! {
    struct Ports { occupied, schedulable, priority_high, priority_low, grant_enable, winner_valid, winner_slot, winner_slots }
}

/// What the page says of the next choice.
pub struct ArbiterJudge {
    ports: Ports,
    /// Where the turn of each priority goes on.
    turns: [usize; 4],
    /// How often each slot was passed over.
    passed: Vec<u32>,
    /// Occupied slots and both bits of the priorities in the cycle before: a barrier keeps its priority while it is in its slot.
    before: [u128; 3],
    /// Who won in the cycle before and may leave: a barrier that had to wait often has its last thread run.
    won: u128,
    cycle: u64,
    opening: Option<Opening>,
    /// A slot that had starved and won, the priority of those that it went ahead of, and whether it has left: it leaves and comes back with that priority
    /// before anybody else wins, so that its win must not have counted as a turn of theirs.
    back: Option<(usize, usize, bool)>,
}

/// How an episode begins: what a reset leaves shows only until the first choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// As it goes on.
    Any,
    /// All slots are taken, ask, and stay.
    Crowded,
    /// All slots are taken, by barriers of one priority, which leave together and make place for those of the next: four times, once a priority.
    Equals(u128),
}

impl Opening {
    /// By two bits that are random in the first cycle, and the priority to begin with.
    fn of(choice: u128, priority: u128) -> Self {
        match choice & 3 {
            0 => Self::Crowded,
            1 => Self::Equals(priority),
            _ => Self::Any,
        }
    }
}

impl Judge for ArbiterJudge {
    const EXPECTED: &'static [&'static str] = &[
        "choice by priority",
        "turn goes round",
        "starved slot goes first",
        "starved slot before a higher priority",
        "choice that is not granted",
        "nobody asks",
    ];
    const EPISODE: usize = 1_000;

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        Self {
            ports: Ports::of(ports),
            turns: [0; 4],
            passed: vec![0; size(entry, "slots")],
            before: [0; 3],
            won: 0,
            cycle: 0,
            opening: None,
            back: None,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { occupied, schedulable, priority_high, priority_low, .. } = self.ports;
        self.cycle += 1;
        let all = (1 << self.passed.len()) - 1;
        let (choice, priority) = (pins.read(schedulable), pins.read(priority_high));
        let opening = *self.opening.get_or_insert_with(|| Opening::of(choice, priority));
        // Most slots stay, and half of the time all of them ask: else nobody would ever starve.
        if !self.cycle.is_multiple_of(256) {
            pins.write(occupied, pins.read(occupied) | (self.before[0] & !self.won));
        }
        if (self.cycle / 256).is_multiple_of(2) {
            pins.write(schedulable, pins.read(occupied));
        }
        match opening {
            Opening::Crowded if self.cycle < 256 => pins.write(occupied, all),
            Opening::Equals(first) if self.cycle <= 16 => {
                let [high, low] = [1, 0].map(|bit| all * ((first + u128::from(self.cycle / 4)) >> bit & 1));
                pins.write(occupied, if self.cycle.is_multiple_of(4) { 0 } else { all });
                pins.write(schedulable, pins.read(occupied));
                pins.write(priority_high, high);
                pins.write(priority_low, low);
            }
            _ => {}
        }
        if let Some((slot, level, left)) = self.back.take() {
            let others = pins.read(occupied) & !(1 << slot);
            pins.write(occupied, others | u128::from(left) << slot);
            pins.write(schedulable, pins.read(occupied));
            for (port, bit) in [(priority_high, 1), (priority_low, 0)] {
                pins.write(port, (pins.read(port) & !(1 << slot)) | (level as u128 >> bit & 1) << slot);
            }
            if !left {
                pins.write(self.ports.grant_enable, 0);
                self.back = Some((slot, level, true));
            }
        }
        let stays = self.before[0] & pins.read(occupied);
        for (port, before) in [(priority_high, self.before[1]), (priority_low, self.before[2])] {
            let value = pins.read(port);
            pins.write(port, (value & !stays) | (before & stays));
        }
        self.before = [pins.read(occupied), pins.read(priority_high), pins.read(priority_low)];
        pins.write(schedulable, pins.read(schedulable) & pins.read(occupied));
        if pins.read(schedulable) == 0 {
            pins.write(self.ports.grant_enable, 0);
        }
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let asking = read(self.ports.schedulable);
        let bit = |mask: u128, slot: usize| mask >> slot & 1 == 1;
        let priority = |slot: usize| {
            usize::from(bit(read(self.ports.priority_high), slot)) * 2
                + usize::from(bit(read(self.ports.priority_low), slot))
        };
        let slots = 0..self.passed.len();
        let asks = slots.clone().filter(|slot| bit(asking, *slot));
        let starved = asks.clone().find(|slot| self.passed[*slot] >= PATIENCE);
        let highest = asks.clone().map(priority).max();
        let equals =
            asks.clone().filter(|slot| Some(priority(*slot)) == highest).fold(0, |mask, slot| mask | 1 << slot);
        let by_turn = highest.and_then(|level| next_in_circle(equals, self.turns[level]));
        let winner = starved.or(by_turn);
        expect("winner_valid", read(self.ports.winner_valid) == 1, winner.is_some())?;
        self.won = 0;
        let Some(winner) = winner else {
            counts.add("nobody asks");
            self.leave(read(self.ports.occupied));
            return Ok(());
        };
        expect("winner_slot", read(self.ports.winner_slot), winner as u128)?;
        expect("winner_slots", read(self.ports.winner_slots), 1 << winner)?;
        if read(self.ports.grant_enable) == 0 {
            counts.add("choice that is not granted");
        } else {
            for slot in asks {
                self.passed[slot] = (self.passed[slot] + 1).min(PATIENCE);
            }
            self.passed[winner] = 0;
            // Were it always to leave, nobody else would be passed over for long.
            self.won = u128::from(starved.is_some() || self.cycle.is_multiple_of(32)) << winner;
            if starved.is_some() {
                counts.add("starved slot goes first");
                if let Some(level) = highest.filter(|level| priority(winner) < *level) {
                    self.back = (self.cycle.is_multiple_of(2)).then_some((winner, level, false));
                    counts.add("starved slot before a higher priority");
                }
            } else {
                let turn = &mut self.turns[priority(winner)];
                counts.add(if winner < *turn { "turn goes round" } else { "choice by priority" });
                *turn = winner + 1;
            }
        }
        self.leave(read(self.ports.occupied));
        Ok(())
    }
}

impl ArbiterJudge {
    /// Nobody is passed over in a slot that is free.
    fn leave(&mut self, occupied: u128) {
        for (slot, passed) in self.passed.iter_mut().enumerate() {
            if occupied >> slot & 1 == 0 {
                *passed = 0;
            }
        }
    }
}
