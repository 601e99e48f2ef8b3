//! The judge of the store of masks (TD-10): equal masks of a warp once, each with its users, found in the time that the page states.

use super::super::barrier_blocks::{expect, size};
use super::super::bench::Counts;
use super::super::ports::Judge;
use super::mask_row::{MaskRow, Place};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;

pins! {
    struct Ports {
        clear_enable, clear_row, read_row, read_column, read_mask, store_valid, store_ready, store_row, store_mask, stored_valid,
        stored_column, stored_full, share_enable, drop_enable, user_row, user_column
    }
}

/// Users that a column may have.
const MOST_USERS: u64 = 255;

/// A mask that is being stored.
#[derive(Clone, Copy, Debug)]
struct Storing {
    row: usize,
    mask: u128,
    /// Cycles that it has taken, the one in which it was taken not counted.
    cycles: usize,
}

/// The rows of all warps; none until the row is cleared.
pub struct MaskTableJudge {
    ports: Ports,
    /// Columns of a row that hold masks: all but column 0.
    columns: usize,
    rows: Vec<Option<MaskRow>>,
    storing: Option<Storing>,
}

impl Judge for MaskTableJudge {
    const EXPECTED: &'static [&'static str] = &[
        "row cleared",
        "mask read",
        "nobody read",
        "nobody stored",
        "equal mask shared",
        "new column",
        "column used again",
        "full row",
        "share",
        "drop",
        "last user gone",
    ];
    /// The masks of a full row are looked at one by one.
    const EPISODE: usize = 8_000;

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (warps, depth) = (size(entry, "warps"), size(entry, "depth"));
        Self { ports: Ports::of(ports), columns: depth - 1, rows: vec![None; warps], storing: None }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { clear_enable, clear_row, store_valid, store_row, store_mask, .. } = self.ports;
        let Ports { share_enable, drop_enable, user_row, user_column, .. } = self.ports;
        let mask = pins.read(store_mask);
        // Most masks go to one row, or none would be full; and a row is cleared seldom.
        if mask & 7 != 0 {
            pins.write(store_row, 0);
        }
        let row = pins.read(store_row) as usize;
        let clears =
            [clear_enable, share_enable, drop_enable].iter().all(|pin| pins.read(*pin) == 1) && mask & 31 == 31;
        pins.write(clear_enable, u128::from(clears && self.storing.is_none()));
        match &self.rows[row] {
            // Contents are undefined until the row is cleared.
            None => {
                pins.write(store_valid, 0);
                pins.write(clear_enable, u128::from(self.storing.is_none()));
                pins.write(clear_row, row as u128);
            }
            // Masks repeat, and now and then it is that of nobody.
            Some(columns) => {
                let columns = columns.columns();
                let known = columns.get(mask as usize >> 3 & self.columns);
                if mask & 0x70 == 0 {
                    pins.write(store_mask, 0);
                } else if let (true, Some(column)) = (mask & 6 == 6, known) {
                    pins.write(store_mask, column.mask);
                }
                let stored = pins.read(store_mask);
                if columns.iter().any(|column| column.mask == stored && column.users >= MOST_USERS - 1) {
                    pins.write(store_valid, 0);
                }
            }
        }
        let user = pins.read(user_row) as usize;
        let column = (pins.read(user_column) as usize).checked_sub(1);
        let cleared = pins.read(clear_enable) == 1 && pins.read(clear_row) as usize == user;
        let users = match (&self.rows[user], column) {
            (Some(row), Some(column)) => row.columns().get(column).map_or(0, |column| column.users),
            _ => 0,
        };
        // Users of column 0 are not counted, so anybody may come and go there.
        let may = self.storing.is_none() && !cleared && (users > 0 || column.is_none());
        let shares = may && pins.read(share_enable) == 1 && users < MOST_USERS - 1;
        pins.write(share_enable, shares.into());
        pins.write(drop_enable, pins.read(drop_enable) & u128::from(may && !shares));
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |pin| pins.read(pin);
        let Ports { clear_enable, clear_row, read_row, read_column, read_mask, store_valid, store_ready, .. } =
            self.ports;
        let Ports { store_row, store_mask, stored_valid, stored_column, stored_full, .. } = self.ports;
        let Ports { share_enable, drop_enable, user_row, user_column, .. } = self.ports;
        expect("store_ready", read(store_ready) == 1, self.storing.is_none())?;
        match read(read_column) as usize {
            0 => {
                expect("the mask of column 0", read(read_mask), 0)?;
                counts.add("nobody read");
            }
            column => {
                let row = self.rows[read(read_row) as usize].as_ref();
                if let Some(column) =
                    row.and_then(|row| row.columns().get(column - 1)).filter(|column| column.users > 0)
                {
                    expect("read_mask", read(read_mask), column.mask)?;
                    counts.add("mask read");
                }
            }
        }
        let mut stored = false;
        if let Some(Storing { row, mask, cycles }) = self.storing {
            let columns = self.rows[row].as_mut().ok_or("a mask went to a row that was never cleared")?;
            let (place, looked) = columns.place(mask);
            stored = cycles == looked;
            if stored {
                columns.store(mask);
                expect("stored_full", read(stored_full) == 1, place == Place::Full)?;
                counts.add(match place {
                    Place::Nobody => "nobody stored",
                    Place::There(_) => "equal mask shared",
                    Place::Reused(_) => "column used again",
                    Place::New(_) => "new column",
                    Place::Full => "full row",
                });
                if let Some(column) = place.column() {
                    expect("stored_column", read(stored_column), column as u128)?;
                }
            }
            self.storing = (!stored).then_some(Storing { row, mask, cycles: cycles + 1 });
        } else if read(store_valid) == 1 {
            self.storing = Some(Storing { row: read(store_row) as usize, mask: read(store_mask), cycles: 0 });
        }
        expect("stored_valid", read(stored_valid) == 1, stored)?;
        if read(clear_enable) == 1 {
            counts.add("row cleared");
            self.rows[read(clear_row) as usize] = Some(MaskRow::new(self.columns));
        }
        let column = read(user_column) as usize;
        if let (Some(row), true) = (&mut self.rows[read(user_row) as usize], column > 0) {
            if read(share_enable) == 1 {
                counts.add("share");
                row.share_column(column);
            }
            if read(drop_enable) == 1 {
                counts.add(if row.drop_column(column) == 0 { "last user gone" } else { "drop" });
            }
        }
        Ok(())
    }
}
