//! What is asked of a group: an instruction of the leaf that is selected, with what each warp makes of it; a wake-up of one warp's threads; a
//! launch.

use super::GroupShape;
use crate::lockstep::bench::Stimulus;
use crate::lockstep::divergence_unit::choice::{mask, operation_of};
use crate::lockstep::divergence_unit::stimulus::{address, named, operations, Code, Named, Operation, Target};
use crate::lockstep::tree_watch::{ancestors, Settings, PHASES};
use heddle_hdl::divergence::token::{Kind, Operation as UnitOperation};
use heddle_sim::engine::{Mask, Request};
use heddle_sim::model::tree::group::Group;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// One thing asked of a group. If none runs it is a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupOperation {
    /// What all warps have in common; of a wake-up, `warp` is the position.
    pub common: Operation,
    /// Which threads each position names, or is launched with.
    pub names: Vec<Named>,
    /// Positions whose registers lead elsewhere, a bit each.
    pub strays: u8,
    /// Where they lead.
    pub elsewhere: u32,
    /// Positions that are launched.
    pub positions: usize,
    /// A leave is for a region of the kind that stands so many nodes above the leaf, if any does.
    pub above: Option<u8>,
    /// A wake-up waits until a warp has reported, if one is to.
    pub late: bool,
}

/// The random episode of a seed.
pub fn random(shape: &GroupShape, seed: u64) -> Stimulus<Settings, GroupOperation> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let settings = Settings::random(&shape.sizes, shape.ring(), &mut random);
    let operations = operations(&shape.sizes, &PHASES, &mut random);
    let operations = operations.into_iter().flat_map(|common| {
        let operation = GroupOperation::of(common, shape, &mut random);
        match operation.common.code == Code::Leave && random.random_range(0..3) == 0 {
            true => operation.in_parts(shape, &mut random),
            false => vec![operation],
        }
    });
    let operations = operations.collect();
    Stimulus { settings, operations }
}

impl GroupOperation {
    /// What each warp makes of it: all the same, each its own, or all of its threads or none.
    fn of(common: Operation, shape: &GroupShape, random: &mut ChaCha8Rng) -> Self {
        let warps = shape.sizes.warps;
        let names = match random.random_range(0..4) {
            0 | 1 => vec![common.named; warps],
            2 => (0..warps).map(|_| named(common.code, random)).collect(),
            _ => (0..warps).map(|_| if random.random() { Named::All } else { Named::None }).collect(),
        };
        let by_register = matches!(common.code, Code::Indirect | Code::Leave);
        let strays = if by_register && random.random_range(0..3) == 0 { random.random() } else { 0 };
        let elsewhere = address(&shape.sizes, 4, random);
        let positions = if random.random() { warps } else { random.random_range(1..=warps) };
        let above = (common.code == Code::Leave && random.random_range(0..6) > 0)
            .then(|| *[0, 0, 0, 1, 1, 2, 3].choose(random).unwrap_or(&0));
        let late = random.random_range(0..4) > 0;
        Self { common, names, strays, elsewhere, positions, above, late }
    }

    /// A leave for the region right above the leaf, of which some threads of each warp go ahead of the others: the masks of both have to be united.
    fn in_parts(self, shape: &GroupShape, random: &mut ChaCha8Rng) -> Vec<Self> {
        let part = |names: Vec<Named>| Self { names, strays: 0, above: Some(0), ..self.clone() };
        let some = (0..shape.sizes.warps).map(|_| Named::Mask(random.random())).collect();
        vec![part(some), part(vec![Named::All; shape.sizes.warps])]
    }

    /// All that run exit.
    pub fn farewell(shape: &GroupShape) -> Self {
        let (named, target) = (Named::All, Target::Address(0));
        let common = Operation { code: Code::Exit, warp: 0, kind: 1, named, target, again: false, wait: 0 };
        let warps = shape.sizes.warps;
        let names = vec![named; warps];
        Self { common, names, strays: 0, elsewhere: 0, positions: warps, above: None, late: false }
    }

    /// Whether it is a wake-up.
    pub fn wakes(&self) -> bool {
        self.common.code == Code::Wake
    }

    /// The warp at each position of a launch, and its threads. Each warp stands at one position.
    pub fn launch(&self, shape: &GroupShape) -> Vec<(usize, Mask)> {
        let warps = shape.sizes.warps;
        let threads = |position: usize| match self.names[position] {
            Named::Mask(mask) => mask & shape.sizes.all_threads(),
            Named::None if self.common.again => 0,
            _ => shape.sizes.all_threads(),
        };
        // An odd stride reaches every warp: their number is a power of two.
        let stride = self.common.warp | 1;
        let warp = |position: usize| (position * stride + usize::from(self.late)) % warps;
        (0..self.positions).map(|position| (warp(position), threads(position))).collect()
    }

    /// Where a launch begins.
    pub fn address(&self, shape: &GroupShape) -> u32 {
        match self.common.target {
            Target::Address(address) => address & shape.sizes.last_address(),
            _ => 0,
        }
    }

    fn request(&self, operation: UnitOperation, shape: &GroupShape) -> Request {
        let target = self.address(shape);
        let kind = Kind::from_code(self.common.kind);
        Request { warp: 0, operation, kind, mask: 0, target, targeted: false, again: false }
    }

    /// The same report of any warp, whatever the leaf: none if it depends on them.
    pub fn blind(&self, shape: &GroupShape) -> Option<Request> {
        let mask = match self.common.named {
            Named::All => shape.sizes.all_threads(),
            Named::Mask(mask) => mask & shape.sizes.all_threads(),
            _ => return None,
        };
        let alike = self.names.iter().all(|named| *named == self.common.named);
        let addressed = matches!(self.common.target, Target::Address(_)) && self.strays == 0 && self.above.is_none();
        let operation = operation_of(self.common.code)?;
        let targeted = operation == UnitOperation::Leave;
        (alike && addressed).then(|| Request {
            mask,
            targeted,
            again: self.common.again,
            ..self.request(operation, shape)
        })
    }

    /// The report of the warp whose turn it is; none for a reset, or if there is no leaf.
    pub fn report(&self, group: &Group, shape: &GroupShape) -> Option<Request> {
        let operation = operation_of(self.common.code)?;
        let turn = group.turn()?;
        let leaf = group.table().selected()?;
        let request = self.request(operation, shape);
        let mask = mask(self.names[turn.position], turn.active) & shape.sizes.all_threads();
        let strays = self.strays >> turn.position & 1 == 1;
        if operation != UnitOperation::Leave {
            let target = if strays && operation == UnitOperation::Indirect { self.elsewhere } else { request.target };
            return Some(Request { mask, target, ..request });
        }
        let mut above = ancestors(group.table(), leaf).filter_map(|node| node.region);
        let kinds: Vec<Kind> = above.clone().map(|region| region.kind).collect();
        let chosen = self.above.and_then(|place| kinds.get(usize::from(place)).copied());
        let kind = chosen.or(request.kind);
        let region = above.find(|region| kind == Some(region.kind));
        let wanted = if chosen.is_some() { Target::Token } else { self.common.target };
        let targeted = match wanted {
            Target::Address(_) | Target::Token => true,
            Target::Absent => region.is_none(),
            Target::AbsentAtAnyRisk => false,
        };
        let target = match wanted {
            _ if strays => self.elsewhere,
            Target::Address(_) => request.target,
            _ => region.map_or(0, |region| region.resume),
        };
        Some(Request { mask, kind, target, targeted, again: self.common.again, ..request })
    }

    /// The wake-up of threads of its position, which the group need not have.
    pub fn wake(&self, group: &Group, shape: &GroupShape) -> (usize, Request) {
        let warps = shape.sizes.warps;
        let sleeps = |position: &usize| group.asleep(*position) != 0;
        let sleeper = (0..warps).map(|place| (self.common.warp + place) % warps).find(sleeps);
        let position = sleeper.filter(|_| self.late).unwrap_or(self.common.warp);
        let mask = mask(self.common.named, group.asleep(position)) & shape.sizes.all_threads();
        (position, Request { mask, ..self.request(UnitOperation::Wake, shape) })
    }
}

/// The wake-up of all of a group that is parked.
pub fn wake_parked(group: &Group, address: u32, shape: &GroupShape) -> Option<(usize, Request)> {
    let position = (0..group.mapping().len()).find(|position| group.asleep(*position) != 0)?;
    let request = Request { operation: UnitOperation::Wake, kind: Some(Kind::Sync), ..Request::nothing(0) };
    Some((position, Request { mask: shape.sizes.all_threads(), target: address, ..request }))
}
