//! The reference tree divergence table: a [`Table`] for each warp behind the engine interface, one instruction a cycle.
//!
//! The selected leaf of a warp is what [`Engine::fetch`] shows and what a request applies to. Yield policy and stack mode do not
//! count here: a YIELD always detaches (TD-04).
//!
//! **Source** US 2015/0205606.

use super::rules::Outcome;
use super::structure::bound;
use super::table::{Limits, Table};
use crate::engine::{
    Configuration, Engine, EngineContext, Events, Fault, Fetch, Kind, Mask, NodeCount, Operation, Request,
};

/// N of TD-09 unless somebody sets another: instructions of a warp after which a deferred leaf comes in.
pub const EXCHANGE_INTERVAL: u8 = 8;

/// The reference model of `tree_divergence_table`.
pub struct TreeTable {
    configuration: Configuration,
    limits: Option<Limits>,
    keeps_apart: bool,
    pub(crate) warps: Vec<Option<Table>>,
    high_water: Vec<usize>,
    offered: Option<Request>,
    /// Warps that were launched without a thread: they are done at the next edge.
    empty: Vec<usize>,
}

impl TreeTable {
    /// A table with as many nodes as its warps need.
    pub fn new(configuration: Configuration) -> Self {
        let warps = (0..configuration.warps).map(|_| None).collect();
        let high_water = vec![0; configuration.warps];
        Self { configuration, limits: None, keeps_apart: false, warps, high_water, offered: None, empty: Vec::new() }
    }

    /// A table with `depth` nodes a warp, and memory for `spill_limit` leaves of each (TD-09).
    pub fn bounded(configuration: Configuration) -> Self {
        let limits = Limits {
            nodes: configuration.depth,
            deferred: configuration.spill_limit.into(),
            exchange_interval: EXCHANGE_INTERVAL,
        };
        Self { limits: Some(limits), ..Self::new(configuration) }
    }

    /// A table that follows another one ([`TreeTable::follow`]): it merges nothing by itself.
    pub fn follower(configuration: Configuration) -> Self {
        Self { keeps_apart: true, ..Self::new(configuration) }
    }

    /// The nodes of a running warp.
    pub fn warp(&self, warp: usize) -> Option<&Table> {
        self.warps[warp].as_ref()
    }

    /// The most nodes that a warp has ever used at once (TD-07).
    pub fn high_water(&self, warp: usize) -> usize {
        self.high_water[warp]
    }

    /// Selects the leaf that other hardware selected ([`Table::follow`]).
    ///
    /// # Errors
    /// If no ready leaf, or union of such leaves, has this address and these threads.
    pub fn follow(&mut self, warp: usize, fetch: Fetch) -> Result<(), String> {
        let table = self.warps[warp].as_mut().ok_or_else(|| format!("warp {warp} does not run"))?;
        table.follow(fetch.active, fetch.address).map_err(|what| format!("warp {warp} has {what}"))
    }
}

impl Engine for TreeTable {
    fn name(&self) -> String {
        if self.limits.is_some() { "bounded tree model" } else { "tree model" }.into()
    }

    fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        if threads == 0 {
            self.empty.push(warp);
        } else {
            let table = Table::launch(warp, threads, address, self.limits);
            self.warps[warp] = Some(table.apart(self.keeps_apart));
            self.high_water[warp] = self.high_water[warp].max(1);
        }
    }

    fn context(&mut self) -> Option<&mut dyn EngineContext> {
        Some(self)
    }

    fn ready(&mut self) -> u64 {
        let offered = self.offered.map(|request| request.warp);
        let ready = |(number, warp): (usize, &Option<Table>)| {
            let selects = warp.as_ref().is_some_and(|table| table.selected().is_some());
            u64::from(selects && offered != Some(number)) << number
        };
        self.warps.iter().enumerate().map(ready).fold(0, |bits, bit| bits | bit)
    }

    fn running(&mut self) -> u64 {
        self.warps.iter().enumerate().filter(|(_, warp)| warp.is_some()).fold(0, |bits, (warp, _)| bits | 1 << warp)
    }

    fn fetch(&mut self, warp: usize) -> Fetch {
        let leaf = self.warps[warp].as_ref().and_then(Table::selected);
        Fetch { address: leaf.map_or(0, |leaf| leaf.address), active: leaf.map_or(0, |leaf| leaf.threads) }
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.warps[warp].as_ref().map_or(0, |table| table.disabled(reason))
    }

    fn offer(&mut self, request: &Request) -> bool {
        let always = matches!(request.operation, Operation::Wake | Operation::Withdraw);
        let may = |table: &Table| always || table.selected().is_some();
        let accepted = self.offered.is_none() && self.warps[request.warp].as_ref().is_some_and(may);
        if accepted {
            self.offered = Some(*request);
        }
        accepted
    }

    fn tick(&mut self) -> Events {
        let mut events = Events { done: std::mem::take(&mut self.empty), ..Events::default() };
        let Some(request) = self.offered.take() else { return events };
        let Some(table) = self.warps[request.warp].as_mut() else { return events };
        let address = table.selected().map_or(0, |leaf| leaf.address);
        let outcome = table.execute(&request, &self.configuration, &mut events);
        self.high_water[request.warp] = self.high_water[request.warp].max(table.high_water);
        let awake = (table.live & !table.asleep).count_ones() as usize;
        let bound = bound(table.nodes().map(|(_, node)| node), awake) as u64;
        events.nodes = Some(NodeCount { warp: request.warp, nodes: table.on_chip() as u64, bound: Some(bound) });
        match outcome {
            Outcome::Running => return events,
            Outcome::Done => events.done.push(request.warp),
            Outcome::Withdrawn => events.withdrawn.push(request.warp),
            Outcome::Stopped(cause) => events.faults.push(Fault { warp: request.warp, cause, address }),
        }
        self.warps[request.warp] = None;
        events
    }
}

/// A tree has no yield state. It is restored as it was built, by instructions ([`crate::tree_restoration`]).
impl EngineContext for TreeTable {
    fn resume(&mut self, warp: usize, threads: Mask, address: u32, _yield_state: u16) {
        self.launch(warp, threads, address);
    }

    fn yield_state(&mut self, _warp: usize) -> u16 {
        0
    }
}
