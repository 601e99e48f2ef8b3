//! What is recorded of a run beside its counters: text timelines, and a trace (XV-09).

use std::io;

use crate::engine::{Fetch, Kind, Mask};

use super::state::Look;
use super::timeline::{thread_states, ThreadState, Timeline};

/// Buckets of a timeline: a few for each column of a terminal.
const TIMELINE_BUCKETS: usize = 1024;

/// The threads of a warp that are disabled, for each reason.
pub type Reasons = [(Kind, Mask); Kind::ALL.len()];

/// Takes what happens in the core, in the order of the cycles; several things may happen in one.
pub trait Trace {
    /// A warp offers an instruction for the first time.
    fn issue(&mut self, cycle: u64, warp: usize, fetch: Fetch) -> io::Result<()>;
    /// The reasons of a warp's threads from this cycle on.
    fn reasons(&mut self, cycle: u64, warp: usize, reasons: &Reasons) -> io::Result<()>;
    /// A warp's queue holds another number of tokens from this cycle on, or its tree another number of nodes beside the first.
    fn tokens(&mut self, cycle: u64, warp: usize, tokens: u64) -> io::Result<()>;
    /// All threads of a warp have exited.
    fn finish(&mut self, cycle: u64, warp: usize) -> io::Result<()>;
    /// The run is over.
    fn close(&mut self, cycle: u64) -> io::Result<()>;
}

/// A timeline, and the states since the last change.
struct WarpTimeline {
    timeline: Timeline,
    states: Vec<ThreadState>,
    since: u64,
}

impl WarpTimeline {
    fn flush(&mut self, cycle: u64) {
        self.timeline.record(&self.states, cycle - self.since);
        self.since = cycle;
    }
}

/// Everything that records.
pub struct Recorder<'a> {
    threads: usize,
    timelines: Vec<WarpTimeline>,
    trace: Option<&'a mut dyn Trace>,
    failure: Option<io::Error>,
    /// Warps whose reasons may have changed since their timeline looked, bit w for warp w.
    stale: u64,
    /// The same for the trace.
    untraced: u64,
    /// Warps that have been ready since their launch.
    launched: u64,
    /// Tokens that the trace knows of, by warp.
    tokens: Vec<u64>,
}

impl<'a> Recorder<'a> {
    /// A recorder with timelines of the first warps of `threads` threads.
    pub fn new(timelines: usize, threads: usize) -> Self {
        let timeline = || WarpTimeline {
            timeline: Timeline::new(threads, TIMELINE_BUCKETS),
            states: vec![ThreadState::Exited; threads],
            since: 0,
        };
        Self {
            threads,
            timelines: (0..timelines).map(|_| timeline()).collect(),
            trace: None,
            failure: None,
            stale: 0,
            untraced: 0,
            launched: 0,
            tokens: Vec::new(),
        }
    }

    /// Adds a trace.
    pub fn trace_into(&mut self, trace: &'a mut dyn Trace) {
        self.trace = Some(trace);
    }

    /// The reasons of a warp's threads may have changed.
    pub fn touch(&mut self, warp: usize) {
        self.stale |= 1 << warp;
        self.untraced |= 1 << warp;
    }

    /// A cycle begins; `ready` and `running` are its warps, `tokens` what each warp's queue holds.
    pub fn edge(&mut self, engine: &mut dyn Look, ready: u64, running: u64, cycle: u64, tokens: &[u64]) {
        if self.trace.is_none() {
            return;
        }
        // A warp shows nothing of sense before its launch is done.
        self.launched = (self.launched | ready) & running;
        let launched = self.launched;
        for warp in (0..tokens.len()).filter(|warp| launched >> warp & 1 == 1) {
            if self.untraced >> warp & 1 == 1 {
                self.untraced &= !(1 << warp);
                let reasons = Kind::ALL.map(|kind| (kind, engine.disabled(warp, kind)));
                self.traced(|trace| trace.reasons(cycle, warp, &reasons));
            }
        }
        self.tokens.resize(tokens.len(), 0);
        for (warp, tokens) in tokens.iter().enumerate() {
            if self.tokens[warp] != *tokens {
                self.tokens[warp] = *tokens;
                self.traced(|trace| trace.tokens(cycle, warp, *tokens));
            }
        }
    }

    /// A warp is about to offer an instruction.
    pub fn issue(&mut self, engine: &mut dyn Look, cycle: u64, warp: usize, fetch: Fetch) {
        self.traced(|trace| trace.issue(cycle, warp, fetch));
        if warp >= self.timelines.len() || self.stale >> warp & 1 == 0 {
            return;
        }
        self.stale &= !(1 << warp);
        let reasons = Kind::ALL.map(|kind| (kind, engine.disabled(warp, kind)));
        if let Some(timeline) = self.timelines.get_mut(warp) {
            timeline.flush(cycle);
            timeline.states = thread_states(self.threads, fetch.active, &reasons);
        }
    }

    /// All threads of a warp have exited.
    pub fn finish(&mut self, cycle: u64, warp: usize) {
        self.untraced &= !(1 << warp);
        self.traced(|trace| trace.finish(cycle, warp));
        if let Some(timeline) = self.timelines.get_mut(warp) {
            timeline.flush(cycle);
            timeline.states.fill(ThreadState::Exited);
        }
    }

    /// The run is over: the timelines, and what went wrong with the trace, if anything did.
    pub fn close(mut self, cycle: u64) -> (Vec<Timeline>, Option<io::Error>) {
        self.traced(|trace| trace.close(cycle));
        self.timelines.iter_mut().for_each(|timeline| timeline.flush(cycle));
        (self.timelines.into_iter().map(|warp| warp.timeline).collect(), self.failure)
    }

    /// Tells the trace, unless it has failed already.
    fn traced(&mut self, tell: impl FnOnce(&mut dyn Trace) -> io::Result<()>) {
        let Some(trace) = self.trace.as_deref_mut() else { return };
        if let Err(failure) = tell(trace) {
            self.failure = Some(failure);
            self.trace = None;
        }
    }
}
