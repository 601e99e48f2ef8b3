//! And-inverter graphs (AIGER): reading what Yosys wrote, and tying two copies of it together under different selectors.
//!
//! A literal is twice a variable, plus one if inverted; 0 is false and 1 is true.

use super::graph::Graph;
use super::schema::SELECTOR;
use std::collections::HashMap;

/// An output of a circuit with constraints: where two copies are told apart it is high, without loss.
const FOCUS: &str = "heddle_focus";
/// One that says whether another, of which the name follows, means anything.
const QUALIFIES: &str = "heddle_qualifies_";
/// One that shows what counts of a state ([`super::alike`]), and one that is high in every state.
const ALIKE: &str = "heddle_alike_";
const INVARIANT: &str = "heddle_invariant_";

/// A circuit as the ASCII form of AIGER gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    inputs: Vec<u32>,
    /// Literal and next value.
    latches: Vec<(u32, u32)>,
    outputs: Vec<u32>,
    /// Of each output, the literal without which it means nothing.
    qualifiers: Vec<u32>,
    /// What is the case where two copies are told apart, without loss.
    focus: u32,
    /// What holds in every cycle of every run that is of interest.
    constraints: Vec<u32>,
    /// What counts of a state, by name and place; and what holds in every one.
    views: Vec<(String, u32)>,
    invariants: Vec<(String, u32)>,
    /// Which latches no output and no other latch depends on: they only serve the constraints.
    watching: Vec<bool>,
    ands: Vec<[u32; 3]>,
    /// Names of the inputs, where they have one; of the latches; and of all outputs.
    names: HashMap<usize, String>,
    latch_names: HashMap<usize, String>,
    output_names: Vec<String>,
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
        // Behind these five come bad states, constraints, justice and fairness, if there are any.
        let (&[variables, inputs, latches, outputs, ands], others) = header.split_first_chunk()?;
        let [bad, constraints] = [0, 1].map(|at| others.get(at).copied().unwrap_or(0));
        if bad > 0 || others.iter().skip(2).any(|number| *number > 0) {
            return None;
        }
        let mut circuit = Self { focus: 1, variables: variables as usize, ..Self::default() };
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
        for _ in 0..constraints {
            circuit.constraints.push(numbers(lines.next()?)?[0]);
        }
        for _ in 0..ands {
            circuit.ands.push(numbers(lines.next()?)?.try_into().ok()?);
        }
        // An and-gate may stand in front of what it reads; variables grow from operands to results.
        circuit.ands.sort_unstable();
        let mut outputs = Vec::new();
        for line in lines.take_while(|line| *line != "c") {
            if let Some((place, name)) = line.strip_prefix('i').and_then(|rest| rest.split_once(' ')) {
                circuit.names.insert(place.parse().ok()?, name.to_string());
            }
            if let Some((place, name)) = line.strip_prefix('l').and_then(|rest| rest.split_once(' ')) {
                circuit.latch_names.insert(place.parse().ok()?, name.to_string());
            }
            if let Some((place, name)) = line.strip_prefix('o').and_then(|rest| rest.split_once(' ')) {
                outputs.push((*circuit.outputs.get(place.parse::<usize>().ok()?)?, name));
            }
        }
        circuit.name_outputs(outputs);
        circuit.watching = circuit.watching();
        Some(circuit)
    }

    /// Takes apart the outputs, of which all have names if one has: those of the block, and what is said of them.
    fn name_outputs(&mut self, named: Vec<(u32, &str)>) {
        let said: HashMap<&str, u32> = named.iter().map(|(literal, name)| (*name, *literal)).collect();
        self.focus = said.get(FOCUS).copied().unwrap_or(1);
        let qualifier = |name: &str| said.get(format!("{QUALIFIES}{}", port_of(name)).as_str()).copied().unwrap_or(1);
        let own = |name: &str| !name.starts_with("heddle_");
        if !named.is_empty() {
            let owned = || named.iter().filter(|(_, name)| own(name));
            self.outputs = owned().map(|(literal, _)| *literal).collect();
            self.qualifiers = owned().map(|(_, name)| qualifier(name)).collect();
            self.output_names = owned().map(|(_, name)| name.to_string()).collect();
        }
        let called = |prefix: &str| {
            let called = named.iter().filter_map(|(literal, name)| Some((name.strip_prefix(prefix)?, *literal)));
            called.map(|(name, literal)| (name.to_string(), literal)).collect()
        };
        self.views = called(ALIKE);
        self.invariants = called(INVARIANT);
    }

    /// Of what shows what counts of a state, only that of these names; and which of them there are not.
    pub fn seen_by(mut self, names: &[String]) -> (Self, Vec<&str>) {
        let missing = names.iter().filter(|name| !self.views.iter().any(|(view, _)| port_of(view) == **name));
        let missing = missing.map(String::as_str).collect();
        self.views.retain(|(view, _)| names.iter().any(|name| name == port_of(view)));
        (self, missing)
    }

    /// Its outputs count always, whatever else is said of them: there is somebody around it who may look.
    pub fn unqualified(mut self) -> Self {
        self.qualifiers.clear();
        self
    }

    /// The latches on which neither an output nor, directly or not, a latch before one depends.
    fn watching(&self) -> Vec<bool> {
        let gates: HashMap<u32, [u32; 2]> =
            self.ands.iter().map(|[result, left, right]| (result / 2, [left / 2, right / 2])).collect();
        let latches: HashMap<u32, u32> = self.latches.iter().map(|(latch, next)| (latch / 2, next / 2)).collect();
        let mut seen = vec![false; self.variables + 1];
        let mut open: Vec<u32> = self.outputs.iter().map(|output| output / 2).collect();
        while let Some(variable) = open.pop() {
            if !std::mem::replace(&mut seen[variable as usize], true) {
                open.extend(gates.get(&variable).into_iter().flatten().chain(latches.get(&variable)));
            }
        }
        self.latches.iter().map(|(latch, _)| !seen[*latch as usize / 2]).collect()
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
    ///
    /// The constraints hold of the whole block from the first cycle to the one that tells the two apart; it is the only one that is watched. Such
    /// a run is reset once, as what is known of a block begins with its reset: a mutant may leave something else in memories for the next one, where
    /// what they hold means nothing.
    pub fn runs(&self, number: u32, apart: &[bool], part: bool) -> Vec<u8> {
        let mut graph = Graph::default();
        let mut inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let started = graph.input();
        let held = if self.is_constrained() { graph.input() ^ 1 } else { 1 };
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        let own = own(&state, apart, || graph.input());
        let mut quiet = 0;
        for (at, input) in inputs.iter_mut().enumerate() {
            if self.is_reset(at) {
                *input = if self.is_constrained() { started ^ 1 } else { graph.and(*input ^ 1, started) ^ 1 };
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
            let shared = next.next.iter().zip(apart).zip(&self.watching);
            shared.filter(|((_, apart), watching)| !**apart && !**watching).map(|((next, _), _)| *next).collect()
        };
        let registers = graph.differ(once(&whole).iter(), once(&broken).iter());
        let differs = graph.and(outputs ^ 1, registers ^ 1) ^ 1;
        let holds = graph.and(held, whole.holds);
        let differs = graph.and(differs, holds);
        let differs = graph.and(differs, whole.focus);
        let broken_off = self.is_constrained().then_some(holds ^ 1);
        let others = broken.next.iter().zip(apart).filter(|(_, apart)| **apart).map(|(next, _)| *next);
        let next: Vec<u32> = std::iter::once(1).chain(broken_off).chain(whole.next).chain(others).collect();
        graph.binary(&next, differs)
    }

    /// Registers to which mutant `number` may give another value if those that are `apart` may differ, besides these.
    pub fn touched(&self, number: u32, apart: &[bool]) -> Vec<bool> {
        let mut graph = Graph::default();
        let inputs: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        let own = own(&state, apart, || graph.input());
        let whole = self.copy(&mut graph, &inputs, &state, 0);
        let broken = self.copy(&mut graph, &inputs, &own, number);
        whole
            .next
            .iter()
            .zip(&broken.next)
            .zip(apart)
            .zip(&self.watching)
            .map(|(((whole, broken), apart), watching)| *apart || !watching && whole != broken)
            .collect()
    }

    /// Whether mutant `number` gives a register that is not `apart` another value in some state, in which those that are may differ: a circuit whose
    /// output is true if so, or nothing where it plainly does not.
    pub fn spread(&self, number: u32, apart: &[bool]) -> Option<Vec<u8>> {
        let mut graph = Graph::default();
        let values: Vec<u32> = (0..self.spread_inputs(apart)).map(|_| graph.input()).collect();
        let spread = self.spread_of(&mut graph, number, apart, &values);
        let any = spread.iter().fold(1, |none, differs| graph.and(none, differs ^ 1)) ^ 1;
        (any != 0).then(|| graph.binary(&[], any))
    }

    fn spread_inputs(&self, apart: &[bool]) -> usize {
        self.inputs.len() + apart.len() + apart.iter().filter(|apart| **apart).count()
    }

    /// The registers that are given another value, for these inputs of the circuit of [`spread`](Self::spread).
    pub fn spread_to(&self, number: u32, apart: &[bool], inputs: &[bool]) -> Vec<bool> {
        let mut values: Vec<u32> = inputs.iter().map(|input| u32::from(*input)).collect();
        values.resize(self.spread_inputs(apart), 0);
        self.spread_of(&mut Graph::default(), number, apart, &values).iter().map(|differs| *differs == 1).collect()
    }

    /// Whether each register that is not `apart` gets another value, for inputs, registers, and what those that are `apart` hold in the broken copy.
    fn spread_of(&self, graph: &mut Graph, number: u32, apart: &[bool], values: &[u32]) -> Vec<u32> {
        let (inputs, values) = values.split_at(self.inputs.len());
        let (state, others) = values.split_at(apart.len());
        let mut others = others.iter();
        let own = own(state, apart, || others.next().copied().unwrap_or(0));
        // What is constrained is reset once, and all starts alike.
        let after = |at: usize| self.is_constrained() && self.is_reset(at);
        let inputs: Vec<u32> =
            inputs.iter().enumerate().map(|(at, input)| if after(at) { 0 } else { *input }).collect();
        let whole = self.copy(graph, &inputs, state, 0);
        let broken = self.copy(graph, &inputs, &own, number);
        let pairs = whole.next.iter().zip(&broken.next).zip(apart.iter().zip(&self.watching));
        pairs
            .map(|((whole_next, broken_next), (apart, watching))| match apart | watching {
                true => 0,
                false => {
                    let differs = graph.unequal(*whole_next, *broken_next);
                    graph.and(differs, whole.holds)
                }
            })
            .collect()
    }

    /// Whether it is known what holds in the runs that are of interest.
    pub fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// How many inputs it has.
    pub(super) fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Which registers hold 1 from the second cycle on: they tell that there was a first.
    pub(super) fn begun(&self) -> impl Iterator<Item = bool> + '_ {
        self.latches.iter().map(|(_, next)| *next == 1)
    }

    /// Which registers only serve the constraints.
    pub(super) fn watchers(&self) -> &[bool] {
        &self.watching
    }

    /// What its outputs are called.
    pub(super) fn output_names(&self) -> Vec<String> {
        let name = |at: usize| self.output_names.get(at).cloned().unwrap_or_else(|| format!("{at}"));
        (0..self.outputs.len()).map(name).collect()
    }

    /// What a register is called, in the widest block that has a name for it.
    pub(super) fn register_name(&self, at: usize) -> String {
        let name = self.latch_names.get(&at).and_then(|names| names.split(' ').next());
        name.map_or_else(|| format!("{at}"), String::from)
    }

    /// What counts of a state, by name and place.
    pub(super) fn view_names(&self) -> &[(String, u32)] {
        &self.views
    }

    /// What is said to hold in every state, by name.
    pub(super) fn invariant_names(&self) -> &[(String, u32)] {
        &self.invariants
    }

    /// How many registers it has.
    pub fn registers(&self) -> usize {
        self.latches.len()
    }

    pub(super) fn is_reset(&self, input: usize) -> bool {
        self.names.get(&input).is_some_and(|name| name == "reset")
    }

    /// Which latches a reset sets in the whole block, whatever the inputs and the state.
    pub(super) fn set_by_reset(&self) -> Vec<bool> {
        let mut graph = Graph::default();
        let free: Vec<u32> = self.inputs.iter().map(|_| graph.input()).collect();
        let inputs: Vec<u32> =
            free.iter().enumerate().map(|(at, free)| if self.is_reset(at) { 1 } else { *free }).collect();
        let state: Vec<u32> = self.latches.iter().map(|_| graph.input()).collect();
        self.copy(&mut graph, &inputs, &state, 0).next.iter().map(|next| *next <= 1).collect()
    }

    pub(super) fn copy(&self, graph: &mut Graph, inputs: &[u32], state: &[u32], selected: u32) -> Copy {
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
        let holds = self.constraints.iter().fold(1, |holds, constraint| graph.and(holds, value(&values, *constraint)));
        let qualified = |(at, output): (usize, &u32)| {
            graph
                .and(value(&values, *output), self.qualifiers.get(at).map_or(1, |qualifier| value(&values, *qualifier)))
        };
        let outputs = self.outputs.iter().enumerate().map(qualified).collect();
        Copy {
            holds,
            focus: value(&values, self.focus),
            views: self.views.iter().map(|(_, view)| value(&values, *view)).collect(),
            invariants: self.invariants.iter().map(|(_, invariant)| value(&values, *invariant)).collect(),
            outputs,
            next: self.latches.iter().map(|(_, next)| value(&values, *next)).collect(),
        }
    }
}

/// The name without the place of a bit.
fn port_of(bit: &str) -> &str {
    bit.split_once('[').map_or(bit, |(port, _)| port)
}

/// What the registers of the broken copy hold: what the whole one does, or, if they are apart, something of their own.
pub(super) fn own(state: &[u32], apart: &[bool], mut something: impl FnMut() -> u32) -> Vec<u32> {
    state.iter().zip(apart).map(|(shared, apart)| if *apart { something() } else { *shared }).collect()
}

/// What a copy of a circuit computes.
pub(super) struct Copy {
    /// Whether it keeps all constraints in this cycle.
    pub holds: u32,
    /// Whether it is in focus.
    pub focus: u32,
    /// What counts of its state.
    pub views: Vec<u32>,
    /// What is said to hold in every state.
    pub invariants: Vec<u32>,
    pub outputs: Vec<u32>,
    pub next: Vec<u32>,
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
