//! A data memory that keeps warps waiting, beside the driver's, which has every word at once: the data of an instruction that was issued is missing for some cycles, and until it has come its warp
//! is out of the race (`lane_busy`). The driver does not notice: the lanes have done their work. That a core fetches nothing for such a warp is checked here, as no simulation shows it that is
//! the same block.

use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Pins;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Of so many instructions the data of one is missing: seldom, often, or mostly.
const ONE_OF: [u32; 3] = [64, 8, 2];
/// So many cycles, at most.
const LONGEST: u64 = 24;

heddle_hdl::pins! {
    /// The pins of a data memory, and of the race.
    struct Data { lane_issue, lane_warp, lane_busy, fetch_valid, fetch_warp }
}

/// See the module's page.
pub struct Lateness {
    pins: Data,
    one_of: u32,
    /// Words that are to come: the warp, and the first cycle in which it has them.
    due: Vec<(usize, u64)>,
    /// Warps that wait for them.
    late: u128,
    /// Warps that the driver keeps waiting.
    beneath: u128,
}

/// What was seen in a settled cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// The data of the instruction that is issued is missing.
    pub begins: bool,
    /// The core looks for the next instruction of this warp, whose data is missing.
    pub fetches: Option<u128>,
}

impl Lateness {
    /// At the ports of a core.
    pub fn of(ports: &[Port], random: &mut ChaCha8Rng) -> Self {
        let one_of = ONE_OF[random.random_range(0..ONE_OF.len())];
        Self { pins: Data::of(ports), one_of, due: Vec::new(), late: 0, beneath: 0 }
    }

    /// The port, and what it shows in the cycle that begins.
    pub fn draw(&mut self, now: u64) -> (usize, u128) {
        self.due.retain(|(_, due)| *due > now);
        self.late = self.due.iter().fold(0, |warps, (warp, _)| warps | 1 << warp);
        (self.pins.lane_busy, self.late | self.beneath)
    }

    /// Looks at a settled cycle.
    pub fn observe(&mut self, core: &mut dyn Pins, now: u64, random: &mut ChaCha8Rng) -> Noticed {
        let Data { lane_issue, lane_warp, fetch_valid, fetch_warp, .. } = self.pins;
        let begins = core.get(lane_issue) == 1 && random.random_ratio(1, self.one_of);
        if begins {
            // The first cycle in which it shows is the next one.
            self.due.push((core.get(lane_warp) as usize, now + 1 + random.random_range(1..=LONGEST)));
        }
        let waits = |warp: &u128| (self.late | self.beneath) >> warp & 1 == 1;
        let fetches = (core.get(fetch_valid) == 1).then(|| core.get(fetch_warp)).filter(waits);
        Noticed { begins, fetches }
    }

    /// What a port shows, of which the driver says `value`.
    pub fn show(&mut self, port: usize, value: u128) -> u128 {
        if port != self.pins.lane_busy {
            return value;
        }
        self.beneath = value;
        self.late | value
    }
}

#[cfg(test)]
mod tests {
    use super::super::episode::Episode;
    use super::super::surroundings::LATE;
    use super::super::trial::{Kind, Ran, Trial, Wrong};
    use super::*;
    use crate::lockstep::rig::Contestant;
    use crate::verilated::Start;
    use heddle_hdl::points;
    use heddle_hdl::simulation::{index_of, Frame, Simulation};
    use rand::SeedableRng;
    use std::collections::BTreeSet;

    /// A core that does not hear that data is missing.
    struct Deaf {
        inner: Box<dyn Simulation>,
        ear: usize,
    }

    impl Pins for Deaf {
        fn set(&mut self, port: usize, value: u128) {
            if port != self.ear {
                self.inner.set(port, value);
            }
        }
        fn get(&mut self, port: usize) -> u128 {
            self.inner.get(port)
        }
    }

    impl Simulation for Deaf {
        fn ports(&self) -> &[Port] {
            self.inner.ports()
        }
        fn tick(&mut self) {
            self.inner.tick();
        }
    }

    /// The pins of a core, which say what the test says.
    struct Said(Frame);

    impl Pins for Said {
        fn set(&mut self, port: usize, value: u128) {
            self.0.write(port, value);
        }
        fn get(&mut self, port: usize) -> u128 {
            self.0.read(port)
        }
    }

    /// XV-02, IS-01: data of an issued instruction is missing from the next cycle on, for as many cycles as it may, and of some instructions only; whom the driver keeps waiting waits, too, and for neither of them is an instruction
    /// fetched without a word.
    #[test]
    fn xv_02_data_comes_late() {
        let ports = (points::find("control_core", "4x32x16").expect("a point").ports)();
        let pins = Data::of(&ports);
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut lateness = Lateness::of(&ports, &mut random);
        lateness.one_of = 4;
        let mut core = Said(Frame::new(&ports));
        core.set(pins.lane_warp, 2);
        let (mut begun, mut waited, mut lengths) = (None, 0, BTreeSet::new());
        for now in 0..20_000 {
            let (port, shown) = lateness.draw(now);
            assert!(port == pins.lane_busy && shown & !0b100 == 0, "{shown:b}");
            // What the driver says again hides nobody who waits.
            assert_eq!(lateness.show(port, 0), shown);
            core.set(pins.fetch_valid, 1);
            core.set(pins.fetch_warp, 2);
            // It issues where it may.
            core.set(pins.lane_issue, u128::from(shown == 0));
            let noticed = lateness.observe(&mut core, now, &mut random);
            assert_eq!(noticed.fetches, (shown != 0).then_some(2), "cycle {now}");
            waited += u64::from(shown != 0);
            if let Some(since) = begun.filter(|_| shown == 0) {
                lengths.insert(now - since - 1);
                begun = None;
            }
            begun = if noticed.begins { Some(now) } else { begun };
        }
        assert_eq!(lengths, (1..=LONGEST).collect());
        assert!((10_000..17_000).contains(&waited), "{waited} of 20,000 cycles");
        // The driver's own, whatever else there is.
        assert_eq!(lateness.show(pins.fetch_valid, 1), 1);
        core.set(pins.lane_issue, 0);
        assert_eq!((lateness.show(pins.lane_busy, 0b1000) & 0b1000, lateness.draw(30_000).1), (0b1000, 0b1000));
        core.set(pins.fetch_warp, 3);
        assert_eq!(lateness.observe(&mut core, 30_000, &mut random), Noticed { begins: false, fetches: Some(3) });
        assert_eq!((lateness.show(pins.lane_busy, 0), lateness.draw(30_001).1), (0, 0));
        assert_eq!(lateness.observe(&mut core, 30_001, &mut random), Noticed::default());
    }

    /// XV-02, IS-01: every core waits for data that comes late; one that does not hear of it fetches for a warp that waits, and is found alone.
    #[test]
    fn xv_02_a_core_that_does_not_wait_for_data_is_found() {
        for (core, point) in
            [("control_core", "4x32x16"), ("control_core_tree", "4x32x64"), ("control_core_suspending", "4x32x32")]
        {
            let entry = points::find(core, point).expect("a point");
            let mut episodes = (0..).map(|number| Episode::draw(&entry, 1, number));
            let episode = episodes.find(|episode| episode.rough.is_some()).expect("one of two");
            let run = |deaf: bool| -> Result<Ran, Wrong> {
                let simulations = || {
                    let inner = (entry.simulate)();
                    let ear = if deaf { index_of(inner.ports(), "lane_busy") } else { usize::MAX };
                    vec![Contestant::export(Deaf { inner, ear })]
                };
                let trial = Trial { entry: &entry, simulations: &simulations, start: Start::Pattern, followed: true };
                trial.run(&episode).expect("a test")
            };
            let ran = run(false).expect("it waits");
            assert!(ran.counts.of(LATE) > 0, "{ran:?}");
            let wrong = run(true).expect_err("it does not");
            assert!(wrong.kind == Kind::Breach && wrong.what.contains("whose data is missing"), "{wrong:?}");
        }
    }
}
