//! Draws scenarios.

mod directed;

use super::{draw, Action, CtaPlan, Knobs, Participation, Scenario, Site};
use crate::barrier::{Configuration, LateMode, Size, Statics, TimeoutEvent};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What an id is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Condition 1, all threads in one order.
    Everybody,
    /// Conditions 2 and 3 with a count that is always reached.
    Counted,
    /// Conditions 4 and 5.
    Impatient,
    /// Impatient, but only a reset ends it.
    Hung,
    /// Split phases.
    Split,
    /// Conditions 2 and 3 with a small count, at the end.
    Tail,
}

/// The scenario of a seed. Eleven in 16 are directed: one fills the slots, one the FIFO, one is about threads that come late to a section that ends, one
/// about sections that exclude others that have begun, one lets every thread of every CTA live at once, in one a section is passed over again and again,
/// in one many sections want the wake port at once, in one the first of all to start do, one is about what idle barriers remember, one about queues
/// whose barriers are reset, and one about split phases alone.
pub fn scenario(seed: u64, size: Size) -> Scenario {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let random = &mut random;
    let statics = statics(random, &size);
    let knobs = Knobs {
        offer: *pick(random, &[20, 60, 100, 100]),
        wake_stall: *pick(random, &[0, 0, 20, 70]),
        wake_burst: 0,
        partial: *pick(random, &[0, 30, 80]),
        pause: *pick(random, &[1, 6, 40]),
        stay: *pick(random, &[1, 4, 30]),
        probes: *pick(random, &[0, 0, 10, 60]),
        resets: *pick(random, &[0, 0, 4, 20]),
        first_stay: 0,
        begin: 0,
        hush: 0,
        // Drawn apart, so that what a seed gave before CTAs could be suspended it still gives. What fills slots and FIFO, and what
        // waits for the end of a section, is seldom reached by CTAs that leave meanwhile.
        suspends: match (draw(seed, [5, 0, 0, 0]) % 16, seed % 16) {
            (0, _) => 30,
            (_, 7 | 13 | 15) | (8.., _) => 0,
            (4.., _) => 5,
            _ => 30,
        },
        passes: false,
    };
    let knobs = match *pick(random, &[0, 0, 0, 100]) {
        0 => knobs,
        wake_burst => Knobs { wake_stall: 3, wake_burst, ..knobs },
    };
    match seed % 16 {
        1 => return directed::remembered(random, seed, size, statics, knobs),
        3 => return exclusives(random, seed, size, statics, knobs),
        5 => return passed_over(random, seed, size, statics, knobs),
        7 => return latecomers(random, seed, size, statics, knobs),
        9 => return directed::queues(random, seed, size, statics, knobs),
        10 => return directed::phases(random, seed, size, statics, knobs),
        11 => return crowd(random, seed, size, statics, knobs),
        12 => return directed::contests(random, seed, size, statics, knobs),
        13 => return fill(random, seed, size, statics, knobs, false),
        14 => return directed::first_starts(random, seed, size, statics, knobs),
        15 => return fill(random, seed, size, statics, knobs, true),
        _ => {}
    }
    // Few CTAs are enough most of the time, and fast.
    let most = if seed.is_multiple_of(8) { size.ctas } else { size.ctas.min(3) };
    let busy = random.random_range(1..=most);
    let mut ctas: Vec<Vec<CtaPlan>> = vec![Vec::new(); size.ctas];
    for plans in &mut ctas[..busy] {
        for _ in 0..random.random_range(1..=2) {
            let most = *pick(random, &[4, 12, size.block_threads * 2, size.threads()]);
            let threads = random.random_range(1..=most.min(size.threads()));
            let exits = *pick(random, &[0, 0, 10, 40]);
            plans.push(cta_plan(random, &size, threads, exits, 8));
        }
    }
    ctas.shuffle(random);
    Scenario { seed, size, statics, ctas, knobs }
}

fn pick<'a, T>(random: &mut ChaCha8Rng, choices: &'a [T]) -> &'a T {
    &choices[random.random_range(0..choices.len())]
}

fn statics(random: &mut ChaCha8Rng, size: &Size) -> Statics {
    let mut class_conflicts = u16::MAX;
    if random.random_bool(0.4) {
        class_conflicts = 0;
        for one in 0..4 {
            for other in 0..=one {
                if random.random_bool(0.5) {
                    class_conflicts |= 1 << (4 * one + other) | 1 << (4 * other + one);
                }
            }
        }
    }
    Statics {
        late_join_all: random.random_bool(0.15),
        exclusive_inside: random.random_bool(0.3),
        class_conflicts,
        reserved_slots: if random.random_bool(0.3) { random.random_range(1..size.slots) } else { 0 },
    }
}

/// A map of logical to physical blocks.
fn map(random: &mut ChaCha8Rng, size: &Size, threads: usize) -> Vec<usize> {
    let mut blocks: Vec<usize> = (0..size.blocks).collect();
    blocks.shuffle(random);
    blocks.truncate(threads.div_ceil(size.block_threads));
    blocks
}

/// A launch of so many threads, of which so many out of a hundred exit early, in a program of fewer than `rounds` rounds.
fn cta_plan(random: &mut ChaCha8Rng, size: &Size, threads: usize, exits: u64, rounds: usize) -> CtaPlan {
    let roles = [Role::Everybody, Role::Counted, Role::Impatient, Role::Impatient, Role::Split, Role::Hung];
    let roles: Vec<Role> = (0..size.barriers)
        .map(|id| if id == size.barriers - 1 && random.random_bool(0.6) { Role::Tail } else { *pick(random, &roles) })
        .collect();
    cta_plan_of(random, size, threads, exits, rounds, &roles)
}

/// Such a launch whose barriers have these roles.
fn cta_plan_of(
    random: &mut ChaCha8Rng,
    size: &Size,
    threads: usize,
    exits: u64,
    rounds: usize,
    roles: &[Role],
) -> CtaPlan {
    let base = random.random_range(0..0x3f_f000) & !0xfff;
    let mut plan = CtaPlan {
        threads,
        map: map(random, size, threads),
        configurations: Vec::new(),
        resettable: Vec::new(),
        hung: Vec::new(),
        sites: Vec::new(),
        steps: Vec::new(),
        exits,
    };
    let mut heads = Vec::new();
    let mut tail = None;
    for (barrier, &role) in roles.iter().enumerate() {
        let (configuration, participation) = configuration(random, role, threads, exits > 0);
        let impatient = configuration.condition >= 4;
        let twice = matches!(role, Role::Everybody | Role::Impatient) && random.random_bool(0.4);
        for place in 0..1 + u32::from(twice) {
            let tag = base + barrier as u32 * 0x100 + place * 0x40;
            // BR-28: a section under condition 2 needs all.
            let partial = configuration.condition == 2 && usize::from(configuration.reference) < threads;
            let site = Site {
                barrier,
                tag,
                after: tag + random.random_range(2..0x30),
                critical: !partial && random.random_bool(0.6) && role != Role::Split,
                ordered: random.random(),
                exclusive: random.random_bool(0.25),
                blocking: random.random(),
                impatient,
                participation,
            };
            if role == Role::Tail {
                tail = Some(plan.sites.len());
            } else {
                heads.push((plan.sites.len(), role));
            }
            plan.sites.push(site);
        }
        if role == Role::Hung {
            plan.hung.push(barrier);
        }
        if matches!(role, Role::Impatient | Role::Tail) {
            plan.resettable.push(barrier);
        }
        plan.configurations.push(configuration);
    }
    let rounds = random.random_range(1..rounds);
    steps(random, &mut plan, &heads, tail, rounds);
    plan
}

/// The program: sites in one order for all, a split phase's WAIT some steps behind its ARRIVE, the tail last.
fn steps(random: &mut ChaCha8Rng, plan: &mut CtaPlan, heads: &[(usize, Role)], tail: Option<usize>, rounds: usize) {
    let mut phases = vec![0; plan.sites.len()];
    let mut open: Vec<Action> = Vec::new();
    for _ in 0..rounds {
        if heads.is_empty() {
            break;
        }
        let &(site, role) = pick(random, heads);
        if role != Role::Split {
            let times = *pick(random, &[1, 1, 1, 2, 4]);
            plan.steps.extend(vec![Action::Top(site); times]);
            continue;
        }
        if let Some(wait) = open.iter().position(|wait| matches!(wait, Action::SplitWait(other, _) if *other == site)) {
            plan.steps.push(open.remove(wait));
        }
        plan.steps.push(Action::SplitArrive(site, phases[site]));
        open.push(Action::SplitWait(site, phases[site]));
        phases[site] += 1;
        if random.random() {
            plan.steps.extend(open.pop());
        }
    }
    plan.steps.extend(open);
    // Who counted under condition 2 without taking part may not exit before the phase has ended: its arrival would no longer count (BR-39).
    let counted = |site: &Site| {
        plan.configurations[site.barrier].condition == 2
            && site.participation != Participation::All
            && tail.is_none_or(|tail| plan.sites[tail] != *site)
    };
    if plan.sites.iter().any(counted) {
        match heads.iter().find(|(_, role)| *role == Role::Everybody) {
            Some(&(like, _)) => {
                let like = plan.sites[like].clone();
                let site =
                    Site { tag: like.tag + 0x80, after: like.after + 0x80, participation: Participation::All, ..like };
                plan.steps.push(Action::Top(plan.sites.len()));
                plan.sites.push(site);
            }
            None => {
                for site in &mut plan.sites {
                    if plan.configurations[site.barrier].condition == 2 {
                        site.participation = Participation::All;
                    }
                }
            }
        }
    }
    if let Some(site) = tail {
        plan.steps.extend(vec![Action::Top(site); random.random_range(1..5)]);
    }
}

fn configuration(random: &mut ChaCha8Rng, role: Role, threads: usize, exits: bool) -> (Configuration, Participation) {
    let any = [Participation::All, Participation::Percent(50), Participation::Percent(90), Participation::Percent(10)];
    let mut participation = *pick(random, &any);
    let mut configuration = Configuration {
        late: *pick(random, &LateMode::ALL),
        event: *pick(random, &TimeoutEvent::ALL),
        priority: random.random_range(0..4),
        class: random.random_range(0..4),
        minimum: random.random_range(1..=4),
        timeout: *pick(random, &[0, 1, 10, 60]),
        reference: random.random_range(0..=threads as u16 + 2),
        ..Configuration::default()
    };
    match role {
        // A kernel with plain barriers leaves them as the launch made them.
        Role::Everybody if random.random_bool(0.3) => configuration = Configuration::default(),
        Role::Everybody => {}
        Role::Split => {
            configuration.condition = if exits { 1 } else { random.random_range(1..=2) };
            configuration.reference = threads as u16;
        }
        Role::Counted => {
            configuration.condition = random.random_range(2..=3);
            configuration.reference = threads as u16;
            let divisor = random.random_range(1..4);
            let rest = random.random_range(0..divisor);
            if random.random_bool(0.3) {
                configuration.reference = 1;
            } else if exits {
                // Who is left meets here, every one: BR-39.
                participation = Participation::All;
            } else if configuration.condition == 3 {
                participation = Participation::Every { divisor, rest };
                configuration.reference = (0..threads).filter(|thread| thread % divisor == rest).count() as u16;
            }
        }
        Role::Impatient => configuration.condition = random.random_range(4..=5),
        Role::Hung => {
            configuration.condition = 4;
            configuration.reference = 1023;
            configuration.timeout = u16::MAX;
        }
        Role::Tail => {
            configuration.condition = random.random_range(2..=3);
            configuration.reference = random.random_range(1..=threads.min(6) as u16);
            if configuration.condition == 2 {
                participation = Participation::All;
            }
        }
    }
    (configuration, participation)
}

/// Every CTA has all the threads that it can have; predicates and exits are random, and wake-ups are often not taken.
fn crowd(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let rounds = if size.threads() > 128 { 2 } else { 4 };
    let exits = *pick(random, &[10, 40]);
    let ctas = (0..size.ctas).map(|_| vec![cta_plan(random, &size, size.threads(), exits, rounds)]).collect();
    // The threads stay until all CTAs are launched and configured.
    let begin = (size.ctas * (1 + 2 * size.barriers) * 4) as u64;
    let knobs = Knobs { offer: 100, wake_stall: *pick(random, &[20, 70]), wake_burst: 0, begin, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// Two blocks of threads and a section that the first few start and all others join late, or are kept from: they come one by one while it
/// runs, and as it ends.
fn latecomers(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let plan = |random: &mut ChaCha8Rng| {
        let configuration = Configuration {
            condition: 3,
            reference: random.random_range(1..=3),
            late: *pick(random, &[LateMode::Join, LateMode::Join, LateMode::Join, LateMode::Skip, LateMode::Wait]),
            ..Configuration::default()
        };
        let barrier = random.random_range(0..size.barriers);
        let site = section(random, barrier);
        let steps = vec![Action::Top(0); random.random_range(2..6)];
        sections(random, &size, vec![configuration; size.barriers], vec![site], steps)
    };
    let mut ctas: Vec<Vec<CtaPlan>> = vec![Vec::new(); size.ctas];
    for plans in &mut ctas[..random.random_range(1..=2)] {
        plans.extend((0..4).map(|_| plan(random)));
    }
    let (pause, stay) = (*pick(random, &[1, 10, 100]), *pick(random, &[1, 8, 30]));
    let knobs = Knobs { offer: 100, wake_stall: 0, partial: 90, pause, stay, probes: 0, resets: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// Sections of all CTAs at once, half of them exclusive; those look only at threads inside ([§122]), so each may find others that have begun.
fn exclusives(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let rounds = *pick(random, &[6, 16]);
    let plan = |random: &mut ChaCha8Rng| {
        let configuration = |random: &mut ChaCha8Rng| Configuration {
            condition: 3,
            reference: 1,
            priority: random.random_range(0..4),
            class: random.random_range(0..4),
            ..Configuration::default()
        };
        let configurations = (0..size.barriers).map(|_| configuration(random)).collect();
        let site = |barrier, random: &mut ChaCha8Rng| Site { exclusive: random.random(), ..section(random, barrier) };
        let sites = (0..size.barriers).map(|barrier| site(barrier, random)).collect();
        let step = |_| Action::Top(random.random_range(0..size.barriers));
        let steps = (0..rounds).map(step).collect();
        sections(random, &size, configurations, sites, steps)
    };
    let busy = size.ctas.min(4);
    let mut ctas: Vec<Vec<CtaPlan>> = (0..busy).map(|_| vec![plan(random)]).collect();
    ctas.resize(size.ctas, Vec::new());
    // As drawn, or all but those of a class with itself.
    let class_conflicts = *pick(random, &[statics.class_conflicts, 0x7bde]);
    let statics = Statics { exclusive_inside: true, reserved_slots: 0, class_conflicts, ..statics };
    let (wake_stall, stay) = (*pick(random, &[0, 30, 70]), *pick(random, &[1, 4]));
    let knobs = Knobs { offer: 100, wake_stall, wake_burst: 0, pause: 40, stay, probes: 0, resets: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}

/// Two CTAs, each in a section of its own that takes late threads: the one of the lower priority is passed over until it has starved, more than once. In
/// half of the runs it then goes on, all its threads together, to a section of the other's priority, and back.
fn passed_over(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs) -> Scenario {
    let threads = 2 * size.block_threads;
    let plan = |random: &mut ChaCha8Rng, priority: u8, steps: usize| {
        let configuration =
            Configuration { condition: 3, reference: 2, late: LateMode::Join, priority, ..Configuration::default() };
        let barrier = random.random_range(0..size.barriers);
        let site = Site { blocking: false, participation: Participation::All, ..section(random, barrier) };
        let map = map(random, &size, threads);
        let steps = vec![Action::Top(0); steps];
        let plan = sections(random, &size, vec![configuration; size.barriers], vec![site], steps);
        CtaPlan { threads, map, ..plan }
    };
    let priorities = *pick(random, &[(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    // So many that 64 pass, whatever the number of threads.
    let often = 160usize.div_ceil(threads).max(2) + random.random_range(0..4);
    let (rich, mut poor) = (plan(random, priorities.0, often), plan(random, priorities.1, 3));
    if random.random() {
        poor.sites[0].blocking = true;
        let barrier = (poor.sites[0].barrier + 1) % size.barriers;
        poor.configurations[barrier].priority = priorities.0;
        poor.sites.push(Site { blocking: true, participation: Participation::All, ..section(random, barrier) });
        poor.steps = [Action::Top(0), Action::Top(1)].repeat(2);
    }
    let mut ctas = vec![vec![rich], vec![poor]];
    ctas.resize(size.ctas, Vec::new());
    ctas.shuffle(random);
    let statics = Statics { reserved_slots: 0, ..statics };
    let knobs = Knobs { offer: 100, wake_stall: 0, wake_burst: 0, pause: 1, stay: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs: Knobs { probes: 0, resets: 0, suspends: 0, passes: true, ..knobs } }
}

/// A section that is not impatient, of a random kind, with random participants.
fn section(random: &mut ChaCha8Rng, barrier: usize) -> Site {
    let tag = (random.random_range(0..0x3f_f000) & !0xfff) | (barrier as u32 * 0x100);
    Site {
        barrier,
        tag,
        after: tag + 2,
        critical: true,
        ordered: random.random(),
        exclusive: false,
        blocking: random.random(),
        impatient: false,
        participation: *pick(random, &[Participation::All, Participation::Percent(30), Participation::Percent(10)]),
    }
}

/// A launch of more than one block of threads, in which nobody exits early and nothing is reset.
fn sections(
    random: &mut ChaCha8Rng,
    size: &Size,
    configurations: Vec<Configuration>,
    sites: Vec<Site>,
    steps: Vec<Action>,
) -> CtaPlan {
    let threads = random.random_range(size.block_threads + 1..=2 * size.block_threads);
    let map = map(random, size, threads);
    CtaPlan { threads, map, configurations, resettable: Vec::new(), hung: Vec::new(), sites, steps, exits: 0 }
}

/// Every barrier of every CTA becomes dynamic while the first section holds everything up, `alone`, or all slots are kept busy.
fn fill(random: &mut ChaCha8Rng, seed: u64, size: Size, statics: Statics, knobs: Knobs, alone: bool) -> Scenario {
    let plan = |random: &mut ChaCha8Rng| {
        let threads = size.barriers.min(size.threads());
        let configuration = |random: &mut ChaCha8Rng| Configuration {
            condition: 3,
            reference: 1,
            late: *pick(random, &[LateMode::Wait, LateMode::Join, LateMode::Skip]),
            priority: random.random_range(0..4),
            ..Configuration::default()
        };
        let site = |barrier: usize, random: &mut ChaCha8Rng| Site {
            barrier,
            tag: barrier as u32 * 0x100,
            after: barrier as u32 * 0x100 + 0x20,
            critical: true,
            ordered: random.random(),
            exclusive: alone,
            blocking: random.random(),
            impatient: false,
            participation: Participation::Every { divisor: size.barriers, rest: barrier },
        };
        CtaPlan {
            threads,
            map: map(random, &size, threads),
            configurations: (0..size.barriers).map(|_| configuration(random)).collect(),
            resettable: Vec::new(),
            hung: Vec::new(),
            sites: (0..size.barriers).map(|barrier| site(barrier, random)).collect(),
            steps: (0..size.barriers).map(Action::Top).collect(),
            exits: 0,
        }
    };
    let ctas = (0..size.ctas).map(|_| vec![plan(random)]).collect();
    let statics = Statics { class_conflicts: u16::MAX, reserved_slots: 0, exclusive_inside: false, ..statics };
    let stay = if alone { knobs.stay } else { 400 };
    // Until every barrier had time to arrive.
    let first_stay = 600 + 16 * size.keys() as u64;
    let knobs = Knobs { offer: 100, stay, first_stay, probes: 0, resets: 0, ..knobs };
    Scenario { seed, size, statics, ctas, knobs }
}
