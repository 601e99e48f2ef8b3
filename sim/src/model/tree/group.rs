//! One tree for a group of warps, its masks stored once (TD-10).
//!
//! A node does not hold the threads of its warps but, for each position of the group, an *index*. The warp-mapping table says which
//! warp stands at a position; the warp-divergence-mask table, a row a warp and a column an index, says which threads that is.
//! Index 0 is nobody. Equal masks of a warp share an index, however many nodes name it.
//!
//! A leaf is issued for each of its warps in turn. What they report is collected, and the node changes with the last of them. Where
//! an instruction takes its target from registers, the warps that agree with the first one go along; the others meet it again.
//!
//! The rules are those of [`Table`], on sets of threads that have a mask for each of up to eight positions ([`GroupSet`]).
//!
//! **Source** US 9,921,847.

use super::rules::Outcome;
use super::set::{GroupSet, POSITIONS};
use super::table::Table;
use crate::engine::{Configuration, Events, Mask, Operation, Request};

/// The masks of each warp, each once: rows by warp, columns by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskTable {
    rows: Vec<Vec<Option<Mask>>>,
}

impl MaskTable {
    fn new(warps: usize) -> Self {
        Self { rows: vec![vec![Some(0)]; warps] }
    }

    /// The threads that an index of a warp stands for; none if it is not in use.
    pub fn mask(&self, warp: usize, index: usize) -> Option<Mask> {
        self.rows[warp].get(index).copied().flatten()
    }

    /// Indices of a warp that are in use, the one for nobody included.
    pub fn used(&self, warp: usize) -> usize {
        self.rows[warp].iter().flatten().count()
    }

    /// The index of a mask: the one that it has, else the lowest that is free.
    fn index(&mut self, warp: usize, mask: Mask) -> usize {
        let row = &mut self.rows[warp];
        if let Some(index) = row.iter().position(|other| *other == Some(mask)) {
            return index;
        }
        let free = row.iter().position(Option::is_none);
        match free {
            Some(index) => row[index] = Some(mask),
            None => row.push(Some(mask)),
        }
        free.unwrap_or(row.len() - 1)
    }

    /// Frees the indices of a warp that no node names.
    fn keep(&mut self, warp: usize, masks: &[Mask]) {
        for entry in self.rows[warp].iter_mut().skip(1) {
            *entry = entry.filter(|mask| masks.contains(mask));
        }
    }
}

/// What a warp of the selected leaf is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpTurn {
    /// The warp.
    pub warp: usize,
    /// Its threads.
    pub active: Mask,
    /// Next instruction, in instructions.
    pub address: u32,
}

/// What became of a warp's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Other warps of the leaf are still to report.
    Collected,
    /// The last one has: the node has changed. Bit w: warp w went along; the others of the leaf meet the instruction again.
    Changed(Outcome, u64),
}

/// A tree over several warps.
#[derive(Clone, Debug)]
pub struct Group {
    table: Table<GroupSet>,
    /// The warp at each position.
    mapping: Vec<usize>,
    masks: MaskTable,
    /// For each node, an index a position.
    indices: Vec<Vec<usize>>,
    /// What the warps of the selected leaf have reported so far, by position.
    reports: Vec<(usize, Request)>,
}

impl Group {
    /// A group at its launch: `mapping` has the warp of each position, `active` its threads.
    ///
    /// # Panics
    /// If the group has more warps than a set has masks.
    pub fn launch(mapping: &[usize], active: &[Mask], address: u32) -> Self {
        assert!(mapping.len() <= POSITIONS, "{} warps do not fit the model", mapping.len());
        let parts = active.iter().enumerate().map(|(position, mask)| GroupSet::at(position, *mask));
        let all = parts.fold(GroupSet::default(), |set, part| set | part);
        let warps = mapping.iter().max().map_or(0, |warp| warp + 1);
        let table = Table::launch(0, all, address, None);
        let (masks, mapping) = (MaskTable::new(warps), mapping.to_vec());
        let mut group = Self { table, mapping, masks, indices: Vec::new(), reports: Vec::new() };
        group.store();
        group
    }

    /// The masks.
    pub fn masks(&self) -> &MaskTable {
        &self.masks
    }

    /// The tree, with the threads of all positions side by side.
    pub fn table(&self) -> &Table<GroupSet> {
        &self.table
    }

    /// The indices of a node, one a position.
    pub fn indices(&self, node: usize) -> &[usize] {
        &self.indices[node]
    }

    /// The threads of a node, read through its indices.
    pub fn threads(&self, node: usize) -> GroupSet {
        let mask = |(position, index): (usize, &usize)| {
            GroupSet::at(position, self.masks.mask(self.mapping[position], *index).unwrap_or(0))
        };
        self.indices[node].iter().enumerate().map(mask).fold(GroupSet::default(), |set, mask| set | mask)
    }

    /// Positions of the selected leaf that have threads in it.
    fn positions(&self) -> Vec<usize> {
        let set = self.table.selected().map_or(GroupSet::default(), |leaf| leaf.threads);
        (0..self.mapping.len()).filter(|position| set.0[*position] != 0).collect()
    }

    /// The warp whose turn it is.
    pub fn turn(&self) -> Option<WarpTurn> {
        let leaf = self.table.selected()?;
        let position = *self.positions().get(self.reports.len())?;
        let active = leaf.threads.0[position];
        Some(WarpTurn { warp: self.mapping[position], active, address: leaf.address })
    }

    /// Takes the report of the warp whose turn it is; `request.mask` names threads of that warp.
    pub fn report(&mut self, request: &Request, rules: &Configuration, events: &mut Events) -> Report {
        let positions = self.positions();
        self.reports.push((positions[self.reports.len()], *request));
        if self.reports.len() < positions.len() {
            return Report::Collected;
        }
        let reports = std::mem::take(&mut self.reports);
        let names = |(_, request): &&(usize, Request)| request.mask != 0;
        let lead = reports.iter().find(names).unwrap_or(&reports[0]).1;
        let by_register = matches!(lead.operation, Operation::Indirect | Operation::Leave);
        let (mut mask, mut along, mut again) = (GroupSet::default(), 0, lead.again);
        for (position, request) in &reports {
            if by_register && request.mask != 0 && request.target != lead.target {
                again = true;
                continue;
            }
            again |= request.again;
            mask |= GroupSet::at(*position, request.mask);
            along |= 1 << self.mapping[*position];
        }
        let outcome = self.table.execute_on(mask, &Request { warp: 0, again, ..lead }, rules, events);
        self.store();
        Report::Changed(outcome, along)
    }

    /// Puts every node's threads into the mask table, frees what no node names, and notes the indices.
    fn store(&mut self) {
        let nodes: Vec<(usize, GroupSet)> = self.table.nodes().map(|(number, node)| (number, node.threads)).collect();
        let last = nodes.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        self.indices = vec![vec![0; self.mapping.len()]; last];
        for position in 0..self.mapping.len() {
            let warp = self.mapping[position];
            let masks: Vec<Mask> = nodes.iter().map(|(_, set)| set.0[position]).collect();
            self.masks.keep(warp, &masks);
            for ((number, _), mask) in nodes.iter().zip(masks) {
                self.indices[*number][position] = self.masks.index(warp, mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::structure::Picture;
    use super::*;
    use crate::engine::Kind;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const RULES: fn() -> Configuration = Configuration::default;

    fn request(operation: Operation, kind: Option<Kind>, mask: Mask, target: u32) -> Request {
        Request { warp: 0, operation, kind, mask, target, targeted: true, again: false }
    }

    /// Lets every warp of the selected leaf report what `of` says of it.
    fn all(group: &mut Group, of: impl Fn(WarpTurn) -> Request) -> (Outcome, u64) {
        while let Some(turn) = group.turn() {
            if let Report::Changed(outcome, along) = group.report(&of(turn), &RULES(), &mut Events::default()) {
                return (outcome, along);
            }
        }
        panic!("no leaf is selected");
    }

    /// TD-10: a leaf is issued for each of its warps, and the node changes with the last; a branch that parts warps, but none of them,
    /// stores no new mask.
    #[test]
    fn td_10_a_leaf_is_issued_warp_by_warp() {
        let mut group = Group::launch(&[3, 0, 2], &[0xff, 0xff, 0x0f], 10);
        let turns: Vec<WarpTurn> = std::iter::from_fn(|| {
            let turn = group.turn()?;
            let taken = if turn.warp == 0 { 0xff } else { 0 };
            let report = request(Operation::Branch, None, taken, 50);
            (group.report(&report, &RULES(), &mut Events::default()) == Report::Collected).then_some(turn)
        })
        .collect();
        assert_eq!(turns.iter().map(|turn| (turn.warp, turn.active)).collect::<Vec<_>>(), [(3, 0xff), (0, 0xff)]);
        // Warp 0 jumped; its mask and those of the others are what they were.
        assert_eq!(group.turn(), Some(WarpTurn { warp: 0, active: 0xff, address: 50 }));
        assert_eq!([0, 2, 3].map(|warp| group.masks().used(warp)), [2, 2, 2]);
    }

    /// TD-10: warps whose registers lead elsewhere meet the instruction again.
    #[test]
    fn td_10_targets_from_registers_may_differ() {
        let mut group = Group::launch(&[0, 1, 2], &[0xf, 0xf, 0xf], 10);
        let target = |turn: WarpTurn| request(Operation::Indirect, None, 0xf, if turn.warp == 1 { 90 } else { 80 });
        assert_eq!(all(&mut group, target), (Outcome::Running, 0b101));
        assert_eq!(group.turn(), Some(WarpTurn { warp: 0, active: 0xf, address: 80 }));
        all(&mut group, |_| request(Operation::Step, None, 0xf, 0));
        assert_eq!(group.turn(), Some(WarpTurn { warp: 1, active: 0xf, address: 10 }));
    }

    /// TD-10, TD-02, TD-05: under random instructions the indices always give the tree's threads, equal masks are stored once, and a
    /// mask that no node has takes no place.
    #[test]
    fn td_10_masks_are_stored_once() {
        for seed in 0..40 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut group = Group::launch(&[1, 0, 2, 5, 4, 7, 6, 3], &[0xffff_ffff; 8], 10);
            for _ in 0..300 {
                let operation =
                    [Operation::Branch, Operation::Leave, Operation::Push, Operation::Yield, Operation::Step];
                let operation = operation[random.random_range(0..5)];
                let target = random.random_range(0..6);
                let masks: [Mask; 8] =
                    std::array::from_fn(|_| [0, 0xffff_ffff, 0x00ff_000f, 0x3c3c_0000][random.random_range(0..4)]);
                let exits = random.random_range(0..40) == 0;
                let of = |turn: WarpTurn| match exits {
                    true => request(Operation::Exit, None, masks[turn.warp] & 0x8000_0001, 0),
                    false => request(operation, Some(Kind::Sync), masks[turn.warp] & turn.active, target),
                };
                if all(&mut group, of).0 != Outcome::Running {
                    break;
                }
                Picture::from(group.table()).check().unwrap_or_else(|breach| panic!("seed {seed}: {breach}"));
                for (number, node) in group.table().nodes() {
                    assert_eq!(group.threads(number), node.threads, "seed {seed}, node {number}");
                }
                for warp in 0..8 {
                    let row = &group.masks().rows[warp];
                    let mut stored: Vec<Mask> = row.iter().flatten().copied().collect();
                    stored.sort_unstable();
                    assert!(
                        stored.windows(2).all(|pair| pair[0] != pair[1]),
                        "seed {seed}: {stored:x?} of warp {warp}"
                    );
                    let named = |index: usize| group.indices.iter().any(|node| node.contains(&index));
                    assert!((1..row.len()).all(|index| row[index].is_none() || named(index)), "seed {seed}");
                }
            }
        }
    }
}
