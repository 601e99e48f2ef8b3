//! Makes a failing kernel smaller while it keeps failing (XV-02): fewer threads, statements taken out, compound ones replaced by what
//! stands inside, barriers without their extras.

use super::program::{GridProgram, Statement, Suspend, BARRIERS};

/// Candidates that are tried at most; each costs a run.
const MOST_CANDIDATES: usize = 600;

/// The smallest failing kernel found. `fails` has to be true for the kernel itself, and false for one that is no test.
pub fn shrink(program: &GridProgram, mut fails: impl FnMut(&GridProgram) -> bool) -> GridProgram {
    let mut best = program.clone();
    let mut left = MOST_CANDIDATES;
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| {
            let tried = left > 0;
            left = left.saturating_sub(1);
            tried && fails(candidate)
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Kernels that are a little smaller, the boldest changes first.
fn candidates(program: &GridProgram) -> Vec<GridProgram> {
    let mut all = Vec::new();
    let mut add = |candidate: GridProgram| {
        if candidate != *program {
            all.push(candidate);
        }
    };
    add(GridProgram { suspend: None, ..program.clone() });
    let halves = [1, program.ctas / 2, program.ctas.saturating_sub(1)];
    halves.iter().filter(|ctas| **ctas > 0).for_each(|ctas| add(GridProgram { ctas: *ctas, ..program.clone() }));
    let threads = program.block_threads;
    for fewer in [1, 2, threads / 4, threads / 2, threads - 1].into_iter().filter(|fewer| (1..threads).contains(fewer))
    {
        add(with_threads(program, fewer));
    }
    for body in variants(&program.body) {
        add(GridProgram { body, ..program.clone() });
    }
    for (number, function) in program.functions.iter().enumerate() {
        for shorter in variants(function) {
            let mut functions = program.functions.clone();
            functions[number] = shorter;
            add(GridProgram { functions, ..program.clone() });
        }
    }
    for place in 0..program.attributes.len() {
        let mut attributes = program.attributes.clone();
        let unused = attributes.remove(place);
        if !mentions(program, unused.barrier) {
            add(GridProgram { attributes, ..program.clone() });
        }
    }
    if let Some(Suspend { at, times }) = program.suspend {
        add(GridProgram { suspend: Some(Suspend { at: at / 2, times }), ..program.clone() });
        add(GridProgram { suspend: Some(Suspend { at, times: 1 }), ..program.clone() });
    }
    all
}

/// The same with fewer threads; who counts on all of them counts on fewer.
fn with_threads(program: &GridProgram, threads: u32) -> GridProgram {
    let mut smaller = GridProgram { block_threads: threads, ..program.clone() };
    let impatient = smaller.attributes.iter_mut().filter(|attributes| attributes.condition >= 4);
    impatient.for_each(|attributes| attributes.reference = threads as u16);
    smaller
}

/// Some barrier statement names this id.
fn mentions(program: &GridProgram, barrier: u8) -> bool {
    fn any(statements: &[Statement], barrier: u8) -> bool {
        statements.iter().any(|statement| {
            let own = match statement {
                Statement::Exchange { barriers, .. } | Statement::Sides { barriers, .. } => barriers.contains(&barrier),
                Statement::Split { barrier: id, .. } | Statement::Gather { barrier: id } => *id == barrier,
                Statement::Section(section) => section.barrier == barrier,
                _ => false,
            };
            own || statement.inner().into_iter().any(|inner| any(inner, barrier))
        })
    }
    barrier < BARRIERS && (any(&program.body, barrier) || program.functions.iter().any(|list| any(list, barrier)))
}

/// Lists with one change: halves and single statements out, a statement replaced by what stands in it, or simpler.
fn variants(list: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    let mut width = list.len().next_power_of_two();
    while width > 0 {
        for start in (0..list.len()).step_by(width) {
            let end = (start + width).min(list.len());
            all.push([&list[..start], &list[end..]].concat());
        }
        width /= 2;
    }
    for (place, statement) in list.iter().enumerate() {
        let mut replace = |with: Vec<Statement>| all.push([&list[..place], &with[..], &list[place + 1..]].concat());
        let is_loop = matches!(statement, Statement::Loop { .. });
        let unwraps = is_loop || matches!(statement, Statement::If { .. } | Statement::Switch { .. });
        for inner in statement.inner() {
            if unwraps {
                replace(if is_loop { without_leaves(inner) } else { inner.clone() });
            }
        }
        simpler(statement).into_iter().for_each(|simple| replace(vec![simple]));
        for number in 0..statement.inner().len() {
            for shorter in variants(statement.inner()[number]) {
                let mut changed = statement.clone();
                *changed.inner_mut()[number] = shorter;
                replace(vec![changed]);
            }
        }
    }
    all
}

/// A loop's body without the BRKs and CONTs that leave the loop.
fn without_leaves(list: &[Statement]) -> Vec<Statement> {
    let stays = |statement: &&Statement| !matches!(statement, Statement::Break(_) | Statement::Continue(_));
    let inside = |statement: &Statement| {
        let mut statement = statement.clone();
        if !matches!(statement, Statement::Loop { .. }) {
            statement.inner_mut().into_iter().for_each(|inner| *inner = without_leaves(inner));
        }
        statement
    };
    list.iter().filter(stays).map(inside).collect()
}

/// The statement without one of its extras.
fn simpler(statement: &Statement) -> Vec<Statement> {
    match statement {
        Statement::Section(section) => {
            let mut all = Vec::new();
            let mut with = |change: &dyn Fn(&mut super::program::Section)| {
                let mut simple = section.clone();
                change(&mut simple);
                if simple != *section {
                    all.push(Statement::Section(simple));
                }
            };
            with(&|section| section.nonblocking = false);
            with(&|section| section.body.clear());
            // Who takes part belongs to the reference of a barrier of its own; the word of an exclusive section is the grid's.
            if section.barrier < super::generate::FIRST_OWN {
                with(&|section| section.participants = None);
            }
            all
        }
        Statement::Loop { operand, mask, least, continues, yields, body } => {
            let simple = |mask, least, continues, yields| Statement::Loop {
                operand: *operand,
                mask,
                least,
                continues,
                yields,
                body: body.clone(),
            };
            let all = [simple(0, 1, *continues, *yields), simple(*mask, *least, *continues, false)];
            all.into_iter().filter(|simple| simple != statement).collect()
        }
        Statement::Split { barrier, value, distance, transaction: true, work } => vec![Statement::Split {
            barrier: *barrier,
            value: *value,
            distance: *distance,
            transaction: false,
            work: work.clone(),
        }],
        _ => Vec::new(),
    }
}
