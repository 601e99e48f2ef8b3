//! Engines with one deliberate defect each: the oracle has to find every one of them.

use crate::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Operation, Request};
use crate::model::divergence_unit::DequeModel;
use crate::model::divergence_warp::{Outcome, Warp};
use crate::model::token_deque::{Token, TokenDeque};

/// What is wrong with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The source taken literally: any token of the kind is waited for; without one, branch at once and pop up to the next yield token.
    Literal,
    /// DQ-28 with its tests, but "branch at once" instead of the implicit yield.
    BranchAtOnce,
    /// The frontmost token's address is not compared (DQ-28).
    NoAddressTest,
    /// Threads outside the frontmost token's mask wait for it as well (DQ-28).
    NoMaskTest,
    /// Exited threads count as disabled for sync, so older tokens revive them (DQ-31).
    ReviveExited,
    /// A YIELD merges into any yield token, whatever its address (DQ-07).
    MergeAnywhere,
    /// A deferred BRX goes on behind the instruction instead of at it (DQ-23).
    IndirectGoesOn,
    /// An unwind takes one token and no more (DQ-25).
    LosesOneToken,
}

impl Defect {
    /// All of them.
    pub const ALL: [Defect; 8] = [
        Defect::Literal,
        Defect::BranchAtOnce,
        Defect::NoAddressTest,
        Defect::NoMaskTest,
        Defect::ReviveExited,
        Defect::MergeAnywhere,
        Defect::IndirectGoesOn,
        Defect::LosesOneToken,
    ];
}

/// The reference model with a defect.
pub struct BrokenEngine {
    model: DequeModel,
    defect: Defect,
    offered: Option<Request>,
}

impl BrokenEngine {
    pub fn new(configuration: &Configuration, defect: Defect) -> Self {
        Self { model: DequeModel::new(*configuration), defect, offered: None }
    }

    /// Does the instruction the wrong way; none if the right way will do.
    fn misbehave(&mut self, request: &mut Request) -> Option<Events> {
        let warp = self.model.warps[request.warp].as_mut()?;
        let named = warp.active & request.mask;
        let leaves = request.operation == Operation::Leave && request.targeted && named != 0;
        let kind = request.kind.unwrap_or(Kind::Sync);
        let found = warp.queue.find(kind).map(|(_, token)| token);
        match self.defect {
            Defect::NoAddressTest if leaves => {
                request.target = found.map_or(request.target, |token| token.address);
                None
            }
            Defect::Literal if leaves && !request.again => {
                let outcome = if found.is_some() {
                    wait(warp, named, kind, request)
                } else {
                    branch_at_once(warp, named, request)
                };
                Some(self.ended(request.warp, outcome))
            }
            Defect::BranchAtOnce if leaves && !request.again => {
                let waiters = found.filter(|token| token.address == request.target).map_or(0, |token| token.mask);
                if named & !waiters == 0 {
                    return None;
                }
                warp.disable(named & waiters, kind);
                let outcome = branch_at_once(warp, named & !waiters, request);
                Some(self.ended(request.warp, outcome))
            }
            Defect::NoMaskTest if leaves && !request.again => {
                found.filter(|token| token.address == request.target)?;
                let outcome = wait(warp, named, kind, request);
                Some(self.ended(request.warp, outcome))
            }
            Defect::ReviveExited if request.operation == Operation::Exit => {
                warp.disabled[usize::from(Kind::Sync.code())] |= named;
                None
            }
            Defect::MergeAnywhere if request.operation == Operation::Yield && named != 0 => {
                let address = warp.queue.find(Kind::Yield).map(|(_, token)| token.address);
                warp.address = address.map_or(warp.address, |address| address.wrapping_sub(1));
                None
            }
            Defect::IndirectGoesOn if request.operation == Operation::Indirect && named != 0 => {
                warp.address += 1;
                None
            }
            Defect::LosesOneToken if request.operation == Operation::Exit && named == warp.active => {
                warp.queue.pop_front();
                None
            }
            _ => None,
        }
    }

    fn ended(&mut self, warp: usize, outcome: Outcome) -> Events {
        let mut events = Events::default();
        match outcome {
            Outcome::Running => return events,
            Outcome::Done => events.done.push(warp),
            Outcome::Withdrawn => events.withdrawn.push(warp),
            Outcome::Stopped(cause) => {
                let address = self.model.fetch(warp).address;
                events.faults.push(crate::engine::Fault { warp, cause, address });
            }
        }
        self.model.warps[warp] = None;
        events
    }
}

fn wait(warp: &mut Warp<TokenDeque>, threads: Mask, kind: Kind, request: &Request) -> Outcome {
    warp.disable(threads, kind);
    let next = warp.address + 1;
    warp.go_on_or_unwind(next, request, &mut Events::default())
}

fn branch_at_once(warp: &mut Warp<TokenDeque>, threads: Mask, request: &Request) -> Outcome {
    while warp.queue.tokens().next().is_some_and(|token| token.kind != Kind::Yield) {
        warp.queue.pop_front();
    }
    let survivors = warp.active & !threads;
    if survivors != 0 {
        warp.queue.push_front(Token::new(Kind::Divergence, survivors, warp.address + 1));
        warp.disable(survivors, Kind::Divergence);
    }
    warp.active = threads;
    warp.address = request.target;
    Outcome::Running
}

impl Engine for BrokenEngine {
    fn name(&self) -> String {
        format!("deque model with the defect {:?}", self.defect)
    }
    fn configuration(&self) -> &Configuration {
        self.model.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.model.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.model.ready()
    }
    fn running(&mut self) -> u64 {
        self.model.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.model.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.model.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        self.offered = Some(*request);
        true
    }
    fn tick(&mut self) -> Events {
        let Some(mut request) = self.offered.take() else { return self.model.tick() };
        self.misbehave(&mut request).unwrap_or_else(|| {
            self.model.offer(&request);
            self.model.tick()
        })
    }
}
