//! The known word nearest to one that a person typed.

/// The candidate most like `word`, if one is alike enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let alike = |candidate: &str| strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (alike(candidate), candidate))
        .filter(|(alike, _)| *alike > 0.7)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-03: a slip of the finger finds its word, noise finds none.
    #[test]
    fn nearest_word() {
        assert_eq!(nearest("spin_lokc", ["spin_lock", "ticket_lock", "bfs"]), Some("spin_lock"));
        assert_eq!(nearest("qqqq", ["spin_lock", "bfs"]), None);
    }
}
