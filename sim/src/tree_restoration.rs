//! How the trees of a saved warp are built again by the instructions that any kernel uses (CX-09).
//!
//! The engine gives a warp's nodes away one by one ([`SavedToken`]), each naming the one above it. To restore it, all its live threads are launched as one
//! leaf, which *stands for* all trees. From then on the leaf that the engine shows says what to do next: one that stands for several trees
//! or subtrees is parted by a branch, one that stands for a region opens it and lets those arrive who had, and one that
//! stands for a single leaf jumps to its address. Nothing depends on whose turn it is, where the nodes lie, or whether leaves at one
//! address become one on the way.

use std::collections::BTreeMap;

use crate::engine::{Fetch, Kind, Mask, Operation, Request, SavedToken};

/// A tree, or what is below a region.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tree {
    /// Threads and their next instruction.
    Leaf(Mask, u32),
    /// A region: kind, where it ends, who has arrived, what is below.
    Region(Kind, u32, Mask, Vec<Tree>),
}

impl Tree {
    fn threads(&self) -> Mask {
        match self {
            Self::Leaf(threads, _) => *threads,
            Self::Region(_, _, arrived, below) => *arrived | threads(below),
        }
    }
}

fn threads(trees: &[Tree]) -> Mask {
    trees.iter().fold(0, |all, tree| all | tree.threads())
}

/// What a leaf of the engine stands for until it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    /// The threads of the engine's leaf.
    threads: Mask,
    /// The leaf is a tree alone, and may become one with another.
    alone: bool,
    /// Threads that still have to arrive at the region that was just opened, and where it ends.
    arrived: Option<(Kind, u32, Mask)>,
    trees: Vec<Tree>,
    built: bool,
}

/// A warp whose trees are being built.
#[derive(Clone, Debug)]
pub struct TreeRestoration {
    warp: usize,
    asleep: Mask,
    tasks: Vec<Task>,
}

impl TreeRestoration {
    /// The trees of `tokens`, on a warp that is launched with all of `live` at once; `asleep` wait at a barrier.
    pub fn new(warp: usize, live: Mask, asleep: Mask, tokens: &[SavedToken]) -> Self {
        let mut below: BTreeMap<u16, Vec<&SavedToken>> = BTreeMap::new();
        for token in tokens {
            below.entry(token.above).or_default().push(token);
        }
        let trees = grow(0, &below);
        let task = Task { threads: live, alone: true, arrived: None, built: trees.is_empty(), trees };
        Self { warp, asleep, tasks: vec![task] }
    }

    /// Whether everything is as it was.
    pub fn is_done(&self) -> bool {
        self.asleep == 0 && self.tasks.iter().all(|task| task.built)
    }

    /// What the leaf that the engine shows is to run next.
    pub fn next(&mut self, fetch: Fetch) -> Option<Request> {
        if self.is_done() {
            return None;
        }
        let warp = self.warp;
        let request = |operation, kind, mask, target| Request {
            operation,
            kind: Some(kind),
            mask,
            target,
            targeted: operation == Operation::Leave,
            ..Request::nothing(warp)
        };
        if self.asleep != 0 {
            return Some(request(Operation::Sleep, Kind::Barrier, self.asleep, 0));
        }
        let task = self.task_of(fetch.active)?;
        let to = |mask, address| request(Operation::Branch, Kind::Divergence, mask, address);
        Some(match (&task.arrived, task.trees.as_slice()) {
            (Some((kind, end, arrived)), _) => request(Operation::Leave, *kind, *arrived, *end),
            (None, [Tree::Leaf(threads, address)]) => to(*threads, *address),
            (None, [Tree::Region(kind, end, ..)]) => request(Operation::Push, *kind, task.threads, *end),
            (None, trees) => to(trees.first()?.threads(), fetch.address),
        })
    }

    /// The task of the leaf that the engine shows: those of leaves that have become one are one task from now on.
    fn task_of(&mut self, active: Mask) -> Option<Task> {
        let (mut here, others): (Vec<Task>, Vec<Task>) =
            std::mem::take(&mut self.tasks).into_iter().partition(|task| task.threads & active != 0);
        self.tasks = others;
        let mut task = here.pop()?;
        for other in here {
            task.threads |= other.threads;
            task.built &= other.built;
            task.trees.extend(other.trees);
        }
        if task.alone {
            task.trees = united(task.trees);
        }
        self.tasks.push(task.clone());
        Some(task)
    }

    /// The engine has accepted that.
    pub fn accepted(&mut self, request: &Request) {
        if request.operation == Operation::Sleep {
            self.asleep = 0;
            if let Some(task) = self.tasks.first_mut() {
                task.threads &= !request.mask;
            }
            return;
        }
        let Some(place) = self.tasks.iter().position(|task| task.threads & request.mask != 0) else { return };
        let task = &mut self.tasks[place];
        match (task.arrived.take(), task.trees.as_mut_slice()) {
            (Some((_, _, arrived)), _) => task.threads &= !arrived,
            (None, [Tree::Leaf(..)]) => task.built = true,
            (None, [Tree::Region(kind, end, arrived, below)]) => {
                task.arrived = (*arrived != 0).then_some((*kind, *end, *arrived));
                task.trees = std::mem::take(below);
                task.alone = false;
            }
            (None, _) => {
                let first = task.trees.remove(0);
                let threads = first.threads();
                task.threads &= !threads;
                let part = Task { threads, alone: task.alone, arrived: None, trees: vec![first], built: false };
                self.tasks.push(part);
            }
        }
    }
}

/// What is right below a node.
fn grow(above: u16, below: &BTreeMap<u16, Vec<&SavedToken>>) -> Vec<Tree> {
    let tokens = below.get(&above).map_or(&[][..], Vec::as_slice);
    tokens
        .iter()
        .map(|token| match token.node {
            0 => Tree::Leaf(token.mask, token.address),
            node => Tree::Region(token.kind, token.address, token.mask, grow(node, below)),
        })
        .collect()
}

/// Leaves of one address as one: as trees they may become one anyway.
fn united(trees: Vec<Tree>) -> Vec<Tree> {
    let mut united: Vec<Tree> = Vec::new();
    for tree in trees {
        let same = |other: &&mut Tree| match (&tree, &**other) {
            (Tree::Leaf(_, address), Tree::Leaf(_, known)) => address == known,
            _ => false,
        };
        match (&tree, united.iter_mut().find(same)) {
            (Tree::Leaf(threads, _), Some(Tree::Leaf(known, _))) => *known |= threads,
            _ => united.push(tree),
        }
    }
    united
}
