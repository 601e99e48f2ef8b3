//! A warp's divergence state on its way out of an engine and back in (CX-09).
//!
//! It leaves by the ports that instructions use: what the engine shows of the warp is read, then its tokens are withdrawn one by one,
//! front first. It comes back, on whichever warp is free, by a launch of all its live threads; those that did not run are disabled as they
//! were, and the tokens are deposited from the last to the first. Trees are built anew by the instructions that build them
//! ([`crate::tree_restoration`]). The engine does all of it; nothing here decides where a thread goes on.
//!
//! **Source** CX-09: "its warps' divergence state (deque window and spill area, PC, masks, reasons, exited, yield counter and generator)".

use std::collections::VecDeque;

use crate::engine::{Engine, Fetch, Kind, Mask, Operation, Request, SavedToken};
use crate::tree_restoration::TreeRestoration;

/// The divergence state of a warp that runs nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpContext {
    /// Where it goes on, and with whom.
    pub fetch: Fetch,
    /// The disabled threads, for each reason for which there are any.
    pub disabled: Vec<(Kind, Mask)>,
    /// State of the yield policy: a count, or the generator.
    pub yield_state: u16,
    /// The tokens, front first; the nodes of a tree, those below before the one above.
    pub tokens: Vec<SavedToken>,
    /// It ran on a tree.
    pub tree: bool,
}

impl WarpContext {
    /// What an engine shows of a warp that it is doing nothing for, the tokens still to come. `None` if the engine does not save warps.
    pub fn look(engine: &mut dyn Engine, warp: usize) -> Option<Self> {
        let yield_state = engine.context()?.yield_state(warp);
        let fetch = engine.fetch(warp);
        let disabled = Kind::ALL.map(|kind| (kind, engine.disabled(warp, kind)));
        let disabled = disabled.into_iter().filter(|(_, threads)| *threads != 0).collect();
        Some(Self { fetch, disabled, yield_state, tokens: Vec::new(), tree: engine.configuration().tree })
    }

    /// The threads that have not exited.
    pub fn live(&self) -> Mask {
        self.disabled.iter().fold(self.fetch.active, |live, (_, threads)| live | threads)
    }

    /// The request by which the next token leaves, or the warp.
    pub const fn withdrawal(warp: usize) -> Request {
        Request { operation: Operation::Withdraw, ..Request::nothing(warp) }
    }

    /// Starts the warp again. [`WarpContext::restoration`] follows as soon as it is ready.
    ///
    /// # Panics
    /// If the engine does not save warps: this context came from elsewhere.
    pub fn resume(&self, engine: &mut dyn Engine, warp: usize) {
        let context = engine.context().expect("a context comes from an engine that saves warps");
        context.resume(warp, self.live(), self.fetch.address, self.yield_state);
    }

    /// How a warp is restored that was launched with all its live threads.
    pub fn restoration(&self, warp: usize) -> Restoration {
        let asleep = self.disabled.iter().find(|(kind, _)| *kind == Kind::Barrier).map_or(0, |(_, threads)| *threads);
        if self.tree {
            return Restoration::Tree(TreeRestoration::new(warp, self.live(), asleep, &self.tokens));
        }
        let request = |operation, kind, mask, target| Request {
            operation,
            kind: Some(kind),
            mask,
            target,
            ..Request::nothing(warp)
        };
        if self.fetch.active == 0 {
            // Parked: all of them sleep, and its queue was empty when they did.
            return Restoration::Queue([request(Operation::Sleep, Kind::Barrier, self.live(), 0)].into());
        }
        let disabled = self.disabled.iter().map(|(kind, threads)| request(Operation::Disable, *kind, *threads, 0));
        let tokens = self.tokens.iter().rev();
        let tokens = tokens.map(|token| request(Operation::Deposit, token.kind, token.mask, token.address));
        Restoration::Queue(disabled.chain(tokens).collect())
    }

    /// Its size in a save area, in 64-bit words: address with yield state, active threads, a word a reason, a word a token, two a node of a
    /// tree, which names itself and the one above.
    pub fn words(&self) -> usize {
        2 + Kind::ALL.len() + self.tokens.len() * if self.tree { 2 } else { 1 }
    }
}

/// A warp that is being restored: what is still to be done.
#[derive(Clone, Debug)]
pub enum Restoration {
    /// These, in order.
    Queue(VecDeque<Request>),
    /// What the leaf shown needs.
    Tree(TreeRestoration),
}

impl Restoration {
    /// What the warp, which shows `fetch`, is to be offered next.
    pub fn next(&mut self, fetch: Fetch) -> Option<Request> {
        match self {
            Self::Queue(requests) => requests.front().copied(),
            Self::Tree(trees) => trees.next(fetch),
        }
    }

    /// The engine has accepted that.
    pub fn accepted(&mut self, request: &Request) {
        match self {
            Self::Queue(requests) => {
                requests.pop_front();
            }
            Self::Tree(trees) => trees.accepted(request),
        }
    }

    /// Whether nothing is left to do.
    pub fn is_done(&self) -> bool {
        match self {
            Self::Queue(requests) => requests.is_empty(),
            Self::Tree(trees) => trees.is_done(),
        }
    }
}
