//! Reference models in plain Rust, written from the requirements and not from the hardware (XV-01).
//!
//! | model | stands for |
//! | --- | --- |
//! | [`token_deque`] | `token_deque`, without bounds |
//! | [`token_deque_contract`] | what any `token_deque` owes, judged from the outside |
//! | [`capacity`] | when a bounded queue may and must give up |
//! | [`windowed_deque`] | `token_deque` with window, spill area and exceptions |
//! | [`exception_driver`] | the software that serves those exceptions (DQ-13) |
//! | [`barrier`] | `barrier_scheduler` and its parts, their contract, and random traffic |
//! | [`context`] | `context_sequencer` and its parts, the allocator beside it, its contract, random traffic |
//! | [`work_distributor`] | `work_distributor`: what a grid comes to, a walker, its contract, random traffic |
//! | [`tree`] | `tree_divergence_table`, its contract, and trees that span warps |
//! | [`divergence_warp`], [`divergence_unit`] | `divergence_unit`: one warp, and all of them behind [`crate::engine::Engine`] |

pub mod barrier;
pub mod capacity;
pub mod context;
pub mod divergence_unit;
pub mod divergence_warp;
pub mod exception_driver;
pub mod token_deque;
pub mod token_deque_contract;
pub mod tree;
pub mod windowed_deque;
pub mod work_distributor;

#[cfg(test)]
mod divergence_rules_tests;
#[cfg(test)]
mod divergence_sleep_tests;

pub use divergence_unit::{DequeModel, DivergenceUnit};
pub use token_deque::{Token, TokenDeque};
