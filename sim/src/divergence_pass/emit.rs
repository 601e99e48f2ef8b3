//! The program anew, with the instructions of regions in it.
//!
//! Blocks keep their order. In front of a block stand, if there is need, what the program or function does that begins there, and the *pad*: what
//! threads do that left the block's region. So the address that SSY, PBK or PCNT pushes is the pad's. Work on a way that a guarded
//! branch takes, and that no single instruction can do, stands behind the program.

use super::control_flow_graph::{ControlFlowGraph, End, Way};
use super::placement::{Placement, Work};
use super::regions::Region;
use crate::engine::Kind;
use petgraph::graph::{EdgeIndex, NodeIndex};
use std::collections::BTreeMap;

/// For which threads an instruction is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// All.
    Always,
    /// Those of the instruction from which it comes.
    Same,
    /// The others.
    Inverted,
}

/// What an instruction of the new program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What the original one does.
    Original,
    /// What the original one does, with another address: of its table, or where a barrier sends threads.
    Aimed(u32),
    /// BRA.
    Branch(Guard, u32),
    /// SSY, PBK or PCNT.
    Open(Kind, u32),
    /// SYNC, BRK or CONT.
    Leave(Kind, Guard, u32),
    /// YIELD.
    Yield,
}

/// An instruction of the new program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The original instruction that it is or comes from.
    pub origin: u32,
    /// What it does.
    pub what: What,
}

/// The new program. Its first instruction runs first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emission {
    /// Its instructions.
    pub code: Vec<Emitted>,
    /// The new address of each original instruction that a thread can reach; of one that begins a block, the block's without its pad.
    pub addresses: BTreeMap<u32, u32>,
    /// Where functions begin, by their old addresses.
    pub functions: BTreeMap<u32, u32>,
    /// What registers hold in place of an old address.
    pub kept: BTreeMap<u32, u32>,
}

/// A place whose address is known in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The block, behind its pad.
    Block(NodeIndex),
    /// What threads do that left the region of the block.
    Pad(NodeIndex),
    /// What threads do for which the program or the function begins with the block.
    Entry(NodeIndex),
    /// Work of a way.
    Aside(EdgeIndex),
    /// The table behind a block.
    Table(NodeIndex),
}

/// An instruction whose address is not known yet.
#[derive(Clone, Copy)]
enum Draft {
    Original,
    Aimed(Place),
    Branch(Guard, Place),
    Open(Kind, Place),
    Leave(Kind, Guard, Place),
    Yield,
}

/// Writes the program.
pub fn emit(cfg: &ControlFlowGraph, regions: &BTreeMap<NodeIndex, Region>, placement: &Placement) -> Emission {
    let mut writer = Writer {
        cfg,
        regions,
        placement,
        drafts: Vec::new(),
        places: BTreeMap::new(),
        addresses: BTreeMap::new(),
        asides: Vec::new(),
        follows: None,
    };
    let landings = cfg.landings.values().copied().filter(|landing| writer.has_work(*landing));
    let order: Vec<NodeIndex> = cfg.code.iter().copied().chain(landings).collect();
    for (index, block) in order.iter().enumerate() {
        writer.follows = order.get(index + 1).copied();
        writer.block(*block);
    }
    writer.follows = None;
    while let Some((way, origin)) = writer.asides.pop() {
        writer.place(Place::Aside(way));
        writer.go(way, origin);
    }
    writer.finish()
}

struct Writer<'a> {
    cfg: &'a ControlFlowGraph,
    regions: &'a BTreeMap<NodeIndex, Region>,
    placement: &'a Placement,
    drafts: Vec<(u32, Draft)>,
    places: BTreeMap<Place, u32>,
    addresses: BTreeMap<u32, u32>,
    /// Ways whose work is still to be written, with the instruction from which it comes.
    asides: Vec<(EdgeIndex, u32)>,
    /// The block that is written next.
    follows: Option<NodeIndex>,
}

impl Writer<'_> {
    fn here(&self) -> u32 {
        self.drafts.len() as u32
    }

    fn place(&mut self, place: Place) {
        self.places.insert(place, self.here());
    }

    fn draft(&mut self, origin: u32, draft: Draft) {
        self.drafts.push((origin, draft));
    }

    fn work(&self, way: EdgeIndex) -> Work {
        self.placement.ways.get(&way).cloned().unwrap_or_default()
    }

    /// A landing does something, or its label's block can take its place.
    fn has_work(&self, landing: NodeIndex) -> bool {
        let opens = |list: &BTreeMap<NodeIndex, Vec<NodeIndex>>| list.contains_key(&landing);
        let works = |way: EdgeIndex| self.work(way) != Work::default();
        opens(&self.placement.first)
            || opens(&self.placement.last)
            || self.cfg.way(landing, Way::Next).is_some_and(works)
    }

    fn pad(&self, block: NodeIndex) -> Work {
        self.placement.pads.get(&block).cloned().unwrap_or_default()
    }

    fn open(&mut self, origin: u32, joins: &[NodeIndex]) {
        for join in joins {
            let kind = self.kind(*join);
            self.draft(origin, Draft::Open(kind, Place::Pad(*join)));
        }
    }

    fn kind(&self, join: NodeIndex) -> Kind {
        self.regions[&join].kind
    }

    /// A block with all that stands in front of it.
    fn block(&mut self, node: NodeIndex) {
        let block = self.cfg.graph[node].clone();
        let at = |list: &BTreeMap<NodeIndex, Vec<NodeIndex>>| list.get(&node).cloned().unwrap_or_default();
        let first = if block.made { block.origin } else { block.body.start };
        let pad = self.pad(node);
        self.place(Place::Entry(node));
        if block.entry {
            self.open(first, &at(&self.placement.entries));
            if !pad.is_simple() {
                self.draft(first, Draft::Branch(Guard::Always, Place::Block(node)));
            }
        }
        self.place(Place::Pad(node));
        if pad.yields {
            self.draft(first, Draft::Yield);
        }
        self.open(first, &pad.opens);
        self.place(Place::Block(node));
        if !block.made {
            self.addresses.insert(first, self.here());
        }
        self.open(first, &at(&self.placement.first));
        for address in block.body.clone() {
            self.addresses.entry(address).or_insert(self.drafts.len() as u32);
            self.draft(address, Draft::Original);
        }
        self.open(block.origin, &at(&self.placement.last));
        if !block.made {
            self.addresses.entry(block.origin).or_insert(self.drafts.len() as u32);
        }
        self.end(node, block.end);
    }

    fn end(&mut self, node: NodeIndex, end: End) {
        let origin = self.cfg.graph[node].origin;
        let (taken, next) = (self.cfg.way(node, Way::Taken), self.cfg.way(node, Way::Next));
        match (end, taken) {
            (End::Branch(_), Some(taken)) => return next.into_iter().for_each(|next| self.branch(taken, next, origin)),
            (End::Table(_), _) => return self.table(node, next, origin),
            (End::Barrier(_), Some(taken)) => {
                let place = self.aim(taken, origin);
                self.draft(origin, Draft::Aimed(place));
            }
            (End::Indirect(_), _) => self.draft(origin, Draft::Original),
            _ => {}
        }
        if let Some(next) = next {
            self.go(next, origin);
        }
    }

    /// A branch with a guard: a way that leaves a region is one instruction, and the threads of the other need none.
    fn branch(&mut self, taken: EdgeIndex, next: EdgeIndex, origin: u32) {
        let (leaves_taken, leaves_next) = (self.work(taken).leaves, self.work(next).leaves);
        let (first, guard, then) = match (leaves_taken, leaves_next) {
            (false, true) => (next, Guard::Inverted, taken),
            (false, false) if !self.work(taken).is_simple() && self.work(next).is_simple() => {
                (next, Guard::Inverted, taken)
            }
            _ => (taken, Guard::Same, next),
        };
        let draft = self.divert(first, guard, origin);
        self.draft(origin, draft);
        self.go(then, origin);
    }

    /// A jump with its table, made anew, between this block and the one that follows.
    fn table(&mut self, node: NodeIndex, next: Option<EdgeIndex>, origin: u32) {
        self.draft(origin, Draft::Aimed(Place::Table(node)));
        let follows = self.follows.take();
        if let Some(next) = next {
            self.go(next, origin);
        }
        self.follows = follows;
        self.place(Place::Table(node));
        for slot in self.cfg.chosen(node) {
            if let Some(way) = self.cfg.way(self.cfg.target(slot), Way::Next) {
                let draft = self.divert(way, Guard::Always, origin);
                self.draft(origin, draft);
            }
        }
    }

    /// The one instruction that sends threads along a way.
    fn divert(&mut self, way: EdgeIndex, guard: Guard, origin: u32) -> Draft {
        let target = self.cfg.target(way);
        match self.work(way) {
            work if work.leaves => Draft::Leave(self.kind(target), guard, Place::Pad(target)),
            _ => Draft::Branch(guard, self.aim(way, origin)),
        }
    }

    /// Where to send threads that go along a way.
    fn aim(&mut self, way: EdgeIndex, origin: u32) -> Place {
        let work = self.work(way);
        if work.through_pad {
            Place::Pad(self.cfg.target(way))
        } else if work == Work::default() {
            Place::Block(self.cfg.target(way))
        } else {
            self.asides.push((way, origin));
            Place::Aside(way)
        }
    }

    /// All threads that are here go along a way.
    fn go(&mut self, way: EdgeIndex, origin: u32) {
        let (target, work) = (self.cfg.target(way), self.work(way));
        if work.leaves {
            return self.draft(origin, Draft::Leave(self.kind(target), Guard::Always, Place::Pad(target)));
        }
        if work.through_pad {
            return self.draft(origin, Draft::Branch(Guard::Always, Place::Pad(target)));
        }
        if work.yields {
            self.draft(origin, Draft::Yield);
        }
        self.open(origin, &work.opens);
        let between = !self.pad(target).is_simple() || self.placement.entries.contains_key(&target);
        if self.follows != Some(target) || between {
            self.draft(origin, Draft::Branch(Guard::Always, Place::Block(target)));
        }
    }

    fn finish(self) -> Emission {
        let at = |place: Place| self.places[&place];
        let emitted = |(origin, draft): &(u32, Draft)| {
            let what = match *draft {
                Draft::Original => What::Original,
                Draft::Aimed(place) => What::Aimed(at(place)),
                Draft::Branch(guard, place) => What::Branch(guard, at(place)),
                Draft::Open(kind, place) => What::Open(kind, at(place)),
                Draft::Leave(kind, guard, place) => What::Leave(kind, guard, at(place)),
                Draft::Yield => What::Yield,
            };
            Emitted { origin: *origin, what }
        };
        let landing = |address: &u32, node: &NodeIndex| {
            let block = if self.has_work(*node) { *node } else { self.cfg.at[address] };
            (*address, at(Place::Block(block)))
        };
        let entries = self.cfg.at.iter().filter(|(_, node)| self.cfg.graph[**node].entry);
        Emission {
            code: self.drafts.iter().map(emitted).collect(),
            functions: entries.map(|(address, node)| (*address, at(Place::Entry(*node)))).collect(),
            kept: self.cfg.landings.iter().map(|(address, node)| landing(address, node)).collect(),
            addresses: self.addresses.clone(),
        }
    }
}
