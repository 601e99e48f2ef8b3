//! `divergence-law`: what k paths through one BRX cost (XV-09, SM-06). Cycles grow linearly with k, and an instruction on a path has 32/k lanes, as
//! on real GPUs (arXiv 2607.23402).

use std::path::PathBuf;

use clap::Args;
use plotters::prelude::*;
use serde::Serialize;

use crate::assembler::{assemble, Overrides};
use crate::machine::counters::Counters;

use super::compare_all::ENGINES;
use super::error::CliError;
use super::execute::{execute_silently, run_options};
use super::files::write_atomically;
use super::interrupt::check_interrupt;
use super::json::Document;
use super::load::Loaded;
use super::options::{CoreOptions, EngineChoice, KernelOptions};
use super::output::{grouped, print, print_json, table, ProgressReport};
use super::registry::{Backend, Backends};

/// Lanes of the warp, and the most paths.
const LANES: u32 = 32;

/// The options of `divergence-law`.
#[derive(Clone, Debug, Args)]
pub struct LawArguments {
    /// Which form of the engines runs; the command's --help lists them
    #[arg(long, value_name = "B")]
    pub backend: Option<String>,
    /// Instructions of a path
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub work: u32,
    /// Write the plot
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// One number of paths on one engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Paths that the threads of the warp take.
    pub paths: u32,
    /// Cycles of the whole run.
    pub cycles: u64,
    /// Instructions of the whole run.
    pub instructions: u64,
    /// Active lanes of an average instruction on a path: what twice the work takes more.
    pub path_lanes: f64,
}

/// An engine's law: `cycles = offset + slope * paths`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Law {
    /// The engine.
    pub engine: &'static str,
    /// From 1 path to 32.
    pub points: Vec<Point>,
    /// Cycles of one more path.
    pub slope: i64,
    /// Cycles beside the paths.
    pub offset: i64,
    /// No point from two paths on lies off the line.
    pub linear: bool,
}

impl Law {
    fn of(engine: EngineChoice, points: Vec<Point>) -> Self {
        let cycles = |place: usize| points.get(place).map_or(0, |point| point.cycles as i64);
        // The line is that of the diverging runs: a single path does not diverge, and is spared what that costs.
        let slope = cycles(2) - cycles(1);
        let offset = cycles(1) - 2 * slope;
        let on_the_line = |point: &Point| offset + slope * i64::from(point.paths) == point.cycles as i64;
        let linear = points.iter().skip(1).all(on_the_line);
        Self { engine: engine.name(), points, slope, offset, linear }
    }
}

/// A program in which the lanes of a warp take `paths` of 32 paths, each of its own instructions.
fn program(work: u32) -> String {
    let table: String = (0..LANES).map(|path| format!("        BRA     path_{path}\n")).collect();
    let path = |path: u32| {
        let body = format!("        IADD    R5, R5, {}\n", path + 1).repeat(work as usize);
        format!("path_{path}:\n{body}        SYNC    join\n")
    };
    let paths: String = (0..LANES).map(path).collect();
    format!(
        ".kernel paths \"k paths through one BRX\"\n.param paths = 1 \"how many\"\n.memory result, threads\n.block {LANES}\n\
         .expect result = each (index * paths / {LANES} + 1) * {work}\n        \
         S2R     R0, %logical\n        PARAM   R1, paths\n        PARAM   R3, result\n        \
         IMAD    R3, R0, 4, R3\n        IMAD    R2, R0, R1, RZ\n        SHR.U   R2, R2, 5               // this lane's path\n        \
         SSY     join\n        BRX     R2, table\ntable:\n{table}{paths}join:\n        \
         ST.GLOBAL.W [R3], R5\n        EXIT\n"
    )
}

/// One run with so many paths of so many instructions.
fn run(engine: EngineChoice, backend: Backend, work: u32, paths: u32) -> Result<Counters, CliError> {
    check_interrupt()?;
    let internal = |what: String| CliError::Internal(format!("the program of {paths} paths: {what}"));
    let kernel = assemble(&program(work), "paths.s").map_err(|errors| internal(format!("{errors:?}")))?;
    let overrides = Overrides { parameters: [("paths".to_string(), paths)].into(), ..Overrides::default() };
    let launch = kernel.launch(&overrides).map_err(|cause| internal(cause.to_string()))?;
    let core = CoreOptions::default();
    let loaded = Loaded { kernel, launch, as_shipped: false };
    let options = run_options(&KernelOptions::of(""), &core, 0);
    let report = execute_silently(&loaded, engine, backend, &core.configuration(engine)?, options)?;
    report.error()?;
    Ok(report.outcome.counters)
}

/// Measures an engine.
///
/// # Errors
/// If a run fails, or on Ctrl-C.
pub fn measure(engine: EngineChoice, backend: Backend, work: u32, passed: &mut dyn FnMut()) -> Result<Law, CliError> {
    let mut points = Vec::new();
    for paths in 1..=LANES {
        let (once, twice) = (run(engine, backend, work, paths)?, run(engine, backend, 2 * work, paths)?);
        let more = |of: fn(&Counters) -> u64| of(&twice).saturating_sub(of(&once)) as f64;
        points.push(Point {
            paths,
            cycles: once.cycles,
            instructions: once.instructions.total(),
            path_lanes: more(|counters| counters.active_lanes) / more(|counters| counters.instructions.total()),
        });
        passed();
    }
    Ok(Law::of(engine, points))
}

/// The JSON document.
#[derive(Serialize)]
struct LawDocument {
    backend: &'static str,
    work: u32,
    engines: Vec<Law>,
}

/// Measures all engines, prints the table and writes the plot.
///
/// # Errors
/// Bad input, Ctrl-C, or an engine that does not keep the law.
pub fn divergence_law(arguments: &LawArguments, backends: &Backends) -> Result<(), CliError> {
    let backend = match &arguments.backend {
        Some(name) => backends.find(Some(name))?,
        None => backends.showcase(),
    };
    let total = (ENGINES.len() as u64) * u64::from(LANES);
    let (mut bar, mut done) = (ProgressReport::new(Some(total)), 0);
    let mut laws = Vec::new();
    for engine in ENGINES {
        laws.push(measure(engine, backend, arguments.work, &mut || {
            done += 1;
            bar.update(done, || format!("{done} of {total} numbers of paths"));
        })?);
    }
    drop(bar);
    if let Some(path) = &arguments.svg {
        let text = plot(&laws).map_err(|cause| CliError::Internal(format!("the plot: {cause}")))?;
        write_atomically(path, text.as_bytes())?;
    }
    let kept = laws.iter().all(|law| law.linear && law.points.iter().all(keeps_efficiency));
    if arguments.json {
        let document = LawDocument { backend: backend.name, work: arguments.work, engines: laws };
        print_json(&Document::new("heddle.divergence-law", document))?;
    } else {
        print(&describe(&laws, backend))?;
    }
    match kept {
        true => Ok(()),
        false => {
            Err(CliError::Check("cycles are not linear in the number of paths, or lanes are not 32/k".to_string()))
        }
    }
}

/// An instruction on one of k paths has 32/k lanes on average.
fn keeps_efficiency(point: &Point) -> bool {
    (point.path_lanes * f64::from(point.paths) - f64::from(LANES)).abs() < 1e-9
}

fn describe(laws: &[Law], backend: Backend) -> String {
    let mut headers = vec!["paths".to_string()];
    headers.extend(laws.iter().map(|law| format!("cycles, {}", law.engine)));
    headers.extend(laws.iter().map(|law| format!("lanes on a path, {}", law.engine)));
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut rows = table(&headers, 1);
    for place in 0..LANES as usize {
        let mut row = vec![(place + 1).to_string()];
        row.extend(laws.iter().map(|law| grouped(law.points[place].cycles)));
        row.extend(laws.iter().map(|law| format!("{:.2}", law.points[place].path_lanes)));
        rows.add_row(row);
    }
    let line = |law: &Law| {
        let exactly = if law.linear { "exactly" } else { "NOT exactly" };
        format!(
            "{} {}: {exactly} {} + {} k cycles for k paths, from 2 on\n",
            law.engine, backend.name, law.offset, law.slope
        )
    };
    format!("{rows}\n{}", laws.iter().map(line).collect::<String>())
}

/// A colour for each engine, told apart in grey as well.
const COLOURS: [RGBColor; 3] = [RGBColor(0, 0, 0), RGBColor(0, 114, 178), RGBColor(213, 94, 0)];

/// Two diagrams side by side, as SVG.
fn plot(laws: &[Law]) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (960, 380)).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, right) = root.split_horizontally(480);
        let most = laws.iter().flat_map(|law| &law.points).map(|point| point.cycles).max().unwrap_or(1) as f64;
        diagram(&left, "cycles", most, laws, |point| point.cycles as f64)?;
        diagram(&right, "lanes of an instruction on a path", f64::from(LANES), laws, |point| point.path_lanes)?;
        root.present()?;
    }
    Ok(text)
}

fn diagram(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    what: &str,
    most: f64,
    laws: &[Law],
    value: impl Fn(&Point) -> f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let font = ("sans-serif", 14);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..f64::from(LANES) + 1.0, 0.0..most * 1.05)
        .map_err(|cause| cause.to_string())?;
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc("paths k").y_desc(what).x_labels(9).label_style(font).axis_desc_style(font).light_line_style(WHITE);
    mesh.x_label_formatter(&|paths| format!("{paths:.0}")).y_label_formatter(&|value| format!("{value:.0}"));
    mesh.draw().map_err(|cause| cause.to_string())?;
    for (number, law) in laws.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let points: Vec<(f64, f64)> = law.points.iter().map(|point| (f64::from(point.paths), value(point))).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), &colour))
            .map_err(|cause| cause.to_string())?
            .label(law.engine)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        // Engines may lie on each other: each has dots of its own size.
        let size = 4 - number as i32;
        let dots = points.into_iter().map(|point| Circle::new(point, size, colour.filled()));
        chart.draw_series(dots).map_err(|cause| cause.to_string())?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperMiddle)
        .background_style(WHITE)
        .border_style(BLACK)
        .label_font(font)
        .draw()
        .map_err(|cause| cause.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::backends;

    /// SM-06: on the reference models of all engines cycles are linear in the number of paths, to the cycle, and lanes are 32/k; what a path costs is
    /// its instructions and a few for the divergence.
    #[test]
    fn cycles_are_linear_in_the_paths() {
        let backends = backends();
        let Ok(model) = backends.find(Some("model")) else { panic!("the model is always there") };
        for engine in ENGINES {
            let law = measure(engine, model, 8, &mut || ()).map_err(|failure| format!("{failure:?}")).expect("it runs");
            assert!(law.linear, "{law:?}");
            assert!(law.points.iter().all(keeps_efficiency), "{law:?}");
            assert!((10..=14).contains(&law.slope), "8 instructions, and few to come and go: {law:?}");
        }
    }

    /// A law that bends is not called linear.
    #[test]
    fn a_bend_is_seen() {
        let point = |paths: u32, cycles: u64| Point { paths, cycles, instructions: 0, path_lanes: 0.0 };
        let straight = (1..=32).map(|paths| point(paths, 20 + 3 * u64::from(paths))).collect::<Vec<_>>();
        let law = Law::of(EngineChoice::Deque, straight.clone());
        assert!(law.linear && (law.slope, law.offset) == (3, 20));
        let mut bent = straight;
        bent[31].cycles += 1;
        assert!(!Law::of(EngineChoice::Deque, bent).linear);
    }
}
