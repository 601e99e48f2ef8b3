//! The core's context unit by itself: warps that come, go, leave and come back at random, with lanes, an allocator and two memories around it, against a
//! plain record of what each warp has written (CX-01 to CX-08, CX-11).

use heddle_hdl::clocked::Clocked;
use heddle_hdl::core::local_memory_unit::LocalMemoryUnit;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

const WARPS: usize = 4;
const THREADS: u128 = 4;
const GROUPS: usize = 8;
/// Words of a thread; no power of two.
const WORDS: u128 = 3;

type Unit = LocalMemoryUnit<WARPS, 2, 3, 2, GROUPS, 3, 4, 18>;
/// What a warp has written: thread and word.
type Contents = HashMap<(u128, u128), u128>;

/// The unit with everything around it that answers by itself: allocator and memories.
struct Bench {
    unit: Clocked<Unit>,
    random: ChaCha8Rng,
    /// Each port that may be slow is ready, or answers, in this share of the cycles.
    pace: f64,
    /// The allocator has room.
    room: bool,
    hardware: HashMap<u128, u128>,
    global: HashMap<u128, u128>,
    /// Buffers that are out, and where the next one begins.
    out: BTreeSet<u128>,
    next: u128,
    answers: VecDeque<Option<u128>>,
    reads: VecDeque<u128>,
    writes: VecDeque<()>,
    copied: u32,
    cycle: u64,
}

impl Bench {
    fn new(seed: u64, pace: f64, words: u128) -> Self {
        let mut bench = Self {
            unit: Clocked::new(Unit::default()),
            random: ChaCha8Rng::seed_from_u64(seed),
            pace,
            room: true,
            hardware: HashMap::new(),
            global: HashMap::new(),
            out: BTreeSet::new(),
            next: 0x1000,
            answers: VecDeque::new(),
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            copied: 0,
            cycle: 0,
        };
        bench.set("local_words", words);
        bench.set("reset", 1);
        bench.unit.tick();
        bench.set("reset", 0);
        // The counts of accesses are cleared.
        for _ in 0..GROUPS {
            bench.unit.tick();
        }
        bench
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.unit.port(port);
        self.unit.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.unit.port(port);
        self.unit.get(port)
    }

    fn flag(&mut self, port: &str) -> bool {
        self.get(port) == 1
    }

    fn now(&mut self) -> bool {
        self.random.random_bool(self.pace)
    }

    /// Inputs of allocator and memories for this cycle.
    fn drive(&mut self) {
        for port in ["allocate_ready", "free_ready", "copy_read_ready", "copy_write_ready"] {
            let ready = self.now();
            self.set(port, ready.into());
        }
        let answer = self.answers.front().copied().filter(|_| self.random.random_bool(self.pace));
        self.set("allocated_valid", answer.is_some().into());
        self.set("allocated_failed", (answer == Some(None)).into());
        self.set("allocated_pointer", answer.flatten().unwrap_or(0));
        let word = self.reads.front().copied().filter(|_| self.random.random_bool(self.pace));
        self.set("copy_data_valid", word.is_some().into());
        self.set("copy_data", word.unwrap_or(0));
        let acknowledge = !self.writes.is_empty() && self.now();
        self.set("copy_acknowledge_valid", acknowledge.into());
        if acknowledge {
            self.writes.pop_front();
        }
    }

    /// The edge, with what allocator and memories are asked at it.
    fn tick(&mut self) {
        assert!(!self.flag("bind_error"), "cycle {}: a bind is refused", self.cycle);
        if self.flag("allocated_valid") && self.flag("allocated_ready") {
            self.answers.pop_front();
        }
        if self.flag("allocate_valid") && self.flag("allocate_ready") {
            assert_eq!(self.get("allocate_words"), WORDS * THREADS);
            let pointer = self.room.then_some(self.next);
            self.answers.push_back(pointer);
            if let Some(pointer) = pointer {
                self.out.insert(pointer);
                self.next += 0x40;
            }
        }
        if self.flag("free_valid") && self.flag("free_ready") {
            let pointer = self.get("free_pointer");
            assert!(self.out.remove(&pointer), "{pointer:#x} is given back and was not out");
        }
        if self.flag("copy_data_valid") && self.flag("copy_data_ready") {
            self.reads.pop_front();
        }
        if self.flag("copy_read_valid") && self.flag("copy_read_ready") {
            let address = self.get("copy_read_address");
            assert!(address < WARPS as u128 * WORDS * THREADS);
            self.reads.push_back(self.hardware.get(&address).copied().unwrap_or(0));
        }
        if self.flag("copy_write_valid") && self.flag("copy_write_ready") {
            let (address, word) = (self.get("copy_write_address"), self.get("copy_write_data"));
            self.global.insert(address, word);
            self.writes.push_back(());
            self.copied += 1;
        }
        self.unit.tick();
        self.cycle += 1;
    }

    /// A cycle in which the lanes and the core do nothing.
    fn pass(&mut self) {
        self.drive();
        self.tick();
    }

    fn strobe(&mut self, port: &str, warp: &str, number: usize) {
        self.set(port, 1);
        self.set(warp, number as u128);
        self.pass();
        self.set(port, 0);
    }

    /// A warp is launched, anew or with a handle, and bound.
    fn launch(&mut self, warp: usize, group: Option<u128>) {
        self.set("launch_resumes", group.is_some().into());
        self.set("launch_group", group.unwrap_or(5));
        self.strobe("launch_valid", "launch_warp", warp);
        while self.get("unbound") >> warp & 1 == 1 {
            self.pass();
        }
    }

    /// Saves warps: whether that failed, and in how many cycles it was over.
    fn save(&mut self, warps: u128) -> (bool, u64) {
        self.set("save_valid", 1);
        self.set("save_warps", warps);
        let begun = self.cycle;
        loop {
            self.drive();
            let (done, failed) = (self.flag("save_done"), self.flag("save_failed"));
            self.tick();
            if done {
                self.set("save_valid", 0);
                return (failed, self.cycle - 1 - begun);
            }
            assert!(self.cycle - begun < 10_000, "the save never ends");
        }
    }

    /// A warp leaves; its handle.
    fn leave(&mut self, warp: usize) -> u128 {
        self.set("leave_warp", warp as u128);
        let group = self.get("leave_group");
        self.strobe("leave_valid", "leave_warp", warp);
        group
    }

    /// Where a word of a warp is: in global memory, and which.
    fn locate(&mut self, warp: usize, thread: u128, word: u128) -> (bool, u128) {
        for (port, value) in
            [("access_valid", 1), ("access_warp", warp as u128), ("access_thread", thread), ("access_word", word)]
        {
            self.set(port, value);
        }
        assert!(self.flag("access_ready"));
        self.pass();
        self.set("access_valid", 0);
        assert!(self.flag("location_valid"), "{} {}", self.get("access_error_valid"), self.get("access_error_bound"));
        let place = (self.flag("location_global"), self.get("location_address"));
        let group = self.get("location_group");
        self.set("complete_valid", 1);
        self.set("complete_group", group);
        self.pass();
        self.set("complete_valid", 0);
        place
    }
}

/// An access that is on its way.
struct Access {
    warp: usize,
    at: (u128, u128),
    /// What it writes; it reads otherwise.
    value: Option<u128>,
    /// Group, and where it goes, once that is known.
    place: Option<(u128, bool, u128)>,
}

/// What the warps do: a plain record of them.
#[derive(Default)]
struct Core {
    resident: BTreeMap<usize, Contents>,
    /// Warps whose block was taken and that are not launched yet.
    promised: usize,
    /// Saved and about to leave.
    leaving: Vec<usize>,
    /// Being saved.
    saving: Vec<usize>,
    away: Vec<(u128, Contents)>,
    accesses: VecDeque<Access>,
}

impl Core {
    /// Warps that run: neither on their way nor unbound.
    fn active(&self, unbound: u128) -> Vec<usize> {
        let stopped = |warp: &usize| self.saving.contains(warp) || self.leaving.contains(warp);
        self.resident.keys().copied().filter(|warp| unbound >> warp & 1 == 0 && !stopped(warp)).collect()
    }
}

/// What there was to meet.
const MET: [&str; 7] =
    ["launches", "ends", "saves", "failed saves", "returns", "accesses re-mapped", "no room for a block"];

/// Random traffic for so many cycles; what was met.
fn traffic(seed: u64, cycles: u64) -> [u64; MET.len()] {
    let mut met = [0; MET.len()];
    let mut bench = Bench::new(seed, if seed.is_multiple_of(2) { 1.0 } else { 0.5 }, WORDS);
    let mut core = Core::default();
    for step in 0..cycles {
        // In the last part everything ends.
        let ending = step + cycles / 4 > cycles;
        bench.room = step / 64 % 4 != 0;
        for port in ["launch_valid", "finish_valid", "leave_valid", "access_valid", "complete_valid"] {
            bench.set(port, 0);
        }
        bench.drive();
        let mut unbound = bench.get("unbound");
        let quiet = |core: &Core, warp: &usize| core.accesses.iter().all(|access| access.warp != *warp);

        // A block is taken, and its warps are launched later; or a warp comes back.
        let full = core.resident.len() + core.promised;
        let room = bench.flag("room");
        met[6] += u64::from(!room);
        let vacant: Vec<usize> = (0..WARPS).filter(|warp| !core.resident.contains_key(warp)).collect();
        let draw = bench.random.random_range(0..8);
        if core.promised > 0 && draw < 4 {
            let warp = vacant[bench.random.random_range(0..vacant.len())];
            bench.set("launch_valid", 1);
            bench.set("launch_warp", warp as u128);
            bench.set("launch_resumes", 0);
            core.resident.insert(warp, Contents::new());
            unbound |= 1 << warp;
            core.promised -= 1;
            met[0] += 1;
        } else if full < WARPS && !core.away.is_empty() && (draw == 4 || ending) {
            let (group, contents) = core.away.swap_remove(bench.random.random_range(0..core.away.len()));
            let warp = vacant[bench.random.random_range(0..vacant.len())];
            bench.set("launch_valid", 1);
            bench.set("launch_warp", warp as u128);
            bench.set("launch_resumes", 1);
            bench.set("launch_group", group);
            core.resident.insert(warp, contents);
            unbound |= 1 << warp;
            met[4] += 1;
        } else if full < WARPS && room && draw == 5 && !ending {
            core.promised += bench.random.random_range(1..=WARPS - full);
        }

        // A warp ends.
        let idle: Vec<usize> = core.active(unbound).into_iter().filter(|warp| quiet(&core, warp)).collect();
        if let Some(&warp) = idle.first().filter(|_| bench.random.random_bool(if ending { 0.3 } else { 0.05 })) {
            bench.set("finish_valid", 1);
            bench.set("finish_warp", warp as u128);
            core.resident.remove(&warp);
            met[1] += 1;
        }

        // Some are saved, and leave one after the other.
        // (The group of one that is re-mapped already is not waited for; the core does that.)
        let quiet_now = core.leaving.first().copied().filter(|warp| quiet(&core, warp));
        if let Some(warp) = quiet_now.filter(|_| bench.random.random_bool(0.5)) {
            bench.set("leave_warp", warp as u128);
            bench.set("leave_valid", 1);
            let group = bench.get("leave_group");
            assert!(core.away.iter().all(|(other, _)| *other != group), "two groups with handle {group}");
            core.leaving.remove(0);
            let contents = core.resident.remove(&warp).expect("it was here");
            core.away.push((group, contents));
        } else if core.saving.is_empty() && core.leaving.is_empty() && bench.random.random_bool(0.05) && !ending {
            core.saving = core.active(unbound).into_iter().filter(|_| bench.random.random_bool(0.5)).collect();
        }
        let saved = core.saving.iter().fold(0, |mask, warp| mask | 1 << warp);
        bench.set("save_valid", (saved != 0).into());
        bench.set("save_warps", saved);
        if saved != 0 && bench.flag("save_done") {
            let saving = std::mem::take(&mut core.saving);
            let failed = bench.flag("save_failed");
            met[if failed { 3 } else { 2 }] += 1;
            if !failed {
                core.leaving = saving;
            }
        }

        // The lanes: the oldest access that was placed is carried out, and a new one begins.
        if let Some(access) = core.accesses.back_mut().filter(|access| access.place.is_none()) {
            assert!(bench.flag("location_valid"), "an access of warp {} has no place", access.warp);
            let (group, global) = (bench.get("location_group"), bench.flag("location_global"));
            met[5] += u64::from(global);
            access.place = Some((group, global, bench.get("location_address")));
        }
        if bench.random.random_bool(0.6) {
            if let Some(Access { warp, at, value, place: Some((group, global, address)) }) = core.accesses.pop_front() {
                let home = (warp as u128 * WORDS + at.1) * THREADS + at.0;
                assert!(global || address == home, "word {at:?} of warp {warp} at {address}");
                let memory = if global { &mut bench.global } else { &mut bench.hardware };
                let contents = core.resident.get_mut(&warp).expect("it waits for its access");
                match value {
                    Some(value) => {
                        memory.insert(address, value);
                        contents.insert(at, value);
                    }
                    None => {
                        let expected = contents.get(&at).copied();
                        assert!(
                            expected.is_none_or(|value| memory.get(&address) == Some(&value)),
                            "warp {warp}, {at:?}"
                        );
                    }
                }
                bench.set("complete_valid", 1);
                bench.set("complete_group", group);
            }
        }
        let able = core.active(unbound);
        if !able.is_empty() && !ending && bench.random.random_bool(0.5) {
            let warp = able[bench.random.random_range(0..able.len())];
            let at = (bench.random.random_range(0..THREADS), bench.random.random_range(0..WORDS));
            let value = bench.random.random_bool(0.5).then(|| bench.random.random::<u32>().into());
            bench.set("access_warp", warp as u128);
            bench.set("access_thread", at.0);
            bench.set("access_word", at.1);
            bench.set("access_valid", 1);
            if bench.flag("access_ready") {
                core.accesses.push_back(Access { warp, at, value, place: None });
            }
        }
        bench.tick();
    }
    assert!(core.resident.is_empty() && core.away.is_empty(), "seed {seed}: it has not come to its end");
    for port in ["launch_valid", "finish_valid", "leave_valid", "access_valid", "complete_valid"] {
        bench.set(port, 0);
    }
    while bench.flag("local_freeing") {
        bench.pass();
    }
    assert_eq!(bench.out, BTreeSet::new(), "every buffer is given back");
    met
}

/// CX-01, CX-02, CX-03, CX-05, CX-07, CX-11: whatever comes, goes, leaves and returns, each warp reads what it wrote, no two have one handle, and every
/// buffer is given back once.
#[test]
fn cx_07_every_warp_keeps_its_memory() {
    let mut met = [0; MET.len()];
    for seed in 0..24 {
        for (sum, count) in met.iter_mut().zip(traffic(seed, 4_000)) {
            *sum += count;
        }
    }
    assert!(met.iter().all(|count| *count > 50), "{MET:?} {met:?}");
}

/// CX-07, CX-08: a save takes W words and the latencies, the second one of the same group copies nothing; a return goes where the words are.
#[test]
fn cx_08_a_save_takes_its_words_once() {
    let mut bench = Bench::new(1, 1.0, WORDS);
    bench.launch(2, None);
    assert_eq!(bench.locate(2, 3, 1), (false, (2 * WORDS + 1) * THREADS + 3));
    let words = (WORDS * THREADS) as u64;
    // Allocator, read and write answer in the next cycle.
    assert_eq!(bench.save(0b0100), (false, words + 3 + 5));
    let group = bench.leave(2);
    assert_eq!(bench.copied, words as u32);
    bench.launch(0, None);
    bench.launch(3, Some(group));
    assert_eq!(bench.locate(3, 3, 1), (true, 0x1000 + THREADS + 3));
    assert_eq!(bench.locate(0, 3, 1), (false, THREADS + 3));
    let (failed, cycles) = bench.save(0b1000);
    assert!(!failed && cycles <= 4, "{cycles} cycles");
    assert_eq!(bench.copied, words as u32);
}

/// CX-05: without room a save fails, and the warps run on where they were; with room again only what is missing is copied.
#[test]
fn cx_05_a_failed_save_leaves_no_trace() {
    let mut bench = Bench::new(2, 1.0, WORDS);
    bench.launch(0, None);
    bench.launch(1, None);
    assert!(!bench.save(0b0001).0);
    bench.room = false;
    assert!(bench.save(0b0011).0);
    assert!(bench.locate(0, 0, 0).0 && !bench.locate(1, 0, 0).0);
    bench.room = true;
    assert!(!bench.save(0b0011).0);
    assert_eq!(u128::from(bench.copied), 2 * WORDS * THREADS);
    for warp in [0, 1] {
        bench.strobe("finish_valid", "finish_warp", warp);
    }
    while bench.flag("local_freeing") {
        bench.pass();
    }
    assert_eq!(bench.out, BTreeSet::new());
}

/// CX-01: rows for resident and suspended groups: a block is refused while those away leave too few, and taken when one is back.
#[test]
fn cx_01_rows_for_resident_and_suspended() {
    let mut bench = Bench::new(3, 1.0, WORDS);
    let mut away = Vec::new();
    for _ in 0..=GROUPS - WARPS {
        assert!(bench.flag("room"));
        bench.launch(1, None);
        assert!(!bench.save(0b0010).0);
        away.push(bench.leave(1));
    }
    assert!(!bench.flag("room"), "a core full of warps would need {} rows", WARPS + away.len());
    bench.launch(0, away.pop());
    assert!(bench.flag("room"));
    bench.strobe("finish_valid", "finish_warp", 0);
    bench.pass();
    while bench.flag("local_freeing") {
        bench.pass();
    }
    assert!(bench.flag("room"));
}

/// CX-01: warps without local memory have no handle, and are saved at once.
#[test]
fn cx_01_nothing_without_local_memory() {
    let mut bench = Bench::new(4, 1.0, 0);
    for warp in 0..WARPS {
        bench.strobe("launch_valid", "launch_warp", warp);
        assert_eq!(bench.get("unbound"), 0);
    }
    assert_eq!(bench.save(0b1111), (false, 0));
    for _ in 0..2 * GROUPS {
        bench.leave(0);
        bench.strobe("launch_valid", "launch_warp", 0);
        assert!(bench.flag("room") && !bench.flag("allocate_valid"));
    }
    bench.strobe("finish_valid", "finish_warp", 3);
    assert!(!bench.flag("local_freeing"));
}
