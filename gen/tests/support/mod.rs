//! Runs a block twice, in the Rust simulation and as exported Verilog under Icarus, and compares every output in every cycle.

use heddle_gen::verilog::{translate, VerilogModule};
use heddle_hdl::clocked::Clocked;
use heddle_hdl::ports::{Direction, Port, Ports};
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules of `block`.
pub fn modules<B: Ports>(name: &str, block: &B) -> Vec<VerilogModule> {
    translate(name, block, &format!("{name}: a block of the tests."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The text of the top module of `block`.
pub fn top_text<B: Ports>(name: &str, block: &B) -> String {
    modules(name, block).pop().expect("the top comes last").text
}

/// A tool, from PATH or from Heddle's tools folder.
pub fn tool(name: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(PathBuf::new, PathBuf::from);
    let tools = std::env::var_os("HEDDLE_TOOLS").map_or_else(|| home.join(".cache/heddle/tools"), PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([tools.join("venv/bin")])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{name} is neither on PATH nor in {}/venv/bin: run scripts/test", tools.display()))
}

/// Runs a command and returns what it printed; a failure is a panic with its output.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}");
    text
}

/// Writes `modules` to `folder` and returns their files.
pub fn write(modules: &[VerilogModule], folder: &Path) -> Vec<PathBuf> {
    modules
        .iter()
        .map(|module| {
            let file = folder.join(format!("{}.v", module.name));
            std::fs::write(&file, &module.text).expect("the folder can be written");
            file
        })
        .collect()
}

/// Lints with Verilator and Icarus, every warning on: silence is the only good answer.
pub fn lint(modules: &[VerilogModule]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = write(modules, folder.path());
    let top = &modules.last().expect("a module").name;
    let text = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
    let show = || files.iter().map(text).collect::<String>();
    let icarus = run(Command::new(tool("iverilog")).args(["-g2005", "-Wall", "-t", "null", "-s", top]).args(&files));
    let timescale = |line: &&str| !line.contains("timescale") && !line.contains("found a port with size 1");
    let icarus: Vec<&str> = icarus.lines().filter(timescale).collect();
    assert!(icarus.is_empty(), "Icarus:\n{}\n{}", icarus.join("\n"), show());
    let output = Command::new(tool("verilator"))
        .args(["--lint-only", "-Wall", "--top-module", top])
        .args(&files)
        .output()
        .expect("Verilator starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains('%'), "Verilator:\n{said}\n{}", show());
}

/// One cycle of stimulus: the inputs but for the clock, in the order of the ports.
pub type Cycle = Vec<u128>;

/// Random stimulus with two cycles of reset in front.
pub fn random<B: Ports>(cycles: usize, seed: u64) -> Vec<Cycle> {
    random_for(&B::ports(), cycles, seed)
}

/// Random stimulus for `ports` with two cycles of reset in front.
pub fn random_for(ports: &[Port], cycles: usize, seed: u64) -> Vec<Cycle> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let inputs = inputs(ports);
    (0..cycles)
        .map(|cycle| {
            inputs
                .iter()
                .map(|(_, port)| match port.name {
                    "reset" => u128::from(cycle < 2 || random.random_ratio(1, 400)),
                    _ => {
                        let full = if port.width == 128 { u128::MAX } else { (1 << port.width) - 1 };
                        // Corners meet the interesting comparisons more often than uniform noise.
                        match random.random_range(0..6) {
                            0 => 0,
                            1 => full,
                            2 => u128::from(random.random_range(0..4_u32)) & full,
                            _ => random.random::<u128>() & full,
                        }
                    }
                })
                .collect()
        })
        .collect()
}

fn inputs(ports: &[Port]) -> Vec<(usize, Port)> {
    let ports = ports.iter().copied().enumerate();
    ports.filter(|(_, port)| port.direction == Direction::In && port.name != "clock").collect()
}

fn outputs(ports: &[Port]) -> Vec<(usize, Port)> {
    ports.iter().copied().enumerate().filter(|(_, port)| port.direction == Direction::Out).collect()
}

/// The outputs of the Rust simulation in each cycle.
pub fn simulate(block: &mut dyn Simulation, stimulus: &[Cycle]) -> Vec<Vec<u128>> {
    let (inputs, outputs) = (inputs(block.ports()), outputs(block.ports()));
    let mut seen = Vec::new();
    for cycle in stimulus {
        inputs.iter().zip(cycle).for_each(|((port, _), value)| block.set(*port, *value));
        seen.push(outputs.iter().map(|(port, _)| block.get(*port)).collect());
        block.tick();
    }
    seen
}

/// The outputs of the Verilog under Icarus in each cycle, `None` where a bit is unknown.
pub fn run_verilog(modules: &[VerilogModule], ports: &[Port], stimulus: &[Cycle]) -> Vec<Vec<Option<u128>>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files = write(modules, folder.path());
    let top = &modules.last().expect("a module").name;
    let (inputs, outputs) = (inputs(ports), outputs(ports));
    let bits: usize = inputs.iter().map(|(_, port)| port.width).sum();
    let mut bench = String::from("module bench;\n  reg clock;\n");
    let mut pins = vec![".clock(clock)".to_string()];
    for (_, port) in inputs.iter().chain(&outputs) {
        let kind = if port.direction == Direction::In { "reg" } else { "wire" };
        writeln!(bench, "  {kind} [{}:0] {};", port.width - 1, port.name).expect("a string");
        pins.push(format!(".{0}({0})", port.name));
    }
    let list = |ports: &[(usize, Port)]| ports.iter().map(|(_, port)| port.name).collect::<Vec<_>>().join(", ");
    let format = outputs.iter().map(|_| "%b").collect::<Vec<_>>().join(" ");
    write!(
        bench,
        "  {top} uut ({});\n  reg [{}:0] stimulus [0:{}];\n  integer cycle;\n  initial begin\n    \
         $readmemb(\"stimulus.txt\", stimulus);\n    clock = 0;\n    \
         for (cycle = 0; cycle < {}; cycle = cycle + 1) begin\n      {{{}}} = stimulus[cycle];\n      #4;\n      \
         $display(\"{format}\", {});\n      #1 clock = 1;\n      #5 clock = 0;\n    end\n    $finish(0);\n  end\n\
         endmodule\n",
        pins.join(", "),
        bits - 1,
        stimulus.len() - 1,
        stimulus.len(),
        list(&inputs),
        list(&outputs)
    )
    .expect("a string");
    files.push(folder.path().join("bench.v"));
    std::fs::write(folder.path().join("bench.v"), bench).expect("the bench is written");
    let mut text = String::new();
    for cycle in stimulus {
        for ((_, port), value) in inputs.iter().zip(cycle) {
            write!(text, "{value:0width$b}", width = port.width).expect("a string");
        }
        text.push('\n');
    }
    std::fs::write(folder.path().join("stimulus.txt"), text).expect("the stimulus is written");
    run(Command::new(tool("iverilog")).args(["-g2005", "-o", "bench.vvp"]).args(&files).current_dir(folder.path()));
    let printed = run(Command::new(tool("vvp")).args(["-n", "bench.vvp"]).current_dir(folder.path()));
    printed
        .lines()
        .filter(|line| line.starts_with(['0', '1', 'x', 'z']))
        .map(|line| line.split(' ').map(|word| u128::from_str_radix(word, 2).ok()).collect())
        .collect()
}

/// The modules with memories and registers as the Rust simulation starts them: what a block does with unwritten entries, and
/// before its reset, is then the same in both.
pub fn preloaded(modules: &[VerilogModule]) -> Vec<VerilogModule> {
    let mut modules = modules.to_vec();
    for module in &mut modules {
        let text = module.text.clone();
        let registers =
            text.split_once("// Registers\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap_or(""));
        let zero = |line: &str| {
            let name = line.trim_end_matches(';').rsplit(' ').next().unwrap_or_default();
            format!("    {name} = 0;\n")
        };
        let zeros: String = registers.lines().map(zero).collect();
        if !zeros.is_empty() {
            module.text = text.replace("\nendmodule", &format!("\n  initial begin\n{zeros}  end\n\nendmodule"));
        }
        let Some(line) = module.text.lines().find(|line| line.contains(" memory [0:")).map(ToString::to_string) else {
            continue;
        };
        let numbers: Vec<u32> = line.split(|letter: char| !letter.is_ascii_digit()).flat_map(str::parse).collect();
        let (width, last) = (numbers[0] + 1, numbers[3]);
        let entry = |at: u32| {
            let pattern = 0x5a5a_a5a5_c33c_3cc3_5a5a_a5a5_c33c_3cc3_u128.rotate_left(at);
            format!("    memory[{at}] = {width}'h{:x};\n", pattern & (u128::MAX >> (128 - width)))
        };
        let fill: String = (0..=last).map(entry).collect();
        module.text = module.text.replace(&line, &format!("{line}\n  initial begin\n{fill}  end"));
    }
    modules
}

/// The Rust simulation and the Verilog agree on every output, from the third cycle on (two are spent in reset).
pub fn agree<B: Ports + Clone>(name: &str, block: B, stimulus: &[Cycle]) {
    agree_from(2, name, block, stimulus);
}

/// The Rust simulation and the Verilog agree on every output, from cycle `first` on.
pub fn agree_from<B: Ports + Clone>(first: usize, name: &str, block: B, stimulus: &[Cycle]) {
    let modules = modules(name, &block);
    let unknown = compare(first, &modules, &mut Clocked::new(block), stimulus);
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// The simulation and the Verilog agree on every output, from cycle `first` on, where the Verilog knows a value; returns
/// where it does not.
pub fn compare(first: usize, modules: &[VerilogModule], block: &mut dyn Simulation, stimulus: &[Cycle]) -> Vec<String> {
    let mut unknown = Vec::new();
    let ports = block.ports().to_vec();
    let expected = simulate(block, stimulus);
    let seen = run_verilog(modules, &ports, stimulus);
    assert_eq!(seen.len(), expected.len(), "the bench printed too few lines");
    for (cycle, (expected, seen)) in expected.iter().zip(&seen).enumerate().skip(first) {
        for ((_, port), (expected, seen)) in outputs(&ports).iter().zip(expected.iter().zip(seen)) {
            let inputs = inputs(&ports);
            let inputs = inputs.iter().zip(&stimulus[cycle]);
            let inputs: Vec<String> = inputs.map(|((_, port), value)| format!("{} = {value:#x}", port.name)).collect();
            let Some(seen) = seen else {
                unknown.push(format!("cycle {cycle}, {}: unknown", port.name));
                continue;
            };
            assert!(
                seen == expected,
                "cycle {cycle}, {}: Rust says {expected:#x}, Verilog {seen:#x}; inputs: {}\n{}",
                port.name,
                inputs.join(", "),
                modules.last().map_or("", |module| module.text.as_str())
            );
        }
    }
    unknown
}
