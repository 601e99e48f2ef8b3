//! Results of kernels whose blocks a predicate table picks.

use super::checks::{at, demand, initial, section};
use crate::assembler::Launch;

/// Section `result` holds the five-point stencil of section `image` in the tiles whose flag is set in section `live`, and what it held before in
/// the others.
pub(super) fn stencil_sparse(launch: &Launch, memory: &[u8]) -> Result<(), String> {
    let table = launch.section("live").ok_or("there is no section `live`")?.address;
    let (image, before) = (initial(launch, "image")?, initial(launch, "result")?);
    let found = section(launch, memory, "result")?;
    let size: [u32; 3] = std::array::from_fn(|axis| launch.grid[axis] * launch.block[axis]);
    let point = |x: u32, y: u32, z: u32| ((z * size[1] + y) * size[0] + x) as usize;
    for (index, found) in found.into_iter().enumerate() {
        let number = index as u32;
        let (x, y, z) = (number % size[0], number / size[0] % size[1], number / size[0] / size[1]);
        let tile = [x / launch.block[0], y / launch.block[1], z / launch.block[2]];
        let expected = if launch.flag(&launch.global, table, tile) {
            let here = at(&image, index)?;
            let (last_x, last_y) = (size[0] - 1, size[1] - 1);
            let neighbours = [
                (x.saturating_sub(1), y),
                ((x + 1).min(last_x), y),
                (x, y.saturating_sub(1)),
                (x, (y + 1).min(last_y)),
            ];
            let mut value = here.wrapping_mul(4);
            for (x, y) in neighbours {
                value = value.wrapping_sub(at(&image, point(x, y, z))?);
            }
            value
        } else {
            at(&before, index)?
        };
        demand("result", index, found, expected)?;
    }
    Ok(())
}
