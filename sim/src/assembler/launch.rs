//! Fixing a kernel's sizes, and checking what a run left in memory.

use super::expression::{Expression, ExpressionError};
use super::kernel::{Contents, Expectation, Kernel, Launch, Overrides, Placed};
use crate::kernels::checks;
use crate::launch::WORD_FLAGS;
use std::collections::BTreeMap;
use thiserror::Error;

/// Bytes of global memory that a kernel may ask for.
pub const GLOBAL_LIMIT: u64 = 1 << 28;
/// Bytes of shared memory of a CTA that a kernel may ask for.
pub const SHARED_LIMIT: u64 = 1 << 20;
/// Bytes of local memory of a thread that a kernel may ask for: the context unit counts its words in 16 bits (CX-01).
pub const LOCAL_LIMIT: u64 = 1 << 17;
/// Threads of a CTA: 8 thread blocks of at most 64 (BR-01).
pub const BLOCK_LIMIT: u64 = 512;
/// CTAs of a grid.
pub const GRID_LIMIT: u64 = 1 << 24;
/// CTAs of a grid along a dimension (WD-01).
pub const RANGE_LIMIT: u64 = 65_535;

/// Why a kernel cannot be launched like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// No such parameter.
    #[error("kernel {kernel} has no parameter `{name}`; it has {known}")]
    UnknownParameter {
        /// The kernel.
        kernel: String,
        /// The name that was given.
        name: String,
        /// Those that it has.
        known: String,
    },
    /// A size has no value.
    #[error("{what} of kernel {kernel}: {source}")]
    Size {
        /// The kernel.
        kernel: String,
        /// Which size.
        what: String,
        /// Why.
        source: ExpressionError,
    },
    /// A size is zero or too large.
    #[error("{what} of kernel {kernel} is {value}; it must be {allowed}")]
    Range {
        /// The kernel.
        kernel: String,
        /// Which size.
        what: String,
        /// Its value.
        value: u64,
        /// What it may be.
        allowed: String,
    },
}

/// A way in which the result differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// A word of a section.
    #[error("{section}[{index}] is {found} (0x{found:x}), expected {expected} (0x{expected:x})")]
    Word {
        /// The section.
        section: String,
        /// Which word.
        index: u32,
        /// What a run left there.
        found: u32,
        /// What should be there.
        expected: u32,
    },
    /// A named check.
    #[error("check {name}: {message}")]
    Check {
        /// The check.
        name: String,
        /// What it found.
        message: String,
    },
}

impl Launch {
    /// Threads of a CTA.
    pub fn block_threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA, if a warp has so many threads; the last one may be partial.
    pub fn warps_of_cta(&self, threads: usize) -> usize {
        (self.block_threads() as usize).div_ceil(threads)
    }

    /// CTAs of the grid.
    pub fn ctas(&self) -> u32 {
        self.grid.iter().product()
    }

    /// The CTA of a number, x fastest.
    pub fn cta(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [number % x, number / x % y, number / x / y]
    }

    /// The section of a name.
    pub fn section(&self, name: &str) -> Option<&Placed> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// The words of a section in an image of global memory.
    pub fn words_of(&self, name: &str, global: &[u8]) -> Option<Vec<u32>> {
        let section = self.section(name)?;
        let start = section.address as usize;
        let bytes = global.get(start..start + section.words as usize * 4)?;
        Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// The flag of a CTA in a predicate table at a byte address of an image of global memory (WD-05); false if it does not lie there.
    pub fn flag(&self, global: &[u8], table: u32, [x, y, z]: [u32; 3]) -> bool {
        let row_bytes = table_bytes([self.grid[0], 1, 1]);
        let byte = table as usize + (z * self.grid[1] + y) as usize * row_bytes + x as usize / 8;
        global.get(byte).is_some_and(|byte| byte >> (x % 8) & 1 == 1)
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }
}

impl Kernel {
    /// Fixes the sizes, lays out global memory and fills it.
    pub fn launch(&self, overrides: &Overrides) -> Result<Launch, LaunchError> {
        let grid = overrides.grid.unwrap_or(self.grid);
        let block = overrides.block.unwrap_or(self.block);
        let ctas = self.product("the grid", grid, RANGE_LIMIT, GRID_LIMIT)?;
        let block_threads = self.product("the block", block, BLOCK_LIMIT, BLOCK_LIMIT)?;
        let threads = u64::from(ctas) * u64::from(block_threads);
        let threads = self.within("the number of threads", threads, 1, u64::from(u32::MAX))?;
        let mut names = BTreeMap::from([
            ("threads".to_string(), threads),
            ("ctas".to_string(), ctas),
            ("block_threads".to_string(), block_threads),
            ("grid_x".to_string(), grid[0]),
            ("grid_y".to_string(), grid[1]),
            ("grid_z".to_string(), grid[2]),
        ]);
        let mut parameters = Vec::new();
        for parameter in &self.parameters {
            let value = overrides.parameters.get(&parameter.name).copied().unwrap_or(parameter.default);
            names.insert(parameter.name.clone(), value);
            parameters.push(value);
        }
        if let Some(name) = overrides.parameters.keys().find(|name| !self.parameters.iter().any(|p| p.name == **name)) {
            let names: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            return Err(LaunchError::UnknownParameter { kernel: self.name.clone(), name: name.clone(), known });
        }
        let size = |what: &str, expression: &Expression| self.value(what, expression, &names, None);
        let shared_bytes =
            self.within("shared memory", u64::from(size("shared memory", &self.shared)?), 0, SHARED_LIMIT)?;
        let local_bytes = self.within("local memory", u64::from(size("local memory", &self.local)?), 0, LOCAL_LIMIT)?;
        let mut sections = Vec::new();
        let mut global = Vec::new();
        for section in &self.sections {
            let table = self.predicate.as_ref().is_some_and(|table| table.section == section.name);
            if table {
                // Its words are 64 bits wide (WD-05).
                global.resize(global.len().next_multiple_of(TABLE_WORD), 0);
            }
            let what = format!("section `{}`", section.name);
            let words = u64::from(size(&what, &section.words)?);
            let end = global.len() as u64 + words * 4;
            self.within("global memory", end, 0, GLOBAL_LIMIT)?;
            if table {
                let least = table_bytes(grid) as u64 / 4;
                self.within(&format!("{what}, the predicate table"), words, least, GLOBAL_LIMIT)?;
            }
            let address = global.len() as u32;
            let words = words as u32;
            for word in self.contents(&what, &section.initial, words, &names)? {
                global.extend(word.unwrap_or(0).to_le_bytes());
            }
            parameters.push(address);
            sections.push(Placed { name: section.name.clone(), address, words });
        }
        let mut predicate = None;
        if let Some(table) = &self.predicate {
            let used = self.value("whether the predicate table is used", &table.used, &names, None)? != 0;
            let place = sections.iter().find(|section| section.name == table.section);
            predicate = place.filter(|_| used).map(|place| place.address);
        }
        Ok(Launch { parameters, names, grid, block, shared_bytes, local_bytes, global, sections, predicate })
    }

    /// Compares the memory that a run left with what the file expects; an empty list is a pass. At most 8 words a section
    /// are reported.
    pub fn check(&self, launch: &Launch, global: &[u8]) -> Vec<Mismatch> {
        let mut mismatches = Vec::new();
        for expectation in &self.expectations {
            match expectation {
                Expectation::Words(section, contents) => {
                    mismatches.extend(self.compare(launch, global, section, contents));
                }
                Expectation::Check(name) => {
                    let result = checks::find(name)
                        .ok_or_else(|| "no such check".to_string())
                        .and_then(|check| (check.run)(launch, global));
                    mismatches.extend(result.err().map(|message| Mismatch::Check { name: name.clone(), message }));
                }
            }
        }
        mismatches
    }

    fn compare(&self, launch: &Launch, global: &[u8], section: &str, contents: &Contents) -> Vec<Mismatch> {
        let problem = |message: String| vec![Mismatch::Check { name: format!(".expect {section}"), message }];
        let Some(words) = launch.words_of(section, global) else {
            return problem("the section is not in memory".to_string());
        };
        let expected = match self.contents(section, contents, words.len() as u32, &launch.names) {
            Ok(expected) => expected,
            Err(error) => return problem(error.to_string()),
        };
        (0..)
            .zip(words.iter().zip(expected))
            .filter_map(|(index, (found, expected))| {
                let expected = expected.filter(|expected| expected != found)?;
                Some(Mismatch::Word { section: section.to_string(), index, found: *found, expected })
            })
            .take(8)
            .collect()
    }

    /// The words that `contents` stands for; `None` where it says nothing.
    fn contents(
        &self,
        what: &str,
        contents: &Contents,
        words: u32,
        names: &BTreeMap<String, u32>,
    ) -> Result<Vec<Option<u32>>, LaunchError> {
        let value = |expression: &Expression, index| self.value(what, expression, names, Some(index));
        match contents {
            Contents::Fill(expression) => Ok(vec![Some(value(expression, 0)?); words as usize]),
            Contents::Each(expression) => (0..words).map(|index| value(expression, index).map(Some)).collect(),
            Contents::List(expressions) => {
                let count = expressions.len() as u64;
                self.within(&format!("the list of {what}"), count, 0, u64::from(words))?;
                let listed = (0..).zip(expressions).map(|(index, expression)| value(expression, index).map(Some));
                let mut all = listed.collect::<Result<Vec<_>, _>>()?;
                all.resize(words as usize, None);
                Ok(all)
            }
            Contents::Random(seed, bound) => {
                let bound = self.within(&format!("the bound of {what}"), u64::from(value(bound, 0)?), 1, 1 << 32)?;
                let mut state = u64::from(value(seed, 0)?);
                Ok((0..words).map(|_| Some(noise(&mut state) % bound)).collect())
            }
            Contents::Sparse(seed, percent) => {
                let percent = value(percent, 0)?;
                let mut state = u64::from(value(seed, 0)?);
                let mut bit = || u32::from(noise(&mut state) % 100 < percent);
                Ok((0..words).map(|_| Some((0..32).fold(0, |word, place| word | bit() << place))).collect())
            }
        }
    }

    fn value(
        &self,
        what: &str,
        expression: &Expression,
        names: &BTreeMap<String, u32>,
        index: Option<u32>,
    ) -> Result<u32, LaunchError> {
        let value_of = |name: &str| if name == "index" { index } else { names.get(name).copied() };
        expression.evaluate(&value_of).map_err(|source| LaunchError::Size {
            kernel: self.name.clone(),
            what: what.to_string(),
            source,
        })
    }

    /// The product of sizes that are 1 to `each`, if it is at most `limit`.
    fn product(&self, what: &str, sizes: [u32; 3], each: u64, limit: u64) -> Result<u32, LaunchError> {
        for size in sizes {
            self.within(what, u64::from(size), 1, each)?;
        }
        let product = sizes.iter().map(|size| u64::from(*size)).product();
        self.within(what, product, 1, limit)
    }

    fn within(&self, what: &str, value: u64, least: u64, most: u64) -> Result<u32, LaunchError> {
        if (least..=most).contains(&value) {
            Ok(value as u32)
        } else {
            let (kernel, what) = (self.name.clone(), what.to_string());
            Err(LaunchError::Range { kernel, what, value, allowed: format!("{least} to {most}") })
        }
    }
}

/// Bytes of a word of the predicate table.
const TABLE_WORD: usize = WORD_FLAGS as usize / 8;

/// Bytes of the predicate table of a grid: a row of x begins a word (WD-05).
pub fn table_bytes([x, y, z]: [u32; 3]) -> usize {
    x.div_ceil(WORD_FLAGS) as usize * y as usize * z as usize * TABLE_WORD
}

/// The next number of a SplitMix64 generator: the same noise on every machine.
fn noise(state: &mut u64) -> u32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 32) as u32
}
