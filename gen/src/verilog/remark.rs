//! The remarks of the Rust source, put where they belong in the Verilog: `hdl_gen` does not see them.

use super::ir::{Module, Statement};
use super::Known;

/// Puts the remarks of the kernel in front of its statements and the meanings of states beside their constants.
pub fn annotate(module: &mut Module, kind: &Known) {
    for constant in &mut module.constants {
        let meaning = |(state, _): &&(String, String)| constant.state.as_ref() == Some(state);
        constant.meaning = kind.states.iter().find(meaning).map(|(_, meaning)| meaning.clone());
    }
    let mut open: Vec<&(String, String)> = kind.remarks.iter().collect();
    let mut body = Vec::new();
    for statement in std::mem::take(&mut module.body) {
        let mut first = None;
        statement.for_each_target(&mut |net, _| {
            first.get_or_insert(net);
        });
        let name = first.map(|net| without_index(&module.nets[net].name)).unwrap_or_default();
        if let Some(at) = open.iter().position(|(net, _)| *net == name) {
            body.push(Statement::Comment(open.remove(at).1.clone()));
        }
        body.push(statement);
    }
    module.body = body;
}

/// `slots_3` as `slots`, `adders_0_left` as `adders_left`.
fn without_index(name: &str) -> String {
    name.split('_').filter(|part| !part.chars().all(|letter| letter.is_ascii_digit())).collect::<Vec<_>>().join("_")
}
