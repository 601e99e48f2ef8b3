//! A core in a test, of which somebody looks at every settled cycle.

use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Pins, Simulation};

/// `inner`, of which `look` is shown each cycle before its edge.
pub struct Watched<F> {
    inner: Box<dyn Simulation>,
    look: F,
}

impl<F: FnMut(&mut dyn Simulation)> Watched<F> {
    /// The simulation, on its way to whoever drives it.
    pub fn new(inner: Box<dyn Simulation>, look: F) -> Self {
        Self { inner, look }
    }
}

impl<F> Pins for Watched<F> {
    fn set(&mut self, port: usize, value: u128) {
        self.inner.set(port, value);
    }
    fn get(&mut self, port: usize) -> u128 {
        self.inner.get(port)
    }
}

impl<F: FnMut(&mut dyn Simulation)> Simulation for Watched<F> {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }
    fn tick(&mut self) {
        (self.look)(&mut *self.inner);
        self.inner.tick();
    }
}
