//! Requests and their responses.

use super::ledger::{top_of, Role, Sleep, Use, Where};
use super::{owed, Broken, Contract};
use crate::barrier::{
    BlockMask, Configuration, ErrorCause, Event, Key, LateMode, Operation, Request, Response, TimeoutEvent,
};

/// Late arrivals of threads that have not arrived in the execution, by the mode of their barrier.
const LATE_ARRIVALS: [&str; 8] = [
    "late arrival, mode wait",
    "late arrival, mode join",
    "late arrival, mode pass",
    "late arrival, mode pass_at_end",
    "late arrival, mode pass_if_short",
    "late arrival, mode pass_at_end_if_short",
    "late arrival, mode skip",
    "late arrival, mode count",
];

impl Contract {
    pub(super) fn response(&mut self, request: &Request, response: &Response, events: &[Event]) -> Result<(), Broken> {
        if matches!(request.operation, Operation::Suspend | Operation::Withdraw | Operation::Deposit) {
            return self.moves(request, response);
        }
        let Response { sleep, pass, skip, wait, refused, error, saved: _ } = *response;
        let expected = self.expected_error(request);
        owed!(error.map(|report| report.cause) == expected, "BR-28", "error {error:?}, owed {expected:?}");
        if let Some(report) = error {
            self.count(match report.cause {
                ErrorCause::NotInside => "error: not inside",
                ErrorCause::Nested => "error: nested",
                ErrorCause::Differs => "error: differs",
                ErrorCause::Illegal => "error: illegal",
                ErrorCause::Overflow => "error: overflow",
                ErrorCause::NoBottom => "suspension failed",
            });
            let named = (report.block, report.barrier, report.address);
            owed!(named == (request.block, request.barrier, request.tag), "BR-19", "the report names something else");
            owed!(sleep | pass | skip | wait == 0 && !refused, "BR-19", "an error with an effect");
            return Ok(());
        }
        let parts = sleep.count_ones() + pass.count_ones() + skip.count_ones() + wait.count_ones();
        if request.operation.partitions() {
            let whole = sleep | pass | skip | wait == request.mask && parts == request.mask.count_ones();
            owed!(whole && !refused, "BR-10", "the answers do not part the mask");
        } else if request.operation != Operation::Bottom {
            owed!(parts == 0, "BR-10", "threads are answered that did not ask");
        }
        let key = Key { cta: request.cta, barrier: request.barrier };
        let expects_refusal = self.refused(key, request);
        let waits = matches!(request.operation, Operation::Retire | Operation::Reset);
        let early = refused && !expects_refusal && waits && self.may_be_walking(request.cta);
        owed!(refused == expects_refusal || early, "BR-05", "refused is {refused}, owed {expects_refusal}");
        if refused {
            self.count(match request.operation {
                Operation::Retire => "refused: retire",
                Operation::Configure => "refused: configure",
                Operation::Reset => "refused: reset",
                _ => "refused: arrive of a split phase",
            });
            return Ok(());
        }
        match request.operation {
            Operation::Launch => self.launch(request),
            Operation::Retire => {
                self.ctas[key.cta].valid = false;
                let asleep = self.ctas[key.cta].threads.iter().any(|place| matches!(place, Where::Asleep(_)));
                owed!(!asleep, "BR-05", "retired with a thread asleep");
                self.count("retire");
            }
            Operation::Configure => self.configure(key, request),
            Operation::Arrive => self.arrive(key, request, response)?,
            Operation::Bottom => self.bottom(key, request, response)?,
            Operation::Exit => self.exit(request),
            Operation::Reset => self.reset(key, events)?,
            Operation::SplitArrive => {
                self.open_split(key);
                if self.ledger(key).counted[request.block] & request.mask != 0 {
                    self.count("split arrive a second time");
                }
                self.ledger(key).counted[request.block] |= request.mask;
                self.membership(key);
                self.count("split arrive");
            }
            Operation::SplitWait => self.split_wait(key, request, response)?,
            Operation::Expect | Operation::Complete => {
                let parity = (request.data & 1) as usize;
                self.ledger(key).transactions[parity] = self.transacted(key, request);
                self.membership(key);
                self.count("transaction");
            }
            Operation::Suspend | Operation::Withdraw | Operation::Deposit => {}
        }
        Ok(())
    }

    pub(super) fn ledger(&mut self, key: Key) -> &mut super::ledger::KeyLedger {
        &mut self.ctas[key.cta].keys[key.barrier]
    }

    /// Threads of a mask, as indices.
    pub(super) fn threads(&self, block: usize, mask: BlockMask) -> impl Iterator<Item = usize> {
        let threads = self.size.block_threads;
        (0..threads).filter(move |offset| mask >> offset & 1 != 0).map(move |offset| block * threads + offset)
    }

    fn expected_error(&self, request: &Request) -> Option<ErrorCause> {
        let cta = &self.ctas[request.cta];
        let ledger = &cta.keys[request.barrier];
        let configuration = &ledger.configuration;
        let mut places = self.threads(request.block, request.mask).map(|thread| cta.threads[thread]);
        match request.operation {
            Operation::Launch => None,
            Operation::Bottom if places.any(|place| place != Where::Inside(request.barrier)) => {
                Some(ErrorCause::NotInside)
            }
            Operation::Arrive if places.any(|place| matches!(place, Where::Inside(_))) => Some(ErrorCause::Nested),
            _ if !cta.valid => Some(ErrorCause::Illegal),
            Operation::Arrive => {
                let used = ledger.used != Use::Idle && !ledger.split && ledger.tag == Some(request.tag);
                let partial =
                    request.critical && configuration.condition == 2 && usize::from(configuration.reference) < cta.live;
                let disagrees = request.impatient != (configuration.condition >= 4);
                if used && ledger.top != top_of(request) {
                    Some(ErrorCause::Differs)
                } else {
                    (partial || disagrees).then_some(ErrorCause::Illegal)
                }
            }
            Operation::Configure => {
                let new = Configuration::from_word(request.data);
                let legal = (1..=5).contains(&new.condition) && (new.condition != 5 || new.minimum >= 1);
                (!legal).then_some(ErrorCause::Illegal)
            }
            Operation::SplitArrive | Operation::SplitWait => {
                (configuration.condition > 2).then_some(ErrorCause::Illegal)
            }
            Operation::Expect | Operation::Complete => {
                let key = Key { cta: request.cta, barrier: request.barrier };
                (self.transacted(key, request).abs() > 63).then_some(ErrorCause::Overflow)
            }
            _ => None,
        }
    }

    fn transacted(&self, key: Key, request: &Request) -> i64 {
        let count = (request.data >> 1 & 63) as i64;
        let before = self.ctas[key.cta].keys[key.barrier].transactions[(request.data & 1) as usize];
        before + if request.operation == Operation::Expect { count } else { -count }
    }

    fn refused(&self, key: Key, request: &Request) -> bool {
        let cta = &self.ctas[key.cta];
        let ledger = &cta.keys[key.barrier];
        match request.operation {
            Operation::Retire => {
                self.holds(key.cta)
                    || (0..self.size.barriers)
                        .any(|barrier| cta.keys[barrier].used != Use::Idle || cta.undelivered(barrier))
            }
            Operation::Configure => {
                ledger.used != Use::Idle && ledger.configuration != Configuration::from_word(request.data)
            }
            Operation::Reset => cta.undelivered(key.barrier) || self.holds(key.cta),
            Operation::SplitArrive => ledger.used != Use::Idle && !ledger.split,
            _ => false,
        }
    }

    /// A release is walked block by block, and the walker may be busy a little longer than its last wake-up, all the more if the wake port is held
    /// up: so long a Retire or a Reset may be refused.
    pub(super) fn may_be_walking(&self, cta: usize) -> bool {
        self.walked[cta].is_some_and(|then| self.flow - then <= self.limits.completion)
    }

    fn arrive(&mut self, key: Key, request: &Request, response: &Response) -> Result<(), Broken> {
        let Response { sleep, pass, skip, wait, .. } = *response;
        let others = request.mask & !request.participants;
        let join_all = self.statics.late_join_all;
        let ledger = self.ledger(key);
        let configuration = ledger.configuration;
        let counting = if configuration.condition <= 2 { request.mask } else { request.participants };
        owed!(skip & request.participants == 0, "BR-10", "a participant is sent past the bottom");
        owed!((sleep | pass) & others == 0, "BR-10", "a non-participant stays");
        owed!(skip & !counting == request.mask & !counting, "BR-17", "a thread that does not count does not go on");
        let alike = ledger.used != Use::Idle || ledger.top == top_of(request);
        let same = ledger.tag == Some(request.tag) && !ledger.split && alike;
        let marks = ledger.counted[request.block] | ledger.seen[request.block];
        let mut met = Vec::new();
        let other_cta = |before: Key| before.barrier == key.barrier && before.cta != key.cta;
        if self.arrived.replace(key).is_some_and(other_cta) {
            met.push("arrivals of two CTAs at one id in turn");
        }
        let ledger = self.ledger(key);
        match ledger.used {
            Use::Idle => {
                let again = counting & marks != 0;
                let passes = same && ledger.short_tag == ledger.tag && !again;
                owed!(wait == 0, "BR-15", "threads wait for an idle barrier");
                owed!(pass == if passes { counting } else { 0 }, "BR-22", "threads pass: {passes} was owed");
                if passes {
                    ledger.counted[request.block] |= pass;
                    met.push("passed an invalidated barrier");
                    met.into_iter().for_each(|name| self.count(name));
                    return Ok(());
                }
                let clocked = configuration.condition >= 4
                    && matches!(configuration.event, TimeoutEvent::FirstOfAny | TimeoutEvent::LatestOfAny);
                if counting == 0 && !clocked {
                    return Ok(());
                }
                let keeps = same && ledger.retained && !again;
                let clock_runs = same && ledger.clock_earliest.is_some() && !again;
                if !keeps {
                    ledger.retained = false;
                    ledger.counted.fill(0);
                }
                if !(keeps || clock_runs && ledger.short_tag.is_none()) {
                    ledger.seen.fill(0);
                }
                if !clock_runs {
                    ledger.clock_earliest = None;
                }
                if ledger.short_tag.is_some() {
                    let ended = if same {
                        "invalidation ended by a second arrival"
                    } else {
                        "invalidation ended by another tag"
                    };
                    met.push(ended);
                }
                ledger.short_tag = None;
                ledger.tag = Some(request.tag);
                ledger.top = top_of(request);
                ledger.clock_latest = None;
                if counting != 0 {
                    ledger.used = Use::Static;
                    ledger.timeout_fired = false;
                    ledger.seen[request.block] &= !counting;
                }
                owed!(sleep == request.participants, "BR-11", "participants do not start the barrier");
                met.push(if keeps { "counting went on through idle" } else { "idle to static" });
            }
            _ if !same => {
                owed!(wait == counting, "BR-15", "an arrival with another tag does not wait");
                met.push("waited for another tag");
            }
            Use::Static => {
                owed!(wait == counting & marks, "BR-16", "who arrived in this phase waits, the others count");
                owed!(pass == 0, "BR-22", "threads pass a static barrier");
                met.push(if wait != 0 { "second arrival waited" } else { "static arrival" });
            }
            Use::Dynamic => {
                let mode = if join_all { LateMode::Join } else { configuration.late };
                let passes = !ledger.reset && ledger.short_tag == ledger.tag && ledger.tag.is_some();
                let joins = matches!(mode, LateMode::Join | LateMode::Skip) && !ledger.reset && !passes;
                let asleep = if joins { request.participants & !marks } else { 0 };
                owed!(sleep == asleep, "BR-20", "{asleep:b} were owed to join");
                let passed = if passes { counting & !marks } else { 0 };
                owed!(pass == passed, "BR-22", "{passed:b} were owed to pass");
                ledger.counted[request.block] |= pass;
                if joins {
                    ledger.counted[request.block] |= counting & !wait;
                }
                let skipped = mode == LateMode::Skip && ledger.critical();
                let role = if skipped { Role::Skipped } else { Role::Late };
                if !skipped {
                    ledger.owed_runs += i64::from(sleep.count_ones());
                }
                let section = ledger.critical();
                if counting & !marks != 0 && !join_all {
                    met.push(LATE_ARRIVALS[configuration.late as usize]);
                }
                if wait & marks != 0 {
                    met.push("late: waits, having arrived before");
                }
                if joins && join_all && configuration.late != LateMode::Join && sleep != 0 {
                    met.push("late: joins since all may");
                }
                if pass != 0 {
                    met.push("late: passes a dynamic barrier");
                }
                if sleep != 0 && section && !skipped {
                    self.joins(key, request.block, sleep, &mut met);
                }
                self.fall_asleep(key, request.block, sleep, role);
                met.into_iter().for_each(|name| self.count(name));
                return Ok(());
            }
        }
        if self.ledger(key).used == Use::Static && same_use(self.ledger(key), request) {
            let ledger = self.ledger(key);
            ledger.counted[request.block] |= counting & !wait;
            self.fall_asleep(key, request.block, sleep, Role::Member);
        }
        if same_use(self.ledger(key), request) {
            self.clock(key, request, sleep);
            self.membership(key);
        }
        met.into_iter().for_each(|name| self.count(name));
        Ok(())
    }

    /// Threads join a running section late: how close to its end, or to one another.
    fn joins(&mut self, key: Key, block: usize, sleep: BlockMask, met: &mut Vec<&'static str>) {
        let cta = &self.ctas[key.cta];
        let runs = |(_, sleep): (usize, Sleep)| matches!(sleep.role, Role::Member | Role::Late);
        let to_run = cta.sleeping(key.barrier).any(runs);
        if !to_run && cta.inside(key.barrier).is_none() {
            met.push("late: joins when all others are done");
        }
        let logical = self.threads(block, sleep).map(|thread| cta.logical[thread]).min().unwrap_or(0);
        let before = self.joined.replace((key, logical, self.cycle));
        if before.is_some_and(|(other, then, when)| other == key && when + 1 == self.cycle && then > logical) {
            met.push("late: joins in the cycle after a thread behind it");
        }
    }

    /// The clock of an impatient barrier, as two bounds.
    fn clock(&mut self, key: Key, request: &Request, slept: BlockMask) {
        let now = self.cycle;
        let ledger = self.ledger(key);
        if ledger.configuration.condition < 4 {
            return;
        }
        let fresh = request.mask & !request.participants & !ledger.seen[request.block] & !ledger.counted[request.block];
        let participates = slept != 0;
        let stopped = ledger.complete_since.is_some();
        let (earliest, latest) = match ledger.configuration.event {
            TimeoutEvent::FirstParticipating => {
                (participates && ledger.clock_earliest.is_none(), ledger.clock_latest.is_none())
            }
            TimeoutEvent::FirstOfAny => (ledger.clock_earliest.is_none(), ledger.clock_latest.is_none()),
            TimeoutEvent::LatestParticipating => (participates, participates),
            TimeoutEvent::LatestOfAny => {
                // A complete one needs no clock any more, so nobody's restart of it is remembered either.
                ledger.seen[request.block] |= if stopped { 0 } else { fresh };
                (participates || ledger.clock_earliest.is_none(), participates || fresh != 0)
            }
        };
        if earliest && !stopped {
            ledger.clock_earliest = Some(now);
        }
        if latest && !stopped && ledger.used == Use::Static {
            ledger.clock_latest = Some(now);
        }
    }

    pub(super) fn fall_asleep(&mut self, key: Key, block: usize, mask: BlockMask, role: Role) {
        for thread in self.threads(block, mask) {
            self.ctas[key.cta].threads[thread] = Where::Asleep(Sleep { barrier: key.barrier, role, released: None });
            self.ledger(key).asleep += 1;
        }
    }

    /// Notes when a static barrier's membership is complete; without participants that ends the phase.
    pub(super) fn membership(&mut self, key: Key) {
        let now = self.cycle;
        let cta = &mut self.ctas[key.cta];
        let sleepers = cta.sleepers(key.barrier);
        let complete = cta.complete(key.barrier);
        let held = !complete && cta.members_there(key.barrier);
        let ledger = &mut cta.keys[key.barrier];
        if ledger.used != Use::Static || ledger.complete_since.is_some() {
            return;
        }
        if held {
            self.count("transactions hold a split phase open");
        }
        if !complete {
            return;
        }
        let ledger = self.ledger(key);
        if sleepers == 0 && !ledger.split {
            ledger.turn_idle();
            self.count("completion without participants");
        } else {
            ledger.complete_since = Some(now);
            ledger.clock_latest = None;
        }
    }
}

/// The barrier is in the use that this top asks for.
fn same_use(ledger: &super::ledger::KeyLedger, request: &Request) -> bool {
    !ledger.split && ledger.tag == Some(request.tag)
}
