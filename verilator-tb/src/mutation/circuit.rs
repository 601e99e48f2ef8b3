//! And-inverter graphs (AIGER): reading what Yosys wrote, and tying two copies of it together under different selectors.
//!
//! A literal is twice a variable, plus one if inverted; 0 is false and 1 is true.

use super::schema::SELECTOR;
use std::collections::HashMap;

/// A circuit as the ASCII form of AIGER gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    inputs: Vec<u32>,
    /// Literal and next value.
    latches: Vec<(u32, u32)>,
    outputs: Vec<u32>,
    ands: Vec<[u32; 3]>,
    /// Names of the inputs, where they have one.
    names: HashMap<usize, String>,
    /// Which inputs are never high; none if it is empty.
    tied: Vec<bool>,
    variables: usize,
}

impl Circuit {
    /// Reads the ASCII form. `None` if it is not that.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let numbers = |line: &str| -> Option<Vec<u32>> { line.split(' ').map(|word| word.parse().ok()).collect() };
        let header = numbers(lines.next()?.strip_prefix("aag ")?)?;
        let [variables, inputs, latches, outputs, ands] = header[..] else { return None };
        let mut circuit = Self { variables: variables as usize, ..Self::default() };
        for _ in 0..inputs {
            circuit.inputs.push(numbers(lines.next()?)?[0]);
        }
        for _ in 0..latches {
            let latch = numbers(lines.next()?)?;
            circuit.latches.push((latch[0], latch[1]));
        }
        for _ in 0..outputs {
            circuit.outputs.push(numbers(lines.next()?)?[0]);
        }
        for _ in 0..ands {
            circuit.ands.push(numbers(lines.next()?)?.try_into().ok()?);
        }
        // An and-gate may stand in front of what it reads; variables grow from operands to results.
        circuit.ands.sort_unstable();
        for line in lines.take_while(|line| *line != "c") {
            if let Some((place, name)) = line.strip_prefix('i').and_then(|rest| rest.split_once(' ')) {
                circuit.names.insert(place.parse().ok()?, name.to_string());
            }
        }
        Some(circuit)
    }

    /// The port, and which bit of it, that an input is.
    fn port_bit(&self, input: usize) -> Option<(&str, usize)> {
        let name = self.names.get(&input)?;
        match name.split_once('[') {
            Some((port, bit)) => Some((port, bit.strip_suffix(']')?.parse().ok()?)),
            None => Some((name, 0)),
        }
    }

    /// Which bit of the selector an input is.
    fn selector_bit(&self, input: usize) -> Option<u32> {
        self.port_bit(input).filter(|(port, _)| *port == SELECTOR).map(|(_, bit)| bit as u32)
    }

    /// From now on the inputs of which `low` holds, by port and bit, are never high.
    pub fn tie(&mut self, low: impl Fn(&str, usize) -> bool) {
        self.tied = (0..self.inputs.len())
            .map(|input| self.port_bit(input).is_some_and(|(port, bit)| low(port, bit)))
            .collect();
    }

    /// Whether mutant `number` has other outputs or next states than the whole block in any state: a circuit whose output is true if so, or
    /// nothing where both are plainly the same.
    pub fn functions(&self, number: u32) -> Option<Vec<u8>> {
        let mut graph = Graph::default();
        let inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        let [whole, broken] = [0, number].map(|selected| self.copy(&mut graph, &inputs, &state, selected));
        let differs = graph.differ(whole.outputs.iter().chain(&whole.next), broken.outputs.iter().chain(&broken.next));
        (differs != 0).then(|| graph.binary(&[], differs))
    }

    /// Whether mutant `number` has other outputs than the whole block in any run that begins with a reset, both behind it with the same memories: a
    /// circuit whose output is true if so. While it is reset a block may say anything; what the reset does not set is memory, and may hold anything.
    pub fn sequential(&self, number: u32) -> Vec<u8> {
        let mut graph = Graph::default();
        let mut inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let started = graph.input();
        let [state_whole, state_broken]: [Vec<u32>; 2] =
            [(); 2].map(|()| self.latches.iter().map(|_| graph.input()).collect());
        for (at, input) in inputs.iter_mut().enumerate() {
            if self.is_reset(at) {
                *input = graph.and(*input ^ 1, started) ^ 1;
            }
        }
        let whole = self.copy(&mut graph, &inputs, &state_whole, 0);
        let mut broken = self.copy(&mut graph, &inputs, &state_broken, number);
        let set = self.set_by_reset();
        for ((broken, whole), _) in broken.next.iter_mut().zip(&whole.next).zip(set).filter(|(_, set)| !set) {
            *broken = graph.either(started, *broken, *whole);
        }
        let mut differs = graph.differ(whole.outputs.iter(), broken.outputs.iter());
        differs = graph.and(differs, started);
        for reset in inputs.iter().enumerate().filter(|(at, _)| self.is_reset(*at)).map(|(_, reset)| reset) {
            differs = graph.and(differs, reset ^ 1);
        }
        let next: Vec<u32> = std::iter::once(1).chain(whole.next).chain(broken.next).collect();
        graph.binary(&next, differs)
    }

    fn is_reset(&self, input: usize) -> bool {
        self.names.get(&input).is_some_and(|name| name == "reset")
    }

    /// Which latches a reset sets in the whole block, whatever the inputs and the state.
    fn set_by_reset(&self) -> Vec<bool> {
        let mut graph = Graph::default();
        let free: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let inputs: Vec<u32> =
            free.iter().enumerate().map(|(at, free)| if self.is_reset(at) { 1 } else { *free }).collect();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        self.copy(&mut graph, &inputs, &state, 0).next.iter().map(|next| *next <= 1).collect()
    }

    fn copy(&self, graph: &mut Graph, inputs: &[u32], state: &[u32], selected: u32) -> Copy {
        let mut values = vec![0; self.variables + 1];
        for (at, (variable, value)) in self.inputs.iter().zip(inputs).enumerate() {
            let value = if self.tied.get(at) == Some(&true) { 0 } else { *value };
            values[*variable as usize / 2] = self.selector_bit(at).map_or(value, |bit| selected >> bit & 1);
        }
        for ((variable, _), value) in self.latches.iter().zip(state) {
            values[*variable as usize / 2] = *value;
        }
        let value = |values: &[u32], literal: u32| values[literal as usize / 2] ^ (literal & 1);
        for [result, left, right] in &self.ands {
            values[*result as usize / 2] = graph.and(value(&values, *left), value(&values, *right));
        }
        Copy {
            outputs: self.outputs.iter().map(|output| value(&values, *output)).collect(),
            next: self.latches.iter().map(|(_, next)| value(&values, *next)).collect(),
        }
    }
}

/// What a copy of a circuit computes.
struct Copy {
    outputs: Vec<u32>,
    next: Vec<u32>,
}

/// A graph that is built, inputs first; equal gates are one.
#[derive(Default)]
struct Graph {
    inputs: u32,
    ands: Vec<[u32; 2]>,
    known: HashMap<[u32; 2], u32>,
}

impl Graph {
    fn input(&mut self) -> u32 {
        self.inputs += 1;
        2 * self.inputs
    }

    fn and(&mut self, left: u32, right: u32) -> u32 {
        let (low, high) = (left.min(right), left.max(right));
        match (low, high) {
            (0, _) => return 0,
            (1, _) => return high,
            _ if low == high => return low,
            _ if low ^ 1 == high => return 0,
            _ => {}
        }
        let (inputs, ands) = (self.inputs, &mut self.ands);
        *self.known.entry([low, high]).or_insert_with(|| {
            ands.push([low, high]);
            2 * (inputs + ands.len() as u32)
        })
    }

    /// One or the other.
    fn either(&mut self, condition: u32, high: u32, low: u32) -> u32 {
        let (high, low) = (self.and(condition, high), self.and(condition ^ 1, low));
        self.and(high ^ 1, low ^ 1) ^ 1
    }

    /// Whether any pair differs.
    fn differ<'a>(&mut self, left: impl Iterator<Item = &'a u32>, right: impl Iterator<Item = &'a u32>) -> u32 {
        let mut same = 1;
        for (left, right) in left.zip(right) {
            let (first, second) = (self.and(*left, right ^ 1), self.and(left ^ 1, *right));
            same = self.and(same, first ^ 1);
            same = self.and(same, second ^ 1);
        }
        same ^ 1
    }

    /// The binary form of AIGER; the last inputs are the latches whose next values are `next`.
    fn binary(&self, next: &[u32], output: u32) -> Vec<u8> {
        let (latches, ands) = (next.len() as u32, self.ands.len() as u32);
        let header = format!("aig {} {} {latches} 1 {ands}\n", self.inputs + ands, self.inputs - latches);
        let mut bytes = header.into_bytes();
        next.iter().for_each(|next| bytes.extend(format!("{next}\n").into_bytes()));
        bytes.extend(format!("{output}\n").into_bytes());
        for (at, [low, high]) in self.ands.iter().enumerate() {
            let result = 2 * (self.inputs + 1 + at as u32);
            for mut delta in [result - high, high - low] {
                while delta >= 128 {
                    bytes.push((delta & 127) as u8 | 128);
                    delta >>= 7;
                }
                bytes.push(delta as u8);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A register that takes `data`, unless the selector's bit 0 inverts it; bit 1 changes nothing.
    const REGISTER: &str = "aag 7 4 1 1 2\n2\n4\n6\n8\n10 14\n10\n12 3 6\n14 13 15\ni0 data\ni1 reset\n\
                            i2 heddle_mutant[0]\ni3 heddle_mutant[1]\nc\n";

    /// XV-12: a selector that nothing reads gives the same function without a proof; one that counts gives a circuit.
    #[test]
    fn xv_12_copies_differ_where_the_selector_counts() {
        // next = !(!data & selector) & ..., in acyclic form.
        let text = REGISTER.replace("14 13 15", "14 13 13");
        let circuit = Circuit::parse(&text).expect("well-formed");
        assert_eq!(circuit.functions(2), None);
        let different = circuit.functions(1).expect("it differs");
        assert!(different.starts_with(b"aig "), "{different:?}");
        assert!(Circuit::parse("aig 1 1 0 0 0").is_none());
        let mut tied = circuit.clone();
        tied.tie(|port, _| port == "data");
        assert_ne!(tied.functions(1), Some(different), "data is low now");
    }

    /// XV-12: a latch that the reset sets is told from one that keeps what it held.
    #[test]
    fn xv_12_what_a_reset_does_not_set_is_memory() {
        // The first takes data & !reset, the second itself or data.
        let text = "aag 6 2 2 0 2\n2\n4\n6 10\n8 13\n10 2 5\n12 3 9\ni0 data\ni1 reset\nc\n";
        assert_eq!(Circuit::parse(text).expect("well-formed").set_by_reset(), [true, false]);
    }
}
