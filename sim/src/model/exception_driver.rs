//! The software that serves the queue's exceptions when they are routed to it (DQ-13), as plain logic over two small ports.
//!
//! It serves a model, the RTL in Rust and the Verilated RTL alike: whoever owns the block implements [`WindowPort`] by turning
//! the clock and [`SpillMemory`] by touching the memory.
//!
//! The window holds its tokens in the entries `tail..head`, the front one at `head - 1`; empty, both pointers stand in the
//! middle. The spill area is circular; its front token, at `first`, comes right behind the window's last one.
//!
//! **Source** US 9,459,876: the exception that lets a driver copy the tokens to the centre of their space.

use crate::engine::Cause;

/// Where a warp's tokens lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointers {
    /// One past the front token's entry.
    pub head: usize,
    /// The last token's entry.
    pub tail: usize,
    /// Slot of the front spilled token.
    pub spill_first: usize,
    /// Spilled tokens.
    pub spill_count: usize,
}

impl Pointers {
    /// An empty queue: both ends in the middle of the window (DQ-05).
    pub fn empty(depth: usize) -> Self {
        Self { head: depth / 2, tail: depth / 2, spill_first: 0, spill_count: 0 }
    }

    /// Tokens in the window.
    pub fn occupied(&self) -> usize {
        self.head - self.tail
    }
}

/// The window and the pointers of the warp in the exception.
pub trait WindowPort {
    /// Reads an entry.
    fn read(&mut self, entry: usize) -> u128;
    /// Writes an entry.
    fn write(&mut self, entry: usize, token: u128);
    /// Reads the pointers.
    fn pointers(&mut self) -> Pointers;
    /// Writes the pointers.
    fn set_pointers(&mut self, pointers: Pointers);
}

/// The spill area of the warp in the exception.
pub trait SpillMemory {
    /// How many tokens it takes.
    fn limit(&self) -> usize;
    /// Reads a slot, `0..limit`.
    fn read(&mut self, slot: usize) -> u128;
    /// Writes a slot, `0..limit`.
    fn write(&mut self, slot: usize, token: u128);
}

/// Why an exception could not be served; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unserved {
    /// The spill area is full (DQ-12).
    #[error("the window and the spill area of {limit} tokens are full: give the warp a larger spill limit")]
    Fatal {
        /// Size of the spill area.
        limit: usize,
    },
    /// Not one of the three causes that a handler can serve.
    #[error("{0:?} is not an exception that a driver can serve")]
    NotServable(Cause),
}

/// Serves one exception of a window of `depth` entries and says how many tokens it moved.
pub fn serve(
    cause: Cause,
    depth: usize,
    window: &mut dyn WindowPort,
    memory: &mut dyn SpillMemory,
) -> Result<usize, Unserved> {
    match cause {
        Cause::Recenter => Ok(recenter(depth, window)),
        Cause::Spill => spill(depth, window, memory),
        Cause::Refill => Ok(refill(depth, window, memory)),
        Cause::Fatal | Cause::LostThread => Err(Unserved::NotServable(cause)),
    }
}

/// Moves the tokens to the middle of the window; of an odd number of free entries the end that was met gets the larger half (DQ-09).
fn recenter(depth: usize, window: &mut dyn WindowPort) -> usize {
    let old = window.pointers();
    let occupied = old.occupied();
    let free = depth - occupied;
    let tail = if old.head == depth { free / 2 } else { free.div_ceil(2) };
    let mut copy = |entry: usize| {
        let token = window.read(old.tail + entry);
        window.write(tail + entry, token);
    };
    // The two places overlap: copy first what would be overwritten first.
    if tail < old.tail {
        (0..occupied).for_each(&mut copy);
    } else if tail > old.tail {
        (0..occupied).rev().for_each(&mut copy);
    }
    window.set_pointers(Pointers { head: tail + occupied, tail, ..old });
    occupied
}

/// Moves up to half a window from its back to the front of the spill area, and the rest to the middle (DQ-11).
fn spill(depth: usize, window: &mut dyn WindowPort, memory: &mut dyn SpillMemory) -> Result<usize, Unserved> {
    let mut pointers = window.pointers();
    let limit = memory.limit();
    let moved = (depth / 2).max(1).min(limit.saturating_sub(pointers.spill_count)).min(pointers.occupied());
    if moved == 0 {
        return Err(Unserved::Fatal { limit });
    }
    // The last token goes first: what is nearer to the front comes to lie in front of it.
    for entry in pointers.tail..pointers.tail + moved {
        pointers.spill_first = (pointers.spill_first + limit - 1) % limit;
        memory.write(pointers.spill_first, window.read(entry));
    }
    pointers.tail += moved;
    pointers.spill_count += moved;
    window.set_pointers(pointers);
    recenter(depth, window);
    Ok(moved)
}

/// Moves up to half a window from the front of the spill area to the middle of the empty window (DQ-12).
fn refill(depth: usize, window: &mut dyn WindowPort, memory: &mut dyn SpillMemory) -> usize {
    let mut pointers = window.pointers();
    debug_assert_eq!(pointers.occupied(), 0, "a refill is for an empty window");
    let moved = (depth / 2).max(1).min(pointers.spill_count);
    pointers.tail = (depth - moved) / 2;
    pointers.head = pointers.tail + moved;
    for entry in (pointers.tail..pointers.head).rev() {
        let token = memory.read(pointers.spill_first);
        window.write(entry, token);
        pointers.spill_first = (pointers.spill_first + 1) % memory.limit();
    }
    pointers.spill_count -= moved;
    window.set_pointers(pointers);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Window(Vec<u128>, Pointers);
    impl WindowPort for Window {
        fn read(&mut self, entry: usize) -> u128 {
            self.0[entry]
        }
        fn write(&mut self, entry: usize, token: u128) {
            self.0[entry] = token;
        }
        fn pointers(&mut self) -> Pointers {
            self.1
        }
        fn set_pointers(&mut self, pointers: Pointers) {
            self.1 = pointers;
        }
    }

    struct Memory(Vec<u128>);
    impl SpillMemory for Memory {
        fn limit(&self) -> usize {
            self.0.len()
        }
        fn read(&mut self, slot: usize) -> u128 {
            self.0[slot]
        }
        fn write(&mut self, slot: usize, token: u128) {
            self.0[slot] = token;
        }
    }

    /// A window of `depth` entries with the tokens 1, 2, … from `tail` up.
    fn window(depth: usize, tail: usize, occupied: usize) -> Window {
        let mut entries = vec![0; depth];
        (0..occupied).for_each(|place| entries[tail + place] = place as u128 + 1);
        Window(entries, Pointers { head: tail + occupied, tail, spill_first: 0, spill_count: 0 })
    }

    fn tokens(window: &Window) -> Vec<u128> {
        window.0[window.1.tail..window.1.head].to_vec()
    }

    /// DQ-09, DQ-10, DQ-13: every occupancy at every place comes to the middle in order, with margins that differ by at most
    /// one, and the end that was met has room.
    #[test]
    fn dq_13_recenter_balances_every_window() {
        for depth in [1, 2, 3, 5, 8, 9, 32] {
            for occupied in 0..depth {
                for tail in 0..=depth - occupied {
                    let mut window = window(depth, tail, occupied);
                    let before = tokens(&window);
                    serve(Cause::Recenter, depth, &mut window, &mut Memory(vec![])).unwrap();
                    assert_eq!(tokens(&window), before);
                    let (front, back) = (depth - window.1.head, window.1.tail);
                    assert!(front.abs_diff(back) <= 1);
                    if tail + occupied == depth && tail > 0 && occupied > 0 {
                        assert!(front > 0, "the front was met at depth {depth}");
                    }
                    if tail == 0 && occupied > 0 {
                        assert!(back > 0, "the back was met at depth {depth}");
                    }
                }
            }
        }
    }

    /// DQ-11, DQ-12, DQ-13: half a window leaves at the back and returns in the same order, around the end of the area.
    #[test]
    fn dq_13_spill_then_refill_keeps_the_order() {
        for depth in [2, 5, 8] {
            let mut window = window(depth, 0, depth);
            let mut memory = Memory(vec![0; 7]);
            window.1.spill_first = 1;
            let moved = serve(Cause::Spill, depth, &mut window, &mut memory).unwrap();
            assert_eq!(moved, depth / 2);
            let kept = tokens(&window);
            assert_eq!(kept, (moved as u128 + 1..=depth as u128).collect::<Vec<_>>());
            window.1.head = window.1.tail;
            assert_eq!(serve(Cause::Refill, depth, &mut window, &mut memory), Ok(moved));
            assert_eq!(tokens(&window), (1..=moved as u128).collect::<Vec<_>>());
            assert_eq!(window.1.spill_count, 0);
        }
    }

    /// DQ-11: what fits is spilled; DQ-12: a full area is fatal and nothing changes.
    #[test]
    fn dq_12_a_full_area_is_fatal() {
        let mut window = window(8, 0, 8);
        let mut memory = Memory(vec![0; 3]);
        assert_eq!(serve(Cause::Spill, 8, &mut window, &mut memory), Ok(3));
        assert_eq!(memory.0, [3, 2, 1]);
        let before = (tokens(&window), window.1);
        assert_eq!(serve(Cause::Spill, 8, &mut window, &mut memory), Err(Unserved::Fatal { limit: 3 }));
        assert_eq!((tokens(&window), window.1), before);
        assert!(serve(Cause::Fatal, 8, &mut window, &mut memory).is_err());
    }
}
