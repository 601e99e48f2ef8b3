//! The parameter points: one list that export, lint, lockstep, proofs, synthesis and docs all read.
