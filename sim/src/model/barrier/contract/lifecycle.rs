//! Requests other than tops.

use super::ledger::{KeyLedger, Role, Use, Where};
use super::{owed, Broken, Contract, CtaLedger};
use crate::barrier::{Configuration, Event, Key, Request, Response};

impl Contract {
    pub(super) fn launch(&mut self, request: &Request) {
        self.count("launch");
        let size = self.size;
        let flagged = |key: &KeyLedger| key.short_tag.is_some();
        if self.ctas[request.cta].keys.iter().any(flagged) {
            self.count("invalidation ended by a launch");
        }
        let count = (request.data & 0xffff) as usize;
        let mut mapped = false;
        let mut ledger = CtaLedger { valid: true, live: count, ..CtaLedger::new(&size) };
        for logical in 0..count {
            let entry = request.data >> (16 + size.blocks.ilog2() as usize * (logical / size.block_threads));
            let block = entry as usize % size.blocks;
            mapped |= block != logical / size.block_threads;
            let thread = block * size.block_threads + logical % size.block_threads;
            ledger.logical[thread] = logical;
            ledger.threads[thread] = Where::Running;
        }
        self.ctas[request.cta] = ledger;
        if mapped {
            self.count("physical blocks differ from logical ones");
        }
        if !count.is_multiple_of(size.block_threads) {
            self.count("partial last block");
        }
        if self.ctas.iter().all(|cta| cta.valid && cta.live == size.threads()) {
            self.count("every thread of every CTA lives at once");
        }
    }

    pub(super) fn configure(&mut self, key: Key, request: &Request) {
        let new = Configuration::from_word(request.data);
        let ledger = self.ledger(key);
        if ledger.configuration != new {
            ledger.configuration = new;
            ledger.short_tag = None;
            ledger.retained = false;
            ledger.clock_earliest = None;
            ledger.clear_counts();
        }
        self.count("configure");
    }

    pub(super) fn bottom(&mut self, key: Key, request: &Request, response: &Response) -> Result<(), Broken> {
        let blocking = self.ledger(key).blocking();
        let owed = if blocking { (request.mask, 0) } else { (0, request.mask) };
        owed!((response.sleep, response.pass) == owed, "BR-32", "blocking is {blocking}");
        self.ledger(key).owed_runs -= 1;
        if blocking {
            self.fall_asleep(key, request.block, request.mask, Role::Done);
        } else {
            for thread in self.threads(request.block, request.mask) {
                self.ctas[key.cta].threads[thread] = Where::Running;
            }
        }
        self.progress = true;
        self.count(if blocking { "bottom, blocking" } else { "bottom, non-blocking" });
        Ok(())
    }

    pub(super) fn exit(&mut self, request: &Request) {
        for thread in self.threads(request.block, request.mask) {
            if let Where::Inside(barrier) = self.ctas[request.cta].threads[thread] {
                self.ctas[request.cta].keys[barrier].owed_runs -= 1;
                self.count("exit inside a section");
            }
            self.ctas[request.cta].threads[thread] = Where::Gone;
            self.ctas[request.cta].live -= 1;
        }
        self.count("exit");
        for barrier in 0..self.size.barriers {
            let key = Key { cta: request.cta, barrier };
            let last = self.ctas[request.cta].live == 0;
            let ledger = self.ledger(key);
            ledger.counted[request.block] &= !request.mask;
            ledger.seen[request.block] &= !request.mask;
            if last {
                ledger.clock_earliest = None;
            }
            let sleepers = self.ctas[key.cta].sleepers(barrier);
            let ledger = self.ledger(key);
            let open = ledger.used == Use::Static && ledger.complete_since.is_none();
            if open && sleepers == 0 && ledger.count() == 0 {
                ledger.turn_idle();
                self.count("barrier turns idle as its last arrival exits");
            }
            let before = self.ledger(key).complete_since;
            self.membership(key);
            if before.is_none() && self.ledger(key).complete_since.is_some() {
                self.count("completed by an exit");
            }
        }
    }

    pub(super) fn reset(&mut self, key: Key, events: &[Event]) -> Result<(), Broken> {
        let sleepers = self.ctas[key.cta].sleepers(key.barrier);
        if self.ledger(key).short_tag.is_some() {
            self.count("invalidation ended by a reset");
        }
        let ledger = self.ledger(key);
        ledger.transactions = [0; 2];
        ledger.short_tag = None;
        ledger.retained = false;
        match ledger.used {
            Use::Idle => {
                ledger.clock_earliest = None;
                ledger.clear_counts();
                self.count("reset of an idle barrier");
            }
            Use::Static => {
                let owes = sleepers > 0 || ledger.split;
                let releases = events.iter().any(|event| matches!(event, Event::Released(other, _) if *other == key));
                owed!(owes == releases, "BR-25", "{sleepers} sleep, released: {releases}");
                ledger.reset = true;
                ledger.ending = owes;
                if !owes {
                    ledger.turn_idle();
                }
                self.count("reset of a static barrier");
            }
            Use::Dynamic => {
                ledger.reset = true;
                if let Some(thread) = self.ctas[key.cta].inside(key.barrier) {
                    self.ctas[key.cta].threads[thread] = Where::Running;
                    self.count("reset with a thread inside");
                }
                self.count("reset of a dynamic barrier");
            }
        }
        Ok(())
    }

    pub(super) fn open_split(&mut self, key: Key) {
        let ledger = self.ledger(key);
        if ledger.used == Use::Idle {
            ledger.clear_counts();
            ledger.used = Use::Static;
            ledger.split = true;
            ledger.tag = None;
            ledger.retained = false;
            ledger.short_tag = None;
            ledger.clock_earliest = None;
        }
    }

    pub(super) fn split_wait(&mut self, key: Key, request: &Request, response: &Response) -> Result<(), Broken> {
        let sleepers = self.ctas[key.cta].sleepers(key.barrier);
        let ledger = self.ledger(key);
        let busy = ledger.used != Use::Idle && !ledger.split;
        let over = (request.data & 1 != 0) != ledger.phase;
        let elsewhere = sleepers > 0 && ledger.tag != Some(request.tag);
        let owed = match (busy, over, elsewhere) {
            (true, ..) | (false, false, true) => (0, 0, request.mask),
            (false, true, _) => (0, request.mask, 0),
            (false, false, false) => (request.mask, 0, 0),
        };
        owed!((response.sleep, response.pass, response.wait) == owed, "BR-50", "sleep, pass, wait: owed {owed:?}");
        self.count(if owed.1 != 0 { "split wait passed" } else { "split wait slept or waited" });
        if response.sleep != 0 {
            self.open_split(key);
            self.ledger(key).tag = Some(request.tag);
            self.fall_asleep(key, request.block, response.sleep, Role::Member);
            self.membership(key);
        }
        Ok(())
    }
}
