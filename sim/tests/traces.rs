//! The same run in two formats says the same, signal by signal (XV-09). What a Perfetto trace says is held against Perfetto's own schema
//! by scripts/check-traces.

use std::collections::BTreeMap;
use std::io::{BufReader, Cursor};

use crate::support::model;
use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalValue};
use heddle_sim::assembler::{assemble, Kernel, Overrides};
use heddle_sim::barrier::Statics;
use heddle_sim::cli::registry::model_barriers;
use heddle_sim::engine::Configuration;
use heddle_sim::kernels;
use heddle_sim::machine::{FstTrace, Machine, PerfettoTrace, RunOptions, Trace, VcdTrace, Verdict};

/// The changes of each signal, by its path: time and value.
type Changes = BTreeMap<String, Vec<(u64, String)>>;

/// Runs a kernel into a trace; its cycles.
fn record(kernel: &Kernel, configuration: Configuration, trace: &mut dyn Trace) -> u64 {
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let options = RunOptions::default();
    let machine = Machine::new(kernel, &launch, model(configuration), options).expect("it fits");
    let machine = match kernel.uses_barriers() {
        true => {
            let scheduler = model_barriers(options.barrier_size(&launch), Statics::default()).expect("the model");
            machine.with_barriers(&launch, scheduler).expect("it fits the scheduler")
        }
        false => machine,
    };
    let outcome = machine.traced(trace).run(&|| false, &mut |_| {});
    assert_eq!((outcome.verdict, outcome.trace_failure), (Verdict::Completed, None));
    outcome.counters.cycles
}

fn shipped(name: &str) -> Kernel {
    let shipped = kernels::find(name).expect("it ships");
    assemble(shipped.text, shipped.file_name).expect("it assembles")
}

fn of_vcd(bytes: &[u8]) -> Changes {
    fn name(items: &[vcd::ScopeItem], path: &str, names: &mut BTreeMap<vcd::IdCode, String>) {
        for item in items {
            match item {
                vcd::ScopeItem::Scope(scope) => name(&scope.children, &format!("{path}{}.", scope.identifier), names),
                vcd::ScopeItem::Var(signal) => {
                    names.insert(signal.code, format!("{path}{}", signal.reference));
                }
            }
        }
    }
    let mut parser = vcd::Parser::new(bytes);
    let header = parser.parse_header().expect("a header");
    let mut names = BTreeMap::new();
    name(&header.items, "", &mut names);
    let (mut now, mut changes) = (0, Changes::new());
    for command in parser {
        let (code, value) = match command.expect("a command") {
            vcd::Command::Timestamp(time) => {
                now = time;
                continue;
            }
            vcd::Command::ChangeScalar(code, bit) => (code, bit.to_string()),
            vcd::Command::ChangeVector(code, bits) => (code, bits.iter().map(|bit| bit.to_string()).collect()),
            _ => continue,
        };
        changes.entry(names[&code].clone()).or_default().push((now, value));
    }
    changes
}

fn of_fst(bytes: Vec<u8>) -> Changes {
    let mut reader = FstReader::open(BufReader::new(Cursor::new(bytes))).expect("an FST file");
    let (mut path, mut names) = (Vec::new(), BTreeMap::new());
    let hierarchy = |entry: FstHierarchyEntry| match entry {
        FstHierarchyEntry::Scope { name, .. } => path.push(name),
        FstHierarchyEntry::UpScope => {
            path.pop();
        }
        FstHierarchyEntry::Var { name, handle, .. } => {
            let place = path.iter().map(|scope| format!("{scope}.")).collect::<String>();
            names.insert(handle.get_index(), place + &name);
        }
        _ => {}
    };
    reader.read_hierarchy(hierarchy).expect("a hierarchy");
    let mut changes = Changes::new();
    let note = |time: u64, handle: fst_reader::FstSignalHandle, value: FstSignalValue| -> Result<(), std::io::Error> {
        let FstSignalValue::String(bits) = value else { panic!("no signal is a real number") };
        let text = String::from_utf8(bits.to_vec()).expect("bits");
        changes.entry(names[&handle.get_index()].clone()).or_default().push((time, text));
        Ok(())
    };
    reader.read_signals(&FstFilter::all(), note).expect("signals");
    changes
}

/// The value of a signal from each time on, without changes that are none.
fn history(changes: &Changes) -> Changes {
    let settle = |list: &Vec<(u64, String)>| {
        let at: BTreeMap<u64, String> = list.iter().cloned().collect();
        let mut list: Vec<(u64, String)> = at.into_iter().collect();
        list.dedup_by(|later, earlier| later.1 == earlier.1);
        list
    };
    changes.iter().map(|(name, list)| (name.clone(), settle(list))).collect()
}

/// XV-09: FST and VCD of one run have the same signals with the same values at the same times; warps sleep at barriers and hold tokens.
#[test]
fn fst_says_what_vcd_says() {
    let kernel = shipped("late_join");
    let configuration = Configuration::default();
    let (mut vcd, mut fst) = (Vec::new(), Cursor::new(Vec::new()));
    record(&kernel, configuration, &mut VcdTrace::new(&mut vcd, &configuration).expect("a header"));
    record(&kernel, configuration, &mut FstTrace::new(&mut fst, &configuration).expect("a header"));
    let fst = fst.into_inner();
    assert!(fst.len() * 2 < vcd.len(), "{} bytes of FST, {} of VCD", fst.len(), vcd.len());
    let (vcd, fst) = (history(&of_vcd(&vcd)), history(&of_fst(fst)));
    assert_eq!(vcd.keys().collect::<Vec<_>>(), fst.keys().collect::<Vec<_>>());
    for (name, changes) in &vcd {
        assert_eq!(changes, &fst[name], "{name}");
    }
    for (signal, least) in [("core.issue", 100), ("core.warp_0.disabled_barrier", 30), ("core.warp_1.tokens", 2)] {
        assert!(vcd[signal].len() > least, "{signal} changes {} times", vcd[signal].len());
    }
}

/// XV-09: the issue line is high in exactly the cycles in which a warp first offers an instruction, as many as the run has.
#[test]
fn issue_is_high_when_something_is_issued() {
    let kernel = shipped("nested_if");
    let configuration = Configuration { warps: 1, ..Configuration::default() };
    let mut bytes = Vec::new();
    let cycles = record(&kernel, configuration, &mut VcdTrace::new(&mut bytes, &configuration).expect("a header"));
    let issue = &history(&of_vcd(&bytes))["core.issue"];
    let ends = issue.iter().skip(1).map(|(time, _)| *time).chain([cycles]);
    let high: u64 =
        issue.iter().zip(ends).filter(|((_, value), _)| value == "1").map(|((from, _), to)| to - from).sum();
    let launch = kernel.launch(&Overrides::default()).expect("sizes");
    let machine = Machine::new(&kernel, &launch, model(configuration), RunOptions::default()).expect("it fits");
    assert_eq!(high, machine.run(&|| false, &mut |_| {}).counters.instructions.total());
}

/// XV-09: equal runs give equal Perfetto traces, and the warps, their instructions and their waits are in them by name.
#[test]
fn perfetto_names_warps_and_waits() {
    let kernel = shipped("late_join");
    let configuration = Configuration::default();
    let trace = || {
        let mut bytes = Vec::new();
        record(&kernel, configuration, &mut PerfettoTrace::new(&mut bytes, &configuration, &kernel).expect("a header"));
        bytes
    };
    let bytes = trace();
    assert_eq!(bytes, trace());
    let contains = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    for text in [
        "core: late_join",
        "warp 3 asleep at barriers",
        "warp 0 tokens",
        "warp 0 active lanes",
        "32 asleep",
        "BARRIER.BOTTOM",
    ] {
        assert!(contains(text), "{text}");
    }
}
