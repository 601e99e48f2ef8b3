//! What the surroundings of a control core know of its barriers: for counters, the watchdog and its reports. No decision rests on it.

use crate::barrier::{Configuration, Size};
use crate::isa::{Action, BarrierOpcode, Instruction};
use crate::lanes::LaneAnswer;
use crate::machine::barriers::{asleep, configuration, count, Answer, Cta, Flight, Issue, Mapping, Top};
use crate::machine::blocks::Resident;
use crate::machine::counters::BarrierCounts;

use super::{Answered, BarrierEdge, BarrierLevels, Looked};

/// See the module's page.
pub(super) struct CoreBarriers {
    mapping: Mapping,
    size: Size,
    stack_mode: bool,
    ctas: Vec<Option<Cta>>,
    /// Instructions that are being answered, by warp, and what BARRIER.CONF configures.
    flights: Vec<Option<(Flight, Option<Configuration>)>>,
    /// Steps that the engine has not taken yet, by warp.
    steps: Vec<usize>,
    /// Threads that sleep.
    asleep: u64,
    last_change: u64,
    counts: BarrierCounts,
}

impl CoreBarriers {
    /// Nothing yet, of a core with `warps` warps of `warp_threads` threads.
    pub(super) fn new(size: Size, warps: usize, warp_threads: usize, stack_mode: bool) -> Self {
        Self {
            mapping: Mapping { warp_threads, block_threads: size.block_threads },
            size,
            stack_mode,
            ctas: vec![None; warps],
            flights: vec![None; warps],
            steps: vec![0; warps],
            asleep: 0,
            last_change: 0,
            counts: BarrierCounts::default(),
        }
    }

    /// A warp of a block of `threads` threads is launched; the first of a block before its others.
    pub(super) fn launched(&mut self, warp: usize, resident: &Resident, threads: usize) {
        match &mut self.ctas[resident.slot] {
            Some(cta) if resident.warp_of_block > 0 => cta.warps.push(warp),
            cta => {
                let (warp_threads, barriers) = (self.mapping.warp_threads, self.size.barriers);
                *cta = Some(Cta::new(resident.block, vec![warp], warp_threads, threads, barriers));
            }
        }
    }

    /// The core presents an instruction.
    pub(super) fn presented(
        &mut self,
        instruction: &Instruction,
        looked: &Looked,
        lanes: &LaneAnswer,
        resident: &Resident,
    ) {
        let Looked { warp, address, active } = *looked;
        let (warp_of_cta, cta) = (resident.warp_of_block as usize, resident.slot);
        let flight = Flight::new(Issue { instruction, warp, warp_of_cta, cta, address, active }, lanes, &self.mapping);
        let configures = instruction.action == Action::Barrier(BarrierOpcode::Configure) && lanes.named != 0;
        let configures = configures.then(|| Configuration::from_word(configuration(instruction, lanes)));
        self.counts.presented += 1;
        let answer = flight.parts.is_empty().then_some(flight.answer);
        self.flights[warp] = Some((flight, configures));
        if let Some(answer) = answer {
            self.landed(warp, resident, answer);
        }
    }

    /// The engine has taken a step of a warp.
    pub(super) fn stepped(&mut self, warp: usize) {
        self.steps[warp] = self.steps[warp].saturating_sub(1);
    }

    /// The instruction of a warp is answered completely; who neither sleeps, skips nor waits goes on.
    fn landed(&mut self, warp: usize, resident: &Resident, answer: Answer) {
        let Some((mut flight, configures)) = self.flights[warp].take() else { return };
        let all = if flight.exits != 0 { flight.exits } else { flight.active };
        flight.answer = Answer { pass: all & !(answer.sleep | answer.skip | answer.wait), ..answer };
        self.steps[warp] = flight.steps(self.stack_mode).len();
        self.counts.answered(&flight.answer);
        self.asleep += count(answer.sleep);
        let Some(cta) = &mut self.ctas[resident.slot] else { return };
        let top = Top { barrier: flight.barrier, address: flight.address };
        cta.landed(resident.warp_of_block as usize, top, &flight.answer, flight.exits);
        if let Some(configures) = configures.filter(|_| answer.wait == 0) {
            cta.configurations[flight.barrier] = configures;
        }
    }

    /// A clock edge that ends `cycle`.
    pub(super) fn edge(&mut self, cycle: u64, edge: &BarrierEdge, residents: &[Option<Resident>]) {
        if let Some((wake, resident)) = edge.woken.and_then(|wake| Some((wake, residents.get(wake.warp)?.as_ref()?))) {
            self.counts.woken += count(wake.threads);
            self.counts.sections += u64::from(wake.inside);
            self.asleep -= count(wake.threads).min(self.asleep);
            if let Some(cta) = &mut self.ctas[resident.slot] {
                cta.wake(resident.warp_of_block as usize, wake.threads, wake.inside);
            }
        }
        self.counts.thread_cycles_asleep += self.asleep;
        self.counts.refused_cycles += u64::from(edge.refused);
        self.counts.dynamic += u64::from(edge.dynamic);
        self.counts.timeouts += u64::from(edge.timeout);
        self.counts.released += u64::from(edge.released);
        if let Some((answer, resident)) =
            edge.answered.and_then(|answer| Some((answer, residents.get(answer.warp)?.as_ref()?)))
        {
            let Answered { warp, sleep, skip, wait } = answer;
            self.landed(warp, resident, Answer { sleep, pass: 0, skip, wait });
        }
        if let Some(cta) = edge.retired.and_then(|slot| self.ctas.get_mut(slot)) {
            *cta = None;
        }
        if edge.changed || !edge.still {
            self.last_change = cycle + 1;
        }
    }

    /// What is known of the block in a slot, which has left.
    pub(super) fn leave(&mut self, slot: usize) -> Option<Cta> {
        let cta = self.ctas.get_mut(slot)?.take()?;
        self.asleep -= asleep(&cta).min(self.asleep);
        Some(cta)
    }

    /// A block is back in a slot, on these warps, each with its number in the block; the others have ended.
    pub(super) fn come_back(&mut self, mut cta: Cta, slot: usize, warps: impl Iterator<Item = (usize, usize)>) {
        self.asleep += asleep(&cta);
        for (number, warp) in warps {
            cta.warps[number] = warp;
        }
        self.ctas[slot] = Some(cta);
    }

    /// Warps whose live threads all sleep.
    pub(super) fn parked(&self) -> u64 {
        let ctas = self.ctas.iter().flatten();
        let warps = ctas.flat_map(|cta| cta.warps.iter().enumerate().map(move |(number, warp)| (cta, number, *warp)));
        let parked = warps.filter(|(cta, number, warp)| self.steps[*warp] == 0 && cta.parked(*number));
        parked.fold(0, |mask, (.., warp)| mask | 1 << warp)
    }

    /// Nothing is under way between core and scheduler, and nobody sleeps.
    pub(super) const fn at_rest(&self, levels: &BarrierLevels) -> bool {
        levels.still && !levels.occupied && self.asleep == 0
    }

    /// For how many cycles nothing has been under way; 0 if something is.
    pub(super) const fn still_for(&self, levels: &BarrierLevels, cycle: u64) -> u64 {
        if levels.still {
            cycle - self.last_change
        } else {
            0
        }
    }

    /// The resident CTAs by slot.
    pub(super) fn ctas(&self) -> &[Option<Cta>] {
        &self.ctas
    }

    /// Which threads of a warp are which threads of a block.
    pub(super) const fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// What was counted.
    pub(super) const fn counts(&self) -> BarrierCounts {
        self.counts
    }
}
