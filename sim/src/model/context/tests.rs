//! The reference passes; each deliberate defect of a sequencer is found; small cases come out as one expects.

use super::allocator::BufferAllocator;
use super::pointer_table::{Access, AccessError, Bind, Location, PointerTable};
use super::ports::{Command, ContextPorts, Done, Inputs, Outputs, Shape, ShownRow, SHAPES};
use super::sequencer::Sequencer;
use super::traffic::{drive, Report};
use rstest::rstest;

const SHAPE: Shape = Shape { groups: 4, thread_bits: 2, engines: 1 };

/// CX-01, CX-03, CX-04: base or pointer + word x threads + thread; an access outside names the group.
#[test]
fn cx_04_where_accesses_go() {
    let mut table = PointerTable::new(4, 2);
    assert!(table.bind(&Bind { slot: 2, group: 1, fresh: Some((100, 3)) }));
    let access = Access { slot: 2, thread: 3, word: 2 };
    assert_eq!(table.locate(&access), Ok(Location { group: 1, global: false, address: 100 + 2 * 4 + 3 }));
    table.remap(1, 5000);
    assert_eq!(table.locate(&access), Ok(Location { group: 1, global: true, address: 5000 + 2 * 4 + 3 }));
    let outside = table.locate(&Access { word: 3, ..access });
    assert_eq!(outside, Err(AccessError { group: Some(1), slot: 2, thread: 3, word: 3 }));
    let nobody = table.locate(&Access { slot: 0, ..access });
    assert_eq!(nobody, Err(AccessError { group: None, slot: 0, thread: 3, word: 2 }));
    // Suspended, another group comes, and the first one goes on elsewhere.
    table.release(2);
    assert!(table.bind(&Bind { slot: 2, group: 0, fresh: Some((100, 6)) }));
    assert!(table.bind(&Bind { slot: 3, group: 1, fresh: None }));
    let elsewhere = table.locate(&Access { slot: 3, ..access });
    assert_eq!(elsewhere, Ok(Location { group: 1, global: true, address: 5011 }));
    assert_eq!(table.locate(&access), Ok(Location { group: 0, global: false, address: 111 }));
}

/// CX-01: a row is launched once, resumed only if it is suspended, and a slot holds one group.
#[test]
fn cx_01_what_cannot_be_bound() {
    let mut table = PointerTable::new(4, 2);
    let fresh = |slot, group| Bind { slot, group, fresh: Some((0, 1)) };
    let resume = |slot, group| Bind { slot, group, fresh: None };
    assert!(!table.bind(&resume(0, 0)));
    assert!(table.bind(&fresh(0, 0)));
    for bind in [fresh(1, 0), fresh(0, 1), resume(1, 0)] {
        assert!(!table.bind(&bind), "{bind:?}");
    }
    table.remap(0, 64);
    assert!(!table.bind(&resume(1, 0)), "it runs");
    table.release(0);
    assert!(table.bind(&resume(1, 0)));
    table.clear(0);
    assert_eq!((table.bound(1), table.row(0)), (None, None));
    assert!(table.bind(&fresh(1, 0)));
}

/// CX-05: blocks of a buddy allocator do not overlap, failure is an answer, and what comes back can go out again.
#[test]
fn cx_05_the_allocator() {
    let mut allocator = BufferAllocator::new(1000, 256);
    let blocks: Vec<u32> = [100, 30, 30].iter().map(|words| allocator.allocate(*words).expect("room")).collect();
    assert_eq!(blocks, [1000, 1128, 1160]);
    assert_eq!((allocator.allocate(65), allocator.allocate(64)), (None, Some(1192)));
    assert_eq!(allocator.free(1000), Ok(()));
    assert!(allocator.free(1000).expect_err("twice").contains("0x3e8"));
    assert_eq!(allocator.allocate(128), Some(1000));
}

/// A run by hand: ports always ready, memory of one cycle.
struct Bench {
    unit: Sequencer,
    allocator: BufferAllocator,
    answer: Option<Option<u32>>,
    data: Option<u32>,
    acknowledge: bool,
    writes: Vec<(u32, u32)>,
    freed: Vec<(usize, u32)>,
}

impl Bench {
    fn new(words: u32) -> Self {
        let mut unit = Sequencer::new(SHAPE);
        for group in 0..3 {
            let fresh = Some((100 * group as u32, 2));
            unit.settle(&Inputs { bind: Some(Bind { slot: group, group, fresh }), ..Inputs::default() });
            unit.tick();
        }
        let allocator = BufferAllocator::new(4096, words);
        Self { unit, allocator, answer: None, data: None, acknowledge: false, writes: vec![], freed: vec![] }
    }

    /// A command from its acceptance to its end, and the cycles that it took.
    fn run(&mut self, command: Command) -> (Done, u64) {
        let mut request = Some(command);
        for cycle in 0.. {
            let inputs = Inputs {
                request: request.take(),
                allocate_ready: true,
                allocated: self.answer.take(),
                free_ready: true,
                read_ready: true,
                data: self.data.take(),
                write_ready: true,
                acknowledge: std::mem::take(&mut self.acknowledge),
                ..Inputs::default()
            };
            let outputs = self.unit.settle(&inputs);
            self.unit.tick();
            self.answer = outputs.allocate.map(|(_, words)| self.allocator.allocate(words));
            self.data = outputs.read.map(|address| address + 7);
            self.acknowledge = outputs.write.is_some();
            self.writes.extend(outputs.write);
            if let Some((_, pointer)) = outputs.free {
                self.allocator.free(pointer).expect("it was given out");
            }
            self.freed.extend(outputs.free);
            if let Some(done) = outputs.done {
                return (done, cycle);
            }
            assert!(cycle < 1000, "{command:?} hangs");
        }
        unreachable!("the loop above ends")
    }
}

/// CX-02, CX-07, CX-08: a save copies each word once, a second one copies none; freeing gives the memory back.
#[test]
fn cx_07_a_second_save_copies_nothing() {
    let mut bench = Bench::new(64);
    let (done, cycles) = bench.run(Command::Save(0b010));
    assert_eq!(done, Done { failed: false, saved: 0b010, words: 8 });
    // W + allocator latency + memory latency + 6.
    assert!(cycles <= 8 + 1 + 2 + 6, "{cycles} cycles");
    let expected: Vec<_> = (0..8).map(|word| (4096 + word, 100 + word + 7)).collect();
    assert_eq!(bench.writes, expected);
    assert_eq!(bench.run(Command::Save(0b110)).0, Done { failed: false, saved: 0b110, words: 8 });
    assert_eq!(bench.run(Command::Save(0b110)).0, Done { failed: false, saved: 0b110, words: 0 });
    assert_eq!(bench.writes.len(), 16);
    bench.run(Command::Free(0b1111));
    assert_eq!(bench.freed, [(1, 4096), (2, 4104)]);
    assert_eq!(bench.allocator.blocks().count(), 0);
}

/// CX-05: when memory runs out, the groups saved before stay re-mapped, and nobody further is tried.
#[test]
fn cx_05_failure_leaves_the_rest_unharmed() {
    let mut bench = Bench::new(8);
    assert_eq!(bench.run(Command::Save(0b111)).0, Done { failed: true, saved: 0b001, words: 8 });
    assert_eq!(bench.writes.len(), 8);
    bench.run(Command::Free(0b001));
    assert_eq!(bench.run(Command::Save(0b010)).0, Done { failed: false, saved: 0b010, words: 8 });
}

/// CX-01, CX-02, CX-03, CX-04, CX-05, CX-06, CX-07, CX-11: the reference keeps the contract under random traffic, with one engine and
/// two, and every word is read as it was written, wherever it lies.
#[rstest]
fn cx_03_the_reference_keeps_the_contract(#[values(0, 1, 2, 3)] point: usize) {
    let (name, shape) = SHAPES[point];
    let mut sum = [0; 6];
    for seed in 0..24 {
        let report =
            drive(&mut Sequencer::new(shape), shape, seed, 20_000).unwrap_or_else(|failure| panic!("{failure}"));
        let Report { resumes, failures, second_saves, words, remapped, errors, .. } = report;
        sum =
            std::array::from_fn(|index| sum[index] + [resumes, failures, second_saves, words, remapped, errors][index]);
    }
    println!("{name}: resumes, failures, second saves, words, accesses in global memory, errors: {sum:?}");
    assert!(sum.iter().all(|count| *count > 20), "{name}: {sum:?}");
}

/// What is wrong with a sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// Copies a group that is re-mapped already.
    CopiesAgain,
    /// Accesses of groups that are being saved are taken.
    NeverStops,
    /// Copies before the group's accesses are carried out.
    NoDrain,
    /// Done before the last write is acknowledged.
    DoneEarly,
    /// One word is left out.
    ShortCopy,
    /// The pointer is one word off.
    WrongPointer,
    /// A word beyond the limit is let through.
    NoBounds,
    /// A failed allocation counts as success.
    FailureHidden,
    /// Freed groups keep their block.
    Leaks,
    /// A write that waits is replaced by the next.
    Restless,
    /// The pointer is there before the words are.
    EarlyPointer,
}

/// The reference with a defect at its ports.
struct Broken {
    unit: Sequencer,
    defect: Defect,
    shown: Outputs,
}

impl ContextPorts for Broken {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        let mut own = *inputs;
        if let Some(bind) = own.bind.as_mut() {
            if let (Defect::NoBounds | Defect::ShortCopy, Some((_, limit))) = (self.defect, bind.fresh.as_mut()) {
                *limit = if self.defect == Defect::NoBounds { *limit + 1 } else { limit.saturating_sub(1) };
            }
        }
        match self.defect {
            Defect::DoneEarly => own.acknowledge |= self.shown.write.is_some() && !inputs.acknowledge,
            Defect::FailureHidden if own.allocated == Some(None) => own.allocated = Some(Some(0)),
            Defect::WrongPointer => own.allocated = own.allocated.map(|answer| answer.map(|pointer| pointer + 1)),
            _ => {}
        }
        let mut outputs = self.unit.settle(&own);
        match self.defect {
            Defect::NeverStops => outputs.access_ready = true,
            Defect::Leaks => outputs.free = None,
            Defect::Restless => {
                outputs.write = outputs.write.map(|(address, data)| (address ^ u32::from(!inputs.write_ready), data))
            }
            Defect::EarlyPointer if outputs.read.is_some() => {
                outputs.row = outputs.row.map(|row| ShownRow { pointer: Some(0x4000), ..row })
            }
            Defect::CopiesAgain if outputs.done.is_some_and(|done| done.saved != 0) => outputs.read = Some(0),
            Defect::NoDrain if outputs.stopped != 0 && self.shown.stopped == 0 => outputs.read = Some(0),
            _ => {}
        }
        self.shown = outputs;
        outputs
    }
    fn tick(&mut self) {
        self.unit.tick();
    }
}

/// CX-02, CX-04, CX-05, CX-07, CX-11, XV-02: the traffic and the contract find every deliberate defect.
#[rstest]
fn cx_11_every_defect_is_found(
    #[values(
        Defect::CopiesAgain,
        Defect::NeverStops,
        Defect::NoDrain,
        Defect::DoneEarly,
        Defect::ShortCopy,
        Defect::WrongPointer,
        Defect::NoBounds,
        Defect::FailureHidden,
        Defect::Leaks,
        Defect::Restless,
        Defect::EarlyPointer
    )]
    defect: Defect,
) {
    let (_, shape) = SHAPES[1];
    let found = (0..12).find_map(|seed| {
        let unit = Sequencer::new(shape);
        let mut broken = Broken { unit, defect, shown: Outputs::default() };
        drive(&mut broken, shape, seed, 10_000).err()
    });
    println!("{defect:?}: {}", found.unwrap_or_else(|| panic!("{defect:?} was not found")));
}
