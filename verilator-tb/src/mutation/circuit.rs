//! And-inverter graphs (AIGER): reading what Yosys wrote, and tying two copies of it together under different selectors.
//!
//! A literal is twice a variable, plus one if inverted; 0 is false and 1 is true.

use super::graph::Graph;
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

    /// Whether mutant `number` can be told from the whole block in any run that begins with a reset, both behind it with the same memories:
    /// a circuit whose output is true if so. What the reset does not set is memory, and may hold anything.
    ///
    /// Registers that are not `apart` are kept once, for both: that the broken block gives them another value is as bad as another output.
    /// The fewer are apart the smaller is the circuit; with those that [`touched`](Self::touched) comes to in the end nothing is lost.
    ///
    /// While it is reset a block may say anything; a part may not (`part`): what others keep of it would differ behind the reset.
    pub fn runs(&self, number: u32, apart: &[bool], part: bool) -> Vec<u8> {
        let mut graph = Graph::default();
        let mut inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let started = graph.input();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        let own: Vec<u32> =
            state.iter().zip(apart).map(|(shared, apart)| if *apart { graph.input() } else { *shared }).collect();
        let mut quiet = 0;
        for (at, input) in inputs.iter_mut().enumerate() {
            if self.is_reset(at) {
                *input = graph.and(*input ^ 1, started) ^ 1;
                quiet = if part { 0 } else { *input };
            }
        }
        let whole = self.copy(&mut graph, &inputs, &state, 0);
        let mut broken = self.copy(&mut graph, &inputs, &own, number);
        let set = self.set_by_reset();
        for ((broken, whole), _) in broken.next.iter_mut().zip(&whole.next).zip(set).filter(|(_, set)| !set) {
            *broken = graph.either(started, *broken, *whole);
        }
        let seen = graph.and(started, quiet ^ 1);
        let outputs = graph.differ(whole.outputs.iter(), broken.outputs.iter());
        let outputs = graph.and(outputs, seen);
        let once = |next: &Copy| -> Vec<u32> {
            next.next.iter().zip(apart).filter(|(_, apart)| !**apart).map(|(next, _)| *next).collect()
        };
        let registers = graph.differ(once(&whole).iter(), once(&broken).iter());
        let differs = graph.and(outputs ^ 1, registers ^ 1) ^ 1;
        let others = broken.next.iter().zip(apart).filter(|(_, apart)| **apart).map(|(next, _)| *next);
        let next: Vec<u32> = std::iter::once(1).chain(whole.next).chain(others).collect();
        graph.binary(&next, differs)
    }

    /// Registers to which mutant `number` may give another value if those that are `apart` may differ, besides these.
    pub fn touched(&self, number: u32, apart: &[bool]) -> Vec<bool> {
        let mut graph = Graph::default();
        let inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        let own: Vec<u32> =
            state.iter().zip(apart).map(|(shared, apart)| if *apart { graph.input() } else { *shared }).collect();
        let whole = self.copy(&mut graph, &inputs, &state, 0);
        let broken = self.copy(&mut graph, &inputs, &own, number);
        whole
            .next
            .iter()
            .zip(&broken.next)
            .zip(apart)
            .map(|((whole, broken), apart)| *apart || whole != broken)
            .collect()
    }

    /// How many registers it has.
    pub fn registers(&self) -> usize {
        self.latches.len()
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
