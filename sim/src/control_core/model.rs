//! The reference composition of a control core: the reference models of its parts, wired as the chapter says, without barriers.
//!
//! It is there for the driver around a core, which is tested with it, and for tests that want a core without hardware.

use std::collections::BTreeMap;

use crate::engine::{Configuration, Engine, Fetch, Kind, Mask, Request};
use crate::isa::{decode, Action, BarrierOpcode};
use crate::lanes::request_of;
use crate::launch::{Inputs as FeedInputs, Shape, WorkDistributor};
use crate::machine::blocks::BlockLauncher;
use crate::machine::WarpScheduler;
use crate::model::work_distributor::walker::Walker;

use super::{Answer, ControlCore, Decision, Edge, Inputs, Look, Looked, Offered, Origin, Setup, Start, WarpLaunch};

/// See the module's page.
pub struct ModelCore {
    engine: Box<dyn Engine>,
    distributor: Walker,
    blocks: BlockLauncher,
    scheduler: WarpScheduler,
    block_threads: usize,
    /// Grid and place of each block that was taken, by the number that the launcher knows it by.
    places: Vec<(u8, [u16; 3])>,
    /// Priorities of the grids that were requested, by name.
    priorities: BTreeMap<u8, u16>,
    inputs: Inputs,
    looked: Option<Looked>,
    pending: Option<(Looked, Request)>,
}

impl ModelCore {
    /// A core around an engine at rest; none if a block needs more warps than the engine has, or the program has barriers.
    pub fn new(engine: Box<dyn Engine>, setup: &Setup) -> Option<Self> {
        if setup.barriers.is_some() {
            return None;
        }
        let Configuration { warps, threads, .. } = *engine.configuration();
        let block_threads = setup.block_threads as usize;
        Some(Self {
            blocks: BlockLauncher::of_blocks(block_threads, warps, threads, warps)?,
            scheduler: WarpScheduler::new(setup.scheduler, warps),
            engine,
            distributor: Walker::new(Shape::CORE),
            block_threads,
            places: Vec::new(),
            priorities: BTreeMap::new(),
            inputs: Inputs::default(),
            looked: None,
            pending: None,
        })
    }

    fn launch(&mut self) -> Option<WarpLaunch> {
        let (warp, resident) = self.blocks.next()?;
        let width = self.engine.configuration().threads;
        let place = resident.warp_of_block as usize;
        let present = self.block_threads.saturating_sub(place * width).clamp(1, width);
        let threads = Mask::MAX >> (Mask::BITS as usize - present);
        self.engine.launch(warp, threads, resident.program);
        self.scheduler.launched(warp, resident.priority);
        let (grid, block) = self.places[resident.block as usize];
        let (slot, priority) = (resident.slot, resident.priority);
        Some(WarpLaunch { warp, slot, place, threads, block, grid, priority, resumes: false })
    }

    /// The distributor's clock edge.
    fn feed(&mut self, edge: &mut Edge) {
        let room = self.blocks.room() > 0;
        let outputs = self.distributor.settle(&FeedInputs {
            request: self.inputs.grid.map(|request| request.grid),
            fetch_ready: true,
            response: self.inputs.table,
            core_ready: room.into(),
        });
        if let Some(request) = self.inputs.grid.filter(|_| outputs.request_ready) {
            edge.grid_taken = true;
            self.priorities.insert(request.grid.grid, request.priority);
        }
        edge.table_taken = self.inputs.table.is_some() && outputs.response_ready;
        edge.table_request = outputs.fetch;
        edge.grid_done = outputs.done.is_some();
        edge.block_waits = outputs.set.is_some() && !room;
        if let Some((set, _)) = outputs.set.filter(|_| room) {
            edge.block_taken = true;
            for x in set.x {
                let priority = self.priorities.get(&set.grid).copied().unwrap_or(0);
                self.blocks.begin(self.places.len() as u32, set.program, priority);
                self.places.push((set.grid, [x, set.y, set.z]));
            }
        }
        self.distributor.tick();
    }
}

impl Look for ModelCore {
    fn fetch(&mut self, warp: usize) -> Fetch {
        self.engine.fetch(warp)
    }

    fn disabled(&mut self, warp: usize, reason: Kind) -> Mask {
        self.engine.disabled(warp, reason)
    }
}

impl ControlCore for ModelCore {
    fn name(&self) -> String {
        format!("{} core", self.engine.name())
    }

    fn suspends(&self) -> bool {
        false
    }

    fn groups(&self) -> usize {
        0
    }

    fn priorities(&self) -> u16 {
        u16::MAX
    }

    fn configuration(&self) -> &Configuration {
        self.engine.configuration()
    }

    fn begin(&mut self, inputs: &Inputs) -> Start {
        self.inputs = *inputs;
        let slots = self.blocks.slots();
        let launch = self.launch();
        let ready = self.engine.ready();
        self.looked = match self.pending {
            Some((looked, _)) => Some(looked),
            None => self.scheduler.choose(ready & !inputs.busy).map(|warp| {
                let Fetch { address, active } = self.engine.fetch(warp);
                Looked { warp, address, active }
            }),
        };
        Start { ready, occupied: self.blocks.occupied(), slots, launch, looked: self.looked, ..Start::default() }
    }

    fn decide(&mut self, answer: Option<&Answer>) -> Decision {
        let (Some(looked), Some(answer)) = (self.looked, answer) else { return Decision::Nothing };
        let Ok(instruction) = decode(answer.word) else { return Decision::Illegal };
        match instruction.action {
            Action::Barrier(BarrierOpcode::ConditionalBottom) => {}
            Action::Barrier(_) => return Decision::Illegal,
            _ => {}
        }
        let request = request_of(&instruction, looked.warp, looked.active, &answer.lanes);
        let accepted = self.engine.offer(&request);
        self.pending = (!accepted).then_some((looked, request));
        if accepted {
            self.scheduler.issued(looked.warp);
        }
        Decision::Offer(Offered { origin: Origin::Instruction, request, accepted })
    }

    fn tick(&mut self) -> Edge {
        let mut edge = Edge { events: self.engine.tick(), ..Edge::default() };
        self.feed(&mut edge);
        for &warp in &edge.events.done {
            if let Some(slot) = self.blocks.finish(warp) {
                edge.last = true;
                self.blocks.retire(slot);
            }
        }
        edge
    }
}
