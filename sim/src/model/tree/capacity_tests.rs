//! A table that is full (TD-09).

use super::rules::Outcome;
use super::structure::Picture;
use super::table::{Limits, Table};
use crate::engine::{Cause, Configuration, Events, Kind, Mask, Operation, Request};

const RULES: Configuration = Configuration {
    warps: 1,
    threads: 8,
    depth: 8,
    tree: true,
    path_policy: crate::engine::PathPolicy::Taken,
    yield_policy: crate::engine::YieldPolicy::Always,
    yield_parameter: 0,
    yield_seed: 1,
    stack_mode: false,
    software_handler: false,
    spill_limit: 8,
    memory_latency: 1,
};

fn table(nodes: usize, deferred: usize, exchange_interval: u8) -> Table {
    Table::launch(0, 0xff, 10, Some(Limits { nodes, deferred, exchange_interval }))
}

fn issue(table: &mut Table, operation: Operation, kind: Option<Kind>, mask: Mask, target: u32) -> (Outcome, Events) {
    let mut events = Events::default();
    let request = Request { warp: 0, operation, kind, mask, target, targeted: true, again: false };
    let outcome = table.execute(&request, &RULES, &mut events);
    Picture::from(&*table).check().unwrap_or_else(|breach| panic!("{breach}"));
    (outcome, events)
}

fn step(table: &mut Table) -> Events {
    issue(table, Operation::Step, None, 0xff, 0).1
}

/// TD-09: a leaf that finds no node goes to memory and comes back into the first node that is freed.
#[test]
fn td_09_leaves_wait_in_memory_for_a_node() {
    let mut table = table(1, 8, 200);
    let (_, events) = issue(&mut table, Operation::Branch, None, 0x0f, 30);
    assert_eq!(events.exceptions, [(Cause::Spill, 0)]);
    assert_eq!(table.deferred().map(|leaf| leaf.threads).collect::<Vec<_>>(), [0xf0]);
    let (_, events) = issue(&mut table, Operation::Exit, None, 0xff, 0);
    assert_eq!(events.exceptions, [(Cause::Refill, 0)]);
    assert_eq!(table.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0xf0, 11)));
}

/// TD-09: every N instructions a deferred leaf is exchanged with one of the table, so that each of them runs again.
#[test]
fn td_09_deferred_leaves_are_exchanged() {
    let mut table = table(1, 8, 8);
    for thread in 0..3 {
        issue(&mut table, Operation::Branch, None, 0xff & !(1 << thread), 100);
    }
    let mut ran: Vec<Mask> = Vec::new();
    for _ in 0..4 * 8 {
        ran.extend(table.selected().map(|leaf| leaf.threads));
        step(&mut table);
    }
    for threads in [0x01, 0x02, 0x04, 0xf8] {
        assert!(ran.contains(&threads), "{threads:#x} never ran: {ran:x?}");
    }
}

/// TD-09: a deferred leaf keeps its place: its region waits for it.
#[test]
fn td_09_regions_wait_for_deferred_leaves() {
    let mut table = table(2, 8, 200);
    issue(&mut table, Operation::Push, Some(Kind::Sync), 0xff, 40);
    issue(&mut table, Operation::Branch, None, 0x0f, 30);
    issue(&mut table, Operation::Leave, Some(Kind::Sync), 0xff, 40);
    assert_eq!(table.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0xf0, 12)));
    issue(&mut table, Operation::Leave, Some(Kind::Sync), 0xff, 40);
    assert_eq!(table.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0xff, 40)));
}

/// TD-09: with other leaves in the table, a region's child waits in memory.
#[test]
fn td_09_a_push_puts_its_child_away() {
    let mut table = table(2, 8, 200);
    issue(&mut table, Operation::Branch, None, 0x0f, 30);
    let (_, events) = issue(&mut table, Operation::Push, Some(Kind::Sync), 0xff, 60);
    assert_eq!(events.exceptions, [(Cause::Spill, 0)]);
    assert_eq!(table.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0xf0, 11)));
    issue(&mut table, Operation::Exit, None, 0xff, 0);
    assert_eq!(table.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0x0f, 31)));
}

/// TD-09: regions that find no node wait in memory, and resume from there; a call returns through all of them.
#[test]
fn td_09_a_nest_deeper_than_the_table() {
    let mut nest = table(1, 20, 200);
    for depth in 0..20 {
        issue(&mut nest, Operation::Push, Some(Kind::Call), 0xff, 100 + depth);
    }
    issue(&mut nest, Operation::Branch, None, 0x0f, 30);
    assert_eq!((nest.nodes().filter(|(_, node)| !node.in_memory).count(), nest.deferred().count()), (1, 1));
    for depth in (0..20).rev() {
        for _ in 0..if depth == 19 { 2 } else { 1 } {
            issue(&mut nest, Operation::Leave, Some(Kind::Call), 0xff, 100 + depth);
        }
        assert_eq!(nest.selected().map(|leaf| (leaf.threads, leaf.address)), Some((0xff, 100 + depth)));
    }
}

/// TD-09: memory that is full stops the warp before the instruction: nothing has changed.
#[test]
fn td_09_no_room_at_all_stops_precisely() {
    let mut nest = table(2, 3, 200);
    for depth in 0..4 {
        assert_eq!(issue(&mut nest, Operation::Push, Some(Kind::Sync), 0xff, 40 + depth).0, Outcome::Running);
    }
    // The same region again needs no node.
    assert_eq!(issue(&mut nest, Operation::Push, Some(Kind::Sync), 0xff, 43).0, Outcome::Running);
    let mut crowd = table(1, 1, 200);
    issue(&mut crowd, Operation::Branch, None, 0x0f, 30);
    for (table, operation) in [(&mut nest, Operation::Push), (&mut crowd, Operation::Branch)] {
        let before = Picture::from(&*table);
        let (outcome, events) = issue(table, operation, Some(Kind::Sync), 0x03, 50);
        assert_eq!((outcome, events), (Outcome::Stopped(Cause::Fatal), Events::default()));
        assert_eq!(Picture::from(&*table), before);
    }
}
