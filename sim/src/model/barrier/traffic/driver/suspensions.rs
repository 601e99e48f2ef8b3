//! CTAs that are suspended at any moment and resumed where there is room (CX-09, CX-10).

use super::{Driver, Failure, Meaning, Stage};
use crate::barrier::{BarrierScheduler, ErrorCause, Operation, Request, Response, SavedCta, Withdrawal};
use crate::model::barrier::contract::CtaLedger;
use rand::Rng;
use std::collections::VecDeque;

/// A CTA on its way out or in.
#[derive(Default)]
pub(super) struct Moving {
    /// Cycles that it may take to leave its sections, if it is to leave.
    limit: Option<u64>,
    withdrawal: Option<Withdrawal>,
    /// Until then its memory is being copied, and its barriers stay where they are.
    copied: u64,
    saved: Option<(SavedCta, Box<CtaLedger>)>,
    restoration: VecDeque<Request>,
    elsewhere: bool,
}

impl<S: BarrierScheduler + ?Sized> Driver<'_, S> {
    /// Whether it is this CTA's turn to be asked to leave, now or once more; who exits meanwhile need not leave.
    pub(super) fn begins_to_leave(&mut self, number: usize) -> bool {
        let suspends = self.scenario.knobs.suspends;
        if suspends == 0 {
            return false;
        }
        let asked = self.ctas[number].moving.limit.is_some();
        let running = self.ctas[number].stage == Stage::Running;
        if !asked && running && self.random.random_range(0..1000) < suspends {
            let limits = [1, 8, 60, 400, 3000];
            self.ctas[number].moving.limit = Some(limits[self.random.random_range(0..limits.len())]);
            return true;
        }
        // Its threads go on meanwhile, or nobody would reach a bottom.
        asked && (!running || self.random.random_range(0..3) == 0)
    }

    /// The next request of a CTA that is moved.
    pub(super) fn moving_request(&mut self, number: usize) -> Option<(Request, Meaning)> {
        let gives_up = self.random.random_range(0..40) == 0;
        let cta = &mut self.ctas[number];
        let suspend = |data| Request { operation: Operation::Suspend, cta: number, data, ..Request::default() };
        let request = match cta.stage {
            Stage::Running if !gives_up => suspend(cta.moving.limit?),
            Stage::Running | Stage::Retiring => suspend(0),
            // There may turn out to be no room for the copy.
            Stage::Withdrawing if self.now < cta.moving.copied && gives_up => suspend(0),
            Stage::Withdrawing if self.now < cta.moving.copied => return None,
            Stage::Withdrawing => cta.moving.withdrawal.as_ref()?.request()?,
            Stage::Away(until) if until <= self.now => return self.come_back(number),
            Stage::Restoring => *cta.moving.restoration.front()?,
            _ => return None,
        };
        Some((request, Meaning::Move))
    }

    /// The CTA comes back, in its own place, or that of one that is over or has not begun: who begins then finds what was left behind.
    fn come_back(&mut self, number: usize) -> Option<(Request, Meaning)> {
        let count = self.ctas.len();
        let start = self.random.random_range(0..count);
        let around = (0..count).map(|place| (start + place) % count);
        let free = around.into_iter().find(|other| matches!(self.ctas[*other].stage, Stage::Over | Stage::Launching));
        let place = free.filter(|_| self.random.random_range(0..4) != 0).unwrap_or(number);
        self.ctas.swap(number, place);
        let cta = &mut self.ctas[place];
        cta.moving.elsewhere = place != number;
        cta.moving.restoration = cta.moving.saved.as_ref()?.0.restoration(place);
        cta.stage = Stage::Restoring;
        self.moving_request(place)
    }

    /// A request that moves a CTA was answered.
    pub(super) fn moved_on(&mut self, request: &Request, response: &Response) -> Result<(), Failure> {
        let number = request.cta;
        let away = self.now + self.random.random_range(0..200);
        let longest = [1, 1, 60, 2000];
        let longest = longest[self.random.random_range(0..longest.len())];
        let copied = self.now + self.random.random_range(0..longest);
        let cta = &mut self.ctas[number];
        if let Some(report) = response.error {
            if report.cause != ErrorCause::NoBottom {
                return self.astray(format!("{request:?} -> {response:?}"));
            }
            cta.moving.limit = None;
            return Ok(());
        }
        match request.operation {
            _ if response.refused => {}
            Operation::Suspend => {
                cta.moving.limit = None;
                if request.data > 0 {
                    cta.moving.withdrawal = Some(Withdrawal::new(number, &self.scenario.size));
                    cta.moving.copied = copied;
                    cta.stage = Stage::Withdrawing;
                } else if cta.stage == Stage::Withdrawing {
                    cta.moving.withdrawal = None;
                    cta.stage = Stage::Running;
                }
            }
            Operation::Withdraw => {
                let Some(withdrawal) = &mut cta.moving.withdrawal else { return Ok(()) };
                withdrawal.answered(response);
                if withdrawal.request().is_none() {
                    let saved = cta.moving.withdrawal.take().map(Withdrawal::into_saved).unwrap_or_default();
                    cta.moving.saved = Some((saved, Box::new(self.contract.leave(number))));
                    cta.stage = Stage::Away(away);
                }
            }
            _ => {
                cta.moving.restoration.pop_front();
                if request.operation == Operation::Launch {
                    if let Some((_, ledger)) = cta.moving.saved.take() {
                        self.contract.enter(number, *ledger);
                    }
                }
                if cta.moving.restoration.is_empty() {
                    cta.stage = Stage::Running;
                    self.contract.is_back(number, cta.moving.elsewhere);
                }
            }
        }
        self.moved = self.now;
        Ok(())
    }
}
