//! Kernels at the edge: those without a faithful translation are refused with place, cause and hint, never translated to something
//! else; those whose processes would close a false loop are divided.

use crate::support;
use heddle_gen::verilog::{translate, Problem, TranslationError};
use heddle_hdl::prelude::*;

/// Declares a small block around a kernel.
macro_rules! sample {
    ($name:ident { $($parts:tt)* } $($kernel:tt)*) => {
        block! {
            /// A sample.
            pub struct $name {
                ports {
                    /// Clock.
                    pub clock: Signal<In, Clock>,
                    /// Reset.
                    pub reset: Signal<In, Bit>,
                    /// Operand.
                    pub a: Signal<In, Bits<4>>,
                    /// Result.
                    pub y: Signal<Out, Bits<4>>,
                }
                parts { $($parts)* }
            }
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

const LIMIT: usize = 2;

sample!(
    Latch {}
    #[hdl_gen]
    fn update(&mut self) {
        if self.a.val() == 3 {
            self.y.next = self.a.val();
        }
    }
);

sample!(
    Accumulator { sum: Signal<Local, Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        self.sum.next = self.sum.val() + self.a.val();
        self.y.next = self.sum.val();
    }
);

sample!(
    Undriven { idle: Signal<Local, Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.idle.val();
    }
);

sample!(
    Looped { x: Signal<Local, Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = self.y.val() + 1;
        self.y.next = self.x.val() ^ self.a.val();
    }
);

sample!(
    Valued { x: Signal<Local, Bit> }
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = self.a.val().get_bit(LIMIT);
        self.y.next = self.a.val();
    }
);

sample!(
    Reserved { table: Register<Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, table);
        self.y.next = self.table.q.val();
    }
);

sample!(
    Gated { gate: Signal<Local, Clock>, held: Register<Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.gate.next = self.clock.val();
        self.held.clock.next = self.gate.val();
        self.y.next = self.held.q.val();
    }
);

fn refusal<B: Ports + Default>() -> TranslationError {
    translate("sample", &B::default(), "", &[]).expect_err("it is refused")
}

/// XV-05: a signal that keeps its value on some path is a latch.
#[test]
fn latches_are_refused() {
    let error = refusal::<Latch>();
    assert_eq!(error.problem, Problem::Latch("y".to_string()));
    assert_eq!(error.to_string(), "sample: `y` is not assigned on every path: that is a latch");
    assert!(error.hint.contains("default"));
}

/// XV-05: a value between two assignments exists in neither language's settled state.
#[test]
fn values_between_assignments_are_refused() {
    assert_eq!(refusal::<Accumulator>().problem, Problem::IntermediateRead("sum".to_string()));
}

/// XV-05: what nobody drives is refused, not read as X.
#[test]
fn undriven_signals_are_refused() {
    assert_eq!(refusal::<Undriven>().problem, Problem::Undriven("idle".to_string()));
}

sample!(
    Unreset { memory: Ram<4, 4> }
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, memory);
        self.memory.write_enable.next = true;
        self.memory.write_address.next = self.a.val();
        self.memory.write_data.next = self.a.val();
        self.memory.read_enable.next = true;
        self.memory.read_address.next = self.a.val();
        self.y.next = self.memory.read_data.val();
    }
);

sample!(
    UnresetRegister { held: Register<Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, held);
        self.held.d.next = self.a.val();
        self.y.next = self.held.q.val();
    }
);

/// XV-05: a reset that the simulation does not see is not wired behind its back.
#[test]
fn unwired_resets_are_refused() {
    assert_eq!(refusal::<Unreset>().problem, Problem::Undriven("memory.reset".to_string()));
    assert_eq!(refusal::<UnresetRegister>().problem, Problem::Undriven("held.reset".to_string()));
}

/// XV-05: a true combinational loop is refused, with the way round.
#[test]
fn loops_are_refused() {
    let way = ["x", "y", "x"].map(ToString::to_string).to_vec();
    assert_eq!(refusal::<Looped>().problem, Problem::CombinationalLoop(way));
}

/// XV-05: a constant of Rust has no value in the syntax tree.
#[test]
fn nameless_values_are_refused() {
    let error = refusal::<Valued>();
    assert_eq!(error.problem, Problem::UnknownName("LIMIT".to_string()));
    assert!(error.hint.contains("`Constant`"));
}

/// XV-05: reserved words are refused by name, not by a syntax error of some tool.
#[test]
fn reserved_words_are_refused() {
    assert_eq!(refusal::<Reserved>().problem, Problem::ReservedWord("table".to_string()));
}

/// XV-05: no clock but the block's own.
#[test]
fn derived_clocks_are_refused() {
    assert_eq!(refusal::<Gated>().problem, Problem::Rewired("held.clock".to_string()));
}

sample!(
    Swapped { first: Signal<Local, Bits<4>>, #[reads(early)] second: Signal<Local, Bits<4>>, third: Signal<Local, Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        // One `if` assigns both ends of a chain: as one process it would feed itself.
        self.first.next = 0.into();
        self.third.next = 0.into();
        if self.a.val().get_bit(0) {
            self.first.next = self.a.val() + 1;
            self.third.next = self.second.val() + 2;
        }
        self.second.next = self.first.val() ^ self.a.val();
        self.y.next = self.third.val();
    }
);

/// XV-05: a process that would close a loop with itself is divided, and lints clean.
#[test]
fn false_loops_are_divided() {
    let modules = support::modules("swapped", &Swapped::default());
    assert_eq!(modules[0].text.matches("always @(*)").count(), 2, "{}", modules[0].text);
    support::lint(&modules);
    support::agree("swapped", Swapped::default(), &support::random::<Swapped>(200, 4));
}

block! {
    /// An output that is read above its assignment.
    pub struct ReadEarly {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// Operand.
            pub a: Signal<In, Bits<4>>,
            /// Result.
            #[reads(early)]
            pub y: Signal<Out, Bits<4>>,
            /// The result, and one.
            pub z: Signal<Out, Bits<4>>,
        }
        parts {}
    }
}

impl Logic for ReadEarly {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.y.val() + 1;
        self.y.next = self.a.val() ^ 5;
    }
}

/// XV-05: what an output takes is seen where the kernel reads it above.
#[test]
fn outputs_are_read_early() {
    support::agree("read_early", ReadEarly::default(), &support::random::<ReadEarly>(100, 5));
}

sample!(
    Settled { #[reads_back(d)] count: Register<Bits<4>> }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.y.next = 0.into();
        if self.a.val().get_bit(0) {
            self.count.d.next = self.count.q.val() + 1;
            // Not what was just assigned, but what the register will take.
            self.y.next = self.count.d.val();
        }
        if self.a.val().get_bit(1) {
            self.count.d.next = 0.into();
        }
    }
);

/// XV-05: the next value of a register that is declared to be read back is read settled, wherever it is read.
#[test]
fn next_values_are_read_settled() {
    support::agree("settled", Settled::default(), &support::random::<Settled>(300, 7));
    support::lint(&support::modules("settled", &Settled::default()));
}

block! {
    /// A part with two paths that have nothing to do with one another but share an `if`.
    pub struct Crossing {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Choice.
            pub choice: Signal<In, Bit>,
            /// First path.
            pub left_in: Signal<In, Bits<4>>,
            /// First path.
            pub left_out: Signal<Out, Bits<4>>,
            /// Second path.
            pub right_in: Signal<In, Bits<4>>,
            /// Second path.
            pub right_out: Signal<Out, Bits<4>>,
        }
        parts {}
    }
}

impl Logic for Crossing {
    #[hdl_gen]
    fn update(&mut self) {
        if self.choice.val() {
            self.left_out.next = self.left_in.val();
            self.right_out.next = !self.right_in.val();
        } else {
            self.left_out.next = !self.left_in.val();
            self.right_out.next = self.right_in.val();
        }
    }
}

sample!(
    SettledPart { #[reads_back(write_data)] file: RegisterFile<2, 4> }
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, file);
        self.file.write_enable.next = self.a.val() == 15;
        self.file.write_address.next = 0.into();
        self.file.read_address.next = 1.into();
        self.file.write_data.next = self.a.val() + 1;
        // Not what was just assigned, but what the part will get, though none of its outputs changes by it.
        self.y.next = self.file.write_data.val();
        if self.a.val().get_bit(1) {
            self.file.write_data.next = 0.into();
        }
    }
);

/// XV-05: what a part is given and is declared to be read back is read settled, wherever it is read.
#[test]
fn inputs_of_parts_are_read_settled() {
    support::agree("settled_part", SettledPart::default(), &support::random::<SettledPart>(300, 11));
    support::lint(&support::modules("settled_part", &SettledPart::default()));
}

sample!(
    Crossed { crossing: Crossing }
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, crossing);
        self.crossing.choice.next = self.a.val().get_bit(0);
        self.crossing.left_in.next = self.a.val();
        self.crossing.right_in.next = self.crossing.left_out.val();
        self.y.next = self.crossing.right_out.val();
        self.y.next = self.crossing.right_out.val();
    }
);

/// XV-05: and so is one that closes a loop through its parent.
#[test]
fn false_loops_through_parts_are_divided() {
    let modules = support::modules("crossed", &Crossed::default());
    assert_eq!(modules[0].text.matches("always @(*)").count(), 2, "{}", modules[0].text);
    support::lint(&modules);
    support::agree("crossed", Crossed::default(), &support::random::<Crossed>(200, 5));
}
