//! What surroundings hold back, hold up and hold, and what they let the driver see.

use super::*;
use crate::core_lockstep::aftermath::AFTERMATH;
use crate::lockstep::rig::Contestant;
use crate::verilated::Start;
use heddle_hdl::points;
use std::collections::BTreeMap;

/// A core whose outputs are what the test says: it fetches, and asks for words of flags.
struct Puppet {
    ports: Vec<Port>,
    pins: Frame,
    fetch: usize,
    request: usize,
    address: usize,
    /// It changes its mind while it waits.
    fickle: bool,
    /// What its inputs were at each edge.
    edges: Arc<Mutex<Vec<Frame>>>,
}

impl Pins for Puppet {
    fn set(&mut self, port: usize, value: u128) {
        self.pins.write(port, value);
    }
    fn get(&mut self, port: usize) -> u128 {
        self.pins.read(port)
    }
}

impl Simulation for Puppet {
    fn ports(&self) -> &[Port] {
        &self.ports
    }
    fn tick(&mut self) {
        self.edges.lock().expect("nobody panicked").push(self.pins.clone());
        let address = self.pins.read(self.address) + u128::from(self.fickle);
        for (port, value) in [(self.fetch, 1), (self.request, 1), (self.address, address)] {
            self.pins.write(port, value);
        }
    }
}

/// Runs a puppet for some cycles with `fetch_word` at 77; what was seen, the edges, and in how many cycles the driver saw both requests.
fn run(rough: Option<u64>, fickle: bool, cycles: u64) -> (Seen, Vec<Frame>, u64) {
    let ports = (points::find("control_core", "4x32x16").expect("a point").ports)();
    let at = |name| index_of(&ports, name);
    let edges = Arc::new(Mutex::new(Vec::new()));
    let (fetch, request, address) = (at("fetch_valid"), at("table_request_valid"), at("table_request_address"));
    let puppet = Puppet {
        pins: Frame::new(&ports),
        ports: ports.clone(),
        fetch,
        request,
        address,
        fickle,
        edges: edges.clone(),
    };
    let seen = Shared::default();
    let twins = Twins::of(vec![Contestant::export(puppet)], Start::Random(1), &[]);
    let mut surroundings = Surroundings::new(twins, rough, seen.clone());
    for (name, value) in [("reset", 1), ("fetch_hit", 1), ("table_request_ready", 1), ("fetch_word", 77)] {
        surroundings.set(at(name), value);
    }
    surroundings.tick();
    surroundings.set(at("reset"), 0);
    let mut both = 0;
    for _ in 0..cycles {
        // The driver looks at a warp in between, and away.
        for (name, value) in [("observe_warp", 3), ("observe_valid", 1), ("observe_valid", 0)] {
            surroundings.set(at(name), value);
        }
        both += u64::from(surroundings.get(fetch) == 1 && surroundings.get(request) == 1);
        surroundings.tick();
    }
    drop(surroundings);
    let (seen, mut edges) =
        (seen.lock().expect("nobody panicked").clone(), edges.lock().expect("nobody panicked").clone());
    assert_eq!(edges.len() as u64, 1 + cycles + AFTERMATH);
    edges.truncate(1 + cycles as usize);
    (seen, edges, both)
}

/// XV-02: calm surroundings are not there; rough ones let words miss and requests wait, which the driver then does not see, and name the words that come.
#[test]
fn xv_02_what_is_not_taken_is_not_seen() {
    let (seen, _, both) = run(None, false, 200);
    assert_eq!((both, seen.cycles, seen.breach), (200, 201 + AFTERMATH, None));
    assert_eq!([MISSED, STALLED, LOOKED].map(|what| seen.counts.of(what)), [0; 3]);
    let (seen, edges, both) = run(Some(4), false, 20_000);
    assert_eq!(seen.breach, None);
    assert!(
        (5_000..15_000).contains(&both) && seen.counts.of(MISSED) > 2_000 && seen.counts.of(STALLED) > 2_000,
        "{both} {seen:?}"
    );
    let ports = (points::find("control_core", "4x32x16").expect("a point").ports)();
    let at = |name| index_of(&ports, name);
    let filled = edges.iter().filter(|edge| edge.read(at("fetch_filled")) != 0).count();
    assert!(filled > 500, "{filled}");
    // The word means something in every cycle, the answer of lanes that are not asked in none.
    assert!(edges.iter().all(|edge| edge.read(at("fetch_word")) == 77));
    assert!(edges.iter().skip(1).filter(|edge| edge.read(at("lane_named")) != 0).count() > 10_000);
    // An observer looks for some cycles, at any warp, and then away.
    let looks: Vec<&[Frame]> =
        edges.split(|edge| edge.read(at("observe_valid")) == 0).filter(|look| !look.is_empty()).collect();
    assert!(looks.len() > 50 && looks.iter().all(|look| look.len() <= LONGEST_LOOK as usize), "{}", looks.len());
    assert_eq!(looks.iter().map(|look| look.len() as u64).sum::<u64>(), seen.counts.of(LOOKED));
    let still = |look: &[Frame], name| look.iter().all(|edge| edge.read(at(name)) == look[0].read(at(name)));
    assert!(looks.iter().all(|look| still(look, "observe_warp") && still(look, "observe_kind")));
    let warps: BTreeSet<u128> = looks.iter().map(|look| look[0].read(at("observe_warp"))).collect();
    assert_eq!(warps, (0..4).collect());
    // Mostly a port is busy for a few cycles, now and then for very long.
    let busy: Vec<usize> = edges.split(|edge| edge.read(at("table_request_ready")) == 1).map(<[Frame]>::len).collect();
    let jams = busy.iter().filter(|length| **length >= JAM.start as usize).count();
    assert!((1..=JAMS as usize).contains(&jams), "{jams}");
    assert!(busy.iter().all(|length| *length < 10 || *length >= JAM.start as usize), "{busy:?}");
}

/// XV-02: what surroundings hold stands there from the first edge to the last, whatever the driver writes, in some runs; other ports, and calm surroundings, leave it to the driver.
#[test]
fn xv_02_what_is_held_stands() {
    let ports = (points::find("control_core_tree", "4x32x64").expect("a point").ports)();
    let at = |name| index_of(&ports, name);
    let mut held = BTreeMap::new();
    for rough in [None].into_iter().chain((0..24).map(Some)) {
        let edges = Arc::new(Mutex::new(Vec::new()));
        let [fetch, request, address] = ["fetch_valid", "table_request_valid", "table_request_address"].map(at);
        let (pins, ports, edges) = (Frame::new(&ports), ports.clone(), edges);
        let seen = edges.clone();
        let puppet = Puppet { ports, pins, fetch, request, address, fickle: false, edges };
        let twins = Twins::of(vec![Contestant::export(puppet)], Start::Random(1), &[]);
        let mut surroundings = Surroundings::new(twins, rough, Shared::default());
        for cycle in 0..20_u128 {
            surroundings.set(at("reset"), u128::from(cycle == 0));
            // The driver says nothing of the slots, and the same of sections all the time.
            surroundings.set(at("exchange_interval"), cycle);
            surroundings.set(at("exclusive_inside"), 0);
            surroundings.set(at("late_join_all"), cycle % 2);
            surroundings.tick();
        }
        let edges = seen.lock().expect("nobody panicked");
        let values = |name| edges.iter().map(|edge| edge.read(at(name))).collect::<Vec<_>>();
        assert_eq!(values("late_join_all"), (0..20).map(|cycle| cycle % 2).collect::<Vec<_>>());
        for (name, driven) in [("exchange_interval", true), ("exclusive_inside", false), ("reserved_slots", false)] {
            let values = values(name);
            let of_driver: Vec<u128> = (0..20).map(|cycle| if driven { cycle } else { 0 }).collect();
            if values != of_driver {
                assert!(rough.is_some() && values.iter().all(|value| *value == values[0]), "{name}: {values:?}");
                *held.entry(name).or_insert(0) += 1;
            }
        }
    }
    assert!(held.len() == 3 && held.values().all(|runs| (4..20).contains(runs)), "{held:?}");
}

/// XV-02: a request that changes before it is taken is against the conventions, and is named.
#[test]
fn xv_02_a_request_that_changes_is_noticed() {
    let (_, what) = run(Some(4), true, 200).0.breach.expect("it changes");
    assert!(what.contains("table_request_valid"), "{what}");
}
