//! How the Rust simulation runs: combinational logic settles block by block, and registers take their values in one pass.
//!
//! `rust_hdl`'s own `simulate` toggles the clock as a signal and evaluates every block of the design until nothing moves any more. In a
//! design of one clock that is wasted work: here an edge is a call ([`Part::edge`]), and a block whose
//! inputs and registers did not change is not evaluated at all ([`Part::settle`]).

use rust_hdl::core::atom::AtomKind;
use rust_hdl::core::direction::Direction;
use rust_hdl::core::prelude::{Block, Constant, Signal, Synth};

/// How many passes a block may take to settle before we call it a combinational loop.
pub const SETTLE_LIMIT: usize = 200;

/// Something that a block is made of: a signal, a primitive, another block.
pub trait Part {
    /// Takes over what was assigned to the inputs that outputs follow in the same cycle, and settles; true if an output has changed.
    /// What the owner's kernel reads back of what it assigned to inputs, its declaration says: `#[reads_back(…)]` of [`block!`](crate::block).
    fn settle(&mut self) -> bool;

    /// The rising edge, with what was assigned last; true if something that the owner sees may have changed.
    fn edge(&mut self) -> bool;
}

/// Takes over what a kernel has assigned to an input of a part, to be read back; true if it has changed since this was last asked. To be called
/// when the part has settled, which may have taken it over already.
#[inline(always)]
pub fn read_back<D: Direction, T: Synth>(input: &mut Signal<D, T>) -> bool {
    let taken_over = input.changed;
    input.update_all();
    let changed = taken_over | input.changed;
    input.changed = false;
    changed
}

/// The same of an output or a local signal of the kernel's own that it reads above its assignment: what it has read was of the pass before.
#[inline(always)]
pub fn early<D: Direction, T: Synth>(signal: &mut Signal<D, T>) -> bool {
    read_back(signal)
}

impl<D: Direction, T: Synth> Part for Signal<D, T> {
    // Every port of every block is asked in every pass: the call took a fifth of the simulation. A kernel reads what it has just assigned to
    // a local signal, and assigns before it reads, or says otherwise (`early`): such a signal has nothing to settle.
    #[inline(always)]
    fn settle(&mut self) -> bool {
        if matches!(D::KIND, AtomKind::LocalSignal) {
            return false;
        }
        self.update_all();
        self.has_changed()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<T: Synth> Part for Constant<T> {
    fn settle(&mut self) -> bool {
        false
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<P: Part, const N: usize> Part for [P; N] {
    fn settle(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, part| part.settle() | changed)
    }

    fn edge(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, part| part.edge() | changed)
    }
}
