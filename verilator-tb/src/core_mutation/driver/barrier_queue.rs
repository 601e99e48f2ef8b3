//! Puts warps and slots that are not in the queue there, several at once, and takes who is in front.

use super::{any_of, Driver, Module, Mood, Traffic};
use heddle_hdl::core::barrier_queue::Origin;
use heddle_hdl::simulation::index_of;
use rand_chacha::ChaCha8Rng;

/// See the module's page.
pub const DRIVER: Driver = Driver {
    part: "barrier_queue",
    ports: &[
        ("again_valid", ""),
        ("again_slot", ""),
        ("end_valid", ""),
        ("end_slot", ""),
        ("launch_valid", ""),
        ("launch_slot", ""),
        ("present_valid", ""),
        ("present_warp", ""),
        ("front_valid", ""),
        ("front_origin", "front_valid"),
        ("front_index", "front_valid"),
        ("front_new", ""),
        ("leave", ""),
    ],
    begin: |ports| {
        let all = u64::MAX >> (64 - (1 << ports[index_of(ports, "present_warp")].width));
        Box::new(Requests { mood: Mood::new(), all, warps: all, slots: all })
    },
};

/// An episode.
struct Requests {
    mood: Mood<5>,
    /// A bit for each warp, and for each slot.
    all: u64,
    /// Warps and slots that are not in the queue.
    warps: u64,
    slots: u64,
}

impl Traffic for Requests {
    fn cycle(&mut self, random: &mut ChaCha8Rng, module: &mut Module<'_>) {
        let [again, end, launch, present, leaves] = self.mood.draw(random);
        let entries = [
            (again, "again_valid", "again_slot"),
            (end, "end_valid", "end_slot"),
            (launch, "launch_valid", "launch_slot"),
            (present, "present_valid", "present_warp"),
        ];
        for (wanted, valid, index) in entries {
            let free = if index == "present_warp" { &mut self.warps } else { &mut self.slots };
            // What is not valid may be anything.
            let any = any_of(self.all, random).unwrap_or(0);
            let entering = any_of(*free, random).filter(|_| wanted);
            module.set(valid, entering.is_some().into());
            module.set(index, entering.unwrap_or(any));
            *free &= !entering.map_or(0, |index| 1 << index);
        }
        module.set("leave", 0);
        let leaves = leaves && module.get("front_valid") == 1;
        module.set("leave", leaves.into());
        if leaves {
            let of_warp = module.get("front_origin") == Origin::Warp as u64;
            let free = if of_warp { &mut self.warps } else { &mut self.slots };
            *free |= 1 << module.get("front_index");
        }
    }
}
