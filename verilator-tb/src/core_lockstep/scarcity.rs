//! An allocator that has no room for a while, in front of the driver's, which always has some: what is denied the driver does not see asked for. A block whose local memory finds no
//! room stays where it is (CX-05), and its core goes on as if nobody had asked it to leave.

use super::ports::ALLOCATE;
use crate::lockstep::twins::Twins;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Pins;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Of so many requests one is denied, in surroundings in which memory is scarce.
const ONE_OF: u32 = 2;

heddle_hdl::pins! {
    /// The pins of an allocator.
    struct Allocator { allocate_valid, allocate_ready, allocated_valid, allocated_ready, allocated_failed, allocated_pointer }
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The driver answers it.
    Open,
    /// It is denied, if there is one in this cycle.
    Denies,
    /// It was: that is what the core is told, as long as it does not take the answer, and until then nothing more is asked for.
    Owes,
}

/// See the module's page.
pub struct Scarcity {
    pins: Allocator,
    state: State,
    /// Requests of the core that the driver has seen, and not answered: the core takes answers in their order.
    unanswered: u32,
    /// What the driver wants the core to see of its answers, by port.
    beneath: [(usize, u128); 3],
    /// That has to be shown again.
    uncovered: bool,
}

impl Scarcity {
    /// At the ports of a core; none at one that allocates nothing.
    pub fn of(ports: &[Port]) -> Option<Self> {
        ports.iter().any(|port| port.name == ALLOCATE).then(|| {
            let pins = Allocator::of(ports);
            let beneath = [pins.allocated_valid, pins.allocated_failed, pins.allocated_pointer].map(|port| (port, 0));
            Self { pins, state: State::Open, unanswered: 0, beneath, uncovered: false }
        })
    }

    /// The cycle that begins: `inputs` say whether a request is taken in it, and get what the core is shown instead of the driver's answers; `hidden` gets what the driver must not see.
    pub fn draw(&mut self, random: &mut ChaCha8Rng, inputs: &mut Vec<(usize, u128)>, hidden: &mut Vec<usize>) {
        let Allocator { allocate_valid, allocate_ready, allocated_valid, allocated_failed, allocated_pointer, .. } =
            self.pins;
        if std::mem::take(&mut self.uncovered) {
            inputs.extend(self.beneath);
        }
        if self.state == State::Owes {
            inputs.extend([(allocate_ready, 0), (allocated_valid, 1), (allocated_failed, 1)]);
            inputs.push((allocated_pointer, random.random()));
            hidden.push(allocate_valid);
            return;
        }
        let ready = inputs.contains(&(allocate_ready, 1));
        self.state = State::Open;
        if ready && self.unanswered == 0 && random.random_ratio(1, ONE_OF) {
            self.state = State::Denies;
            hidden.push(allocate_valid);
        }
    }

    /// Looks at a settled cycle; the port at which there is a request that is denied in it, if one is.
    pub fn observe(&mut self, twins: &mut Twins) -> Option<usize> {
        let Allocator { allocate_valid, allocate_ready, allocated_valid, allocated_ready, .. } = self.pins;
        let mut both = |one: usize, other: usize| twins.get(one) == 1 && twins.get(other) == 1;
        let (asked, answered) = (both(allocate_valid, allocate_ready), both(allocated_valid, allocated_ready));
        match self.state {
            State::Denies if asked => self.state = State::Owes,
            State::Owes if answered => (self.state, self.uncovered) = (State::Open, true),
            State::Open => self.unanswered = self.unanswered + u32::from(asked) - u32::from(answered),
            State::Denies | State::Owes => return None,
        }
        (self.state == State::Owes).then_some(allocate_valid)
    }

    /// Takes note of what the driver puts on a port; whether the core must not see it.
    pub fn covers(&mut self, port: usize, value: u128) -> bool {
        let known = self.beneath.iter_mut().find(|(known, _)| *known == port);
        let answers = known.map(|(_, beneath)| *beneath = value).is_some();
        answers && self.state == State::Owes
    }
}

#[cfg(test)]
mod tests {
    use super::super::surroundings::{Shared, Surroundings, DENIED, HASTE};
    use super::*;
    use crate::lockstep::rig::Contestant;
    use crate::verilated::Start;
    use heddle_hdl::points;
    use heddle_hdl::simulation::{index_of, Frame, Simulation};
    use std::sync::{Arc, Mutex};

    /// A core that always asks for memory, one request after the other, and takes each answer in the second cycle in which it stands there.
    struct Asker {
        ports: Vec<Port>,
        pins: Frame,
        allocator: Allocator,
        /// Of each answer: whether there was no room, and where it is.
        answers: Arc<Mutex<Vec<(bool, u128)>>>,
    }

    impl Pins for Asker {
        fn set(&mut self, port: usize, value: u128) {
            self.pins.write(port, value);
        }
        fn get(&mut self, port: usize) -> u128 {
            self.pins.read(port)
        }
    }

    impl Simulation for Asker {
        fn ports(&self) -> &[Port] {
            &self.ports
        }
        fn tick(&mut self) {
            let read = |port| self.pins.read(port);
            let Allocator { allocate_valid, allocate_ready, allocated_valid, allocated_ready, .. } = self.allocator;
            let (mut asks, mut takes) = (read(allocate_valid), 0);
            if read(allocated_valid) == 1 {
                takes = 1 - read(allocated_ready);
                if takes == 0 {
                    let answer = (read(self.allocator.allocated_failed) == 1, read(self.allocator.allocated_pointer));
                    self.answers.lock().expect("nobody panicked").push(answer);
                    asks = 1;
                }
            } else if asks == 1 && read(allocate_ready) == 1 {
                asks = 0;
            } else if self.answers.lock().expect("nobody panicked").is_empty() {
                asks = 1;
            }
            self.pins.write(allocate_valid, asks);
            self.pins.write(allocated_ready, takes);
        }
    }

    /// CX-05: of scarce memory some is denied, in the order of the requests; the driver sees the others, and the core its answers. Where memory is not scarce nothing is denied.
    #[test]
    fn cx_05_what_is_denied_the_driver_does_not_see() {
        let ports = (points::find("control_core_suspending", "4x32x32").expect("a point").ports)();
        let allocator = Allocator::of(&ports);
        let at = |name| index_of(&ports, name);
        let (mut denying, mut hasty) = (0, 0);
        for seed in 0..8 {
            let answers = Arc::new(Mutex::new(Vec::new()));
            let pins = Frame::new(&ports);
            let asker = Asker { ports: ports.clone(), pins, allocator, answers: answers.clone() };
            let seen = Shared::default();
            let twins = Twins::of(vec![Contestant::export(asker)], Start::Random(1), &[]);
            let mut surroundings = Surroundings::new(twins, Some(seed), seen.clone());
            surroundings.set(at("reset"), 1);
            surroundings.tick();
            surroundings.set(at("reset"), 0);
            // Blocks that are to leave get the time that the driver gives them, or little.
            surroundings.set(at("suspend_patience"), 20_000);
            let patience = surroundings.get(at("suspend_patience"));
            assert!(patience == 20_000 || HASTE.contains(&patience), "{patience}");
            hasty += u64::from(patience < 20_000);
            // The driver gives away one place after the other, a cycle or more behind each request.
            let (mut given, mut owed): (u128, Option<u128>) = (0, None);
            for _ in 0..12_000 {
                surroundings.set(allocator.allocated_valid, owed.is_some().into());
                surroundings.set(allocator.allocated_pointer, owed.unwrap_or(0));
                surroundings.set(allocator.allocated_failed, 0);
                let taken = surroundings.get(allocator.allocated_ready) == 1;
                let asked = surroundings.get(allocator.allocate_valid) == 1;
                owed = owed.filter(|_| !taken);
                if asked {
                    given += 1;
                    owed = Some(given);
                }
                surroundings.tick();
            }
            drop(surroundings);
            let answers = answers.lock().expect("nobody panicked").clone();
            let places: Vec<u128> = answers.iter().filter(|(failed, _)| !failed).map(|(_, place)| *place).collect();
            assert_eq!(places, (1..=places.len() as u128).collect::<Vec<_>>(), "seed {seed}");
            let denied = answers.iter().filter(|(failed, _)| *failed).count() as u64;
            let seen = seen.lock().expect("nobody panicked").clone();
            assert!(seen.breach.is_none() && places.len() > 100, "{seen:?}");
            assert!(seen.counts.of(DENIED).abs_diff(denied) <= 1, "{denied}: {seen:?}");
            denying += u64::from(denied > 50);
            assert!(denied == 0 || denied > 50, "{denied}");
        }
        assert!((1..8).contains(&denying) && (1..8).contains(&hasty), "{denying} and {hasty} of 8 surroundings");
    }
}
