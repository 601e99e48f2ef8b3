//! BR-03 part by part: of two barriers that differ in it, each shows its own, whichever was written last.

use super::{Answer, Scheduler, Top, DEFAULT, PLAIN, SECTION};
use crate::support::bench::POINTS;
use heddle_hdl::barrier::operation::BarrierOperation::{Bottom, Configure, Reset};
use rstest::rstest;

/// Where a barrier is: its CTA and its id. Its threads are those of the physical block with the number of the id.
type Place = (u128, u128);

/// A part of a barrier's state: written with a value, and the value read back from what the ports do.
struct Part {
    name: &'static str,
    values: [u128; 2],
    write: fn(&mut Scheduler, Place, u128),
    read: fn(&mut Scheduler, Place) -> u128,
}

const IMPATIENT: Top = Top { impatient: true, ..PLAIN };
const IMPATIENT_SECTION: Top = Top { impatient: true, ..SECTION };

/// Threads of the block of a barrier reach a top; all of them take part.
fn arrive(scheduler: &mut Scheduler, (cta, id): Place, mask: u128, top: Top) -> Answer {
    scheduler.arrive(cta, id, id, mask, mask, top)
}

/// Condition, reference, minimum, timeout, late mode.
fn configure(scheduler: &mut Scheduler, (cta, id): Place, [condition, reference, minimum, timeout, late]: [u128; 5]) {
    scheduler.configure(cta, id, [condition, reference, minimum, timeout, late, 0]);
}

/// The phase of the barrier ends with the answer in this cycle.
fn released(scheduler: &mut Scheduler, (cta, id): Place) -> bool {
    scheduler.bench.read(["release_valid", "release_cta", "release_barrier"]) == [1, cta, id]
}

/// One participant after another arrives until the phase ends: how many that takes.
fn arrivals(scheduler: &mut Scheduler, place: Place, top: Top) -> u128 {
    for thread in 0..3 {
        arrive(scheduler, place, 1 << thread, top);
        if released(scheduler, place) {
            return thread + 1;
        }
    }
    4
}

/// Wake-ups are taken until thread 0 of the barrier's block is inside its section.
fn inside(scheduler: &mut Scheduler, (cta, id): Place) {
    assert_eq!(scheduler.next_wake(1).1, (cta, id, 1, SECTION.tag + 1, true));
}

/// Cycles until the timeout of the barrier is over, 0 if it is not within 1000.
fn timeout(scheduler: &mut Scheduler, (cta, id): Place) -> u128 {
    let key = cta * scheduler.bench.parameter("barriers") + id;
    let waits = |cycle: &u128| {
        let fires = scheduler.bench.read(["timeout_valid", "timeout_key"]) == [1, key];
        if *cycle > 0 {
            scheduler.bench.tick();
        }
        fires
    };
    (1..1000).find(waits).unwrap_or(0)
}

/// All parts but the priority and the class, which take two barriers that compete (BR-36, BR-37), and `ordered`: every section runs in order.
const PARTS: &[Part] = &[
    Part {
        name: "condition",
        values: [1, 3],
        write: |scheduler, place, value| configure(scheduler, place, [value, 1, 0, 0, 0]),
        read: |scheduler, place| if arrivals(scheduler, place, PLAIN) == 1 { 3 } else { 1 },
    },
    Part {
        name: "reference",
        values: [2, 3],
        write: |scheduler, place, value| configure(scheduler, place, [3, value, 0, 0, 0]),
        read: |scheduler, place| arrivals(scheduler, place, PLAIN),
    },
    Part {
        name: "minimum",
        values: [1, 2],
        write: |scheduler, place, value| configure(scheduler, place, [5, 1000, value, 0xffff, 0]),
        read: |scheduler, place| arrivals(scheduler, place, IMPATIENT),
    },
    Part {
        name: "count of those who have arrived",
        values: [1, 2],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 3, 0, 0, 0]);
            arrive(scheduler, place, 0b1100 & (0b1100 << (2 - value)), PLAIN);
        },
        read: |scheduler, place| 3 - arrivals(scheduler, place, PLAIN),
    },
    Part {
        name: "arrived bits",
        values: [0, 1],
        write: |scheduler, (cta, id), value| {
            scheduler.arrive(cta, id, id, 0b0010 | value, 0, PLAIN);
        },
        read: |scheduler, place| arrive(scheduler, place, 1, PLAIN).wait,
    },
    Part {
        name: "timeout",
        values: [100, 600],
        write: |scheduler, place, value| configure(scheduler, place, [4, 1000, 0, value, 0]),
        read: |scheduler, place| {
            arrive(scheduler, place, 1, IMPATIENT);
            let slack = scheduler.bench.parameter("ctas") * scheduler.bench.parameter("barriers");
            let waited = timeout(scheduler, place);
            [100, 600].into_iter().find(|timeout| (*timeout..=timeout + slack).contains(&waited)).unwrap_or(waited)
        },
    },
    Part {
        name: "event from which the timeout counts",
        values: [0, 1],
        write: |scheduler, (cta, id), value| {
            let word = 4 | 1000 << 3 | 50 << 23 | value << 39;
            scheduler.request(Configure, &[("request_cta", cta), ("request_barrier", id), ("request_data", word)]);
        },
        read: |scheduler, (cta, id)| {
            scheduler.arrive(cta, id, id, 1, 0, IMPATIENT);
            (timeout(scheduler, (cta, id)) != 0).into()
        },
    },
    Part {
        name: "tag",
        values: [0x140, 0x180],
        write: |scheduler, place, value| {
            arrive(scheduler, place, 1, Top { tag: value, ..PLAIN });
        },
        read: |scheduler, place| {
            let fits = |tag: &u128| arrive(scheduler, place, 0b0010, Top { tag: *tag, ..PLAIN }).sleep != 0;
            [0x140, 0x180].into_iter().find(fits).unwrap_or(0)
        },
    },
    Part {
        name: "address after the bottom",
        values: [0x240, 0x280],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 2, 0, 0, 0]);
            arrive(scheduler, place, 1, Top { after: value, ..SECTION });
        },
        // Where a reset sends its sleepers.
        read: |scheduler, (cta, id)| {
            assert_eq!(scheduler.threads_do(Reset, cta, id, id, 0), DEFAULT);
            scheduler.next_wake(1).1 .3
        },
    },
    Part {
        name: "type",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 2, 0, 0, 0]);
            arrive(scheduler, place, 1, Top { critical: value == 1, ..PLAIN });
        },
        read: |scheduler, place| {
            // The same top again, of either type: the other one is an error, and has no effect.
            let sleeps = |critical: &bool| {
                let answer = arrive(scheduler, place, 0b0010, Top { critical: *critical, ..PLAIN });
                assert_eq!(answer.error != 0, answer.sleep == 0);
                answer.sleep != 0
            };
            u128::from([false, true].into_iter().find(sleeps).expect("one of them fits"))
        },
    },
    Part {
        name: "exclusive",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 2, 0, 0, 0]);
            arrive(scheduler, place, 1, Top { exclusive: value == 1, ..SECTION });
        },
        read: |scheduler, place| {
            let mut differs = |exclusive| arrive(scheduler, place, 0b0010, Top { exclusive, ..SECTION }).error != 0;
            differs(false).into()
        },
    },
    Part {
        name: "blocking",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 1, 0, 0, 0]);
            arrive(scheduler, place, 1, Top { blocking: value == 1, ..SECTION });
            inside(scheduler, place);
        },
        read: |scheduler, (cta, id)| scheduler.threads_do(Bottom, cta, id, id, 1).sleep,
    },
    Part {
        name: "impatient",
        values: [0, 1],
        write: |scheduler, place, value| configure(scheduler, place, [[3, 4][value as usize], 1000, 0, 0xffff, 0]),
        read: |scheduler, place| (arrive(scheduler, place, 1, PLAIN).error != 0).into(),
    },
    Part {
        name: "late mode",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [5, 1000, 1, 0xffff, value]);
            arrive(scheduler, place, 1, IMPATIENT_SECTION);
            inside(scheduler, place);
        },
        read: |scheduler, place| arrive(scheduler, place, 0b0010, IMPATIENT_SECTION).sleep >> 1,
    },
    Part {
        name: "rescan flag",
        values: [0, 1],
        write: |scheduler, (cta, id), value| {
            configure(scheduler, (cta, id), [5, 1000, 1, 0xffff, 1]);
            arrive(scheduler, (cta, id), 1, IMPATIENT_SECTION);
            inside(scheduler, (cta, id));
            scheduler.quiet(20);
            arrive(scheduler, (cta, id), value << 1, IMPATIENT_SECTION);
        },
        read: |scheduler, (cta, id)| {
            scheduler.threads_do(Bottom, cta, id, id, 1);
            let found = (0..20).find_map(|_| {
                let wake = scheduler.wake();
                scheduler.bench.tick();
                wake
            });
            found.is_some_and(|wake| wake == (cta, id, 0b0010, SECTION.tag + 1, true)).into()
        },
    },
    Part {
        name: "invalidated flag",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [5, [1, 1000][value as usize], 1, 0xffff, 2]);
            assert_eq!(arrivals(scheduler, place, IMPATIENT), 1);
        },
        read: |scheduler, place| arrive(scheduler, place, 0b0010, IMPATIENT).pass >> 1,
    },
    Part {
        name: "phase",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 1, 0, 0, 0]);
            for phase in 0..value {
                assert_eq!(arrive(scheduler, place, 1, PLAIN).sleep, 1);
                assert_eq!(scheduler.bench.get("release_phase"), phase);
                // The next phase may end only when this one's sleepers are awake.
                scheduler.next_wake(1);
                scheduler.quiet(20);
            }
        },
        read: |scheduler, place| {
            arrive(scheduler, place, 0b0010, PLAIN);
            assert!(released(scheduler, place));
            scheduler.bench.get("release_phase")
        },
    },
    Part {
        name: "idle, static or dynamic",
        values: [0, 1],
        write: |scheduler, place, value| {
            configure(scheduler, place, [3, 2 - value, 0, 0, 0]);
            arrive(scheduler, place, 1, SECTION);
        },
        // Static, it takes a second participant; dynamic, and without a mode for late ones, it does not.
        read: |scheduler, place| arrive(scheduler, place, 0b0010, SECTION).wait >> 1,
    },
];

/// BR-03: every part of a barrier's state is its own: of two ids of one CTA, and of one id of two CTAs, whichever was written first and whichever
/// holds which value. Here BR-36 and BR-37 hold the priority and the class; a read may change what it reads, so each is read once.
#[rstest]
fn br_03_each_barrier_has_its_own_state(#[values(0, 1, 2)] point: usize) {
    for part in PARTS {
        for places in [[(0, 0), (0, 1)], [(0, 1), (0, 0)], [(0, 1), (1, 1)], [(1, 0), (0, 1)]] {
            for values in [part.values, [part.values[1], part.values[0]], [part.values[1]; 2]] {
                let mut scheduler = Scheduler::new(POINTS[point]);
                for cta in 0..2 {
                    let (blocks, threads) = (scheduler.blocks, scheduler.threads);
                    scheduler.launch(cta, blocks * threads, |logical| logical);
                }
                for (place, value) in places.into_iter().zip(values) {
                    (part.write)(&mut scheduler, place, value);
                }
                for (place, value) in places.into_iter().zip(values) {
                    let name = part.name;
                    assert_eq!(
                        (part.read)(&mut scheduler, place),
                        value,
                        "{name} of {place:?}: {places:?}, {values:?}"
                    );
                }
            }
        }
    }
}
