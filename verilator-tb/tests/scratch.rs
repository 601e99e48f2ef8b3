use heddle_tb::lockstep::bench::*;
use heddle_tb::lockstep::pair::Pair;
use heddle_tb::lockstep::token_deque::TokenDequeSubject;
#[test]
fn scratch() {
    for entry in heddle_hdl::points::entries() {
        if entry.block != "token_deque" {
            continue;
        }
        let shape = Shape::of(&entry);
        let mut counts = Counts::default();
        let t = std::time::Instant::now();
        let mut cycles = 0;
        for seed in 0..40 {
            let stimulus = TokenDequeSubject::stimulus(&shape, seed);
            let mut pair = Pair::new((entry.simulate)(), None);
            let mut bench = TokenDequeSubject::bench(&shape, &(entry.ports)(), &stimulus);
            match run_episode(&mut pair, &mut bench, &mut counts) {
                Ok(c) => cycles += c,
                Err(e) => {
                    println!("{} seed {seed}: {e} {:?}", entry.point, stimulus.settings);
                }
            }
        }
        println!(
            "{} {cycles} cycles {:?} {:?} missing {:?}",
            entry.point,
            t.elapsed(),
            counts,
            counts.missing(TokenDequeSubject::EXPECTED)
        );
    }
}
