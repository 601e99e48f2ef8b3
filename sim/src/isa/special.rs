//! Registers that tell a thread who and where it is.

/// Registers that tell a thread who and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Special {
    /// Thread within its warp.
    Lane = 0,
    /// Warp within its CTA.
    Warp = 1,
    /// Thread within its CTA, along x.
    ThreadX = 2,
    /// Thread within its CTA, along y.
    ThreadY = 3,
    /// Thread within its CTA, along z.
    ThreadZ = 4,
    /// CTA within the grid, along x.
    CtaX = 5,
    /// CTA within the grid, along y.
    CtaY = 6,
    /// CTA within the grid, along z.
    CtaZ = 7,
    /// Rank of the thread within its CTA, x fastest: the order of ordered sections.
    Logical = 8,
    /// Threads of a CTA along x.
    BlockX = 9,
    /// Threads of a CTA along y.
    BlockY = 10,
    /// Threads of a CTA along z.
    BlockZ = 11,
    /// CTAs of the grid along x.
    GridX = 12,
    /// CTAs of the grid along y.
    GridY = 13,
    /// CTAs of the grid along z.
    GridZ = 14,
    /// CTA within the grid, x fastest.
    Cta = 15,
    /// Threads of a CTA.
    Block = 16,
}

impl Special {
    /// Every special register, in the order of its number, with its name in the assembler.
    pub const ALL: [(Special, &'static str); 17] = [
        (Special::Lane, "%lane"),
        (Special::Warp, "%warp"),
        (Special::ThreadX, "%thread_x"),
        (Special::ThreadY, "%thread_y"),
        (Special::ThreadZ, "%thread_z"),
        (Special::CtaX, "%cta_x"),
        (Special::CtaY, "%cta_y"),
        (Special::CtaZ, "%cta_z"),
        (Special::Logical, "%logical"),
        (Special::BlockX, "%block_x"),
        (Special::BlockY, "%block_y"),
        (Special::BlockZ, "%block_z"),
        (Special::GridX, "%grid_x"),
        (Special::GridY, "%grid_y"),
        (Special::GridZ, "%grid_z"),
        (Special::Cta, "%cta"),
        (Special::Block, "%block"),
    ];

    /// The special register of a number.
    pub fn from_number(number: u32) -> Option<Special> {
        Special::ALL.get(number as usize).map(|(special, _)| *special)
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Special::Lane => "thread within its warp",
            Special::Warp => "warp within its CTA",
            Special::ThreadX => "thread within its CTA, along x",
            Special::ThreadY => "thread within its CTA, along y",
            Special::ThreadZ => "thread within its CTA, along z",
            Special::CtaX => "CTA within the grid, along x",
            Special::CtaY => "CTA within the grid, along y",
            Special::CtaZ => "CTA within the grid, along z",
            Special::Logical => "rank of the thread within its CTA, x fastest: the order of ordered sections",
            Special::BlockX => "threads of a CTA along x",
            Special::BlockY => "threads of a CTA along y",
            Special::BlockZ => "threads of a CTA along z",
            Special::GridX => "CTAs of the grid along x",
            Special::GridY => "CTAs of the grid along y",
            Special::GridZ => "CTAs of the grid along z",
            Special::Cta => "CTA within the grid, x fastest",
            Special::Block => "threads of a CTA",
        }
    }
}
