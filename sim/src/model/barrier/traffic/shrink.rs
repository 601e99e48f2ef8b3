//! Makes a failing scenario smaller while it keeps failing (XV-02).

use super::{Action, Knobs, Scenario};

/// Candidates that are tried at most; each costs a run on a fresh scheduler.
const MOST_CANDIDATES: usize = 1500;

/// The smallest failing scenario found. `fails` has to be true for the scenario itself.
pub fn shrink(scenario: &Scenario, mut fails: impl FnMut(&Scenario) -> bool) -> Scenario {
    let mut best = scenario.clone();
    let mut left = MOST_CANDIDATES;
    loop {
        let before = best.clone();
        for candidate in candidates(&best) {
            // Candidates are drawn from what was best at the time; the first that fails takes over.
            if left == 0 {
                return best;
            }
            left -= 1;
            if candidate != best && fails(&candidate) {
                best = candidate;
                break;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// Scenarios that are a little simpler, the boldest first.
fn candidates(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Scenario)| {
        let mut candidate = scenario.clone();
        change(&mut candidate);
        all.push(candidate);
    };
    for cta in 0..scenario.ctas.len() {
        with(&|candidate| candidate.ctas[cta].clear());
        for launch in 0..scenario.ctas[cta].len() {
            with(&|candidate| {
                candidate.ctas[cta].remove(launch);
            });
        }
    }
    let Knobs { probes, resets, wake_stall, partial, suspends, .. } = scenario.knobs;
    if probes + resets + wake_stall + partial + suspends > 0 {
        with(&|candidate| candidate.knobs.suspends = 0);
        with(&|candidate| candidate.knobs.probes = 0);
        with(&|candidate| candidate.knobs.resets = 0);
        with(&|candidate| candidate.knobs.wake_stall = 0);
        with(&|candidate| candidate.knobs.wake_burst = 0);
        with(&|candidate| candidate.knobs.partial = 0);
    }
    for (cta, plans) in scenario.ctas.iter().enumerate() {
        for (launch, plan) in plans.iter().enumerate() {
            with(&|candidate| candidate.ctas[cta][launch].exits = 0);
            for site in 0..plan.sites.len() {
                // A split phase goes with all its ARRIVEs and WAITs, or the program would not be legal.
                with(&|candidate| candidate.ctas[cta][launch].steps.retain(|action| action.site() != site));
            }
            for step in (0..plan.steps.len()).filter(|step| matches!(plan.steps[*step], Action::Top(_))) {
                with(&|candidate| {
                    candidate.ctas[cta][launch].steps.remove(step);
                });
            }
        }
    }
    with(&|candidate| candidate.knobs.pause = 1);
    with(&|candidate| candidate.knobs.stay = 1);
    with(&|candidate| candidate.knobs.offer = 100);
    all
}
