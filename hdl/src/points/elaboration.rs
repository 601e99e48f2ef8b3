//! Blocks of a point are elaborated on a stack of their own.

use crate::clocked::Clocked;
use crate::ports::Ports;
use crate::simulation::Simulation;
use rust_hdl::core::prelude::Block;

/// Bytes of stack that elaboration may take: several times what the largest core needs. Rust's threads have 2 MiB unless told.
const ELABORATION_STACK: usize = 32 << 20;

/// What `elaborate` builds. A block is put together on the stack before it is moved to the heap, and how many copies of it lie
/// there at once is up to the optimiser, so nobody's own stack is asked for that.
fn on_ample_stack<B: Send>(elaborate: impl FnOnce() -> B + Send) -> B {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(ELABORATION_STACK).spawn_scoped(scope, elaborate);
        let ended = thread.expect("the operating system has room for a thread").join();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A `B`, connected, for the export.
pub(super) fn connected<B: Ports + Default + Send + 'static>() -> Box<dyn Block> {
    let block: Box<B> = on_ample_stack(|| {
        let mut block = Box::<B>::default();
        block.connect_all();
        block
    });
    block
}

/// A `B` under simulation.
pub(super) fn simulated<B: Ports + Default + Send + 'static>() -> Box<dyn Simulation> {
    let simulation: Box<Clocked<B>> = on_ample_stack(|| Box::new(Clocked::new(B::default())));
    simulation
}
