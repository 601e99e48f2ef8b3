//! A predicate table as a picture: what `--predicate` reads (WD-01, WD-05).
//!
//! A line is a row of blocks along x, a character a block: `1` or `#` launches it, `0` or `.` does not. The rows of a plane follow each other
//! along y; an empty line begins the next plane along z. What follows `//` is a comment.

use std::path::Path;

use super::error::CliError;
use super::files::read_text;
use super::load::Loaded;
use crate::assembler::table_bytes;
use crate::launch::WORD_FLAGS;

const HINT: &str = "a line is a row of blocks, a character a block: 1 or # launches it, 0 or . does not; an empty line begins the next plane";

/// Puts the flags of a file into the kernel's predicate table. A kernel without one gets one behind its sections; what memory must hold at
/// the end is then unknown, for its file tells what all blocks leave.
pub fn load(path: &Path, loaded: &mut Loaded) -> Result<(), CliError> {
    let flags = parse(path, &read_text(path, "predicate table")?, loaded.launch.grid)?;
    let launch = &mut loaded.launch;
    let own = loaded.kernel.predicate.as_ref().and_then(|table| launch.section(&table.section));
    let start = match own {
        Some(section) => section.address as usize,
        None => {
            loaded.kernel.expectations.clear();
            let start = launch.global.len().next_multiple_of(WORD_FLAGS as usize / 8);
            launch.global.resize(start + flags.len(), 0);
            start
        }
    };
    launch.global[start..start + flags.len()].copy_from_slice(&flags);
    launch.predicate = Some(start as u32);
    loaded.as_shipped = false;
    Ok(())
}

/// The table's bytes.
fn parse(path: &Path, text: &str, grid: [u32; 3]) -> Result<Vec<u8>, CliError> {
    let name = path.display();
    let wrong = |line: usize, cause: String| CliError::input(format!("{name}:{line}: {cause}"), HINT);
    let [width, height, depth] = grid.map(|size| size as usize);
    let row_bytes = table_bytes([grid[0], 1, 1]);
    let mut table = vec![0; table_bytes(grid)];
    // Rows of the present plane, whole planes, number of the last row's line.
    let (mut rows, mut planes, mut last) = (0, 0, 0);
    for (number, text) in (1..).zip(text.lines()) {
        let line = text.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            // A line with nothing but a comment ends no plane.
            if rows > 0 && text.trim().is_empty() {
                check_plane(rows, height).map_err(|cause| wrong(number, cause))?;
                (rows, planes) = (0, planes + 1);
            }
            continue;
        }
        last = number;
        if line.chars().count() != width {
            return Err(wrong(
                number,
                format!("a row of {} blocks, but the grid has {width} along x", line.chars().count()),
            ));
        }
        if rows == height || planes == depth {
            return Err(wrong(
                number,
                format!("more rows than the grid, which has {height} along y and {depth} planes along z"),
            ));
        }
        for (x, flag) in line.chars().enumerate() {
            match flag {
                '1' | '#' => table[(planes * height + rows) * row_bytes + x / 8] |= 1 << (x % 8),
                '0' | '.' => {}
                other => return Err(wrong(number, format!("`{other}` in column {} is no flag", x + 1))),
            }
        }
        rows += 1;
    }
    if rows > 0 {
        check_plane(rows, height).map_err(|cause| wrong(last, cause))?;
        planes += 1;
    }
    if planes < depth {
        return Err(wrong(last, format!("{planes} planes, but the grid has {depth} along z")));
    }
    Ok(table)
}

fn check_plane(rows: usize, height: usize) -> Result<(), String> {
    match rows == height {
        true => Ok(()),
        false => Err(format!("a plane of {rows} rows, but the grid has {height} along y")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, grid: [u32; 3]) -> Result<Vec<u8>, String> {
        parse(Path::new("tiles.txt"), text, grid).map_err(|error| match error {
            CliError::Input(report) => report.to_string(),
            _ => panic!("bad input is bad input"),
        })
    }

    /// WD-05: lowest x in bit 0, a row of x begins a word of 64 flags, planes follow each other.
    #[test]
    fn wd_05_a_picture_becomes_words() {
        let text = "// two planes\n1.#\n0#0\n\n...\n..1   // the last block\n";
        let table = read(text, [3, 2, 2]).expect("a table");
        let words: Vec<u64> =
            table.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect();
        assert_eq!(words, [0b101, 0b010, 0, 0b100]);
        let wide = read(&format!("{}1\n", "0".repeat(64)), [65, 1, 1]).expect("a table");
        assert_eq!((wide.len(), wide[8]), (16, 1));
    }

    /// UX-08: each mistake names file, line and what is wrong.
    #[test]
    fn mistakes_are_named() {
        for (text, what) in [
            ("11\n", "tiles.txt:1: a row of 2 blocks, but the grid has 3 along x"),
            ("111\n1x1\n", "tiles.txt:2: `x` in column 2"),
            ("111\n", "tiles.txt:1: a plane of 1 rows, but the grid has 2 along y"),
            ("111\n111\n111\n", "tiles.txt:3: more rows than the grid"),
            ("111\n111\n", "1 planes, but the grid has 2 along z"),
            ("111\n\n111\n", "tiles.txt:2: a plane of 1 rows, but the grid has 2 along y"),
            ("", "0 planes"),
        ] {
            let message = read(text, [3, 2, 2]).expect_err(text);
            assert!(message.contains(what), "{text:?}: {message}");
        }
    }
}
