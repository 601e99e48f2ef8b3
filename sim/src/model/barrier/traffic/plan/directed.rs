//! Scenarios about what random ones seldom come to: what idle barriers remember, split phases alone, queues whose barriers are reset, contests for
//! the wake port, and who starts first of all.

use super::{cta_plan_of, pick, section, sections, Role};
use crate::barrier::{Configuration, LateMode, Size, Statics};
use crate::model::barrier::traffic::{Action, CtaPlan, Knobs, Participation, Scenario, Site};
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Up to three CTAs of all that a few threads do, one launch after another, with every id in one role. Of one or two threads all may be gone before a
/// phase ends that they arrived in.
fn alike(random: &mut ChaCha8Rng, size: &Size, role: Role) -> Vec<Vec<CtaPlan>> {
    let roles = vec![role; size.barriers];
    let launches = if role == Role::Split { 6 } else { 3 };
    let mut ctas: Vec<Vec<CtaPlan>> = vec![Vec::new(); size.ctas];
    for plans in &mut ctas[..size.ctas.min(3)] {
        for _ in 0..launches {
            let few = role == Role::Split && random.random();
            let most = if few { 2 } else { 2 * size.block_threads };
            let threads = random.random_range(1..=size.threads().min(most));
            let exits = *pick(random, if few { &[40, 100, 100] } else { &[0, 0, 20, 60] });
            plans.push(cta_plan_of(random, size, threads, exits, 10, &roles));
        }
    }
    ctas
}

/// A launch of one or two threads that are soon gone, and do not wait for the last phases that they arrive in: these end when their time comes, with
/// nobody there, if those before them are not told yet.
fn brief(random: &mut ChaCha8Rng, size: &Size) -> CtaPlan {
    let threads = random.random_range(1..=2);
    let mut plan = cta_plan_of(random, size, threads, 20, 4, &vec![Role::Split; size.barriers]);
    while matches!(plan.steps.last(), Some(Action::SplitWait(..))) {
        plan.steps.pop();
    }
    plan
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

/// Split phases alone, in which threads arrive again and ask for what is not theirs. Where wake-ups wait, phases are over before the last one is told;
/// in half of the runs many short launches go by meanwhile in one CTA, beside large ones that take their time.
pub(super) fn phases(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let mut ctas = alike(random, &size, Role::Split);
    if size.ctas > 1 && random.random() {
        let roles = vec![Role::Split; size.barriers];
        ctas[0] = (0..3).map(|_| cta_plan_of(random, &size, 2 * size.block_threads, 0, 10, &roles)).collect();
        ctas[1] = (0..16).map(|_| brief(random, &size)).collect();
    }
    for plan in ctas.iter_mut().flatten().filter(|_| random.random()) {
        // More than there are: such a phase ends when all who live wait for it (BR-39).
        for configuration in plan.configurations.iter_mut().filter(|configuration| configuration.condition == 2) {
            configuration.reference += 1;
        }
    }
    let (pause, probes) = (*pick(random, &[1, 10]), *pick(random, &[60, 200]));
    let stalled = Knobs { wake_stall: 3, wake_burst: 100, suspends: 0, ..knobs };
    let knobs = if random.random_bool(0.3) { knobs } else { stalled };
    let knobs = Knobs { offer: 100, partial: 60, pause, probes, resets: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// More sections than slots, some of which only class 3 may use: they queue by class, exclude one another, and are reset wherever they are.
pub(super) fn queues(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    // In half of them both queues are full most of the time, and now and then an exclusive head waits for what runs.
    let both = random.random();
    let plan = |random: &mut ChaCha8Rng| {
        let configuration = |random: &mut ChaCha8Rng, barrier: usize| Configuration {
            condition: 3,
            reference: 1,
            late: *pick(random, &[LateMode::Join, LateMode::Join, LateMode::Skip, LateMode::Wait]),
            priority: *pick(random, &[3, 3, 2, 2, 1, 0]),
            class: if both && barrier.is_multiple_of(2) {
                3
            } else if both {
                random.random_range(0..3)
            } else {
                *pick(random, &[0, 1, 2, 3, 3])
            },
            ..Configuration::default()
        };
        let configurations = (0..size.barriers).map(|barrier| configuration(random, barrier)).collect();
        let site = |barrier, random: &mut ChaCha8Rng| Site {
            critical: both || random.random_bool(0.8),
            exclusive: random.random_bool(if both && barrier % 2 == 1 { 0.1 } else { 0.5 }),
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
    let reserved_slots = if both || random.random_bool(0.6) { random.random_range(1..size.slots) } else { 0 };
    // All, all but those of a class with itself, or any.
    let any = random.random::<u16>();
    let class_conflicts = *pick(random, &[u16::MAX, if both { any } else { 0x7bde }, any, any]);
    let symmetric = (0..16).fold(0, |all, bit| all | (class_conflicts >> bit & 1) << (bit % 4 * 4 + bit / 4));
    let class_conflicts = class_conflicts | symmetric;
    let statics = Statics { reserved_slots, class_conflicts, exclusive_inside: random.random_bool(0.7), ..statics };
    let (pause, stay) = (*pick(random, &[1, 10]), *pick(random, &[1, 10, 30]));
    let (probes, resets, suspends) =
        (*pick(random, &[0, 20, 100]), *pick(random, &[5, 40, 200]), *pick(random, &[0, 30, 100]));
    let (resets, suspends) = if both { (resets / 5, suspends / 5) } else { (resets, suspends) };
    let knobs = Knobs { offer: 100, pause, stay, probes, resets, suspends, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// Sections of two priorities, the higher one most of the time, beside barriers that let all go: wake-ups wait, and CTAs are held and run on, so that
/// several sections have a thread to start when the port is free.
pub(super) fn contests(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let priorities = *pick(random, &[[3, 3, 3], [3, 3, 2], [3, 3, 1], [3, 3, 0], [3, 2, 2], [2, 2, 1], [1, 1, 0]]);
    let plan = |random: &mut ChaCha8Rng| {
        let configuration = |random: &mut ChaCha8Rng| Configuration {
            condition: 3,
            reference: 1,
            late: *pick(random, &[LateMode::Join, LateMode::Skip, LateMode::Wait]),
            priority: *pick(random, &priorities),
            class: random.random_range(0..4),
            ..Configuration::default()
        };
        let configurations = (0..size.barriers).map(|_| configuration(random)).collect();
        let site = |barrier, random: &mut ChaCha8Rng| Site {
            critical: random.random_bool(0.6),
            participation: *pick(random, &[Participation::All, Participation::All, Participation::Percent(40)]),
            ..section(random, barrier)
        };
        let sites: Vec<Site> = (0..size.barriers).map(|barrier| site(barrier, random)).collect();
        // First those that let all go.
        let mut steps: Vec<Action> = (0..16).map(|_| Action::Top(random.random_range(0..size.barriers))).collect();
        steps.sort_by_key(|action| sites[action.site()].critical);
        let later = steps.len().min(2);
        steps[later..].shuffle(random);
        sections(random, &size, configurations, sites, steps)
    };
    let mut ctas: Vec<Vec<CtaPlan>> = (0..size.ctas.min(4)).map(|_| (0..3).map(|_| plan(random)).collect()).collect();
    ctas.resize(size.ctas, Vec::new());
    let (wake_stall, wake_burst) = *pick(random, &[(10, 20), (3, 60), (50, 0)]);
    let (pause, stay) = (*pick(random, &[1, 10]), *pick(random, &[1, 10]));
    let (probes, suspends) = (*pick(random, &[0, 60]), *pick(random, &[0, 5, 20]));
    let statics = Statics { reserved_slots: 0, ..statics };
    // Until somebody waits in every slot.
    let hush = *pick(random, &[0, 100, 100, 200]);
    let knobs = Knobs { offer: 100, wake_stall, wake_burst, pause, stay, probes, resets: 0, suspends, hush, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// The first start of all is contested: every CTA's first barrier lets half of its threads go, and they hold the port until the others wait in sections of
/// one priority. Soon over, since nothing else is first.
pub(super) fn first_starts(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let priority = *pick(random, &[3, 3, 3, 2, 1, 0]);
    let plan = |random: &mut ChaCha8Rng| {
        let late = *pick(random, &[LateMode::Join, LateMode::Skip]);
        let configuration = Configuration { condition: 3, reference: 1, late, priority, ..Configuration::default() };
        let site = |barrier: usize, random: &mut ChaCha8Rng| match barrier {
            0 => {
                let participation = Participation::Every { divisor: 2, rest: random.random_range(0..2) };
                Site { critical: false, participation, ..section(random, barrier) }
            }
            _ => Site { participation: Participation::All, ..section(random, barrier) },
        };
        let sites: Vec<Site> = (0..size.barriers).map(|barrier| site(barrier, random)).collect();
        let step = |_| Action::Top(random.random_range(1..size.barriers));
        let steps = [Action::Top(0)].into_iter().chain((0..2).map(step)).collect();
        sections(random, &size, vec![configuration; size.barriers], sites, steps)
    };
    let mut ctas: Vec<Vec<CtaPlan>> = (0..size.ctas.min(4)).map(|_| vec![plan(random)]).collect();
    ctas.resize(size.ctas, Vec::new());
    let statics = Statics { reserved_slots: 0, ..statics };
    let knobs = Knobs { offer: 100, wake_stall: 0, wake_burst: 0, pause: 1, stay: 4, ..knobs };
    Scenario { seed, size, statics, ctas, knobs: Knobs { probes: 0, resets: 0, suspends: 0, hush: 100, ..knobs } }
}
