//! The token deque of one warp as it is meant: unbounded, and short enough to be believed.
//!
//! **Source** US 9,459,876: a queue with two ends, for which DQ-03, DQ-04, DQ-07 and DQ-08 say what goes in and comes out.
//! Timing, windows and spilling are not here; [`super::windowed_deque`] has them.

use crate::engine::{Kind, Mask};
pub use heddle_hdl::divergence::token::QueueOperation;
use heddle_hdl::divergence::token::{summary, Token128, Token64};
use std::collections::VecDeque;

/// Some threads of a warp and the address at which they go on (DQ-01, DQ-03).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// What it stands for.
    pub kind: Kind,
    /// The threads.
    pub mask: Mask,
    /// Where they go on, in instructions.
    pub address: u32,
}

impl Token {
    /// A token.
    pub const fn new(kind: Kind, mask: Mask, address: u32) -> Self {
        Self { kind, mask, address }
    }

    /// Its 64-bit packing (DQ-01) or, if `wide`, its 128-bit one (DQ-02); the summary field is left at zero.
    pub fn pack(&self, wide: bool) -> u128 {
        if wide {
            let mut packed = Token128::default();
            packed.set_identifier(self.kind.code());
            packed.set_mask(self.mask);
            packed.set_address(self.address);
            packed.0
        } else {
            let mut packed = Token64::default();
            packed.set_identifier(self.kind.code());
            packed.set_mask(self.mask as u32);
            packed.set_address(self.address);
            u128::from(packed.0)
        }
    }

    /// The token in a packing, none if the identifier names no kind. The summary field is not looked at.
    pub fn unpack(packed: u128, wide: bool) -> Option<Self> {
        if wide {
            let packed = Token128(packed);
            Kind::from_code(packed.identifier()).map(|kind| Self::new(kind, packed.mask(), packed.address()))
        } else {
            let packed = Token64(packed as u64);
            Kind::from_code(packed.identifier()).map(|kind| Self::new(kind, packed.mask().into(), packed.address()))
        }
    }
}

/// The summary bit that tells of a kind, for the four kinds that have one (DQ-04).
pub fn summary_bit(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Sync => Some(summary::SYNC),
        Kind::Divergence => Some(summary::DIVERGENCE),
        Kind::Call => Some(summary::CALL),
        Kind::Yield => Some(summary::YIELD),
        _ => None,
    }
}

/// The summary of a set of tokens: one bit for each of the four kinds that is among them (DQ-04).
pub fn summary_of<'a>(tokens: impl IntoIterator<Item = &'a Token>) -> u8 {
    tokens.into_iter().filter_map(|token| summary_bit(token.kind)).fold(0, |bits, bit| bits | 1 << bit)
}

/// What an operation answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The token that a pop took or a find saw.
    pub token: Option<Token>,
    /// Kinds behind that token (DQ-04).
    pub summary: u8,
    /// A back push found its yield token (DQ-07).
    pub merged: bool,
    /// No room: nothing was changed (DQ-12). The unbounded deque never says so.
    pub failed: bool,
}

/// What a divergence engine needs of a queue; here without bounds, in [`super::windowed_deque`] with them.
pub trait TokenQueue {
    /// Carries out an operation; `token` is the operand of the pushes, its kind that of a find.
    fn apply(&mut self, operation: QueueOperation, token: Token) -> Answer;
    /// How many tokens it holds.
    fn len(&self) -> usize;
    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The exceptions met since the last call, oldest first.
    fn take_exceptions(&mut self) -> Vec<crate::engine::Cause> {
        Vec::new()
    }
}

/// The unbounded deque.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenDeque {
    /// The front is at index 0.
    tokens: VecDeque<Token>,
}

impl TokenDeque {
    /// An empty deque.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a token at the front.
    pub fn push_front(&mut self, token: Token) {
        self.tokens.push_front(token);
    }

    /// Puts a token at the back; a yield token joins the yield token of its address instead, if there is one (DQ-07).
    /// True if it did. (The frontmost, should there be several: only front pushes of yield tokens can bring that about.)
    pub fn push_back(&mut self, token: Token) -> bool {
        let same = |other: &&mut Token| other.kind == Kind::Yield && other.address == token.address;
        if token.kind == Kind::Yield {
            if let Some(other) = self.tokens.iter_mut().find(same) {
                other.mask |= token.mask;
                return true;
            }
        }
        self.tokens.push_back(token);
        false
    }

    /// Takes the front token.
    pub fn pop_front(&mut self) -> Option<Token> {
        self.tokens.pop_front()
    }

    /// The frontmost token of a kind, with its place counted from the front.
    pub fn find(&self, kind: Kind) -> Option<(usize, Token)> {
        self.tokens.iter().copied().enumerate().find(|(_, token)| token.kind == kind)
    }

    /// Tokens of a kind (DQ-04).
    pub fn count(&self, kind: Kind) -> usize {
        self.tokens.iter().filter(|token| token.kind == kind).count()
    }

    /// Summary of the tokens from a place on, counted from the front.
    pub fn summary_from(&self, place: usize) -> u8 {
        summary_of(self.tokens.iter().skip(place))
    }

    /// Its tokens, front first.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = &Token> {
        self.tokens.iter()
    }

    /// Forgets every token.
    pub fn clear(&mut self) {
        self.tokens.clear();
    }
}

impl TokenQueue for TokenDeque {
    fn apply(&mut self, operation: QueueOperation, token: Token) -> Answer {
        let mut answer = Answer::default();
        match operation {
            QueueOperation::PushFront => self.push_front(token),
            QueueOperation::PushBack | QueueOperation::Yield => answer.merged = self.push_back(token),
            QueueOperation::Clear => self.clear(),
            QueueOperation::PopFront | QueueOperation::Find => {}
        }
        match operation {
            QueueOperation::PopFront | QueueOperation::Yield => {
                answer.token = self.pop_front();
                answer.summary = self.summary_from(0);
            }
            QueueOperation::Find => {
                if let Some((place, found)) = self.find(token.kind) {
                    answer.token = Some(found);
                    answer.summary = self.summary_from(place + 1);
                }
            }
            _ => {}
        }
        answer
    }

    fn len(&self) -> usize {
        self.tokens.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(deque: &mut TokenDeque) -> Answer {
        deque.apply(QueueOperation::PopFront, Token::new(Kind::Sync, 0, 0))
    }

    /// DQ-01, DQ-02, DQ-03: every kind comes back from both packings, and its code lies in the low bits.
    #[test]
    fn dq_03_every_kind_survives_packing() {
        for kind in Kind::ALL {
            let token = Token::new(kind, 0x8000_0001, 0x2a_bcde);
            for wide in [false, true] {
                assert_eq!(Token::unpack(token.pack(wide), wide), Some(token));
                assert_eq!(token.pack(wide) & 0xf, u128::from(kind as u8));
            }
        }
        assert_eq!(Token::new(Kind::Sync, 1, 1).pack(false), 1 << 36 | 1 << 4 | 1);
        assert_eq!(Token::unpack(0, false), None, "code 0 is no kind");
        let wide = Token::new(Kind::Call, 1 << 63, u32::MAX);
        assert_eq!(Token::unpack(wide.pack(true), true), Some(wide));
    }

    /// DQ-04: a popped token's summary names exactly the four kinds that are still behind it, a merged yield token included.
    #[test]
    fn dq_04_summary_tells_what_is_behind() {
        let mut deque = TokenDeque::new();
        assert!(!deque.push_back(Token::new(Kind::Yield, 1, 5)));
        for kind in [Kind::Break, Kind::Sync, Kind::Call, Kind::Divergence] {
            deque.push_front(Token::new(kind, 1, 9));
        }
        let answers: Vec<_> = (0..5).map(|_| pop(&mut deque)).collect();
        let seen: Vec<_> = answers.iter().map(|answer| (answer.token.unwrap().kind, answer.summary)).collect();
        let expected = [
            (Kind::Divergence, 0b1101),
            (Kind::Call, 0b1001),
            (Kind::Sync, 0b1000),
            (Kind::Break, 0b1000),
            (Kind::Yield, 0),
        ];
        assert_eq!(seen, expected);
        assert_eq!(pop(&mut deque), Answer::default());
    }

    /// DQ-04: the counts cover every kind, and a find sees the frontmost without touching it.
    #[test]
    fn dq_04_counts_and_find() {
        let mut deque = TokenDeque::new();
        for (kind, address) in [(Kind::Sync, 1), (Kind::LongJump, 2), (Kind::Sync, 3), (Kind::Exit, 4)] {
            deque.push_front(Token::new(kind, 1, address));
        }
        assert_eq!(deque.count(Kind::Sync), 2);
        assert_eq!(deque.count(Kind::Exit), 1);
        assert_eq!(deque.count(Kind::Call), 0);
        let found = deque.apply(QueueOperation::Find, Token::new(Kind::Sync, 0, 0));
        assert_eq!((found.token.unwrap().address, found.summary), (3, 1));
        assert_eq!(deque.apply(QueueOperation::Find, Token::new(Kind::Call, 0, 0)).token, None);
        assert_eq!(deque.len(), 4);
    }

    /// DQ-07: a yield token joins the one of its address wherever that is, another address or another kind does not.
    #[test]
    fn dq_07_yield_tokens_merge_by_address() {
        let mut deque = TokenDeque::new();
        assert!(!deque.push_back(Token::new(Kind::Yield, 0b0001, 7)));
        assert!(!deque.push_back(Token::new(Kind::Yield, 0b0010, 8)));
        deque.push_front(Token::new(Kind::Sync, 0b1111, 7));
        assert!(deque.push_back(Token::new(Kind::Yield, 0b0100, 7)));
        assert!(!deque.push_back(Token::new(Kind::Sync, 0b1000, 7)));
        let expected = [
            Token::new(Kind::Sync, 0b1111, 7),
            Token::new(Kind::Yield, 0b0101, 7),
            Token::new(Kind::Yield, 0b0010, 8),
            Token::new(Kind::Sync, 0b1000, 7),
        ];
        assert!(deque.tokens().eq(&expected));
    }

    /// DQ-08: pushes at the front come back last in first out, ahead of those at the back, which keep their order.
    #[test]
    fn dq_08_order_of_the_two_ends() {
        let mut deque = TokenDeque::new();
        for address in 0..3 {
            deque.push_front(Token::new(Kind::Sync, 1, address));
            deque.push_back(Token::new(Kind::Yield, 1, 100 + address));
        }
        let addresses: Vec<_> = std::iter::from_fn(|| deque.pop_front()).map(|token| token.address).collect();
        assert_eq!(addresses, [2, 1, 0, 100, 101, 102]);
    }

    /// DQ-06, DQ-27: YIELD is a back push and then a pop, so an empty queue gives the same threads back.
    #[test]
    fn dq_27_yield_with_an_empty_queue_returns_itself() {
        let mut deque = TokenDeque::new();
        let token = Token::new(Kind::Yield, 3, 12);
        let expected = Answer { token: Some(token), ..Answer::default() };
        assert_eq!(deque.apply(QueueOperation::Yield, token), expected);
        assert!(deque.is_empty());
        deque.push_front(token);
        deque.apply(QueueOperation::Clear, token);
        assert!(deque.is_empty());
    }
}
