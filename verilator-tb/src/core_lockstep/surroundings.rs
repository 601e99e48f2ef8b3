//! What stands between the driver of a core and its simulations. The driver has every instruction at once, and its memories take every request; here words are
//! missing, data comes late, memories are busy, an observer looks at warps for cycles on end, blocks that are to leave find no room or get little time, and what nobody may look at is noise. The driver does
//! not notice: what is not taken in a cycle, it does not see in that cycle.

use super::aftermath;
use super::followed::Deeds;
use super::lateness::Lateness;
use super::ports::{Asked, IDLE, REQUESTS};
use super::scarcity::Scarcity;
use crate::lockstep::bench::Counts;
use crate::lockstep::idle::{Idle, Noise};
use crate::lockstep::twins::Twins;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{index_of, Frame, Pins, Simulation};
use heddle_sim::barrier::Size;
use heddle_sim::machine::RunOptions;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// An instruction was not there.
pub const MISSED: &str = "instructions missing";
/// A request was not taken at once.
pub const STALLED: &str = "requests held up";

/// Data of an instruction came later.
pub const LATE: &str = "data that comes late";

/// An observer looked at a warp.
pub const LOOKED: &str = "cycles in which an observer looks";

/// An allocation found no room.
pub const DENIED: &str = "allocations denied";

/// In how many of 256 cycles a request is not taken, and a word is not there.
const BUSY: u8 = 64;
/// A word that is missing comes after so many cycles, at most.
const LONGEST_MISS: u64 = 24;
/// One of so many requests that are not taken at once finds its port jammed: it takes nothing for long, and what waits behind it fills its queues.
const JAMMED: u32 = 12;
/// That happens so often in a run, at most.
const JAMS: u32 = 6;
/// One of so many wake-ups jams the memory of the windows: who wakes then waits until it takes something.
const JAMMED_BY_WAKES: u32 = 3;
/// A jam lasts so many cycles.
const JAM: Range<u64> = 300..1_500;
/// In one of so many cycles an observer begins to look at a warp, and nothing is offered while it does: seldom, often, or nearly always.
const LOOKS: [u32; 3] = [512, 64, 8];
/// So long, at most.
const LONGEST_LOOK: u64 = 6;
/// Cycles in which threads of a block that is to leave must have left their sections, where surroundings are impatient.
pub const HASTE: Range<u128> = 1..60;
/// What rough surroundings may set up otherwise than the driver, which no thread's end hangs on: that patience, whether exclusive sections look at threads or slots, how many slots, but one, are kept for
/// sections of another class, and how often a tree's leaves are exchanged.
const HELD: [(&str, Range<u128>); 4] = [
    ("suspend_patience", HASTE),
    ("exclusive_inside", 0..2),
    ("reserved_slots", 0..Size::MEDIUM.slots as u128),
    ("exchange_interval", 0..256),
];
/// How long the machine has to wait for a core whose warps all sleep: all jams may come one after the other.
pub const PATIENCE: u64 = RunOptions::BARRIER_PATIENCE + JAMS as u64 * JAM.end;

/// What was seen of a run, or of several. The driver takes the simulations along, so that it is told when they end.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Cycles, those of the reset among them.
    pub cycles: u64,
    /// The first port that differed, and when.
    pub difference: Option<(u64, String)>,
    /// The first thing that the reference does not do, or that no core may do, and when.
    pub breach: Option<(u64, String)>,
    /// What happened at the ports.
    pub counts: Counts,
    /// What the engine did, and the reference, if one followed.
    pub deeds: Option<(Deeds, Deeds)>,
}

impl Seen {
    /// Whether something went wrong already.
    pub fn is_wrong(&self) -> bool {
        self.difference.is_some() || self.breach.is_some()
    }
}

/// [`Seen`], as the one who runs the driver knows it.
pub type Shared = Arc<Mutex<Seen>>;

/// Notes what went wrong first.
pub fn note(seen: &Shared, cycle: u64, what: impl FnOnce() -> String) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.breach.is_none() {
        seen.breach = Some((cycle, what()));
    }
}

heddle_hdl::pins! {
    /// The pins of a fetch.
    struct Fetching { reset, fetch_valid, fetch_hit, fetch_filled, fetch_warp, offer_valid, offer_ready }
}

heddle_hdl::pins! {
    /// The pins of an observer.
    struct Observing { observe_valid, observe_warp, observe_kind }
}

heddle_hdl::pins! {
    /// Who wakes, and what the engine asks of the memory of its windows then.
    struct Waking { barrier_wake_valid, memory_request_valid }
}

/// A request, by the places of its ports.
struct Request {
    valid: usize,
    ready: usize,
    payload: Vec<usize>,
    /// The strobe of a write, and the word.
    write: Option<(usize, usize)>,
    /// What was not taken in the cycle before, by port.
    waits: Option<Vec<(usize, u128)>>,
    /// Nothing is taken before this cycle.
    jammed_until: u64,
}

impl Request {
    /// What is asked for, if anything is.
    fn asked(&self, twins: &mut Twins) -> Option<Vec<(usize, u128)>> {
        (twins.get(self.valid) == 1).then(|| {
            let word = self.write.filter(|(strobe, _)| twins.get(*strobe) == 1).map(|(_, word)| word);
            self.payload.iter().copied().chain(word).map(|port| (port, twins.get(port))).collect()
        })
    }
}

/// Noise where nobody may look: at the ports that [`IDLE`] mentions, which are a few of many.
struct Chatter {
    noise: Noise,
    /// Where these ports are.
    ports: Vec<usize>,
    /// What the driver has put there, or what the core says.
    meant: Frame,
    /// The same with noise.
    noisy: Frame,
}

impl Chatter {
    fn new(ports: &[Port]) -> Self {
        let known = |name: &&str| ports.iter().any(|port| port.name == *name);
        let groups: Vec<Idle> = IDLE
            .iter()
            .filter(|(strobe, _)| known(strobe))
            .map(|(strobe, ports)| Idle { strobes: std::slice::from_ref(strobe), ports })
            .collect();
        let names: BTreeSet<&str> =
            groups.iter().flat_map(|group| group.strobes.iter().chain(group.ports)).copied().collect();
        let places: Vec<usize> = names.iter().map(|name| index_of(ports, name)).collect();
        let few: Vec<Port> = places.iter().map(|place| ports[*place]).collect();
        Self { noise: Noise::of(&few, &groups), ports: places, noisy: Frame::new(&few), meant: Frame::new(&few) }
    }

    /// Begins, in a settled cycle.
    fn begin(&mut self, driven: &Frame, twins: &mut Twins) {
        for (place, port) in self.ports.iter().enumerate() {
            let is = if self.meant.is_input(place) { driven.read(*port) } else { twins.get(*port) };
            self.meant.write(place, is);
        }
        self.noisy.clone_from(&self.meant);
        self.noise.drive(&mut self.noisy, false);
        self.put(twins, &self.noisy);
    }

    /// Puts back what the driver has put there: it writes what changes only.
    fn end(&self, twins: &mut Twins) {
        self.put(twins, &self.meant);
    }

    /// Puts there what `says`, where it makes a difference.
    fn put(&self, twins: &mut Twins, says: &Frame) {
        for (place, port) in self.ports.iter().enumerate() {
            if self.meant.is_input(place) && self.meant.read(place) != self.noisy.read(place) {
                twins.set(*port, says.read(place));
            }
        }
    }
}

/// Draws what is [held](HELD) of these ports, each in every second run.
fn held(ports: &[Port], random: &mut ChaCha8Rng) -> Vec<(usize, u128)> {
    let draw = |(name, values): &(&str, Range<u128>)| {
        let port = ports.iter().position(|port| port.name == *name).filter(|_| random.random())?;
        Some((port, random.random_range(values.clone())))
    };
    HELD.iter().filter_map(draw).collect()
}

/// Surroundings that do what they want.
struct Rough {
    random: ChaCha8Rng,
    /// How often a port still takes nothing for long.
    jams: u32,
    chatter: Chatter,
    requests: Vec<Request>,
    fetching: Fetching,
    observing: Observing,
    waking: Waking,
    /// Data comes late.
    lateness: Lateness,
    /// There is no room, now and then.
    scarcity: Option<Scarcity>,
    /// Ports at which something else stands than the driver puts there.
    held: Vec<(usize, u128)>,
    /// In one of how many cycles the observer begins to look.
    looking: u32,
    /// What the observer looks at: a warp, and the kind of token, and until which cycle it does.
    looks: Option<(u128, u128, u64)>,
    /// Words that are to come: the warp, and when.
    missing: Vec<(u64, usize)>,
    /// Ports whose valid the driver must not see in this cycle, by the valid.
    hidden: Vec<usize>,
    /// Inputs that the driver does not write.
    own: Vec<usize>,
}

impl Rough {
    fn new(ports: &[Port], seed: u64) -> Self {
        let known = |name: &str| ports.iter().any(|port| port.name == name);
        let place = |name: &str| index_of(ports, name);
        let request = |asked: &Asked| Request {
            valid: place(asked.valid),
            ready: place(asked.ready),
            payload: asked.payload.iter().map(|name| place(name)).collect(),
            write: asked.write.map(|(strobe, word)| (place(strobe), place(word))),
            waits: None,
            jammed_until: 0,
        };
        let requests: Vec<Request> = REQUESTS.iter().filter(|asked| known(asked.valid)).map(request).collect();
        let fetching = Fetching::of(ports);
        let own = requests.iter().map(|request| request.ready).chain([fetching.fetch_hit, fetching.fetch_filled]);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Self {
            scarcity: Scarcity::of(ports).filter(|_| random.random()),
            jams: random.random_range(0..=JAMS),
            looking: LOOKS[random.random_range(0..LOOKS.len())],
            lateness: Lateness::of(ports, &mut random),
            held: held(ports, &mut random),
            random,
            chatter: Chatter::new(ports),
            own: own.collect(),
            requests,
            fetching,
            observing: Observing::of(ports),
            waking: Waking::of(ports),
            looks: None,
            missing: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// What the pins of the observer are.
    fn look(&self) -> [(usize, u128); 3] {
        let Observing { observe_valid, observe_warp, observe_kind } = self.observing;
        let (warp, kind, _) = self.looks.unwrap_or_default();
        [(observe_warp, warp), (observe_kind, kind), (observe_valid, self.looks.is_some().into())]
    }

    /// What is there in the cycle that begins: inputs, with their values.
    fn draw(&mut self, now: u64, settled: bool) -> Vec<(usize, u128)> {
        self.hidden.clear();
        let mut inputs = Vec::with_capacity(self.own.len());
        for request in &self.requests {
            let ready = now >= request.jammed_until && self.random.random::<u8>() >= BUSY;
            inputs.push((request.ready, ready.into()));
            if !ready {
                self.hidden.push(request.valid);
            }
        }
        if let Some(scarcity) = &mut self.scarcity {
            scarcity.draw(&mut self.random, &mut inputs, &mut self.hidden);
        }
        // A word that the engine has not taken yet is still there.
        let hit = settled || self.random.random::<u8>() >= BUSY;
        inputs.push((self.fetching.fetch_hit, hit.into()));
        if !hit {
            self.hidden.push(self.fetching.fetch_valid);
        }
        let filled =
            self.missing.iter().filter(|(due, _)| *due <= now).fold(0, |mask, (_, warp)| mask | 1_u128 << warp);
        self.missing.retain(|(due, _)| *due > now);
        inputs.push((self.fetching.fetch_filled, filled));
        inputs.push(self.lateness.draw(now));
        let looked = self.looks.is_some();
        self.looks = self.looks.filter(|(_, _, until)| *until > now);
        if !looked && self.random.random_ratio(1, self.looking) {
            let until = now + self.random.random_range(1..=LONGEST_LOOK);
            self.looks = Some((self.random.random(), self.random.random(), until));
        }
        if looked || self.looks.is_some() {
            inputs.extend(self.look());
        }
        inputs
    }

    /// Looks at a settled cycle; whether the engine refuses what it is offered, if that is anything.
    fn observe(&mut self, twins: &mut Twins, seen: &Shared) -> Option<bool> {
        let (now, mut missed, mut stalled) = (twins.cycles(), 0, 0);
        // What is denied is taken all the same.
        let denied = self.scarcity.as_mut().and_then(|scarcity| scarcity.observe(twins));
        let wakes = twins.get(self.waking.barrier_wake_valid) == 1 && self.random.random_ratio(1, JAMMED_BY_WAKES);
        for request in &mut self.requests {
            let asked = request.asked(twins);
            if request.waits.is_some() && request.waits != asked {
                let names = |asked: &[(usize, u128)]| -> Vec<String> {
                    asked.iter().map(|(port, value)| format!("{} {value:#x}", twins.ports()[*port].name)).collect()
                };
                let (before, now_asked) = (request.waits.as_deref().map(names), asked.as_deref().map(names));
                let name = twins.ports()[request.valid].name;
                note(seen, now, || {
                    format!("{name}: asked for {before:?}, which was not taken, and now for {now_asked:?}")
                });
            }
            let waits = asked.filter(|_| self.hidden.contains(&request.valid) && denied != Some(request.valid));
            let begins = waits.is_some() && request.waits.is_none();
            stalled += u64::from(begins);
            let by_itself = begins && self.random.random_ratio(1, JAMMED);
            let jams = by_itself || wakes && request.valid == self.waking.memory_request_valid;
            if jams && self.jams > 0 && request.jammed_until <= now {
                self.jams -= 1;
                request.jammed_until = now + self.random.random_range(JAM);
            }
            request.waits = waits;
        }
        let fetching = self.fetching;
        if self.hidden.contains(&fetching.fetch_valid) && twins.get(fetching.fetch_valid) == 1 {
            let due = now + self.random.random_range(1..=LONGEST_MISS);
            self.missing.push((due, twins.get(fetching.fetch_warp) as usize));
            missed = 1;
        }
        let noticed = self.lateness.observe(twins, now, &mut self.random);
        if let Some(warp) = noticed.fetches {
            note(seen, now, || format!("fetch_valid: an instruction of warp {warp}, whose data is missing"));
        }
        let counts = [
            (MISSED, missed),
            (STALLED, stalled),
            (LATE, noticed.begins.into()),
            (LOOKED, self.looks.is_some().into()),
            (DENIED, denied.is_some().into()),
        ];
        if counts.iter().any(|(_, times)| *times > 0) {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            counts.into_iter().for_each(|(what, times)| seen.counts.add_many(what, times));
        }
        (twins.get(fetching.offer_valid) == 1).then(|| twins.get(fetching.offer_ready) == 0)
    }
}

/// See the module's page.
pub struct Surroundings {
    twins: Twins,
    reset: usize,
    /// What the driver has put on the inputs.
    driven: Frame,
    rough: Option<Rough>,
    /// The engine has refused what it was offered last.
    refused: bool,
    seen: Shared,
}

impl Surroundings {
    /// Around `twins`; rough with a seed, else as the driver wants them.
    pub fn new(twins: Twins, rough: Option<u64>, seen: Shared) -> Self {
        let ports = twins.ports();
        let driven = Frame::new(ports);
        let rough = rough.map(|seed| Rough::new(ports, seed));
        let held = rough.iter().flat_map(|rough| rough.held.clone()).collect::<Vec<_>>();
        let mut around = Self { reset: index_of(ports, "reset"), driven, rough, refused: false, seen, twins };
        // The driver writes what changes only, and all of them may stay 0.
        held.into_iter().for_each(|(port, value)| around.put(port, value));
        around
    }

    /// Drives an input, with as many bits of `value` as it has.
    fn put(&mut self, port: usize, value: u128) {
        self.driven.write(port, value);
        self.twins.set(port, self.driven.read(port));
    }
}

impl Pins for Surroundings {
    fn set(&mut self, port: usize, value: u128) {
        if self.rough.as_ref().is_some_and(|rough| rough.own.contains(&port)) {
            return;
        }
        let rough = self.rough.as_mut();
        if rough.and_then(|rough| rough.scarcity.as_mut()).is_some_and(|scarcity| scarcity.covers(port, value)) {
            return;
        }
        let held = self.rough.as_ref().and_then(|rough| rough.held.iter().find(|(held, _)| *held == port).copied());
        let shown = self.rough.as_mut().map_or(value, |rough| rough.lateness.show(port, value));
        self.put(port, held.map_or(shown, |(_, held)| held));
        // The driver looks at any warp in between; when it looks away, the observer still looks.
        let still = self.rough.as_ref().filter(|rough| rough.looks.is_some() && port == rough.observing.observe_valid);
        if let Some(look) = still.filter(|_| value == 0).map(Rough::look) {
            look.into_iter().for_each(|(port, value)| self.put(port, value));
        }
    }

    fn get(&mut self, port: usize) -> u128 {
        match &self.rough {
            Some(rough) if rough.hidden.contains(&port) => 0,
            _ => self.twins.get(port),
        }
    }
}

impl Simulation for Surroundings {
    fn ports(&self) -> &[Port] {
        self.twins.ports()
    }

    fn tick(&mut self) {
        let running = self.driven.read(self.reset) == 0;
        if let Some(rough) = self.rough.as_mut().filter(|_| running) {
            self.refused = rough.observe(&mut self.twins, &self.seen).unwrap_or(self.refused);
            rough.chatter.begin(&self.driven, &mut self.twins);
        }
        self.twins.tick();
        if let Some(rough) = self.rough.as_ref().filter(|_| running) {
            rough.chatter.end(&mut self.twins);
        }
        let now = self.twins.cycles();
        let inputs = self.rough.as_mut().map(|rough| rough.draw(now, self.refused)).unwrap_or_default();
        inputs.into_iter().for_each(|(port, value)| self.put(port, value));
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        aftermath::run(&mut self.twins);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // An episode may be several runs: what the first of them has found stays.
        seen.cycles += self.twins.cycles();
        if seen.difference.is_none() {
            seen.difference = self.twins.difference().map(|(cycle, difference)| (*cycle, difference.to_string()));
        }
    }
}

#[cfg(test)]
mod tests;
