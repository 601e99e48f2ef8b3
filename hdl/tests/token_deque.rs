//! The queue against the shortest possible model, a `VecDeque` for each warp, in the Rust simulation.

use heddle_hdl::divergence::token::{Kind, QueueOperation};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// A token as the ports show it.
type Token = (u8, u128, u128);

/// A spill memory that answers after a random number of cycles.
#[derive(Default)]
struct Memory {
    words: std::collections::HashMap<u128, u128>,
    answers: VecDeque<(u64, u128)>,
}

struct Bench {
    block: Box<dyn Simulation>,
    memory: Memory,
    cycle: u64,
    random: ChaCha8Rng,
}

impl Bench {
    fn new(point: &str, seed: u64, limit: u128) -> Self {
        let entry = points::find("token_deque", point).expect("the point is in the list");
        let mut bench = Bench {
            block: (entry.simulate)(),
            memory: Memory::default(),
            cycle: 0,
            random: ChaCha8Rng::seed_from_u64(seed),
        };
        bench.set("spill_limit", limit);
        bench.set("reset", 1);
        bench.tick();
        bench.set("reset", 0);
        bench
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    /// Drives the memory's side of this cycle: outputs may depend on it.
    fn drive(&mut self) {
        let ready = self.random.random_bool(0.7);
        self.set("memory_request_ready", ready.into());
        let due = self.memory.answers.front().is_some_and(|(cycle, _)| *cycle <= self.cycle);
        self.set("memory_response_valid", due.into());
        let word = if due { self.memory.answers[0].1 } else { 0 };
        self.set("memory_response_data", word);
    }

    fn tick(&mut self) {
        let ready = self.get("memory_request_ready") == 1;
        let due = self.get("memory_response_valid") == 1;
        if due && self.get("memory_response_ready") == 1 {
            self.memory.answers.pop_front();
        }
        if ready && self.get("memory_request_valid") == 1 {
            let address = self.get("memory_request_address");
            if self.get("memory_request_write") == 1 {
                let data = self.get("memory_request_data");
                self.memory.words.insert(address, data);
            } else {
                let latency = self.random.random_range(1..5);
                self.memory.answers.push_back((self.cycle + latency, self.memory.words[&address]));
            }
        }
        self.cycle += 1;
        self.block.tick();
    }

    /// Offers an operation until it is ready; gives (failed, found, merged, token).
    fn operate(&mut self, code: QueueOperation, warp: u128, token: Token) -> (bool, bool, bool, Token) {
        self.set("operation_valid", 1);
        self.set("operation_code", code as u128);
        self.set("operation_warp", warp);
        self.set("operation_kind", token.0.into());
        self.set("operation_mask", token.1);
        self.set("operation_address", token.2);
        for _ in 0..20_000 {
            self.drive();
            let ready = self.get("operation_ready") == 1;
            self.tick();
            if ready {
                self.set("operation_valid", 0);
                assert_eq!(self.get("response_valid"), 1);
                assert_eq!(self.get("response_warp"), warp);
                let token = (self.get("response_kind") as u8, self.get("response_mask"), self.get("response_address"));
                return (
                    self.get("response_failed") == 1,
                    self.get("response_found") == 1,
                    self.get("response_merged") == 1,
                    token,
                );
            }
        }
        panic!("{code:?} is never ready");
    }
}

fn run(point: &str, seed: u64, steps: usize, limit: u128) -> [u64; 6] {
    let entry = points::find("token_deque", point).unwrap();
    let warps = u128::from(entry.parameter("warps").unwrap());
    let mut bench = Bench::new(point, seed, limit);
    let mut queues: Vec<VecDeque<Token>> = vec![VecDeque::new(); warps as usize];
    let mut counts = [0_u64; 6];
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 1);
    let mut bias = 0.5;
    for step in 0..steps {
        if step % 100 == 0 {
            bias = random.random_range(0.2..0.8);
        }
        let warp = random.random_range(0..warps);
        let queue = &mut queues[warp as usize];
        let mask = u128::from(random.random::<u32>()) | 1;
        let address = random.random_range(0..4);
        let kind = random.random_range(1..8_u8);
        let back = |queue: &mut VecDeque<Token>| {
            let same = queue.iter_mut().find(|token| token.0 == Kind::Yield.code() && token.2 == address);
            match same {
                Some(token) => {
                    token.1 |= mask;
                    true
                }
                None => {
                    queue.push_back((Kind::Yield.code(), mask, address));
                    false
                }
            }
        };
        if random.random_bool(bias) {
            if random.random_bool(0.3) {
                let (failed, _, merged, _) = bench.operate(QueueOperation::PushBack, warp, (kind, mask, address));
                if !failed {
                    assert_eq!(merged, back(queue), "step {step}");
                    counts[0] += u64::from(merged);
                }
            } else {
                let (failed, ..) = bench.operate(QueueOperation::PushFront, warp, (kind, mask, address));
                if !failed {
                    queue.push_front((kind, mask, address));
                } else {
                    counts[1] += 1;
                }
            }
        } else {
            match random.random_range(0..10) {
                0..=5 => {
                    let (_, found, _, token) = bench.operate(QueueOperation::PopFront, warp, (0, 0, 0));
                    assert_eq!(found.then_some(token), queue.pop_front(), "step {step}");
                    counts[2] += u64::from(found);
                }
                6..=7 => {
                    let (failed, found, _, token) = bench.operate(QueueOperation::Yield, warp, (kind, mask, address));
                    if !failed {
                        back(queue);
                        assert_eq!(found.then_some(token), queue.pop_front(), "step {step}");
                    }
                    counts[3] += 1;
                }
                8 => {
                    let (_, found, _, token) = bench.operate(QueueOperation::Find, warp, (kind, 0, 0));
                    let expected = queue.iter().find(|token| token.0 == kind).copied();
                    assert_eq!(found.then_some(token), expected, "step {step}");
                    counts[4] += u64::from(found);
                }
                _ if random.random_bool(0.02) => {
                    bench.operate(QueueOperation::Clear, warp, (0, 0, 0));
                    queue.clear();
                }
                _ => {}
            }
        }
    }
    counts
}

/// DQ-08: whatever the depth, with recentering and spilling in between, pops equal those of an unbounded deque.
#[test]
fn pops_equal_an_unbounded_deque() {
    for (point, limit) in [("1x32x8", 40), ("4x32x16", 7), ("4x32x32", 100), ("1x32x8", 0), ("4x64x32", 5)] {
        for seed in 0..4 {
            let counts = run(point, seed, 4000, limit);
            println!("{point} seed {seed}: {counts:?}");
        }
    }
}

/// The first cycle after reset in which the queue takes operations.
fn swept(point: &str) -> Bench {
    let mut bench = Bench::new(point, 1, 100);
    while bench.get("sweep_enable") == 1 {
        bench.tick();
    }
    bench
}

/// Offers one operation in this cycle without waiting: was it taken?
fn offer(bench: &mut Bench, code: QueueOperation, warp: u128, kind: Kind, address: u128) -> bool {
    bench.set("operation_valid", 1);
    bench.set("operation_code", code as u128);
    bench.set("operation_warp", warp);
    bench.set("operation_kind", kind.code().into());
    bench.set("operation_mask", 1);
    bench.set("operation_address", address);
    let ready = bench.get("operation_ready") == 1;
    bench.tick();
    bench.set("operation_valid", 0);
    ready
}

/// DQ-06: push front, pop front, push back and YIELD take a cycle each, one a cycle, on one warp or on several in turn.
#[test]
fn one_operation_a_cycle() {
    let mut bench = swept("4x32x32");
    for address in 0..8 {
        assert!(offer(&mut bench, QueueOperation::PushFront, address % 4, Kind::Sync, address), "push {address}");
        assert_eq!(bench.get("response_valid"), 1);
    }
    for warp in 0..4 {
        assert!(offer(&mut bench, QueueOperation::Yield, warp, Kind::Yield, 100 + warp), "yield of {warp}");
        assert_eq!((bench.get("response_found"), bench.get("response_address")), (1, 4 + warp));
    }
    // The yield token is at the back now; popping goes on at one a cycle, over warps and within one.
    for (warp, address) in [(0, 0), (1, 1), (0, 100), (1, 101), (2, 2), (2, 102)] {
        assert!(offer(&mut bench, QueueOperation::PopFront, warp, Kind::Sync, 0));
        assert_eq!((bench.get("response_found"), bench.get("response_address")), (1, address));
    }
    assert!(offer(&mut bench, QueueOperation::PushBack, 0, Kind::Yield, 7), "a push back onto no yield token");
    assert!(offer(&mut bench, QueueOperation::PopFront, 0, Kind::Sync, 0), "and the pop right behind it");
    assert_eq!(bench.get("response_address"), 7);
}

/// DQ-06: a YIELD of an empty queue takes its one cycle as well, one a cycle over all warps: its token passes, and the queue stays as it was.
#[test]
fn a_yield_of_an_empty_queue_takes_one_cycle() {
    for (point, warps, middle) in [("1x32x8", 1, 4), ("4x32x16", 4, 8), ("4x64x32", 4, 16)] {
        let mut bench = swept(point);
        bench.set("operation_valid", 1);
        bench.set("operation_code", QueueOperation::Yield as u128);
        for turn in 0..3 * warps {
            let (warp, mask, address) = (turn % warps, 0x8000_0001 + turn, 0x3f_ff00 + turn);
            bench.set("operation_warp", warp);
            bench.set("operation_mask", mask);
            bench.set("operation_address", address);
            assert_eq!((bench.get("operation_ready"), bench.get("exception_valid")), (1, 0), "{point}, turn {turn}");
            assert_eq!((bench.get("token_entered"), bench.get("token_left")), (1, 1), "{point}, turn {turn}");
            assert_eq!(bench.get("token_entered_warp"), warp);
            bench.tick();
            let answer =
                ["valid", "code", "warp", "kind", "mask", "address"].map(|port| bench.get(&format!("response_{port}")));
            assert_eq!(answer, [1, QueueOperation::Yield as u128, warp, Kind::Yield.code().into(), mask, address]);
            let answer = ["found", "merged", "failed", "summary"].map(|port| bench.get(&format!("response_{port}")));
            assert_eq!(answer, [1, 0, 0, 0], "{point}, turn {turn}");
            assert_eq!((bench.get("queue_head"), bench.get("queue_tail")), (middle, middle), "DQ-05");
        }
        // Nothing is left behind: the next cycle's pop finds no token, a push back none to merge with, a find no yield token.
        let address = 0x3f_ff00 + 3 * warps - 1;
        assert!(offer(&mut bench, QueueOperation::PopFront, 0, Kind::Sync, 0));
        assert_eq!(bench.get("response_found"), 0);
        assert!(offer(&mut bench, QueueOperation::Find, 0, Kind::Yield, 0));
        assert_eq!(bench.get("response_found"), 0);
        assert!(offer(&mut bench, QueueOperation::PushBack, 0, Kind::Yield, address), "no search");
        assert_eq!(bench.get("response_merged"), 0);
        assert!(offer(&mut bench, QueueOperation::PopFront, 0, Kind::Sync, 0));
        assert_eq!((bench.get("response_found"), bench.get("response_address")), (1, address));
        // What is pushed behind a YIELD that passed is what the next YIELD takes.
        assert!(offer(&mut bench, QueueOperation::Yield, 0, Kind::Yield, 5));
        assert!(offer(&mut bench, QueueOperation::PushFront, 0, Kind::Call, 6));
        assert!(offer(&mut bench, QueueOperation::Yield, 0, Kind::Yield, 7));
        assert_eq!((bench.get("response_kind"), bench.get("response_address")), (Kind::Call.code().into(), 6));
        assert_eq!(bench.get("response_summary"), 0b1000, "its own token is behind");
    }
}

/// DQ-06: the push port takes a front push a cycle while another warp's search occupies the operation port.
#[test]
fn pushes_pass_a_search() {
    let mut bench = swept("4x32x32");
    assert!(offer(&mut bench, QueueOperation::PushFront, 0, Kind::Call, 1));
    for address in 0..6 {
        assert!(offer(&mut bench, QueueOperation::PushFront, 0, Kind::Sync, address));
    }
    bench.set("operation_valid", 1);
    bench.set("operation_code", QueueOperation::Find as u128);
    bench.set("operation_kind", Kind::Call.code().into());
    bench.set("push_valid", 1);
    bench.set("push_warp", 3);
    bench.set("push_kind", Kind::Break.code().into());
    let mut cycles = 1;
    while bench.get("operation_ready") == 0 {
        assert_eq!(bench.get("push_ready"), 1, "cycle {cycles}");
        bench.tick();
        cycles += 1;
    }
    assert_eq!(cycles, 8, "seven tokens are examined, one a cycle, the first a cycle after the search began");
}

/// DQ-07, CX-09: yield tokens of a saved warp come back at the push port, behind a reset before any operation; the first back push finds the one of its address (XV-12:
/// the reset clears the mark of a search that is complete).
#[test]
fn the_first_back_push_merges_with_what_came_back() {
    let mut bench = swept("1x32x8");
    for address in [5, 6] {
        bench.set("push_valid", 1);
        bench.set("push_kind", Kind::Yield.code().into());
        bench.set("push_mask", 1 << address);
        bench.set("push_address", address);
        assert_eq!(bench.get("push_ready"), 1);
        bench.tick();
    }
    bench.set("push_valid", 0);
    let yields = Kind::Yield.code();
    let (failed, _, merged, _) = bench.operate(QueueOperation::PushBack, 0, (yields, 1, 5));
    assert_eq!((failed, merged), (false, true));
    for token in [(yields, 1 << 6, 6), (yields, 1 << 5 | 1, 5)] {
        let (_, found, _, popped) = bench.operate(QueueOperation::PopFront, 0, (0, 0, 0));
        assert_eq!((found, popped), (true, token));
    }
}

/// DQ-05, DQ-10: an empty window lies at the mid point; recentering n tokens takes 2n cycles between the exception and the retry, and
/// leaves margins that differ by at most one.
#[test]
fn recentering_takes_two_cycles_a_token() {
    for depth_bits in [3, 5] {
        let depth = 1_u128 << depth_bits;
        let mut bench = swept(if depth_bits == 3 { "1x32x8" } else { "4x32x32" });
        assert_eq!((bench.get("queue_head"), bench.get("queue_tail")), (depth / 2, depth / 2));
        let tokens = depth / 2;
        for address in 0..tokens {
            assert!(offer(&mut bench, QueueOperation::PushFront, 0, Kind::Sync, address));
        }
        bench.set("operation_valid", 1);
        bench.set("operation_code", QueueOperation::PushFront as u128);
        assert_eq!((bench.get("operation_ready"), bench.get("exception_valid")), (0, 1));
        let mut cycles = 0;
        while bench.get("operation_ready") == 0 {
            bench.tick();
            cycles += 1;
        }
        assert_eq!(cycles, 2 * tokens + 1);
        let (head, tail) = (bench.get("queue_head"), bench.get("queue_tail"));
        assert_eq!((head - tail, depth - head), (tokens, tail), "even margins");
    }
}

/// DQ-10: "other warps keep operating where ports allow": while another warp's window is moved, which reads a token in one cycle and writes it in the
/// next, the push port is theirs in the cycles of reading.
#[test]
fn pushes_pass_a_recentering() {
    let mut bench = swept("4x32x32");
    for address in 0..16 {
        assert!(offer(&mut bench, QueueOperation::PushFront, 0, Kind::Sync, address));
    }
    bench.set("operation_valid", 1);
    bench.set("operation_warp", 0);
    bench.set("operation_code", QueueOperation::PushFront as u128);
    assert_eq!((bench.get("operation_ready"), bench.get("exception_valid")), (0, 1));
    bench.tick();
    let (mut pushed, mut cycles) = (0, 0);
    while bench.get("operation_ready") == 0 {
        bench.set("push_valid", 1);
        bench.set("push_warp", 1 + pushed % 3);
        bench.set("push_kind", Kind::Break.code().into());
        bench.set("push_mask", 1);
        bench.set("push_address", pushed);
        pushed += bench.get("push_ready");
        bench.tick();
        cycles += 1;
    }
    bench.set("push_valid", 0);
    bench.tick();
    bench.set("operation_valid", 0);
    assert_eq!((pushed, cycles), (16, 2 * 16), "one in every other cycle");
    for place in 0..pushed {
        let warp = 1 + place % 3;
        let last = (0..pushed).filter(|address| 1 + address % 3 == warp).nth_back(place as usize / 3);
        let (_, found, _, (_, _, address)) = bench.operate(QueueOperation::PopFront, warp, (0, 0, 0));
        assert_eq!((found, Some(address)), (true, last), "warp {warp}");
    }
}
