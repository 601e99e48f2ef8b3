//! Whole blocks: registers, states, arrays, parts, memories, and processes that must be divided.

use crate::support;
use heddle_hdl::prelude::*;

/// Where the walker is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Step {
    Idle,
    Fill,
    Drain,
}

block! {
    /// A leaf: adds with a saturation, combinationally, and remembers the last sum.
    pub struct Saturate {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// A term.
            pub left: Signal<In, Bits<8>>,
            /// A term.
            pub right: Signal<In, Bits<8>>,
            /// The sum, at most 255.
            pub sum: Signal<Out, Bits<8>>,
            /// The sum was cut.
            pub cut: Signal<Out, Bit>,
            /// The last sum.
            pub last: Signal<Out, Bits<8>>,
        }
        parts {
            wide: Signal<Local, Bits<9>>,
            memory: Register<Bits<8>>,
        }
    }
}

impl Logic for Saturate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, memory);
        self.wide.next = bit_cast::<9, 8>(self.left.val()) + bit_cast::<9, 8>(self.right.val());
        self.cut.next = self.wide.val().get_bit(8);
        if self.wide.val().get_bit(8) {
            self.sum.next = 255.into();
        } else {
            self.sum.next = self.wide.val().get_bits::<8>(0);
        }
        self.memory.d.next = self.sum.val();
        self.last.next = self.memory.q.val();
    }
}

block! {
    /// A walker over a memory, with an array of adders, a file, a counter of ones and a false loop through a part.
    pub struct Walker {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// Start.
            pub start: Signal<In, Bit>,
            /// Data.
            pub data: Signal<In, Bits<8>>,
            /// The walker works.
            pub busy: Signal<Out, Bit>,
            /// The memory's last word.
            pub word: Signal<Out, Bits<8>>,
            /// Sum of the chain.
            pub total: Signal<Out, Bits<8>>,
            /// Ones in the sum.
            pub ones: Signal<Out, Bits<4>>,
            /// First set bit of the data.
            pub first: Signal<Out, Bits<3>>,
            /// The chain was cut somewhere.
            pub cut: Signal<Out, Bit>,
            /// A register of an array.
            pub slot: Signal<Out, Bits<8>>,
            /// Of the file.
            pub filed: Signal<Out, Bits<8>>,
        }
        parts {
            step: Register<Step>,
            count: Register<Bits<3>> = Register::new(bits(1)),
            written: Register<Bits<8>>,
            slots: [Register<Bits<8>>; 3] = std::array::from_fn(|at| Register::new(bits(at as u64 + 7))),
            adders: [Saturate; 4],
            memory: Ram<3, 8>,
            file: RegisterFile<3, 8>,
            counter: PopulationCount<8, 4>,
            feed: Signal<Local, Bits<8>>,
            any_before: [Signal<Local, Bit>; 9],
            position: [Signal<Local, Bits<3>>; 9],
            full: Signal<Local, Bit>,
            limit: Constant<Bits<3>> = Constant::new(bits(6)),
        }
    }
}

impl Logic for Walker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, count, written);
        clock!(self, clock, memory, file);
        for i in 0..4 {
            self.adders[i].clock.next = self.clock.val();
            self.adders[i].reset.next = self.reset.val();
        }
        for i in 0..3 {
            self.slots[i].clock.next = self.clock.val();
            self.slots[i].reset.next = self.reset.val();
        }
        self.slots[0].d.next = self.data.val();
        for i in 0..2 {
            self.slots[i + 1].d.next = self.slots[i].q.val();
        }
        self.slot.next = self.slots[2].q.val();
        // A chain of adders.
        self.adders[0].left.next = self.data.val();
        self.adders[0].right.next = self.feed.val();
        for i in 0..3 {
            self.adders[i + 1].left.next = self.adders[i].sum.val();
            self.adders[i + 1].right.next = self.adders[i].last.val();
        }
        self.total.next = self.adders[3].sum.val();
        self.cut.next = self.adders[0].cut.val()
            || self.adders[1].cut.val()
            || self.adders[2].cut.val()
            || self.adders[3].cut.val();
        // First one, as a chain of signals.
        self.any_before[0].next = false;
        self.position[0].next = 0.into();
        for i in 0..8 {
            self.any_before[i + 1].next = self.any_before[i].val() || self.data.val().get_bit(i);
            if self.any_before[i].val() || self.data.val().get_bit(i) {
                self.position[i + 1].next = self.position[i].val();
            } else {
                self.position[i + 1].next = self.position[i].val() + 1;
            }
        }
        self.first.next = self.position[8].val();
        self.counter.mask.next = self.total.val();
        self.ones.next = self.counter.count.val();
        // The machine.
        self.full.next = self.count.q.val() == self.limit.val();
        self.busy.next = false;
        self.memory.reset.next = self.reset.val();
        self.memory.write_enable.next = false;
        self.memory.write_address.next = self.count.q.val();
        self.memory.write_data.next = self.total.val();
        self.memory.read_enable.next = false;
        self.memory.read_address.next = self.count.q.val();
        self.feed.next = 0.into();
        match self.step.q.val() {
            Step::Idle => {
                if self.start.val() {
                    self.step.d.next = Step::Fill;
                    self.count.d.next = 0.into();
                }
            }
            Step::Fill => {
                self.busy.next = true;
                self.memory.write_enable.next = true;
                self.feed.next = self.slots[1].q.val();
                self.count.d.next = self.count.q.val() + 1;
                self.written.d.next = self.written.q.val().replace_bit(self.count.q.val(), true);
                if self.full.val() {
                    self.step.d.next = Step::Drain;
                    self.count.d.next = 0.into();
                } else if self.data.val() == 17 {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::Drain => {
                self.busy.next = true;
                self.memory.read_enable.next = self.written.q.val().get_bit(self.count.q.val());
                self.count.d.next = self.count.q.val() - 1;
                if self.count.q.val() == 1 {
                    self.step.d.next = Step::Idle;
                }
            }
        }
        self.word.next = self.memory.read_data.val();
        self.file.write_enable.next = true;
        self.file.write_address.next = self.data.val().get_bits::<3>(0);
        self.file.write_data.next = bit_cast::<8, 3>(self.count.q.val());
        self.file.read_address.next = self.slots[0].q.val().get_bits::<3>(0);
        self.filed.next = self.file.read_data.val();
    }
}

/// XV-05: states, arrays, parts and memories compute the same in Verilog as in Rust.
#[test]
fn the_walker_walks_alike() {
    // The file shows what the simulation starts it from until it is written: write every entry first.
    let mut stimulus = support::random::<Walker>(900, 2);
    for (cycle, values) in stimulus.iter_mut().enumerate().take(40) {
        *values = vec![u128::from(cycle < 2 || cycle == 20), 0, cycle as u128 % 8];
    }
    support::agree_from(20, "walker", Walker::default(), &stimulus);
}

/// XV-05: and no tool has anything to say about it.
#[test]
fn the_walker_lints() {
    support::lint(&support::modules("walker", &Walker::default()));
}

/// XV-05: the four adders are one module, memories are called by their sizes, and the top comes last.
#[test]
fn identical_parts_are_one_module() {
    let modules = support::modules("walker", &Walker::default());
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["walker_adders", "walker_memory_8x8", "walker_file_8x8", "walker_counter_8", "walker"]);
}

/// XV-05: two exports are byte-identical.
#[test]
fn translation_is_deterministic() {
    assert_eq!(support::modules("walker", &Walker::default()), support::modules("walker", &Walker::default()));
}

/// XV-05: the text is one that an engineer would have written.
#[test]
fn text_is_readable() {
    let text = support::top_text("saturate", &Saturate::default());
    expect_test::expect![[r#"
        // saturate: a block of the tests.

        module saturate (
          input  wire       clock,
          input  wire       reset,
          input  wire [7:0] left,
          input  wire [7:0] right,
          output reg  [7:0] sum,
          output wire       cut,
          output wire [7:0] last
        );

          // Registers
          reg  [7:0] memory;

          // Signals
          wire [8:0] wide;

          assign wide = {1'b0, left} + {1'b0, right};
          assign cut = wide[8];

          always @(*) begin
            if (wide[8]) begin
              sum = 8'd255;
            end else begin
              sum = wide[7:0];
            end
          end

          assign last = memory;

          always @(posedge clock) begin
            if (reset) begin
              memory <= 8'd0;
            end else begin
              memory <= sum;
            end
          end

        endmodule
    "#]]
    .assert_eq(&text);
}
