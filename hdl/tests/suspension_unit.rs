//! Suspensions at the ports of a control core: what leaves, in which words, who issues meanwhile, where it comes back; and the save area by itself
//! (SM-05, CX-01, CX-05, CX-07, CX-09).

use crate::control_core::bench::{Bench, Word, ALL};
use heddle_hdl::clocked::Clocked;
use heddle_hdl::core::block_saver::Failure;
use heddle_hdl::core::save_area::{
    BARRIERS_AT, GROUP_AT, HEADER_PLACE_AT, HEADER_REASONS_AT, HEADER_TOKENS_AT, PLACE_BITS,
};
use heddle_hdl::core::save_port::SavePort;
use heddle_hdl::isa::ControlOpcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};

/// Where the save areas of these tests begin.
const BASE: u128 = 0x100;

/// A core whose save areas and local memory lie in memories that answer in the next cycle, beside an allocator that has room or not.
struct Core {
    bench: Bench,
    words: HashMap<u128, u128>,
    asked: Option<u128>,
    /// The memory of save areas takes something in every fifth cycle only.
    slow: bool,
    /// What it has not taken yet: whether it is written, where, what.
    waits: Option<[u128; 3]>,
    /// In this cycle another grid is offered.
    grid_at: Option<u64>,
    /// Local memory has room.
    room: bool,
    /// Suspensions that are over: cycle, failure, end of the area, slot.
    over: Vec<(u64, u128, u128, u128)>,
    /// Warps that came back: warp, slot, place, threads.
    back: Vec<[u128; 4]>,
    /// Groups that the allocator was asked for, and the answer that it owes.
    asked_for: Vec<u128>,
    answer: Option<u128>,
    /// Words that were copied: from, to; and a read that was asked for.
    copied: Vec<(u128, u128)>,
    read: Option<u128>,
    acknowledge: bool,
    /// Groups whose memory was given back, with its first word.
    freed: Vec<(u128, u128)>,
    /// Looks at any warp in about half of all cycles.
    observer: Option<ChaCha8Rng>,
}

impl Core {
    fn new(program: &[Word], blocks: u128, threads: u128) -> Self {
        Self::with_local_memory(program, blocks, threads, 0)
    }

    /// So many blocks of a warp, each in the middle of a region for good: eight threads branch at its end for ever, the others wait for their turn.
    fn in_a_region(blocks: u128) -> Self {
        let program = [
            Word::address(ControlOpcode::Ssy, 4),
            Word::branch(3).guarded(1),
            Word::branch(2),
            Word::branch(3),
            Word::control(ControlOpcode::Exit),
        ];
        let mut core = Self::new(&program, blocks, 32);
        core.bench.predicates[1] = 0xff;
        core.run(150);
        core
    }

    /// Any grid, with so many words of local memory a thread.
    fn with_local_memory(program: &[Word], blocks: u128, threads: u128, words: u128) -> Self {
        let mut bench = Bench::new(("control_core_suspending", "4x32x32"), program);
        for port in ["save_request_ready", "allocate_ready", "free_ready", "copy_read_ready", "copy_write_ready"] {
            bench.set(port, 1);
        }
        bench.set("local_words", words);
        bench.grid([blocks, 1, 1], threads);
        Core {
            bench,
            words: HashMap::new(),
            asked: None,
            slow: false,
            waits: None,
            grid_at: None,
            room: true,
            over: Vec::new(),
            back: Vec::new(),
            asked_for: Vec::new(),
            answer: None,
            copied: Vec::new(),
            read: None,
            acknowledge: false,
            freed: Vec::new(),
            observer: None,
        }
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    fn cycle(&mut self) {
        let answer = self.asked.take().map(|address| self.words.get(&address).copied().unwrap_or(0));
        self.bench.set("save_response_valid", answer.is_some().into());
        self.bench.set("save_response_data", answer.unwrap_or(0));
        if let Some(random) = &mut self.observer {
            self.bench.set("observe_valid", random.random_bool(0.5).into());
            self.bench.set("observe_warp", random.random_range(0..4));
            self.bench.set("observe_kind", random.random_range(0..10));
        }
        self.local_memory();
        self.bench.set("grid_valid", (self.grid_at == Some(self.bench.cycle)).into());
        self.save_area();
        if self.bench.get("suspend_done") == 1 {
            let [failure, end, slot] =
                ["suspend_failure", "suspend_end", "suspend_held"].map(|port| self.bench.get(port));
            self.over.push((self.bench.cycle, failure, end, slot));
        }
        if self.bench.get("resume_valid") == 1 {
            self.back.push(
                ["launch_warp", "launch_slot", "launch_place", "launch_threads"].map(|port| self.bench.get(port)),
            );
        }
        self.bench.run(1);
    }

    /// The memory of save areas; what it does not take has to wait for it as it is.
    fn save_area(&mut self) {
        let ready = !self.slow || self.bench.cycle.is_multiple_of(5);
        self.bench.set("save_request_ready", ready.into());
        let asked = (self.bench.get("save_request_valid") == 1).then(|| {
            ["save_request_write", "save_request_address", "save_request_data"].map(|port| self.bench.get(port))
        });
        if let Some(waits) = self.waits.take() {
            assert_eq!(asked, Some(waits), "cycle {}", self.bench.cycle);
        }
        match asked {
            Some(_) if !ready => self.waits = asked,
            Some([1, address, data]) => drop(self.words.insert(address, data)),
            Some([_, address, _]) => self.asked = Some(address),
            None => {}
        }
    }

    /// The allocator, whose buffers begin a thousand words apart, and the memories; the words themselves are of no interest here.
    fn local_memory(&mut self) {
        let (answer, read) = (self.answer.take(), self.read.take());
        for (port, value) in [
            ("allocated_valid", answer.is_some().into()),
            ("allocated_failed", (!self.room).into()),
            ("allocated_pointer", answer.unwrap_or(0) * 1000),
            ("copy_data_valid", read.is_some().into()),
            ("copy_data", read.unwrap_or(0)),
        ] {
            self.bench.set(port, value);
        }
        if self.bench.get("allocate_valid") == 1 {
            self.asked_for.push(self.bench.get("allocate_group"));
            self.answer = Some(self.asked_for.len() as u128);
        }
        self.read = (self.bench.get("copy_read_valid") == 1).then(|| self.bench.get("copy_read_address"));
        let writes = self.bench.get("copy_write_valid");
        if writes == 1 {
            // What is copied is the address that it comes from.
            self.copied.push((self.bench.get("copy_write_data"), self.bench.get("copy_write_address")));
        }
        self.bench.set("copy_acknowledge_valid", u128::from(self.acknowledge));
        self.acknowledge = writes == 1;
        if self.bench.get("free_valid") == 1 {
            self.freed.push((self.bench.get("free_group"), self.bench.get("free_pointer")));
        }
        assert_eq!(self.bench.get("bind_error"), 0);
    }

    /// Asks for something, for as many cycles as the core takes to begin it, and waits until it is over.
    fn ask(&mut self, inputs: &[(&str, u128)]) -> (u64, u128, u128, u128) {
        for (port, value) in inputs {
            self.bench.set(port, *value);
        }
        self.bench.set("suspend_valid", 1);
        while self.bench.get("suspend_ready") == 0 {
            self.cycle();
        }
        self.cycle();
        self.bench.set("suspend_valid", 0);
        let before = self.over.len();
        for _ in 0..500 {
            if self.over.len() > before {
                return self.over[before];
            }
            self.cycle();
        }
        panic!("it does not end");
    }

    fn leave(&mut self, slot: u128) -> (u64, u128, u128, u128) {
        self.leave_to(slot, BASE)
    }

    fn leave_to(&mut self, slot: u128, area: u128) -> (u64, u128, u128, u128) {
        self.ask(&[("suspend_resumes", 0), ("suspend_slot", slot), ("suspend_address", area), ("suspend_patience", 1)])
    }

    fn come_back(&mut self, end: u128, warps: u128) -> (u64, u128, u128, u128) {
        self.ask(&[("suspend_resumes", 1), ("suspend_address", end), ("suspend_warps", warps)])
    }

    /// Warps that have issued since a cycle.
    fn issued_since(&self, cycle: u64) -> Vec<u128> {
        let mut warps: Vec<u128> =
            self.bench.issues.iter().filter(|issue| issue.0 >= cycle).map(|issue| issue.1).collect();
        warps.sort_unstable();
        warps.dedup();
        warps
    }
}

/// CX-09: of two blocks that branch for ever one leaves in four words, the other one issues all the while, except when it looks; it comes back where it may.
#[test]
fn cx_09_a_block_leaves_and_comes_back() {
    let mut core = Core::new(&[Word::branch(0)], 2, 32);
    core.run(150);
    assert_eq!(core.issued_since(140), [0, 1]);
    let asked = core.bench.cycle;
    let (cycle, failure, end, slot) = core.leave(1);
    assert_eq!((failure, end, slot), (Failure::None as u128, BASE + 4, 1));
    let others = core.bench.issues.iter().filter(|issue| issue.0 > asked && issue.0 <= cycle);
    let issued: Vec<u128> = others.map(|issue| issue.1).collect();
    // Nine looks, a Withdraw, and the cycle in which the engine carries it out.
    assert!(issued.len() as u64 + 11 >= cycle - asked, "{} in {} cycles", issued.len(), cycle - asked);
    assert_eq!(core.asked_for, []);
    let words: Vec<u128> = (0..4).map(|word| core.words[&(BASE + word)]).collect();
    let block = 1 | 1 << PLACE_BITS;
    assert_eq!(words[0], ALL);
    assert_eq!(words[1] >> HEADER_PLACE_AT, 0, "its first place, no reason, no token, not parked");
    assert_eq!((words[2], words[3]), ((BASE + 2) << BARRIERS_AT, block), "block 1 of the grid has one warp");
    core.run(5);
    assert_eq!(core.issued_since(cycle + 1), [0]);
    assert_eq!((core.bench.get("warp_occupied"), core.bench.get("slot_taken")), (0b0001, 0b0001));
    let (cycle, failure, _, slot) = core.come_back(end, 0b1000);
    assert_eq!((failure, slot), (0, 3));
    assert_eq!(core.back, [[3, 3, 0, ALL]]);
    core.run(20);
    assert_eq!(core.issued_since(cycle), [0, 3]);
}

/// CX-09: a warp that is in the middle of a region leaves with its tokens and reasons, and all of its threads arrive where they would have.
#[test]
fn cx_09_tokens_and_reasons() {
    let mut core = Core::in_a_region(1);
    let at = core.bench.issues.last().map(|issue| (issue.2, issue.3)).expect("it runs");
    let (_, failure, end, _) = core.leave(0);
    assert_eq!(failure, 0);
    // Two tokens: the region's, and the other side of the branch; its threads are disabled for that.
    assert_eq!(end, BASE + 2 + 1 + 2 + 2);
    let header = core.words[&(BASE + 4)];
    assert_eq!((header >> HEADER_TOKENS_AT, header >> HEADER_REASONS_AT & 0xf), (2, 1));
    assert_eq!(core.words[&(BASE + 3)], ALL);
    core.come_back(end, 0b1110);
    core.run(40);
    assert_eq!(core.back, [[1, 1, 0, ALL]]);
    assert_eq!(core.bench.issues.last().map(|issue| (issue.1, issue.2, issue.3)), Some((1, at.0, at.1)));
    assert_eq!(core.bench.observe(1, 2).2, ALL & !at.1, "the others wait for their turn");
}

/// CX-09: whenever another grid is launched while a block leaves, what leaves is the same, and each word waits unchanged until a slow memory takes it.
#[test]
fn cx_09_a_launch_changes_nothing() {
    let saved = |delay: Option<u64>| {
        let mut core = Core::in_a_region(1);
        core.slow = true;
        core.grid_at = delay.map(|delay| core.bench.cycle + delay);
        let (cycle, failure, end, slot) = core.leave(0);
        assert_eq!((failure, slot), (0, 0), "{delay:?}");
        let launched = core.bench.launches.last().expect("a block was launched").cycle;
        ((BASE..end).map(|address| core.words[&address]).collect::<Vec<_>>(), cycle, launched)
    };
    let (alone, cycle, first) = saved(None);
    assert_eq!(alone.len(), 2 + 1 + 2 + 2);
    let last: Vec<u64> = (0..70)
        .map(|delay| saved(Some(delay)))
        .map(|(words, _, launched)| {
            assert_eq!(words, alone);
            launched
        })
        .collect();
    assert!(
        last.iter().any(|launched| launched.abs_diff(cycle) < 2),
        "some are launched as the block's own words are written: {last:?}"
    );
    assert!(last.contains(&first), "and some are too late to meet it: {last:?}");
}

/// CX-09: while an observer looks at other warps, and at other reasons, what leaves is the same, word for word; under one that never looks away nothing leaves.
#[test]
fn cx_09_an_observer_changes_nothing() {
    let saved = |seed: Option<u64>| {
        let mut core = Core::in_a_region(2);
        core.observer = seed.map(ChaCha8Rng::seed_from_u64);
        let (_, failure, end, slot) = core.leave(0);
        assert_eq!((failure, slot), (0, 0), "seed {seed:?}");
        (BASE..end).map(|address| core.words[&address]).collect::<Vec<_>>()
    };
    let alone = saved(None);
    assert_eq!(alone.len(), 2 + 1 + 2 + 2);
    for seed in 0..50 {
        assert_eq!(saved(Some(seed)), alone, "seed {seed}");
    }
    let mut core = Core::in_a_region(2);
    core.bench.set("observe_valid", 1);
    core.bench.set("suspend_valid", 1);
    core.run(300);
    assert_eq!((core.over.len(), core.words.len()), (0, 0));
    core.bench.set("observe_valid", 0);
    core.bench.set("suspend_valid", 0);
    core.run(60);
    assert_eq!((core.over.len(), core.over[0].1), (1, 0));
}

/// CX-05: without room for local memory nothing happens; neither does it of a slot without a block.
#[test]
fn cx_05_what_fails_leaves_no_trace() {
    let mut core = Core::with_local_memory(&[Word::branch(0)], 1, 64, 1);
    core.room = false;
    core.run(150);
    let (cycle, failure, end, _) = core.leave(0);
    assert_eq!((failure, end), (Failure::Memory as u128, BASE));
    assert_eq!((core.asked_for.len(), core.copied.len()), (1, 0), "after a failure nothing more is asked for");
    core.run(10);
    assert_eq!(core.issued_since(cycle), [0, 1]);
    assert_eq!(core.leave(2).1, Failure::Ended as u128);
    assert!(core.words.is_empty());
    core.room = true;
    let (cycle, failure, end, _) = core.leave(0);
    assert_eq!((failure, end), (0, BASE + 6));
    assert_eq!((core.asked_for.len(), core.copied.len()), (3, 64));
    core.run(10);
    assert_eq!(core.issued_since(cycle), []);
    assert_eq!(core.come_back(end, 0b1100).3, 2);
    core.run(60);
    assert_eq!(
        core.back.iter().map(|back| (back[0], back[2])).collect::<Vec<_>>(),
        [(2, 1), (3, 0)],
        "the last place first"
    );
    assert_eq!(core.issued_since(cycle), [2, 3]);
}

/// CX-01, CX-07: a block that left and came back on other warps is not copied again, its handles lie in its save area, and each buffer is given back when its
/// warp ends, those of warps that were never saved not at all.
#[test]
fn cx_07_local_memory_goes_along() {
    let program = [Word::branch(0).guarded(1), Word::control(ControlOpcode::Exit)];
    let mut core = Core::with_local_memory(&program, 2, 32, 2);
    core.bench.predicates[1] = ALL;
    core.run(150);
    let (_, failure, end, _) = core.leave(1);
    assert_eq!((failure, end), (0, BASE + 4));
    assert_eq!(core.asked_for, [1], "the second warp has the second handle");
    let copies: Vec<_> = (0..64).map(|word| (64 + word, 1000 + word)).collect();
    assert_eq!(core.copied, copies, "from the second warp's words");
    assert_eq!(core.words[&BASE], ALL | 1 << GROUP_AT);
    core.come_back(end, 0b1000);
    core.run(40);
    let (_, failure, end, _) = core.leave(3);
    assert_eq!((failure, core.copied.len(), core.words[&BASE]), (0, 64, ALL | 1 << GROUP_AT));
    core.come_back(end, 0b0100);
    core.bench.predicates[1] = 0;
    core.run(60);
    assert_eq!(core.bench.finishes.len(), 2);
    assert_eq!(core.freed, [(1, 1000)]);
    assert_eq!(core.bench.get("local_freeing"), 0);
}

/// CX-01: of 16 rows those of 12 blocks away and of a core full of warps. With another block away none is taken from the grid, until one has come back.
#[test]
fn cx_01_a_block_waits_for_a_row() {
    let mut core = Core::with_local_memory(&[Word::branch(0)], 40, 32, 1);
    core.run(150);
    let mut areas = Vec::new();
    for away in 0..13 {
        assert_eq!((core.bench.launches.len(), core.bench.get("warp_occupied")), (4 + away, 0b1111));
        let (_, failure, end, _) = core.leave_to(0, 0x100 * (1 + away as u128));
        assert_eq!(failure, 0);
        areas.push(end);
        core.run(40);
    }
    assert_eq!((core.bench.launches.len(), core.bench.get("warp_occupied")), (16, 0b1110));
    assert_eq!(core.bench.get("block_waiting"), 1);
    core.come_back(areas[5], 0b0001);
    core.leave_to(2, 0x100 * 6);
    assert_eq!(core.bench.launches.len(), 17, "the one that came back");
    core.run(40);
    assert_eq!((core.bench.launches.len(), core.bench.get("block_waiting")), (17, 1));
}

/// CX-01, CX-04: an access of the lanes is answered in the next cycle, of a warp that came back in global memory; one beyond its words is an error.
#[test]
fn cx_04_accesses_follow_their_warp() {
    let mut core = Core::with_local_memory(&[Word::branch(0)], 2, 32, 2);
    core.run(150);
    let access = |core: &mut Core, warp: u128, word: u128| {
        for (port, value) in [("access_valid", 1), ("access_warp", warp), ("access_thread", 5), ("access_word", word)] {
            core.bench.set(port, value);
        }
        assert_eq!(core.bench.get("access_ready"), 1);
        core.cycle();
        core.bench.set("access_valid", 0);
        let ports = ["location_valid", "location_group", "location_global", "location_address"];
        let [valid, group, global, address] = ports.map(|port| core.bench.get(port));
        core.bench.set("complete_valid", valid);
        core.bench.set("complete_group", group);
        core.cycle();
        core.bench.set("complete_valid", 0);
        (valid == 1).then_some((group, global, address))
    };
    assert_eq!(access(&mut core, 1, 1), Some((1, 0, 64 + 32 + 5)));
    let (_, _, end, _) = core.leave(1);
    assert_eq!(access(&mut core, 1, 1), None, "it is away");
    core.come_back(end, 0b1000);
    assert_eq!(access(&mut core, 3, 1), Some((1, 1, 1000 + 32 + 5)));
    assert_eq!(access(&mut core, 0, 0), Some((0, 0, 5)));
    for (port, value) in [("access_valid", 1), ("access_warp", 3), ("access_thread", 7), ("access_word", 2)] {
        core.bench.set(port, value);
    }
    core.cycle();
    let ports = ["valid", "bound", "group", "warp", "thread", "word"].map(|port| format!("access_error_{port}"));
    let error: Vec<u128> = ports.iter().map(|port| core.bench.get(port)).collect();
    assert_eq!(error, [1, 1, 1, 3, 7, 2]);
}

/// CX-09: the save area is a stack, and can be read upwards, whatever the memory's time.
#[test]
fn cx_09_the_save_area_is_a_stack() {
    let mut port = Clocked::new(SavePort::default());
    let [reset, load_valid, load_address, push_valid, push_ready, push_data, pop_valid, pop_ready, pop_data, upward, pointer] =
        [
            "reset",
            "load_valid",
            "load_address",
            "push_valid",
            "push_ready",
            "push_data",
            "pop_valid",
            "pop_ready",
            "pop_data",
            "upward",
            "pointer",
        ]
        .map(|name| port.port(name));
    let [valid, ready, write, address, data, answer, answer_ready, answer_data] = [
        "memory_request_valid",
        "memory_request_ready",
        "memory_request_write",
        "memory_request_address",
        "memory_request_data",
        "memory_response_valid",
        "memory_response_ready",
        "memory_response_data",
    ]
    .map(|name| port.port(name));
    port.set(reset, 1);
    port.tick();
    port.set(reset, 0);
    port.set(load_address, 1000);
    port.set(load_valid, 1);
    port.tick();
    port.set(load_valid, 0);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut memory, mut asked): (HashMap<u128, u128>, VecDeque<u128>) = (HashMap::new(), VecDeque::new());
    let (mut stack, mut place, mut popped) = (Vec::new(), 0_usize, 0);
    // What is being done until it is done: a push, a pop, a word read upwards.
    let mut doing = None;
    for _ in 0..20_000 {
        let task = *doing.get_or_insert_with(|| match random.random_range(0..3) {
            0 => (0, random.random::<u64>()),
            1 if place > 0 => (1, 0),
            2 if place < stack.len() => (2, 0),
            _ => (0, random.random()),
        });
        port.set(push_valid, (task.0 == 0).into());
        port.set(push_data, task.1.into());
        port.set(pop_valid, (task.0 != 0).into());
        port.set(upward, (task.0 == 2).into());
        port.set(ready, random.random_bool(0.7).into());
        let gives = !asked.is_empty() && random.random_bool(0.5);
        port.set(answer, gives.into());
        port.set(answer_data, asked.front().map_or(0, |address| memory[address]));
        assert_eq!(port.get(pointer), 1000 + place as u128);
        if port.get(push_ready) == 1 {
            stack.truncate(place);
            stack.push(u128::from(task.1));
            place += 1;
            doing = None;
        }
        if port.get(pop_ready) == 1 {
            let word = port.get(pop_data);
            place -= usize::from(task.0 == 1);
            assert_eq!(word, stack[place]);
            place += usize::from(task.0 == 2);
            popped += 1;
            doing = None;
        }
        let gone = gives && port.get(answer_ready) == 1;
        let request = (port.get(valid) == 1 && port.get(ready) == 1).then(|| port.get(address));
        if gone {
            asked.pop_front();
        }
        match request {
            Some(address) if port.get(write) == 1 => drop(memory.insert(address, port.get(data))),
            Some(address) => asked.push_back(address),
            None => {}
        }
        assert!(asked.len() <= 1, "one read at a time");
        port.tick();
    }
    assert!(popped > 1000 && !stack.is_empty());
}
