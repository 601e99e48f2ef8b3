//! Tree engines with one deliberate defect each: the oracle, the contract or a kernel has to find every one of them.

use crate::engine::{Configuration, Engine, Events, Fault, Fetch, Kind, Mask, Operation, Request};
use crate::model::tree::table::{Leaf, Table};
use crate::model::tree::TreeTable;

/// What is wrong with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeDefect {
    /// A leaf that comes to its region's resume address counts as arrived; leaving is a jump (TD-05).
    ArrivesByAddress,
    /// Threads wait at the outermost region of the kind (TD-06).
    OutermostLevel,
    /// The region's resume address is not compared (TD-05).
    NoAddressTest,
    /// A leaf that empties does not lower its parent's count (TD-05).
    ChildCountKept,
    /// Who arrives takes the place of those who had arrived (TD-05).
    ArrivedOverwritten,
    /// The side of a branch that does not keep the leaf gets no node (TD-02).
    SiblingLost,
    /// A deferred BRX goes on behind the instruction instead of at it (TD-02).
    IndirectGoesOn,
    /// Threads that a predicated call leaves behind are put inside the call's region (TD-02).
    CallTakesAll,
    /// Exited threads arrive at the region around them (TD-05).
    ExitedArrive,
    /// Threads of the other groups of a RET do not meet it again (DQ-29).
    AgainGoesOn,
    /// A detached set joins any parentless leaf, whatever its address (TD-04).
    MergesAnywhere,
    /// A leaf comes back from memory without its parent (TD-09).
    DeferredOrphaned,
    /// Deferred leaves are never exchanged with others (TD-09).
    NoExchange,
    /// YIELD keeps its threads in their leaf (TD-04).
    YieldStays,
    /// The newest leaf runs first (TD-04).
    NewestFirst,
}

impl TreeDefect {
    /// Those that change what threads do, so that random programs find them on a table without bounds.
    pub const WRONG: [TreeDefect; 11] = [
        TreeDefect::ArrivesByAddress,
        TreeDefect::OutermostLevel,
        TreeDefect::NoAddressTest,
        TreeDefect::ChildCountKept,
        TreeDefect::ArrivedOverwritten,
        TreeDefect::SiblingLost,
        TreeDefect::IndirectGoesOn,
        TreeDefect::CallTakesAll,
        TreeDefect::ExitedArrive,
        TreeDefect::AgainGoesOn,
        TreeDefect::MergesAnywhere,
    ];
}

/// The reference model with a defect.
pub struct BrokenTree {
    pub model: TreeTable,
    defect: TreeDefect,
    offered: Option<Request>,
}

impl BrokenTree {
    pub fn new(model: TreeTable, defect: TreeDefect) -> Self {
        Self { model, defect, offered: None }
    }

    /// Before the right way is gone: twists the instruction or the table.
    fn before(&mut self, request: &mut Request) {
        let Some(table) = self.model.warps[request.warp].as_mut() else { return };
        let Some(leaf) = table.selected().copied() else { return };
        let number = table.turns[0];
        let named = leaf.threads & request.mask;
        let whole = named == leaf.threads;
        let kind = request.kind.unwrap_or(Kind::Sync);
        let leaves = request.operation == Operation::Leave && named != 0;
        let nearest = table.nearest(&leaf, kind);
        let resume = |number: usize| table.node(number).region.map_or(0, |region| region.resume);
        let ends_there = |number: usize| !request.targeted || resume(number) == request.target;
        match self.defect {
            TreeDefect::ArrivesByAddress if leaves && nearest.is_some_and(ends_there) => {
                request.target = nearest.map_or(0, resume);
                request.operation = if request.again { Operation::Indirect } else { Operation::Branch };
            }
            TreeDefect::OutermostLevel if leaves => {
                let region = |number: &usize| table.node(*number).region.is_some_and(|region| region.kind == kind);
                let outermost = table.ancestors(&leaf).filter(region).last();
                let Some(outermost) = outermost.filter(|number| ends_there(*number)) else { return };
                table.node_mut(outermost).threads |= named;
                // Gone from here: what an EXIT does, without dying.
                table.live |= named;
                self.leave_quietly(request, named);
            }
            TreeDefect::NoAddressTest if leaves => request.target = nearest.map_or(request.target, resume),
            TreeDefect::ChildCountKept if whole && matches!(request.operation, Operation::Leave | Operation::Exit) => {
                if let Some(parent) = leaf.parent {
                    table.node_mut(parent).children += 1;
                }
            }
            TreeDefect::ArrivedOverwritten if leaves => {
                if let Some(region) = nearest.filter(|number| ends_there(*number)) {
                    table.node_mut(region).threads = 0;
                }
            }
            TreeDefect::ExitedArrive if request.operation == Operation::Exit => {
                if let Some(parent) = leaf.parent {
                    table.node_mut(parent).threads |= named;
                }
            }
            TreeDefect::AgainGoesOn => request.again = false,
            TreeDefect::MergesAnywhere if request.operation == Operation::Yield && named != 0 => {
                let roots = table.turns.iter().skip(1).copied();
                if let Some(root) = roots.into_iter().find(|number| table.node(*number).parent.is_none()) {
                    table.node_mut(root).threads |= named;
                    self.leave_quietly(request, named);
                }
            }
            TreeDefect::YieldStays if request.operation == Operation::Yield => request.operation = Operation::Step,
            TreeDefect::NoExchange => table.since_exchange = 0,
            TreeDefect::DeferredOrphaned => {
                if let Some(front) = table.deferred.front_mut() {
                    front.parent = None;
                }
            }
            TreeDefect::CallTakesAll if request.operation == Operation::Call && named != 0 && !whole => {
                let unnamed = leaf.threads & !named;
                let next = leaf.address.wrapping_add(1);
                table.node_mut(number).threads = named;
                let (warp, rules) = (request.warp, *self.model.configuration());
                let table = self.model.warps[warp].as_mut();
                if let Some(table) = table {
                    table.execute(request, &rules, &mut Events::default());
                    table.insert(Leaf { threads: unnamed, address: next, parent: Some(number) });
                    table.node_mut(number).children += 1;
                }
                // Done; what remains is an instruction that does nothing.
                (request.operation, request.mask) = (Operation::Wake, 0);
            }
            _ => {}
        }
    }

    /// The named threads leave the selected leaf, alive, and the instruction does no more than that.
    fn leave_quietly(&mut self, request: &mut Request, named: Mask) {
        request.operation = Operation::Sleep;
        request.mask = named;
    }

    /// After the right way.
    fn after(&mut self, request: &Request) {
        let defect = self.defect;
        let Some(table) = self.model.warps[request.warp].as_mut() else { return };
        table.asleep = 0;
        match defect {
            TreeDefect::ArrivesByAddress => arrive_by_address(table),
            TreeDefect::SiblingLost if request.operation == Operation::Branch && table.turns.len() > 1 => {
                if let Some(number) = table.turns.pop_back() {
                    let parent = table.node(number).parent;
                    table.nodes[number] = None;
                    let _ = table.lose_child(parent, &mut Events::default());
                }
            }
            TreeDefect::IndirectGoesOn if request.operation == Operation::Indirect && table.turns.len() > 1 => {
                let sibling = table.turns[table.turns.len() - 1];
                table.node_mut(sibling).address += 1;
            }
            TreeDefect::NewestFirst => table.turns.rotate_right(1),
            _ => {}
        }
    }
}

fn arrive_by_address(table: &mut Table) {
    loop {
        let arrived = table.turns.iter().copied().find_map(|number| {
            let leaf = table.node(number);
            let parent = leaf.parent?;
            let region = table.node(parent).region?;
            (region.resume == leaf.address).then_some((number, parent))
        });
        let Some((number, parent)) = arrived else { return };
        let threads = table.node(number).threads;
        table.nodes[number] = None;
        table.turns.retain(|other| *other != number);
        table.node_mut(parent).threads |= threads;
        let _ = table.lose_child(Some(parent), &mut Events::default());
    }
}

impl Engine for BrokenTree {
    fn name(&self) -> String {
        format!("{} with the defect {:?}", self.model.name(), self.defect)
    }
    fn configuration(&self) -> &Configuration {
        self.model.configuration()
    }
    fn launch(&mut self, warp: usize, threads: Mask, address: u32) {
        self.model.launch(warp, threads, address);
    }
    fn ready(&mut self) -> u64 {
        self.model.ready()
    }
    fn running(&mut self) -> u64 {
        self.model.running()
    }
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.model.fetch(warp)
    }
    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.model.disabled(warp, reason)
    }
    fn offer(&mut self, request: &Request) -> bool {
        self.offered = Some(*request);
        true
    }
    fn tick(&mut self) -> Events {
        let Some(mut request) = self.offered.take() else { return self.model.tick() };
        let address = self.model.fetch(request.warp).address;
        self.before(&mut request);
        self.model.offer(&request);
        let mut events = self.model.tick();
        self.after(&request);
        // What sleeps in the tricks above is nobody; a warp without a leaf has lost its threads.
        let lost = |table: &Table| table.selected().is_none() && table.deferred().next().is_none();
        if self.model.warp(request.warp).is_some_and(lost) {
            let cause = crate::engine::Cause::LostThread;
            events.faults.push(Fault { warp: request.warp, cause, address });
            self.model.warps[request.warp] = None;
        }
        events
    }
}
