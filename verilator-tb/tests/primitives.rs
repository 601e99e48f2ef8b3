//! XV-02: each primitive's hand-written Verilog does what its Rust `update` does, on random stimulus.

use heddle_hdl::clocked::Clocked;
use heddle_hdl::prelude::*;
use heddle_tb::lockstep::pair::Pair;
use heddle_tb::verilated::{Model, Options, Source, Start};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

heddle_hdl::block! {
    /// A register behind ports of its own.
    pub struct RegisterBench {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// Next value.
            pub d: Signal<In, Bits<77>>,
            /// Present value.
            pub q: Signal<Out, Bits<77>>,
        }
        parts {
            part: Register<Bits<77>>,
        }
    }
}

impl Logic for RegisterBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.clock.next = self.clock.val();
        self.part.reset.next = self.reset.val();
        self.part.d.next = self.d.val();
        self.q.next = self.part.q.val();
    }
}

heddle_hdl::block! {
    /// A register file behind ports of its own.
    pub struct RegisterFileBench {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset, which a register file does not have.
            pub reset: Signal<In, Bit>,
            /// Write at this edge.
            pub write_enable: Signal<In, Bit>,
            /// Entry to write.
            pub write_address: Signal<In, Bits<3>>,
            /// Value to write.
            pub write_data: Signal<In, Bits<37>>,
            /// Entry to read.
            pub read_address: Signal<In, Bits<3>>,
            /// Its value.
            pub read_data: Signal<Out, Bits<37>>,
        }
        parts {
            part: RegisterFile<3, 37>,
        }
    }
}

impl Logic for RegisterFileBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.clock.next = self.clock.val();
        self.part.write_enable.next = self.write_enable.val();
        self.part.write_address.next = self.write_address.val();
        self.part.write_data.next = self.write_data.val();
        self.part.read_address.next = self.read_address.val();
        self.read_data.next = self.part.read_data.val();
    }
}

heddle_hdl::block! {
    /// A memory behind ports of its own.
    pub struct RamBench {
        ports {
            /// Clock.
            pub clock: Signal<In, Clock>,
            /// Reset.
            pub reset: Signal<In, Bit>,
            /// Write at this edge.
            pub write_enable: Signal<In, Bit>,
            /// Entry to write.
            pub write_address: Signal<In, Bits<4>>,
            /// Value to write.
            pub write_data: Signal<In, Bits<128>>,
            /// Read at this edge.
            pub read_enable: Signal<In, Bit>,
            /// Entry to read.
            pub read_address: Signal<In, Bits<4>>,
            /// Its value, a cycle later.
            pub read_data: Signal<Out, Bits<128>>,
        }
        parts {
            part: Ram<4, 128>,
        }
    }
}

impl Logic for RamBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.clock.next = self.clock.val();
        self.part.reset.next = self.reset.val();
        self.part.write_enable.next = self.write_enable.val();
        self.part.write_address.next = self.write_address.val();
        self.part.write_data.next = self.write_data.val();
        self.part.read_enable.next = self.read_enable.val();
        self.part.read_address.next = self.read_address.val();
        self.read_data.next = self.part.read_data.val();
    }
}

heddle_hdl::block! {
    /// A population count behind ports of its own.
    pub struct PopulationCountBench {
        ports {
            /// Clock, which it does not need.
            pub clock: Signal<In, Clock>,
            /// Reset, which it does not need.
            pub reset: Signal<In, Bit>,
            /// Bits to count.
            pub mask: Signal<In, Bits<33>>,
            /// How many are set.
            pub count: Signal<Out, Bits<6>>,
        }
        parts {
            part: PopulationCount<33, 6>,
        }
    }
}

impl Logic for PopulationCountBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.mask.next = self.mask.val();
        self.count.next = self.part.count.val();
    }
}

heddle_hdl::block! {
    /// A search for the lowest bit behind ports of its own.
    pub struct LowestBitBench {
        ports {
            /// Clock, which it does not need.
            pub clock: Signal<In, Clock>,
            /// Reset, which it does not need.
            pub reset: Signal<In, Bit>,
            /// The bits to choose from.
            pub mask: Signal<In, Bits<13>>,
            /// One is set.
            pub found: Signal<Out, Bit>,
            /// Which is the lowest.
            pub index: Signal<Out, Bits<4>>,
            /// That bit alone.
            pub one_hot: Signal<Out, Bits<13>>,
        }
        parts {
            part: LowestBit<13, 4>,
        }
    }
}

impl Logic for LowestBitBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.mask.next = self.mask.val();
        self.found.next = self.part.found.val();
        self.index.next = self.part.index.val();
        self.one_hot.next = self.part.one_hot.val();
    }
}

heddle_hdl::block! {
    /// A union of three masks behind ports of its own.
    pub struct MaskUnionBench {
        ports {
            /// Clock, which it does not need.
            pub clock: Signal<In, Clock>,
            /// Reset, which it does not need.
            pub reset: Signal<In, Bit>,
            /// A mask.
            pub masks_0: Signal<In, Bits<70>>,
            /// Another.
            pub masks_1: Signal<In, Bits<70>>,
            /// And another.
            pub masks_2: Signal<In, Bits<70>>,
            /// Their union.
            pub result: Signal<Out, Bits<70>>,
        }
        parts {
            part: MaskUnion<3, 70>,
        }
    }
}

impl Logic for MaskUnionBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.masks[0].next = self.masks_0.val();
        self.part.masks[1].next = self.masks_1.val();
        self.part.masks[2].next = self.masks_2.val();
        self.result.next = self.part.result.val();
    }
}

heddle_hdl::block! {
    /// Fields put together behind ports of its own.
    pub struct FieldJoinBench {
        ports {
            /// Clock, which it does not need.
            pub clock: Signal<In, Clock>,
            /// Reset, which it does not need.
            pub reset: Signal<In, Bit>,
            /// The lowest field.
            pub fields_0: Signal<In, Bits<13>>,
            /// The one above.
            pub fields_1: Signal<In, Bits<13>>,
            /// The highest.
            pub fields_2: Signal<In, Bits<13>>,
            /// The word.
            pub word: Signal<Out, Bits<39>>,
        }
        parts {
            part: FieldJoin<3, 13, 39>,
        }
    }
}

impl Logic for FieldJoinBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.fields[0].next = self.fields_0.val();
        self.part.fields[1].next = self.fields_1.val();
        self.part.fields[2].next = self.fields_2.val();
        self.word.next = self.part.word.val();
    }
}

heddle_hdl::block! {
    /// A word taken apart behind ports of its own.
    pub struct FieldSplitBench {
        ports {
            /// Clock, which it does not need.
            pub clock: Signal<In, Clock>,
            /// Reset, which it does not need.
            pub reset: Signal<In, Bit>,
            /// The word.
            pub word: Signal<In, Bits<39>>,
            /// The lowest field.
            pub fields_0: Signal<Out, Bits<13>>,
            /// The one above.
            pub fields_1: Signal<Out, Bits<13>>,
            /// The highest.
            pub fields_2: Signal<Out, Bits<13>>,
        }
        parts {
            part: FieldSplit<3, 13, 39>,
        }
    }
}

impl Logic for FieldSplitBench {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.word.next = self.word.val();
        self.fields_0.next = self.part.fields[0].val();
        self.fields_1.next = self.part.fields[1].val();
        self.fields_2.next = self.part.fields[2].val();
    }
}

/// A module with the bench's ports and the primitive's own Verilog as its body: names are the same on purpose.
fn module(ports: &[Port], primitive: &impl Logic, constants: &str) -> String {
    let Verilog::Custom(body) = primitive.hdl() else { panic!("a primitive writes its Verilog by hand") };
    let declarations: Vec<String> = ports
        .iter()
        .map(|port| {
            let assigned = body.contains(&format!("{} <=", port.name)) || body.contains(&format!("{} =", port.name));
            let register = assigned && !body.contains(&format!("assign {}", port.name));
            let class = match (port.direction, register) {
                (Direction::In, _) => "input wire",
                (Direction::Out, true) => "output reg",
                (Direction::Out, false) => "output wire",
            };
            format!("  {class} [{}:0] {}", port.width - 1, port.name)
        })
        .collect();
    let mut text = String::new();
    let _ = write!(text, "module bench(\n{}\n);\n{constants}{body}endmodule\n", declarations.join(",\n"));
    text
}

/// Random inputs in every cycle, a reset now and then; memories start from the same pattern on both sides.
fn compare<B: Ports + 'static>(bench: B, verilog: String, seed: u64) {
    let files = vec![("bench.v".to_string(), verilog)];
    let source = Source { top: "bench".into(), files, ports: B::ports() };
    let model = Model::build(&source, &Options::CHECKING).unwrap_or_else(|error| panic!("{error:?}"));
    let mut pair = Pair::new(Box::new(Clocked::new(bench)), Some(Box::new(model.simulation(Start::Pattern))));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    pair.reset();
    for cycle in 0..5_000 {
        pair.frame.write(1, u128::from(random.random_ratio(1, 50)));
        for index in 2..pair.ports().len() {
            pair.frame.write(index, random.random());
        }
        pair.cycle().unwrap_or_else(|difference| panic!("cycle {cycle}: {difference}"));
    }
}

/// XV-02: `Register` takes `d` and resets to its reset value.
#[test]
fn xv_02_register_equals_its_verilog() {
    let value = Bits::new(0x1_5555_aaaa_0f0f_3c3c);
    let part = Register::new(value);
    let constants = format!("localparam [76:0] reset_value = 77'd{};\n", value.value());
    let verilog = module(&RegisterBench::ports(), &part, &constants);
    let bench = RegisterBench { part, ..RegisterBench::default() };
    compare(bench, verilog, 1);
}

/// XV-02: `RegisterFile` reads in the same cycle what was written before it.
#[test]
fn xv_02_register_file_equals_its_verilog() {
    let verilog = module(&RegisterFileBench::ports(), &RegisterFile::<3, 37>::default(), "");
    compare(RegisterFileBench::default(), verilog, 2);
}

/// XV-02: `Ram` reads a cycle later, holds without `read_enable`, and reads the old value of an entry that is being written.
#[test]
fn xv_02_ram_equals_its_verilog() {
    let verilog = module(&RamBench::ports(), &Ram::<4, 128>::default(), "");
    compare(RamBench::default(), verilog, 3);
}

/// XV-02: `PopulationCount` counts every bit of an odd width.
#[test]
fn xv_02_population_count_equals_its_verilog() {
    let verilog = module(&PopulationCountBench::ports(), &PopulationCount::<33, 6>::default(), "");
    compare(PopulationCountBench::default(), verilog, 4);
}

/// XV-02: `LowestBit` finds the lowest bit of a width that is no power of two, and its number.
#[test]
fn xv_02_lowest_bit_equals_its_verilog() {
    let verilog = module(&LowestBitBench::ports(), &LowestBit::<13, 4>::default(), "");
    compare(LowestBitBench::default(), verilog, 6);
}

/// XV-02: `MaskUnion` joins all of its masks.
#[test]
fn xv_02_mask_union_equals_its_verilog() {
    let verilog = module(&MaskUnionBench::ports(), &MaskUnion::<3, 70>::default(), "");
    compare(MaskUnionBench::default(), verilog, 7);
}

/// XV-02: `FieldJoin` puts the first field lowest, at an offset that is no power of two.
#[test]
fn xv_02_field_join_equals_its_verilog() {
    let verilog = module(&FieldJoinBench::ports(), &FieldJoin::<3, 13, 39>::default(), "");
    compare(FieldJoinBench::default(), verilog, 8);
}

/// XV-02: `FieldSplit` shows each field, and nothing of its neighbours.
#[test]
fn xv_02_field_split_equals_its_verilog() {
    let verilog = module(&FieldSplitBench::ports(), &FieldSplit::<3, 13, 39>::default(), "");
    compare(FieldSplitBench::default(), verilog, 9);
}

/// XV-02: the comparison itself sees a wrong bit: the same bench against Verilog with another reset value.
#[test]
#[should_panic(expected = "q is")]
fn xv_02_a_wrong_reset_value_is_seen() {
    let part = Register::new(Bits::new(5));
    let verilog = module(&RegisterBench::ports(), &part, "localparam [76:0] reset_value = 77'd4;\n");
    let bench = RegisterBench { part, ..RegisterBench::default() };
    compare(bench, verilog, 5);
}
