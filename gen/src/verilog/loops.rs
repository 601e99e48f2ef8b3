//! False combinational loops: a process that computes two signals closes a loop when one of them returns, through other
//! processes or parts, to the other. Such processes are divided; what remains closed is a true loop, and refused.

use super::error::{Problem, TranslationError};
use super::ir::{Expression, Module, NetId, NetKind};
use super::lower::Design;
use super::process::{processes, Process};
use std::collections::{BTreeMap, BTreeSet};

/// The processes of each module of the design, such that no loop is left.
pub fn divide(design: &Design, top: usize) -> Result<Vec<Vec<Process>>, TranslationError> {
    let mut divided: Vec<Vec<Process>> = design.modules.iter().map(processes).collect();
    loop {
        let graph = Graph::build(design, &divided, top);
        let Some(cycle) = graph.cycle() else { return Ok(divided) };
        let Some((module, process, early)) = graph.cut(&divided, &cycle) else {
            let path = &design.origins[top].path;
            return Err(Problem::CombinationalLoop(graph.describe(design, &divided, &cycle)).at(path));
        };
        let rest = &divided[module][process].targets - &early;
        let body = &design.modules[module];
        divided[module][process] = Process::of(body, early);
        divided[module].insert(process + 1, Process::of(body, rest));
    }
}

/// A process, or a path through a hand-written primitive, of one instance of a module.
struct Node {
    instance: String,
    module: usize,
    process: Option<usize>,
    reads: BTreeSet<usize>,
    /// Its global targets and the nets of the module that they are.
    drives: BTreeMap<usize, NetId>,
    /// Reads of its own targets before they are complete.
    early: BTreeSet<NetId>,
}

#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    nets: usize,
    readers: BTreeMap<usize, Vec<usize>>,
}

impl Graph {
    fn build(design: &Design, divided: &[Vec<Process>], top: usize) -> Self {
        let mut graph = Graph::default();
        graph.add(design, divided, top, "", &BTreeMap::new());
        for (at, node) in graph.nodes.iter().enumerate() {
            for net in &node.reads {
                graph.readers.entry(*net).or_default().push(at);
            }
        }
        graph
    }

    /// Adds an instance of a module; `outer` says which ports are which global nets.
    fn add(
        &mut self,
        design: &Design,
        divided: &[Vec<Process>],
        module: usize,
        instance: &str,
        outer: &BTreeMap<String, usize>,
    ) {
        let body = &design.modules[module];
        let first = self.nets;
        self.nets += body.nets.len();
        let global = |net: NetId| match outer.get(&body.nets[net].name) {
            Some(outer) if net < body.ports => *outer,
            _ => first + net,
        };
        for (at, process) in divided[module].iter().enumerate() {
            let reads = process.reads();
            self.nodes.push(Node {
                instance: instance.to_string(),
                module,
                process: Some(at),
                reads: reads.foreign.iter().map(|net| global(*net)).collect(),
                drives: process.targets.iter().map(|net| (global(*net), *net)).collect(),
                early: reads.early,
            });
        }
        for (output, inputs) in custom_paths(body) {
            self.nodes.push(Node {
                instance: instance.to_string(),
                module,
                process: None,
                reads: inputs.iter().map(|net| global(*net)).collect(),
                drives: BTreeMap::from([(global(output), output)]),
                early: BTreeSet::new(),
            });
        }
        for part in &body.instances {
            let pins = part.pins.iter().filter_map(|pin| match pin.connection {
                Expression::Net { net, .. } => Some((pin.port.clone(), global(net))),
                _ => None,
            });
            self.add(design, divided, part.module, &format!("{instance}{}.", part.name), &pins.collect());
        }
    }

    fn after(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let own = !self.nodes[node].early.is_empty();
        self.nodes[node]
            .drives
            .keys()
            .flat_map(|net| self.readers.get(net).into_iter().flatten().copied())
            .chain(own.then_some(node))
    }

    /// The nodes that can be reached from `from` (not itself, unless by a loop) on ways through `within` alone.
    fn reach(&self, from: usize, within: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<usize> = self.after(from).collect();
        while let Some(node) = open.pop() {
            if within.contains(&node) && seen.insert(node) {
                open.extend(self.after(node));
            }
        }
        seen
    }

    /// The nodes within `within` from which `to` can be reached on ways through `within` alone.
    fn before(&self, to: usize, within: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut predecessors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for node in within {
            self.after(*node).for_each(|next| predecessors.entry(next).or_default().push(*node));
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![to];
        while let Some(node) = open.pop() {
            let unseen = predecessors.remove(&node).unwrap_or_default();
            seen.extend(&unseen);
            open.extend(unseen);
        }
        seen
    }

    /// The nodes of some loop, if there is one: those that reach, and are reached by, the first that reaches itself.
    fn cycle(&self) -> Option<BTreeSet<usize>> {
        // Nodes without predecessors cannot be in a loop: take them away until none is left.
        let mut degree = vec![0_usize; self.nodes.len()];
        for node in 0..self.nodes.len() {
            self.after(node).for_each(|next| degree[next] += 1);
        }
        let mut open: Vec<usize> = (0..self.nodes.len()).filter(|node| degree[*node] == 0).collect();
        let mut alive: BTreeSet<usize> = (0..self.nodes.len()).collect();
        while let Some(node) = open.pop() {
            alive.remove(&node);
            for next in self.after(node) {
                degree[next] -= 1;
                if degree[next] == 0 {
                    open.push(next);
                }
            }
        }
        for node in &alive {
            let forward = self.reach(*node, &alive);
            if forward.contains(node) {
                return Some(&forward & &self.before(*node, &alive));
            }
        }
        None
    }

    /// A process of the loop to divide, and the targets to take out of it: those from which the loop returns to it.
    fn cut(&self, divided: &[Vec<Process>], cycle: &BTreeSet<usize>) -> Option<(usize, usize, BTreeSet<NetId>)> {
        let mut whole = None;
        for node in cycle {
            let at = &self.nodes[*node];
            let Some(process) = at.process.filter(|process| divided[at.module][*process].targets.len() > 1) else {
                continue;
            };
            let others: BTreeSet<usize> = cycle.iter().copied().filter(|other| other != node).collect();
            let before = self.before(*node, &others);
            let returns = |net: &usize| self.readers.get(net).into_iter().flatten().any(|next| before.contains(next));
            let mut early = at.early.clone();
            early.extend(at.drives.iter().filter(|(net, _)| returns(net)).map(|(_, net)| *net));
            let targets = &divided[at.module][process].targets;
            if early.len() < targets.len() && !early.is_empty() {
                return Some((at.module, process, early));
            }
            if whole.is_none() {
                whole = targets.first().map(|first| (at.module, process, BTreeSet::from([*first])));
            }
        }
        whole
    }

    fn describe(&self, design: &Design, divided: &[Vec<Process>], cycle: &BTreeSet<usize>) -> Vec<String> {
        let name = |node: usize| {
            let at = &self.nodes[node];
            let targets = match at.process {
                Some(process) => divided[at.module][process].targets.first().copied(),
                None => at.drives.values().next().copied(),
            };
            let net = targets.map_or("", |net| design.modules[at.module].nets[net].path.as_str());
            format!("{}{net}", at.instance)
        };
        // A shortest way round, from the first node.
        let Some(start) = cycle.first().copied() else { return Vec::new() };
        let mut ways = vec![vec![start]];
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while at < ways.len() {
            let way = ways[at].clone();
            at += 1;
            for next in self.after(*way.last().unwrap_or(&start)).filter(|next| cycle.contains(next)) {
                if next == start {
                    return way.iter().chain([&start]).map(|node| name(*node)).collect();
                }
                if seen.insert(next) {
                    ways.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        cycle.iter().map(|node| name(*node)).collect()
    }
}

/// The combinational paths of a primitive written by hand: for each output, the inputs that it follows at once.
fn custom_paths(module: &Module) -> Vec<(NetId, BTreeSet<NetId>)> {
    let Some(text) = &module.custom else { return Vec::new() };
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').map(ToString::to_string).collect()
    };
    let inputs = |words: Option<BTreeSet<String>>| -> BTreeSet<NetId> {
        let named = |net: &NetId| words.as_ref().is_none_or(|words| words.contains(&module.nets[*net].name));
        (0..module.ports).filter(|net| module.nets[*net].kind == NetKind::Input).filter(named).collect()
    };
    let mut paths = Vec::new();
    for output in (0..module.ports).filter(|net| module.nets[*net].kind == NetKind::Output) {
        let name = &module.nets[output].name;
        let assign = format!("assign {name} =");
        let following = match text.find(&assign) {
            Some(at) => inputs(Some(words(text[at + assign.len()..].split(';').next().unwrap_or_default()))),
            None if text.contains(&format!("{name} <=")) => BTreeSet::new(),
            None => inputs(None),
        };
        paths.push((output, following));
    }
    paths
}
