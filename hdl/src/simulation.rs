//! What every simulation of a block offers, whoever computes it: the Rust kernels, or the exported Verilog under Verilator.
//!
//! Engines, lockstep and tests drive a block through [`Pins`] and [`Simulation`] only, so each of them is written once.

use crate::ports::{Direction, Port};

/// Access to a block's ports by index.
pub trait Pins {
    /// Drives input `port` for the present cycle; `value` is truncated to its width.
    fn set(&mut self, port: usize, value: u128);
    /// The value of `port` in the present cycle, settled.
    fn get(&mut self, port: usize) -> u128;
}

/// A block under simulation. Ports 0 and 1 are `clock` and `reset`; the clock is driven by [`tick`](Simulation::tick) alone.
pub trait Simulation: Pins {
    /// The ports, in the order of their declaration.
    fn ports(&self) -> &[Port];
    /// One clock cycle: the rising edge, with the inputs as they are.
    fn tick(&mut self);

    /// The index of port `name`.
    ///
    /// # Panics
    /// If the block has no such port: a mistake in the caller, not in its input.
    fn port(&self, name: &str) -> usize {
        index_of(self.ports(), name)
    }

    /// A whole cycle at once: drives every input of `frame`, reads every output of the settled cycle into it, then ticks.
    fn cycle(&mut self, frame: &mut Frame) {
        for index in 1..frame.ports() {
            if frame.is_input(index) {
                self.set(index, frame.read(index));
            }
        }
        for index in 1..frame.ports() {
            if !frame.is_input(index) {
                let value = self.get(index);
                frame.write(index, value);
            }
        }
        self.tick();
    }
}

impl<S: Pins + ?Sized> Pins for Box<S> {
    fn set(&mut self, port: usize, value: u128) {
        (**self).set(port, value);
    }
    fn get(&mut self, port: usize) -> u128 {
        (**self).get(port)
    }
}

impl<S: Simulation + ?Sized> Simulation for Box<S> {
    fn ports(&self) -> &[Port] {
        (**self).ports()
    }
    fn tick(&mut self) {
        (**self).tick();
    }
    fn cycle(&mut self, frame: &mut Frame) {
        (**self).cycle(frame);
    }
}

/// Declares a struct of port indices: a field for each name, looked up once with `of`. Ports that not every block of the kind has
/// follow as `optional { … }`; their fields are `Option`s.
///
/// # Panics
/// `of` panics if a port is missing that is not optional: the names belong to one block, and this is a mistake in the code.
#[macro_export]
macro_rules! pins {
    (
        $(#[$attribute:meta])* struct $struct:ident { $($name:ident),+ $(,)? }
        $(optional { $($optional:ident),+ $(,)? })?
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        struct $struct { $($name: usize,)+ $($($optional: Option<usize>,)+)? }
        impl $struct {
            fn of(ports: &[$crate::ports::Port]) -> Self {
                let pin = |name: &str| $crate::simulation::index_of(ports, name);
                Self {
                    $($name: pin(stringify!($name)),)+
                    $($($optional: ports.iter().position(|port| port.name == stringify!($optional)),)+)?
                }
            }
        }
    };
}

/// The index of port `name` in `ports`.
///
/// # Panics
/// If there is no such port: a mistake in the caller, not in its input.
pub fn index_of(ports: &[Port], name: &str) -> usize {
    ports.iter().position(|port| port.name == name).unwrap_or_else(|| panic!("no port {name}"))
}

/// Where a port lies in a [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    input: bool,
    width: usize,
    word: usize,
}

/// The values of all ports in one cycle, as a flat array of 64-bit words: a port of up to 64 bits takes one, a wider one two.
///
/// Flat, because a Verilated model reads and writes it in one foreign call a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    places: Vec<Place>,
    words: Vec<u64>,
}

impl Frame {
    /// A frame for `ports`, all zero.
    pub fn new(ports: &[Port]) -> Self {
        let mut word = 0;
        let mut places = Vec::with_capacity(ports.len());
        for port in ports {
            places.push(Place { input: port.direction == Direction::In, width: port.width, word });
            word += port.width.div_ceil(64);
        }
        Self { places, words: vec![0; word] }
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.places.len()
    }

    /// Whether `port` is driven from outside.
    pub fn is_input(&self, port: usize) -> bool {
        self.places[port].input
    }

    /// The value of `port`.
    #[inline]
    pub fn read(&self, port: usize) -> u128 {
        let Place { width, word, .. } = self.places[port];
        let high = if width > 64 { u128::from(self.words[word + 1]) << 64 } else { 0 };
        high | u128::from(self.words[word])
    }

    /// Replaces the value of `port`, truncated to its width.
    #[inline]
    pub fn write(&mut self, port: usize, value: u128) {
        let Place { width, word, .. } = self.places[port];
        let value = value & (u128::MAX >> (128 - width));
        self.words[word] = value as u64;
        if width > 64 {
            self.words[word + 1] = (value >> 64) as u64;
        }
    }

    /// The words themselves, in the order of the ports.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

impl Pins for Frame {
    fn set(&mut self, port: usize, value: u128) {
        self.write(port, value);
    }
    fn get(&mut self, port: usize) -> u128 {
        self.read(port)
    }
}
