//! The reference passes; each deliberate defect of a distributor is found; small grids come out as one expects.

use super::traffic::{drive, EVENTS};
use super::walker::Walker;
use crate::launch::{Grid, Inputs, Outputs, Shape, WorkDistributor};
use crate::rtl::elaborated::distributor_shapes;
use rstest::rstest;
use std::collections::BTreeMap;

const GRID: Grid = Grid { program: 0x1234, grid: 7, table: Some(100), range: [5, 1, 1], cluster: None, head: false };

/// The blocks of a grid as (x, y, z), set by set.
fn blocks(grid: Grid, memory: &dyn Fn(u32) -> u64, most: usize) -> Vec<Vec<(u16, u16, u16)>> {
    grid.sets(memory, most).map(|(_, set)| set.x.iter().map(|x| (*x, set.y, set.z)).collect()).collect()
}

/// WD-02, WD-05: x first, then y, then z; each row begins a word, and what pads it is ignored.
#[test]
fn wd_02_index_order_and_padded_rows() {
    let grid = Grid { range: [66, 2, 2], ..GRID };
    let addresses: Vec<u32> = grid.strips().map(|strip| strip.address).collect();
    assert_eq!(addresses, [100, 101, 102, 103, 104, 105, 106, 107]);
    // Only padding and the last index of a row are set.
    let memory = |address: u32| if address % 2 == 1 { !0 << 1 } else { 0 };
    let expected: Vec<_> = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(y, z)| vec![(65, y, z)]).into();
    assert_eq!(blocks(grid, &memory, 4), expected);
}

/// WD-04: sets of up to S, never over the end of a word or a row.
#[test]
fn wd_04_sets_end_with_their_word() {
    let grid = Grid { range: [67, 2, 1], table: None, ..GRID };
    let sizes: Vec<usize> = blocks(grid, &|_| 0, 4).iter().map(Vec::len).collect();
    let row = [vec![4; 16], vec![3]].concat();
    assert_eq!(sizes, [row.clone(), row].concat());
}

/// WD-03, WD-07: an empty range, whichever it is, and a clear table have no block.
#[rstest]
fn wd_03_nothing_to_launch(#[values([0, 3, 3], [3, 0, 3], [3, 3, 0], [3, 3, 3])] range: [u16; 3]) {
    for cluster in [None, Some([2, 2, 2]), Some([0, 0, 0])] {
        assert_eq!(Grid { range, cluster, ..GRID }.sets(&|_| 0, 4).count(), 0);
        let unpredicated = Grid { range, cluster, table: None, ..GRID };
        assert_eq!(
            unpredicated.sets(&|_| 0, 1).count(),
            range.iter().map(|size| usize::from(*size)).product::<usize>()
        );
    }
}

/// WD-10: five blocks in clusters of two are two, two and one; clusters come in index order, x fastest.
#[test]
fn wd_10_clusters_are_clipped() {
    let grid = Grid { cluster: Some([2, 1, 1]), table: None, ..GRID };
    let sets: Vec<_> = grid.sets(&|_| 0, 4).map(|(strip, set)| (strip.cluster, set.x)).collect();
    assert_eq!(sets, [(0, vec![0, 1]), (1, vec![2, 3]), (2, vec![4])]);
    let square = Grid { range: [3, 3, 1], cluster: Some([2, 2, 0]), ..grid };
    let order: Vec<_> = blocks(square, &|_| 0, 4).concat().into_iter().map(|(x, y, _)| (x, y)).collect();
    assert_eq!(order, [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2), (2, 2)]);
}

/// WD-01: ranges use all of their 16 bits.
#[test]
fn wd_01_the_largest_range() {
    let grid = Grid { range: [65535, 65535, 65535], cluster: Some([9, 0, 1]), ..GRID };
    assert_eq!(grid.strips().nth(65534).map(|strip| (strip.cluster, strip.y)), Some((0, 65534)));
    assert_eq!(Grid { cluster: None, ..grid }.strips().nth(1023).map(|strip| strip.mask), Some(u64::MAX >> 1));
}

/// WD-02, WD-03, WD-04, WD-05, WD-06, WD-07, WD-09, WD-10: the reference walker keeps the contract under random traffic.
#[rstest]
fn wd_07_the_walker_keeps_the_contract(#[values(0, 1, 2)] point: usize) {
    let (name, shape) = distributor_shapes()[point];
    let mut met = BTreeMap::new();
    for seed in 0..60 {
        let report = drive(&mut Walker::new(shape), shape, seed, 24).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(report.grids, 24);
        for (event, count) in report.met {
            *met.entry(event).or_insert(0) += count;
        }
    }
    // The walker takes every answer at once.
    for event in EVENTS.iter().filter(|event| **event != "answer waits") {
        assert!(met[event] > 0, "{name} never met: {event}");
    }
}

/// What is wrong with a distributor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// A block goes out twice.
    Repeats,
    /// A block is left out.
    Skips,
    /// The last block of a set is one too far.
    OffByOne,
    /// Padding counts as flags.
    Padding,
    /// The lowest ready core gets everything.
    LowestCore,
    /// A cluster follows whichever core is ready.
    ClusterWanders,
    /// A set that is not taken is replaced.
    Restless,
    /// A word is asked for twice.
    FetchesTwice,
    /// The grid is done one set too early.
    DoneEarly,
    /// A grid with nothing to launch is never done.
    NeverDone,
    /// Head insertions go to the tail.
    TailOnly,
    /// Cluster sizes that do not divide lose their rest.
    NotClipped,
}

/// The walker with a defect.
struct Broken {
    walker: Walker,
    defect: Defect,
    shape: Shape,
    random: u32,
    /// The grid whose range or order was falsified on its way in.
    repeat: Option<Outputs>,
    twice: Option<u32>,
    swallow: bool,
}

impl Broken {
    fn new(shape: Shape, defect: Defect) -> Self {
        let walker = Walker::new(shape);
        Self { walker, defect, shape, random: 1, repeat: None, twice: None, swallow: false }
    }
    fn sometimes(&mut self) -> bool {
        self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.random >> 28 == 0
    }
}

impl WorkDistributor for Broken {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        let mut own = inputs.clone();
        if let Some(grid) = own.request.as_mut() {
            match self.defect {
                Defect::TailOnly => grid.head = false,
                Defect::Padding => grid.range[0] = grid.range[0].next_multiple_of(64),
                Defect::NotClipped => {
                    let size = grid.cluster.map_or(0, |size| size[0]);
                    grid.range[0] -= grid.range[0].checked_rem(size).unwrap_or(0);
                }
                Defect::Skips if grid.range[0] > 1 => grid.range[0] -= 1,
                _ => {}
            }
        }
        let rare = self.sometimes();
        let mut outputs = self.walker.settle(&own);
        if let Some((set, core)) = outputs.set.as_mut() {
            match self.defect {
                Defect::OffByOne if rare => *set.x.last_mut().expect("a block") += 1,
                Defect::LowestCore if inputs.core_ready != 0 => *core = inputs.core_ready.trailing_zeros() as usize,
                Defect::ClusterWanders if rare => *core = (*core + 1) % self.shape.cores,
                Defect::Restless if rare => set.y ^= 1,
                _ => {}
            }
        }
        match self.defect {
            Defect::Repeats if rare => {
                if let Some(repeat) = &self.repeat {
                    outputs.set.clone_from(&repeat.set);
                    outputs.places = repeat.places;
                }
            }
            Defect::FetchesTwice if rare && outputs.fetch.is_none() => outputs.fetch = self.twice,
            Defect::DoneEarly if rare => outputs.done = outputs.set.as_ref().map(|(set, _)| set.grid),
            Defect::NeverDone if self.swallow => outputs.done = None,
            _ => {}
        }
        if outputs.set.is_some() {
            self.repeat = Some(outputs.clone());
        }
        self.swallow = outputs.set.is_none();
        self.twice = outputs.fetch.or(self.twice);
        outputs
    }
    fn tick(&mut self) {
        self.walker.tick();
    }
}

/// WD-02, WD-03, WD-04, WD-06, WD-07, WD-09, WD-10, XV-02: the traffic and the contract find every deliberate defect.
#[rstest]
fn wd_07_every_defect_is_found(
    #[values(
        Defect::Repeats,
        Defect::Skips,
        Defect::OffByOne,
        Defect::Padding,
        Defect::LowestCore,
        Defect::ClusterWanders,
        Defect::Restless,
        Defect::FetchesTwice,
        Defect::DoneEarly,
        Defect::NeverDone,
        Defect::TailOnly,
        Defect::NotClipped
    )]
    defect: Defect,
) {
    let (_, shape) = distributor_shapes()[1];
    let failure = (0..20).find_map(|seed| drive(&mut Broken::new(shape, defect), shape, seed, 24).err());
    let failure = failure.unwrap_or_else(|| panic!("{defect:?} was not found"));
    println!("{defect:?}: {failure}");
}
