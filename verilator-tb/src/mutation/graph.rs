//! A graph of and-gates (AIGER) that is built, inputs first. A literal is twice a variable, plus one if inverted; 0 is false and 1 is true.

use std::collections::HashMap;

/// A graph that is built, inputs first; equal gates are one.
#[derive(Default)]
pub struct Graph {
    inputs: u32,
    ands: Vec<[u32; 2]>,
    known: HashMap<[u32; 2], u32>,
}

impl Graph {
    /// An input.
    pub fn input(&mut self) -> u32 {
        self.inputs += 1;
        2 * self.inputs
    }

    /// Both.
    pub fn and(&mut self, left: u32, right: u32) -> u32 {
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
    pub fn either(&mut self, condition: u32, high: u32, low: u32) -> u32 {
        let (high, low) = (self.and(condition, high), self.and(condition ^ 1, low));
        self.and(high ^ 1, low ^ 1) ^ 1
    }

    /// Whether two differ.
    pub fn unequal(&mut self, left: u32, right: u32) -> u32 {
        self.differ(std::iter::once(&left), std::iter::once(&right))
    }

    /// Whether any pair differs.
    pub fn differ<'a>(&mut self, left: impl Iterator<Item = &'a u32>, right: impl Iterator<Item = &'a u32>) -> u32 {
        let mut same = 1;
        for (left, right) in left.zip(right) {
            let (first, second) = (self.and(*left, right ^ 1), self.and(left ^ 1, *right));
            same = self.and(same, first ^ 1);
            same = self.and(same, second ^ 1);
        }
        same ^ 1
    }

    /// The binary form of AIGER; the last inputs are the latches whose next values are `next`.
    pub fn binary(&self, next: &[u32], output: u32) -> Vec<u8> {
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
