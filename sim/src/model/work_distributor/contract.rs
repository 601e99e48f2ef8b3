//! What any work distributor owes, judged cycle by cycle from what happens at its ports (WD-02 to WD-10).
//!
//! It walks nothing. When a grid is accepted it lists every index whose flag is set, sorted by cluster and index; then:
//! 1. the blocks that cores take are the list, in order, each once, and nothing else (WD-02, WD-07);
//! 2. a set holds 1 to S blocks of one row and one word, filled from place 0 up (WD-04);
//! 3. a set that is not taken stays, its core excepted as long as no cluster binds it (WD-03, WD-09);
//! 4. a cluster's blocks all go to one core (WD-10);
//! 5. a core that has been asking since the last set was taken is not passed over (WD-09);
//! 6. a fetch that is not taken stays; each is of a word of the grid in service, in the order of the walk, and at most one for each row and cluster;
//!    a block's word was fetched; no more are outstanding than allowed; without a table there is none (WD-05, WD-10);
//! 7. a grid is done once, when its last block was taken; grids follow each other in the order of the queue, where a head
//!    insertion counts at the boundary (WD-03, WD-06);
//! 8. busy shows whether a grid waits or is in service, and no more are taken in than there is room for (WD-06).
//!
//! **Source** US 8,413,151.

use crate::launch::{Grid, Inputs, Outputs, Shape, WORD_FLAGS};
use std::collections::{BTreeSet, VecDeque};

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: {rule} broken: {detail}")]
pub struct Breach {
    /// The cycle.
    pub cycle: u64,
    /// The requirement.
    pub rule: &'static str,
    /// What was seen and what was owed.
    pub detail: String,
}

/// Where an index stands in the walk: cluster z, y, x, then z, y, and x or the word.
type Place = [u32; 6];

/// A grid that was accepted and is not done.
#[derive(Clone, Debug)]
struct Account {
    grid: Grid,
    /// Blocks that no core has taken.
    owed: BTreeSet<Place>,
    /// Words that may still be asked for.
    words: VecDeque<Place>,
    /// Addresses of words that were asked for.
    asked: BTreeSet<u32>,
    /// Cluster and core of the last set.
    bound: Option<([u32; 3], usize)>,
}

impl Account {
    fn place(grid: &Grid, x: u32, y: u32, z: u32) -> Place {
        let cut = grid.cluster.unwrap_or([0; 3]).map(u32::from);
        let part = |index: u32, cut: u32| index.checked_div(cut).unwrap_or(0);
        [part(z, cut[2]), part(y, cut[1]), part(x, cut[0]), z, y, x]
    }

    /// In words from the beginning of the table.
    fn address(grid: &Grid, y: u32, z: u32, word: u32) -> u32 {
        let row_words = u32::from(grid.range[0]).div_ceil(WORD_FLAGS);
        let offset = (z * u32::from(grid.range[1]) + y).wrapping_mul(row_words).wrapping_add(word);
        grid.table.unwrap_or(0).wrapping_add(offset)
    }

    fn new(grid: Grid, memory: &dyn Fn(u32) -> u64) -> Self {
        let (mut owed, mut words) = (BTreeSet::new(), BTreeSet::new());
        let [x_range, y_range, z_range] = grid.range.map(u32::from);
        for (z, y, x) in (0..z_range).flat_map(|z| (0..y_range).flat_map(move |y| (0..x_range).map(move |x| (z, y, x))))
        {
            let place = Self::place(&grid, x, y, z);
            let set =
                grid.table.is_none() || memory(Self::address(&grid, y, z, x / WORD_FLAGS)) >> (x % WORD_FLAGS) & 1 == 1;
            if set {
                owed.insert(place);
            }
            let [cluster_z, cluster_y, cluster_x, ..] = place;
            words.insert([cluster_z, cluster_y, cluster_x, z, y, x / WORD_FLAGS]);
        }
        let words = if grid.table.is_some() { words.into_iter().collect() } else { VecDeque::new() };
        Self { grid, owed, words, asked: BTreeSet::new(), bound: None }
    }

    /// Accounts for a fetch; false if this grid does not owe one of that address from here on.
    fn fetch(&mut self, address: u32) -> bool {
        let grid = self.grid;
        let matches = |place: &Place| Self::address(&grid, place[4], place[3], place[5]) == address;
        let Some(position) = self.words.iter().position(matches) else { return false };
        // What was passed over is not asked for any more: a word that neighbours share may be kept.
        self.words.drain(..=position);
        self.asked.insert(address);
        true
    }

    fn was_fetched(&self, y: u32, z: u32, x: u32) -> bool {
        self.grid.table.is_none() || self.asked.contains(&Self::address(&self.grid, y, z, x / WORD_FLAGS))
    }
}

/// The observer of one work distributor.
pub struct WorkDistributorContract {
    shape: Shape,
    cycle: u64,
    /// Accepted grids that are not in service, in the order of the queue.
    waiting: VecDeque<Account>,
    service: Option<Account>,
    /// Names of the grids that were first in the queue at some time since the boundary.
    candidates: BTreeSet<u8>,
    /// The one of them that has fetched.
    committed: Option<u8>,
    outstanding: usize,
    /// The set that was shown and not taken.
    held: Option<Outputs>,
    /// The fetch that was asked for and not taken.
    held_fetch: Option<u32>,
    last_core: usize,
    /// Cores that have asked in every cycle since the last set was taken.
    patient: u64,
    /// Blocks taken by cores.
    pub blocks: u64,
    /// Grids done.
    pub done: u64,
}

type Broken = (&'static str, String);

impl WorkDistributorContract {
    /// An observer of a distributor after reset.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            cycle: 0,
            waiting: VecDeque::new(),
            service: None,
            candidates: BTreeSet::new(),
            committed: None,
            outstanding: 0,
            held: None,
            held_fetch: None,
            last_core: shape.cores - 1,
            patient: u64::MAX,
            blocks: 0,
            done: 0,
        }
    }

    /// Judges one cycle: what was put in, and what the settled outputs were. `memory` reads a word of flags.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs, memory: &dyn Fn(u32) -> u64) -> Result<(), Breach> {
        let cycle = self.cycle;
        self.cycle += 1;
        self.judge(inputs, outputs, memory).map_err(|(rule, detail)| Breach { cycle, rule, detail })
    }

    /// Grids that were accepted and do not show yet.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The grid in service is cut into clusters.
    pub fn cuts(&self) -> bool {
        self.service.as_ref().is_some_and(|account| account.grid.cluster.is_some())
    }

    /// Judges the end: nothing may be left.
    ///
    /// # Errors
    /// If a grid is not done, or the distributor says that it is busy.
    pub fn finish(&self, outputs: &Outputs) -> Result<(), Breach> {
        let left = self.waiting.len() + usize::from(self.service.is_some());
        if left > 0 || outputs.busy {
            let detail = format!("{left} grids are not done, busy is {}", outputs.busy);
            return Err(Breach { cycle: self.cycle, rule: "WD-10", detail });
        }
        Ok(())
    }

    fn judge(&mut self, inputs: &Inputs, outputs: &Outputs, memory: &dyn Fn(u32) -> u64) -> Result<(), Broken> {
        let left = self.waiting.len() + usize::from(self.service.is_some());
        if outputs.busy != (left > 0) {
            return Err(("WD-06", format!("busy is {} with {left} grids", outputs.busy)));
        }
        self.hold_still(outputs)?;
        if inputs.response.is_some() && outputs.response_ready {
            self.outstanding -= 1;
        }
        self.held_fetch = outputs.fetch.filter(|_| !inputs.fetch_ready);
        if let Some(address) = outputs.fetch.filter(|_| inputs.fetch_ready) {
            self.fetch(address)?;
        }
        let ready = inputs.core_ready;
        self.patient &= ready;
        self.held = outputs.set.as_ref().map(|_| outputs.clone());
        if let Some((_, core)) = outputs.set.as_ref().filter(|(_, core)| ready >> core & 1 == 1) {
            self.taken(outputs, *core)?;
            self.held = None;
            self.last_core = *core;
            self.patient = ready;
        }
        if let Some(grid) = outputs.done {
            self.finished(grid)?;
        }
        if let Some(grid) = inputs.request.filter(|_| outputs.request_ready) {
            // One more than the queue holds: the one in service may not show yet.
            if self.waiting.len() > self.shape.queue {
                return Err(("WD-06", format!("{} grids wait, and another is taken in", self.waiting.len())));
            }
            self.insert(grid, memory);
        }
        self.note_candidate();
        Ok(())
    }

    fn insert(&mut self, grid: Grid, memory: &dyn Fn(u32) -> u64) {
        let account = Account::new(grid, memory);
        if grid.head {
            self.waiting.push_front(account);
        } else {
            self.waiting.push_back(account);
        }
    }

    /// Whoever is first in the queue at the boundary, or at any time from there until the next grid shows, may be that grid.
    fn note_candidate(&mut self) {
        let at_boundary = self.service.as_ref().is_none_or(|account| account.owed.is_empty());
        if !at_boundary {
            self.candidates.clear();
        } else if let Some(first) = self.waiting.front() {
            self.candidates.insert(first.grid.grid);
        }
    }

    /// The grid in service; if there is none, the next one, since it shows itself.
    fn serve(&mut self, name: u8) -> Result<(), Broken> {
        if self.service.is_some() {
            return Ok(());
        }
        let Some(place) = self.waiting.iter().position(|account| account.grid.grid == name) else {
            return Err(("WD-06", format!("grid {name} is served and does not wait")));
        };
        if self.committed.map_or(!self.candidates.contains(&name), |committed| committed != name) {
            return Err(("WD-06", format!("grid {name} is served before its turn, candidates {:?}", self.candidates)));
        }
        self.service = self.waiting.remove(place);
        self.candidates.clear();
        self.committed = None;
        Ok(())
    }

    fn hold_still(&self, outputs: &Outputs) -> Result<(), Broken> {
        if self.held_fetch.is_some() && self.held_fetch != outputs.fetch {
            let (held, shown) = (self.held_fetch, outputs.fetch);
            return Err(("WD-05", format!("the fetch of {held:x?} was not taken and is now {shown:x?}")));
        }
        let Some(held) = &self.held else { return Ok(()) };
        let content = |outputs: &Outputs| outputs.set.as_ref().map(|(set, _)| (set.clone(), outputs.places));
        if content(held) != content(outputs) {
            return Err(("WD-03", format!("{:?} was not taken and is now {:?}", held.set, outputs.set)));
        }
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<(), Broken> {
        self.outstanding += 1;
        if self.outstanding > self.shape.fetches {
            return Err(("WD-05", format!("{} fetches are outstanding", self.outstanding)));
        }
        if self.service.as_mut().is_some_and(|account| account.fetch(address)) {
            return Ok(());
        }
        // The next grid may be looked at as soon as the last block of this one is on its way; then it is the next.
        let candidates = &self.candidates;
        let mut next = self.waiting.iter_mut().filter(|account| candidates.contains(&account.grid.grid));
        let Some(name) = next.find_map(|account| account.fetch(address).then_some(account.grid.grid)) else {
            return Err(("WD-10", format!("the word {address:#x} is not to be fetched, or not again")));
        };
        self.committed = Some(name);
        self.serve(name)
    }

    fn taken(&mut self, outputs: &Outputs, core: usize) -> Result<(), Broken> {
        let Some((set, _)) = &outputs.set else { return Ok(()) };
        let count = set.x.len();
        if count == 0 || count > self.shape.set || u32::from(outputs.places) != (1 << count) - 1 {
            return Err(("WD-04", format!("places {:#b} of a set of {}", outputs.places, self.shape.set)));
        }
        if set.x.iter().any(|x| u32::from(*x) / WORD_FLAGS != u32::from(set.x[0]) / WORD_FLAGS) {
            return Err(("WD-04", format!("a set of two words: {set:?}")));
        }
        self.serve(set.grid)?;
        let Some(account) = &mut self.service else { return Ok(()) };
        if (set.grid, set.program) != (account.grid.grid, account.grid.program) {
            return Err(("WD-03", format!("{set:?} while grid {} is served", account.grid.grid)));
        }
        let mut cluster = None;
        for x in &set.x {
            let (x, y, z) = (u32::from(*x), u32::from(set.y), u32::from(set.z));
            let place = Account::place(&account.grid, x, y, z);
            let owed = account.owed.pop_first();
            if owed != Some(place) {
                return Err(("WD-07", format!("block {x}, {y}, {z} ({place:?}) goes out, {owed:?} is owed")));
            }
            if !account.was_fetched(y, z, x) {
                return Err(("WD-05", format!("block {x}, {y}, {z} goes out, and its word was not fetched")));
            }
            let own = [place[0], place[1], place[2]];
            if *cluster.get_or_insert(own) != own {
                return Err(("WD-10", format!("a set of two clusters: {set:?}")));
            }
        }
        self.blocks += count as u64;
        let cluster = cluster.unwrap_or_default();
        if let Some((_, bound)) = account.bound.filter(|(bound, _)| *bound == cluster && account.grid.cluster.is_some())
        {
            if bound != core {
                return Err(("WD-10", format!("cluster {cluster:?} goes to core {core} after core {bound}")));
            }
            return Ok(());
        }
        account.bound = Some((cluster, core));
        let cores = self.shape.cores;
        let between = (1..cores).map(|step| (self.last_core + step) % cores).take_while(|other| *other != core);
        if let Some(passed) = between.into_iter().find(|other| self.patient >> other & 1 == 1) {
            let last = self.last_core;
            return Err(("WD-09", format!("core {core} comes before core {passed}, which asks; the last was {last}")));
        }
        Ok(())
    }

    fn finished(&mut self, grid: u8) -> Result<(), Broken> {
        self.serve(grid)?;
        let Some(account) = self.service.take() else { return Ok(()) };
        if account.grid.grid != grid || !account.owed.is_empty() {
            let owed = account.owed.len();
            return Err((
                "WD-03",
                format!("grid {grid} is done; {owed} blocks of grid {} are owed", account.grid.grid),
            ));
        }
        self.done += 1;
        // The boundary: whoever is first before this cycle's request comes in may be the next.
        self.note_candidate();
        Ok(())
    }
}
