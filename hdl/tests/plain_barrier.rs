//! The plain barrier at its ports, against sets of members: every answer and every release in its cycle.

use heddle_hdl::barrier::plain_barrier::PlainOperation::{self, *};
use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POINTS: [(&str, u128, u128); 3] = [("4x8x4", 4, 4), ("8x8x8", 8, 8), ("16x8x16", 16, 16)];

/// Condition, reference, phase, members that have arrived, members asleep.
type Barrier = (u128, u128, u128, u128, u128);

struct Plain {
    block: Box<dyn Simulation>,
    /// Live members and barriers of each CTA.
    ctas: Vec<(u128, [Barrier; 8])>,
}

/// Members that sleep, skip, wait.
type Answer = (u128, u128, u128);

impl Plain {
    fn new(point: &str, ctas: u128) -> Self {
        let entry = points::find("plain_barrier", point).expect("the point is in the list");
        let mut plain = Plain { block: (entry.simulate)(), ctas: vec![(0, [(1, 0, 0, 0, 0); 8]); ctas as usize] };
        plain.set("reset", 1);
        plain.block.tick();
        plain.set("reset", 0);
        plain
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.block.port(port);
        self.block.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.block.port(port);
        self.block.get(port)
    }

    /// A request; checks its answer and its releases against the sets, and gives them back.
    fn ask(&mut self, operation: PlainOperation, cta: u128, barrier: u128, who: (u128, u128)) -> (Answer, Vec<u128>) {
        for (port, value) in [("valid", 1), ("operation", operation as u128), ("cta", cta), ("barrier", barrier)] {
            self.set(&format!("request_{port}"), value);
        }
        self.set("request_mask", who.0);
        self.set("request_participants", who.1);
        assert_eq!(self.get("request_ready"), 1);
        self.block.tick();
        self.set("request_valid", 0);
        assert_eq!(self.get("response_valid"), 1);
        let answer = ["sleep", "skip", "wait"].map(|name| self.get(&format!("response_{name}")));
        let steps = if matches!(operation, Launch | Exit) { 0..8 } else { barrier..barrier + 1 };
        let mut released = Vec::new();
        for id in steps {
            let phase = self.step(operation, cta, id, who);
            let shown = (self.get("release_valid") == 1).then(|| self.get("release_phase"));
            assert_eq!(shown, phase, "{operation:?} of {who:?} at {cta}.{id}");
            if shown.is_some() {
                assert_eq!((self.get("release_cta"), self.get("release_barrier")), (cta, id));
                released.push(id);
            }
            let more = matches!(operation, Launch | Exit) && id < 7;
            assert_eq!(self.get("request_ready"), u128::from(!more));
            if more {
                self.block.tick();
            }
        }
        ((answer[0], answer[1], answer[2]), released)
    }

    /// What becomes of a barrier, in sets; the phase that ends, if one does.
    fn step(
        &mut self,
        operation: PlainOperation,
        cta: u128,
        id: u128,
        (mask, participants): (u128, u128),
    ) -> Option<u128> {
        let (live, barriers) = &mut self.ctas[cta as usize];
        let (condition, reference, phase, arrived, asleep) = &mut barriers[id as usize];
        match operation {
            Launch => {
                *live = mask;
                barriers[id as usize] = (1, 0, 0, 0, 0);
                return None;
            }
            Configure => return None,
            Arrive => {
                let counting = if *condition == 3 { mask & participants } else { mask };
                *asleep |= counting & participants & !*arrived;
                *arrived |= counting;
            }
            Exit => {
                *live &= !mask;
                *arrived &= !mask;
            }
        }
        let all_arrived = *live & !*arrived == 0;
        let enough = u128::from(arrived.count_ones()) >= *reference || asleep == live;
        if *arrived == 0 || !(if *condition == 1 { all_arrived } else { enough }) {
            return None;
        }
        let ended = (*asleep != 0).then_some(*phase);
        *phase ^= u128::from(ended.is_some());
        (*arrived, *asleep) = (0, 0);
        ended
    }

    fn configure(&mut self, cta: u128, barrier: u128, condition: u128, reference: u128) {
        self.set("request_condition", condition);
        self.set("request_reference", reference);
        self.ask(Configure, cta, barrier, (0, 0));
        let entry = &mut self.ctas[cta as usize].1[barrier as usize];
        (entry.0, entry.1) = (condition, reference);
    }
}

/// BR-10, BR-12, BR-16, BR-45: the last arrival's answer carries the release; a second arrival of a member that went on waits.
#[test]
fn the_last_arrival_releases() {
    for (point, ctas, members) in POINTS {
        let mut plain = Plain::new(point, ctas);
        let all = (1 << members) - 1;
        plain.ask(Launch, 1, 0, (all, 0));
        for _ in 0..3 {
            assert_eq!(plain.ask(Arrive, 1, 6, (1, 0)), ((0, 1, 0), vec![]), "it takes no part and goes on");
            assert_eq!(plain.ask(Arrive, 1, 6, (3, 3)), ((2, 0, 1), vec![]), "its second arrival waits");
            for member in 2..members - 1 {
                assert_eq!(plain.ask(Arrive, 1, 6, (1 << member, all)), ((1 << member, 0, 0), vec![]));
            }
            assert_eq!(plain.ask(Arrive, 1, 6, (1 << (members - 1), all)).1, [6]);
        }
    }
}

/// BR-12 (2, 3), BR-14, BR-17, BR-39, BR-53: random traffic of several CTAs, with exits that complete several barriers.
#[test]
fn random_traffic_agrees_with_sets() {
    for (point, ctas, members) in POINTS {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut plain = Plain::new(point, ctas);
        let all = (1_u128 << members) - 1;
        let (mut releases, mut by_exit) = (0, 0);
        for cta in 0..ctas {
            plain.ask(Launch, cta, 0, (all, 0));
        }
        for _ in 0..20_000 {
            let (cta, barrier) = (random.random_range(0..ctas), random.random_range(3..5));
            let (live, barriers) = &plain.ctas[cta as usize];
            let awake = live & !barriers.iter().fold(0, |asleep, barrier| asleep | barrier.4);
            if *live == 0 {
                plain.ask(Launch, cta, 0, (all, 0));
            } else if random.random_bool(0.08) || awake == 0 {
                // Everybody sleeps somewhere: the exit of nobody leaves it so, a launch starts anew.
                let mask = awake & random.random_range(0..=all) & random.random_range(0..=all);
                by_exit += plain.ask(Exit, cta, 0, (mask, 0)).1.len();
                if awake == 0 {
                    plain.ask(Launch, cta, 0, (all, 0));
                }
            } else if barriers[barrier as usize].3 == 0 && random.random_bool(0.2) {
                let (condition, reference) = (random.random_range(1..4), random.random_range(1..=members));
                plain.configure(cta, barrier, condition, reference);
            } else {
                let mask = awake & random.random_range(0..=all);
                let participants = random.random_range(0..=all);
                let (answer, released) = plain.ask(Arrive, cta, barrier, (mask, participants));
                assert_eq!((answer.0 | answer.1 | answer.2, answer.0 & answer.1), (mask, 0), "each has one answer");
                releases += released.len();
            }
        }
        assert!(releases > 100 && by_exit > 0, "{releases} releases, {by_exit} by exits");
    }
}
