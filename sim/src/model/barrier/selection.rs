//! In which order a section's threads are found (BR-02, BR-31, BR-33), as a block of its own.
//!
//! The execution mask (participant, asleep, not done) is looked at one thread block at a time, in logical order over the map. A pass that
//! ended with the rescan flag set is followed by another, and the flag is cleared when that one *starts*.
//!
//! **Source** CN 104050032, [§103-107, §115-118]; BR-33.

use crate::barrier::BlockMask;

/// What a look at a block gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// This thread starts next: physical block and offset. The pass stays at its block.
    Thread(usize, usize),
    /// Nothing here; the pass went on by a block.
    Empty,
    /// The pass has ended with the flag set; another one has started.
    Again,
    /// The pass has ended with the flag clear: no one is left.
    Ended,
}

/// The pass of one slot over its section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    block: usize,
    rescan: bool,
}

impl Pass {
    /// A pass from the first logical block on.
    pub fn start() -> Self {
        Self::default()
    }

    /// A thread joins late: the flag is set, whatever else happens in this cycle.
    pub fn join(&mut self) {
        self.rescan = true;
    }

    /// Looks at the present logical block. `map` gives the physical block of each logical one, `masks` the execution mask of each physical one.
    pub fn look(&mut self, map: &[usize], masks: &[BlockMask]) -> Look {
        let Some(&physical) = map.get(self.block) else {
            self.block = 0;
            return if std::mem::take(&mut self.rescan) { Look::Again } else { Look::Ended };
        };
        match masks[physical] {
            0 => {
                self.block += 1;
                Look::Empty
            }
            mask => Look::Thread(physical, mask.trailing_zeros() as usize),
        }
    }
}

/// The threads of a section in logical order, as physical block and offset.
pub fn logical_order(map: &[usize], masks: &[BlockMask]) -> Vec<(usize, usize)> {
    let block = |&physical: &usize| {
        let mask = masks[physical];
        (0..64).filter(move |offset| mask >> offset & 1 != 0).map(move |offset| (physical, offset))
    };
    map.iter().flat_map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass_over(pass: &mut Pass, map: &[usize], masks: &mut [BlockMask]) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        loop {
            match pass.look(map, masks) {
                Look::Thread(block, offset) => {
                    masks[block] &= !(1 << offset);
                    order.push((block, offset));
                }
                Look::Empty | Look::Again => {}
                Look::Ended => return order,
            }
        }
    }

    /// BR-02, BR-31: lowest logical id first, though the blocks lie elsewhere.
    #[test]
    fn br_02_31_logical_order_over_the_map() {
        let map = [2, 0, 3];
        let mut masks = [0b101, 0b1111, 0b1000, 0b1];
        let expected = vec![(2, 3), (0, 0), (0, 2), (3, 0)];
        assert_eq!(logical_order(&map, &masks), expected);
        assert_eq!(pass_over(&mut Pass::start(), &map, &mut masks), expected);
    }

    /// BR-33: a thread that joins behind the pass is found by another one; without the flag it would be lost.
    #[test]
    fn br_33_a_late_thread_behind_the_pass_is_found() {
        let map = [0, 1];
        let mut masks = [0, 0b10];
        let mut pass = Pass::start();
        assert_eq!(pass.look(&map, &masks), Look::Empty);
        assert_eq!(pass.look(&map, &masks), Look::Thread(1, 1));
        masks = [0b100, 0];
        pass.join();
        assert_eq!(pass_over(&mut pass, &map, &mut masks), vec![(0, 2)]);
        masks = [0b100, 0];
        let mut without = Pass { block: 1, rescan: false };
        assert_eq!(pass_over(&mut without, &map, &mut masks), vec![]);
    }

    /// BR-33: the flag clears when the new pass starts, so a join during that pass leads to one more.
    #[test]
    fn br_33_the_flag_clears_at_the_start() {
        let mut pass = Pass::start();
        pass.join();
        assert_eq!(pass.look(&[], &[]), Look::Again);
        pass.join();
        assert_eq!(pass.look(&[], &[]), Look::Again);
        assert_eq!(pass.look(&[], &[]), Look::Ended);
    }
}
