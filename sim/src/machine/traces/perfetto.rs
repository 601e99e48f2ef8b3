//! A run as a Perfetto trace: what ui.perfetto.dev opens, and its trace processor reads (XV-09).
//!
//! A warp is a track: a slice for each instruction, from the cycle in which it was first offered to that of the next, with PC, line, mask and number of
//! active lanes as its arguments. Below it lie a track whose slices are the waits of its threads at barriers, a counter of its tokens and one of its active lanes. A
//! nanosecond of the trace is a cycle.
//!
//! **Source** `perfetto/trace/perfetto_trace.proto`; the field numbers below are those of its messages of the same names.

use std::io;

use prost::Message;

use crate::assembler::Kernel;
use crate::engine::{Configuration, Fetch, Kind, Mask};
use crate::machine::hang::ranges;
use crate::machine::recorder::{Reasons, Trace};

/// Number of the one sequence of packets that there is.
const SEQUENCE: u32 = 1;
/// `SEQ_INCREMENTAL_STATE_CLEARED`: what a sequence begins with.
const CLEARED: u32 = 1;
/// Number of the process that stands for the core.
const CORE: i32 = 1;

/// `TrackEvent.Type`.
const SLICE_BEGIN: i32 = 1;
const SLICE_END: i32 = 2;
const COUNTER: i32 = 4;

#[derive(Clone, PartialEq, Message)]
struct TraceFile {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(uint32, optional, tag = "13")]
    sequence_flags: Option<u32>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(message, optional, tag = "3")]
    process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct ProcessDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(string, optional, tag = "6")]
    process_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ThreadDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(int64, optional, tag = "2")]
    tid: Option<i64>,
    #[prost(string, optional, tag = "5")]
    thread_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {
    #[prost(string, optional, tag = "6")]
    unit_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, repeated, tag = "22")]
    categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(int64, optional, tag = "30")]
    counter_value: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct DebugAnnotation {
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
    #[prost(string, optional, tag = "6")]
    string_value: Option<String>,
    #[prost(string, optional, tag = "10")]
    name: Option<String>,
}

/// The tracks of a warp, and what is open on them.
#[derive(Clone, Copy, Debug, Default)]
struct WarpTracks {
    issuing: bool,
    asleep: Mask,
    lanes: Option<u32>,
}

/// Tracks of a warp.
#[derive(Clone, Copy, Debug)]
enum Track {
    Instructions = 1,
    Barriers = 2,
    Tokens = 3,
    Lanes = 4,
}

/// Tracks that a warp may have; the process's own track comes before all of them.
const TRACKS: u64 = 8;

fn uuid(warp: usize, track: Track) -> u64 {
    (warp as u64 + 1) * TRACKS + track as u64
}

/// Writes the trace.
pub struct PerfettoTrace<'a, W: io::Write> {
    output: W,
    kernel: &'a Kernel,
    warps: Vec<WarpTracks>,
    begun: bool,
}

impl<'a, W: io::Write> PerfettoTrace<'a, W> {
    /// A trace of a core of this configuration that runs this kernel; writes the descriptions of the tracks.
    ///
    /// # Errors
    /// If the output fails.
    pub fn new(output: W, configuration: &Configuration, kernel: &'a Kernel) -> io::Result<Self> {
        let warps = vec![WarpTracks::default(); configuration.warps];
        let mut trace = Self { output, kernel, warps, begun: false };
        let core = TRACKS - 1;
        let process = ProcessDescriptor { pid: Some(CORE), process_name: Some(format!("core: {}", kernel.name)) };
        trace.describe(TrackDescriptor { uuid: Some(core), process: Some(process), ..Default::default() })?;
        for warp in 0..configuration.warps {
            let thread = ThreadDescriptor {
                pid: Some(CORE),
                // 0 would be the idle thread to a viewer.
                tid: Some(warp as i64 + 2),
                thread_name: Some(format!("warp {warp}")),
            };
            let instructions = uuid(warp, Track::Instructions);
            trace.describe(TrackDescriptor {
                uuid: Some(instructions),
                thread: Some(thread),
                parent_uuid: Some(core),
                ..Default::default()
            })?;
            let below = |track, name: &str, unit: Option<&str>| TrackDescriptor {
                uuid: Some(uuid(warp, track)),
                name: Some(format!("warp {warp} {name}")),
                parent_uuid: Some(instructions),
                counter: unit.map(|unit| CounterDescriptor { unit_name: Some(unit.to_string()) }),
                ..Default::default()
            };
            let held = if configuration.tree { "nodes" } else { "tokens" };
            trace.describe(below(Track::Barriers, "asleep at barriers", None))?;
            trace.describe(below(Track::Tokens, held, Some(held)))?;
            trace.describe(below(Track::Lanes, "active lanes", Some("lanes")))?;
        }
        Ok(trace)
    }

    fn describe(&mut self, track: TrackDescriptor) -> io::Result<()> {
        self.packet(TracePacket { track_descriptor: Some(track), ..Default::default() })
    }

    /// Files of this format may be cut anywhere between two packets: each is a trace of one packet.
    fn packet(&mut self, packet: TracePacket) -> io::Result<()> {
        let sequence_flags = (!self.begun).then_some(CLEARED);
        self.begun = true;
        let packet = TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), sequence_flags, ..packet };
        self.output.write_all(&TraceFile { packet: vec![packet] }.encode_to_vec())
    }

    fn event(&mut self, cycle: u64, warp: usize, track: Track, event: TrackEvent) -> io::Result<()> {
        let event = TrackEvent { track_uuid: Some(uuid(warp, track)), ..event };
        self.packet(TracePacket { timestamp: Some(cycle), track_event: Some(event), ..Default::default() })
    }

    fn begin(
        &mut self,
        cycle: u64,
        warp: usize,
        track: Track,
        name: String,
        debug_annotations: Vec<DebugAnnotation>,
    ) -> io::Result<()> {
        let category = match track {
            Track::Barriers => "barrier",
            _ => "instruction",
        };
        let event = TrackEvent {
            r#type: Some(SLICE_BEGIN),
            categories: vec![category.to_string()],
            name: Some(name),
            debug_annotations,
            ..Default::default()
        };
        self.event(cycle, warp, track, event)
    }

    fn end(&mut self, cycle: u64, warp: usize, track: Track) -> io::Result<()> {
        self.event(cycle, warp, track, TrackEvent { r#type: Some(SLICE_END), ..Default::default() })
    }

    fn count(&mut self, cycle: u64, warp: usize, track: Track, value: u64) -> io::Result<()> {
        let counter_value = Some(value as i64);
        self.event(cycle, warp, track, TrackEvent { r#type: Some(COUNTER), counter_value, ..Default::default() })
    }

    /// The threads of a warp that sleep at barriers have changed.
    fn sleep(&mut self, cycle: u64, warp: usize, asleep: Mask) -> io::Result<()> {
        let before = std::mem::replace(&mut self.warps[warp].asleep, asleep);
        if before == asleep {
            return Ok(());
        }
        if before != 0 {
            self.end(cycle, warp, Track::Barriers)?;
        }
        if asleep == 0 {
            return Ok(());
        }
        let name = format!("{} asleep", asleep.count_ones());
        self.begin(cycle, warp, Track::Barriers, name, vec![text("threads", ranges(asleep))])
    }

    fn lanes(&mut self, cycle: u64, warp: usize, lanes: u32) -> io::Result<()> {
        if self.warps[warp].lanes.replace(lanes) == Some(lanes) {
            return Ok(());
        }
        self.count(cycle, warp, Track::Lanes, lanes.into())
    }
}

fn text(name: &str, value: String) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_string()), string_value: Some(value), ..Default::default() }
}

fn number(name: &str, value: u64) -> DebugAnnotation {
    DebugAnnotation { name: Some(name.to_string()), uint_value: Some(value), ..Default::default() }
}

impl<W: io::Write> Trace for PerfettoTrace<'_, W> {
    fn issue(&mut self, cycle: u64, warp: usize, fetch: Fetch) -> io::Result<()> {
        if std::mem::replace(&mut self.warps[warp].issuing, true) {
            self.end(cycle, warp, Track::Instructions)?;
        }
        let place = fetch.address as usize;
        let instruction = self.kernel.instructions.get(place);
        let name = instruction.map_or("outside the program".to_string(), ToString::to_string);
        let line = self.kernel.lines.get(place).copied().unwrap_or(0);
        let mask = format!("0x{:x}", fetch.active);
        let arguments = vec![number("PC", fetch.address.into()), number("line", line as u64), text("mask", mask)];
        self.begin(cycle, warp, Track::Instructions, name, arguments)?;
        self.lanes(cycle, warp, fetch.active.count_ones())
    }

    fn reasons(&mut self, cycle: u64, warp: usize, reasons: &Reasons) -> io::Result<()> {
        let barrier = reasons.iter().find(|(kind, _)| *kind == Kind::Barrier);
        self.sleep(cycle, warp, barrier.map_or(0, |(_, threads)| *threads))
    }

    fn tokens(&mut self, cycle: u64, warp: usize, tokens: u64) -> io::Result<()> {
        self.count(cycle, warp, Track::Tokens, tokens)
    }

    fn finish(&mut self, cycle: u64, warp: usize) -> io::Result<()> {
        if std::mem::take(&mut self.warps[warp].issuing) {
            self.end(cycle, warp, Track::Instructions)?;
        }
        self.sleep(cycle, warp, 0)?;
        self.lanes(cycle, warp, 0)
    }

    fn close(&mut self, cycle: u64) -> io::Result<()> {
        for warp in 0..self.warps.len() {
            if std::mem::take(&mut self.warps[warp].issuing) {
                self.end(cycle, warp, Track::Instructions)?;
            }
            self.sleep(cycle, warp, 0)?;
        }
        self.output.flush()
    }
}
