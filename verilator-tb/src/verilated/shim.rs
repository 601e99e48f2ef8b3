//! The C++ between a Verilated model and us: a flat C interface, written for the ports of one block.
//!
//! `heddle_cycle` is the fast path: it takes all inputs from an array of words (the layout of
//! [`Frame`](heddle_hdl::simulation::Frame)), settles, writes all outputs back and clocks the model, in one call.
//!
//! A third of a large model's time would go into computing at the clock's edge what has just settled: `eval` begins with all that depends on inputs,
//! whatever has changed. So the edge calls the two phases behind that by themselves, where Verilator's text has them by their names ([`PHASES`]).

use super::Options;
use heddle_hdl::ports::{Direction, Port};
use std::fmt::Write;

/// What Verilator's text declares if the phases of an edge can be called: triggers, and what they trigger.
pub const PHASES: [&str; 2] = [
    "bool Model___024root___eval_phase__act(Model___024root* vlSelf)",
    "bool Model___024root___eval_phase__nba(Model___024root* vlSelf)",
];

/// C++ that gives a port of a Verilated model its value.
fn assignment(port: &Port, low: &str, high: &str) -> String {
    let name = port.name;
    let mask = |bits: usize| if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    if port.width <= 64 {
        return format!("model->{name} = {low} & UINT64_C({});", mask(port.width));
    }
    let words = port.width.div_ceil(32);
    let mut text = String::new();
    for word in 0..words {
        let source = if word < 2 { low } else { high };
        let bits = (port.width - 32 * word).min(32);
        let _ = write!(text, "model->{name}[{word}] = ({source} >> {}) & UINT64_C({}); ", 32 * (word % 2), mask(bits));
    }
    text
}

/// The same, and whether that is another one.
fn change(port: &Port) -> String {
    let (low, high) = words(port);
    format!(
        "{{ const uint64_t was[] = {{{low}, {high}}}; {} changed = was[0] != ({low}) || was[1] != ({high}); }}",
        assignment(port, "low", "high")
    )
}

/// The C++ expressions of the low and the high word of a port.
fn words(port: &Port) -> (String, String) {
    let name = port.name;
    if port.width <= 64 {
        return (format!("model->{name}"), "0".to_string());
    }
    let word = |index: usize| {
        if index < port.width.div_ceil(32) {
            format!("static_cast<uint64_t>(model->{name}[{index}])")
        } else {
            "UINT64_C(0)".to_string()
        }
    };
    (format!("{} | ({} << 32)", word(0), word(1)), format!("{} | ({} << 32)", word(2), word(3)))
}

/// The shim for a block with `ports`, included after the sources of `Model`.
pub fn text(ports: &[Port], options: &Options) -> String {
    let (mut set, mut get, mut inputs, mut outputs) = (String::new(), String::new(), String::new(), String::new());
    let mut at = 0;
    for (index, port) in ports.iter().enumerate() {
        let (low, high) = words(port);
        let _ = writeln!(get, "    case {index}: *low = {low}; *high = {high}; break;");
        let (low_word, high_word) = (format!("words[{at}]"), format!("words[{}]", at + 1));
        if port.direction == Direction::In {
            let _ = writeln!(set, "    case {index}: {} break;", change(port));
            if index > 0 {
                let _ = writeln!(inputs, "  {}", assignment(port, &low_word, &high_word));
            }
        } else {
            let _ = writeln!(outputs, "  {low_word} = {low};");
            if port.width > 64 {
                let _ = writeln!(outputs, "  {high_word} = {high};");
            }
        }
        at += port.width.div_ceil(64);
    }
    TEMPLATE
        .replace("@COUNT@", &ports.len().to_string())
        .replace("@SET@", &set)
        .replace("@GET@", &get)
        .replace("@INPUTS@", &inputs)
        .replace("@OUTPUTS@", &outputs)
        .replace("@TRACE@", if options.trace { "1" } else { "0" })
        .replace("@COVERAGE@", if options.coverage { "1" } else { "0" })
}

const TEMPLATE: &str = r#"#define HEDDLE_TRACE @TRACE@
#define HEDDLE_COVERAGE @COVERAGE@
#include <cstdint>
#if HEDDLE_TRACE
#include "verilated_vcd_c.h"
#endif
#if HEDDLE_COVERAGE
#include "verilated_cov.h"
#endif
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
struct Instance {
  VerilatedContext context;
  Model* model = nullptr;
#if HEDDLE_TRACE
  VerilatedVcdC* trace = nullptr;
#endif
};

inline void evaluate(Instance* instance) {
  instance->model->eval();
#if HEDDLE_TRACE
  if (instance->trace) instance->trace->dump(instance->context.time());
  instance->context.timeInc(1);
#endif
}

// The clock rises and falls, after the model has settled; says whether it has settled again.
inline int edge(Instance* instance) {
  instance->model->clock = 1;
#if HEDDLE_PHASES && !HEDDLE_TRACE && !HEDDLE_COVERAGE
  Model___024root* root = instance->model->rootp;
  do {
    while (Model___024root___eval_phase__act(root)) {}
  } while (Model___024root___eval_phase__nba(root));
  instance->model->clock = 0;
  // Nothing waits for the clock to fall, but the next rise has to be one.
  Model___024root___eval_phase__act(root);
  return 1;
#else
  evaluate(instance);
  instance->model->clock = 0;
  return 0;
#endif
}
}  // namespace

double sc_time_stamp() { return 0; }

HEDDLE_EXPORT uint32_t heddle_ports() { return @COUNT@; }

HEDDLE_EXPORT void* heddle_create(uint64_t seed, int random_start) {
  Instance* instance = new Instance;
  const std::string start = random_start ? "+random_start=" + std::to_string(seed) : "+pattern_start";
  const char* arguments[] = {"heddle", start.c_str()};
  instance->context.commandArgs(2, arguments);
  instance->context.randReset(random_start ? 2 : 0);
  instance->context.randSeed(static_cast<int>((seed & 0x7ffffffe) + 1));
#if HEDDLE_TRACE
  instance->context.traceEverOn(true);
#endif
  instance->model = new Model{&instance->context, "top"};
  instance->model->clock = 0;
  instance->model->reset = 0;
  return instance;
}

HEDDLE_EXPORT void heddle_destroy(void* handle) {
  Instance* instance = static_cast<Instance*>(handle);
  instance->model->final();
#if HEDDLE_TRACE
  if (instance->trace) { instance->trace->close(); delete instance->trace; }
#endif
  delete instance->model;
  delete instance;
}

HEDDLE_EXPORT void heddle_eval(void* handle) { static_cast<Instance*>(handle)->model->eval(); }

HEDDLE_EXPORT int heddle_tick(void* handle, int settled) {
  Instance* instance = static_cast<Instance*>(handle);
  if (HEDDLE_TRACE || !settled) evaluate(instance);
  return edge(instance);
}

HEDDLE_EXPORT int heddle_set(void* handle, uint32_t port, uint64_t low, uint64_t high) {
  Model* model = static_cast<Instance*>(handle)->model;
  bool changed = false;
  (void)high;
  switch (port) {
@SET@    default: break;
  }
  return changed;
}

HEDDLE_EXPORT void heddle_get(void* handle, uint32_t port, uint64_t* low, uint64_t* high) {
  Model* model = static_cast<Instance*>(handle)->model;
  switch (port) {
@GET@    default: *low = 0; *high = 0; break;
  }
}

HEDDLE_EXPORT void heddle_cycle(void* handle, uint64_t* words) {
  Instance* instance = static_cast<Instance*>(handle);
  Model* model = instance->model;
@INPUTS@  evaluate(instance);
@OUTPUTS@  edge(instance);
}

HEDDLE_EXPORT int heddle_trace_open(void* handle, const char* path) {
#if HEDDLE_TRACE
  Instance* instance = static_cast<Instance*>(handle);
  instance->trace = new VerilatedVcdC;
  instance->model->trace(instance->trace, 99);
  instance->trace->open(path);
  return instance->trace->isOpen() ? 1 : 0;
#else
  (void)handle; (void)path;
  return 0;
#endif
}

HEDDLE_EXPORT int heddle_coverage_write(void* handle, const char* path) {
#if HEDDLE_COVERAGE
  static_cast<Instance*>(handle)->context.coveragep()->write(path);
  return 1;
#else
  (void)handle; (void)path;
  return 0;
#endif
}
"#;
