//! Keeps what the pins of a simulation showed in each cycle, so that it can be replayed without the bench that drove it.

use crate::verilated::Start;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};
use std::sync::mpsc::Sender;

/// What was kept of one simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What lay in the block before its reset.
    pub start: Start,
    /// Its pins from the first cycle on, which is the reset, a frame of words each.
    pub words: Vec<u64>,
}

/// See the module's page. The recording is sent when the simulation ends.
pub struct Recorder<S: Simulation> {
    inner: S,
    inputs: Frame,
    recording: Recording,
    to: Sender<Recording>,
}

impl<S: Simulation> Recorder<S> {
    /// Records `inner`, which begins from `start`.
    pub fn new(inner: S, start: Start, to: Sender<Recording>) -> Self {
        let recording = Recording { start, words: Vec::new() };
        Self { inputs: Frame::new(inner.ports()), inner, recording, to }
    }

    fn record(&mut self, frame: &mut Frame) {
        self.recording.words.extend_from_slice(frame.words_mut());
    }
}

impl<S: Simulation> Drop for Recorder<S> {
    fn drop(&mut self) {
        // Whoever listened may have gone; then nobody wants it.
        let recording = Recording { start: self.recording.start, words: std::mem::take(&mut self.recording.words) };
        let _ = self.to.send(recording);
    }
}

impl<S: Simulation> Pins for Recorder<S> {
    fn set(&mut self, port: usize, value: u128) {
        self.inputs.write(port, value);
        self.inner.set(port, value);
    }

    fn get(&mut self, port: usize) -> u128 {
        self.inner.get(port)
    }
}

impl<S: Simulation> Simulation for Recorder<S> {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }

    fn tick(&mut self) {
        let mut frame = self.inputs.clone();
        self.inner.cycle(&mut frame);
        self.record(&mut frame);
    }

    fn cycle(&mut self, frame: &mut Frame) {
        self.inner.cycle(frame);
        self.record(frame);
    }
}
