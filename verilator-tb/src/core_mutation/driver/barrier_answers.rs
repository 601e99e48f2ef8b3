//! Asks about threads of any instruction, in one request or several, and answers each as a scheduler might: at most one thing of a thread, refused, or wrong.

use super::{Driver, Module, Mood, Traffic};
use heddle_hdl::core::barrier_queue::Origin;
use heddle_hdl::simulation::index_of;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// See the module's page.
pub const DRIVER: Driver = Driver {
    part: "barrier_answers",
    ports: &[
        ("accepted", ""),
        ("asked_origin", ""),
        ("asked_index", ""),
        ("asked_first", ""),
        ("asked_last", ""),
        ("asked_exit", ""),
        ("asked_up", ""),
        ("asked_down", ""),
        ("asked_threads", ""),
        ("asked_again", ""),
        ("asked_slot", ""),
        ("asked_active", ""),
        ("response_valid", ""),
        ("response_sleep", ""),
        ("response_skip", ""),
        ("response_wait", ""),
        ("response_refused", ""),
        ("response_error", ""),
        ("land_valid", ""),
        ("land_warp", "land_valid"),
        ("land_exit", "land_valid"),
        ("land_active", "land_valid"),
        ("land_sleep", "land_valid"),
        ("land_skip", "land_valid"),
        ("land_wait", "land_valid"),
        ("again_valid", ""),
        ("retire_valid", ""),
        ("ended_slot", "again_valid | retire_valid"),
        ("error_slot", "response_valid"),
    ],
    begin: |ports| {
        let width = |name: &str| ports[index_of(ports, name)].width;
        let (threads, block, index) = (width("asked_threads"), width("response_sleep"), width("asked_index"));
        let answers = Answers { mood: Mood::new(), threads, block, index, open: None, asked: None, told: 0, again: 0 };
        Box::new(answers)
    },
};

/// An instruction, a launch or an end that asks.
#[derive(Clone, Copy)]
struct Asking {
    origin: Origin,
    index: u64,
    slot: u64,
    exits: bool,
    active: u64,
}

/// What was asked at the last edge.
#[derive(Clone, Copy)]
struct Asked {
    origin: Origin,
    threads: u64,
    up: u64,
    down: u64,
}

/// An episode.
struct Answers {
    mood: Mood<7>,
    threads: usize,
    /// Threads of the scheduler's block.
    block: usize,
    index: usize,
    /// An instruction that has requests to come.
    open: Option<Asking>,
    asked: Option<Asked>,
    /// Threads of it that sleep or go on, and those that present again.
    told: u64,
    again: u64,
}

impl Traffic for Answers {
    fn cycle(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>) {
        let [answers, asks, several, refuses, fails, many, launches] = self.mood.draw(random);
        let wrongs = [refuses && random.random_ratio(1, 4), fails && random.random_ratio(1, 8)];
        self.answer(random, module, answers, wrongs);
        let bits = |random: &mut ChaCha8Rng, width: usize| random.random::<u64>() & (u64::MAX >> (64 - width));
        let few = |random: &mut ChaCha8Rng, of: u64| of & random.random::<u64>();
        let first = self.open.is_none();
        let asking = self.open.unwrap_or_else(|| {
            let others = if random.random() { Origin::Launch } else { Origin::End };
            let origin = if launches && random.random_ratio(1, 4) { others } else { Origin::Warp };
            let (index, slot) = (bits(random, self.index), bits(random, self.index));
            let active = if many { u64::MAX } else { random.random() } & (u64::MAX >> (64 - self.threads));
            Asking { origin, index, slot, exits: random.random(), active }
        });
        let last = asking.origin != Origin::Warp || !several;
        // The warp begins in the block, or the block in the warp.
        let (up, down) = match random.random() {
            true => (0, random.random_range(0..self.threads) as u64),
            false => (random.random_range(0..self.block) as u64, 0),
        };
        let threads = if many { asking.active } else { few(random, asking.active) };
        let again = few(random, asking.active) & random.random::<u64>();
        for (port, value) in [
            ("accepted", asks.into()),
            ("asked_origin", asking.origin as u64),
            ("asked_index", asking.index),
            ("asked_first", first.into()),
            ("asked_last", last.into()),
            ("asked_exit", asking.exits.into()),
            ("asked_up", up),
            ("asked_down", down),
            ("asked_threads", threads),
            ("asked_again", again),
            ("asked_slot", asking.slot),
            ("asked_active", asking.active),
        ] {
            module.set(port, value);
        }
        self.asked = asks.then_some(Asked { origin: asking.origin, threads, up, down });
        if asks {
            if first {
                (self.told, self.again) = (0, again);
            }
            self.open = (!last).then_some(asking);
        }
    }
}

impl Answers {
    /// Answers what was asked at the last edge, or says nothing that counts.
    fn answer(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>, answers: bool, [refuses, fails]: [bool; 2]) {
        let asked = self.asked.filter(|_| answers);
        // What is not valid, wrong, or about no threads, may be anything.
        let counts = asked.filter(|asked| asked.origin == Origin::Warp && !fails);
        let refused = refuses && counts.is_none_or(|asked| asked.threads & self.told == 0);
        let all = u64::MAX >> (64 - self.block);
        let any: [u64; 3] = std::array::from_fn(|_| random.random::<u64>() & all);
        let [sleep, skip, wait] = match counts {
            None => any,
            Some(asked) if refused => {
                self.again |= asked.threads;
                [0, 0, any[2]]
            }
            Some(asked) => self.said(random, asked),
        };
        for (port, value) in [
            ("response_valid", asked.is_some().into()),
            ("response_sleep", sleep),
            ("response_skip", skip),
            ("response_wait", wait),
            ("response_refused", refused.into()),
            ("response_error", fails.into()),
        ] {
            module.set(port, value);
        }
    }

    /// One thing at most of each thread that was asked about, by its place in the block: who sleeps, goes on or presents again.
    fn said(&mut self, random: &mut ChaCha8Rng, Asked { threads, up, down, .. }: Asked) -> [u64; 3] {
        let mut said = [0; 3];
        for place in 0..self.block as u64 {
            // Those before the warp's first thread, or the block's first, are of others.
            let thread = (place + down).checked_sub(up).filter(|thread| *thread >= down && *thread < 64);
            let Some(bit) = thread.map(|thread| 1 << thread & threads & !self.told).filter(|bit| *bit != 0) else {
                continue;
            };
            let what: usize = if self.again & bit != 0 { 2 } else { random.random_range(0..3) };
            if random.random_ratio(3, 4) {
                said[what] |= 1 << place;
                *(if what == 2 { &mut self.again } else { &mut self.told }) |= bit;
            }
        }
        said
    }
}
