//! A core's engine followed by the reference engine: what the core launches and what its engine accepts is done to the reference as well, which has to be at the same instruction with the same
//! threads each time, and in the end to have diverged, yielded and moved tokens as often. The reference has its own time, so it does not matter how long anything takes; it decides nothing.

use super::surroundings::{note, Shared};
use heddle_sim::control_core::{
    Answer, ControlCore, Decision, Edge, Inputs, Look, Looked, Offered, Origin, Setup, Start, WarpLaunch,
};
use heddle_sim::engine::{Configuration, Engine, Events, Fetch, Kind, Mask, Request};
use heddle_sim::model::tree::TreeTable;
use heddle_sim::model::DequeModel;
use std::collections::HashMap;
use std::sync::PoisonError;

/// Requests that the reference engine did, too.
pub const FOLLOWED: &str = "requests followed by the reference";

/// Cycles that the reference may take until it does what the core's engine has accepted.
const PATIENCE: u32 = 10_000;

/// The engine that follows.
enum Reference {
    /// A queue or a stack: it is at one instruction.
    Queue(DequeModel),
    /// A tree: whose turn it is, it is told, and whether they may have it, it knows.
    Tree(TreeTable),
}

impl Reference {
    fn new(configuration: &Configuration) -> Self {
        match configuration.tree {
            true => Self::Tree(TreeTable::follower(*configuration)),
            false => Self::Queue(DequeModel::new(*configuration)),
        }
    }

    fn engine(&mut self) -> &mut dyn Engine {
        match self {
            Self::Queue(queue) => queue,
            Self::Tree(tree) => tree,
        }
    }

    /// Whether a warp can be at an instruction.
    fn is_at(&mut self, warp: usize, found: Fetch) -> Result<(), String> {
        match self {
            Self::Queue(queue) => match queue.fetch(warp) {
                expected if expected == found => Ok(()),
                expected => Err(format!("warp {warp} is at {found:?}, in the reference at {expected:?}")),
            },
            Self::Tree(tree) => tree.follow(warp, found).map_err(|what| format!("in the reference {what} nowhere")),
        }
    }
}

/// What an engine did in a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deeds {
    ended: u64,
    diverged: u64,
    yielded: u64,
    merged: u64,
    discarded: u64,
    pushed: u64,
    popped: u64,
}

impl Deeds {
    fn add(&mut self, events: &Events) {
        self.ended += events.done.len() as u64;
        self.diverged += u64::from(events.diverged);
        self.yielded += u64::from(events.yielded);
        self.merged += u64::from(events.merged);
        self.discarded += u64::from(events.discarded);
        self.pushed += events.pushed.len() as u64;
        self.popped += events.popped.len() as u64;
    }

    /// What has to be the same. Of a tree that is less: its reference merges nothing by itself, and a core frees nodes behind the end of a run.
    fn of(self, reference: &Reference) -> Self {
        match reference {
            Reference::Tree(_) => Self { ended: self.ended, diverged: self.diverged, ..Self::default() },
            Reference::Queue(_) => self,
        }
    }
}

/// See the module's page.
pub struct Followed<C> {
    core: C,
    reference: Reference,
    /// Where the program of a grid begins, by the grid's name.
    programs: HashMap<u8, u32>,
    /// The grid that is offered.
    offered: Option<(u8, u32)>,
    looked: Option<Looked>,
    /// What the core's engine has done, and the reference.
    deeds: (Deeds, Deeds),
    requests: u64,
    cycle: u64,
    seen: Shared,
}

impl<C: ControlCore + 'static> Followed<C> {
    /// A core that was set up so, with the reference behind it; the core alone if it suspends blocks, which come back from memory that the reference does not see.
    pub fn around(core: C, setup: &Setup, seen: &Shared) -> Box<dyn ControlCore> {
        if setup.suspends {
            return Box::new(core);
        }
        Box::new(Self {
            core,
            reference: Reference::new(&setup.configuration),
            programs: HashMap::new(),
            offered: None,
            looked: None,
            deeds: Default::default(),
            requests: 0,
            cycle: 0,
            seen: seen.clone(),
        })
    }
}

impl<C> Followed<C> {
    fn wrong(&self, what: String) {
        note(&self.seen, self.cycle, || what);
    }

    fn pass(&mut self) {
        let events = self.reference.engine().tick();
        self.deeds.1.add(&events);
    }

    fn launch(&mut self, launch: &WarpLaunch) {
        match self.programs.get(&launch.grid) {
            Some(address) => self.reference.engine().launch(launch.warp, launch.threads, *address),
            None => self.wrong(format!("launches {launch:?} of a grid that nobody asked for")),
        }
    }

    /// The core issues the instruction that it looks at, to its engine or to the barrier scheduler: so would the reference. From then on it is the leaf of these threads whose turn it is, which
    /// the steps of an answer are about.
    fn issued(&mut self) -> Result<(), String> {
        let Some(Looked { warp, address, active }) = self.looked else {
            return Err("issues, and has looked at no instruction".into());
        };
        for _ in 0..PATIENCE {
            if self.reference.engine().ready() >> warp & 1 == 1 {
                return self.reference.is_at(warp, Fetch { address, active });
            }
            self.pass();
        }
        Err(format!("warp {warp} issues at {address:#x}, and cannot in the reference"))
    }

    /// The core's engine has accepted a request: so does the reference, at the same place.
    fn accepted(&mut self, origin: Origin, request: &Request) {
        self.requests += 1;
        if origin == Origin::Instruction {
            if let Err(what) = self.issued() {
                return self.wrong(what);
            }
        }
        for _ in 0..PATIENCE {
            if self.reference.engine().offer(request) {
                return self.pass();
            }
            self.pass();
        }
        self.wrong(format!("{request:?}, which the reference does not accept"));
    }
}

impl<C> Drop for Followed<C> {
    fn drop(&mut self) {
        // What the last request had it do may take a while.
        for _ in 0..PATIENCE {
            if self.reference.engine().running() == 0 {
                break;
            }
            self.pass();
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.counts.add_many(FOLLOWED, self.requests);
        seen.deeds = Some((self.deeds.0.of(&self.reference), self.deeds.1.of(&self.reference)));
    }
}

impl<C: ControlCore> Look for Followed<C> {
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.core.fetch(warp)
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.core.disabled(warp, reason)
    }
}

impl<C: ControlCore> ControlCore for Followed<C> {
    fn name(&self) -> String {
        self.core.name()
    }

    fn priorities(&self) -> u16 {
        self.core.priorities()
    }

    fn suspends(&self) -> bool {
        self.core.suspends()
    }

    fn groups(&self) -> usize {
        self.core.groups()
    }

    fn configuration(&self) -> &Configuration {
        self.core.configuration()
    }

    fn begin(&mut self, inputs: &Inputs) -> Start {
        self.offered = inputs.grid.map(|request| (request.grid.grid, request.grid.program));
        let start = self.core.begin(inputs);
        if let Some(launch) = &start.launch {
            self.launch(launch);
        }
        self.looked = start.looked;
        start
    }

    fn decide(&mut self, answer: Option<&Answer>) -> Decision {
        let decision = self.core.decide(answer);
        match &decision {
            Decision::Offer(Offered { origin, request, accepted: true }) => self.accepted(*origin, request),
            Decision::Present => {
                if let Err(what) = self.issued() {
                    self.wrong(what);
                }
            }
            _ => {}
        }
        decision
    }

    fn tick(&mut self) -> Edge {
        let edge = self.core.tick();
        if edge.grid_taken {
            self.programs.extend(self.offered);
        }
        self.deeds.0.add(&edge.events);
        self.cycle += 1;
        edge
    }
}

#[cfg(test)]
mod tests {
    use super::super::surroundings::Seen;
    use super::*;
    use heddle_sim::control_core::ModelCore;
    use heddle_sim::oracle::campaign::{batch, Prepared};
    use heddle_sim::oracle::grid::campaign::reference;
    use heddle_sim::oracle::warp_runner::core_runner;
    use heddle_sim::oracle::{Campaign, Class};

    /// What a core does not say as it is.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Lie {
        Nothing,
        /// A thread of an instruction, once.
        Thread,
        /// That nobody yielded, in each cycle.
        Event,
    }

    /// A core that lies, and the instructions of several threads that it was at.
    struct Liar(ModelCore, Lie, u64);

    impl Look for Liar {
        fn fetch(&mut self, warp: usize) -> Fetch {
            self.0.fetch(warp)
        }
        fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
            self.0.disabled(warp, reason)
        }
    }

    impl ControlCore for Liar {
        fn name(&self) -> String {
            self.0.name()
        }
        fn priorities(&self) -> u16 {
            self.0.priorities()
        }
        fn suspends(&self) -> bool {
            false
        }
        fn groups(&self) -> usize {
            0
        }
        fn configuration(&self) -> &Configuration {
            self.0.configuration()
        }
        fn begin(&mut self, inputs: &Inputs) -> Start {
            let mut start = self.0.begin(inputs);
            if let Some(looked) = start.looked.as_mut().filter(|looked| looked.active.count_ones() > 1) {
                self.2 += 1;
                if self.1 == Lie::Thread && self.2 == 40 {
                    looked.active &= looked.active - 1;
                }
            }
            start
        }
        fn decide(&mut self, answer: Option<&Answer>) -> Decision {
            self.0.decide(answer)
        }
        fn tick(&mut self) -> Edge {
            let mut edge = self.0.tick();
            edge.events.yielded += u32::from(self.1 == Lie::Event);
            edge
        }
    }

    /// What is seen of a batch of programs on a core of models.
    fn seen(lie: Lie, tree: bool) -> Seen {
        let base = Configuration { tree, warps: 4, depth: 16, ..Configuration::default() };
        let mut campaign = Campaign::new(3, 12, Class::Structured, base);
        campaign.longest_run = 100;
        let (configuration, prepared, _) = batch(&campaign, 0);
        let configuration = Configuration { stack_mode: false, ..configuration };
        let jobs: Vec<_> = prepared.iter().take(12).map(Prepared::job).collect();
        let setup = core_runner::setup(configuration);
        let shared = Shared::default();
        let core = ModelCore::new((reference().engine)(&configuration), &setup).expect("a warp fits");
        let mut followed = Followed::around(Liar(core, lie, 0), &setup, &shared);
        // How it ends is the oracle's matter.
        let _ = core_runner::run(&mut *followed, &jobs);
        drop(followed);
        let seen = shared.lock().expect("nobody panicked").clone();
        seen
    }

    /// XV-02: an engine that does what the reference does is followed to the end.
    #[test]
    fn xv_02_an_honest_core_is_followed() {
        for tree in [false, true] {
            let seen = seen(Lie::Nothing, tree);
            assert_eq!(seen.breach, None);
            let (found, expected) = seen.deeds.expect("it was followed");
            assert_eq!((found.ended, found), (12, expected));
            assert!(found.diverged > 10 && seen.counts.of(FOLLOWED) > 200, "{found:?}, {:?}", seen.counts);
        }
    }

    /// XV-02: a thread that is missing at one instruction is noticed there, an event too many in the end.
    #[test]
    fn xv_02_a_lie_is_noticed() {
        for tree in [false, true] {
            let (cycle, what) = seen(Lie::Thread, tree).breach.expect("a thread is missing");
            assert!(cycle > 0 && what.contains("in the reference"), "{what}");
        }
        let (found, expected) = seen(Lie::Event, false).deeds.expect("it was followed");
        assert_ne!(found, expected);
    }
}
