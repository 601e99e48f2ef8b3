//! What the table tells of a warp that is no instruction's answer: that it ends, that it leaves, that something of it moves.

use super::warps::{Busy, End, Slot, Warps};
use crate::lockstep::bench::Counts;
use heddle_hdl::divergence::token::Cause;
use heddle_sim::engine::{Request, SavedToken};
use heddle_sim::model::tree::Table;

impl Warps {
    /// The table says that `warp` halted.
    ///
    /// # Errors
    /// If it has no reason to.
    pub fn done(&mut self, warp: usize, now: u64, counts: &mut Counts) -> Result<(), String> {
        let Some(Slot::Ending(End::Halt, watched)) = self.slots.get(warp) else {
            return Err(format!("DQ-26: warp {warp} halted: {}", self.describe(warp)));
        };
        watched.tree.done()?;
        counts.add("halt");
        self.end(warp, now)
    }

    /// A node or a leaf leaves with `warp`.
    ///
    /// # Errors
    /// If the model has another one, or knows the nodes by other names than before.
    pub fn leaves(&mut self, warp: usize, token: SavedToken) -> Result<(), String> {
        let (Some((known_warp, known)), Slot::Running(watched)) = (self.saved.pop_front(), &mut self.slots[warp])
        else {
            return Err(format!("CX-09: {token:x?} leaves warp {warp}, which has nothing to give"));
        };
        let mut same =
            known_warp == warp && (known.kind, known.mask, known.address) == (token.kind, token.mask, token.address);
        for (name, known) in [(token.node, known.node), (token.above, known.above)] {
            // 0 is nobody; two nodes never share a name.
            let others = watched.names.iter().any(|(other, model)| *model == known && *other != name);
            let first = *watched.names.entry(name).or_insert(known);
            same &= (name == 0) == (known == 0) && first == known && !others;
        }
        if !same {
            return Err(format!("CX-09: {token:x?} leaves warp {warp}, the model has {known:x?} of warp {known_warp}"));
        }
        Ok(())
    }

    /// The table says that `warp` left.
    ///
    /// # Errors
    /// If it has no reason to.
    pub fn left(&mut self, warp: usize, now: u64, counts: &mut Counts) -> Result<(), String> {
        if !matches!(self.slots.get(warp), Some(Slot::Ending(End::Left, _))) {
            return Err(format!("CX-09: warp {warp} left: {}", self.describe(warp)));
        }
        counts.add("withdrawn");
        self.end(warp, now)
    }

    /// The table says that it stopped `warp`, while `pending` was offered.
    ///
    /// # Errors
    /// If it has no reason to, or names another address.
    pub fn error(
        &mut self,
        warp: usize,
        cause: Cause,
        address: u32,
        pending: Option<&Request>,
        now: u64,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let expected = match self.slots.get(warp) {
            Some(Slot::Ending(End::Stop(known, address), watched)) if *known == cause => {
                watched.tree.stopped(cause)?;
                counts.add("lost thread");
                Some(*address)
            }
            // A fatal exception comes before the instruction is taken.
            Some(Slot::Running(watched)) if cause == Cause::Fatal => {
                watched.tree.stopped(cause)?;
                let request = pending.filter(|request| request.warp == warp && self.overflows(request));
                counts.add("fatal");
                request.and(self.tree(warp)).and_then(Table::selected).map(|leaf| leaf.address)
            }
            _ => None,
        };
        match expected {
            Some(known) if known == address => {}
            _ => {
                let known = self.describe(warp);
                return Err(format!("DQ-26: warp {warp} stopped by {cause:?} at {address:#x}: {known}, {expected:x?}"));
            }
        }
        self.end(warp, now)
    }

    /// The table told of the end of `warp`, in the last cycle for which it works for it.
    fn end(&mut self, warp: usize, now: u64) -> Result<(), String> {
        if let Busy::Until(_, free) = self.busy {
            if free != now + 1 {
                return Err(format!("TD-08: warp {warp} ends {} cycles early", free - now - 1));
            }
        }
        self.slots[warp] = Slot::Idle;
        self.busy = Busy::Until(warp, now + 1);
        Ok(())
    }

    /// A leaf or a node of `warp` moved, while `pending` was offered.
    ///
    /// # Errors
    /// If the table had room for all nodes, or more came back than went.
    pub fn exception(
        &mut self,
        warp: usize,
        cause: Cause,
        pending: Option<&Request>,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let opening = pending.is_some_and(|request| request.warp == warp && self.opens(request));
        let nodes = self.tree(warp).map_or(0, |tree| tree.nodes().count()) + usize::from(opening);
        let (Slot::Running(watched) | Slot::Ending(_, watched)) = &mut self.slots[warp] else {
            return Err(format!("TD-09: {cause:?} for warp {warp}, which does not run"));
        };
        watched.tree.exception(cause, nodes, counts).map_err(|what| format!("TD-09: warp {warp}: {what}"))
    }
}
