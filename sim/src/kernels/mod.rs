//! The kernels that ship (SM-20 to SM-24): their files, and the checks of their results.

mod barrier_checks;
pub mod checks;
mod launch_checks;
mod workload_checks;

/// A kernel that ships.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its file, as messages name it.
    pub file_name: &'static str,
    /// Its text; `.kernel` in it says in a line what it shows.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        &[$(Shipped {
            name: $name,
            file_name: concat!("sim/kernels/", $name, ".s"),
            text: include_str!(concat!("../../kernels/", $name, ".s")),
        }),+]
    };
}

/// Every kernel that ships, in the order of `cargo sim kernels`.
pub const ALL: &[Shipped] = shipped![
    "spin_lock",
    "spin_lock_inside",
    "spin_lock_plain",
    "producer_consumer",
    "reader_writer_lock",
    "ticket_lock",
    "hash_table_insert",
    "nested_if",
    "loops",
    "switch",
    "fibonacci",
    "quicksort",
    "virtual_calls",
    "early_exit",
    "goto_spaghetti",
    "compaction",
    "histogram",
    "exclusive_counter",
    "half_barrier",
    "gather",
    "divergent_barrier",
    "block_scan",
    "late_wait",
    "late_join",
    "late_skip",
    "late_pass",
    "late_count",
    "split_phases",
    "barrier_reset",
    "early_leavers",
    "interleaved_ctas",
    "adjacent_ids",
    "leaving_warp",
    "eager_warp",
    "stencil_sparse",
    "bfs",
    "spmv",
    "mandelbrot",
    "bitonic_sort",
    "queens",
    "nbody",
    "prefix_sum",
];

/// The kernel of a name.
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|kernel| kernel.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembler::{assemble, Overrides};

    /// SM-09, SM-20, SM-21: every shipped file assembles, names itself, says what it shows and what it expects.
    #[test]
    fn every_kernel_assembles() {
        for shipped in ALL {
            let kernel = assemble(shipped.text, shipped.file_name)
                .unwrap_or_else(|errors| panic!("{:?}", miette::Report::new(errors)));
            assert_eq!(kernel.name, shipped.name);
            assert!(!kernel.summary.is_empty(), "{} says nothing", shipped.name);
            assert!(!kernel.expectations.is_empty(), "{} expects nothing", shipped.name);
            assert!(shipped.text.starts_with("//"), "{} has no header", shipped.name);
            kernel.launch(&Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// SM-09: memory as it is before the run passes no kernel's expectations, so a kernel that does nothing fails.
    #[test]
    fn untouched_memory_fails_every_kernel() {
        for shipped in ALL {
            let kernel = assemble(shipped.text, shipped.file_name).expect("assembles");
            let launch = kernel.launch(&Overrides::default()).expect("launches");
            assert!(!kernel.check(&launch, &launch.global).is_empty(), "{} passes without running", shipped.name);
        }
    }
}
