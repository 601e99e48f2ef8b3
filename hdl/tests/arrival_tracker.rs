//! The arrival side of the barrier system at its ports: answers, completions and timeouts in their exact cycles, at every parameter point.

mod bench;
mod clocks;

use bench::*;
use heddle_hdl::barrier::operation::BarrierOperation::*;

/// BR-43, BR-45, BR-12: a block a cycle arrives; the answer to the last one carries the release, and the next phase starts in the next cycle.
#[test]
fn a_plain_barrier_releases_with_the_last_arrival() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let all = tracker.all();
        for phase in [0, 1, 0] {
            let start = tracker.cycle;
            for block in 0..size.blocks - 1 {
                assert_eq!(tracker.arrive(1, TOP, block, all, all), sleeps(all));
                assert_eq!(tracker.get("sleep_phase"), phase);
            }
            assert_eq!(tracker.arrive(1, TOP, size.blocks - 1, all, all), sleeps(all).releasing(phase, 101));
            assert_eq!(tracker.get("execute_key"), 1);
            assert_eq!(u128::from(tracker.cycle - start), size.blocks, "one block a cycle");
        }
    }
}

/// BR-10, BR-12 (1), BR-16: non-participants count under condition 1 and go on; a second arrival waits for the next phase.
#[test]
fn non_participants_count_once_and_go_on() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let all = tracker.all();
        let first = tracker.arrive(0, TOP, 0, all, 0b10);
        assert_eq!(first, Answer { sleep: 0b10, skip: all & !0b10, ..Answer::default() });
        assert_eq!(tracker.arrive(0, TOP, 0, 0b101, 0b001), waits(0b101), "its second arrival");
        for block in 1..size.blocks {
            let last = tracker.arrive(0, TOP, block, all, 0);
            assert_eq!(last.skip, all);
            assert_eq!(last.release, (block + 1 == size.blocks).then_some((0, 101, false)));
        }
        assert_eq!(tracker.arrive(0, TOP, 0, 0b101, 0b001).sleep, 0b001, "the next phase");
    }
}

/// BR-13: a completion without a participant: idle again, no message, and the phase stays.
#[test]
fn a_completion_without_participants_is_silent() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let all = tracker.all();
        for _ in 0..2 {
            (0..size.blocks).for_each(|block| assert_eq!(tracker.arrive(0, SECTION, block, all, 0), skips(all)));
        }
        assert_eq!(tracker.get("sleep_phase"), 0);
        assert_eq!(tracker.ask(Retire, 0, 0, 0), Answer::default(), "idle");
    }
}

/// BR-12 (2, 3), BR-17: the reference counts all arrivals under 2, participants under 3; "at least", since a block comes at once.
#[test]
fn references_count_what_they_should() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.configure(0, Word { condition: 2, reference: 4, ..Word::default() });
        let mixed = Answer { sleep: 0b01, skip: 0b10, ..Answer::default() };
        assert_eq!(tracker.arrive(0, TOP, 0, 0b11, 0b01), mixed);
        assert_eq!(tracker.arrive(0, TOP, 1, 0b11, 0b11), sleeps(0b11).releasing(0, 101));
        tracker.configure(0, Word { condition: 3, reference: 3, ..Word::default() });
        for _ in 0..3 {
            assert_eq!(tracker.arrive(0, TOP, 0, 0b11, 0), skips(0b11), "they neither count nor start a phase");
        }
        assert_eq!(tracker.ask(Configure, 0, 0, 1), Answer::default(), "still idle");
        tracker.configure(0, Word { condition: 3, reference: 3, ..Word::default() });
        assert_eq!(tracker.arrive(0, TOP, 0, 0b11, 0b01), mixed);
        assert_eq!(tracker.arrive(0, Top { tag: 7, ..TOP }, 0, 0b100, 0), skips(0b100), "never stalled");
        assert_eq!(tracker.arrive(0, TOP, 1, 0b11, 0b11), sleeps(0b11).releasing(1, 101));
    }
}

/// BR-11, BR-15: an id in use at another address makes arrivals wait; the tag is that of the first arrival that counts.
#[test]
fn another_address_waits_until_idle() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let other = Top { tag: 50, ..TOP };
        assert_eq!(tracker.arrive(0, TOP, 0, 1, 1), sleeps(1));
        assert_eq!(tracker.arrive(0, other, 0, 0b10, 0b10), waits(0b10));
        assert_eq!(tracker.arrive(1, other, 0, 0b10, 0b10), sleeps(0b10), "another id");
        assert_eq!(tracker.ask(Reset, 0, 0, 0), Answer::default().releasing(0, 101));
        assert_eq!(tracker.arrive(0, other, 0, 0b100, 0b100), sleeps(0b100));
    }
}

/// BR-14, BR-20, BR-21: a section turns dynamic; late threads wait or join; the finish turns it idle and ends its phase.
#[test]
fn sections_turn_dynamic_and_take_late_threads_as_configured() {
    for size in SIZES {
        for (late, join_all) in [(0, 0), (1, 0), (0, 1)] {
            let mut tracker = Tracker::new(size);
            tracker.set("late_join_all", join_all);
            tracker.configure(0, Word { condition: 3, reference: 2, late, priority: 2, ..Word::default() });
            assert_eq!(tracker.arrive(0, SECTION, 0, 1, 1), sleeps(1));
            let last = tracker.arrive(0, SECTION, 1, 1, 1);
            assert_eq!(last, Answer { dynamic: Some((100, 2)), ..sleeps(1) });
            let late_thread = tracker.arrive(0, SECTION, 0, 0b111, 0b11);
            if late + join_all == 0 {
                assert_eq!(late_thread, Answer { skip: 0b100, wait: 0b011, ..Answer::default() });
            } else {
                assert_eq!(late_thread, Answer { skip: 0b100, sleep: 0b10, wait: 0b01, ..Answer::default() });
                assert_eq!((tracker.get("sleep_rescan"), tracker.get("sleep_done")), (1, 0));
                assert_eq!(tracker.finish(0, true), Answer::default(), "the finish is cancelled");
            }
            let idle = tracker.finish(0, false);
            assert_eq!(idle, Answer { idle: true, release: Some((0, 200, false)), ..Answer::default() });
            assert_eq!(tracker.arrive(0, SECTION, 0, 1, 1), sleeps(1));
            assert_eq!(tracker.get("sleep_phase"), 1);
        }
    }
}

/// BR-23: late mode 6 sleeps until the section ends, done already.
#[test]
fn a_skipping_late_thread_sleeps_done() {
    let mut tracker = Tracker::new(SIZES[1]);
    tracker.configure(0, Word { condition: 3, reference: 1, late: 6, ..Word::default() });
    assert_eq!(tracker.arrive(0, SECTION, 0, 1, 1), sleeps(1).turning_dynamic(100));
    assert_eq!(tracker.arrive(0, SECTION, 0, 0b110, 0b010), Answer { skip: 0b100, ..sleeps(0b010) });
    assert_eq!((tracker.get("sleep_done"), tracker.get("sleep_rescan")), (1, 0));
}

/// BR-22: invalidated when it ends short of its reference; later participants pass, until one comes for the second time.
#[test]
fn an_impatient_conditional_barrier_is_invalidated() {
    for size in SIZES {
        for late in 2..6 {
            let mut tracker = Tracker::new(size);
            tracker
                .configure(0, Word { condition: 5, reference: 4, minimum: 1, late, timeout: 9999, ..Word::default() });
            assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1), sleeps(1).releasing(0, 101), "the minimum");
            assert_eq!(tracker.arrive(0, IMPATIENT, 0, 0b10, 0b10), passes(0b10), "mode {late}");
            assert_eq!(tracker.arrive(0, IMPATIENT, 1, 0b11, 0b01), Answer { skip: 0b10, ..passes(0b01) });
            // Thread 1 passed already: its second arrival starts anew, and thread 2 with it.
            let again = tracker.arrive(0, IMPATIENT, 0, 0b110, 0b110);
            assert_eq!(again, sleeps(0b110).releasing(1, 101));
            assert_eq!(tracker.arrive(0, IMPATIENT, 1, 1, 1), passes(1), "invalidated again");
            let other = Top { tag: 9, ..IMPATIENT };
            assert_eq!(tracker.arrive(0, other, 1, 1, 1), sleeps(1).releasing(0, 10), "another address clears it");
            tracker.ask(Reset, 0, 0, 0);
            assert_eq!(tracker.arrive(0, other, 1, 1, 1), sleeps(1).releasing(1, 10), "so does a reset");
        }
        let mut tracker = Tracker::new(size);
        tracker.configure(0, Word { condition: 5, reference: 1, minimum: 1, late: 2, ..Word::default() });
        for phase in [0, 1] {
            let all_there = tracker.arrive(0, IMPATIENT, 0, 1, 1);
            assert_eq!(all_there, sleeps(1).releasing(phase, 101), "the reference is met: not invalidated");
        }
    }
}

/// BR-24: mode 7 counts on through idle; a thread that has counted starts it anew.
#[test]
fn a_count_goes_on_through_idle() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker
            .configure(0, Word { condition: 5, reference: 3, minimum: 2, late: 7, timeout: 9999, ..Word::default() });
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 0b11, 0b11), sleeps(0b11).releasing(0, 101), "the minimum");
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 0b100, 0b100), sleeps(0b100).releasing(1, 101), "the reference");
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1), sleeps(1), "all was cleared: one alone is not enough");
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 0b10, 0b10), sleeps(0b10).releasing(0, 101));
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1), sleeps(1), "its second arrival starts a phase of one");
    }
}

/// BR-13: a timeout fires between T and T + number of barriers after its event, wherever the scanner is, and then once.
#[test]
fn timeouts_fire_in_their_window() {
    for size in SIZES {
        let barriers = u64::try_from(size.ctas * size.barriers).expect("a small number");
        let mut tracker = Tracker::new(size);
        for timeout in [0, 1, 2, 5, 40, 65535] {
            for offset in 0..if timeout < 10 { barriers } else { 3 } {
                let word = Word { condition: 4, reference: 1000, timeout: timeout.into(), ..Word::default() };
                tracker.configure(1, word);
                (0..offset).for_each(|_| tracker.tick());
                assert_eq!(tracker.arrive(1, IMPATIENT, 0, 1, 1), sleeps(1));
                let (after, answer) = tracker.wait_for_timeout(timeout + barriers + 2).expect("it fires");
                assert!((timeout..=timeout.max(1) + barriers).contains(&after), "{timeout} fired after {after}");
                assert_eq!(tracker.get("execute_key"), 1);
                assert!(answer.release.is_some_and(|(_, address, _)| address == 101));
                assert_eq!(tracker.wait_for_timeout(barriers * 2), None, "once");
            }
        }
    }
}

/// BR-13: the four events from which a timeout counts; BR-16, BR-17: non-participants start or restart the clock once only.
#[test]
fn timeouts_count_from_their_event() {
    for size in SIZES {
        let barriers = u64::try_from(size.ctas * size.barriers).expect("a small number");
        // Participants at 0 and 60, a new non-participant at 20 and 80, the same again at 90: which of them the timeout counts from.
        for (event, from) in [(0, 0), (1, 0), (2, 60), (3, 80)] {
            let mut tracker = Tracker::new(size);
            let timeout = 1000_u64;
            tracker.configure(
                0,
                Word { condition: 4, reference: 1000, timeout: timeout.into(), event, ..Word::default() },
            );
            let mut start = None;
            for (at, mask, participants) in [(0, 1, 1), (20, 2, 0), (60, 4, 4), (80, 8, 0), (90, 8, 0)] {
                while start.is_some_and(|start| tracker.cycle - start < at) {
                    tracker.tick();
                }
                let answer = tracker.arrive(0, IMPATIENT, 0, mask, participants);
                assert_eq!((answer.sleep, answer.skip), (participants, mask & !participants));
                start = start.or(Some(tracker.cycle - 1));
                if at == 0 {
                    start = Some(tracker.cycle - 1);
                }
            }
            let start = start.expect("the first arrival");
            tracker.wait_for_timeout(2000).expect("it fires");
            let after = tracker.cycle - start - 1;
            assert!((from + timeout..=from + timeout + barriers).contains(&after), "event {event}: after {after}");
        }
    }
}

/// BR-17: a non-participant starts the clock of an idle barrier under event 1; it stays idle, and the timeout then completes nothing.
#[test]
fn a_non_participant_starts_the_clock_of_an_idle_barrier() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.configure(0, Word { condition: 4, reference: 1000, timeout: 30, event: 1, ..Word::default() });
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 0), skips(1));
        let (_, answer) = tracker.wait_for_timeout(500).expect("it fires");
        assert_eq!(answer, Answer { timeout: true, ..Answer::default() }, "nothing to complete");
        assert_eq!(tracker.ask(Retire, 0, 0, 0), Answer::default(), "idle");
    }
}

/// BR-28, BR-05, BR-06: every error is precise, named by its lowest cause, and has no effect.
#[test]
fn errors_have_no_effect() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let live = size.blocks * size.threads;
        for word in [0, 6, 7, Word { condition: 5, ..Word::default() }.bits()] {
            assert_eq!(tracker.ask(Configure, 0, 0, word), wrong(4), "illegal configuration {word}");
        }
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1), wrong(4), "impatient under condition 1");
        assert_eq!(tracker.arrive_in(1, 0, TOP, 0, (1, 1)), wrong(4), "an unknown CTA");
        assert_eq!(tracker.ask(Retire, 1, 0, 0), wrong(4), "an unknown CTA");
        tracker.configure(0, Word { condition: 2, reference: live - 1, ..Word::default() });
        assert_eq!(tracker.arrive(0, SECTION, 0, 1, 1), wrong(4), "BR-28");
        assert_eq!(tracker.arrive(0, TOP, 0, 1, 1), sleeps(1), "a conditional barrier may");
        let error = tracker.arrive(0, Top { after: 3, ..TOP }, 0, 0b10, 0b10);
        assert_eq!(error, wrong(3), "another end under the same tag");
        assert_eq!(tracker.arrive(0, SECTION, 0, 0b10, 0b10), wrong(3), "before cause 4");
        assert_eq!(tracker.arrive(0, TOP, 0, 0b11, 0b11), Answer { wait: 1, ..sleeps(0b10) }, "no effect");
        assert_eq!(tracker.ask(Configure, 0, 0, 1), refused(), "not idle");
        let same = Word { condition: 2, reference: live - 1, ..Word::default() };
        assert_eq!(tracker.configure(0, same), Answer::default(), "the value that is there always succeeds");
        tracker.set("inside_error", 1);
        assert_eq!(tracker.arrive(0, TOP, 0, 0b100, 0b100), Answer::default(), "the execution side's error");
        tracker.clear("inside_error");
        assert_eq!(tracker.arrive(0, TOP, 0, 0b100, 0b100), sleeps(0b100), "had no effect");
        assert_eq!(tracker.ask(Retire, 0, 0, 0), refused(), "a barrier is not idle");
    }
}

/// BR-14, BR-39, BR-53: an exited thread satisfies condition 1; the barriers that an exit completes do so one a cycle, lowest id first.
#[test]
fn an_exit_completes_barriers_in_order() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.launch(1, 3);
        for barrier in [0, 1] {
            // A thread never comes twice to one barrier: the sleeper of barrier 1 has arrived at 0 without taking part.
            tracker.arrive_in(1, 0, TOP, 0, (0b10 >> barrier, u128::from(barrier == 1)));
        }
        assert_eq!(tracker.arrive_in(1, 1, TOP, 0, (0b11, 0b10)).sleep, 0b10);
        let steps = tracker.exit(1, 0, 0b100);
        assert_eq!(steps[0].release, Some((0, 101, false)));
        assert_eq!(steps[1].release, Some((0, 101, false)));
        assert!(steps[2..].iter().all(|step| *step == Answer::default()));
        assert_eq!(tracker.ask(Retire, 1, 0, 0), Answer::default());
    }
}

/// BR-39: conditions 2 and 3 complete when every live thread sleeps in the barrier; an exited thread counts for neither.
#[test]
fn a_starved_reference_completes() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.launch(1, 3);
        tracker.ask(Configure, 1, 0, Word { condition: 3, reference: 5, ..Word::default() }.bits());
        assert_eq!(tracker.arrive_in(1, 0, TOP, 0, (0b01, 0b01)), sleeps(0b01));
        assert_eq!(tracker.exit(1, 0, 0b100)[0], Answer::default());
        assert_eq!(tracker.arrive_in(1, 0, TOP, 0, (0b10, 0b10)), sleeps(0b10).releasing(0, 101));
        // Under condition 2 an exited non-participant is counted no more.
        tracker.ask(Configure, 1, 0, Word { condition: 2, reference: 2, ..Word::default() }.bits());
        assert_eq!(tracker.arrive_in(1, 0, TOP, 0, (0b01, 0)), skips(0b01));
        assert_eq!(tracker.exit(1, 0, 0b01)[0], Answer::default());
        assert_eq!(tracker.ask(Retire, 1, 0, 0), Answer::default(), "nobody is left in it: idle");
    }
}

/// BR-05: a launch clears what an earlier CTA left; BR-53: two CTAs whose arrivals interleave do not meet.
#[test]
fn ctas_are_apart_and_launch_clears() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        let all = tracker.all();
        tracker.launch(1, size.threads);
        for block in 0..size.blocks - 1 {
            assert_eq!(tracker.arrive(0, TOP, block, all, all), sleeps(all));
            let other = tracker.arrive_in(1, 0, TOP, 0, (1 << block & all, 1 << block & all));
            assert_eq!(other.sleep, 1 << block & all);
        }
        assert_eq!(tracker.arrive(0, TOP, size.blocks - 1, all, all).release, Some((0, 101, false)));
        tracker.configure(0, Word { condition: 5, reference: 9, minimum: 1, late: 2, ..Word::default() });
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1).release, Some((1, 101, false)));
        assert_eq!(tracker.arrive(0, IMPATIENT, 0, 2, 2), passes(2));
        assert_eq!(tracker.ask(Retire, 0, 0, 0), Answer::default());
        tracker.launch(0, 2);
        assert_eq!(tracker.arrive(0, TOP, 0, 0b10, 0b10), sleeps(0b10), "condition 1, and nothing remembered");
        assert_eq!(tracker.get("sleep_phase"), 0);
        assert_eq!(tracker.arrive(0, TOP, 0, 0b01, 0b01), sleeps(0b01).releasing(0, 101));
    }
}

/// BR-25: a reset of a static section sends its sleepers behind the bottom; a dynamic one is left to the execution side and closed.
#[test]
fn a_reset_releases_or_reports() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.configure(0, Word { condition: 3, reference: 2, late: 1, ..Word::default() });
        assert_eq!(tracker.arrive(0, SECTION, 0, 1, 1), sleeps(1));
        tracker.set("release_busy", 1);
        assert_eq!(tracker.ask(Reset, 0, 0, 0), refused(), "wake-ups are under way");
        tracker.clear("release_busy");
        let reset = tracker.ask(Reset, 0, 0, 0);
        assert_eq!(reset.release, Some((0, 200, true)));
        assert_eq!(tracker.arrive(0, SECTION, 0, 0b11, 0b11), sleeps(0b11).turning_dynamic(100));
        assert_eq!(tracker.ask(Reset, 0, 0, 0), Answer::default());
        assert_eq!(tracker.get("reset_valid"), 1);
        assert_eq!(tracker.arrive(0, SECTION, 0, 0b100, 0b100), waits(0b100), "closed");
        assert!(tracker.finish(0, false).idle);
        assert_eq!(tracker.arrive(0, SECTION, 0, 0b100, 0b100), sleeps(0b100));
    }
}

/// BR-50, BR-51: split phases end when arrivals and transactions are complete; a wait for another phase passes; the second arrival is ignored.
#[test]
fn split_phases_end_with_arrivals_and_transactions() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.launch(1, 0);
        let all = tracker.all();
        assert_eq!(tracker.ask(Expect, 0, 0, 3 << 1), Answer::default());
        assert_eq!(tracker.split_wait(0, 0, 1, 1), passes(1), "phase 1 is over already");
        assert_eq!(tracker.split_wait(0, 0, 1, 0), sleeps(1));
        assert_eq!(tracker.split_arrive(0, 0, all), Answer::default());
        assert_eq!(tracker.split_arrive(0, 0, all), Answer::default(), "ignored");
        assert_eq!(tracker.arrive(0, TOP, 1, 1, 1), waits(1), "a top waits");
        (1..size.blocks).for_each(|block| assert_eq!(tracker.split_arrive(0, block, all), Answer::default()));
        assert_eq!(tracker.ask(Complete, 0, 0, 2 << 1), Answer::default());
        assert_eq!(tracker.ask(Complete, 0, 0, 1 << 1), Answer::default().releasing(0, 301));
        assert_eq!(tracker.split_wait(0, 0, 1, 0), passes(1));
        // The next phase: its last arrival ends it.
        (1..size.blocks).for_each(|block| assert_eq!(tracker.split_arrive(0, block, all), Answer::default()));
        assert_eq!(tracker.split_arrive(0, 0, all).release.map(|release| release.0), Some(1));
        assert_eq!(tracker.arrive(0, TOP, 1, 1, 1), sleeps(1), "idle again");
        assert_eq!(tracker.split_wait(0, 0, 1, 0), waits(1), "now a top uses it");
        assert_eq!(tracker.split_arrive(0, 0, 1), refused());
    }
}

/// BR-51: counts reach -63 and 63 and not further, each phase its own.
#[test]
fn transaction_counts_overflow_at_their_bounds() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        for parity in [0, 1] {
            assert_eq!(tracker.ask(Complete, 0, 1, 63 << 1 | parity), Answer::default());
            assert_eq!(tracker.ask(Complete, 0, 1, 1 << 1 | parity), wrong(5));
            assert_eq!(tracker.ask(Expect, 0, 1, 63 << 1 | parity), Answer::default());
            assert_eq!(tracker.ask(Expect, 0, 1, 63 << 1 | parity), Answer::default());
            assert_eq!(tracker.ask(Expect, 0, 1, 1 << 1 | parity), wrong(5));
            assert_eq!(tracker.ask(Expect, 0, 1, 63 << 1 | parity), wrong(5));
        }
        tracker.ask(Reset, 0, 1, 0);
        assert_eq!(tracker.ask(Expect, 0, 1, 63 << 1), Answer::default(), "a reset clears both");
    }
}

/// A completion is held off while wake-ups of the last one are under way, then tried again; arrivals go on meanwhile (BR-45).
#[test]
fn a_completion_is_held_off_while_wake_ups_are_under_way() {
    for size in SIZES {
        let barriers = u64::try_from(size.ctas * size.barriers).expect("a small number");
        let mut tracker = Tracker::new(size);
        tracker.configure(0, Word { condition: 3, reference: 1, ..Word::default() });
        tracker.set("release_busy", 1);
        assert_eq!(tracker.arrive(0, TOP, 0, 1, 1), sleeps(1), "held off");
        assert_eq!(tracker.arrive(0, TOP, 0, 2, 2), sleeps(2), "joins the same phase");
        (0..3 * barriers).for_each(|_| tracker.tick());
        tracker.set("release_busy", 0);
        let start = tracker.cycle;
        while tracker.get("release_valid") == 0 {
            tracker.tick();
            assert!(tracker.cycle - start <= barriers + 1, "tried again");
        }
        assert_eq!(tracker.get("release_phase"), 0);
        assert_eq!(tracker.get("timeout_valid"), 0);
        assert_eq!(tracker.arrive(0, TOP, 0, 1, 1).release, Some((1, 101, false)));
    }
}

/// BR-26: the last exit of a CTA leaves its barriers idle, without a message, even where transactions are open (BR-51).
#[test]
fn the_last_exit_leaves_idle_barriers() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.exit(0, 0, tracker.all() & !1);
        for block in 1..size.blocks {
            tracker.exit(0, block, tracker.all());
        }
        tracker.ask(Expect, 0, 1, 1 << 1);
        assert_eq!(tracker.split_arrive(1, 0, 1), Answer::default(), "a transaction is open");
        assert_eq!(tracker.ask(Retire, 0, 0, 0), refused());
        assert!(tracker.exit(0, 0, 1).iter().all(|step| *step == Answer::default()));
        assert_eq!(tracker.ask(Retire, 0, 0, 0), Answer::default());
    }
}

/// BR-22, BR-25: an exclusive conditional barrier goes through a slot and is invalidated when it turns idle, unless it was reset meanwhile.
#[test]
fn a_reset_barrier_is_not_invalidated() {
    for size in SIZES {
        for (late, reset) in [(3, false), (3, true), (2, false), (2, true)] {
            let mut tracker = Tracker::new(size);
            tracker
                .configure(0, Word { condition: 5, reference: 4, minimum: 1, late, timeout: 9999, ..Word::default() });
            let top = Top { exclusive: true, ..IMPATIENT };
            assert_eq!(tracker.arrive(0, top, 0, 1, 1), sleeps(1).turning_dynamic(100));
            let meanwhile = tracker.arrive(0, top, 0, 2, 2);
            assert_eq!(meanwhile, if late == 2 { passes(2) } else { waits(2) });
            if reset {
                assert_eq!(tracker.ask(Reset, 0, 0, 0), Answer::default());
            }
            assert_eq!(tracker.finish(0, false).release, Some((0, 101, false)));
            let after = tracker.arrive(0, top, 0, 4, 4);
            assert_eq!(after, if reset { sleeps(4).turning_dynamic(100) } else { passes(4) });
        }
    }
}

/// BR-50: a wait at another address than the sleepers' is presented again; BR-05: a CTA with wake-ups under way is not retired.
#[test]
fn waits_and_retirements_are_put_off() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.set("release_busy_cta", 1);
        assert_eq!(tracker.ask(Retire, 0, 0, 0), refused());
        tracker.clear("release_busy_cta");
        assert_eq!(tracker.split_wait(1, 0, 1, 0), sleeps(1));
        tracker.set("request_tag", 301);
        tracker.threads(0, 2, 0);
        assert_eq!(tracker.ask(SplitWait, 0, 1, 0), waits(2));
        assert_eq!(tracker.ask(SplitWait, 0, 1, 1), passes(2), "the phase is over anyway");
    }
}
