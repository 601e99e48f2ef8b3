//! How a block shows its boundary: the `block!` macro declares a block once, and from that one declaration come the
//! hardware struct, the port list that simulators drive by index, and the meanings that manifest and docs print.

use crate::part::Part;
use crate::primitives::Bits;
use rust_hdl::core::prelude::{Bit, Block, Clock, Synth};

/// Which way a port points, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Driven from outside.
    In,
    /// Driven by the block.
    Out,
}

/// One port of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in Rust and in Verilog.
    pub name: &'static str,
    /// Which way it points.
    pub direction: Direction,
    /// Its width in bits, at this parameter point.
    pub width: usize,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// A block whose ports can be driven and read by index, whatever their types.
pub trait Ports: Block + Part {
    /// The ports in the order of their declaration; `clock` and `reset` come first.
    fn ports() -> Vec<Port>;
    /// Drives input `port`; `value` is truncated to its width. An output is left alone.
    fn set(&mut self, port: usize, value: u128);
    /// The settled value of `port`.
    fn get(&self, port: usize) -> u128;
}

/// A signal type that has an integer form.
pub trait PortValue: Synth {
    /// The value of the low bits of `value`.
    fn from_integer(value: u128) -> Self;
    /// This value as an integer.
    fn to_integer(self) -> u128;
}

impl<const N: usize> PortValue for Bits<N> {
    fn from_integer(value: u128) -> Self {
        Bits::new(value)
    }
    fn to_integer(self) -> u128 {
        self.value()
    }
}

impl PortValue for Bit {
    fn from_integer(value: u128) -> Self {
        value & 1 == 1
    }
    fn to_integer(self) -> u128 {
        u128::from(self)
    }
}

impl PortValue for Clock {
    fn from_integer(value: u128) -> Self {
        Clock { clk: value & 1 == 1 }
    }
    fn to_integer(self) -> u128 {
        u128::from(self.clk)
    }
}

/// Joins the lines of a doc comment into one sentence.
pub fn meaning(doc: &'static str) -> &'static str {
    doc.trim()
}

/// Declares a block: `ports { … }` are its boundary (a doc comment each, flat names, plain words), `parts { … }` its registers,
/// memories, sub-blocks, local signals and constants, each with `= value` where its default will not do, and with
/// `#[reads_back(input, …)]` before it if the kernel reads what it has assigned to these inputs, or to the `d` of a register: the kernel runs again when they change.
/// So it does when an output or a local signal changes that has `#[reads(early)]` before it: the kernel reads it above its assignment.
/// Implements [`Ports`], [`Part`], `Default` and `rust_hdl`'s `Block`.
///
/// `shared { one, other }` between the two adds the ports of groups that several blocks have. A group is a macro of that name, which
/// gets the declaration without its own name and calls `block!` with its ports put in.
#[macro_export]
macro_rules! block {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(<$(const $generic:ident : usize),+ $(,)?>)? {
            ports { $($ports:tt)* }
            shared { $group:ident $(, $($more:ident),+)? }
            parts { $($parts:tt)* }
        }
    ) => {
        $crate::$group! {
            $(#[$attribute])*
            pub struct $name $(<$(const $generic: usize),+>)? {
                ports { $($ports)* }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(<$(const $generic:ident : usize),+ $(,)?>)? {
            ports {
                $(#[doc = $doc:literal] $(#[reads($port_early:ident)])? pub $port:ident : Signal<$direction:ident, $type:ty>),+ $(,)?
            }
            parts {
                $(
                    $(#[reads_back($($input:ident),+)])? $(#[reads($early:ident)])?
                    $part:ident : $part_type:ty $(= $initial:expr)?
                ),* $(,)?
            }
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, LogicBlock)]
        pub struct $name $(<$(const $generic: usize),+>)? {
            $(#[doc = $doc] pub $port: Signal<$direction, $type>,)+
            $($part: $part_type,)*
            _stale: bool,
        }

        impl $(<$(const $generic: usize),+>)? $crate::part::Part for $name $(<$($generic),+>)? {
            fn settle(&mut self) -> bool {
                let mut inputs = false;
                $(
                    if $crate::ports::Direction::$direction == $crate::ports::Direction::In {
                        inputs |= $crate::part::Part::settle(&mut self.$port);
                    }
                )+
                if !inputs && !self._stale {
                    return false;
                }
                self._stale = false;
                let mut seen = false;
                for _ in 0..$crate::part::SETTLE_LIMIT {
                    Logic::update(self);
                    $(
                        if $crate::ports::Direction::$direction == $crate::ports::Direction::Out {
                            seen |= $crate::part::Part::settle(&mut self.$port);
                        }
                    )+
                    let mut again = false;
                    $($(again |= $crate::part::$port_early(&mut self.$port);)?)+
                    $(
                        again |= $crate::part::Part::settle(&mut self.$part);
                        $(again |= $crate::part::$early(&mut self.$part);)?
                        $($(again |= $crate::part::read_back(&mut self.$part.$input);)+)?
                    )*
                    if !again {
                        return seen;
                    }
                }
                panic!("{} does not settle: a combinational loop", stringify!($name));
            }

            fn edge(&mut self) -> bool {
                let changed = false $(| $crate::part::Part::edge(&mut self.$part))*;
                self._stale |= changed;
                changed
            }
        }

        impl $(<$(const $generic: usize),+>)? Default for $name $(<$($generic),+>)? {
            fn default() -> Self {
                Self {
                    $($port: Signal::default(),)+
                    $($part: $crate::block_part!($($initial)?),)*
                    _stale: true,
                }
            }
        }

        impl $(<$(const $generic: usize),+>)? $crate::ports::Ports for $name $(<$($generic),+>)? {
            fn ports() -> Vec<$crate::ports::Port> {
                vec![$($crate::ports::Port {
                    name: stringify!($port),
                    direction: $crate::ports::Direction::$direction,
                    width: <$type as Synth>::BITS,
                    meaning: $crate::ports::meaning($doc),
                }),+]
            }

            fn set(&mut self, port: usize, value: u128) {
                let mut index = 0;
                $(
                    if index == port {
                        if $crate::ports::Direction::$direction == $crate::ports::Direction::In {
                            self.$port.next = <$type as $crate::ports::PortValue>::from_integer(value);
                        }
                        return;
                    }
                    index += 1;
                )+
                let _ = index;
            }

            fn get(&self, port: usize) -> u128 {
                let mut index = 0;
                $(
                    if index == port {
                        return $crate::ports::PortValue::to_integer(self.$port.val());
                    }
                    index += 1;
                )+
                let _ = index;
                0
            }
        }
    };
}

/// A part's first value: the one that [`block!`] was given, or its type's default.
#[doc(hidden)]
#[macro_export]
macro_rules! block_part {
    () => {
        Default::default()
    };
    ($initial:expr) => {
        $initial
    };
}

/// Wires registers to the block's `clock` and `reset`, and lets each hold its value unless the kernel says otherwise.
///
/// `hdl_gen` knows this macro by its name and sees the clock and the hold; the reset, which is the
/// same for every register of Heddle, is wired by the simulation here and by the back end there.
#[macro_export]
macro_rules! dff_setup {
    ($self:ident, $clock:ident, $($register:ident),+ $(,)?) => {
        $(
            $self.$register.clock.next = $self.$clock.val();
            $self.$register.reset.next = $self.reset.val();
            $self.$register.d.next = $self.$register.q.val();
        )+
    };
}

/// Wires the clock of parts that are no registers; their `reset`, if they have one, is wired by hand.
#[macro_export]
macro_rules! clock {
    ($self:ident, $clock:ident, $($part:ident),+ $(,)?) => {
        $( $self.$part.clock.next = $self.$clock.val(); )+
    };
}
