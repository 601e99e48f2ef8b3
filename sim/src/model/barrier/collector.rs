//! A conditional barrier across cores (BR-52).
//!
//! Each core reports how many of its threads have arrived in a phase; when every core that takes part has reached its expected number, the
//! phase is released to all of them, and each acknowledges before the next phase can be released. A core may run ahead by one phase: who
//! has seen the release reports arrivals of the next phase while others have still to acknowledge. A core that exits has arrived for ever and
//! owes no acknowledgement.
//!
//! **Source** the project's; BR-52.

/// What a report or acknowledgement must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// A phase that is neither the open one nor, after the core's acknowledgement, the next.
    #[error("core {0} reports arrivals of a phase that is not open to it")]
    Phase(usize),
    /// More arrivals than expected.
    #[error("core {0} reports more arrivals than it has threads")]
    Count(usize),
    /// An acknowledgement of nothing.
    #[error("core {0} acknowledges what was not released to it")]
    Acknowledgement(usize),
}

/// One core's part in one barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    /// Threads that take part; 0: the core does not.
    expected: u32,
    /// Arrivals of the open phase and of the next.
    arrived: [u32; 2],
    owes_acknowledgement: bool,
    exited: bool,
}

/// One barrier id.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shared {
    parts: Vec<Part>,
    phase: bool,
    releasing: bool,
}

/// The collector of several cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    barriers: Vec<Shared>,
}

impl Collector {
    /// No barrier has participants.
    pub fn new(cores: usize, barriers: usize) -> Self {
        let shared = Shared { parts: vec![Part::default(); cores], phase: false, releasing: false };
        Self { barriers: vec![shared; barriers] }
    }

    /// How many threads of each core take part in a barrier; it starts in phase 0.
    pub fn configure(&mut self, barrier: usize, expected: &[u32]) {
        let shared = &mut self.barriers[barrier];
        shared.phase = false;
        shared.releasing = false;
        for (part, &expected) in shared.parts.iter_mut().zip(expected) {
            *part = Part { expected, ..Part::default() };
        }
    }

    /// `count` threads of a core arrive in a phase.
    pub fn arrive(&mut self, core: usize, barrier: usize, phase: bool, count: u32) -> Result<(), Misuse> {
        let shared = &mut self.barriers[barrier];
        let ahead = phase != shared.phase;
        let part = &mut shared.parts[core];
        if part.exited || ahead != (shared.releasing && !part.owes_acknowledgement) {
            return Err(Misuse::Phase(core));
        }
        let arrived = &mut part.arrived[usize::from(ahead)];
        if *arrived + count > part.expected {
            return Err(Misuse::Count(core));
        }
        *arrived += count;
        Ok(())
    }

    /// A core leaves: it has arrived for ever.
    pub fn exit(&mut self, core: usize, barrier: usize) {
        let part = &mut self.barriers[barrier].parts[core];
        part.exited = true;
        part.owes_acknowledgement = false;
    }

    /// A cycle: the phase that is released in it, if one is.
    pub fn cycle(&mut self, barrier: usize) -> Option<bool> {
        let shared = &mut self.barriers[barrier];
        if shared.releasing && shared.parts.iter().all(|part| !part.owes_acknowledgement) {
            shared.releasing = false;
            shared.phase = !shared.phase;
            for part in &mut shared.parts {
                part.arrived = [part.arrived[1], 0];
            }
        }
        let takes_part = shared.parts.iter().any(|part| part.expected > 0 && !part.exited);
        let complete = shared.parts.iter().all(|part| part.exited || part.arrived[0] == part.expected);
        if shared.releasing || !takes_part || !complete {
            return None;
        }
        shared.releasing = true;
        for part in shared.parts.iter_mut().filter(|part| part.expected > 0 && !part.exited) {
            part.owes_acknowledgement = true;
        }
        Some(shared.phase)
    }

    /// A core has taken the release.
    pub fn acknowledge(&mut self, core: usize, barrier: usize) -> Result<(), Misuse> {
        let part = &mut self.barriers[barrier].parts[core];
        if !std::mem::take(&mut part.owes_acknowledgement) {
            return Err(Misuse::Acknowledgement(core));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-52: released when all that take part have arrived, acknowledged by each, phase after phase.
    #[test]
    fn br_52_collects_and_releases() -> Result<(), Misuse> {
        let mut collector = Collector::new(3, 2);
        collector.configure(1, &[2, 0, 3]);
        for phase in [false, true, false] {
            collector.arrive(0, 1, phase, 2)?;
            collector.arrive(2, 1, phase, 1)?;
            assert_eq!(collector.cycle(1), None, "two arrivals are missing");
            collector.arrive(2, 1, phase, 2)?;
            assert_eq!(collector.cycle(1), Some(phase));
            assert_eq!(collector.cycle(1), None, "released once");
            collector.acknowledge(0, 1)?;
            collector.acknowledge(2, 1)?;
            assert_eq!(collector.acknowledge(1, 1), Err(Misuse::Acknowledgement(1)));
            assert_eq!(collector.cycle(1), None, "a new phase has no arrivals");
        }
        assert_eq!(collector.cycle(0), None, "nobody takes part in barrier 0");
        Ok(())
    }

    /// BR-52: who has acknowledged may arrive in the next phase while another has not, and that phase is not released before.
    #[test]
    fn br_52_the_next_phase_waits_for_acknowledgements() -> Result<(), Misuse> {
        let mut collector = Collector::new(2, 1);
        collector.configure(0, &[1, 1]);
        collector.arrive(0, 0, false, 1)?;
        collector.arrive(1, 0, false, 1)?;
        assert_eq!(collector.cycle(0), Some(false));
        assert_eq!(collector.arrive(0, 0, true, 1), Err(Misuse::Phase(0)), "not acknowledged yet");
        collector.acknowledge(0, 0)?;
        collector.arrive(0, 0, true, 1)?;
        assert_eq!(collector.cycle(0), None);
        collector.acknowledge(1, 0)?;
        assert_eq!(collector.cycle(0), None);
        collector.arrive(1, 0, true, 1)?;
        assert_eq!(collector.cycle(0), Some(true));
        Ok(())
    }

    /// BR-52: a core that exits has arrived for ever and owes no acknowledgement, also while one is due.
    #[test]
    fn br_52_an_exit_is_an_arrival_for_ever() -> Result<(), Misuse> {
        let mut collector = Collector::new(2, 1);
        collector.configure(0, &[4, 2]);
        collector.arrive(0, 0, false, 4)?;
        assert_eq!(collector.cycle(0), None);
        collector.exit(1, 0);
        assert_eq!(collector.cycle(0), Some(false));
        collector.acknowledge(0, 0)?;
        assert_eq!(collector.cycle(0), None);
        collector.arrive(0, 0, true, 4)?;
        assert_eq!(collector.cycle(0), Some(true));
        collector.exit(0, 0);
        assert_eq!(collector.cycle(0), None, "nobody is left");
        Ok(())
    }
}
