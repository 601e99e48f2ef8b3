//! Making a failing episode small: operations are removed, in halves and then in ever smaller pieces, as long as it still fails.

/// Removes from `operations` what is not needed for `fails` to say yes, calling it at most `budget` times.
///
/// `fails` has said yes to the whole; a removal that it says yes to is kept.
pub fn shrink<T: Clone>(operations: Vec<T>, mut budget: usize, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = operations;
    let mut piece = kept.len().div_ceil(2);
    while piece > 0 && budget > 0 {
        let mut start = 0;
        let mut removed = false;
        while start < kept.len() && budget > 0 {
            let end = (start + piece).min(kept.len());
            let candidate = [&kept[..start], &kept[end..]].concat();
            budget -= 1;
            if fails(&candidate) {
                kept = candidate;
                removed = true;
            } else {
                start = end;
            }
        }
        if !removed || piece > 1 {
            piece = if piece == 1 { 0 } else { piece.div_ceil(2).min(piece - 1) };
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-02: a failure that needs two operations far apart shrinks to just these two.
    #[test]
    fn xv_02_shrinks_to_what_is_needed() {
        let needs_both = |operations: &[u32]| operations.contains(&17) && operations.contains(&803);
        assert_eq!(shrink((0..1000).collect(), 1000, needs_both), [17, 803]);
    }

    /// XV-02: the budget bounds the number of runs, and what is left still fails.
    #[test]
    fn xv_02_shrinking_stops_at_its_budget() {
        let mut runs = 0;
        let kept = shrink((0..100).collect(), 7, |operations: &[u32]| {
            runs += 1;
            operations.contains(&99)
        });
        assert_eq!(runs, 7);
        assert!(kept.contains(&99));
    }
}
