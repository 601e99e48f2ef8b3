//! What a core does when its driver has left: the cycle in which it said what made the driver leave (an error, or that all have ended), and some more, in which nobody answers. They are compared like
//! all others; without them nobody would see that an export says nothing of an error, or says afterwards that everything is at rest.

use super::ports::{IDLE, REQUESTS};
use crate::lockstep::twins::Twins;
use heddle_hdl::ports::{Direction, Port};
use heddle_hdl::simulation::{Pins, Simulation};

/// So many cycles: an answer that was under way is there, and what woke has been told to the engine.
pub const AFTERMATH: u64 = 64;

/// Runs [so many](AFTERMATH) cycles in which nothing is answered, asked for or taken; but a word that the engine has refused is still there.
pub fn run(twins: &mut Twins) {
    let ports: Vec<Port> = twins.ports().to_vec();
    let place = |name: &str| ports.iter().position(|port| port.name == name);
    let input = |name: &str| place(name).filter(|port| ports[*port].direction == Direction::In);
    let strobes = IDLE.iter().map(|(strobe, _)| *strobe).chain(REQUESTS.iter().map(|asked| asked.ready));
    for port in strobes.chain(["fetch_filled"]).filter_map(input) {
        twins.set(port, 0);
    }
    let (hit, valid, ready) = (input("fetch_hit"), place("offer_valid"), place("offer_ready"));
    for _ in 0..AFTERMATH {
        let is = |twins: &mut Twins, port: Option<usize>| port.is_some_and(|port| twins.get(port) == 1);
        let refused = is(twins, valid) && !is(twins, ready);
        twins.tick();
        if let Some(hit) = hit.filter(|_| !refused) {
            twins.set(hit, 0);
        }
    }
}
