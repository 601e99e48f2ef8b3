//! The reference walker: a queue of grids, one walk, one word of flags at a time (WD-01 to WD-10).
//!
//! Per cycle it asks for a word, takes one, and shows a set. It is clocked so that it can stand wherever the hardware stands; its
//! cycle counts promise nothing.
//!
//! **Source** US 8,413,151.

use super::Strip;
use crate::launch::{BlockSet, Grid, Inputs, Outputs, Shape, WorkDistributor};
use std::collections::VecDeque;
use std::iter::Peekable;

/// The grid in service.
struct Walk {
    grid: Grid,
    /// Strips that are still to be asked for.
    ahead: Peekable<Box<dyn Iterator<Item = Strip> + Send>>,
    /// Strips that were asked for, the oldest first.
    asked: VecDeque<Strip>,
    /// Words that came back, for the oldest of those.
    came: VecDeque<u64>,
    /// The strip at work, and its flags that have not gone out.
    current: Option<(Strip, u64)>,
    /// The cluster that got a core last, and the core: it keeps that core to its end (WD-10).
    bound: Option<(u64, usize)>,
}

impl Walk {
    fn new(grid: Grid) -> Self {
        let strips: Box<dyn Iterator<Item = Strip> + Send> = Box::new(grid.strips());
        let (asked, came) = (VecDeque::new(), VecDeque::new());
        Self { grid, ahead: strips.peekable(), asked, came, current: None, bound: None }
    }

    fn done(&mut self) -> bool {
        self.current.is_none() && self.asked.is_empty() && self.ahead.peek().is_none()
    }

    /// Goes to the next strip if this one's flags are out.
    fn advance(&mut self) {
        if self.current.is_some_and(|(_, flags)| flags != 0) {
            return;
        }
        self.current = if self.grid.table.is_none() {
            self.ahead.next().map(|strip| (strip, strip.mask))
        } else {
            self.came.pop_front().and_then(|word| self.asked.pop_front().map(|strip| (strip, strip.mask & word)))
        };
    }
}

/// The reference work distributor.
pub struct Walker {
    shape: Shape,
    waiting: VecDeque<Grid>,
    walk: Option<Walk>,
    /// The core that took the last set.
    last: usize,
    inputs: Inputs,
}

impl Walker {
    /// A walker after reset.
    pub fn new(shape: Shape) -> Self {
        Self { shape, waiting: VecDeque::new(), walk: None, last: shape.cores - 1, inputs: Inputs::default() }
    }

    /// The first ready core after the one that took the last set; if none is ready, the one after it (WD-09).
    fn next_core(&self) -> usize {
        let order = (1..=self.shape.cores).map(|step| (self.last + step) % self.shape.cores);
        let ready = |core: &usize| self.inputs.core_ready >> core & 1 == 1;
        order.clone().find(ready).unwrap_or((self.last + 1) % self.shape.cores)
    }

    /// The set on show, with its core and what is left of the strip's flags.
    fn show(&self) -> Option<(BlockSet, usize, u64)> {
        let walk = self.walk.as_ref()?;
        let (strip, mut flags) = walk.current.filter(|(_, flags)| *flags != 0)?;
        let bound = walk.bound.filter(|(cluster, _)| *cluster == strip.cluster && walk.grid.cluster.is_some());
        let core = bound.map_or_else(|| self.next_core(), |(_, core)| core);
        let set = walk.grid.take(strip, &mut flags, self.shape.set);
        Some((set, core, flags))
    }

    /// Address of the next word to ask for, if there is room for its answer.
    fn fetch(&mut self) -> Option<u32> {
        let walk = self.walk.as_mut().filter(|walk| walk.grid.table.is_some())?;
        let room = walk.asked.len() < self.shape.fetches;
        walk.ahead.peek().filter(|_| room).map(|strip| strip.address)
    }

    /// The grid in service, if nothing of it is left.
    fn finished(&mut self) -> Option<u8> {
        let walk = self.walk.as_mut()?;
        let grid = walk.grid.grid;
        walk.done().then_some(grid)
    }
}

impl WorkDistributor for Walker {
    fn settle(&mut self, inputs: &Inputs) -> Outputs {
        self.inputs = inputs.clone();
        let set = self.show();
        Outputs {
            request_ready: self.waiting.len() < self.shape.queue,
            fetch: self.fetch(),
            response_ready: true,
            places: set.as_ref().map_or(0, |(set, ..)| (1 << set.x.len()) - 1),
            set: set.map(|(set, core, _)| (set, core)),
            done: self.finished(),
            busy: self.walk.is_some() || !self.waiting.is_empty(),
        }
    }

    fn tick(&mut self) {
        let inputs = std::mem::take(&mut self.inputs);
        let room = self.waiting.len() < self.shape.queue;
        self.inputs.core_ready = inputs.core_ready;
        if let Some((_, core, flags)) = self.show() {
            if inputs.core_ready >> core & 1 == 1 {
                self.last = core;
                if let Some(walk) = self.walk.as_mut() {
                    walk.bound = walk.current.map(|(strip, _)| (strip.cluster, core));
                    walk.current = walk.current.map(|(strip, _)| (strip, flags));
                }
            }
        }
        let fetch = self.fetch().filter(|_| inputs.fetch_ready);
        if self.finished().is_some() {
            self.walk = None;
        }
        if let Some(walk) = self.walk.as_mut() {
            walk.came.extend(inputs.response);
            if fetch.is_some() {
                walk.asked.extend(walk.ahead.next());
            }
            walk.advance();
        } else if let Some(grid) = self.waiting.pop_front() {
            self.walk = Some(Walk::new(grid));
        }
        match inputs.request.filter(|_| room) {
            Some(grid) if grid.head => self.waiting.push_front(grid),
            Some(grid) => self.waiting.push_back(grid),
            None => {}
        }
    }
}
