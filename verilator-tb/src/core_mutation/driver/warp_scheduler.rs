//! Lets any warps race, launches others with one of few priorities, and lets those issue that were chosen in this cycle, or since something issued.

use super::{any_of, Driver, Module, Mood, Traffic};
use heddle_hdl::simulation::index_of;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// See the module's page.
pub const DRIVER: Driver = Driver {
    part: "warp_scheduler",
    ports: &[
        ("greedy", ""),
        ("racing", ""),
        ("found", ""),
        ("warp", "found"),
        ("launched", ""),
        ("launched_warp", ""),
        ("launched_priority", ""),
        ("issued", ""),
        ("issued_warp", ""),
    ],
    begin: |ports| {
        let width = |name: &str| ports[index_of(ports, name)].width;
        let (warps, priority) = (width("racing"), width("launched_priority"));
        Box::new(Races { mood: Mood::new(), warps, priority, priorities: Vec::new(), chosen: 0, greedy: false })
    },
};

/// An episode.
struct Races {
    mood: Mood<5>,
    warps: usize,
    priority: usize,
    /// The priorities that are given for now.
    priorities: Vec<u64>,
    /// Warps that were chosen since something issued.
    chosen: u64,
    greedy: bool,
}

impl Traffic for Races {
    fn cycle(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>) {
        if self.mood.left == 0 {
            self.greedy = random.random();
            let limit = 1 << self.priority;
            // The lowest is also that of all warps behind a reset.
            let priority = |random: &mut ChaCha8Rng| random.random_ratio(2, 3).then(|| random.random_range(0..limit));
            self.priorities = (0..random.random_range(1..4)).map(|_| priority(random).unwrap_or(0)).collect();
        }
        let [many, launches, often, issues, at_once] = self.mood.draw(random);
        let all = u64::MAX >> (64 - self.warps);
        let launched = random.random_range(0..self.warps);
        let launches = launches && (often || random.random_ratio(1, 8));
        let new = u64::from(launches) << launched;
        let mut racing = random.random::<u64>() & all & !new;
        if many {
            racing |= random.random::<u64>() & all & !new;
        }
        let priority = self.priorities[random.random_range(0..self.priorities.len())];
        for (port, value) in [
            ("greedy", self.greedy.into()),
            ("racing", racing),
            ("launched", launches.into()),
            ("launched_warp", launched as u64),
            ("launched_priority", priority),
        ] {
            module.set(port, value);
        }
        let found = module.get("found") << module.get("warp");
        let may = (if at_once { found } else { self.chosen | found }) & !new;
        let issued = any_of(may, random).filter(|_| issues);
        module.set("issued", issued.is_some().into());
        module.set("issued_warp", issued.unwrap_or(random.random_range(0..self.warps) as u64));
        self.chosen = if issued.is_some() { 0 } else { (self.chosen | found) & !new };
    }
}
