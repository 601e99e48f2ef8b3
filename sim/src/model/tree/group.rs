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
    /// Where it stands.
    pub position: usize,
    /// The warp.
    pub warp: usize,
    /// Its threads.
    pub active: Mask,
    /// Next instruction, in instructions.
    pub address: u32,
}

/// What becomes of a warp's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// It goes where the others go; else it meets the instruction again.
    pub along: bool,
    /// Every warp of the leaf has reported: the tree takes the instruction ([`Group::execute`]).
    pub complete: bool,
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
    /// What the warps of the selected leaf have reported so far, with the position; the mask is of threads that are named and go along.
    reports: Vec<(usize, Request)>,
    /// Wake-ups of threads whose sleep is reported and not yet taken by the tree.
    later: Vec<(GroupSet, Request)>,
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
        let (table, masks) = (Table::launch(0, all, address, None), MaskTable::new(warps));
        let (mapping, indices, reports, later) = (mapping.to_vec(), Vec::new(), Vec::new(), Vec::new());
        let mut group = Self { table, mapping, masks, indices, reports, later };
        group.store();
        group
    }

    /// A group that follows another one ([`Group::follow`]): its leaves do not merge.
    pub fn follower(mapping: &[usize], active: &[Mask], address: u32) -> Self {
        let group = Self::launch(mapping, active, address);
        Self { table: group.table.apart(true), ..group }
    }

    /// Selects the leaf that other hardware selected, from the first of its warps that issues. Two leaves never share a thread, so one warp's
    /// threads name the leaf.
    ///
    /// # Errors
    /// If there is no such ready leaf, or a warp of another one has reported already.
    pub fn follow(&mut self, position: usize, active: Mask, address: u32) -> Result<(), String> {
        let threads = GroupSet::at(position, active);
        let leaf =
            self.table.turns().map(|number| self.table.node(number).threads).find(|set| *set & threads == threads);
        let leaf = leaf.filter(|_| active != 0).unwrap_or(threads);
        let selected = self.table.selected().map(|leaf| leaf.threads);
        if !self.reports.is_empty() && selected != Some(leaf) {
            return Err(format!("{threads:x?} issue while the warps of {selected:x?} report"));
        }
        self.table.follow(leaf, address)?;
        let turn = self.turn().map(|turn| (turn.position, turn.active));
        if turn != Some((position, active)) {
            return Err(format!("{active:x} of position {position} issue, the model has {turn:x?}"));
        }
        Ok(())
    }

    /// The masks.
    pub fn masks(&self) -> &MaskTable {
        &self.masks
    }

    /// The tree, with the threads of all positions side by side.
    pub fn table(&self) -> &Table<GroupSet> {
        &self.table
    }

    /// The warp at each position.
    pub fn mapping(&self) -> &[usize] {
        &self.mapping
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

    /// The warp whose turn it is: the first of the selected leaf that has not reported.
    pub fn turn(&self) -> Option<WarpTurn> {
        let leaf = self.table.selected()?;
        let reported = |position: usize| self.reports.iter().any(|(other, _)| *other == position);
        let position = (0..self.mapping.len()).find(|at| leaf.threads.0[*at] != 0 && !reported(*at))?;
        let active = leaf.threads.0[position];
        Some(WarpTurn { position, warp: self.mapping[position], active, address: leaf.address })
    }

    /// How many warps of the selected leaf have reported.
    pub fn reported(&self) -> usize {
        self.reports.len()
    }

    /// What the warp whose turn it is would find if it reported: whether it goes along. A target from a register may differ from that of the
    /// first warp that names somebody.
    pub fn goes_along(&self, request: &Request) -> bool {
        let by_register = matches!(request.operation, Operation::Indirect | Operation::Leave);
        let names = self.turn().is_some_and(|turn| turn.active & request.mask != 0);
        let lead = self.reports.iter().find(|(_, request)| request.mask != 0);
        !(by_register && names && lead.is_some_and(|(_, lead)| lead.target != request.target))
    }

    /// Takes the report of the warp whose turn it is; `request.mask` names threads of that warp. None if no warp is to report.
    pub fn report(&mut self, request: &Request) -> Option<Report> {
        let turn = self.turn()?;
        let along = self.goes_along(request);
        let mask = if along { request.mask & turn.active } else { 0 };
        self.reports.push((turn.position, Request { mask, again: request.again || !along, ..*request }));
        Some(Report { along, complete: self.turn().is_none() })
    }

    /// The instruction that the reports come to, once all warps of the leaf have reported: the threads that it names, and the rest of it.
    pub fn instruction(&self) -> Option<(GroupSet, Request)> {
        let first = self.reports.first().filter(|_| self.turn().is_none())?;
        let lead = self.reports.iter().find(|(_, request)| request.mask != 0).unwrap_or(first).1;
        let named = self.reports.iter().map(|(position, request)| GroupSet::at(*position, request.mask));
        let named = named.fold(GroupSet::default(), |set, part| set | part);
        let again = self.reports.iter().any(|(_, request)| request.again);
        Some((named, Request { warp: 0, again, ..lead }))
    }

    /// The tree takes the instruction that all warps of the leaf have reported.
    pub fn execute(&mut self, rules: &Configuration, events: &mut Events) -> Outcome {
        let Some((named, request)) = self.instruction() else { return Outcome::Running };
        self.reports.clear();
        let mut outcome = self.table.execute_on(named, &request, rules, events);
        for (named, request) in std::mem::take(&mut self.later) {
            if outcome == Outcome::Running {
                outcome = self.table.execute_on(named, &request, rules, events);
            }
        }
        self.store();
        outcome
    }

    /// Threads of a position that may be woken: they sleep from their report on.
    pub fn asleep(&self, position: usize) -> Mask {
        let woken = self.later.iter().fold(0, |mask, (set, _)| mask | set.0[position]);
        (self.table.asleep.0[position] | self.dozing(position)) & !woken
    }

    /// Threads of a position whose sleep is reported and not yet taken by the tree.
    fn dozing(&self, position: usize) -> Mask {
        let sleeps = |report: &&(usize, Request)| report.0 == position && report.1.operation == Operation::Sleep;
        self.reports.iter().filter(sleeps).fold(0, |mask, (_, request)| mask | request.mask)
    }

    /// Wake-ups that the tree meets right after the instruction that the warps are reporting.
    pub fn later(&self) -> &[(GroupSet, Request)] {
        &self.later
    }

    /// Sleeping threads of a position wake (SM-07), also while warps of the selected leaf are still to report. Gives them as a set of the
    /// tree; nothing if that meets them later ([`Group::later`]).
    pub fn wake(
        &mut self,
        position: usize,
        request: &Request,
        rules: &Configuration,
        events: &mut Events,
    ) -> Option<GroupSet> {
        let woken = GroupSet::at(position, request.mask & self.asleep(position));
        if woken.0[position] & self.dozing(position) != 0 {
            self.later.push((woken, *request));
            return None;
        }
        self.table.execute_on(woken, request, rules, events);
        self.store();
        Some(woken)
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
    fn all(group: &mut Group, of: impl Fn(WarpTurn) -> Request) -> (Outcome, Vec<bool>) {
        let mut along = Vec::new();
        while let Some(turn) = group.turn() {
            let report = group.report(&of(turn)).expect("a warp is to report");
            along.push(report.along);
            if report.complete {
                return (group.execute(&RULES(), &mut Events::default()), along);
            }
        }
        panic!("no leaf is selected");
    }

    /// TD-10: a leaf is issued for each of its warps, and the node changes with the last; a branch that parts warps, but none of them,
    /// stores no new mask.
    #[test]
    fn td_10_a_leaf_is_issued_warp_by_warp() {
        let mut group = Group::launch(&[3, 0, 2], &[0xff, 0xff, 0x0f], 10);
        let turns = std::cell::RefCell::new(Vec::new());
        all(&mut group, |turn| {
            turns.borrow_mut().push((turn.warp, turn.active));
            request(Operation::Branch, None, if turn.warp == 0 { 0xff } else { 0 }, 50)
        });
        assert_eq!(turns.into_inner(), [(3, 0xff), (0, 0xff), (2, 0x0f)]);
        // Warp 0 jumped; its mask and those of the others are what they were.
        assert_eq!(group.turn(), Some(WarpTurn { position: 1, warp: 0, active: 0xff, address: 50 }));
        assert_eq!([0, 2, 3].map(|warp| group.masks().used(warp)), [2, 2, 2]);
    }

    /// TD-10: warps whose registers lead elsewhere meet the instruction again.
    #[test]
    fn td_10_targets_from_registers_may_differ() {
        let mut group = Group::launch(&[0, 1, 2], &[0xf, 0xf, 0xf], 10);
        let target = |turn: WarpTurn| request(Operation::Indirect, None, 0xf, if turn.warp == 1 { 90 } else { 80 });
        assert_eq!(all(&mut group, target), (Outcome::Running, vec![true, false, true]));
        assert_eq!(group.turn(), Some(WarpTurn { position: 0, warp: 0, active: 0xf, address: 80 }));
        all(&mut group, |_| request(Operation::Step, None, 0xf, 0));
        assert_eq!(group.turn(), Some(WarpTurn { position: 1, warp: 1, active: 0xf, address: 10 }));
    }

    /// TD-10, SM-07: a thread may be woken from its report on, before the tree has taken its sleep.
    #[test]
    fn sm_07_threads_may_be_woken_from_their_report_on() {
        let mut group = Group::launch(&[0, 1], &[0xf, 0xf], 10);
        group.report(&request(Operation::Sleep, None, 0xf, 0));
        assert_eq!(group.asleep(0), 0xf);
        let wake = request(Operation::Wake, None, 0x3, 70);
        assert_eq!(group.wake(0, &wake, &RULES(), &mut Events::default()), None);
        assert_eq!((group.asleep(0), group.later().len()), (0xc, 1));
        group.report(&request(Operation::Sleep, None, 0, 0));
        assert_eq!(group.execute(&RULES(), &mut Events::default()), Outcome::Running);
        assert_eq!(group.turn(), Some(WarpTurn { position: 1, warp: 1, active: 0xf, address: 11 }));
        group.follow(0, 0x3, 70).expect("they run");
        assert_eq!(group.wake(0, &wake, &RULES(), &mut Events::default()), Some(GroupSet::default()));
        assert!(group.follow(0, 0x1, 70).is_err());
    }

    /// TD-10: a report names threads of the leaf only, whatever else its mask says.
    #[test]
    fn td_10_only_threads_of_the_leaf_are_named() {
        let mut group = Group::launch(&[0, 1], &[0x3, 0x3], 10);
        let target = |turn: WarpTurn| request(Operation::Indirect, None, 0xfc | turn.position as Mask, 80);
        assert_eq!(all(&mut group, target), (Outcome::Running, vec![true, true]));
        assert_eq!(group.turn(), Some(WarpTurn { position: 1, warp: 1, active: 0x1, address: 80 }));
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
