//! The tests of machine, kernels and control core through their public faces: one program, so that what they share is compiled and linked once.

mod barriers;
mod control_core;
mod core_kernels;
mod core_oracle;
mod doors;
mod isa_docs;
mod kernel_docs;
mod kernels;
mod launch;
mod machine;
mod models;
mod oracle_door;
mod programs_on_rtl;
mod rtl_engine;
mod support;
mod suspended_barriers;
mod suspending_core;
mod suspension;
mod traces;
mod watchdog;
