//! One warp under the rules of the divergence unit: what each instruction does to its threads (DQ-20 to DQ-32).
//!
//! A thread is active, disabled for one reason, or gone. The reason is the kind of the token for which it waits. Every rule below
//! moves threads between these states and tokens in and out of the queue; nothing else ever does.
//!
//! **Source** US 9,459,876, with the corrections of DQ-25, DQ-28 and DQ-30: taken literally, the source drops tokens for which
//! threads still wait.

use super::token_deque::{QueueOperation, Token, TokenQueue};
use crate::engine::{
    Cause, Configuration, Events, Kind, Mask, Operation, PathPolicy, Request, SavedToken, YieldPolicy,
};
use heddle_hdl::divergence::token::YIELD_GENERATOR_TAPS;

/// What became of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    Running,
    /// Every thread has exited (DQ-26).
    Done,
    /// It was stopped.
    Stopped(Cause),
    /// It was saved: its last token has left (CX-09).
    Withdrawn,
}

/// The queue has no room for a token (DQ-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

/// The state of one warp.
#[derive(Clone, Debug)]
pub struct Warp<Q> {
    /// Address of the next instruction.
    pub address: u32,
    /// Threads that run it.
    pub active: Mask,
    /// Threads that have not exited.
    pub live: Mask,
    /// Disabled threads by reason, indexed by the kind's code.
    pub disabled: [Mask; 16],
    /// The tokens.
    pub queue: Q,
    /// The yield policy's state: a count, or the generator.
    pub yield_state: u16,
    /// The most tokens that the queue has held since the launch.
    pub high_water: usize,
}

impl<Q: TokenQueue> Warp<Q> {
    /// A warp at its launch: the threads of the mask are active, all others count as exited.
    pub fn launch(queue: Q, threads: Mask, address: u32, rules: &Configuration) -> Self {
        let yield_state = match rules.yield_policy {
            YieldPolicy::Random => rules.yield_seed.max(1),
            YieldPolicy::Always | YieldPolicy::EveryNth => 0,
        };
        Self { address, active: threads, live: threads, disabled: [0; 16], queue, yield_state, high_water: 0 }
    }

    /// Runs one instruction.
    pub fn execute(&mut self, request: &Request, rules: &Configuration, events: &mut Events) -> Outcome {
        match self.try_execute(request, rules, events) {
            Ok(outcome) => outcome,
            Err(NoRoom) => Outcome::Stopped(Cause::Fatal),
        }
    }

    fn try_execute(
        &mut self,
        request: &Request,
        rules: &Configuration,
        events: &mut Events,
    ) -> Result<Outcome, NoRoom> {
        let active = self.active;
        let named = active & request.mask;
        let unnamed = active & !request.mask;
        let target = request.target;
        let next = self.address.wrapping_add(1);
        let kind = request.kind.unwrap_or(Kind::Call);
        match request.operation {
            Operation::Step => self.address = next,
            // DQ-20
            Operation::Push => {
                self.push_front(Token::new(kind, active, target), request, events)?;
                self.address = next;
            }
            Operation::Wake => return self.wake(request, events),
            // CX-09: a warp leaves token by token, and comes back the same way.
            Operation::Withdraw => {
                let nothing = Token::new(Kind::Yield, 0, 0);
                let Some(token) = self.queue.apply(QueueOperation::PopFront, nothing).token else {
                    return Ok(Outcome::Withdrawn);
                };
                events.popped.push(request.warp);
                let saved =
                    SavedToken { kind: token.kind, mask: token.mask, address: token.address, node: 0, above: 0 };
                events.saved.push((request.warp, saved));
            }
            Operation::Deposit => self.push_front(Token::new(kind, request.mask, target), request, events)?,
            Operation::Disable => self.disable(named, kind),
            // An instruction that names no active thread does nothing.
            _ if named == 0 => self.address = next,
            // DQ-22
            Operation::Branch => {
                if unnamed == 0 {
                    self.address = target;
                } else {
                    events.diverged += 1;
                    let (first, then) = if taken_first(rules.path_policy, named, unnamed) {
                        ((named, target), (unnamed, next))
                    } else {
                        ((unnamed, next), (named, target))
                    };
                    self.defer(then.0, then.1, request, events)?;
                    self.active = first.0;
                    self.address = first.1;
                }
            }
            // DQ-23: the others meet this same instruction again.
            Operation::Indirect => {
                if unnamed != 0 {
                    events.diverged += 1;
                    self.defer(unnamed, self.address, request, events)?;
                }
                self.active = named;
                self.address = target;
            }
            // DQ-21
            Operation::Call => {
                if unnamed != 0 {
                    events.diverged += 1;
                    self.defer(unnamed, next, request, events)?;
                }
                self.push_front(Token::new(Kind::Call, named, next), request, events)?;
                self.active = named;
                self.address = target;
            }
            Operation::Leave => return self.leave(kind, named, request, events),
            Operation::Yield => {
                // The counter or generator advances even if nothing comes of it (DQ-30).
                let fires = !rules.stack_mode && self.yield_fires(rules);
                if !fires || active == self.live {
                    self.address = next;
                } else {
                    self.yield_threads(named, next, request, events)?;
                    return Ok(self.go_on_or_unwind(next, request, events));
                }
            }
            // SM-07: nothing is pushed; a wake-up brings the address along.
            Operation::Sleep => {
                self.disable(named, Kind::Barrier);
                return Ok(self.go_on_or_unwind(next, request, events));
            }
            // DQ-31
            Operation::Exit => {
                self.active &= !named;
                self.live &= !named;
                return Ok(self.go_on_or_unwind(next, request, events));
            }
        }
        Ok(Outcome::Running)
    }

    /// DQ-24, DQ-28, DQ-29, DQ-31: the named threads that have a corresponding token wait for it; the others yield to the
    /// instruction's address, or are lost if it has none.
    fn leave(&mut self, kind: Kind, named: Mask, request: &Request, events: &mut Events) -> Result<Outcome, NoRoom> {
        let frontmost = self.queue.apply(QueueOperation::Find, Token::new(kind, 0, 0)).token;
        let corresponding = frontmost.filter(|token| !request.targeted || token.address == request.target);
        let waiters = corresponding.map_or(0, |token| named & token.mask);
        let others = named & !waiters;
        if others != 0 {
            if !request.targeted {
                return Ok(Outcome::Stopped(Cause::LostThread));
            }
            self.yield_threads(others, request.target, request, events)?;
        }
        self.disable(waiters, kind);
        let onward = if request.again { self.address } else { self.address.wrapping_add(1) };
        Ok(self.go_on_or_unwind(onward, request, events))
    }

    /// SM-07: the named sleepers go on at the target once it is their turn. Threads that run are not disturbed; a warp that has none
    /// unwinds.
    fn wake(&mut self, request: &Request, events: &mut Events) -> Result<Outcome, NoRoom> {
        let asleep = &mut self.disabled[usize::from(Kind::Barrier.code())];
        let woken = request.mask & *asleep;
        if woken == 0 {
            return Ok(Outcome::Running);
        }
        *asleep &= !woken;
        self.yield_threads(woken, request.target, request, events)?;
        Ok(self.go_on_or_unwind(self.address, request, events))
    }

    /// Every live thread sleeps at a barrier: the warp waits for a wake-up (SM-07).
    pub fn parked(&self) -> bool {
        self.live != 0 && self.live == self.disabled[usize::from(Kind::Barrier.code())]
    }

    /// DQ-30: whether this YIELD yields.
    fn yield_fires(&mut self, rules: &Configuration) -> bool {
        match rules.yield_policy {
            YieldPolicy::Always => true,
            YieldPolicy::EveryNth => {
                self.yield_state = (self.yield_state + 1) % 256;
                let fires = self.yield_state == u16::from(rules.yield_parameter);
                if fires {
                    self.yield_state = 0;
                }
                fires
            }
            YieldPolicy::Random => {
                let taps = if self.yield_state & 1 == 1 { YIELD_GENERATOR_TAPS } else { 0 };
                self.yield_state = (self.yield_state >> 1) ^ taps;
                (self.yield_state & 0xff) < u16::from(rules.yield_parameter)
            }
        }
    }

    /// DQ-27: a yield token at the back, or its threads into the one of its address.
    fn yield_threads(
        &mut self,
        threads: Mask,
        address: u32,
        request: &Request,
        events: &mut Events,
    ) -> Result<(), NoRoom> {
        let answer = self.queue.apply(QueueOperation::PushBack, Token::new(Kind::Yield, threads, address));
        if answer.failed {
            return Err(NoRoom);
        }
        if !answer.merged {
            events.pushed.push(request.warp);
        }
        events.yielded += 1;
        events.merged += u32::from(answer.merged);
        self.high_water = self.high_water.max(self.queue.len());
        self.disable(threads, Kind::Yield);
        Ok(())
    }

    /// DQ-24: whoever is still active goes on; if nobody is, the queue says who does.
    pub(crate) fn go_on_or_unwind(&mut self, onward: u32, request: &Request, events: &mut Events) -> Outcome {
        if self.active != 0 {
            self.address = onward;
            return Outcome::Running;
        }
        self.unwind(request, events)
    }

    /// DQ-25, DQ-26, SM-07: the first token from the front for which threads wait wakes exactly those; tokens before it are discarded.
    fn unwind(&mut self, request: &Request, events: &mut Events) -> Outcome {
        let nothing = Token::new(Kind::Yield, 0, 0);
        while let Some(token) = self.queue.apply(QueueOperation::PopFront, nothing).token {
            events.popped.push(request.warp);
            let reason = usize::from(token.kind.code());
            let woken = token.mask & self.disabled[reason];
            if woken != 0 {
                self.disabled[reason] &= !woken;
                self.active = woken;
                self.address = token.address;
                return Outcome::Running;
            }
            events.discarded += 1;
        }
        if self.live == 0 {
            Outcome::Done
        } else if self.parked() {
            Outcome::Running
        } else {
            Outcome::Stopped(Cause::LostThread)
        }
    }

    /// Threads of the path that runs later (DQ-22).
    fn defer(&mut self, threads: Mask, address: u32, request: &Request, events: &mut Events) -> Result<(), NoRoom> {
        self.push_front(Token::new(Kind::Divergence, threads, address), request, events)?;
        self.disable(threads, Kind::Divergence);
        Ok(())
    }

    pub(crate) fn disable(&mut self, threads: Mask, reason: Kind) {
        self.active &= !threads;
        self.disabled[usize::from(reason.code())] |= threads;
    }

    fn push_front(&mut self, token: Token, request: &Request, events: &mut Events) -> Result<(), NoRoom> {
        if self.queue.apply(QueueOperation::PushFront, token).failed {
            return Err(NoRoom);
        }
        events.pushed.push(request.warp);
        self.high_water = self.high_water.max(self.queue.len());
        Ok(())
    }
}

/// DQ-22: whether the threads that take a branch run before the others.
fn taken_first(policy: PathPolicy, taken: Mask, others: Mask) -> bool {
    match policy {
        PathPolicy::Taken => true,
        PathPolicy::NotTaken => false,
        PathPolicy::Smaller => taken.count_ones() <= others.count_ones(),
        PathPolicy::Larger => taken.count_ones() >= others.count_ones(),
    }
}
