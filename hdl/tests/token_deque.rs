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
