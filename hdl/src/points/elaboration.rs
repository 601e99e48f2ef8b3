//! Blocks of a point are elaborated on a stack of their own.

use crate::clocked::Clocked;
use crate::ports::Ports;
use crate::simulation::Simulation;
use rust_hdl::core::prelude::Block;

/// Bytes of stack that elaboration may take: several times what the largest core needs. Rust's threads have 2 MiB unless told.
const ELABORATION_STACK: usize = 32 << 20;

/// Runs `elaborate`. A block is put together on the stack before it is moved to the heap, and how many copies of it lie there at once is up
/// to the optimiser, so nobody's own stack is asked for that. Not generic: a thread is much code, and every point of every block would have its own.
fn on_ample_stack(elaborate: &mut (dyn FnMut() + Send)) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(ELABORATION_STACK).spawn_scoped(scope, elaborate);
        let ended = thread.expect("the operating system has room for a thread").join();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// A `B`, connected, for the export.
pub(super) fn connected<B: Ports + Default + Send + 'static>() -> Box<dyn Block> {
    let mut connected = None;
    on_ample_stack(&mut || {
        let mut block = Box::<B>::default();
        block.connect_all();
        connected = Some(block);
    });
    connected.expect("elaboration has run")
}

/// A `B` under simulation.
pub(super) fn simulated<B: Ports + Default + Send + 'static>() -> Box<dyn Simulation> {
    let mut simulated = None;
    on_ample_stack(&mut || simulated = Some(Box::new(Clocked::new(B::default()))));
    simulated.expect("elaboration has run")
}
