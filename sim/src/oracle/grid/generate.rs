//! Draws a kernel whose result does not depend on time, on any engine that is right.
//!
//! A place in the program is *uniform* if all live threads of a CTA come there equally often: at the top, and inside decisions and loops
//! that look at the CTA's common number only. There all kinds of barriers may stand. Anywhere else only those from which a timeout
//! frees everybody.

use super::program::{
    Attributes, Condition, Effect, GridProgram, Operand, Section, Statement, Suspend, ATOMIC_WORDS, BARRIERS, CELLS,
    SITES, VALUES,
};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// What a kernel of a campaign has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GridClass {
    /// Barriers of all kinds; nobody is suspended.
    Barriers,
    /// CTAs are suspended and resumed; no barriers.
    Suspends,
}

impl GridClass {
    /// Both.
    pub const ALL: [GridClass; 2] = [GridClass::Barriers, GridClass::Suspends];

    /// Its name in tables, messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            GridClass::Barriers => "barriers",
            GridClass::Suspends => "suspends",
        }
    }
}

/// For what the kernel is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// What it has.
    pub class: GridClass,
    /// It ends on a plain stack, too: no thread ever has to present a barrier's instruction a second time.
    pub stack: bool,
    /// Warps of the core.
    pub warps: usize,
    /// Threads of a warp.
    pub threads: usize,
}

/// Barrier ids of condition 1: the first two for plain meetings, all for sections.
const PLAIN: [u8; 3] = [0, 1, 2];
/// For split phases.
const SPLIT: u8 = 3;
/// Those with a condition of their own, one for each place in the program (BR-18).
const OWN: std::ops::Range<u8> = FIRST_OWN..BARRIERS;
/// The first of them.
pub(super) const FIRST_OWN: u8 = 4;
/// Functions of a program; the first one is called from uniform places, and may have barriers.
const FUNCTIONS: usize = 3;

/// The source of one program's randomness: its place in the campaign, nothing else.
pub fn stream(seed: u64, class: GridClass, number: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0x6772_6964);
    random.set_stream(number << 1 | u64::from(class == GridClass::Suspends));
    random
}

/// Draws a kernel.
pub fn generate(random: &mut ChaCha8Rng, wish: Wish) -> GridProgram {
    let block_threads = block_threads(random, &wish);
    let ctas = random.random_range(1..=4);
    let data_seed = random.random_range(0..1 << 30);
    let exits = random.random_range(0..10) < 4;
    let mut generator =
        Generator { random, wish, block_threads, exits, own: OWN, sites: 0, attributes: Vec::new(), left: 0 };
    let functions = (0..FUNCTIONS).map(|number| {
        generator.left = 5;
        generator.list(&Place { uniform: number == 0, function: Some(number), ..Place::default() })
    });
    let functions: Vec<_> = functions.collect();
    generator.left = generator.random.random_range(8..28);
    let body = generator.list(&Place { uniform: true, ..Place::default() });
    let suspend = (wish.class == GridClass::Suspends)
        .then(|| Suspend { at: generator.random.random_range(0..1500), times: generator.random.random_range(1..4) });
    let attributes = generator.attributes;
    GridProgram { ctas, block_threads, data_seed, attributes, functions, body, suspend }
}

/// Often several warps, the last of them often partial.
fn block_threads(random: &mut ChaCha8Rng, wish: &Wish) -> u32 {
    let most = (wish.warps * wish.threads).min(512) as u32;
    let threads = wish.threads as u32;
    match random.random_range(0..8) {
        0 => random.random_range(1..=threads.min(most)),
        1 | 2 => random.random_range(1..=most),
        3 => threads.min(most),
        _ => (threads * random.random_range(2..=4)).min(most),
    }
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// All live threads come here equally often.
    uniform: bool,
    /// Inside a section.
    inside: bool,
    /// Between ARRIVE and WAIT.
    between: bool,
    /// In this function.
    function: Option<usize>,
    depth: usize,
    /// The innermost loop: whether its turns are uniform, and whether it has a region for CONT.
    repeats: Option<(bool, bool)>,
}

struct Generator<'r> {
    random: &'r mut ChaCha8Rng,
    wish: Wish,
    block_threads: u32,
    /// Threads may exit early; then nobody counts on a number of them.
    exits: bool,
    /// Barrier ids that no place has yet.
    own: std::ops::Range<u8>,
    sites: u8,
    attributes: Vec<Attributes>,
    /// Statements still to be drawn.
    left: usize,
}

impl Generator<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.random_range(0..from.len())]
    }

    fn value(&mut self) -> u8 {
        self.random.random_range(0..VALUES)
    }

    fn operand(&mut self) -> Operand {
        match self.random.random_range(0..6) {
            0 => Operand::Rank,
            1 => Operand::Common,
            _ => Operand::Value(self.value()),
        }
    }

    fn condition(&mut self, operand: Operand, bound: std::ops::Range<u8>) -> Condition {
        let most = if operand == Operand::Rank { 4 } else { 28 };
        Condition { operand, shift: self.random.random_range(0..most), bound: self.random.random_range(bound) }
    }

    /// A condition that the place may depend on.
    fn decision(&mut self, uniform: bool) -> Condition {
        let operand = if uniform { Operand::Common } else { self.operand() };
        self.condition(operand, 3..13)
    }

    fn mix(&mut self) -> Statement {
        let (left, right) = (self.operand(), self.operand());
        Statement::Mix { destination: self.value(), left, right, constant: self.random.next_u32() }
    }

    /// A few statements, the first of which tells that the thread came here.
    fn list(&mut self, place: &Place) -> Vec<Statement> {
        let mut list = vec![self.mix()];
        let wanted = if place.depth == 0 { usize::MAX } else { self.random.random_range(1..4) };
        while list.len() <= wanted && self.left > 0 {
            self.left -= 1;
            let statement = self.statement(place);
            list.push(statement);
        }
        list
    }

    fn statement(&mut self, place: &Place) -> Statement {
        if self.wish.class == GridClass::Barriers && !place.inside && !place.between && self.chance(45) {
            if let Some(statement) = self.meeting(place) {
                return statement;
            }
        }
        match self.random.random_range(0..100) {
            0..=19 => self.mix(),
            20..=29 => {
                let (cell, value) = (self.random.random_range(0..CELLS as u8), self.value());
                Statement::Cell { cell, value, store: self.chance(60) }
            }
            30..=37 => {
                let (cell, value) = (self.random.random_range(0..CELLS as u8), self.value());
                // Local memory costs cycles of a unit of its own, so mostly where that matters.
                match self.wish.class == GridClass::Suspends || self.chance(10) {
                    true => Statement::Local { cell, value, store: self.chance(60) },
                    false => Statement::Cell { cell, value, store: false },
                }
            }
            38..=45 => Statement::Atomic { word: self.random.random_range(0..ATOMIC_WORDS as u8), value: self.value() },
            46..=60 if place.depth < 4 => self.branch(place),
            61..=72 if place.depth < 3 => self.repetition(place),
            73..=78 if place.depth < 3 => self.choice(place),
            79..=84 => self.call(place),
            85..=91 => self.leave(place),
            92..=95 => {
                let some = self.chance(60).then(|| self.decision(false));
                Statement::Yield(some)
            }
            _ if self.exits && !place.between => {
                let operand = self.operand();
                Statement::Exit(self.condition(operand, 1..4))
            }
            _ => self.mix(),
        }
    }

    /// A decision about what stands below: uniform now and then, so that barriers may follow.
    fn below(&mut self, place: &Place) -> (bool, Place) {
        let uniform = place.uniform && self.chance(50);
        (uniform, Place { uniform, depth: place.depth + 1, ..*place })
    }

    fn branch(&mut self, place: &Place) -> Statement {
        let (uniform, below) = self.below(place);
        let condition = self.decision(uniform);
        let first = self.list(&below);
        let second = if self.chance(60) { self.list(&below) } else { Vec::new() };
        Statement::If { condition, first, second }
    }

    fn repetition(&mut self, place: &Place) -> Statement {
        let (uniform, below) = self.below(place);
        let operand = if uniform { Operand::Common } else { self.operand() };
        let continues = self.chance(40);
        let body = self.list(&Place { repeats: Some((uniform, continues)), ..below });
        let mask = if uniform { self.pick(&[0, 1]) } else { self.pick(&[1, 3, 3, 7]) };
        let least = if mask == 0 { 2 } else { self.random.random_range(0..2) };
        Statement::Loop { operand, mask, least, continues, yields: self.chance(50), body }
    }

    fn choice(&mut self, place: &Place) -> Statement {
        let (uniform, below) = self.below(place);
        let operand = if uniform { Operand::Common } else { self.operand() };
        let cases = self.pick(&[2, 4, 8]);
        Statement::Switch { operand, cases: (0..cases).map(|_| self.list(&below)).collect() }
    }

    fn call(&mut self, place: &Place) -> Statement {
        // The first function is for uniform places; a function calls only later ones.
        let first = match place.function {
            Some(function) => function + 1,
            None if place.uniform && !place.inside && !place.between => 0,
            None => 1,
        };
        match first < FUNCTIONS {
            true => Statement::Call(self.random.random_range(first..FUNCTIONS) as u8),
            false => self.mix(),
        }
    }

    /// BRK or CONT; out of a uniform loop all go together.
    fn leave(&mut self, place: &Place) -> Statement {
        let Some((uniform, continues)) = place.repeats else { return self.mix() };
        let condition = self.decision(uniform);
        match continues && self.chance(50) {
            true => Statement::Continue(condition),
            false => Statement::Break(condition),
        }
    }

    /// A barrier, if one may stand here.
    fn meeting(&mut self, place: &Place) -> Option<Statement> {
        let value = self.value();
        let distance = self.random.random_range(1..64);
        if !place.uniform {
            return if self.wish.stack || self.chance(60) { None } else { self.impatient(place) };
        }
        match self.random.random_range(0..100) {
            0..=29 => {
                let barriers = [self.pick(&PLAIN[..2]), self.pick(&PLAIN[..2])];
                Some(Statement::Exchange { barriers, value, distance })
            }
            30..=44 => {
                let transaction = !self.exits && self.chance(50);
                let mut work = self.list(&Place { uniform: false, between: true, depth: 3, repeats: None, ..*place });
                if transaction {
                    let (left, constant) = (self.operand(), self.random.next_u32());
                    work.push(Statement::Mix { destination: value, left, right: Operand::Rank, constant });
                }
                Some(Statement::Split { barrier: SPLIT, value, distance, transaction, work })
            }
            45..=54 => self.sides(value),
            55..=87 => self.section(place, value),
            _ if self.wish.stack => None,
            _ => self.impatient(place),
        }
    }

    /// A barrier id for one place, with its attributes.
    fn own(&mut self, condition: u8, reference: u32) -> Option<&mut Attributes> {
        let barrier = self.own.next()?;
        let attributes = Attributes {
            barrier,
            condition,
            reference: reference as u16,
            minimum: 0,
            timeout: 0,
            event: 0,
            late: 0,
            priority: self.random.random_range(0..4),
        };
        self.attributes.push(attributes);
        self.attributes.last_mut()
    }

    fn sides(&mut self, value: u8) -> Option<Statement> {
        let condition = self.condition(Operand::Rank, 2..14);
        let first = (0..self.block_threads).filter(|rank| condition.holds(*rank)).count() as u32;
        let second = self.block_threads - first;
        if self.exits || self.own.len() < 2 || first == 0 || second == 0 {
            return None;
        }
        let barriers = [self.own(3, first)?.barrier, self.own(3, second)?.barrier];
        Some(Statement::Sides { barriers, condition, value })
    }

    fn body(&mut self, place: &Place) -> Vec<Statement> {
        let inside = Place { uniform: false, inside: true, depth: 2, repeats: None, ..*place };
        self.list(&inside)
    }

    fn site(&mut self) -> Option<u8> {
        let site = self.sites;
        self.sites += 1;
        (u32::from(site) < SITES).then_some(site)
    }

    /// A section in which all that are meant to take part do so each time.
    fn section(&mut self, place: &Place, value: u8) -> Option<Statement> {
        let site = self.site()?;
        let (ordered, exclusive) = (self.chance(60), self.chance(30));
        let mut barrier = self.pick(&PLAIN);
        let mut participants = None;
        if !self.wish.stack && self.chance(50) {
            let by_rank = !self.exits && self.chance(40);
            let operand = if by_rank { Operand::Rank } else { self.operand() };
            let condition = self.condition(operand, 3..14);
            let taking_part = (0..self.block_threads).filter(|rank| condition.holds(*rank)).count() as u32;
            participants = Some(condition);
            if by_rank && taking_part > 0 {
                let late = self.pick(&[0, 1]);
                if let Some(attributes) = self.own(3, taking_part) {
                    attributes.late = late;
                    barrier = attributes.barrier;
                }
            }
        }
        let effect = match ordered && !exclusive {
            true => Effect::Chain,
            false => self.pick(&[Effect::Add, Effect::Toggle, Effect::Raise]),
        };
        Some(Statement::Section(Section {
            barrier,
            site,
            ordered,
            exclusive,
            nonblocking: !self.wish.stack && self.chance(40),
            impatient: false,
            participants,
            effect,
            value,
            body: self.body(place),
        }))
    }

    /// A barrier that lets everybody go on sooner or later, whoever comes.
    fn impatient(&mut self, place: &Place) -> Option<Statement> {
        let condition = self.pick(&[4, 5]);
        let (minimum, timeout, event) =
            (self.random.random_range(1..40), self.random.random_range(1..300), self.random.random_range(0..4));
        let meets = self.chance(40);
        let late = if meets { self.pick(&[0, 2, 3, 4, 5, 7]) } else { self.pick(&[0, 1]) };
        let reference = self.block_threads;
        let attributes = self.own(condition, reference)?;
        (attributes.minimum, attributes.timeout, attributes.event, attributes.late) = (minimum, timeout, event, late);
        let barrier = attributes.barrier;
        if meets {
            return Some(Statement::Gather { barrier });
        }
        let participants = self.chance(40).then(|| self.decision(false));
        Some(Statement::Section(Section {
            barrier,
            site: self.site()?,
            ordered: self.chance(50),
            exclusive: self.chance(20),
            nonblocking: self.chance(50),
            impatient: true,
            participants,
            effect: self.pick(&[Effect::Add, Effect::Toggle, Effect::Raise]),
            value: self.value(),
            body: self.body(place),
        }))
    }
}
