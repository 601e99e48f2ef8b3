//! What an episode of the execution side is like, for so long that each kind of crowd matters.

/// Chance that depends on the inputs of a cycle and its number only, so that a replayed case sees the same.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// One that `seed` decides.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.roll() >> 8) as usize % limit
    }

    /// Once in `times` on average; never if that is 0.
    pub fn one_in(&mut self, times: usize) -> bool {
        times != 0 && self.below(times) == 0
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        if of.is_empty() {
            return None;
        }
        Some(of[self.below(of.len())])
    }

    /// Some of the bits of `mask`: half of them, or, once in `single` times, one.
    pub fn some(&mut self, mask: u128, single: usize) -> u128 {
        if !self.one_in(single) {
            return mask & (u128::from(self.roll()) << 64 | u128::from(self.roll()));
        }
        let bits: Vec<u32> = (0..u128::BITS).filter(|bit| mask >> bit & 1 == 1).collect();
        self.pick(&bits).map_or(0, |bit| 1 << bit)
    }
}

/// What a barrier brings with it when it turns dynamic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    pub tag: u128,
    pub critical: bool,
    pub exclusive: bool,
    pub blocking: bool,
    pub priority: u128,
    pub class: u128,
}

/// See the module's page. Odds are "once in so many", 0 for never.
#[derive(Clone, Debug)]
pub struct Mood {
    pub conflicts: u128,
    pub exclusive_inside: u128,
    pub reserved: u128,
    /// The barriers in play: of the many of a large point, few at a time get somewhere.
    pub keys: Vec<usize>,
    /// Cycles of eight in which something is asked for, and in which a thread inside leaves if one can.
    pub pressure: usize,
    pub haste: usize,
    /// Arrivals of one thread, of a crowd otherwise.
    pub single: usize,
    /// Arrivals that complete their barrier, and arrivals at one that is dynamic which join it.
    pub completes: usize,
    pub joins: usize,
    pub conditional: usize,
    pub exclusive: usize,
    pub blocking: usize,
    priority: Option<u128>,
    /// As many have the priority below that one.
    neighbours: bool,
    class: Option<u128>,
    /// Of requests: CTAs that leave or come back, exits, resets, mistakes.
    pub saves: usize,
    pub exits: usize,
    pub resets: usize,
    pub errors: usize,
    /// What is finished goes before any request, as in the whole scheduler; else a thread may join for long.
    pub orderly: bool,
    /// A barrier that starts threads again and again while the other, of another CTA and a lower priority, is passed over.
    pub starves: Option<Hunger>,
    /// Barriers wait until so many can end, and end together; never if that is 0.
    pub salvo: usize,
}

/// Two barriers and their priorities: who starts, and who is passed over; and one that is passed over in its turn when that one is reset.
#[derive(Clone, Copy, Debug)]
pub struct Hunger {
    pub rich: usize,
    pub poor: usize,
    /// Of the same CTA; it waits for a slot.
    pub heir: Option<usize>,
    priorities: (u128, u128),
    /// The poor one is reset once in so many times that it was passed over.
    pub renews: usize,
}

impl Mood {
    /// A random one for `ctas` of `ids` barriers each and `slots` slots.
    pub fn new(dice: &mut Dice, [ctas, ids, slots]: [usize; 3]) -> Self {
        let mut odds = |choice: &[usize]| dice.pick(choice).unwrap_or(0);
        let (pressure, haste) = (odds(&[2, 5, 7, 8, 8]), odds(&[1, 3, 6, 8]));
        let (single, completes, joins) = (odds(&[1, 2, 8]), odds(&[1, 2, 4]), odds(&[1, 2, 8, 30]));
        let (conditional, exclusive, blocking) = (odds(&[0, 2, 8]), odds(&[0, 1, 2, 3, 6]), odds(&[0, 1, 2, 2]));
        let (saves, exits, resets) = (odds(&[0, 30, 100, 400]), odds(&[0, 20, 100]), odds(&[0, 12, 40, 200]));
        let errors = odds(&[0, 8, 40]);
        let many = odds(&[4, 4, 8, 32, ctas * ids]);
        let alike = odds(&[0, 1]);
        let conflicts = (0..16).fold(0, |bits, at| {
            let (low, high) = ((at / 4).min(at % 4), (at / 4).max(at % 4));
            let others = low != high || alike == 0;
            bits | u128::from(others && dice.0.rotate_left(4 * low + high) & 1 == 1) << at
        });
        let conflicts = dice.pick(&[0, 0xffff, 0x8421, 0x7bde, conflicts, conflicts, conflicts]).unwrap_or(0);
        let reserved = match dice.below(16) {
            0 => slots,
            1..8 => 1 + dice.below(slots - 1),
            _ => 0,
        };
        let mut keys: Vec<usize> = (0..ctas * ids).collect();
        for place in 0..keys.len().min(many) {
            let other = place + dice.below(keys.len() - place);
            keys.swap(place, other);
        }
        keys.truncate(many.max(2));
        let random = u128::from(dice.roll());
        let mut mood = Self {
            conflicts,
            exclusive_inside: u128::from(!dice.one_in(3)),
            reserved: reserved as u128,
            keys,
            pressure,
            haste,
            single,
            completes,
            joins,
            conditional,
            exclusive,
            blocking,
            priority: dice.pick(&[None, None, Some(0), Some(1), Some(2), Some(3)]).flatten(),
            neighbours: dice.one_in(2),
            class: if reserved > 0 && dice.one_in(2) {
                Some(3)
            } else {
                dice.pick(&[None, Some(random & 3)]).flatten()
            },
            saves,
            exits,
            resets,
            errors,
            orderly: dice.one_in(2),
            starves: None,
            salvo: dice.pick(&[0, 0, 2, 3, 3, 4]).unwrap_or(0),
        };
        if ctas > 1 && dice.one_in(4) {
            let rich = dice.below(ctas * ids);
            let poor = (rich + ids + dice.below(ids) - rich % ids) % (ctas * ids);
            let priorities = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];
            let priorities = dice.pick(&priorities).unwrap_or((3, 0));
            let renews = dice.pick(&[0, 0, 8, 40]).unwrap_or(0);
            let heir =
                Some(poor / ids * ids + (poor + 1) % ids).filter(|heir| *heir != poor && renews > 0 && dice.one_in(2));
            mood.starves = Some(Hunger { rich, poor, heir, priorities, renews });
            mood.reserved = 0;
            mood.salvo = 0;
            mood.joins = 1;
        }
        mood
    }

    /// Another one under the same static inputs; hunger lasts.
    pub fn changed(&self, dice: &mut Dice, sizes: [usize; 3]) -> Self {
        if self.starves.is_some() {
            return self.clone();
        }
        let Self { conflicts, exclusive_inside, reserved, .. } = *self;
        Self { conflicts, exclusive_inside, reserved, starves: None, ..Self::new(dice, sizes) }
    }

    /// What `key` brings with it, with the address `tag`.
    pub fn attributes(&self, dice: &mut Dice, key: usize, tag: u128) -> Attributes {
        if let Some(Hunger { rich, priorities, .. }) = self.starves {
            let priority = if key == rich { priorities.0 } else { priorities.1 };
            return Attributes { tag, critical: true, priority, ..Attributes::default() };
        }
        let random = u128::from(dice.roll());
        let class = self.class.filter(|_| !dice.one_in(2)).unwrap_or(random >> 2 & 3);
        Attributes {
            tag,
            critical: !dice.one_in(self.conditional),
            exclusive: dice.one_in(self.exclusive),
            blocking: dice.one_in(self.blocking),
            priority: match self.priority {
                Some(of) if self.neighbours => of.saturating_sub(random & 1),
                of => of.filter(|_| !dice.one_in(4)).unwrap_or(random & 3),
            },
            class,
        }
    }
}
