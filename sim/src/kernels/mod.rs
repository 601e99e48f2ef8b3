//! The kernels that ship (SM-20, SM-21).

pub mod checks;

/// A kernel that ships.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its file, as messages name it.
    pub file_name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Every kernel that ships, in the order of `cargo sim kernels`.
pub const ALL: &[Shipped] = &[];

/// The kernel of a name.
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|kernel| kernel.name == name)
}
