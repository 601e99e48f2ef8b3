//! Lockstep: the same stimulus into the Rust kernels and the Verilated export, every port compared in every cycle (XV-02).

pub mod pair;
