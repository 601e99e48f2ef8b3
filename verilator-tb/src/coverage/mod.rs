//! Coverage (XV-08): the lines that lockstep traffic runs in an export, and the bits that it raises and lowers; of a core, of what it has beside its blocks.

mod arms;
pub mod constants;
mod driven;
pub mod exclusions;
pub mod points;
pub mod reasons;

use crate::core_lockstep::{self, is_core, modules};
use crate::document::{Row, Table};
use crate::error::Error;
use crate::lockstep::campaign::{Plan, Watch};
use crate::lockstep::rig::{Contestant, Rig};
use crate::verilated::{Model, Options, Source, Start, Verilated};
use heddle_hdl::points::{self as blocks, Entry};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::output::grouped;
use points::{Kind, Point, Points};
use reasons::Reasons;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// Lines of a block that have to be run, of a hundred.
pub const LINES_WANTED: f64 = 100.0;
/// Bits that have to rise and fall, of a hundred ways to.
pub const TOGGLES_WANTED: f64 = 95.0;

/// How much of something was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Met.
    pub covered: usize,
    /// There are, without the excluded ones.
    pub of: usize,
    /// Left out, with a reason.
    pub excluded: usize,
}

impl Share {
    /// Of a hundred; all of nothing is all.
    pub fn percent(&self) -> f64 {
        if self.of == 0 {
            100.0
        } else {
            100.0 * self.covered as f64 / self.of as f64
        }
    }

    fn add(&mut self, covered: bool, excluded: bool) {
        if excluded && !covered {
            self.excluded += 1;
        } else {
            self.of += 1;
            self.covered += usize::from(covered);
        }
    }
}

/// A line or bit that was not met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hole {
    /// The module.
    pub module: String,
    /// Line of its file.
    pub line: u32,
    /// The branch, or the bit and its way.
    pub name: String,
    /// Why that is as it has to be, if somebody wrote it down.
    pub reason: Option<String>,
}

/// What was covered of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModuleShare {
    /// Its lines.
    pub lines: Share,
    /// Its bits, each up and down.
    pub toggles: Share,
}

/// What was covered of a block at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The block.
    pub block: String,
    /// Its point.
    pub point: String,
    /// Cycles of traffic from the common start.
    pub cycles: u64,
    /// All lines.
    pub lines: Share,
    /// All bits, each up and down.
    pub toggles: Share,
    /// By module.
    pub modules: BTreeMap<String, ModuleShare>,
    /// What was not met, the lines first.
    pub line_holes: Vec<Hole>,
    /// The bits that were not.
    pub toggle_holes: Vec<Hole>,
}

/// The table of `docs/evidence.md`.
pub const TABLE: Table = Table {
    name: "coverage",
    columns: &["cycles", "lines", "lines excluded", "toggles", "toggles excluded", "lines %", "toggles %"],
};

impl Report {
    /// Its row of [`TABLE`].
    pub fn row(&self) -> Row {
        let count = |number: usize| grouped(number as u64);
        let met = |share: &Share| format!("{} of {}", count(share.covered), count(share.of));
        let cells = [
            grouped(self.cycles),
            met(&self.lines),
            count(self.lines.excluded),
            met(&self.toggles),
            count(self.toggles.excluded),
            format!("{:.1}", self.lines.percent()),
            format!("{:.1}", self.toggles.percent()),
        ];
        (self.block.clone(), self.point.clone(), cells.into())
    }

    /// Whether it meets [`LINES_WANTED`] and [`TOGGLES_WANTED`].
    pub fn is_met(&self) -> bool {
        self.lines.percent() >= LINES_WANTED && self.toggles.percent() >= TOGGLES_WANTED
    }

    /// For people; `all` lists every hole.
    pub fn text(&self, all: bool) -> String {
        let line = |name: &str, lines: &Share, toggles: &Share| {
            let Share { covered, of, .. } = lines;
            let text = format!("{name:<56} lines {:6.2} % ({covered}/{of})", lines.percent());
            let Share { covered, of, excluded } = toggles;
            format!("{text}  toggles {:6.2} % ({covered}/{of}, {excluded} excluded)\n", toggles.percent())
        };
        let mut text = line(&format!("{}_{}", self.block, self.point), &self.lines, &self.toggles);
        if all {
            for (name, module) in &self.modules {
                text += &line(&format!("  {name}"), &module.lines, &module.toggles);
            }
            for hole in self.line_holes.iter().chain(&self.toggle_holes) {
                let reason = hole.reason.as_ref().map_or(String::new(), |reason| format!("  excluded: {reason}"));
                let _ = writeln!(text, "  not met: {}:{} {}{reason}", hole.module, hole.line, hole.name);
            }
        }
        text
    }
}

/// The points of all simulations that have ended.
struct Collected {
    folder: TempDir,
    points: Mutex<Points>,
    written: AtomicU64,
}

impl Collected {
    fn new() -> std::result::Result<Self, CliError> {
        let folder = tempfile::Builder::new().prefix("heddle-coverage-").tempdir().map_err(Error::file("/tmp"))?;
        Ok(Self { folder, points: Mutex::default(), written: AtomicU64::new(0) })
    }

    fn points(&self) -> Points {
        self.points.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs the export alone: what its ports do is judged by the bench, and that it does what the kernels do is lockstep's matter.
struct Counting {
    model: Model,
    collected: Arc<Collected>,
}

impl Rig for Counting {
    fn contestants(&self, _: &Entry, start: Start) -> Vec<Contestant> {
        vec![self.alone(start)]
    }

    fn alone(&self, start: Start) -> Contestant {
        let inner = self.model.simulation(start);
        Contestant::export(Counted { inner, collected: self.collected.clone() })
    }
}

/// A simulation that tells at its end what it covered.
struct Counted {
    inner: Verilated,
    collected: Arc<Collected>,
}

impl Counted {
    fn path(&self) -> PathBuf {
        let number = self.collected.written.fetch_add(1, Ordering::Relaxed);
        self.collected.folder.path().join(format!("{number}.dat"))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let path = self.path();
        if self.inner.write_coverage(&path) {
            if let Ok(text) = fs::read_to_string(&path) {
                self.collected.points.lock().unwrap_or_else(PoisonError::into_inner).add(&text);
            }
            // The folder goes at the end in any case.
            let _ = fs::remove_file(&path);
        }
    }
}

impl Pins for Counted {
    fn set(&mut self, port: usize, value: u128) {
        self.inner.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.inner.get(port)
    }
}

impl Simulation for Counted {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }

    fn tick(&mut self) {
        self.inner.tick();
    }

    fn cycle(&mut self, frame: &mut Frame) {
        self.inner.cycle(frame);
    }
}

/// Parts whose bench leaves something to that of the whole, which is run as well: what their contract gives to two parts together (a CTA
/// that leaves, CX-09, CX-10) can be met there only.
const PARTS: [(&str, &str); 2] = [("arrival_tracker", "barrier_scheduler"), ("barrier_execution", "barrier_scheduler")];

/// Runs `plan` on the export of `entry`, and on that of the block of which it is a part, drives what of a core is driven by itself, and says what that covered.
///
/// # Errors
/// A missing tool, a block that fails, or what `watch` stops.
pub fn measure(entry: &Entry, plan: Plan, watch: &dyn Watch) -> std::result::Result<Report, CliError> {
    let source = Source::of(entry)?;
    let (mut points, mut cycles) = collect(entry, &source, plan, watch)?;
    let part = PARTS.iter().find(|(part, _)| *part == entry.block);
    let whole = part.and_then(|(_, whole)| {
        blocks::entries().into_iter().find(|other| other.block == *whole && other.point == entry.point)
    });
    if let Some(whole) = whole {
        let other = Source::of(&whole)?;
        let (theirs, more) = collect(&whole, &other, plan, watch)?;
        cycles += more;
        for Shared { ours, theirs: name, offsets: [here, there] } in shared_modules(&source, &other, entry.block) {
            points.add_module(&theirs, &name, &ours, |line| line - there + here);
        }
    }
    if is_core(entry.block) {
        driven::add(&mut points, &source, plan)?;
    }
    // The blocks of a core are measured by themselves.
    let own = is_core(entry.block).then(|| modules::own(&source));
    let reasons = Reasons::of(entry, source)?;
    for (point, _) in points.iter().filter(|(_, count)| *count > 0) {
        if let Some(promise) = reasons.broken(point) {
            let (place, reason) = (format!("{}.{}", point.module, point.name), &promise.reason);
            return Err(CliError::Check(format!("{place}: the traffic does what is promised not to be: {reason}")));
        }
    }
    let counts = |module: &str| own.as_ref().is_none_or(|own| own.contains(module));
    Ok(report(entry, cycles, points.iter().filter(|(point, _)| counts(&point.module)), &reasons))
}

/// A module that stands in two exports.
struct Shared {
    ours: String,
    theirs: String,
    /// The lines of the comments before it, here and there.
    offsets: [u32; 2],
}

/// The modules of `part`, which is called `block`, that stand in `whole` with the same text.
fn shared_modules(part: &Source, whole: &Source, block: &str) -> Vec<Shared> {
    // The comment before the module, and its first line, say which export it is.
    let parts = |text: &str, top: &str| {
        let offset = text.lines().take_while(|line| !line.starts_with("module ")).count();
        (offset as u32, text.replace(top, "").lines().skip(offset + 1).collect::<Vec<_>>().join("\n"))
    };
    let modules = part.files.iter().filter_map(|(file, text)| {
        let ours = file.strip_suffix(".v")?;
        let theirs = match ours.strip_prefix(&part.top)? {
            "" => format!("{}_{block}", whole.top),
            name => format!("{}{name}", whole.top),
        };
        let (_, other) = whole.files.iter().find(|(name, _)| *name == format!("{theirs}.v"))?;
        let ((here, mine), (there, other)) = (parts(text, &part.top), parts(other, &whole.top));
        (mine == other).then(|| Shared { ours: ours.to_string(), theirs, offsets: [here, there] })
    });
    modules.collect()
}

/// Runs `plan` on an export that counts: the points, and the cycles.
fn collect(
    entry: &Entry,
    source: &Source,
    plan: Plan,
    watch: &dyn Watch,
) -> std::result::Result<(Points, u64), CliError> {
    let model = Model::build(source, &Options { coverage: true, quick: true, ..Options::CHECKING })?;
    let rig = Counting { model, collected: Arc::new(Collected::new()?) };
    let outcome = core_lockstep::run(entry, &rig, plan, None, watch)?;
    if let Some(found) = outcome.failure {
        return Err(CliError::Check(format!("{} fails: {}", entry.module(), found.what)));
    }
    let points = rig.collected.points();
    // All of nothing would be all.
    if let Some(kind) =
        [Kind::Line, Kind::Toggle].into_iter().find(|kind| points.iter().all(|(point, _)| point.kind != *kind))
    {
        return Err(CliError::Check(format!("{}: the simulation told of no {kind:?} that it counts", entry.module())));
    }
    Ok((points, outcome.cycles))
}

fn report<'a>(entry: &Entry, cycles: u64, points: impl Iterator<Item = (&'a Point, u64)>, reasons: &Reasons) -> Report {
    let mut report = Report {
        block: entry.block.to_string(),
        point: entry.point.to_string(),
        cycles,
        lines: Share::default(),
        toggles: Share::default(),
        modules: BTreeMap::new(),
        line_holes: Vec::new(),
        toggle_holes: Vec::new(),
    };
    for (point, count) in points {
        let reason = if count == 0 { reasons.reason(entry, point) } else { None };
        let module = report.modules.entry(point.module.clone()).or_default();
        let (own, all, holes) = match point.kind {
            Kind::Line => (&mut module.lines, &mut report.lines, &mut report.line_holes),
            Kind::Toggle => (&mut module.toggles, &mut report.toggles, &mut report.toggle_holes),
        };
        own.add(count > 0, reason.is_some());
        all.add(count > 0, reason.is_some());
        if count == 0 {
            let (module, name) = (point.module.clone(), point.name.clone());
            holes.push(Hole { module, line: point.line, name, reason });
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08: a part and the whole share the modules that have the same text, and no others.
    #[test]
    fn xv_08_a_part_finds_its_modules_in_the_whole() {
        for (part, whole) in PARTS {
            let of = |name: &str| blocks::entries().into_iter().find(|entry| entry.block == name).expect("a block");
            let (part, whole) = (of(part), of(whole));
            assert_eq!(part.point, whole.point);
            let sources = [Source::of(&part), Source::of(&whole)].map(|source| source.expect("an export"));
            let shared = shared_modules(&sources[0], &sources[1], part.block);
            let top = shared.iter().find(|shared| shared.ours == sources[0].top).expect("the top module");
            assert_eq!(top.theirs, format!("{}_{}", sources[1].top, part.block));
            assert!(top.offsets[0] != top.offsets[1], "the comments differ: {:?}", top.offsets);
            assert_eq!(shared.len(), sources[0].files.len(), "{} has modules that the whole has not", part.block);
            let mut other = sources[1].clone();
            other.files.iter_mut().for_each(|(_, text)| text.push_str("// changed\n"));
            assert!(shared_modules(&sources[0], &other, part.block).is_empty());
        }
    }
}
