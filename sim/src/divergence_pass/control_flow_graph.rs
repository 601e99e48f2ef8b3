//! The control-flow graph: basic blocks and the ways between them, as far as a thread can get.
//!
//! Two kinds of block have no instructions of their own. A *slot* is one entry of a jump table; its instruction is made anew, so that it
//! can open and leave regions. A *landing* is where the address of a label points that the program keeps in a register:
//! all indirect jumps to it pass through it, and what their way to the label needs is done there.

use super::flow::{Code, Flow};
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How a block ends. Numbers are addresses of instructions of the original program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It goes on at its only successor, whether a branch says so or the next block is just there.
    Goes,
    /// A branch with a guard.
    Branch(u32),
    /// A jump through a table.
    Table(u32),
    /// A jump to an address in a register.
    Indirect(u32),
    /// The top of a barrier.
    Barrier(u32),
    /// Nothing follows; the last instruction belongs to the body.
    Stops,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its instructions, without the one that [`Block::end`] stands for.
    pub body: Range<u32>,
    /// The instruction by which what the pass adds is located in messages.
    pub origin: u32,
    /// How it ends.
    pub end: End,
    /// The program or a function begins here, or an address in a register leads here from where nobody knows.
    pub entry: bool,
    /// Its body has a YIELD without a guard.
    pub yields: bool,
    /// It is a slot or a landing.
    pub made: bool,
}

/// Which of the ways out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The branch is taken; the barrier sends threads away.
    Taken,
    /// The table's slot, or the landing of an indirect jump.
    Chosen(usize),
    /// It is not.
    Next,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct ControlFlowGraph {
    /// Blocks and the ways between them.
    pub graph: DiGraph<Block, Way>,
    /// Blocks with instructions of the program, in its order.
    pub code: Vec<NodeIndex>,
    /// The landing of each label that is kept in a register.
    pub landings: BTreeMap<u32, NodeIndex>,
    /// The block that begins at an address.
    pub at: BTreeMap<u32, NodeIndex>,
}

impl ControlFlowGraph {
    /// The graph of a program whose last instruction does not go on behind it.
    pub fn new(code: &Code) -> Self {
        let leaders = leaders(code);
        let mut builder = Builder {
            code,
            leaders: &leaders,
            graph: ControlFlowGraph {
                graph: DiGraph::new(),
                code: Vec::new(),
                landings: BTreeMap::new(),
                at: BTreeMap::new(),
            },
        };
        builder.blocks();
        builder.ways();
        builder.graph
    }

    /// The way out of a block.
    pub fn way(&self, block: NodeIndex, way: Way) -> Option<EdgeIndex> {
        self.graph.edges(block).find(|edge| *edge.weight() == way).map(|edge| edge.id())
    }

    /// The ways out of a block in the order of tables.
    pub fn chosen(&self, block: NodeIndex) -> Vec<EdgeIndex> {
        let mut ways: Vec<_> = self.graph.edges(block).map(|edge| (*edge.weight(), edge.id())).collect();
        ways.retain(|(way, _)| matches!(way, Way::Chosen(_)));
        ways.sort();
        ways.into_iter().map(|(_, edge)| edge).collect()
    }

    /// Where a way leads.
    pub fn target(&self, way: EdgeIndex) -> NodeIndex {
        self.graph.edge_endpoints(way).map_or(NodeIndex::end(), |(_, target)| target)
    }

    /// Blocks to which a block goes, each once.
    pub fn successors(&self, block: NodeIndex) -> BTreeSet<NodeIndex> {
        self.graph.neighbors(block).collect()
    }

    /// Threads of a warp may disagree at its end.
    pub fn may_diverge(&self, block: NodeIndex) -> bool {
        matches!(self.graph[block].end, End::Branch(_) | End::Table(_) | End::Indirect(_))
    }
}

/// Where blocks begin.
fn leaders(code: &Code) -> BTreeSet<u32> {
    let length = code.flows.len() as u32;
    let mut leaders = code.functions();
    leaders.insert(0);
    leaders.extend(&code.kept);
    for (next, flow) in (1..).zip(&code.flows) {
        leaders.extend(flow.targets());
        if flow.ends_block() && next < length {
            leaders.insert(next);
        }
    }
    leaders
}

struct Builder<'a> {
    code: &'a Code,
    leaders: &'a BTreeSet<u32>,
    graph: ControlFlowGraph,
}

impl Builder<'_> {
    fn flow(&self, address: u32) -> &Flow {
        &self.code.flows[address as usize]
    }

    /// The addresses of the block that begins at `start`; the last one may end it.
    fn extent(&self, start: u32) -> Range<u32> {
        let limit = self.leaders.range(start + 1..).next().copied().unwrap_or(self.code.flows.len() as u32);
        let last = (start..limit).find(|address| self.flow(*address).ends_block());
        start..last.map_or(limit, |last| last + 1)
    }

    /// Every block that a thread can reach.
    fn blocks(&mut self) {
        let functions = self.code.functions();
        let mut reached = BTreeSet::new();
        let mut waiting = vec![0];
        while let Some(start) = waiting.pop() {
            if start as usize >= self.code.flows.len() || !reached.insert(start) {
                continue;
            }
            let extent = self.extent(start);
            for flow in &self.code.flows[extent.start as usize..extent.end as usize] {
                waiting.extend(flow.targets());
                if let Flow::Call(function) = flow {
                    waiting.push(*function);
                }
            }
            if self.flow(extent.end - 1).falls_through() {
                waiting.push(extent.end);
            }
            // What is kept in a register is jumped to by somebody.
            waiting.extend(&self.code.kept);
        }
        for start in reached {
            let block = self.block(start, start == 0 || functions.contains(&start));
            let node = self.graph.graph.add_node(block);
            self.graph.code.push(node);
            self.graph.at.insert(start, node);
        }
    }

    fn block(&self, start: u32, entry: bool) -> Block {
        let Range { end, .. } = self.extent(start);
        let last = end - 1;
        let (body, how) = match self.flow(last) {
            Flow::Straight | Flow::Yield | Flow::Call(_) => (start..end, End::Goes),
            Flow::End => (start..end, End::Stops),
            Flow::Branch { conditional: false, .. } => (start..last, End::Goes),
            // A branch to what follows anyway is none.
            Flow::Branch { target, .. } if *target == end => (start..last, End::Goes),
            Flow::Branch { .. } => (start..last, End::Branch(last)),
            Flow::Table { .. } => (start..last, End::Table(last)),
            Flow::Indirect { .. } => (start..last, End::Indirect(last)),
            Flow::Barrier(_) => (start..last, End::Barrier(last)),
        };
        let yields = body.clone().any(|address| *self.flow(address) == Flow::Yield);
        Block { body, origin: last, end: how, entry, yields, made: false }
    }

    fn empty(&mut self, origin: u32, entry: bool) -> NodeIndex {
        self.graph.graph.add_node(Block { body: 0..0, origin, end: End::Goes, entry, yields: false, made: true })
    }

    fn ways(&mut self) {
        let unknown = !self.graph.graph.node_weights().any(|block| matches!(block.end, End::Indirect(_)));
        for address in &self.code.kept {
            let landing = self.empty(*address, unknown);
            self.graph.landings.insert(*address, landing);
            self.connect(landing, *address, Way::Next);
        }
        for node in self.graph.code.clone() {
            let Block { origin, end, .. } = self.graph.graph[node].clone();
            match end {
                End::Stops => {}
                End::Goes => {
                    let target = match self.flow(origin) {
                        Flow::Branch { target, .. } => *target,
                        _ => origin + 1,
                    };
                    self.connect(node, target, Way::Next);
                }
                End::Branch(last) | End::Barrier(last) => {
                    let target = self.flow(last).targets()[0];
                    self.connect(node, target, Way::Taken);
                    self.connect(node, last + 1, Way::Next);
                }
                End::Table(last) => {
                    for (slot, target) in self.flow(last).targets().to_vec().into_iter().enumerate() {
                        let empty = self.empty(last, false);
                        self.graph.graph.add_edge(node, empty, Way::Chosen(slot));
                        self.connect(empty, target, Way::Next);
                    }
                    self.fall_through(node, last);
                }
                End::Indirect(last) => {
                    for (number, landing) in self.graph.landings.clone().into_values().enumerate() {
                        self.graph.graph.add_edge(node, landing, Way::Chosen(number));
                    }
                    self.fall_through(node, last);
                }
            }
        }
    }

    fn fall_through(&mut self, node: NodeIndex, last: u32) {
        if self.flow(last).falls_through() {
            self.connect(node, last + 1, Way::Next);
        }
    }

    fn connect(&mut self, from: NodeIndex, to: u32, way: Way) {
        let target = self.graph.at[&to];
        self.graph.graph.add_edge(from, target, way);
    }
}
