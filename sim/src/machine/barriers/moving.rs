//! The barriers of a CTA that is suspended: out of the scheduler word by word, and back into another of its CTAs (CX-09, CX-10).

use crate::barrier::{ErrorReport, Operation, Request, Response, SavedCta, Withdrawal};
use crate::machine::barriers::ledger::{Cta, Standing};

use super::unit::{BarrierUnit, Origin};

/// How far a CTA is out of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// It is waited for its threads inside sections, for so many cycles at most.
    Asked(u16),
    /// A thread does not leave its section; the CTA runs on.
    Failed(ErrorReport),
    /// Nobody is inside, and nothing of it is woken any more.
    Held,
    /// Its state leaves.
    Withdrawing(Box<Withdrawal>),
    /// It is out.
    Gone(Box<SavedCta>),
}

/// The barriers of a CTA that is nowhere resident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedBarriers {
    saved: SavedCta,
    cta: Cta,
}

impl SavedBarriers {
    /// Its size in a save area, in 64-bit words.
    pub fn words(&self) -> usize {
        self.saved.words()
    }
}

impl BarrierUnit {
    /// The CTA in a slot is to be suspended: it may take so many cycles, at least one, until its threads inside sections have left them.
    pub fn suspend(&mut self, slot: usize, patience: u16) {
        self.leaving = Some((slot, Leaving::Asked(patience.max(1))));
        self.ask(slot, Operation::Suspend, patience.max(1).into());
    }

    /// How far that is.
    pub fn leaving(&self) -> Option<&Leaving> {
        self.leaving.as_ref().map(|(_, leaving)| leaving)
    }

    /// It runs on.
    pub fn run_on(&mut self) {
        if let Some((slot, leaving)) = self.leaving.take() {
            if !matches!(leaving, Leaving::Failed(_)) {
                self.ask(slot, Operation::Suspend, 0);
            }
        }
    }

    /// Nothing is under way between these warps and the scheduler.
    pub fn quiet(&self, warps: &[usize]) -> bool {
        let waking = |warp: &usize| self.wakes.iter().any(|waking| waking.warp == *warp);
        warps.iter().all(|warp| self.flights[*warp].is_none() && self.steps[*warp].is_empty() && !waking(warp))
    }

    /// A wake-up of the warp is on its way to the engine.
    pub fn is_waking(&self, warp: usize) -> bool {
        self.wakes.iter().any(|waking| waking.warp == warp)
    }

    /// The CTA that is held leaves. From now on it cannot run on here.
    pub fn withdraw(&mut self) {
        let size = self.scheduler.size();
        let Some((slot, leaving)) = &mut self.leaving else { return };
        let withdrawal = Withdrawal::new(*slot, &size);
        let request = withdrawal.request();
        *leaving = Leaving::Withdrawing(Box::new(withdrawal));
        self.queue.extend(request.map(|request| (Origin::Move, request)));
    }

    /// The CTA that is out, with what is known of it.
    pub fn take_away(&mut self) -> Option<SavedBarriers> {
        let (slot, leaving) = self.leaving.take()?;
        let Leaving::Gone(saved) = leaving else {
            self.leaving = Some((slot, leaving));
            return None;
        };
        let cta = self.ctas[slot].take()?;
        self.asleep -= asleep(&cta);
        Some(SavedBarriers { saved: *saved, cta })
    }

    /// A CTA that was taken away comes back in a slot, on these warps, each with its number in the CTA; the others have ended.
    /// [`BarrierUnit::arrived`] says when it is all there.
    pub fn bring_back(&mut self, away: &SavedBarriers, slot: usize, warps: impl Iterator<Item = (usize, usize)>) {
        self.asleep += asleep(&away.cta);
        let mut cta = away.cta.clone();
        for (number, warp) in warps {
            cta.warps[number] = warp;
        }
        self.ctas[slot] = Some(cta);
        let requests = away.saved.restoration(slot).into_iter();
        self.queue.extend(requests.map(|request| (Origin::Move, request)));
    }

    /// Nothing of a CTA that moves is under way.
    pub fn arrived(&self) -> bool {
        !self.queue.iter().any(|(origin, _)| *origin == Origin::Move)
    }

    fn ask(&mut self, slot: usize, operation: Operation, data: u64) {
        self.queue.push_back((Origin::Move, Request { operation, cta: slot, data, ..Request::default() }));
    }

    /// A request that moves a CTA was answered.
    pub(super) fn moved(&mut self, request: &Request, response: &Response) {
        let Some((slot, leaving)) = self.leaving.as_mut().filter(|(slot, _)| *slot == request.cta) else { return };
        let slot = *slot;
        match (request.operation, leaving) {
            (Operation::Suspend, leaving @ Leaving::Asked(_)) if request.data > 0 => {
                if let Some(report) = response.error {
                    *leaving = Leaving::Failed(report);
                } else if response.refused {
                    self.ask(slot, Operation::Suspend, request.data);
                } else {
                    *leaving = Leaving::Held;
                }
            }
            (Operation::Withdraw, Leaving::Withdrawing(withdrawal)) => {
                withdrawal.answered(response);
                let next = withdrawal.request();
                if next.is_none() {
                    let saved = withdrawal.as_ref().clone().into_saved();
                    self.leaving = Some((slot, Leaving::Gone(Box::new(saved))));
                }
                self.queue.extend(next.map(|request| (Origin::Move, request)));
            }
            _ => {}
        }
    }
}

/// Threads of a CTA that sleep.
pub fn asleep(cta: &Cta) -> u64 {
    cta.threads.iter().filter(|record| matches!(record.standing, Standing::Asleep(_))).count() as u64
}
