//! A context sequencer with both memories, an allocator and threads around it.

use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

pub const POINTS: [&str; 4] = ["4", "16", "16e2", "64"];

/// Threads of a group, at every point.
pub const THREADS: u32 = 32;

/// Where the allocator's memory begins.
pub const BUFFER: u32 = 0x0010_0000;

/// What local memory holds at the start.
pub fn local_word(address: u32) -> u32 {
    address.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995
}

/// How the surroundings behave: how often ports are ready, and after how many cycles they answer.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    pub open: f64,
    pub allocator_latency: u64,
    pub read_latency: u64,
    pub write_latency: u64,
}

pub const EAGER: Mood = Mood { open: 1.0, allocator_latency: 1, read_latency: 1, write_latency: 1 };

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    pub cycles: u64,
    pub failed: bool,
    pub saved: u128,
    pub words: u32,
}

/// Transfers, with their cycles.
#[derive(Default)]
pub struct Log {
    pub allocations: Vec<(u64, usize, u32)>,
    pub frees: Vec<(usize, u32)>,
    pub reads: Vec<(u64, u32)>,
    pub writes: Vec<(u64, u32)>,
    pub acknowledgements: Vec<u64>,
}

pub struct Bench {
    block: Box<dyn Simulation>,
    pub groups: usize,
    pub cycle: u64,
    pub mood: Mood,
    pub random: ChaCha8Rng,
    /// Words that the allocator still has.
    pub room: u32,
    next: u32,
    answers: VecDeque<(u64, Option<u32>)>,
    reads: VecDeque<(u64, u32)>,
    acknowledgements: VecDeque<u64>,
    /// Writes that are not acknowledged even though it is time.
    pub withheld: usize,
    pub global: BTreeMap<u32, u32>,
    pub log: Log,
    shown: BTreeMap<&'static str, Vec<u128>>,
}

impl Bench {
    /// After reset, and after the cycles for which launches wait.
    pub fn new(point: &str) -> Self {
        let entry = points::find("context_sequencer", point).expect("the point is in the list");
        let mut bench = Bench {
            block: (entry.simulate)(),
            groups: entry.parameter("groups").expect("a parameter") as usize,
            cycle: 0,
            mood: EAGER,
            random: ChaCha8Rng::seed_from_u64(1),
            room: u32::MAX,
            next: BUFFER,
            answers: VecDeque::new(),
            reads: VecDeque::new(),
            acknowledgements: VecDeque::new(),
            withheld: 0,
            global: BTreeMap::new(),
            log: Log::default(),
            shown: BTreeMap::new(),
        };
        bench.reset();
        for _ in 0..bench.groups {
            assert_eq!(bench.get("bind_ready"), 0, "counts are being cleared");
            bench.tick();
        }
        assert_eq!(bench.get("bind_ready"), 1);
        bench
    }

    /// A cycle of reset, and the surroundings forgotten.
    pub fn reset(&mut self) {
        self.set("reset", 1);
        self.block.tick();
        self.set("reset", 0);
        self.answers.clear();
        self.reads.clear();
        self.acknowledgements.clear();
        self.shown.clear();
        self.log = Log::default();
    }

    pub fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    pub fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    pub fn read<const N: usize>(&mut self, ports: [&str; N]) -> [u128; N] {
        ports.map(|port| self.get(port))
    }

    fn open(&mut self) -> bool {
        self.random.random_bool(self.mood.open)
    }

    /// An output with a payload: whether it is taken in this cycle. What was not taken in the last one must still be there.
    fn taken(&mut self, valid: &'static str, ready: &'static str, payload: &[&str]) -> Option<Vec<u128>> {
        let open = self.open();
        self.set(ready, open.into());
        let values = (self.get(valid) == 1).then(|| payload.iter().map(|port| self.get(port)).collect::<Vec<_>>());
        if let Some(before) = self.shown.remove(valid) {
            assert_eq!(values.as_ref(), Some(&before), "{valid} was not taken and changed");
        }
        match values {
            Some(values) if open => Some(values),
            Some(values) => {
                self.shown.insert(valid, values);
                None
            }
            None => None,
        }
    }

    /// One cycle of the memories and the allocator.
    pub fn tick(&mut self) {
        let now = self.cycle;
        // Answers first: their readiness may depend on ports that are driven below, so it is read at the end.
        let answer = self.answers.front().filter(|(due, _)| *due <= now).map(|(_, answer)| *answer);
        let answer = answer.filter(|_| self.open());
        self.set("allocated_valid", answer.is_some().into());
        self.set("allocated_failed", (answer == Some(None)).into());
        self.set("allocated_pointer", u128::from(answer.flatten().unwrap_or(0xdead_beef)));
        let word = self.reads.front().filter(|(due, _)| *due <= now).map(|(_, address)| local_word(*address));
        let word = word.filter(|_| self.open());
        self.set("copy_data_valid", word.is_some().into());
        self.set("copy_data", u128::from(word.unwrap_or(0xdead_beef)));
        let due = self.acknowledgements.front().is_some_and(|due| *due <= now);
        let acknowledged = due && self.acknowledgements.len() > self.withheld && self.open();
        self.set("copy_acknowledge_valid", acknowledged.into());
        if acknowledged {
            self.acknowledgements.pop_front();
            self.log.acknowledgements.push(now);
        }

        let asked = self.taken("allocate_valid", "allocate_ready", &["allocate_group", "allocate_words"]);
        let given = self.taken("free_valid", "free_ready", &["free_group", "free_pointer"]);
        let read = self.taken("copy_read_valid", "copy_read_ready", &["copy_read_address"]);
        let write = self.taken("copy_write_valid", "copy_write_ready", &["copy_write_address", "copy_write_data"]);
        if answer.is_some() && self.get("allocated_ready") == 1 {
            self.answers.pop_front();
        }
        if word.is_some() && self.get("copy_data_ready") == 1 {
            self.reads.pop_front();
        }
        if let Some(values) = asked {
            let (group, words) = (values[0] as usize, values[1] as u32);
            self.log.allocations.push((now, group, words));
            let answer = (words <= self.room).then_some(self.next);
            if answer.is_some() {
                self.room -= words;
                self.next += words + 5;
            }
            self.answers.push_back((now + self.mood.allocator_latency, answer));
        }
        if let Some(values) = given {
            self.log.frees.push((values[0] as usize, values[1] as u32));
        }
        if let Some(values) = read {
            self.log.reads.push((now, values[0] as u32));
            self.reads.push_back((now + self.mood.read_latency, values[0] as u32));
        }
        if let Some(values) = write {
            let address = values[0] as u32;
            self.log.writes.push((now, address));
            assert_eq!(self.global.insert(address, values[1] as u32), None, "{address:#x} is written twice");
            self.acknowledgements.push_back(now + self.mood.write_latency);
        }
        self.block.tick();
        self.cycle += 1;
    }

    /// Launches or resumes a group; true if it was an error.
    pub fn bind(&mut self, slot: usize, group: usize, fresh: Option<(u32, u16)>) -> bool {
        self.set("bind_valid", 1);
        self.set("bind_slot", slot as u128);
        self.set("bind_group", group as u128);
        self.set("bind_fresh", fresh.is_some().into());
        self.set("bind_base", fresh.map_or(0xbad0_bad0, |(base, _)| base).into());
        self.set("bind_limit", fresh.map_or(0xbad, |(_, limit)| limit).into());
        while self.get("bind_ready") == 0 {
            self.tick();
        }
        self.tick();
        self.set("bind_valid", 0);
        self.get("bind_error") == 1
    }

    pub fn launch(&mut self, slot: usize, group: usize, base: u32, limit: u16) {
        assert!(!self.bind(slot, group, Some((base, limit))), "group {group} is launched in slot {slot}");
    }

    pub fn release(&mut self, slot: usize) {
        self.set("release_valid", 1);
        self.set("release_slot", slot as u128);
        self.tick();
        self.set("release_valid", 0);
    }

    /// Puts an access at the port; whether it would be taken.
    pub fn offer_access(&mut self, slot: usize, thread: u32, word: u16) -> bool {
        self.set("access_valid", 1);
        self.set("access_slot", slot as u128);
        self.set("access_thread", thread.into());
        self.set("access_word", word.into());
        self.get("access_ready") == 1
    }

    /// An access, and where it goes: group, in global memory, address; or the error's bound, group, slot, thread, word.
    pub fn access(&mut self, slot: usize, thread: u32, word: u16) -> Result<[u128; 3], [u128; 5]> {
        assert!(self.offer_access(slot, thread, word), "the access of slot {slot} is taken");
        self.tick();
        self.set("access_valid", 0);
        let strobes = self.read(["location_valid", "access_error_valid"]);
        let location = self.read(["location_group", "location_global", "location_address"]);
        let error = ["bound", "group", "slot", "thread", "word"].map(|name| self.get(&format!("access_error_{name}")));
        match strobes {
            [1, 0] => Ok(location),
            [0, 1] => Err(error),
            other => panic!("one answer in the next cycle, not {other:?}"),
        }
    }

    /// An access of a group was carried out.
    pub fn complete(&mut self, group: usize) {
        self.set("complete_valid", 1);
        self.set("complete_group", group as u128);
        self.tick();
        self.set("complete_valid", 0);
    }

    /// Offers a command, which is taken at once; the cycle is over afterwards.
    pub fn request(&mut self, free: bool, mask: u128) {
        self.set("request_valid", 1);
        self.set("request_operation", free.into());
        self.set("request_mask", mask);
        assert_eq!(self.get("request_ready"), 1);
        self.tick();
        self.set("request_valid", 0);
    }

    /// Waits for the end of the command that was accepted in cycle `accepted`.
    pub fn done(&mut self, accepted: u64, limit: u64) -> Done {
        while self.get("done_valid") == 0 {
            assert!(self.cycle < accepted + limit, "not done in {limit} cycles");
            assert_eq!(self.get("request_ready"), 0, "one command at a time");
            self.tick();
        }
        let [failed, saved, words] = self.read(["done_failed", "done_saved", "done_words"]);
        let done = Done { cycles: self.cycle - accepted, failed: failed == 1, saved, words: words as u32 };
        self.tick();
        assert_eq!(self.read(["done_valid", "stopped", "request_ready"]), [0, 0, 1], "a strobe");
        assert!(self.reads.is_empty() && self.answers.is_empty() && self.acknowledgements.is_empty());
        done
    }

    /// A command from its acceptance to its end.
    pub fn command(&mut self, free: bool, mask: u128) -> Done {
        let accepted = self.cycle;
        self.request(free, mask);
        assert_eq!(self.get("stopped"), mask);
        self.done(accepted, 1_000_000)
    }

    pub fn save(&mut self, mask: u128) -> Done {
        self.command(false, mask)
    }

    pub fn free(&mut self, mask: u128) -> Done {
        self.command(true, mask)
    }

    /// used, re-mapped, pointer, limit of a group.
    pub fn row(&mut self, group: usize) -> [u128; 4] {
        self.set("row_group", group as u128);
        self.read(["row_used", "row_remapped", "row_pointer", "row_limit"])
    }

    /// All words of a group lie in global memory as they lay in local memory.
    pub fn check_copy(&mut self, group: usize, base: u32, limit: u16) {
        let [used, remapped, pointer, shown] = self.row(group);
        assert_eq!([used, remapped, shown], [1, 1, limit.into()], "row of group {group}");
        for word in 0..u32::from(limit) * THREADS {
            assert_eq!(self.global.get(&(pointer as u32 + word)), Some(&local_word(base + word)), "word {word}");
        }
    }
}
