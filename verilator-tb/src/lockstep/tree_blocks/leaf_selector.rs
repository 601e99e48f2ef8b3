//! The judge of the ring of ready leaves (TD-04): first in, first out, but for the leaf that has not issued.

use super::super::barrier_blocks::{expect, size};
use super::super::bench::Counts;
use super::super::ports::Judge;
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use std::collections::VecDeque;

pins! {
    struct Ports { warp, clear_enable, front_node, empty, push_enable, push_node, push_front, pop_enable }
}

/// The rings of all warps; none until the warp starts.
pub struct LeafSelectorJudge {
    ports: Ports,
    nodes: usize,
    rings: Vec<Option<VecDeque<u128>>>,
}

impl LeafSelectorJudge {
    fn warp(&self, pins: &Frame) -> usize {
        pins.read(self.ports.warp) as usize % self.rings.len()
    }
}

impl Judge for LeafSelectorJudge {
    const EXPECTED: &'static [&'static str] =
        &["clear", "push", "push to the front", "pop", "push and pop", "empty ring", "full ring"];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (nodes, warps) = (size(entry, "depth"), size(entry, "warps"));
        Self { ports: Ports::of(ports), nodes, rings: vec![None; warps] }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { clear_enable, push_enable, push_node, push_front, pop_enable, warp, .. } = self.ports;
        let number = self.warp(pins);
        pins.write(warp, number as u128);
        // A ring starts empty, and a warp starts seldom, or no ring would ever fill.
        let both = pins.read(clear_enable) & pins.read(push_front) == 1;
        let restarts = both && pins.read(push_node) == self.nodes as u128 - 1;
        let Some(ring) = self.rings[number].as_ref().filter(|_| !restarts) else {
            // A clear goes before what else may stand at the ring.
            pins.write(clear_enable, 1);
            pins.write(push_front, pins.read(push_front) & pins.read(push_enable) & !pins.read(pop_enable));
            return;
        };
        pins.write(clear_enable, 0);
        let pops = pins.read(pop_enable) == 1 && !ring.is_empty();
        let pushes = pins.read(push_enable) == 1 && ring.len() - usize::from(pops) < self.nodes;
        pins.write(pop_enable, pops.into());
        pins.write(push_enable, pushes.into());
        pins.write(push_front, pins.read(push_front) & u128::from(pushes && !pops));
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |pin| pins.read(pin);
        let Ports { clear_enable, front_node, empty, push_enable, push_node, push_front, pop_enable, .. } = self.ports;
        let number = self.warp(pins);
        let ring = &mut self.rings[number];
        if let Some(ring) = ring {
            expect("empty", read(empty) == 1, ring.is_empty())?;
            if let Some(front) = ring.front() {
                expect("front_node", read(front_node), *front)?;
            }
            if ring.is_empty() {
                counts.add("empty ring");
            }
            if ring.len() == self.nodes {
                counts.add("full ring");
            }
        }
        if read(clear_enable) == 1 {
            counts.add("clear");
            *ring = Some(VecDeque::new());
            return Ok(());
        }
        let Some(ring) = ring else { return Ok(()) };
        match (read(push_enable) == 1, read(pop_enable) == 1) {
            (true, true) => counts.add("push and pop"),
            (true, false) => counts.add(if read(push_front) == 1 { "push to the front" } else { "push" }),
            (false, true) => counts.add("pop"),
            (false, false) => {}
        }
        if read(pop_enable) == 1 {
            ring.pop_front();
        }
        if read(push_enable) == 1 {
            let node = read(push_node);
            if read(push_front) == 1 {
                ring.push_front(node);
            } else {
                ring.push_back(node);
            }
        }
        Ok(())
    }
}
