//! The clocks of a CTA that is held to leave stand, however long that takes, and nobody else's do (CX-09, CX-10, BR-13).

use super::bench::*;
use heddle_hdl::barrier::operation::BarrierOperation::*;
use heddle_hdl::barrier::operation::SavedWord;

/// Cycles for which a CTA is held: also more than a timeout can be, and than a clock can count.
const HOLDS: [u64; 8] = [1, 2, 3, 50, 700, 65_536, 70_000, 131_072];

fn impatient(timeout: u64) -> Word {
    Word { condition: 4, reference: 1000, timeout: timeout.into(), ..Word::default() }
}

fn barriers(size: Size) -> u64 {
    u64::try_from(size.ctas * size.barriers).expect("a small number")
}

/// The long ones at the smallest point only, which is simulated fastest.
fn holds(size: Size) -> impl Iterator<Item = u64> {
    HOLDS.into_iter().filter(move |hold| size.barriers == 2 || *hold < 1000)
}

/// CX-10: "timeouts stop meanwhile": a timeout passes as late as its CTA was held long, and not while it is.
#[test]
fn cx_10_a_timeout_is_as_late_as_its_cta_was_held() {
    for size in SIZES {
        for hold in holds(size) {
            for timeout in [6, 40, 400] {
                let mut tracker = Tracker::new(size);
                tracker.configure(1, impatient(timeout));
                assert_eq!(tracker.arrive(1, IMPATIENT, 0, 1, 1), sleeps(1));
                let start = tracker.cycle;
                tracker.hold(0);
                assert_eq!(tracker.wait_for_timeout(hold), None, "it is held");
                tracker.let_go();
                let (_, answer) = match tracker.get("timeout_valid") {
                    1 => (0, tracker.answer()),
                    _ => tracker.wait_for_timeout(timeout + barriers(size) + 2).expect("it fires"),
                };
                assert!(answer.release.is_some_and(|(_, address, _)| address == 101));
                let after = tracker.cycle - start - hold;
                let window = timeout..=timeout + barriers(size);
                assert!(window.contains(&after), "{}: {timeout} fired after {after}, held {hold}", size.point);
            }
        }
    }
}

/// CX-09: the cycles that are left are those that were left when the CTA came to be held, whenever the word is read; then they count on.
#[test]
fn cx_09_a_clock_that_stands_is_saved_as_it_stood() {
    const TIMEOUT: u64 = 60_000;
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.configure(1, impatient(TIMEOUT));
        assert_eq!(tracker.arrive(1, IMPATIENT, 0, 1, 1), sleeps(1));
        let (start, mut stood) = (tracker.cycle, 0);
        for hold in holds(size) {
            let from = tracker.hold(0);
            let left = TIMEOUT - (from - start - stood);
            (0..hold).for_each(|_| tracker.tick());
            for _ in 0..2 {
                assert_eq!(tracker.clock_word(0, 1), u128::from(1 | left << 16), "{}: held {hold}", size.point);
            }
            stood += tracker.let_go() - from;
            for _ in 0..2 {
                let word = tracker.clock_word(0, 1);
                assert_eq!(word, u128::from(1 | (TIMEOUT - (tracker.cycle - start - stood)) << 16), "it runs on");
            }
        }
    }
}

/// BR-13, CX-10: a clock that starts while its CTA is held has all of its time when that runs on.
#[test]
fn cx_10_a_clock_that_starts_in_a_held_cta_waits() {
    for size in SIZES {
        let mut tracker = Tracker::new(size);
        tracker.configure(1, impatient(300));
        tracker.hold(0);
        assert_eq!(tracker.arrive(1, IMPATIENT, 0, 1, 1), sleeps(1));
        assert_eq!(tracker.wait_for_timeout(1000), None);
        assert_eq!(tracker.clock_word(0, 1), 1 | 300 << 16);
        let start = tracker.let_go();
        tracker.wait_for_timeout(400).expect("it fires");
        let after = tracker.cycle - start;
        assert!((300..=300 + barriers(size)).contains(&after), "after {after}");
    }
}

/// BR-13, CX-10: one CTA after the other is held, without a cycle between; each clock loses what its own CTA was held, and a launch that writes
/// while one is held, up to the cycle in which that runs on, takes nothing from anybody.
#[test]
fn cx_10_each_cta_has_its_own_time() {
    const TIMEOUT: u64 = 50_000;
    for size in SIZES {
        for launch in [false, true] {
            let mut tracker = Tracker::new(size);
            tracker.configure(0, impatient(TIMEOUT));
            assert_eq!(tracker.arrive(0, IMPATIENT, 0, 1, 1), sleeps(1));
            let mut started = [tracker.cycle, 0];
            let from = tracker.hold(0);
            tracker.launch(1, 4);
            tracker.ask(Configure, 1, 0, impatient(TIMEOUT).bits());
            assert_eq!(tracker.arrive_in(1, 0, IMPATIENT, 0, (1, 1)), sleeps(1));
            started[1] = tracker.cycle;
            (0..100).for_each(|_| tracker.tick());
            if launch {
                // The other CTA begins anew: its steps are in the execute stage as CTA 0 comes to run on.
                tracker.ask(Reset, 1, 0, 0);
                tracker.exit(1, 0, 0xf);
                assert_eq!(tracker.ask(Retire, 1, 0, 0), Answer::default());
                assert_eq!(tracker.ask(Launch, 1, 0, 4), Answer::default());
            }
            let mut stood = [tracker.let_go() - from, 0];
            if launch {
                tracker.finish_launch();
                tracker.ask(Configure, 1, 0, impatient(TIMEOUT).bits());
                assert_eq!(tracker.arrive_in(1, 0, IMPATIENT, 0, (1, 1)), sleeps(1));
                started[1] = tracker.cycle;
            }
            for cta in [1, 0, 1, 0, 0] {
                let from = tracker.hold(cta as u128);
                (0..70).for_each(|_| tracker.tick());
                for other in [0, 1] {
                    let word = tracker.clock_word(other as u128, 0);
                    let held = if other == cta { tracker.cycle - from } else { 0 };
                    let left = TIMEOUT - (tracker.cycle - started[other] - stood[other] - held);
                    assert_eq!(word, u128::from(1 | left << 16), "{}: CTA {other}, {cta} held", size.point);
                }
                stood[cta] += tracker.let_go() - from;
            }
        }
    }
}

impl Tracker {
    /// The saved word of a barrier's clock: bit 0, it runs; from bit 16 on, the cycles left.
    fn clock_word(&mut self, cta: u128, barrier: u128) -> u128 {
        self.set("request_tag", SavedWord::Clock as u128);
        self.ask(Withdraw, cta, barrier, 0);
        self.get("saved_data")
    }
}
