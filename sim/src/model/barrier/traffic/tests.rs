use super::*;
use crate::model::barrier::backend::ModelScheduler;

#[test]
fn probe_runs() {
    let first: u64 = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let runs: u64 = std::env::var("RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(200);
    let size = match std::env::var("SIZE").as_deref() {
        Ok("m") => Size::MEDIUM,
        Ok("l") => Size::LARGE,
        _ => Size::SMALL,
    };
    let mut failures = 0;
    let mut total = Report::default();
    for seed in first..first + runs {
        let scenario = scenario(seed, size);
        let limits = Limits::of(&size);
        let outcome = if seed % 2 == 0 {
            run(&scenario, &mut ModelScheduler::new(size, scenario.statics), limits)
        } else {
            run(&scenario, &mut ModelScheduler::new(size, scenario.statics).randomly(seed), limits.plus(100))
        };
        match outcome {
            Ok(report) => total.add(&report),
            Err(failure) => {
                failures += 1;
                if failures <= 12 {
                    println!("seed {seed}: {failure}");
                }
                if failures == 1 && std::env::var("SHRINK").is_ok() {
                    let again = |scenario: &Scenario| {
                        if seed % 2 == 0 {
                            run(scenario, &mut ModelScheduler::new(size, scenario.statics), limits)
                        } else {
                            run(
                                scenario,
                                &mut ModelScheduler::new(size, scenario.statics).randomly(seed),
                                limits.plus(100),
                            )
                        }
                    };
                    let small = shrink(&scenario, |candidate| again(candidate).is_err());
                    println!("{small:#?}\n{:?}", again(&small).err());
                }
            }
        }
    }
    println!("{total:#?}");
    assert_eq!(failures, 0);
}
