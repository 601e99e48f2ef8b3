//! A CTA's barriers on their way out of a scheduler and back in, word by word (CX-09).
//!
//! They leave by the request port, so that no second way into every table is needed: once a Suspend is no longer refused, a
//! [`Withdrawal`] asks for one word after another, and with the last one the CTA is gone. It comes back, as whichever CTA is free, by the
//! requests of [`SavedCta::restoration`].

use super::{Operation, Request, Response, SavedWord, Size};
use std::collections::VecDeque;

/// One word: which, of what barrier and physical block, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word {
    kind: SavedWord,
    barrier: usize,
    block: usize,
    data: u64,
}

/// The word that a Withdraw or a Deposit names, if it names one.
pub fn word_of(request: &Request) -> Option<SavedWord> {
    const WORDS: [SavedWord; 14] = [
        SavedWord::Launch,
        SavedWord::Live,
        SavedWord::Order,
        SavedWord::Waiting,
        SavedWord::Finished,
        SavedWord::Arrived,
        SavedWord::Seen,
        SavedWord::Configuration,
        SavedWord::Identity,
        SavedWord::State,
        SavedWord::Transactions,
        SavedWord::Clock,
        SavedWord::Entry,
        SavedWord::End,
    ];
    let known = WORDS.into_iter().find(|word| *word as u32 == request.tag);
    known.filter(|_| matches!(request.operation, Operation::Withdraw | Operation::Deposit))
}

/// The fields of [`SavedWord::State`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateWord {
    /// The state bits.
    pub bits: u8,
    /// Arrivals.
    pub count: u16,
    /// Sleepers.
    pub sleepers: u16,
    /// Blocks with arrivals.
    pub filled: u8,
}

impl StateWord {
    /// The fields of a word.
    pub const fn of(word: u64) -> Self {
        Self { bits: word as u8, count: (word >> 16) as u16, sleepers: (word >> 32) as u16, filled: (word >> 48) as u8 }
    }

    /// The word of the fields.
    pub const fn word(self) -> u64 {
        self.bits as u64 | (self.count as u64) << 16 | (self.sleepers as u64) << 32 | (self.filled as u64) << 48
    }

    /// A state bit, by its number in the RTL's table: 0 static, 1 dynamic, 2 split, 3 phase, 4 marked, 5 reset, 6 held off, 7 clocked.
    pub const fn bit(self, bit: u32) -> bool {
        self.bits >> bit & 1 == 1
    }
}

/// The barriers of a CTA that is nowhere resident.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedCta {
    launch: u64,
    words: Vec<Word>,
    order: Vec<usize>,
}

impl SavedCta {
    /// The requests that bring it back as the CTA of this number, in order. None of them may be refused or left out.
    pub fn restoration(&self, cta: usize) -> VecDeque<Request> {
        let deposit = |kind: SavedWord, barrier, block, data| Request {
            operation: Operation::Deposit,
            cta,
            barrier,
            block,
            tag: kind as u32,
            data,
            ..Request::default()
        };
        let launch = Request { operation: Operation::Launch, cta, data: self.launch, ..Request::default() };
        let words = self.words.iter().map(|word| deposit(word.kind, word.barrier, word.block, word.data));
        let entries = self.order.iter().map(|barrier| deposit(SavedWord::Entry, *barrier, 0, 0));
        std::iter::once(launch).chain(words).chain(entries).collect()
    }

    /// How many 64-bit words it takes in a save area.
    pub fn words(&self) -> usize {
        2 + self.words.len()
    }

    /// Its barriers that were dynamic, in the order in which they enter the FIFO again.
    pub fn order(&self) -> &[usize] {
        &self.order
    }
}

/// A CTA's barriers on their way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    cta: usize,
    blocks: usize,
    /// What is asked for next.
    plan: VecDeque<(SavedWord, usize, usize)>,
    /// Words of the barrier in hand of which it is not known yet whether it has any state.
    fresh: Vec<Word>,
    saved: SavedCta,
}

impl Withdrawal {
    /// Of the CTA of this number, which is suspended.
    pub fn new(cta: usize, size: &Size) -> Self {
        let basis = [SavedWord::Configuration, SavedWord::State, SavedWord::Transactions];
        let barriers = (0..size.barriers).flat_map(|barrier| basis.map(|kind| (kind, barrier, 0)));
        let plan = [(SavedWord::Launch, 0, 0), (SavedWord::Live, 0, 0)].into_iter().chain(barriers);
        let plan = plan.chain([(SavedWord::Order, 0, 0), (SavedWord::End, 0, 0)]).collect();
        Self { cta, blocks: size.blocks, plan, fresh: Vec::new(), saved: SavedCta::default() }
    }

    /// What is asked for next; nothing once the CTA is gone.
    pub fn request(&self) -> Option<Request> {
        let (kind, barrier, block) = *self.plan.front()?;
        let (operation, tag) = (Operation::Withdraw, kind as u32);
        Some(Request { operation, cta: self.cta, barrier, block, tag, ..Request::default() })
    }

    /// The answer to that.
    pub fn answered(&mut self, response: &Response) {
        if response.refused {
            return;
        }
        let Some((kind, barrier, block)) = self.plan.pop_front() else { return };
        let word = Word { kind, barrier, block, data: response.saved };
        match kind {
            SavedWord::Launch => self.saved.launch = word.data,
            SavedWord::Order => {
                let bytes = word.data.to_le_bytes().into_iter().take_while(|byte| *byte != 0);
                self.saved.order = bytes.map(|byte| usize::from(byte & 0x7f)).collect();
            }
            SavedWord::End | SavedWord::Entry => {}
            SavedWord::Configuration | SavedWord::State => self.fresh.push(word),
            SavedWord::Transactions => {
                self.fresh.push(word);
                self.look_closer(barrier);
            }
            // A mask of nobody is what a launch leaves.
            SavedWord::Waiting | SavedWord::Finished if word.data == 0 => {}
            _ => self.saved.words.push(word),
        }
    }

    /// A barrier that is not as a launch leaves it has more words: of what it remembers, and of blocks that sleep in it.
    fn look_closer(&mut self, barrier: usize) {
        let words = std::mem::take(&mut self.fresh);
        if words.iter().map(|word| word.data).eq([AFTER_LAUNCH, 0, 0]) {
            return;
        }
        let state = words.iter().find(|word| word.kind == SavedWord::State).map_or(0, |word| word.data);
        let state = StateWord::of(state);
        self.saved.words.extend(words);
        let mut more = vec![(SavedWord::Identity, barrier, 0)];
        for block in (0..self.blocks).filter(|block| state.filled >> block & 1 == 1) {
            more.extend([(SavedWord::Arrived, barrier, block), (SavedWord::Seen, barrier, block)]);
        }
        if state.sleepers > 0 || state.bit(1) {
            let masks = |block| [(SavedWord::Waiting, barrier, block), (SavedWord::Finished, barrier, block)];
            more.extend((0..self.blocks).flat_map(masks));
        }
        // The clock comes last: from its Deposit on the barrier is looked at.
        more.push((SavedWord::Clock, barrier, 0));
        more.into_iter().rev().for_each(|word| self.plan.push_front(word));
    }

    /// The CTA, once nothing is asked for any more.
    pub fn into_saved(self) -> SavedCta {
        self.saved
    }
}

/// The configuration that a launch leaves: condition 1, all else 0.
const AFTER_LAUNCH: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-09: a barrier as its launch left it costs three words of questions and none of memory; one with sleepers and arrivals all of its own.
    #[test]
    fn cx_09_only_what_is_not_as_launched_is_kept() {
        let size = Size::SMALL;
        let mut withdrawal = Withdrawal::new(1, &size);
        let mut asked = Vec::new();
        while let Some(request) = withdrawal.request() {
            assert_eq!((request.operation, request.cta), (Operation::Withdraw, 1));
            let kind = word_of(&request).expect("it names a word");
            // A refusal changes nothing.
            withdrawal.answered(&Response { refused: true, ..Response::default() });
            assert_eq!(withdrawal.request(), Some(request));
            let state = StateWord { bits: 1, count: 3, sleepers: 3, filled: 2 };
            let saved = match (kind, request.barrier) {
                (SavedWord::Launch, _) => 8 | 1 << 16,
                (SavedWord::Live, _) => 7,
                (SavedWord::Configuration, _) => 1,
                (SavedWord::State, 1) => state.word(),
                (SavedWord::Waiting, 1) if request.block == 1 => 0b0111,
                (SavedWord::Order, _) => 0x81,
                _ => 0,
            };
            asked.push((kind, request.barrier, request.block));
            withdrawal.answered(&Response { saved, ..Response::default() });
        }
        assert_eq!(asked.len(), 4 + 3 + 3 + 1 + 2 + 4 + 1, "{asked:?}");
        let saved = withdrawal.into_saved();
        assert_eq!(saved.order(), [1]);
        let requests: Vec<_> =
            saved.restoration(0).into_iter().map(|request| (word_of(&request), request.data)).collect();
        let state = StateWord { bits: 1, count: 3, sleepers: 3, filled: 2 };
        let expected = [
            (None, 8 | 1 << 16),
            (Some(SavedWord::Live), 7),
            (Some(SavedWord::Configuration), 1),
            (Some(SavedWord::State), state.word()),
            (Some(SavedWord::Transactions), 0),
            (Some(SavedWord::Identity), 0),
            (Some(SavedWord::Arrived), 0),
            (Some(SavedWord::Seen), 0),
            (Some(SavedWord::Waiting), 7),
            (Some(SavedWord::Clock), 0),
            (Some(SavedWord::Entry), 0),
        ];
        assert_eq!(requests, expected);
        assert_eq!(StateWord::of(state.word()), state);
    }
}
