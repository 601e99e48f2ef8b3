//! A CTA that leaves and comes back, as the core has it done (CX-09): Suspends until nothing of it is under way, a Withdraw for each word of its
//! state, and later, into any slot that is free, a launch, the words in the same order, and its dynamic barriers into the queue.

use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};

/// Where a word belongs: which it is, its barrier and its block.
pub type Place = (SavedWord, usize, usize);

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Nobody leaves.
    Still,
    /// Suspends are presented; `held` from the first one on.
    Holds { held: bool },
    /// Nothing of it is under way: the next word is withdrawn.
    Saves { at: usize },
    /// It is held, and need not leave any more; `closed`: nothing of it was under way, and nothing is asked of it.
    GivesUp { closed: bool },
    /// It is gone.
    Away,
    /// It is launched, then the next word is put back.
    Restores { launched: bool, at: usize },
}

/// One CTA at a time.
#[derive(Clone, Debug)]
pub struct Leaving {
    words: Vec<Place>,
    values: Vec<u128>,
    step: Step,
    cta: usize,
    refused: bool,
    /// What leaves is being taken out: there is no way back.
    drains: bool,
}

/// A request of the core.
pub struct Wish {
    /// What.
    pub operation: Operation,
    /// Of which CTA.
    pub cta: usize,
    /// Of which barrier.
    pub barrier: usize,
    /// Of which block.
    pub block: usize,
    /// The word's code, at the address.
    pub word: u128,
    /// A Deposit's value, a Suspend's patience; of a launch nothing.
    pub data: u128,
}

impl Leaving {
    /// Nobody leaves yet; every CTA has `ids` barriers and `blocks` blocks.
    pub fn new(ids: usize, blocks: usize) -> Self {
        let mut words = vec![(SavedWord::Live, 0, 0)];
        for barrier in 0..ids {
            let whole = [SavedWord::Configuration, SavedWord::State, SavedWord::Transactions, SavedWord::Identity];
            words.extend(whole.map(|word| (word, barrier, 0)));
            for pair in [[SavedWord::Arrived, SavedWord::Seen], [SavedWord::Waiting, SavedWord::Finished]] {
                words.extend((0..blocks).flat_map(|block| pair.map(|word| (word, barrier, block))));
            }
            words.push((SavedWord::Clock, barrier, 0));
        }
        Self { values: vec![0; words.len()], words, step: Step::Still, cta: 0, refused: false, drains: false }
    }

    /// Whether somebody may begin to leave.
    pub fn is_still(&self) -> bool {
        self.step == Step::Still
    }

    /// Whether somebody is gone who may come back.
    pub fn is_away(&self) -> bool {
        self.step == Step::Away
    }

    /// `cta` is to leave.
    pub fn begin(&mut self, cta: usize) {
        (self.step, self.cta, self.drains) = (Step::Holds { held: false }, cta, false);
    }

    /// Who is held is to run on, if that is still possible.
    pub fn give_up(&mut self) {
        self.step = match self.step {
            Step::Holds { held: true } => Step::GivesUp { closed: false },
            Step::Saves { at: 0 } if !self.drains => Step::GivesUp { closed: true },
            step => step,
        };
    }

    /// Who is gone comes back as `cta`.
    pub fn come_back(&mut self, cta: usize) {
        (self.step, self.cta) = (Step::Restores { launched: false, at: 0 }, cta);
    }

    /// CTAs that are held, as a mask.
    pub fn frozen(&self) -> u128 {
        match self.step {
            Step::Holds { held: true } | Step::Saves { .. } | Step::GivesUp { .. } => 1 << self.cta,
            _ => 0,
        }
    }

    /// Whether `cta` is to leave, and its threads may still ask.
    pub fn holds(&self, cta: usize) -> bool {
        matches!(self.step, Step::Holds { .. } | Step::GivesUp { closed: false }) && self.cta == cta
    }

    /// Whether the threads and barriers of `cta` have to be still.
    pub fn stills(&self, cta: usize) -> bool {
        let stills = matches!(self.step, Step::Saves { .. } | Step::GivesUp { closed: true } | Step::Restores { .. });
        stills && self.cta == cta
    }

    /// The next request, `patience` being what a Suspend gives.
    pub fn wish(&self, patience: u128) -> Option<Wish> {
        let wish = |operation, (word, barrier, block): Place, data| {
            Some(Wish { operation, cta: self.cta, barrier, block, word: word as u128, data })
        };
        match self.step {
            Step::Still | Step::Away => None,
            Step::Holds { .. } => wish(Operation::Suspend, (SavedWord::Launch, 0, 0), patience),
            Step::GivesUp { .. } => wish(Operation::Suspend, (SavedWord::Launch, 0, 0), 0),
            Step::Saves { at } => {
                wish(Operation::Withdraw, self.words.get(at).copied().unwrap_or((SavedWord::End, 0, 0)), 0)
            }
            Step::Restores { launched: false, .. } => wish(Operation::Launch, (SavedWord::Launch, 0, 0), 0),
            Step::Restores { at, .. } => match self.words.get(at) {
                Some(place) => wish(Operation::Deposit, *place, self.values[at]),
                None => {
                    let entry = self.entries().nth(at - self.words.len())?;
                    wish(Operation::Deposit, (SavedWord::Entry, entry, 0), 0)
                }
            },
        }
    }

    /// Whether the word that is next is there: bits of threads only where there are any, as the barrier's state says.
    fn is_wanted(&self) -> bool {
        let (Step::Saves { at } | Step::Restores { at, .. }) = self.step else { return true };
        let Some((word, barrier, block)) = self.words.get(at) else { return true };
        let place = self.words.iter().position(|(word, of, _)| (*word, of) == (SavedWord::State, barrier));
        let state = place.map_or(0, |place| self.values[place]);
        match word {
            SavedWord::Arrived | SavedWord::Seen => state >> (48 + block) & 1 == 1,
            SavedWord::Waiting | SavedWord::Finished => state >> 32 & 0xffff != 0 || state >> 1 & 1 == 1,
            _ => true,
        }
    }

    /// The barriers that were dynamic, as their state says.
    fn entries(&self) -> impl Iterator<Item = usize> + '_ {
        let dynamic = |(_, value): &(&Place, &u128)| **value >> 1 & 1 == 1;
        let states = self.words.iter().zip(&self.values).filter(|((word, ..), _)| *word == SavedWord::State);
        states.filter(dynamic).map(|((_, barrier, _), _)| *barrier)
    }

    /// Whether the execution side has the Suspend or Withdraw in the execute stage presented again; `calm`: nothing of the CTA is under way.
    pub fn refuses(&mut self, operation: u128, calm: bool, patient: bool) -> bool {
        self.refused = match self.step {
            Step::Holds { held } if operation == Operation::Suspend as u128 => !held || !calm || patient,
            Step::Saves { at: 0 } if operation == Operation::Withdraw as u128 => {
                self.drains = true;
                patient
            }
            _ => false,
        };
        self.refused
    }

    /// A request of the core was in the execute stage: `value` is the word that a Withdraw got, which the arrival side has or `other`. True if the CTA
    /// has come back with this.
    pub fn answered(&mut self, value: u128, other: u128) -> bool {
        match &mut self.step {
            Step::Holds { held } if self.refused => *held = true,
            _ if self.refused => {}
            Step::Holds { .. } => self.step = Step::Saves { at: 0 },
            Step::GivesUp { .. } => self.step = Step::Still,
            Step::Saves { at } if *at == self.words.len() => self.step = Step::Away,
            Step::Saves { at } => {
                self.values[*at] = value | other;
                *at += 1;
            }
            Step::Restores { launched: launched @ false, .. } => *launched = true,
            Step::Restores { at, .. } => *at += 1,
            Step::Still | Step::Away => {}
        }
        while !self.is_wanted() {
            if let Step::Saves { at } | Step::Restores { at, .. } = &mut self.step {
                *at += 1;
            }
        }
        let Step::Restores { launched: true, at } = self.step else { return false };
        let back = at == self.words.len() + self.entries().count();
        if back {
            self.step = Step::Still;
        }
        back
    }
}
