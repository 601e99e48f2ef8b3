//! The row of a warp in a store of masks, as its page describes it: which column a mask gets, and after how many columns one knows.

/// A column that was ever used since its row was cleared.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The mask that it holds, or held.
    pub mask: u128,
    /// Who uses it.
    pub users: u64,
}

/// What becomes of a mask that is stored: the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nobody: column 0, which is not counted.
    Nobody,
    /// It was there.
    There(usize),
    /// A column that was used before.
    Reused(usize),
    /// One that never was.
    New(usize),
    /// None.
    Full,
}

impl Place {
    /// Its number, if there is one.
    pub fn column(self) -> Option<usize> {
        match self {
            Place::Nobody => Some(0),
            Place::There(column) | Place::Reused(column) | Place::New(column) => Some(column),
            Place::Full => None,
        }
    }
}

/// The columns of a warp that were ever used, from column 1 on.
#[derive(Clone, Debug)]
pub struct MaskRow {
    columns: Vec<Column>,
    most: usize,
}

impl MaskRow {
    /// A row that was cleared, of so many columns that hold masks: all but column 0.
    pub fn new(most: usize) -> Self {
        Self { columns: Vec::new(), most }
    }

    /// The columns ever used.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many columns have users.
    pub fn used(&self) -> usize {
        self.columns.iter().filter(|column| column.users > 0).count()
    }

    /// The column that holds a mask.
    pub fn column(&self, mask: u128) -> Option<usize> {
        self.columns.iter().position(|column| column.users > 0 && column.mask == mask).map(|place| place + 1)
    }

    /// Where a mask goes: where it is, else to the first column without users, else to a new one. With the columns looked at.
    pub fn place(&self, mask: u128) -> (Place, usize) {
        if mask == 0 {
            return (Place::Nobody, 0);
        }
        if let Some(column) = self.column(mask) {
            return (Place::There(column), column - 1);
        }
        let place = match self.columns.iter().position(|column| column.users == 0) {
            Some(vacant) => Place::Reused(vacant + 1),
            None if self.columns.len() < self.most => Place::New(self.columns.len() + 1),
            None => Place::Full,
        };
        (place, self.columns.len())
    }

    /// A mask gains a user.
    pub fn store(&mut self, mask: u128) -> (Place, usize) {
        let (place, looked) = self.place(mask);
        match place {
            Place::There(column) => self.columns[column - 1].users += 1,
            Place::Reused(column) => self.columns[column - 1] = Column { mask, users: 1 },
            Place::New(_) => self.columns.push(Column { mask, users: 1 }),
            Place::Nobody | Place::Full => {}
        }
        (place, looked)
    }

    /// A column gains a user; gives how many it has.
    pub fn share_column(&mut self, column: usize) -> u64 {
        self.columns[column - 1].users += 1;
        self.columns[column - 1].users
    }

    /// A column loses a user; gives how many are left.
    pub fn drop_column(&mut self, column: usize) -> u64 {
        self.columns[column - 1].users -= 1;
        self.columns[column - 1].users
    }
}
