//! A CTA that leaves and comes back, as the execution side sees it (CX-09): Suspends until nothing of it is under way, or its time is over; a Withdraw
//! that empties slots and queues of it, then one for each word that is kept here; later its launch, its sleepers and its barriers.

use super::expect;
use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Nobody leaves.
    Still,
    /// Suspends are presented; the cycle from which on a bottom is late, from the first of them on; whether one need not be presented again.
    Holds { late: Option<u64>, calm: bool },
    /// Withdraws are presented, until slots and queues are empty of it.
    Empties { asked: bool },
    /// The next word is withdrawn.
    Saves { at: usize },
    /// It is gone.
    Away,
    /// It is launched, a step a barrier, then the next word is put back.
    Restores { launched: usize, at: usize },
}

/// A word: which, its barrier and its block.
type Place = (SavedWord, usize, usize);

/// A request of the core in the execute stage.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// What.
    pub operation: Operation,
    /// The first step.
    pub first: bool,
    /// The word, its barrier and its block.
    pub place: Place,
    /// A Suspend's patience, a launch's or a Deposit's value.
    pub data: u128,
    /// It takes effect; else it is presented again, for the arrival side has it so.
    pub act: bool,
}

/// One CTA at a time.
#[derive(Clone, Debug)]
pub struct Saving {
    ids: usize,
    words: Vec<Place>,
    values: Vec<u128>,
    /// Its barriers, in the order in which they were taken out.
    order: Vec<usize>,
    step: Step,
    cta: usize,
    patience: u64,
    wish: Option<Wish>,
}

impl Saving {
    /// Nobody leaves yet; every CTA has `ids` barriers and `blocks` blocks.
    pub fn new(ids: usize, blocks: usize) -> Self {
        let mut words = vec![(SavedWord::Launch, 0, 0), (SavedWord::Order, 0, 0)];
        let places = (0..ids).flat_map(|barrier| (0..blocks).map(move |block| (barrier, block)));
        words.extend(
            places.flat_map(|(barrier, block)| {
                [SavedWord::Waiting, SavedWord::Finished].map(|word| (word, barrier, block))
            }),
        );
        // The arrival side's: this one has nothing to say to them.
        let others =
            [SavedWord::Live, SavedWord::Arrived, SavedWord::Seen, SavedWord::Configuration, SavedWord::Identity];
        words.extend(others.map(|word| (word, 0, 0)));
        words.extend([SavedWord::State, SavedWord::Transactions, SavedWord::Clock].map(|word| (word, ids - 1, 0)));
        let values = vec![0; words.len()];
        Self { ids, words, values, order: Vec::new(), step: Step::Still, cta: 0, patience: 0, wish: None }
    }

    /// Begins something, if nobody is on the way: `cta` is to leave, and gets so much time, or who is gone comes back.
    pub fn begin(&mut self, cta: usize, patience: u64) {
        match self.step {
            Step::Still => (self.step, self.cta) = (Step::Holds { late: None, calm: false }, cta),
            Step::Away => self.step = Step::Restores { launched: 0, at: 0 },
            _ => return,
        }
        self.patience = patience;
    }

    /// The CTA that is held, as a mask.
    pub fn frozen(&self) -> u128 {
        match self.step {
            Step::Holds { late: Some(_), .. } | Step::Empties { .. } | Step::Saves { .. } => 1 << self.cta,
            _ => 0,
        }
    }

    /// Whether the threads and barriers of `cta` have to be still.
    pub fn stills(&self, cta: usize) -> bool {
        let still = !matches!(self.step, Step::Still | Step::Holds { calm: false, .. });
        still && self.cta == cta
    }

    /// Whether `cta` is on its way, or gone.
    pub fn concerns(&self, cta: usize) -> bool {
        self.step != Step::Still && self.cta == cta
    }

    /// Whether a CTA is held.
    pub fn holds(&self) -> bool {
        self.frozen() != 0
    }

    /// Who is gone never comes back; says who that is.
    pub fn forget(&mut self) -> usize {
        self.step = Step::Still;
        self.cta
    }

    /// The next request of the core. One that is to be presented again may also be `given_up`.
    pub fn wish(&mut self, given_up: bool) -> Option<Wish> {
        let whole = |operation, place, data, act| Wish { operation, first: true, place, data, act };
        let nothing = (SavedWord::Launch, 0, 0);
        let patience = u128::from(self.patience);
        self.wish = Some(match self.step {
            Step::Still | Step::Away => return None,
            Step::Holds { late: Some(_), .. } | Step::Empties { asked: false } if given_up => {
                whole(Operation::Suspend, nothing, 0, true)
            }
            Step::Holds { calm, .. } => whole(Operation::Suspend, nothing, patience, calm),
            Step::Empties { .. } => whole(Operation::Withdraw, nothing, 0, false),
            Step::Saves { at } => {
                whole(Operation::Withdraw, self.words.get(at).copied().unwrap_or((SavedWord::End, 0, 0)), 0, true)
            }
            Step::Restores { launched, .. } if launched < self.ids => {
                let first = launched == 0;
                Wish { first, ..whole(Operation::Launch, (SavedWord::Launch, launched, 0), self.values[0], true) }
            }
            Step::Restores { at, .. } => match self.words.get(at) {
                Some(place) => whole(Operation::Deposit, *place, self.values[at], true),
                None => whole(Operation::Deposit, (SavedWord::Entry, self.order[at - self.words.len()], 0), 0, true),
            },
        });
        self.wish
    }

    /// The CTA that it is about.
    pub fn cta(&self) -> usize {
        self.cta
    }

    /// Forgets a request that was not presented.
    pub fn wait(&mut self) {
        self.wish = None;
    }

    /// The request of the core that was presented in cycle `now`, if there was one, was answered: refused or not, in error or not, with a word
    /// of which `known` says what it has to be. True while slots and queues are being emptied from the next cycle on.
    ///
    /// # Errors
    /// An answer that the page does not promise.
    pub fn answered(
        &mut self,
        now: u64,
        [refused, error, value]: [u128; 3],
        inside: bool,
        known: impl Fn(Place) -> Option<u128>,
    ) -> Result<bool, String> {
        let Some(wish) = self.wish.take() else {
            expect("whether nothing is refused", refused, 0)?;
            return expect("an error of nobody", error, 0).map(|()| false);
        };
        if wish.operation == Operation::Suspend && wish.data == 0 {
            expect("whether it is refused to give up", refused + error, 0)?;
            self.step = Step::Still;
            return Ok(false);
        }
        match &mut self.step {
            Step::Holds { late: late @ None, .. } => {
                expect("whether the first Suspend is refused, without an error", (refused, error), (1, 0))?;
                *late = Some(now + 1 + u64::from(self.patience as u16));
            }
            Step::Holds { calm: true, .. } => {
                expect("whether a Suspend is refused, though nothing is under way", (refused, error), (0, 0))?;
                self.step = Step::Empties { asked: false };
            }
            Step::Holds { late: Some(late), calm } => {
                let over = now >= *late;
                if inside || error == 1 {
                    let answer = (u128::from(!over), u128::from(over));
                    expect("whether a Suspend is refused, and in error if the time is over", (refused, error), answer)?;
                } else if over {
                    expect("whether a Suspend is refused when its time is over", refused, 0)?;
                }
                *calm = refused == 0;
                if error == 1 {
                    self.step = Step::Still;
                }
            }
            Step::Empties { asked } => {
                expect("an error of a Withdraw", error, 0)?;
                let begins = !*asked;
                *asked = true;
                if begins {
                    expect("whether the first Withdraw is refused", refused, 1)?;
                    return Ok(true);
                }
                expect("whether a Withdraw is refused when all is taken out", refused, 0)?;
                self.step = Step::Saves { at: 0 };
            }
            Step::Saves { at } => {
                expect("whether a Withdraw is refused, or in error", (refused, error), (0, 0))?;
                let Some(place) = self.words.get(*at) else {
                    self.step = Step::Away;
                    return Ok(false);
                };
                if let Some(known) = known(*place) {
                    expect("the word that leaves", (*place, value), (*place, known))?;
                }
                if place.0 == SavedWord::Order {
                    let entries = (0..16).map(|place| value >> (8 * place) & 0xff).take_while(|entry| *entry != 0);
                    self.order = entries.map(|entry| entry as usize & 0x7f).collect();
                }
                self.values[*at] = value;
                *at += 1;
            }
            Step::Restores { launched, at } => {
                expect("whether what comes back is refused, or in error", (refused, error), (0, 0))?;
                if *launched < self.ids {
                    *launched += 1;
                } else {
                    *at += 1;
                }
                if *launched == self.ids && *at == self.words.len() + self.order.len() {
                    self.step = Step::Still;
                }
            }
            Step::Still | Step::Away => {}
        }
        Ok(false)
    }

    /// Barriers that were taken out, while they are out.
    pub fn taken_out(&self) -> &[usize] {
        &self.order
    }

    /// Whether it is gone.
    pub fn is_away(&self) -> bool {
        self.step == Step::Away
    }

    /// Whether it is coming back.
    pub fn comes_back(&self) -> bool {
        matches!(self.step, Step::Restores { .. })
    }
}
