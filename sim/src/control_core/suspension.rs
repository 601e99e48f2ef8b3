//! Suspensions on a control core, seen from its surroundings: when a block is to leave and to come back, and what of it the core does not hold: registers,
//! predicates, shared memory (SM-05, CX-09). Everything else the core does by itself.

use std::collections::VecDeque;

use crate::lanes::context::SavedLanes;
use crate::machine::barriers::Cta;
use crate::machine::blocks::Resident;
use crate::machine::local_unit::ContextFault;
use crate::machine::surroundings::Surroundings;
use crate::machine::{place, SuspendFailure, SuspendOptions};

use super::barriers::CoreBarriers;
use super::{SuspendRequest, Suspended, WarpLaunch};

/// Where save areas begin, in words of 64 bits: anywhere but at the beginning of memory.
const BASE: u32 = 0x40;
/// From one to the next: more than a block has words.
const AREA: u32 = (1 << 31) / SuspendOptions::MOST_AWAY as u32;

/// How far a suspension is.
#[derive(Debug)]
enum Stage {
    /// It waits for its cycle.
    Waiting,
    /// The core has been told.
    Leaving { slot: usize, address: u32 },
    /// The core brings its warps back.
    Returning(Box<Away>, Vec<WarpLaunch>),
}

/// A block that is nowhere resident.
#[derive(Debug)]
struct Away {
    /// Its save area, and behind its last word.
    area: u32,
    end: u32,
    block: Vec<(usize, Resident)>,
    lanes: SavedLanes,
    /// What is known of its barriers, if there are any.
    cta: Option<Cta>,
}

/// See the module's page.
#[derive(Debug)]
pub(super) struct CoreSuspension {
    options: SuspendOptions,
    stage: Stage,
    /// Who is nowhere resident, the one that left first in front.
    away: VecDeque<Box<Away>>,
    /// When the last of them left.
    left: u64,
    /// Parts of warps that the engine has given away.
    withdrawn: u64,
}

impl CoreSuspension {
    /// A suspension to come.
    pub(super) const fn new(options: SuspendOptions) -> Self {
        Self { options, stage: Stage::Waiting, away: VecDeque::new(), left: 0, withdrawn: 0 }
    }

    /// Whether a block is on its way, or nowhere.
    pub(super) fn at_work(&self) -> bool {
        !matches!(self.stage, Stage::Waiting) || !self.away.is_empty()
    }

    /// The block that is to leave, if one is: its slot.
    fn next_to_leave(&self, cycle: u64, residents: &[Option<Resident>]) -> Option<usize> {
        let known = |slot: usize| residents.iter().flatten().any(|resident| resident.slot == slot);
        let vacant = (0..residents.len()).find(|slot| self.options.vacant > 0 && !known(*slot));
        let leaves = self.options.leaves(cycle, self.away.len());
        vacant.or_else(|| (0..residents.len()).find(|slot| known(*slot))).filter(|_| leaves)
    }

    /// The first area that nobody's state is in.
    fn free_area(&self) -> u32 {
        let mut areas = (0..).map(|number| BASE + number * AREA);
        let taken = |area: &u32| self.away.iter().any(|away| away.area == *area);
        areas.find(|area| !taken(area)).unwrap_or(BASE)
    }

    /// What the core is asked for in a cycle.
    pub(super) fn request(&self, cycle: u64, residents: &[Option<Resident>]) -> Option<SuspendRequest> {
        if !matches!(self.stage, Stage::Waiting) {
            return None;
        }
        if let Some(slot) = self.next_to_leave(cycle, residents) {
            return Some(SuspendRequest::Leave {
                slot,
                address: self.free_area(),
                patience: self.options.patience.max(1),
            });
        }
        let away = self.away.front().filter(|_| !self.options.waits(cycle, self.away.len(), self.left))?;
        let all = u64::MAX >> (u64::BITS as usize - residents.len());
        let had = away.block.iter().fold(0, |mask, (warp, _)| mask | 1 << warp);
        // On other warps, in another slot; where the core has not twice its warps, anywhere.
        let warps = if residents.len() >= 2 * away.block.len() { all & !had } else { all };
        Some(SuspendRequest::Return { address: away.end, warps })
    }

    /// The core has taken its request.
    pub(super) fn taken(&mut self, request: &SuspendRequest) {
        match *request {
            SuspendRequest::Leave { slot, address, .. } => {
                self.options.vacant = self.options.vacant.saturating_sub(1);
                self.stage = Stage::Leaving { slot, address };
            }
            SuspendRequest::Return { .. } => {
                if let Some(away) = self.away.pop_front() {
                    self.stage = Stage::Returning(away, Vec::new());
                }
            }
        }
    }

    /// The engine has accepted a part of a warp; one that leaves, or one that comes back.
    pub(super) fn moved(&mut self, withdraws: bool) {
        self.withdrawn += u64::from(withdraws);
    }

    /// A warp comes back; the last one brings with it what the core does not hold.
    pub(super) fn launched(
        &mut self,
        launch: &WarpLaunch,
        residents: &mut [Option<Resident>],
        around: &mut Surroundings<'_>,
        barriers: Option<&mut CoreBarriers>,
    ) -> Result<(), ContextFault> {
        let Stage::Returning(away, launches) = &mut self.stage else {
            return Err(ContextFault::strange(format!("launches {launch:?}, which is not away")));
        };
        launches.push(*launch);
        let here = away.block.iter().find(|(_, resident)| resident.warp_of_block as usize == launch.place);
        residents[launch.warp] = here.map(|(_, resident)| Resident { slot: launch.slot, ..*resident });
        around.depths[launch.warp] = 0;
        around.recorder.touch(launch.warp);
        if launches.len() < away.block.len() {
            return Ok(());
        }
        launches.sort_by_key(|launch| launch.place);
        let places = away.block.iter().map(|(_, resident)| resident.warp_of_block as usize);
        if !places.eq(launches.iter().map(|launch| launch.place)) {
            return Err(ContextFault::strange(format!("brings back {launches:?} of {:?}", away.block)));
        }
        let warps: Vec<usize> = launches.iter().map(|launch| launch.warp).collect();
        around.lanes.put_back(&away.lanes, &warps);
        if let (Some(barriers), Some(cta)) = (barriers, away.cta.take()) {
            let numbers = launches.iter().map(|launch| (launch.place, launch.warp));
            barriers.come_back(cta, launches[0].slot, numbers);
        }
        Ok(())
    }

    /// The core has done what it was asked for, or not.
    pub(super) fn done(
        &mut self,
        suspended: &Suspended,
        residents: &mut [Option<Resident>],
        around: &mut Surroundings<'_>,
        barriers: Option<&mut CoreBarriers>,
    ) {
        let now = around.counters.cycles;
        match std::mem::replace(&mut self.stage, Stage::Waiting) {
            Stage::Leaving { slot, address } if suspended.failure == 0 => {
                // The block's warps that are left, in its order.
                let here = residents.iter().enumerate();
                let here = here.filter_map(|(warp, resident)| Some((warp, (*resident)?)));
                let mut block: Vec<_> = here.filter(|(_, resident)| resident.slot == slot).collect();
                block.sort_by_key(|(_, resident)| resident.warp_of_block);
                let warps: Vec<usize> = block.iter().map(|(warp, _)| *warp).collect();
                let Some(lanes) = around.lanes.take_out(&warps) else { return };
                for &warp in &warps {
                    around.locks.forget(warp);
                    around.recorder.finish(now, warp);
                    residents[warp] = None;
                }
                let counts = &mut around.counters.suspensions;
                counts.suspended += 1;
                counts.words += lanes.words() + 2 * u64::from(suspended.end - address);
                // Each warp ends with a withdrawal that finds nothing left.
                counts.tokens += self.withdrawn.saturating_sub(warps.len() as u64);
                self.withdrawn = 0;
                let cta = barriers.and_then(|barriers| barriers.leave(slot));
                self.away.push_back(Box::new(Away { area: address, end: suspended.end, block, lanes, cta }));
                counts.most_away = counts.most_away.max(self.away.len() as u64);
                self.left = now;
            }
            Stage::Leaving { slot, .. } => {
                let block = residents.iter().flatten().find(|resident| resident.slot == slot);
                let (barrier, address) = suspended.section;
                let failure = match suspended.failure {
                    1 => Some(SuspendFailure::NoMemory),
                    2 => Some(SuspendFailure::NoBottom { barrier, top: place(around.kernel, address) }),
                    // The block has ended before it could leave: there will be another one, or none is left.
                    _ => None,
                };
                if let (Some(failure), Some(block)) = (failure, block) {
                    around.suspension_failed(block.block, failure);
                    self.options.times -= 1;
                }
                self.options.at = now.saturating_add(self.options.pause);
            }
            Stage::Returning(..) => {
                around.counters.suspensions.resumed += 1;
                self.options.times -= 1;
                self.options.at = now.saturating_add(self.options.pause);
            }
            Stage::Waiting => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CX-09: a slot in which nobody knows of a block is asked for as often as it should, also where there is no other; then the lowest block that there is.
    #[test]
    fn cx_09_vacant_slots_are_asked_for_first() {
        let options = SuspendOptions { vacant: 2, ..SuspendOptions::at(10) };
        let mut suspension = CoreSuspension::new(options);
        let resident = |slot| Some(Resident { block: 0, warp_of_block: 0, program: 0, priority: 0, slot });
        let asked =
            |suspension: &CoreSuspension, residents: &[Option<Resident>]| match suspension.request(10, residents) {
                Some(SuspendRequest::Leave { slot, .. }) => Some(slot),
                _ => None,
            };
        assert_eq!(suspension.request(9, &[None; 4]), None);
        for residents in [[None; 4], [resident(2), resident(0), None, None]] {
            let request = suspension.request(10, &residents).expect("a slot is vacant");
            assert_eq!(asked(&suspension, &residents), Some(if residents[0].is_none() { 0 } else { 1 }));
            suspension.taken(&request);
            assert!(suspension.at_work() && asked(&suspension, &residents).is_none());
            // There was no block.
            suspension.stage = Stage::Waiting;
        }
        assert_eq!(asked(&suspension, &[None; 4]), None);
        assert_eq!(asked(&suspension, &[resident(3), resident(2), None, None]), Some(2));
        // Where all slots have blocks one of those leaves.
        let all = [resident(0), resident(1), resident(2), resident(3)];
        assert_eq!(asked(&CoreSuspension::new(options), &all), Some(0));
    }
}
