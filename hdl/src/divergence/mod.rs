//! The double-ended token queue and the unit that runs control instructions on it (US 9,459,876).

pub mod recenter_engine;
pub mod token;
