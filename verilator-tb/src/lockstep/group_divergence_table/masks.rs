//! The store of masks as a group uses it: which columns come and go with a report, a union, a wake-up, and in how many cycles (TD-10).

use super::GroupShape;
use crate::lockstep::bench::Counts;
use crate::lockstep::tree_blocks::{MaskRow, Place};
use heddle_hdl::divergence::token::Operation;
use heddle_sim::engine::{Mask, Request};
use heddle_sim::model::tree::group::Group;
use heddle_sim::model::tree::set::GroupSet;

/// Cycles of a mask that is stored, beside one for each column that is looked at.
const STORE: usize = 2;
/// The same of a union.
const UNION: usize = 4;

/// A row a position.
pub struct Masks {
    rows: Vec<MaskRow>,
}

impl Masks {
    /// A group at its launch.
    ///
    /// # Errors
    /// None of a group that has just been launched.
    pub fn launch(threads: &[Mask], shape: &GroupShape, counts: &mut Counts) -> Result<Self, String> {
        let mut masks = Self { rows: vec![MaskRow::new(shape.columns); threads.len()] };
        for (position, mask) in threads.iter().enumerate() {
            masks.store(position, *mask, counts)?;
        }
        Ok(masks)
    }

    /// The column of a mask that is in use; 0 for nobody.
    pub fn index(&self, position: usize, mask: Mask) -> Option<usize> {
        if mask == 0 {
            Some(0)
        } else {
            self.rows[position].column(mask.into())
        }
    }

    /// Gives the columns that are looked at. Masks of a warp in use are disjoint, so none is there already, and there is a column for each.
    fn store(&mut self, position: usize, mask: Mask, counts: &mut Counts) -> Result<usize, String> {
        let (place, looked) = self.rows[position].store(mask.into());
        match place {
            Place::Nobody => {}
            Place::New(_) => counts.add("new column"),
            Place::Reused(_) => counts.add("column used again"),
            Place::There(_) | Place::Full => return Err(format!("TD-10: {mask:#x} of position {position}: {place:?}")),
        }
        Ok(looked)
    }

    fn forget(&mut self, position: usize, mask: Mask) -> Result<(), String> {
        let column = self.rows[position].column(mask.into());
        let column = column.ok_or_else(|| format!("TD-10: position {position} has no column for {mask:#x}"))?;
        self.rows[position].drop_column(column);
        Ok(())
    }

    /// A warp reports: gives the cycles until the next one may.
    ///
    /// # Errors
    /// A mask that has no column.
    pub fn report(
        &mut self,
        position: usize,
        active: Mask,
        along: bool,
        request: &Request,
        counts: &mut Counts,
    ) -> Result<u64, String> {
        let named = if along { active & request.mask } else { 0 };
        let rest = active & !named;
        let goes = matches!(request.operation, Operation::Exit | Operation::Sleep) && named != 0;
        let parts = !matches!(request.operation, Operation::Step | Operation::Push) && named != 0 && rest != 0;
        if !goes && !parts {
            counts.add("warp that keeps its mask");
            return Ok(0);
        }
        counts.add(if goes { "warp of which some go" } else { "warp that parts" });
        self.forget(position, active)?;
        let mut cycles = 0;
        if !goes {
            cycles += STORE + self.store(position, named, counts)?;
        }
        if parts {
            cycles += STORE + self.store(position, rest, counts)?;
        }
        Ok(cycles as u64)
    }

    /// Those named arrive where others have: gives the cycles of the unions.
    ///
    /// # Errors
    /// A mask that has no column.
    pub fn unite(&mut self, arrived: GroupSet, named: GroupSet, counts: &mut Counts) -> Result<u64, String> {
        let (mut cycles, mut united) = (0, 0);
        for position in 0..self.rows.len() {
            let (arrived, named) = (arrived.0[position], named.0[position]);
            if arrived != 0 && named != 0 {
                self.forget(position, arrived)?;
                self.forget(position, named)?;
                cycles += UNION + self.store(position, arrived | named, counts)?;
                united += 1;
            }
        }
        if united > 1 {
            counts.add("union in several warps");
        }
        Ok(cycles as u64)
    }

    /// Threads wake: gives the cycles until they have a column.
    ///
    /// # Errors
    /// If they have one.
    pub fn wake(&mut self, position: usize, threads: Mask, counts: &mut Counts) -> Result<u64, String> {
        Ok((STORE + self.store(position, threads, counts)?) as u64)
    }

    /// The columns in use are those of the masks of the group's nodes, no more.
    ///
    /// # Errors
    /// A row that has others.
    pub fn check(&self, group: &Group, shape: &GroupShape, counts: &mut Counts) -> Result<(), String> {
        for (position, row) in self.rows.iter().enumerate() {
            // The model counts the index of nobody.
            let known = group.masks().used(group.mapping()[position]) - 1;
            if row.used() != known {
                return Err(format!("TD-10: {} columns of position {position} are in use, not {known}", row.used()));
            }
            if row.used() >= shape.sizes.threads / 2 {
                counts.add("a mask for half the threads of a warp");
            }
        }
        Ok(())
    }
}
