//! A warp that is saved leaves leaf by leaf and node by node, in the stated cycles (CX-09).

use super::table::*;
use heddle_hdl::divergence::token::Kind;

/// A leaf or a node that leaves: kind, threads, address.
fn shape(token: &Saved) -> (u128, u128, u128) {
    (token.kind, token.mask, token.address)
}

/// CX-09: leaves go in the order of their turns; a node goes with the last leaf below it, a cycle each, and those who have arrived do not go
/// on; who sleeps stays until the warp itself leaves, which is no halt.
#[test]
fn cx_09_a_warp_leaves_node_by_node() {
    for (point, all) in [("1x8x16", 0xff), ("4x32x64", 0xff)] {
        let mut table = Table::new(point);
        table.launch(0, all, 10);
        for request in [
            push(Kind::Break, 70),
            push(Kind::Sync, 40),
            branch(0x0f, 30),
            leave(Kind::Sync, 0x03, 40),
            sleep(0x80),
            yielding(0x04),
        ] {
            assert_eq!(table.issue(0, request), 0, "{request:?}");
        }
        assert_eq!(table.state(0), (32, 0x08));
        assert_eq!(table.disabled(0, Kind::Barrier), 0x80);
        let leaf = Kind::Divergence.code().into();
        let (sync, brk) = (Kind::Sync.code().into(), Kind::Break.code().into());

        // Another leaf is still below the region: one look at its node.
        assert_eq!(table.issue(0, withdraw()), 1, "{point}");
        assert_eq!(table.saved.iter().map(shape).collect::<Vec<_>>(), [(leaf, 0x08, 32)]);
        // The last one takes both regions with it.
        assert_eq!(table.state(0), (14, 0x70));
        assert_eq!(table.issue(0, withdraw()), 3, "{point}");
        let saved = std::mem::take(&mut table.saved);
        assert_eq!(
            saved.iter().map(shape).collect::<Vec<_>>()[1..],
            [(leaf, 0x70, 14), (sync, 0x03, 40), (brk, 0, 70)]
        );
        let [first, second, inner, outer] = saved[..] else { panic!("{saved:?}") };
        assert_eq!((first.node, second.node, outer.above), (0, 0, 0));
        assert_eq!((first.above, second.above, inner.above), (inner.node, inner.node, outer.node));
        assert_ne!(inner.node, outer.node);
        let waiting = [Kind::Sync, Kind::Break, Kind::Divergence].map(|kind| table.disabled(0, kind));
        assert_eq!(waiting, [0; 3], "who has left waits for nothing");
        // A tree that is a leaf alone leaves at once.
        assert_eq!(table.issue(0, withdraw()), 0, "{point}");
        assert_eq!(table.saved.iter().map(shape).collect::<Vec<_>>(), [(leaf, 0x04, 32)]);
        assert_eq!((table.ready(0), table.running(0)), (false, true), "one thread sleeps");
        assert_eq!(table.issue(0, withdraw()), 1, "{point}");
        assert_eq!((table.left.clone(), table.done.clone(), table.running(0)), (vec![0], vec![], false));
        // Regions that were saved are not told as discarded.
        assert_eq!((table.counts.closed, table.counts.discarded), (2, 0));
        table.launch(0, all, 90);
        assert_eq!(table.state(0), (90, all));
    }
}

/// CX-09, TD-09: leaves and nodes that lie in memory leave, too, each once.
#[test]
fn cx_09_what_lies_in_memory_leaves_too() {
    let mut table = Table::new("1x8x8");
    table.launch(0, 0xff, 10);
    for level in 0..9 {
        table.offer(0, push(Kind::Sync, 100 + level));
        table.settle(0);
    }
    for thread in 1..8 {
        table.offer(0, branch(0xff << thread & 0xff, 30 + thread));
        table.settle(0);
    }
    assert!(table.counts.spilled > 0, "the table is too small for that");
    for _ in 0..40 {
        if table.left.is_empty() {
            table.offer(0, withdraw());
            table.settle(0);
        }
    }
    assert_eq!(table.left, [0]);
    let leaf = u128::from(Kind::Divergence.code());
    let threads = |leaves: bool| {
        table
            .saved
            .iter()
            .filter(move |token| (token.kind == leaf) == leaves)
            .map(|token| token.mask)
            .collect::<Vec<_>>()
    };
    let mut masks = threads(true);
    masks.sort_unstable();
    assert_eq!(masks.iter().fold(0, |all, mask| all | mask), 0xff);
    assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), 8, "no thread leaves twice: {masks:x?}");
    assert_eq!(threads(false), [0; 9], "every region leaves once");
}
