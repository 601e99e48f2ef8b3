//! Loops of a kernel whose number of rounds is known when it is assembled: they need no YIELD.
//!
//! Such a loop counts: one register starts from a constant, each round adds a constant to it, and one branch, which each round
//! passes, leaves the loop by a comparison of the register with a constant. Everything else counts as unknown.

use super::control_flow_graph::{ControlFlowGraph, End, Way};
use super::loops::{loops, Loop};
use crate::assembler::Kernel;
use crate::isa::table::Slot;
use crate::isa::{Action, Comparison, Compute, ControlOpcode, Domain, Guard, Instruction, Source};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use petgraph::Direction;

/// Rounds that are counted out at most; a loop of more is one that needs its YIELD.
const MOST_ROUNDS: u32 = 1 << 20;

/// The number of rounds is known.
pub fn ends_soon(kernel: &Kernel, cfg: &ControlFlowGraph, found: &Loop) -> bool {
    rounds(kernel, cfg, found).is_some()
}

/// The number of times that the loop's last block is passed, at most.
pub fn rounds(kernel: &Kernel, cfg: &ControlFlowGraph, found: &Loop) -> Option<u32> {
    let counting = Counting { kernel, cfg, found };
    let exit = counting.exit()?;
    let (guard, stays) = counting.branch(exit)?;
    let (domain, comparison, register, bound) = counting.test(exit, guard)?;
    let (update, step) = counting.update(register)?;
    let start = counting.start(register)?;
    // In a round the header comes before the last block; within a block, the comparison comes after the update.
    let update_first = update == exit || update == found.header;
    let mut value = if update_first { start.wrapping_add(step) } else { start };
    (1..=MOST_ROUNDS).find(|_| {
        let holds = holds(domain, comparison, value, bound) != guard.negate;
        value = value.wrapping_add(step);
        holds != stays
    })
}

struct Counting<'a> {
    kernel: &'a Kernel,
    cfg: &'a ControlFlowGraph,
    found: &'a Loop,
}

impl Counting<'_> {
    fn instructions(&self, block: NodeIndex) -> impl DoubleEndedIterator<Item = (u32, &Instruction)> {
        let body = self.cfg.graph[block].body.clone();
        body.map(|address| (address, &self.kernel.instructions[address as usize]))
    }

    /// Each round passes this block once.
    fn is_passed_once(&self, block: NodeIndex) -> bool {
        let mut back = self.found.back_ways(self.cfg).filter_map(|way| self.cfg.graph.edge_endpoints(way));
        let always = block == self.found.header || back.all(|(source, _)| source == block);
        let inner = |other: &Loop| other.blocks.len() < self.found.blocks.len() && other.blocks.contains(&block);
        always && !loops(self.cfg).iter().any(inner)
    }

    /// The only block with a way out, if each round passes it.
    fn exit(&self) -> Option<NodeIndex> {
        let blocks = || self.found.blocks.iter().copied();
        let calls = |address: u32| {
            matches!(self.kernel.instructions[address as usize].action, Action::Control(ControlOpcode::Cal))
        };
        if blocks().any(|block| self.cfg.graph[block].body.clone().any(calls)) {
            return None;
        }
        let leaves = |block: &NodeIndex| !self.cfg.successors(*block).is_subset(&self.found.blocks);
        let mut exits = blocks().filter(leaves);
        let exit = exits.next()?;
        (exits.next().is_none() && self.is_passed_once(exit)).then_some(exit)
    }

    /// The guard of the branch of that block, and whether its threads stay if it is taken.
    fn branch(&self, exit: NodeIndex) -> Option<(Guard, bool)> {
        let End::Branch(address) = self.cfg.graph[exit].end else { return None };
        let taken = self.cfg.target(self.cfg.way(exit, Way::Taken)?);
        Some((self.kernel.instructions[address as usize].guard, self.found.blocks.contains(&taken)))
    }

    /// The comparison that sets the branch's predicate in its block.
    fn test(&self, exit: NodeIndex, guard: Guard) -> Option<(Domain, Comparison, u8, u32)> {
        let sets = |instruction: &Instruction| {
            instruction.form().slots.contains(&Slot::DestinationPredicate) && instruction.destination == guard.predicate
        };
        let (at, test) = self.instructions(exit).rev().find(|(_, instruction)| sets(instruction))?;
        let (Action::Compare(domain, comparison), Source::Immediate(bound)) = (test.action, test.b) else {
            return None;
        };
        // The register has to keep its value up to the branch, or the order of update and test would be another.
        let changed = self.instructions(exit).any(|(address, other)| address > at && writes(other, test.a));
        let known = test.guard == Guard::ALWAYS && domain != Domain::Float && !changed;
        known.then_some((domain, comparison, test.a, bound))
    }

    /// The block of the only instruction of the loop that writes the register, and the constant that it adds.
    fn update(&self, register: u8) -> Option<(NodeIndex, u32)> {
        let all = self.found.blocks.iter().flat_map(|block| self.instructions(*block).map(move |one| (*block, one.1)));
        let mut writers = all.filter(|(_, instruction)| writes(instruction, register));
        let (block, writer) = writers.next()?;
        let step = match (writer.action, writer.b) {
            (Action::Compute(Compute::Add), Source::Immediate(step)) => step,
            (Action::Compute(Compute::Subtract), Source::Immediate(step)) => step.wrapping_neg(),
            _ => return None,
        };
        let counts = writer.guard == Guard::ALWAYS && writer.a == register && self.is_passed_once(block);
        (counts && writers.next().is_none()).then_some((block, step))
    }

    /// What the register holds where the loop is entered.
    fn start(&self, register: u8) -> Option<u32> {
        let mut block = self.only_before(self.found.header, |block| !self.found.blocks.contains(&block))?;
        for _ in 0..self.cfg.graph.node_count() {
            for (address, instruction) in self.instructions(block).rev() {
                if instruction.action == Action::Control(ControlOpcode::Cal) {
                    return None;
                }
                if writes(instruction, register) {
                    let constant = instruction.action == Action::Compute(Compute::Move)
                        && instruction.guard == Guard::ALWAYS
                        && !self.kernel.address_values.contains(&address);
                    return match instruction.b {
                        Source::Immediate(value) if constant => Some(value),
                        _ => None,
                    };
                }
            }
            block = self.only_before(block, |_| true)?;
        }
        None
    }

    /// The only block, of those that fulfil a condition, from which a thread can come here.
    fn only_before(&self, block: NodeIndex, condition: impl Fn(NodeIndex) -> bool) -> Option<NodeIndex> {
        let ways = self.cfg.graph.edges_directed(block, Direction::Incoming);
        let mut sources = ways.map(|way| way.source()).filter(|source| condition(*source));
        let source = sources.next()?;
        (!self.cfg.graph[block].entry && sources.all(|other| other == source)).then_some(source)
    }
}

/// It writes the register.
fn writes(instruction: &Instruction, register: u8) -> bool {
    let slots = instruction.form().slots;
    let writes = slots.contains(&Slot::Destination) || slots.contains(&Slot::OptionalLink) && instruction.optional;
    writes && instruction.destination == register
}

fn holds(domain: Domain, comparison: Comparison, left: u32, right: u32) -> bool {
    let order = match domain {
        Domain::Signed => (left as i32).cmp(&(right as i32)),
        _ => left.cmp(&right),
    };
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}
