//! The names that a kernel may use: its own signals, the ports of its parts, constants, states, loop variables.

use super::error::Problem;
use super::ir::{state_name, Constant, Expression, Module, Net, NetId, NetKind};
use super::names::{capitals, plain, resolve, Names};
use super::source::{Field, Tree};
use rust_hdl::core::prelude::AtomKind;
use std::collections::{BTreeMap, BTreeSet};

/// What a path means.
#[derive(Clone, Debug)]
enum Meaning {
    Net(NetId),
    Constant(usize),
    /// The clock or reset pin of a part: wired by the back end, to this net.
    Wired(Option<NetId>),
}

/// A module under construction, with the meanings of its paths.
#[derive(Debug)]
pub struct Scope {
    /// The module.
    pub module: Module,
    /// Its names.
    pub names: Names,
    /// The loop variables and their present values.
    pub variables: BTreeMap<String, u64>,
    meanings: BTreeMap<String, Meaning>,
    /// Clock and reset pins that the kernel has not wired yet.
    unwired: BTreeSet<String>,
}

/// What a spelling stands for.
pub enum Found {
    /// An integer without a width.
    Integer(u128),
    /// A net or a constant.
    Expression(Expression),
}

/// A target of an assignment.
pub enum Target {
    /// A net.
    Net(NetId),
    /// A pin that is wired to this net already.
    Wired(Option<NetId>),
}

impl Scope {
    /// The scope of a module with the fields of `tree`; its parts are added one by one.
    pub fn new(tree: &Tree) -> Result<Self, Problem> {
        let module = Module {
            nets: Vec::new(),
            ports: 0,
            constants: Vec::new(),
            registers: Vec::new(),
            instances: Vec::new(),
            body: Vec::new(),
            custom: None,
            clock: None,
            reset: None,
        };
        let mut scope = Scope {
            module,
            names: Names::default(),
            variables: BTreeMap::new(),
            meanings: BTreeMap::new(),
            unwired: BTreeSet::new(),
        };
        for field in tree.ports() {
            let kind = match field.kind {
                AtomKind::InputParameter => NetKind::Input,
                AtomKind::OutputParameter => NetKind::Output,
                _ => return Err(unsupported(&field.path, "a bidirectional port")),
            };
            let net = scope.add_field(field, kind)?;
            match field.path.as_str() {
                "clock" => scope.module.clock = Some(net),
                "reset" => scope.module.reset = Some(net),
                _ => {}
            }
        }
        scope.module.ports = scope.module.nets.len();
        for field in tree.fields.iter().filter(|field| field.kind == AtomKind::LocalSignal) {
            scope.add_field(field, NetKind::Local)?;
        }
        for field in tree.fields.iter().filter(|field| field.kind == AtomKind::Constant) {
            scope.add_constant(field);
        }
        scope.add_states(tree);
        Ok(scope)
    }

    fn add_field(&mut self, field: &Field, kind: NetKind) -> Result<NetId, Problem> {
        let wish = plain(&field.path);
        let net = self.add_net(&field.path, &wish, field, kind)?;
        if self.module.nets[net].name != wish {
            return Err(Problem::ReservedWord(wish));
        }
        Ok(net)
    }

    /// A net for `field`, known to the kernel as `path`.
    pub fn add_net(&mut self, path: &str, wish: &str, field: &Field, kind: NetKind) -> Result<NetId, Problem> {
        if field.is_signed {
            return Err(unsupported(path, "a signed signal"));
        }
        if field.width == 0 || field.width > 128 {
            return Err(unsupported(path, &format!("a signal of {} bits", field.width)));
        }
        let name = self.names.take(wish);
        let net = self.push_net(Net {
            name,
            path: path.replace('$', "."),
            width: field.width,
            kind,
            is_clock: field.is_clock,
        });
        self.meanings.insert(path.to_string(), Meaning::Net(net));
        Ok(net)
    }

    /// Adds a net that the kernel has no name for.
    pub fn push_net(&mut self, net: Net) -> NetId {
        self.module.nets.push(net);
        self.module.nets.len() - 1
    }

    /// Declares a pin of a part that is wired to `net`, whatever the kernel says.
    pub fn add_wired_pin(&mut self, path: &str, net: Option<NetId>) {
        self.meanings.insert(path.to_string(), Meaning::Wired(net));
        self.unwired.insert(path.to_string());
    }

    /// Notes that the kernel wires the pin called `path`.
    pub fn wire(&mut self, path: &str) {
        self.unwired.remove(path);
    }

    /// A pin that the kernel has forgotten.
    pub fn forgotten(&self) -> Option<&String> {
        self.unwired.first()
    }

    fn add_constant(&mut self, field: &Field) {
        let name = self.names.take(&capitals(&field.path));
        self.meanings.insert(field.path.clone(), Meaning::Constant(self.module.constants.len()));
        self.module.constants.push(Constant {
            name,
            width: field.width,
            value: field.value,
            of: None,
            state: None,
            meaning: None,
        });
    }

    /// Declares the states of every enum among the signals of a block and its parts.
    fn add_states(&mut self, tree: &Tree) {
        for field in tree.fields.iter().chain(tree.parts.iter().flat_map(|part| part.fields.iter())) {
            let Some(states) = &field.states else { continue };
            for code in 0..states.variants.len() {
                let path = format!("{}${}", states.name, states.variants[code]);
                if !self.meanings.contains_key(&path) {
                    let name = self.names.take(&state_name(states, code));
                    self.meanings.insert(path, Meaning::Constant(self.module.constants.len()));
                    let of = Some(states.name.clone());
                    let state = Some(format!("{}::{}", states.name, states.variants[code]));
                    let (width, value) = (field.width, code as u128);
                    self.module.constants.push(Constant { name, width, value, of, state, meaning: None });
                }
            }
        }
    }

    /// The value of `field`, by the name of its state if it has one.
    pub fn value_of(&self, field: &Field) -> Expression {
        let state = field.states.as_ref().and_then(|states| {
            let variant = states.variants.get(usize::try_from(field.value).ok()?)?;
            self.constant(&format!("{}${}", states.name, variant))
        });
        state.unwrap_or_else(|| Expression::literal(field.width, field.value))
    }

    /// The constant or state called `path`.
    pub fn constant(&self, path: &str) -> Option<Expression> {
        match self.meanings.get(path)? {
            Meaning::Constant(index) => {
                let constant = &self.module.constants[*index];
                Some(Expression::Named { name: constant.name.clone(), width: constant.width, value: constant.value })
            }
            _ => None,
        }
    }

    fn meaning(&self, spelling: &str) -> Result<&Meaning, Problem> {
        let unknown = || Problem::UnknownName(spelling.replace('$', "."));
        let path = resolve(spelling, &self.variables).ok_or_else(unknown)?;
        self.meanings.get(&path).ok_or_else(unknown)
    }

    /// What `spelling` stands for where it is read.
    pub fn find(&self, spelling: &str) -> Result<Found, Problem> {
        if let Some(value) = self.variables.get(spelling) {
            return Ok(Found::Integer(u128::from(*value)));
        }
        match self.meaning(spelling)? {
            Meaning::Net(net) => {
                Ok(Found::Expression(Expression::Net { net: *net, width: self.module.nets[*net].width }))
            }
            Meaning::Constant(_) => {
                let path = resolve(spelling, &self.variables).unwrap_or_default();
                self.constant(&path).map(Found::Expression).ok_or(Problem::UnknownName(path))
            }
            Meaning::Wired(_) => Err(unsupported(spelling, "reading a clock or reset pin")),
        }
    }

    /// What `spelling` stands for where it is assigned.
    pub fn target(&self, spelling: &str) -> Result<Target, Problem> {
        let path = spelling.strip_suffix("$next").unwrap_or(spelling);
        match self.meaning(path)? {
            Meaning::Net(net) => {
                let Net { kind, name, .. } = &self.module.nets[*net];
                match kind {
                    kind if kind.is_assigned() => Ok(Target::Net(*net)),
                    _ => Err(Problem::AssignedInput(name.clone())),
                }
            }
            Meaning::Wired(net) => Ok(Target::Wired(*net)),
            Meaning::Constant(_) => Err(Problem::AssignedInput(path.to_string())),
        }
    }
}

/// A construct without a translation.
pub fn unsupported(place: &str, construct: &str) -> Problem {
    Problem::Unsupported { place: place.replace('$', "."), construct: construct.to_string() }
}
