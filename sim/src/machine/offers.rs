//! What the engine is offered, and what comes of it once it is accepted.

use crate::engine::{Fetch, Request};

use super::core::{Machine, Offer};
use super::local_unit::ContextFault;
use super::outcome::Verdict;

impl Machine<'_> {
    /// Offers something to the engine.
    pub(super) fn offer(&mut self, offer: Offer) -> Option<Verdict> {
        if !self.engine.offer(offer.request()) {
            self.pending = Some(offer);
            self.around.counters.stalls.engine_refused += 1;
            return self.stuck();
        }
        self.pending = None;
        match offer {
            Offer::Instruction(request, fetch) => return self.issue(request, fetch),
            Offer::Step(request) => self.step(request),
            Offer::Context(request) => {
                self.around.counters.stalls.suspension += 1;
                if let Some(suspension) = &mut self.suspension {
                    suspension.accepted(&request);
                }
                self.around.recorder.touch(request.warp);
            }
            Offer::Wake(request) => self.around.woken(&request),
        }
        None
    }

    /// The engine has accepted a part of a barrier's answer.
    fn step(&mut self, request: Request) {
        self.scheduler.issued(request.warp);
        if let Some(unit) = &mut self.barriers {
            unit.stepped(request.warp);
        }
        let address = self.engine.fetch(request.warp).address;
        self.around.stepped(&request, address);
    }

    /// The engine has accepted an instruction: the lanes do its work.
    fn issue(&mut self, request: Request, fetch: Fetch) -> Option<Verdict> {
        self.scheduler.issued(request.warp);
        let resident = self.blocks.resident(request.warp)?;
        self.around.perform(&request, fetch, resident)
    }

    pub(super) fn finish(&mut self, warp: usize) -> Result<(), ContextFault> {
        let last = self.blocks.finish(warp);
        if let Some(slot) = last {
            match &mut self.barriers {
                Some(unit) => unit.retire(slot),
                None => self.blocks.retire(slot),
            }
        }
        self.around.finished(warp, last.is_some())
    }
}
