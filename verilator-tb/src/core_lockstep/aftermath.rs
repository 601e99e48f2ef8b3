//! What a core does when its driver has left: the cycle in which it said what made the driver leave (an error, or that all have ended), and some more, in which nobody answers. They are compared like
//! all others; without them nobody would see that an export says nothing of an error, or says afterwards that everything is at rest.

use super::ports::{IDLE, REQUESTS};
use crate::lockstep::twins::Twins;
use heddle_hdl::ports::Direction;
use heddle_hdl::simulation::{Pins, Simulation};

/// So many cycles: an answer that was under way is there, and what woke has been told to the engine.
pub const AFTERMATH: u64 = 64;

heddle_hdl::pins! {
    /// The word of an instruction, and what is offered to the engine.
    struct Fetching { fetch_hit, fetch_filled, offer_valid, offer_ready }
}

/// Runs [so many](AFTERMATH) cycles in which nothing is answered, asked for or taken; but a word that the engine has refused is still there.
pub fn run(twins: &mut Twins) {
    let pins = Fetching::of(twins.ports());
    let strobes: Vec<&str> =
        IDLE.iter().map(|(strobe, _)| *strobe).chain(REQUESTS.iter().map(|asked| asked.ready)).collect();
    let is_quiet = |place: &usize| {
        let port = twins.ports()[*place];
        *place == pins.fetch_filled || port.direction == Direction::In && strobes.contains(&port.name)
    };
    let quiet: Vec<usize> = (0..twins.ports().len()).filter(is_quiet).collect();
    quiet.into_iter().for_each(|port| twins.set(port, 0));
    for _ in 0..AFTERMATH {
        let refused = twins.get(pins.offer_valid) == 1 && twins.get(pins.offer_ready) == 0;
        twins.tick();
        if !refused {
            twins.set(pins.fetch_hit, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_lockstep::SUSPENDING;
    use crate::lockstep::rig::Contestant;
    use crate::verilated::Start;
    use heddle_hdl::points;
    use heddle_hdl::ports::Port;
    use heddle_hdl::simulation::Frame;
    use std::sync::{Arc, Mutex};

    /// A core that offers an instruction as long as its word is there, and whose engine refuses so many.
    struct Refusing {
        ports: Vec<Port>,
        pins: Frame,
        refuses: usize,
        /// Its inputs at each edge.
        edges: Arc<Mutex<Vec<Frame>>>,
    }

    impl Pins for Refusing {
        fn set(&mut self, port: usize, value: u128) {
            self.pins.write(port, value);
        }
        fn get(&mut self, port: usize) -> u128 {
            let (pins, edges) = (Fetching::of(&self.ports), self.edges.lock().expect("nobody panicked").len());
            match port {
                port if port == pins.offer_valid => self.pins.read(pins.fetch_hit),
                port if port == pins.offer_ready => (edges >= self.refuses).into(),
                port => self.pins.read(port),
            }
        }
    }

    impl Simulation for Refusing {
        fn ports(&self) -> &[Port] {
            &self.ports
        }
        fn tick(&mut self) {
            self.edges.lock().expect("nobody panicked").push(self.pins.clone());
        }
    }

    /// XV-02: behind the driver all strobes and answers are low from the first cycle on, whatever it left there, and the word of an instruction from that on in which its engine has taken it.
    #[test]
    fn xv_02_nobody_answers_behind_the_driver() {
        let ports = (points::find(SUSPENDING, "4x32x32").expect("a point").ports)();
        let pins = Fetching::of(&ports);
        let named = |name: &&str| ports.iter().position(|port| port.name == *name).expect("a port of this core");
        let low: Vec<usize> =
            ["grid_valid", "memory_request_ready", "memory_response_valid", "access_valid", "fetch_filled"]
                .iter()
                .map(named)
                .collect();
        let untouched = named(&"block_threads");
        for refuses in [0, 7] {
            let edges = Arc::new(Mutex::new(Vec::new()));
            let frame = Frame::new(&ports);
            let core = Refusing { ports: ports.clone(), pins: frame, refuses, edges: edges.clone() };
            let mut twins = Twins::of(vec![Contestant::export(core)], Start::Random(1), &[]);
            for port in low.iter().chain([&pins.fetch_hit, &untouched]) {
                twins.set(*port, 1);
            }
            run(&mut twins);
            let edges = edges.lock().expect("nobody panicked");
            assert_eq!(edges.len() as u64, AFTERMATH);
            assert!(edges.iter().all(|edge| low.iter().all(|port| edge.read(*port) == 0)));
            assert!(edges.iter().all(|edge| edge.read(untouched) == 1));
            let present = edges.iter().map(|edge| edge.read(pins.fetch_hit)).take_while(|hit| *hit == 1).count();
            let later = edges.iter().skip(present).all(|edge| edge.read(pins.fetch_hit) == 0);
            assert!(present == refuses + 1 && later, "{present}");
        }
    }
}
