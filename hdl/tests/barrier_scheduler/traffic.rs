//! Threads that run random programs of barriers and sections on the scheduler: what must hold for whoever does so.

use super::{Scheduler, Top, PLAIN, SECTION};
use heddle_hdl::barrier::operation::BarrierOperation::{Bottom, Exit, Retire};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Where a thread is: before its n-th top, or past all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Thread {
    Ready(usize),
    Asleep(usize),
    Inside(usize),
    Done,
}

/// The n-th top of every program: its barrier, and what it opens.
fn top(step: usize, barriers: u128) -> (u128, Top) {
    let kind = [PLAIN, SECTION, Top { blocking: true, ..SECTION }, Top { exclusive: true, ..SECTION }][step % 4];
    let exclusive = kind.exclusive || step % 8 == 4;
    let (tag, after) = (0x1000 + 16 * step as u128, 0x1008 + 16 * step as u128);
    (step as u128 % barriers, Top { tag, after, exclusive, ..kind })
}

/// Runs programs on two CTAs until all threads have exited.
///
/// # Panics
/// If two threads are where one may be, a thread runs a section twice or not at all, out of order, or never comes back.
pub fn run(mut scheduler: Scheduler, seed: u64) {
    const STEPS: usize = 9;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (blocks, threads, barriers) = (scheduler.blocks, scheduler.threads, scheduler.bench.parameter("barriers"));
    let count = (blocks - 1) * threads + random.random_range(1..=threads);
    let mut state = vec![vec![Thread::Done; (blocks * threads) as usize]; 2];
    for (cta, state) in state.iter_mut().enumerate() {
        scheduler.launch(cta as u128, count, |logical| if cta == 0 { logical } else { blocks - 1 - logical });
        for logical in 0..count {
            let (block, offset) = (logical / threads, logical % threads);
            let block = if cta == 0 { block } else { blocks - 1 - block };
            state[(block * threads + offset) as usize] = Thread::Ready(0);
        }
    }
    let logical_id = |cta: usize, thread: usize| {
        let (block, offset) = (thread as u128 / threads, thread as u128 % threads);
        offset + threads * if cta == 0 { block } else { blocks - 1 - block }
    };
    let takes_part = |cta: usize, thread: usize, step: usize| !(cta * 7 + thread * 5 + step * 3).is_multiple_of(4);
    let mut last_inside = vec![vec![None; STEPS]; 2];
    let mut ran = vec![vec![None; (blocks * threads) as usize]; 2];
    let mut idle_cycles = 0;
    scheduler.bench.set("wake_ready", 0);
    while state.iter().flatten().any(|thread| *thread != Thread::Done) {
        idle_cycles += 1;
        assert!(idle_cycles < 3000, "nothing moves any more: {state:?}");
        // A wake-up is taken now and then; requests are made while it waits.
        let shown = scheduler.wake().filter(|_| random.random_ratio(1, 2));
        if let Some((cta, block, mask, address, inside)) = shown {
            idle_cycles = 0;
            scheduler.bench.set("wake_ready", 1);
            scheduler.bench.tick();
            scheduler.bench.set("wake_ready", 0);
            let cta = cta as usize;
            for offset in 0..threads {
                if mask >> offset & 1 == 0 {
                    continue;
                }
                let thread = (block * threads + offset) as usize;
                let Thread::Asleep(step) = state[cta][thread] else { panic!("{:?} is woken", state[cta][thread]) };
                let (id, top) = top(step, barriers);
                if inside {
                    assert_eq!((address, mask.count_ones()), (top.tag + 1, 1));
                    let others = (0..2).flat_map(|other| state[other].iter().map(move |state| (other, *state)));
                    for (other, state) in others {
                        let Thread::Inside(there) = state else { continue };
                        let (there, opened) = self::top(there, barriers);
                        assert!((other, there) != (cta, id), "two threads in one section");
                        assert!(!opened.exclusive && !top.exclusive, "somebody beside an exclusive section");
                    }
                    // A section runs once a step: in logical order, and so nobody twice.
                    assert!(last_inside[cta][step] < Some(logical_id(cta, thread)), "out of order");
                    last_inside[cta][step] = Some(logical_id(cta, thread));
                    state[cta][thread] = Thread::Inside(step);
                    ran[cta][thread] = Some(step);
                } else {
                    assert!(!top.critical || top.blocking, "a section is left by its bottom only");
                    assert!(!top.critical || ran[cta][thread] == Some(step), "a participant was left out");
                    assert_eq!(address, if top.critical { top.after } else { top.tag + 1 });
                    state[cta][thread] = Thread::Ready(step + 1);
                }
            }
            continue;
        }
        // What becomes of somebody chosen at random.
        let awake: Vec<(usize, usize)> = (0..2)
            .flat_map(|cta| (0..state[cta].len()).map(move |thread| (cta, thread)))
            .filter(|(cta, thread)| matches!(state[*cta][*thread], Thread::Ready(_) | Thread::Inside(_)))
            .collect();
        let inside: Vec<_> =
            awake.iter().filter(|(cta, thread)| matches!(state[*cta][*thread], Thread::Inside(_))).collect();
        let choice = if inside.is_empty() || random.random_ratio(1, 2) {
            awake.get(random.random_range(0..awake.len().max(1)))
        } else {
            Some(inside[random.random_range(0..inside.len())])
        };
        let Some((cta, thread)) = choice.copied() else {
            scheduler.bench.tick();
            continue;
        };
        let (block, mut mask) = (thread as u128 / threads, 0);
        let members = (block * threads) as usize..((block + 1) * threads) as usize;
        let was = state[cta][thread];
        for member in members.clone() {
            if state[cta][member] == was && random.random_ratio(3, 4) {
                mask |= 1_u128 << (member - members.start);
            }
        }
        let mut set = |mask: u128, value: &dyn Fn(usize) -> Thread| {
            for member in members.clone() {
                if mask >> (member - members.start) & 1 == 1 {
                    state[cta][member] = value(member);
                }
            }
        };
        match was {
            Thread::Ready(step) if mask != 0 && step < STEPS && !random.random_ratio(1, 40) => {
                let (id, top) = top(step, barriers);
                let participants = members
                    .clone()
                    .filter(|member| takes_part(cta, *member, step))
                    .fold(0, |mask, member| mask | 1 << (member - members.start));
                let answer = scheduler.arrive(cta as u128, id, block, mask, mask & participants, top);
                assert_eq!((answer.error, answer.pass), (0, 0));
                assert_eq!(answer.sleep | answer.skip | answer.wait, mask);
                assert_eq!((answer.sleep & !participants, answer.skip & participants), (0, 0));
                set(answer.sleep, &|_| Thread::Asleep(step));
                set(answer.skip, &|_| Thread::Ready(step + 1));
                if answer.wait != mask {
                    idle_cycles = 0;
                }
            }
            Thread::Ready(_) if mask != 0 => {
                let answer = scheduler.threads_do(Exit, cta as u128, 0, block, mask);
                assert_eq!(answer.error, 0);
                set(mask, &|_| Thread::Done);
                idle_cycles = 0;
            }
            Thread::Inside(step) => {
                let (id, top) = top(step, barriers);
                let mask = 1 << (thread - members.start);
                let operation = if random.random_ratio(1, 20) { Exit } else { Bottom };
                let answer = scheduler.threads_do(operation, cta as u128, id, block, mask);
                assert_eq!(answer.error, 0);
                let next = match (operation, top.blocking) {
                    (Exit, _) => Thread::Done,
                    (_, true) => Thread::Asleep(step),
                    _ => Thread::Ready(step + 1),
                };
                if operation == Bottom {
                    assert_eq!(if top.blocking { answer.sleep } else { answer.pass }, mask);
                }
                set(mask, &|_| next);
                idle_cycles = 0;
            }
            _ => scheduler.bench.tick(),
        }
    }
    assert!(last_inside.iter().all(|steps| steps[1].is_some()), "nobody entered a section");
    scheduler.bench.set("wake_ready", 1);
    for cta in 0..2 {
        for attempt in 0.. {
            if !scheduler.threads_do(Retire, cta, 0, 0, 0).refused {
                break;
            }
            assert!(attempt < 50, "the CTA cannot retire");
        }
    }
    assert_eq!(scheduler.bench.read(["slot_occupied", "fifo_count"]), [0, 0]);
}
