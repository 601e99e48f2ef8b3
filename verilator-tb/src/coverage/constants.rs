//! Bits that nothing can change: at a point they are constants, by its parameters or because the surroundings promise to hold an input still.
//!
//! Yosys reads the export, ties the promised inputs, spreads every constant through the whole hierarchy, and says which bits became one. A bit of a
//! module is constant if it is in all instances.

use crate::error::{Error, Result};
use crate::tools;
use crate::verilated::Source;
use heddle_hdl::ports::{Direction, Port};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The module around the block, which ties what is promised.
const AROUND: &str = "heddle_around";

/// Spreads constants; all nets stay, whether or not anything reads them.
const SPREAD: &str = "flatten\nsetattr -set keep 1 w:*\nmemory -nomap\nmemory_map\nopt -full\nwreduce\nopt -full\nwrite_json flat.json\n";

/// Bits of an input that the surroundings hold low in every cycle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// The block.
    pub block: String,
    /// The point at which it holds; every point if it is left out.
    #[serde(default)]
    pub point: Option<String>,
    /// Its input.
    pub port: String,
    /// The highest and the lowest of the bits; all if it is left out.
    #[serde(default)]
    pub bits: Option<(usize, usize)>,
    /// Who promises it, and where that stands.
    pub reason: String,
}

impl Promise {
    /// Whether it is about this bit of a port.
    pub fn holds(&self, port: &str, bit: usize) -> bool {
        self.port == port && self.bits.is_none_or(|(high, low)| (low..=high).contains(&bit))
    }
}

/// What a bit always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// 0.
    Low,
    /// 1.
    High,
    /// One of them in each instance.
    Either,
}

/// The constant bits by module and net; bit 0 first.
#[derive(Clone, Debug, Default)]
pub struct Constants(BTreeMap<String, BTreeMap<String, Vec<Option<Constant>>>>);

impl Constants {
    /// The constant bits of `source` under `promises`, which have to be about its ports.
    ///
    /// # Errors
    /// A missing tool, or Verilog that Yosys refuses.
    pub fn of(source: &Source, promises: &[&Promise]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("heddle-constants-").tempdir().map_err(Error::file("/tmp"))?;
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).map_err(Error::file(folder.path()));
        let mut script = String::new();
        for (name, text) in &source.files {
            put(name, text)?;
            let _ = writeln!(script, "read_verilog {name}");
        }
        put("around.v", &around(source, promises))?;
        let _ = write!(script, "read_verilog around.v\nhierarchy -check -top {AROUND}\nproc\nwrite_json parts.json\n{SPREAD}");
        put("constants.ys", &script)?;
        let yosys = tools::program("yosys")?;
        let hint = "the export is not synthesizable";
        tools::run_in("yosys", &yosys, folder.path(), &["-q", "-s", "constants.ys"], hint)?;
        let (parts, flat) = (read(folder.path(), "parts.json")?, read(folder.path(), "flat.json")?);
        let mut constants = Self::default();
        constants.gather(&parts["modules"], &flat["modules"][AROUND]["netnames"], AROUND, "");
        Ok(constants)
    }

    /// What a bit always is, if it is constant.
    pub fn of_bit(&self, module: &str, net: &str, bit: usize) -> Option<Constant> {
        *self.0.get(module)?.get(net)?.get(bit)?
    }

    /// Adds the instance of `module` whose nets are called `path` and their name.
    fn gather(&mut self, modules: &Value, flat: &Value, module: &str, path: &str) {
        let empty = serde_json::Map::new();
        let described = &modules[module];
        let nets = self.0.entry(module.to_string()).or_default();
        for net in described["netnames"].as_object().unwrap_or(&empty).keys() {
            let Some(bits) = flat[format!("{path}{net}")]["bits"].as_array() else { continue };
            let here = bits.iter().map(constant);
            match nets.get_mut(net) {
                None => {
                    nets.insert(net.clone(), here.collect());
                }
                Some(known) => known.iter_mut().zip(here).for_each(|(known, here)| {
                    *known = match (*known, here) {
                        (Some(left), Some(right)) if left == right => Some(left),
                        (Some(_), Some(_)) => Some(Constant::Either),
                        _ => None,
                    }
                }),
            }
        }
        for (name, cell) in described["cells"].as_object().unwrap_or(&empty) {
            let kind = cell["type"].as_str().unwrap_or_default();
            if modules.get(kind).is_some() {
                self.gather(modules, flat, kind, &format!("{path}{name}."));
            }
        }
    }
}

/// A bit as Yosys writes it: a number is a net, and what nothing drives is no constant.
fn constant(bit: &Value) -> Option<Constant> {
    match bit.as_str()? {
        "0" => Some(Constant::Low),
        "1" => Some(Constant::High),
        _ => None,
    }
}

fn read(folder: &Path, name: &str) -> Result<Value> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text)
        .map_err(|cause| Error::Internal { place: "what Yosys wrote".into(), cause: cause.to_string() })
}

/// A module with the block in it, whose promised inputs are tied low.
fn around(source: &Source, promises: &[&Promise]) -> String {
    let declare = |port: &Port| {
        let way = if port.direction == Direction::In { "input" } else { "output" };
        format!("  {way} wire [{}:0] {}", port.width - 1, port.name)
    };
    let connect = |port: &Port| {
        let bit = |bit: usize| match promises.iter().any(|promise| promise.holds(port.name, bit)) {
            true => "1'b0".to_string(),
            false => format!("{}[{bit}]", port.name),
        };
        let bits: Vec<String> = (0..port.width).rev().map(bit).collect();
        let whole = port.direction != Direction::In || promises.iter().all(|promise| promise.port != port.name);
        match whole {
            true => format!("    .{0}({0})", port.name),
            false => format!("    .{}({{{}}})", port.name, bits.join(", ")),
        }
    };
    let ports: Vec<String> = source.ports.iter().map(declare).collect();
    let connections: Vec<String> = source.ports.iter().map(connect).collect();
    let (ports, connections) = (ports.join(",\n"), connections.join(",\n"));
    format!("module {AROUND} (\n{ports}\n);\n  {} block (\n{connections}\n  );\nendmodule\n", source.top)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08: a tied parameter, a promised input and what follows of both are constant; what one instance changes is not.
    #[test]
    fn xv_08_constants_follow_from_parameters_and_promises() {
        let part = "module m_part (input wire clock, input wire [1:0] a, output wire [1:0] b);\n  reg [1:0] kept;\n  \
                    assign b = kept;\n  always @(posedge clock) kept <= a;\nendmodule\n";
        let top = "module m (input wire clock, input wire reset, input wire [1:0] a, output wire [1:0] x, output wire [1:0] y);\n  \
                   m_part first (.clock(clock), .a({1'b1, a[0]}), .b(x));\n  \
                   m_part second (.clock(clock), .a(a), .b(y));\nendmodule\n";
        let port = |name, direction, width| Port { name, direction, width, meaning: "" };
        let ports = vec![
            port("clock", Direction::In, 1),
            port("reset", Direction::In, 1),
            port("a", Direction::In, 2),
            port("x", Direction::Out, 2),
            port("y", Direction::Out, 2),
        ];
        let files = vec![("m.v".to_string(), top.to_string()), ("m_part.v".to_string(), part.to_string())];
        let source = Source { top: "m".into(), files, ports };
        let free = Constants::of(&source, &[]).expect("Yosys reads it");
        assert_eq!(free.of_bit("m", "x", 1), Some(Constant::High));
        assert_eq!(free.of_bit("m", "y", 1), None);
        assert_eq!(free.of_bit("m_part", "kept", 1), None, "only one instance holds it");
        let promise =
            Promise { block: "m".into(), point: None, port: "a".into(), bits: Some((1, 1)), reason: "a test".into() };
        let tied = Constants::of(&source, &[&promise]).expect("Yosys reads it");
        assert_eq!(tied.of_bit("m", "a", 1), Some(Constant::Low));
        assert_eq!(tied.of_bit("m", "y", 1), Some(Constant::Low));
        assert_eq!(tied.of_bit("m_part", "kept", 1), Some(Constant::Either));
        assert_eq!(tied.of_bit("m_part", "kept", 0), None);
    }
}
