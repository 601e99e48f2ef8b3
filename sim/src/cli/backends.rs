//! The backends that need nothing but Rust.

use heddle_hdl::points;

use crate::engine::{Configuration, Engine};
use crate::model::divergence_unit::DivergenceUnit;
use crate::rtl::RtlEngine;

use super::registry::{Backend, Backends};

/// The block behind the RTL backend.
const BLOCK: &str = "divergence_unit";

/// Models and RTL.
pub fn linked() -> Backends {
    let model = Backend {
        name: "model",
        about: "reference model, queues without bounds",
        build: |configuration| Ok(Box::new(DivergenceUnit::new(*configuration))),
    };
    let windowed = Backend {
        name: "windowed",
        about: "reference model with the hardware's window and spill area",
        build: |configuration| Ok(Box::new(DivergenceUnit::windowed(*configuration))),
    };
    let rtl = Backend { name: "rtl", about: "the hardware, simulated in Rust, at its parameter points", build: rtl };
    Backends::new(model).with_bounded(windowed).with_showcase(rtl)
}

fn rtl(configuration: &Configuration) -> miette::Result<Box<dyn Engine>> {
    let entry = point(configuration)?;
    let name = if configuration.stack_mode { "stack RTL" } else { "deque RTL" };
    Ok(Box::new(RtlEngine::new((entry.simulate)(), name, *configuration)))
}

/// The parameter point of a configuration; any hardware backend has only those.
pub fn point(configuration: &Configuration) -> miette::Result<points::Entry> {
    let name = format!("{}x{}x{}", configuration.warps, configuration.threads, configuration.depth);
    let known = points::entries();
    let known: Vec<points::Entry> = known.into_iter().filter(|entry| entry.block == BLOCK).collect();
    let names: Vec<&str> = known.iter().map(|entry| entry.point).collect();
    let names = names.join(", ");
    known.into_iter().find(|entry| entry.point == name).ok_or_else(|| {
        miette::miette!(
            help = format!("points, as --warps x --threads x --depth: {names}; the models take any size"),
            "the hardware is not elaborated for {} warps of {} threads with windows of {} tokens",
            configuration.warps,
            configuration.threads,
            configuration.depth
        )
    })
}
