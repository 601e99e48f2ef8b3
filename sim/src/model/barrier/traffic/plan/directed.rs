//! Scenarios about what random ones seldom come to: what idle barriers remember, split phases alone, and queues whose barriers are reset.

use super::{cta_plan_of, pick, section, sections, Role};
use crate::barrier::{Configuration, LateMode, Size, Statics};
use crate::model::barrier::traffic::{Action, CtaPlan, Knobs, Participation, Scenario, Site};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Up to three CTAs of all that a few threads do, one launch after another, with every id in one role.
fn alike(random: &mut ChaCha8Rng, size: &Size, role: Role) -> Vec<Vec<CtaPlan>> {
    let roles = vec![role; size.barriers];
    let mut ctas: Vec<Vec<CtaPlan>> = vec![Vec::new(); size.ctas];
    for plans in &mut ctas[..size.ctas.min(3)] {
        for _ in 0..3 {
            let threads = random.random_range(1..=size.threads().min(2 * size.block_threads));
            let exits = *pick(random, &[0, 0, 20, 60]);
            plans.push(cta_plan_of(random, size, threads, exits, 10, &roles));
        }
    }
    ctas
}

/// Impatient barriers that end short, and remember it: who comes then, under which tag, and whether it came before.
pub(super) fn remembered(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let mut ctas = alike(random, &size, Role::Impatient);
    for plan in ctas.iter_mut().flatten() {
        let late = *pick(random, &LateMode::ALL);
        for configuration in &mut plan.configurations {
            configuration.late = *pick(random, &[late, LateMode::Continue, LateMode::Pass, LateMode::PassFromIdle]);
            configuration.timeout = *pick(random, &[0, 2, 8, 20]);
            configuration.reference = random.random_range(1..=plan.threads as u16 + 2);
        }
        for site in &mut plan.sites {
            site.critical = random.random_bool(0.3);
            site.exclusive = random.random_bool(0.6);
            site.participation = *pick(random, &[Participation::Percent(30), Participation::Percent(60)]);
        }
    }
    let statics = Statics { late_join_all: false, ..statics };
    let knobs = Knobs { offer: 100, pause: *pick(random, &[1, 10, 40]), stay: 4, ..knobs };
    let (probes, resets) = (*pick(random, &[10, 60]), *pick(random, &[0, 4, 20]));
    Scenario { seed, size, statics, ctas, knobs: Knobs { probes, resets, ..knobs } }
}

/// Split phases alone, in which threads arrive again and ask for what is not theirs.
pub(super) fn phases(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let mut ctas = alike(random, &size, Role::Split);
    for plan in ctas.iter_mut().flatten().filter(|_| random.random()) {
        // More than there are: such a phase ends when all who live wait for it (BR-39).
        for configuration in plan.configurations.iter_mut().filter(|configuration| configuration.condition == 2) {
            configuration.reference += 1;
        }
    }
    let (pause, probes) = (*pick(random, &[1, 10]), *pick(random, &[60, 200]));
    let knobs = Knobs { offer: 100, partial: 60, pause, probes, resets: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// More sections than slots, some of which only class 3 may use: they queue by class, exclude one another, and are reset wherever they are.
pub(super) fn queues(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let plan = |random: &mut ChaCha8Rng| {
        let configuration = |random: &mut ChaCha8Rng| Configuration {
            condition: 3,
            reference: 1,
            late: *pick(random, &[LateMode::Join, LateMode::Join, LateMode::Skip, LateMode::Wait]),
            priority: *pick(random, &[3, 3, 2, 2, 1, 0]),
            class: *pick(random, &[0, 1, 2, 3, 3]),
            ..Configuration::default()
        };
        let configurations = (0..size.barriers).map(|_| configuration(random)).collect();
        let site = |barrier, random: &mut ChaCha8Rng| Site {
            critical: random.random_bool(0.8),
            exclusive: random.random(),
            participation: *pick(random, &[Participation::All, Participation::Percent(60), Participation::Percent(30)]),
            ..section(random, barrier)
        };
        let sites = (0..size.barriers).map(|barrier| site(barrier, random)).collect();
        let step = |_| Action::Top(random.random_range(0..size.barriers));
        let steps = (0..8).map(step).collect();
        let exits = *pick(random, &[0, 20]);
        CtaPlan {
            resettable: (0..size.barriers).collect(),
            exits,
            ..sections(random, &size, configurations, sites, steps)
        }
    };
    let mut ctas: Vec<Vec<CtaPlan>> = (0..size.ctas.min(4)).map(|_| vec![plan(random), plan(random)]).collect();
    ctas.resize(size.ctas, Vec::new());
    let reserved_slots = if random.random_bool(0.6) { random.random_range(1..size.slots) } else { 0 };
    // All, all but those of a class with itself, or any.
    let any = random.random::<u16>();
    let class_conflicts = *pick(random, &[u16::MAX, 0x7bde, any, any]);
    let symmetric = (0..16).fold(0, |all, bit| all | (class_conflicts >> bit & 1) << (bit % 4 * 4 + bit / 4));
    let class_conflicts = class_conflicts | symmetric;
    let statics = Statics { reserved_slots, class_conflicts, exclusive_inside: random.random_bool(0.7), ..statics };
    let (pause, stay) = (*pick(random, &[1, 10]), *pick(random, &[1, 10, 30]));
    let (probes, resets, suspends) =
        (*pick(random, &[0, 20, 100]), *pick(random, &[5, 40, 200]), *pick(random, &[0, 30, 100]));
    let knobs = Knobs { offer: 100, pause, stay, probes, resets, suspends, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}
