//! The mask table of a group of warps at its ports: cycle counts, and random users against a plain list of masks.

use heddle_hdl::points;
use heddle_hdl::simulation::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Masks(Box<dyn Simulation>);

impl Masks {
    fn new(point: &str, rows: u128) -> Self {
        let mut masks = Masks((points::find("mask_table", point).expect("the point is in the list").simulate)());
        masks.set("reset", 1);
        masks.0.tick();
        masks.set("reset", 0);
        for row in 0..rows {
            masks.set("clear_enable", 1);
            masks.set("clear_row", row);
            masks.0.tick();
        }
        masks.set("clear_enable", 0);
        masks
    }

    fn set(&mut self, port: &str, value: u128) {
        let port = self.0.port(port);
        self.0.set(port, value);
    }

    fn get(&mut self, port: &str) -> u128 {
        let port = self.0.port(port);
        self.0.get(port)
    }

    /// Stores a mask: its column, if one is vacant, and the cycles from the offer to the strobe.
    fn store(&mut self, row: u128, mask: u128) -> (Option<u128>, u32) {
        self.set("store_valid", 1);
        self.set("store_row", row);
        self.set("store_mask", mask);
        assert_eq!(self.get("store_ready"), 1, "the table is at rest");
        self.0.tick();
        self.set("store_valid", 0);
        let mut cycles = 1;
        while self.get("stored_valid") == 0 {
            assert_eq!(self.get("store_ready"), 0, "it looks for the mask");
            self.0.tick();
            cycles += 1;
            assert!(cycles < 300, "the search ends");
        }
        let column = (self.get("stored_full") == 0).then(|| self.get("stored_column"));
        self.0.tick();
        (column, cycles)
    }

    fn user(&mut self, port: &str, row: u128, column: u128) {
        self.set("user_row", row);
        self.set("user_column", column);
        self.set(port, 1);
        self.0.tick();
        self.set(port, 0);
    }

    fn read(&mut self, row: u128, column: u128) -> u128 {
        self.set("read_row", row);
        self.set("read_column", column);
        self.get("read_mask")
    }
}

/// TD-10: equal masks are stored once; a vacant column is taken before a new one; cycles are as stated.
#[test]
fn td_10_equal_masks_are_stored_once() {
    for (point, rows, columns) in [("2x8x8g", 2, 8), ("8x32x64g", 8, 64)] {
        let mut masks = Masks::new(point, rows);
        let row = rows - 1;
        assert_eq!(masks.store(row, 0), (Some(0), 1), "nobody is column 0");
        assert_eq!(masks.read(row, 0), 0);
        for column in 1..columns {
            assert_eq!(masks.store(row, column), (Some(column), column as u32), "{point}");
            assert_eq!(masks.read(row, column), column);
        }
        assert_eq!(masks.store(row, 5), (Some(5), 5), "it is there");
        assert_eq!(masks.store(row, 0xff), (None, columns as u32), "no column is vacant");
        assert_eq!(masks.store(0, 0xff), (Some(1), 1), "another row has room");
        // Column 5 has two users.
        masks.user("drop_enable", row, 5);
        assert_eq!(masks.store(row, 0xff), (None, columns as u32));
        masks.user("drop_enable", row, 5);
        assert_eq!(masks.store(row, 0xff), (Some(5), columns as u32), "now it is vacant");
        assert_eq!((masks.read(row, 5), masks.read(row, 4)), (0xff, 4));
        assert_eq!(masks.store(row, 5), (None, columns as u32), "its old mask is gone");
    }
}

/// TD-10: random masks, shared and dropped, against a list of them.
#[test]
fn td_10_random_users() {
    for (point, rows, columns, threads) in [("2x8x8g", 2_usize, 8_usize, 8), ("8x32x64g", 8, 64, 32)] {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut masks = Masks::new(point, rows as u128);
        let mut expected = vec![vec![(0_u128, 0_u32); columns]; rows];
        let (mut refused, mut shared) = (0, 0);
        for _ in 0..6000 {
            let row = random.random_range(0..rows);
            let users: u32 = expected[row].iter().map(|(_, users)| users).sum();
            let taken: Vec<usize> = (1..columns).filter(|column| expected[row][*column].1 > 0).collect();
            let pick = if taken.is_empty() { 0 } else { taken[random.random_range(0..taken.len())] };
            match random.random_range(0..8) {
                0..4 => {
                    let mask = match random.random_range(0..3) {
                        0 => expected[row][pick].0,
                        _ => random.random::<u128>() & (u128::MAX >> (128 - threads)),
                    };
                    let known = taken.iter().copied().find(|column| expected[row][*column].0 == mask);
                    let (column, _) = masks.store(row as u128, mask);
                    match (mask, known, column) {
                        (0, _, column) => assert_eq!(column, Some(0)),
                        (_, Some(known), column) => {
                            assert_eq!(column, Some(known as u128), "{mask:#x} is there");
                            expected[row][known].1 += 1;
                            shared += 1;
                        }
                        (_, None, Some(column)) => {
                            assert_eq!(expected[row][column as usize].1, 0, "the column is vacant");
                            expected[row][column as usize] = (mask, 1);
                        }
                        (_, None, None) => {
                            assert_eq!(taken.len(), columns - 1, "a column is vacant");
                            refused += 1;
                        }
                    }
                }
                4 if pick != 0 && expected[row][pick].1 < 200 => {
                    masks.user("share_enable", row as u128, pick as u128);
                    expected[row][pick].1 += 1;
                }
                5..8 if pick != 0 && (users > 3 * columns as u32 || random.random_range(0..3) == 0) => {
                    masks.user("drop_enable", row as u128, pick as u128);
                    expected[row][pick].1 -= 1;
                }
                _ => {}
            }
            for (column, (mask, users)) in expected[row].iter().take(columns).enumerate() {
                if *users > 0 {
                    assert_eq!(masks.read(row as u128, column as u128), *mask, "{point}");
                }
            }
        }
        assert!(shared > 300 && refused > 30, "{point}: {shared} shared, {refused} refused");
    }
}
