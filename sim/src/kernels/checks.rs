//! Results that a list of words cannot state: each check is a plain function of the launch and the final memory.
//!
//! A check computes the result anew, thread by thread, from the parameters and the initial memory; it knows nothing of warps.

use super::{barrier_checks, launch_checks, workload_checks};
use crate::assembler::Launch;

/// A check that `.check` names.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What it demands.
    pub summary: &'static str,
    /// The check: launch, final global memory.
    pub run: fn(&Launch, &[u8]) -> Result<(), String>,
}

/// Every check.
pub const ALL: &[Check] = &[
    Check {
        name: "order_is_a_permutation",
        summary: "section `order` holds each number from 0 on once",
        run: order_is_a_permutation,
    },
    Check {
        name: "consumers_got_every_item",
        summary: "section `sum` holds what each pair's producer made",
        run: consumers_got_every_item,
    },
    Check {
        name: "hash_table_holds_every_key",
        summary: "the chains of `head` and `next` hold every node once, in the bucket of its key",
        run: hash_table_holds_every_key,
    },
    Check { name: "nested_if", summary: "five nested decisions", run: |l, m| each_result(l, m, |_, t| nested_if(t)) },
    Check { name: "loops", summary: "sums with continue and break", run: |l, m| each_result(l, m, loops) },
    Check { name: "switch", summary: "a case for each input", run: |l, m| each_result(l, m, switch) },
    Check { name: "fibonacci", summary: "Fibonacci numbers", run: |l, m| each_result(l, m, fibonacci) },
    Check { name: "rows_are_sorted", summary: "each row of `row`, sorted", run: rows_are_sorted },
    Check { name: "virtual_calls", summary: "methods by class", run: |l, m| each_result(l, m, virtual_calls) },
    Check { name: "early_exit", summary: "what each thread reported before it left", run: early_exit },
    Check { name: "goto_spaghetti", summary: "a walk by gotos", run: |l, m| each_result(l, m, goto_spaghetti) },
    Check { name: "compaction", summary: "what each CTA keeps, in order", run: barrier_checks::compaction },
    Check { name: "histogram", summary: "how often each value occurs in each CTA", run: barrier_checks::histogram },
    Check {
        name: "half_barrier",
        summary: "values passed round a ring of the even ranks",
        run: |l, m| each_result(l, m, barrier_checks::half_barrier),
    },
    Check {
        name: "divergent_barrier",
        summary: "every side of the branch has met, and the CTA",
        run: |l, m| each_result(l, m, barrier_checks::divergent_barrier),
    },
    Check { name: "block_scan", summary: "prefix sums of each CTA", run: barrier_checks::block_scan },
    Check { name: "late_turns", summary: "each thread has one turn, alone", run: barrier_checks::late_turns },
    Check {
        name: "late_skips",
        summary: "each thread has one turn, alone, or skipped",
        run: barrier_checks::late_skips,
    },
    Check { name: "late_pass", summary: "all go on, none before it arrived", run: barrier_checks::impatient },
    Check { name: "late_count", summary: "all go on, none before it arrived", run: barrier_checks::impatient },
    Check {
        name: "split_phases",
        summary: "what was copied in each phase, in order",
        run: |l, m| each_result(l, m, barrier_checks::split_phases),
    },
    Check {
        name: "early_leavers",
        summary: "those that stayed met all of their kind",
        run: |l, m| each_result(l, m, barrier_checks::early_leavers),
    },
    Check { name: "ring", summary: "every round is done, and nobody went on early", run: barrier_checks::ring },
    Check {
        name: "gather",
        summary: "the words that each thread looks up",
        run: |l, m| each_result(l, m, barrier_checks::gather),
    },
    Check {
        name: "stencil_sparse",
        summary: "the stencil in live tiles, nothing in dead ones",
        run: launch_checks::stencil_sparse,
    },
    Check { name: "bfs", summary: "distances from each CTA's own node", run: workload_checks::bfs },
    Check { name: "spmv", summary: "the product, bit by bit", run: workload_checks::spmv },
    Check { name: "mandelbrot", summary: "steps of each point", run: workload_checks::mandelbrot },
    Check { name: "bitonic_sort", summary: "each CTA's tile, sorted", run: workload_checks::bitonic_sort },
    Check { name: "queens", summary: "the number of solutions", run: workload_checks::queens },
    Check { name: "nbody", summary: "where each body is, bit by bit", run: workload_checks::nbody },
    Check { name: "prefix_sum", summary: "sums of all words up to each", run: workload_checks::prefix_sum },
];

/// The check of a name.
pub fn find(name: &str) -> Option<&'static Check> {
    ALL.iter().find(|check| check.name == name)
}

/// Words of a section in an image of memory.
pub(super) fn section(launch: &Launch, memory: &[u8], name: &str) -> Result<Vec<u32>, String> {
    launch.words_of(name, memory).ok_or_else(|| format!("there is no section `{name}`"))
}

/// Words of a section as they were at the start.
pub(super) fn initial(launch: &Launch, name: &str) -> Result<Vec<u32>, String> {
    section(launch, &launch.global, name)
}

pub(super) fn parameter(launch: &Launch, name: &str) -> Result<u32, String> {
    launch.parameter(name).ok_or_else(|| format!("there is no parameter `{name}`"))
}

/// Element of a list; lists may be shorter than the check needs if the file and the check do not fit together.
pub(super) fn at(list: &[u32], index: usize) -> Result<u32, String> {
    list.get(index).copied().ok_or_else(|| format!("a section ends before word {index}"))
}

pub(super) fn demand(what: &str, index: usize, found: u32, expected: u32) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}[{index}] is {found}, expected {expected}"))
    }
}

/// Section `result` holds a value for each thread.
fn each_result(
    launch: &Launch,
    memory: &[u8],
    expected: fn(&Launch, u32) -> Result<u32, String>,
) -> Result<(), String> {
    for (thread, found) in section(launch, memory, "result")?.into_iter().enumerate() {
        demand("result", thread, found, expected(launch, thread as u32)?)?;
    }
    Ok(())
}

fn order_is_a_permutation(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let order = section(launch, memory, "order")?;
    let mut ranks = order.clone();
    ranks.sort_unstable();
    match ranks.iter().enumerate().find(|(rank, found)| *rank as u32 != **found) {
        None => Ok(()),
        Some((rank, _)) => Err(format!("no thread was number {rank} in the section: {order:?}")),
    }
}

fn consumers_got_every_item(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let items = parameter(launch, "items")?;
    let block = launch.block_threads();
    let pairs_of_cta = block.div_ceil(2);
    for (pair, found) in section(launch, memory, "sum")?.into_iter().enumerate() {
        let (cta, pair_of_cta) = (pair as u32 / pairs_of_cta, pair as u32 % pairs_of_cta);
        let producer = cta * block + pair_of_cta * 2;
        let has_consumer = pair_of_cta * 2 + 1 < block;
        let made = (0..items).fold(0_u32, |sum, item| sum.wrapping_add(item.wrapping_mul(3).wrapping_add(producer)));
        demand("sum", pair, found, if has_consumer { made } else { 0 })?;
    }
    Ok(())
}

fn hash_table_holds_every_key(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    const END: u32 = u32::MAX;
    let bits = parameter(launch, "bucket_bits")?;
    let buckets = 1_u32.checked_shl(bits).unwrap_or(0).wrapping_sub(1) & 255;
    let (keys, next) = (initial(launch, "key")?, section(launch, memory, "next")?);
    let mut seen = vec![false; keys.len()];
    for (bucket, first) in section(launch, memory, "head")?.into_iter().enumerate() {
        let mut node = first;
        while node != END {
            let key = at(&keys, node as usize)?;
            if key & buckets != bucket as u32 {
                return Err(format!("node {node} with key {key} is in bucket {bucket}"));
            }
            if std::mem::replace(&mut seen[node as usize], true) {
                return Err(format!("node {node} is in a chain twice"));
            }
            node = at(&next, node as usize)?;
        }
    }
    match seen.iter().position(|seen| !seen) {
        None => Ok(()),
        Some(node) => Err(format!("node {node} with key {} is in no chain", at(&keys, node)?)),
    }
}

fn nested_if(thread: u32) -> Result<u32, String> {
    let depth = (!thread).trailing_zeros().min(5);
    // Each level triples on the way in and counts one on the way out; the one that goes no deeper adds its number.
    let (levels, other_side) = if depth < 5 { (depth + 1, depth + 1) } else { (5, 0) };
    Ok(3_u32.pow(depth) + other_side + levels)
}

fn loops(launch: &Launch, thread: u32) -> Result<u32, String> {
    let limit = parameter(launch, "limit")?;
    let mut sum = 0;
    for number in (0..=thread).filter(|number| number % 3 != 0) {
        sum += number;
        if sum > limit {
            break;
        }
    }
    Ok(sum)
}

fn switch(launch: &Launch, thread: u32) -> Result<u32, String> {
    let input = at(&initial(launch, "input")?, thread as usize)?;
    let value = match input {
        0 => 100,
        1 => thread.wrapping_mul(2),
        2 => thread.wrapping_mul(thread).wrapping_add(7),
        3 => return Ok(7 + 1),
        4 => !thread,
        _ => thread ^ input,
    };
    Ok(value.wrapping_add(1))
}

fn fibonacci(launch: &Launch, thread: u32) -> Result<u32, String> {
    let modulus = parameter(launch, "modulus")?;
    let number = thread.checked_rem(modulus).ok_or("the modulus is 0")?;
    Ok((0..number).fold((0, 1), |(this, next), _| (next, this + next)).0)
}

fn rows_are_sorted(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let items = parameter(launch, "items")?.max(1) as usize;
    let (before, after) = (initial(launch, "row")?, section(launch, memory, "row")?);
    for (thread, (before, after)) in before.chunks(items).zip(after.chunks(items)).enumerate() {
        let mut expected = before.to_vec();
        expected.sort_unstable();
        if after != expected {
            return Err(format!("row {thread} is {after:?}, expected {expected:?}"));
        }
    }
    Ok(())
}

fn virtual_calls(launch: &Launch, thread: u32) -> Result<u32, String> {
    let class = at(&initial(launch, "class")?, thread as usize)?;
    let method = |value: u32| match class {
        0 => value.wrapping_mul(3),
        1 => value.wrapping_mul(value),
        2 => value ^ 0x55,
        _ => value,
    };
    Ok((0..parameter(launch, "calls")?).fold(thread, |value, _| method(value).wrapping_add(1)))
}

fn early_exit(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    const COLUMNS: usize = 8;
    let rows = initial(launch, "row")?;
    let mut reports = 0;
    for (thread, found) in section(launch, memory, "found")?.into_iter().enumerate() {
        let row = rows.get(thread * COLUMNS..(thread + 1) * COLUMNS).ok_or("section `row` is too short")?;
        let zero = row.iter().position(|value| *value == 0);
        let expected = match (thread % 5, zero) {
            (0, _) => u32::MAX,
            (_, Some(column)) => {
                reports += 1;
                column as u32
            }
            (_, None) => COLUMNS as u32,
        };
        demand("found", thread, found, expected)?;
    }
    demand("reports", 0, at(&section(launch, memory, "reports")?, 0)?, reports)
}

fn goto_spaghetti(launch: &Launch, thread: u32) -> Result<u32, String> {
    let mut state = thread.wrapping_mul(0x9e37_79b9).wrapping_add(12345);
    let mut block = thread & 1;
    let mut result = 0_u32;
    for _ in 0..parameter(launch, "steps")? {
        result = result.wrapping_mul(5).wrapping_add(block + 1);
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Where each block goes, by the generator's upper two bits.
        block = [[2, 3, 1, 1], [0, 1, 3, 3], [0, 0, 1, 1], [2, 2, 1, 1]][block as usize][(state >> 30) as usize];
    }
    Ok(result)
}
