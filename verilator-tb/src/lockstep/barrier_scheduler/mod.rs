//! The barrier scheduler in lockstep: random programs of many CTAs, the Rust kernels and the export compared on every port, the
//! reference automaton following every step, the contract watching the whole (BR-01..BR-51, XV-02).

pub mod follow;
