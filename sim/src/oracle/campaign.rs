//! Many random programs on an engine, in batches that share one, with everything counted (XV-03).
//!
//! A batch is named by the campaign (its seed, sizes and limits) and its number, and nothing else: its configuration and its programs
//! can be made again.
//! A failing program is run alone on a fresh engine; if it still fails it is shrunk, else the whole batch is kept.

use super::case_file::{CaseConfiguration, CaseFile};
use super::interpreter::interpret;
use super::program::{Class, Program};
use super::random::stream;
use super::shrink::shrink;
use super::thread::Thread;
use super::warp_runner::subject::Subject;
use super::warp_runner::{explain, Job, Statistics, Wrong};
use super::{plain, spaghetti, structured};
use crate::engine::{Configuration, Engine, PathPolicy, YieldPolicy};
use crate::model::DequeModel;
use rand::Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::path::PathBuf;

/// Programs of a batch: enough that every warp of the largest point runs several.
pub const BATCH: u64 = 32;

/// Instructions that a thread of a random program may run unless the campaign says otherwise.
const LONGEST_RUN: u32 = 3000;

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Names the campaign.
    pub seed: u64,
    /// Programs to run, rounded up to whole batches.
    pub programs: u64,
    /// Which generator.
    pub class: Class,
    /// The engine's sizes; the policies too, unless they vary.
    pub base: Configuration,
    /// Whether each batch draws its own path policy, yield policy and mode.
    pub vary_policies: bool,
    /// Instructions that a thread may run; programs with longer runs are made anew. 100 or so suits a slow simulator.
    pub longest_run: u32,
    /// Where failures are kept, if anywhere.
    pub failures: Option<PathBuf>,
    /// The command that replays a file, with `{file}` in place of its name.
    pub replay_command: String,
}

impl Campaign {
    /// A campaign with varied policies that keeps no files.
    pub fn new(seed: u64, programs: u64, class: Class, base: Configuration) -> Self {
        let replay_command = "heddle_sim::oracle::replay(\"{file}\", engine)".into();
        Self {
            seed,
            programs,
            class,
            base,
            vary_policies: true,
            longest_run: LONGEST_RUN,
            failures: None,
            replay_command,
        }
    }
}

/// A program with its truth, legal by construction.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program that the divergence pass made it from, if it did.
    pub plain: Option<Program>,
    /// The program.
    pub program: Program,
    /// The final state of its threads.
    pub truth: Vec<(usize, Thread)>,
}

impl Prepared {
    /// As a job for the runner.
    pub fn job(&self) -> Job<'_> {
        Job { program: &self.program, truth: &self.truth }
    }
}

/// What a campaign has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Programs by class.
    pub programs: BTreeMap<Class, u64>,
    /// Programs that were made anew because a thread ran too long.
    pub rejected: u64,
    /// Everything else.
    pub statistics: Statistics,
}

impl Summary {
    /// This and another campaign's or batch's together.
    pub fn and(mut self, other: &Summary) -> Self {
        for (class, programs) in &other.programs {
            *self.programs.entry(*class).or_default() += programs;
        }
        self.rejected += other.rejected;
        self.statistics.add(&other.statistics);
        self
    }
}

/// A failure, with how to see it again.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{engine}: {class} program {index} of batch {batch}, seed {seed}: {wrong}\n  {shrunk}\n  replay: {replay}",
        class = .case.class.name(), batch = .case.batch, seed = .case.seed)]
pub struct Failure {
    /// The engine's name.
    pub engine: String,
    /// The program's place in its batch.
    pub index: usize,
    /// What went wrong, in the shrunk program if there is one.
    pub wrong: Wrong,
    /// What is left of it.
    pub shrunk: String,
    /// How to see it again.
    pub replay: String,
    /// The case, as in the file.
    pub case: CaseFile,
}

/// Makes a batch: its configuration, its programs, and how many had to be made anew.
pub fn batch(campaign: &Campaign, batch: u64) -> (Configuration, Vec<Prepared>, u64) {
    let mut random = stream(campaign.seed, campaign.class, batch);
    let mut configuration = campaign.base;
    if campaign.vary_policies {
        use PathPolicy::{Larger, NotTaken, Smaller, Taken};
        use YieldPolicy::{Always, EveryNth, Random};
        configuration.path_policy = [Taken, NotTaken, Smaller, Larger][random.random_range(0..4)];
        configuration.yield_policy = [Always, Always, EveryNth, Random][random.random_range(0..4)];
        // Small parameters of "every Nth" and large thresholds fire often; the rest of the range is drawn as well.
        let small = random.random_range(1..6);
        configuration.yield_parameter = match configuration.yield_policy {
            EveryNth if random.random_bool(0.8) => small,
            _ => random.random(),
        };
        configuration.yield_seed = random.random();
        configuration.stack_mode = random.random_range(0..10) == 0;
    }
    let (mut programs, mut rejected) = (Vec::new(), 0);
    while programs.len() < BATCH as usize {
        let (plain, program) = match campaign.class {
            Class::Structured => (None, structured::generate(&mut random, configuration.threads)),
            Class::Goto => (None, spaghetti::generate(&mut random, configuration.threads)),
            Class::Plain => {
                let plain = plain::generate(&mut random, configuration.threads);
                let program = plain::insert_divergence(&plain).program;
                (Some(plain), program)
            }
        };
        // A plain program is legal or not by itself; what the pass makes of it may take a few instructions more.
        let legal = plain.as_ref().is_none_or(|plain| interpret(plain, campaign.longest_run).is_ok());
        match interpret(&program, 4 * campaign.longest_run) {
            Ok(truth) if legal => programs.push(Prepared { plain, program, truth }),
            _ => rejected += 1,
        }
    }
    (configuration, programs, rejected)
}

/// Runs a campaign on all processors. `factory` makes engines; `progress` is told how many programs have passed since it was last told.
pub fn run_many(
    campaign: &Campaign,
    factory: &(dyn Fn(&Configuration) -> Box<dyn Engine> + Sync),
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Summary, Box<Failure>> {
    let batches = campaign.programs.div_ceil(BATCH);
    let one = |number| {
        let summary = run_batch(campaign, number, &|configuration| factory(configuration).into())?;
        progress(BATCH);
        Ok(summary)
    };
    (0..batches).into_par_iter().map(one).try_reduce(Summary::default, |left, right| Ok(left.and(&right)))
}

/// Runs one batch on what `factory` makes.
pub fn run_batch(
    campaign: &Campaign,
    number: u64,
    factory: &dyn Fn(&Configuration) -> Subject,
) -> Result<Summary, Box<Failure>> {
    let (configuration, prepared, rejected) = batch(campaign, number);
    if let Some((index, wrong)) = changed(&prepared, campaign) {
        return Err(Box::new(pass_failure(campaign, number, &configuration, &prepared, index, wrong)));
    }
    let jobs: Vec<_> = prepared.iter().map(Prepared::job).collect();
    match factory(&configuration).run(&jobs) {
        Ok(statistics) => {
            let programs = BTreeMap::from([(campaign.class, jobs.len() as u64)]);
            Ok(Summary { programs, rejected, statistics })
        }
        Err((index, wrong)) => {
            let found = Found { configuration, prepared: &prepared, index, wrong };
            Err(Box::new(found.report(campaign, number, factory)))
        }
    }
}

/// The first program that the divergence pass changed.
fn changed(prepared: &[Prepared], campaign: &Campaign) -> Option<(usize, Wrong)> {
    let mut plain = prepared.iter().enumerate().filter_map(|(index, one)| Some((index, one.plain.as_ref()?)));
    plain.find_map(|(index, plain)| Some((index, plain::changed(plain, campaign.longest_run)?)))
}

/// What is reported of a program that the divergence pass changed.
fn pass_failure(
    campaign: &Campaign,
    batch: u64,
    configuration: &Configuration,
    prepared: &[Prepared],
    index: usize,
    wrong: Wrong,
) -> Failure {
    let original = prepared[index].plain.as_ref().unwrap_or(&prepared[index].program);
    let smallest = shrink(original, |candidate| {
        plain::is_plain(candidate) && plain::changed(candidate, campaign.longest_run).is_some()
    });
    let wrong = plain::changed(&smallest, campaign.longest_run).unwrap_or(wrong);
    let passed = plain::insert_divergence(&smallest).program;
    let shrunk = format!("plain:\n{}  through the pass:\n{}", smallest.listing(), passed.listing());
    let case = CaseFile {
        seen: wrong.to_string(),
        seed: campaign.seed,
        batch,
        class: campaign.class,
        configuration: CaseConfiguration::from(configuration),
        programs: vec![smallest],
    };
    let replay = keep(campaign, &case);
    Failure { engine: "divergence pass".into(), index, wrong, shrunk, replay, case }
}

/// A failure before it is looked into.
struct Found<'a> {
    configuration: Configuration,
    prepared: &'a [Prepared],
    index: usize,
    wrong: Wrong,
}

impl Found<'_> {
    fn report(self, campaign: &Campaign, batch: u64, factory: &dyn Fn(&Configuration) -> Subject) -> Failure {
        let engine = factory(&self.configuration).name();
        let original = &self.prepared[self.index].program;
        let alone = |program: &Program, factory: &dyn Fn(&Configuration) -> Subject| {
            let truth = interpret(program, campaign.longest_run).ok()?;
            factory(&self.configuration).run(&[Job { program, truth: &truth }]).err().map(|(_, wrong)| wrong)
        };
        let reference = |configuration: &Configuration| Subject::Engine(Box::new(DequeModel::new(*configuration)));
        let (programs, wrong, shrunk) = match alone(original, factory) {
            Some(first) => {
                // Taking instructions out may make a program that no engine can run (a RET that finds another's token).
                // Where the reference model runs the original, it has to run what is left of it.
                let judge = alone(original, &reference).is_none();
                let smallest = shrink(original, |candidate| {
                    let same = |wrong: Wrong| discriminant(&wrong) == discriminant(&first);
                    !(judge && alone(candidate, &reference).is_some()) && alone(candidate, factory).is_some_and(same)
                });
                let sizes = |program: &Program| (program.code.len(), program.threads.count_ones());
                let ((instructions, threads), (fewer_instructions, fewer_threads)) =
                    (sizes(original), sizes(&smallest));
                let shrunk = format!(
                    "shrunk from {instructions} instructions and {threads} threads to {fewer_instructions} and {fewer_threads}:\n{}",
                    smallest.listing()
                );
                let wrong = explain(&|| factory(&self.configuration), &smallest, campaign.longest_run).unwrap_or(first);
                (vec![smallest], wrong, shrunk)
            }
            None => {
                let programs = self.prepared.iter().map(|prepared| prepared.program.clone()).collect();
                (programs, self.wrong, "alone it passes: the whole batch is kept".into())
            }
        };
        let case = CaseFile {
            seen: format!("{engine}: {wrong}"),
            seed: campaign.seed,
            batch,
            class: campaign.class,
            configuration: CaseConfiguration::from(&self.configuration),
            programs,
        };
        let replay = keep(campaign, &case);
        Failure { engine, index: self.index, wrong, shrunk, replay, case }
    }
}

/// Saves a case if the campaign wants that, and says how to see it again.
fn keep(campaign: &Campaign, case: &CaseFile) -> String {
    let again = format!("run batch {} of the {} campaign with seed {}", case.batch, case.class.name(), case.seed);
    let Some(folder) = &campaign.failures else { return again };
    let path = folder.join(format!("{}-{}-{}.json", case.class.name(), case.seed, case.batch));
    match case.save(&path) {
        Ok(()) => campaign.replay_command.replace("{file}", &path.display().to_string()),
        Err(error) => format!("{again} (it could not be kept: {error})"),
    }
}
