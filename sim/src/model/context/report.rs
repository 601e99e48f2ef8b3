//! What happened in a random run of a context sequencer.

/// How a random run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Clock cycles.
    pub cycles: u64,
    /// Launches and resumes.
    pub launches: u64,
    /// Resumes of suspended groups.
    pub resumes: u64,
    /// Saves that succeeded, and that failed for want of memory.
    pub saves: u64,
    /// Saves that failed.
    pub failures: u64,
    /// Saves that copied nothing, for everybody was re-mapped already.
    pub second_saves: u64,
    /// Words copied.
    pub words: u64,
    /// Accesses carried out, those of them in global memory, and those refused as errors.
    pub accesses: u64,
    /// In global memory.
    pub remapped: u64,
    /// Errors.
    pub errors: u64,
    /// Frees.
    pub frees: u64,
    /// Blocks of memory given back.
    pub given_back: u64,
    /// Groups that were suspended.
    pub suspensions: u64,
    /// Cycles in which an access was refused, for its group was stopped.
    pub refusals: u64,
    /// Launches and resumes that made no sense.
    pub senseless: u64,
    /// Cycles in which a launch or resume had to wait.
    pub launch_waits: u64,
    /// Groups without words that were saved.
    pub empty: u64,
    /// Cycles in which reads, writes, allocations, or blocks given back were offered and not taken.
    pub held: [u64; 4],
    /// Cycles in which a word came that was not taken.
    pub words_held: u64,
    /// Rows that were seen re-mapped.
    pub remapped_rows: u64,
}

impl Report {
    /// What happened, by name.
    pub fn events(&self) -> Vec<(&'static str, u64)> {
        let [reads, writes, allocations, frees] = self.held;
        vec![
            ("launches and resumes", self.launches),
            ("resumes", self.resumes),
            ("suspensions", self.suspensions),
            ("senseless launches", self.senseless),
            ("launches that waited", self.launch_waits),
            ("saves", self.saves),
            ("failed allocations", self.failures),
            ("second saves", self.second_saves),
            ("groups without words", self.empty),
            ("words copied", self.words),
            ("frees", self.frees),
            ("blocks given back", self.given_back),
            ("accesses", self.accesses),
            ("accesses in global memory", self.remapped),
            ("access errors", self.errors),
            ("refused accesses", self.refusals),
            ("reads held", reads),
            ("writes held", writes),
            ("words held", self.words_held),
            ("allocations held", allocations),
            ("frees held", frees),
            ("rows seen re-mapped", self.remapped_rows),
        ]
    }
}

/// The names of [`Report::events`]: each happens in every run of some length.
pub const EVENTS: &[&str] = &[
    "launches and resumes",
    "resumes",
    "suspensions",
    "senseless launches",
    "launches that waited",
    "saves",
    "failed allocations",
    "second saves",
    "groups without words",
    "words copied",
    "frees",
    "blocks given back",
    "accesses",
    "accesses in global memory",
    "access errors",
    "refused accesses",
    "reads held",
    "writes held",
    "words held",
    "allocations held",
    "frees held",
    "rows seen re-mapped",
];
