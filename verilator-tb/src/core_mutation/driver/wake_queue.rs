//! Wakes any threads that do not wait in the queue, of any warp, at few or many addresses, alone or in the cycle behind others; and takes who may go.

use super::{Driver, Module, Mood, Traffic};
use heddle_hdl::simulation::index_of;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// See the module's page.
pub const DRIVER: Driver = Driver {
    part: "wake_queue",
    ports: &[
        ("enter_valid", ""),
        ("enter_ready", ""),
        ("enter_warp", ""),
        ("enter_mask", ""),
        ("enter_address", ""),
        ("enter_inside", ""),
        ("enter_alone", ""),
        ("blocked", ""),
        ("leave_valid", ""),
        ("leave_warp", "leave_valid"),
        ("leave_mask", "leave_valid"),
        ("leave_address", "leave_valid"),
        ("leave_taken", ""),
        ("waiting", ""),
        ("empty", ""),
    ],
    begin: |ports| {
        let width = |name: &str| ports[index_of(ports, name)].width;
        let (warps, threads, address) = (width("blocked"), width("enter_mask"), width("enter_address"));
        Box::new(Wakes { mood: Mood::new(), waiting: vec![0; warps], threads, address, known: Vec::new() })
    },
};

/// An episode.
struct Wakes {
    mood: Mood<6>,
    /// Threads of each warp that wait in the queue.
    waiting: Vec<u64>,
    threads: usize,
    address: usize,
    /// Addresses at which others went on.
    known: Vec<u64>,
}

impl Traffic for Wakes {
    fn cycle(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>) {
        let [wakes, many, meets, inside, alone, takes] = self.mood.draw(random);
        let warp = random.random_range(0..self.waiting.len());
        let any = |random: &mut ChaCha8Rng, bits: usize| random.random::<u64>() & (u64::MAX >> (64 - bits));
        let few = any(random, self.threads) & any(random, self.threads) & any(random, self.threads);
        let mask = !self.waiting[warp] & if many { any(random, self.threads) } else { few };
        let address = match random.random_range(0..4_usize) {
            at if meets && at < self.known.len() => self.known[at],
            _ => any(random, self.address),
        };
        self.known.insert(0, address);
        self.known.truncate(4);
        let blocked = any(random, self.waiting.len()) & any(random, self.waiting.len());
        let wakes = wakes && mask != 0;
        for (port, value) in [
            ("enter_valid", wakes.into()),
            ("enter_warp", warp as u64),
            ("enter_mask", mask),
            ("enter_address", address),
            ("enter_inside", inside.into()),
            ("enter_alone", alone.into()),
            ("blocked", blocked),
            ("leave_taken", 0),
        ] {
            module.set(port, value);
        }
        let takes = takes && module.get("leave_valid") == 1;
        module.set("leave_taken", takes.into());
        let enters = wakes && module.get("enter_ready") == 1;
        if takes {
            let (warp, mask) = (module.get("leave_warp"), module.get("leave_mask"));
            self.waiting[warp as usize] &= !mask;
        }
        if enters {
            self.waiting[warp] |= mask;
        }
    }
}
