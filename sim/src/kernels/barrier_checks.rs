//! Expected results of the kernels with barriers (SM-22), thread by thread and CTA by CTA.

use super::checks::{at, demand, initial, parameter, section};
use crate::assembler::Launch;

/// Ranks of the threads of a CTA, as numbers in the grid.
fn threads_of(launch: &Launch, cta: u32) -> std::ops::Range<usize> {
    let block = launch.block_threads() as usize;
    let first = cta as usize * block;
    first..first + block
}

/// CTA and rank of a thread.
fn place(launch: &Launch, thread: u32) -> (u32, u32) {
    (thread / launch.block_threads(), thread % launch.block_threads())
}

/// Values below the bound, by CTA, in the order of their threads.
pub fn compaction(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (values, bound) = (initial(launch, "value")?, parameter(launch, "bound")?);
    let (kept, counts) = (section(launch, memory, "kept")?, section(launch, memory, "count")?);
    for cta in 0..launch.ctas() {
        let threads = threads_of(launch, cta);
        let mut expected: Vec<u32> = values[threads.clone()].iter().copied().filter(|value| *value < bound).collect();
        demand("count", cta as usize, at(&counts, cta as usize)?, expected.len() as u32)?;
        expected.resize(threads.len(), u32::MAX);
        for (thread, expected) in threads.zip(expected) {
            demand("kept", thread, at(&kept, thread)?, expected)?;
        }
    }
    Ok(())
}

/// Eight bins a CTA; and every thread has gone on.
pub fn histogram(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    const BINS: usize = 8;
    let values = initial(launch, "value")?;
    let (bins, result) = (section(launch, memory, "bin")?, section(launch, memory, "result")?);
    for cta in 0..launch.ctas() {
        for bin in 0..BINS {
            let expected = values[threads_of(launch, cta)].iter().filter(|value| **value as usize == bin).count();
            let index = cta as usize * BINS + bin;
            demand("bin", index, at(&bins, index)?, expected as u32)?;
        }
    }
    (0_u32..).zip(result).try_for_each(|(thread, found)| demand("result", thread as usize, found, thread + 1))
}

/// Even ranks have the value of the next even rank, odd ones their own.
pub fn half_barrier(launch: &Launch, thread: u32) -> Result<u32, String> {
    let block = launch.block_threads();
    let (cta, rank) = place(launch, thread);
    let next = if rank + 2 < block { rank + 2 } else { 0 };
    let rank = if rank % 2 == 0 { next } else { rank };
    Ok((cta * block + rank) * 3 + block.div_ceil(2))
}

/// The size of the thread's side, and the sum of both sides' squares.
pub fn divergent_barrier(launch: &Launch, thread: u32) -> Result<u32, String> {
    let block = launch.block_threads();
    let (odd, even) = (block / 2, block.div_ceil(2));
    let own = if place(launch, thread).1 % 2 == 1 { odd } else { even };
    Ok(own * 1000 + odd * odd + even * even)
}

/// Prefix sums.
pub fn block_scan(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (values, sums) = (initial(launch, "value")?, section(launch, memory, "sum")?);
    for cta in 0..launch.ctas() {
        let mut sum = 0_u32;
        for thread in threads_of(launch, cta) {
            sum = sum.wrapping_add(at(&values, thread)?);
            demand("sum", thread, at(&sums, thread)?, sum)?;
        }
    }
    Ok(())
}

/// Every thread had one turn in its CTA's section, alone: the numbers are those from 0 on, a thousand more for each other thread that
/// was inside.
pub fn late_turns(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let skipped = section(launch, memory, "skipped")?;
    if let Some(thread) = skipped.iter().position(|skipped| *skipped != 0) {
        return Err(format!("thread {thread} was never inside"));
    }
    late_skips(launch, memory)
}

/// Every thread had one turn in its CTA's section, alone, or skipped it; half of the CTA had one at least.
pub fn late_skips(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (order, skipped) = (section(launch, memory, "order")?, section(launch, memory, "skipped")?);
    for cta in 0..launch.ctas() {
        let mut turns = Vec::new();
        for thread in threads_of(launch, cta) {
            match (at(&skipped, thread)?, at(&order, thread)?) {
                (0, u32::MAX) => return Err(format!("thread {thread} neither had a turn nor skipped")),
                (0, turn) => turns.push(turn),
                (_, u32::MAX) => {}
                (_, turn) => return Err(format!("thread {thread} skipped and had turn {turn}")),
            }
        }
        turns.sort_unstable();
        let least = launch.block_threads().div_ceil(2) as usize;
        if !turns.iter().copied().eq(0..turns.len() as u32) || turns.len() < least {
            return Err(format!("the turns of CTA {cta} are {turns:?}"));
        }
    }
    Ok(())
}

/// Every thread has gone on, and saw itself arrive.
pub fn impatient(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let (result, seen) = (section(launch, memory, "result")?, section(launch, memory, "seen")?);
    for (thread, (result, seen)) in result.into_iter().zip(seen).enumerate() {
        demand("result", thread, result, thread as u32)?;
        if !(1..=launch.block_threads()).contains(&seen) {
            return Err(format!("thread {thread} went on when {seen} threads had arrived"));
        }
    }
    Ok(())
}

/// What the copy engine of the thread's CTA wrote, phase by phase.
pub fn split_phases(launch: &Launch, thread: u32) -> Result<u32, String> {
    let cta = place(launch, thread).0;
    let steps = parameter(launch, "steps")?;
    Ok((0..steps).fold(0_u32, |sum, step| sum.wrapping_mul(3).wrapping_add(step * 5 + cta + 1)))
}

/// Every third rank leaves, the others count each other.
pub fn early_leavers(launch: &Launch, thread: u32) -> Result<u32, String> {
    let block = launch.block_threads();
    let stay = block - block.div_ceil(3);
    Ok(if place(launch, thread).1.is_multiple_of(3) { u32::MAX } else { stay })
}

/// Every thread came to the last round, and the thread that it looked at had come to every one before it went on.
pub fn ring(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let rounds = parameter(launch, "rounds")?.max(1);
    for (thread, found) in section(launch, memory, "progress")?.into_iter().enumerate() {
        demand("progress", thread, found, rounds)?;
    }
    section(launch, memory, "early")?
        .into_iter()
        .enumerate()
        .try_for_each(|(thread, found)| demand("early", thread, found, 0))
}

/// A weighted sum of words of each tile, at places that a generator draws.
pub fn gather(launch: &Launch, thread: u32) -> Result<u32, String> {
    const TILE: usize = 256;
    const LOOKS: u32 = 12;
    let table = initial(launch, "table")?;
    let (mut state, mut sum) = (thread, 0_u32);
    for tile in 0..parameter(launch, "tiles")? as usize {
        for _ in 0..LOOKS {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            sum = sum.wrapping_mul(3).wrapping_add(at(&table, tile * TILE + (state >> 24) as usize)?);
        }
    }
    Ok(sum)
}
