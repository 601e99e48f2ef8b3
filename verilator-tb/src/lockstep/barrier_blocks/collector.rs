//! The judge of the collector of barriers across cores (BR-52): every answer and every release by the page's rules.
//!
//! The page expects a number of arrivals in all, and lets a core arrive before it has acknowledged; the model
//! `sim/src/model/barrier/collector.rs` knows a number for each core, and calls such an arrival a misuse. So in every other episode all
//! requests are ones that the model allows (each core has the same share, and waits for its release), and then the model has to release
//! the same phases in the same cycles; in the others the requests are wild, and the page's account alone judges.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::barrier::barrier_collector::CollectorOperation;
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use heddle_sim::model::barrier::collector::Collector;

pins! {
    struct Ports {
        request_valid, request_operation, request_id, request_core, request_phase, request_count, response_valid, response_error,
        response_stale, release_valid, release_id, release_phase, release_cores
    }
}

/// One barrier, by the page.
#[derive(Clone, Debug)]
struct Shared {
    expected: u128,
    phase: u128,
    /// What each core has brought to this phase.
    brought: Vec<u128>,
    /// What has exited.
    gone: u128,
    waiting: u128,
    owing: u128,
    exited: u128,
}

/// What the next cycle shows: error, stale, and the release (id, phase, cores).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Answer {
    error: bool,
    stale: bool,
    release: Option<(usize, u128, u128)>,
}

/// All barriers, by the page and in the model.
pub struct CollectorJudge {
    ports: Ports,
    barriers: Vec<Option<Shared>>,
    model: Collector,
    /// The share of each core in each barrier of an orderly episode.
    shares: Vec<u128>,
    cores: usize,
    /// Chosen in the first cycle.
    orderly: Option<bool>,
    answer: Option<Answer>,
    /// A core that arrived before it acknowledged, and whether it has since: it acknowledges and leaves at once, with what it has brought.
    early: Option<(usize, usize, bool)>,
}

/// A request: operation, core, phase, count.
type Request = (u128, usize, u128, u128);

impl Shared {
    fn new(expected: u128, cores: usize) -> Self {
        Self { expected, phase: 0, brought: vec![0; cores], gone: 0, waiting: 0, owing: 0, exited: 0 }
    }

    /// What becomes of a request that is no Configure: error, stale, the release (phase, cores).
    fn request(&mut self, (operation, core, phase, count): Request) -> (bool, bool, Option<(u128, u128)>) {
        let mine = 1 << core;
        let acknowledges = operation == CollectorOperation::Acknowledge as u128;
        let exits = operation == CollectorOperation::Exit as u128;
        if self.exited & mine != 0 {
            return (true, false, None);
        }
        // An arrival names this phase, an acknowledgement the one before; an exit speaks of both.
        if !exits && (phase != self.phase) != acknowledges {
            return (false, true, None);
        }
        let room = self.expected - self.gone - self.brought.iter().sum::<u128>();
        let added = if exits { count.checked_sub(self.brought[core]) } else { Some(count) };
        let wrong = if acknowledges { self.owing & mine == 0 } else { added.is_none_or(|added| added > room) };
        if wrong {
            return (true, false, None);
        }
        if acknowledges || exits {
            self.owing &= !mine;
        }
        if exits {
            (self.brought[core], self.gone) = (0, self.gone + count);
            self.exited |= mine;
            self.waiting &= !mine;
        } else if !acknowledges {
            self.brought[core] += count;
            self.waiting |= mine;
        }
        let there = self.gone + self.brought.iter().sum::<u128>();
        if there != self.expected || self.waiting == 0 || self.owing != 0 {
            return (false, false, None);
        }
        let release = (self.phase, self.waiting);
        self.phase ^= 1;
        self.owing = std::mem::take(&mut self.waiting);
        self.brought.fill(0);
        (false, false, Some(release))
    }
}

impl CollectorJudge {
    /// What the page says of a request.
    fn judge(&mut self, id: usize, request: Request) -> Answer {
        if request.0 == CollectorOperation::Configure as u128 {
            let busy = self.barriers[id].as_ref().is_some_and(|shared| shared.waiting | shared.owing != 0);
            if !busy {
                self.barriers[id] = Some(Shared::new(request.3, self.cores));
            }
            return Answer { error: busy, ..Answer::default() };
        }
        let Some(shared) = &mut self.barriers[id] else { return Answer { error: true, ..Answer::default() } };
        let (error, stale, release) = shared.request(request);
        Answer { error, stale, release: release.map(|(phase, cores)| (id, phase, cores)) }
    }

    /// The same request in the model; it has to release the same.
    fn follow(&mut self, id: usize, request: Request, answer: Answer) -> Result<(), String> {
        let (operation, core, phase, count) = request;
        let misuse = |misuse: heddle_sim::model::barrier::collector::Misuse| misuse.to_string();
        expect("an orderly request's error", answer.error || answer.stale, false)?;
        match operation {
            0 => {
                let share = count / self.cores as u128;
                self.shares[id] = share;
                self.model.configure(id, &vec![share as u32; self.cores]);
            }
            1 => self.model.arrive(core, id, phase == 1, count as u32).map_err(misuse)?,
            2 => self.model.acknowledge(core, id).map_err(misuse)?,
            _ => self.model.exit(core, id),
        }
        let released = self.model.cycle(id).map(u128::from);
        expect("the release of the model", released, answer.release.map(|(_, phase, _)| phase))
    }

    /// The next step of a core that arrived early.
    fn go(&mut self, pins: &mut Frame, id: usize, core: usize, acknowledged: bool) {
        let Ports { request_valid, request_operation, request_id, request_core, request_phase, request_count, .. } =
            self.ports;
        let Some(shared) = &self.barriers[id] else { return };
        let random = pins.read(request_count);
        let (operation, count) = if acknowledged {
            (CollectorOperation::Exit, shared.brought[core])
        } else {
            // The number of an acknowledgement means nothing.
            self.early = Some((id, core, true));
            (CollectorOperation::Acknowledge, random % 4)
        };
        pins.write(request_valid, 1);
        pins.write(request_operation, operation as u128);
        pins.write(request_id, id as u128);
        pins.write(request_core, core as u128);
        pins.write(request_phase, shared.phase ^ 1);
        pins.write(request_count, count);
    }

    /// Turns a random request into one that the model allows; none is left if there is no such.
    fn order(&self, pins: &mut Frame) {
        let Ports { request_valid, request_operation, request_id, request_core, request_phase, request_count, .. } =
            self.ports;
        let id = pins.read(request_id) as usize;
        let (random, share) = (pins.read(request_count), self.shares[id]);
        let configure = |pins: &mut Frame| {
            pins.write(request_operation, CollectorOperation::Configure as u128);
            pins.write(request_count, (random % 5 + 1) * self.cores as u128);
        };
        let Some(shared) = &self.barriers[id] else { return configure(pins) };
        let everyone = (1 << self.cores) - 1;
        if shared.exited == everyone {
            return configure(pins);
        }
        // The next core that has something to do.
        let first = pins.read(request_core) as usize;
        let able = |core: &usize| {
            shared.exited >> core & 1 == 0 && { shared.owing >> core & 1 == 1 || shared.brought[*core] < share }
        };
        let Some(core) = (0..self.cores).map(|step| (first + step) % self.cores).find(able) else {
            return pins.write(request_valid, 0);
        };
        pins.write(request_core, core as u128);
        let mine = 1 << core;
        if shared.owing & mine != 0 {
            pins.write(request_operation, CollectorOperation::Acknowledge as u128);
            pins.write(request_phase, shared.phase ^ 1);
        } else if random % 509 == 0 {
            pins.write(request_operation, CollectorOperation::Exit as u128);
            pins.write(request_count, share);
        } else {
            let missing = share - shared.brought[core];
            pins.write(request_operation, CollectorOperation::Arrive as u128);
            pins.write(request_phase, shared.phase);
            pins.write(request_count, random % missing + 1);
        }
    }
}

impl Judge for CollectorJudge {
    const EXPECTED: &'static [&'static str] = &[
        "release",
        "release that the model agrees with",
        "release by an acknowledgement",
        "release by an exit",
        "stale",
        "error",
        "configure of a barrier in use",
        "arrival before the acknowledgement",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (cores, ids) = (size(entry, "cores"), size(entry, "ids"));
        Self {
            ports: Ports::of(ports),
            barriers: vec![None; ids],
            model: Collector::new(cores, ids),
            shares: vec![0; ids],
            cores,
            orderly: None,
            answer: None,
            early: None,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let random = pins.read(self.ports.request_count);
        if *self.orderly.get_or_insert(random & 1 == 1) {
            return self.order(pins);
        }
        if let Some((id, core, acknowledged)) = self.early.take() {
            return self.go(pins, id, core, acknowledged);
        }
        // Wild, but with numbers that fit each other now and then.
        let configures = pins.read(self.ports.request_operation) == CollectorOperation::Configure as u128;
        if configures && random & 0xf0 != 0 {
            pins.write(self.ports.request_operation, CollectorOperation::Arrive as u128);
        }
        pins.write(self.ports.request_count, if configures { random % 16 } else { random % 4 });
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let answer = self.answer.take();
        expect("response_valid", read(self.ports.response_valid) == 1, answer.is_some())?;
        let release = (read(self.ports.release_valid) == 1).then(|| {
            (read(self.ports.release_id) as usize, read(self.ports.release_phase), read(self.ports.release_cores))
        });
        let error = read(self.ports.response_error) == 1;
        let stale = read(self.ports.response_stale) == 1;
        expect("the answer", Answer { error, stale, release }, answer.unwrap_or_default())?;
        if read(self.ports.request_valid) == 0 {
            return Ok(());
        }
        let id = read(self.ports.request_id) as usize;
        let core = read(self.ports.request_core) as usize;
        let operation = read(self.ports.request_operation);
        let owes = self.barriers[id].as_ref().is_some_and(|shared| shared.owing >> core & 1 == 1);
        let request = (operation, core, read(self.ports.request_phase), read(self.ports.request_count));
        let answer = self.judge(id, request);
        if self.orderly == Some(true) {
            self.follow(id, request, answer)?;
        }
        self.answer = Some(answer);
        if answer.release.is_some() {
            counts.add(match operation {
                2 => "release by an acknowledgement",
                3 => "release by an exit",
                _ => "release",
            });
            if self.orderly == Some(true) {
                counts.add("release that the model agrees with");
            }
        }
        if answer.stale {
            counts.add("stale");
        }
        if answer.error {
            counts.add(if operation == 0 { "configure of a barrier in use" } else { "error" });
        }
        if operation == 1 && owes && !answer.error && !answer.stale {
            self.early = (read(self.ports.request_count) & 1 == 1).then_some((id, core, false));
            counts.add("arrival before the acknowledgement");
        }
        Ok(())
    }
}
