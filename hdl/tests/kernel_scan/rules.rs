//! The rules: what a kernel must not say, because `hdl_gen` would translate it to something else.

use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Expr, ImplItem, Item, ItemImpl, Pat, RangeLimits, Stmt};

/// Words that are no names in Verilog, one a line; the back end has the same list.
const RESERVED: &str = include_str!("../../../gen/src/verilog/reserved.txt");

/// What is wrong with a source file, a sentence each: the block, the construct, the cure.
pub fn scan(source: &str) -> Result<Vec<String>, syn::Error> {
    let file = syn::parse_file(source)?;
    let mut found = Vec::new();
    let blocks = file.items.iter().filter_map(|item| match item {
        Item::Macro(declaration) if is_block(&declaration.mac.path) => Some(declaration.mac.tokens.to_string()),
        _ => None,
    });
    let declarations: BTreeMap<String, Declared> = blocks.filter_map(|tokens| reads(&tokens)).collect();
    for item in &file.items {
        match item {
            Item::Macro(declaration) if is_block(&declaration.mac.path) => {
                found.extend(declared(&declaration.mac.tokens.to_string()));
            }
            Item::Macro(declaration) if declaration.mac.path.is_ident("macro_rules") => {
                for body in bodies(&declaration.mac.tokens.to_string()) {
                    found.extend(scan(&body)?);
                }
            }
            Item::Impl(block) => kernels(block, &declarations, &mut found),
            _ => {}
        }
    }
    Ok(found)
}

/// Whether a macro is `block!`, by whatever path.
fn is_block(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "block")
}

/// The bodies of those rules of a macro that hold a kernel, with `any_name` for its variable `$name`, with what it repeats or may leave out once.
fn bodies(rules: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rule in rules.split("=> {").skip(1) {
        let mut depth = 1;
        let inside = |letter: &char| {
            depth += i32::from(*letter == '{') - i32::from(*letter == '}');
            depth > 0
        };
        let body: String = rule.chars().take_while(inside).collect();
        if body.contains("hdl_gen") {
            found.push(unfolded(&body).replace("$ ", "$").replace('$', "any_"));
        }
    }
    found
}

/// `$( … )?` and its like as what stands between the brackets.
fn unfolded(text: &str) -> String {
    let Some((before, rest)) = text.split_once('$') else { return text.to_string() };
    let Some(inside) = rest.trim_start().strip_prefix('(') else { return format!("{before}${}", unfolded(rest)) };
    let mut depth = 1;
    let end = inside.find(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0
    });
    let Some((inside, after)) = end.map(|end| (&inside[..end], &inside[end + 1..])) else { return text.to_string() };
    // Behind the bracket: a separator, perhaps, and how often.
    let after = after.trim_start();
    let after = after.strip_prefix([',', ';']).unwrap_or(after).trim_start();
    let after = after.strip_prefix(['?', '*', '+']).unwrap_or(after);
    format!("{before}{}{}", unfolded(inside), unfolded(after))
}

/// Reserved words among the names that a `block!` declares: a word before a single colon, outside of `<…>` and `(…)`.
fn declared(tokens: &str) -> Vec<String> {
    let words: Vec<String> = spaced(tokens).split_whitespace().map(ToString::to_string).collect();
    let reserved: BTreeSet<&str> = RESERVED.lines().collect();
    let (mut found, mut depth) = (Vec::new(), 0_i32);
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "<" | "(" | "[" => depth += 1,
            ">" | ")" | "]" => depth -= 1,
            name if depth == 0 && words.get(at + 1).is_some_and(|next| next == ":") && reserved.contains(name) => {
                found.push(format!("the name `{name}` is a reserved word of Verilog: rename it"));
            }
            _ => {}
        }
    }
    found
}

/// What a `block!` declares that its kernel reads of what it assigns.
#[derive(Default)]
struct Declared {
    /// Of its parts, as `part.input`.
    back: BTreeSet<String>,
    /// Of its own outputs and local signals, above their assignment.
    early: BTreeSet<String>,
}

/// The name of a block and what it declares.
fn reads(tokens: &str) -> Option<(String, Declared)> {
    let name = tokens.split("struct ").nth(1)?.split_whitespace().next()?;
    let mut declared = Declared::default();
    for declaration in tokens.split("reads_back").skip(1) {
        let (inputs, part) = declaration.split_once(']')?;
        let part = part.split(':').next()?.trim();
        let inputs = inputs.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        declared.back.extend(inputs.filter(|input| !input.is_empty()).map(|input| format!("{part}.{input}")));
    }
    let words: Vec<String> = spaced(tokens).split_whitespace().map(ToString::to_string).collect();
    for declaration in words.join(" ").split("# [ reads ( early ) ] ").skip(1) {
        declared.early.extend(declaration.split_whitespace().find(|word| *word != "pub").map(ToString::to_string));
    }
    Some((name.to_string(), declared))
}

/// `part.input` of `self.part[i].input`; `None` of a port or a signal of the block's own.
fn of_part(path: &str) -> Option<String> {
    of_the_block(path).filter(|plain| plain.matches('.').count() == 1)
}

/// `signal` of `self.signal[i]`; `None` of what belongs to a part.
fn of_its_own(path: &str) -> Option<String> {
    of_the_block(path).filter(|plain| !plain.contains('.'))
}

/// What stands behind `self.`, without indices.
fn of_the_block(path: &str) -> Option<String> {
    path.strip_prefix("self.").map(without_indices)
}

fn without_indices(path: &str) -> String {
    let mut depth = 0;
    let outside = |letter: &char| {
        depth += i32::from(*letter == '[') - i32::from(*letter == ']');
        depth == 0 && *letter != ']'
    };
    path.chars().filter(outside).collect()
}

/// What a kernel reads of what it assigns to its parts, and of what it lets registers hold, has to be declared, and nothing else: the simulation runs
/// a kernel again when that changes.
fn read_back(kernel: &syn::Block, declared: &BTreeSet<String>, found: &mut Vec<String>) {
    let mut traffic = Traffic::default();
    traffic.visit_block(kernel);
    let written: BTreeSet<String> = traffic.written.iter().filter_map(|path| of_part(path)).collect();
    let read = traffic.read.iter().filter_map(|path| of_part(path));
    let back: BTreeSet<String> = read.filter(|path| path.ends_with(".d") || written.contains(path)).collect();
    let input = |path: &str| path.split('.').next_back().unwrap_or_default().to_string();
    found.extend(back.difference(declared).map(|path| {
        format!(
            "`{path}` is read back: declare the part with `#[reads_back({})]`, or one of an array by a local signal",
            input(path)
        )
    }));
    found.extend(declared.difference(&back).map(|path| format!("`{path}` is declared as read back, and is not")));
}

/// What a kernel reads of its outputs and local signals above their assignment has to be declared, and nothing else: the simulation runs a kernel
/// again when that changes.
fn read_early(kernel: &syn::Block, declared: &BTreeSet<String>, found: &mut Vec<String>) {
    let mut traffic = Traffic::default();
    traffic.visit_block(kernel);
    let own = traffic.written.iter().filter_map(|path| of_its_own(path)).collect();
    let mut order = Order { own, written: BTreeSet::new(), early: BTreeSet::new() };
    order.visit_block(kernel);
    let undeclared = order.early.difference(declared);
    found.extend(undeclared.map(|name| {
        format!("`{name}` is read above its assignment: assign it first, or declare it with `#[reads(early)]`")
    }));
    found.extend(
        declared.difference(&order.early).map(|name| format!("`{name}` is declared as read early, and is not")),
    );
}

/// What a loop reads of its own arrays that one of its later turns may write.
fn ahead<'a>(traffic: &'a Traffic, variable: &str) -> Vec<&'a str> {
    let offset = |path: &str| -> Option<i64> {
        let index = path.split_once('[')?.1.strip_suffix(']')?.strip_prefix(variable)?;
        if index.is_empty() {
            Some(0)
        } else {
            index.parse().ok()
        }
    };
    let is_ahead = |read: &&String| {
        let name = of_its_own(read);
        let mut writes = traffic.written.iter().filter(|path| path.contains('[') && of_its_own(path) == name);
        read.contains('[')
            && name.is_some()
            && writes.any(|write| match (offset(read), offset(write)) {
                (Some(read), Some(write)) => read > write,
                _ => !may_be_one(read, write),
            })
    };
    traffic.read.iter().filter(is_ahead).map(String::as_str).collect()
}

/// What a kernel has written when it reads.
struct Order {
    /// Outputs and local signals: what the kernel writes of its own.
    own: BTreeSet<String>,
    /// In every case: of what branches write, that which all of them do.
    written: BTreeSet<String>,
    early: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Order {
    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        self.visit_expr(&assignment.right);
        let path = spelling(&assignment.left).unwrap_or_default();
        self.written.extend(path.strip_suffix(".next").and_then(of_its_own));
    }

    fn visit_expr_if(&mut self, branches: &'ast syn::ExprIf) {
        self.visit_expr(&branches.cond);
        let before = self.written.clone();
        self.visit_block(&branches.then_branch);
        let then = std::mem::replace(&mut self.written, before);
        if let Some((_, otherwise)) = &branches.else_branch {
            self.visit_expr(otherwise);
        }
        self.written.retain(|name| then.contains(name));
    }

    fn visit_expr_match(&mut self, branches: &'ast syn::ExprMatch) {
        self.visit_expr(&branches.expr);
        let before = self.written.clone();
        let arms = branches.arms.iter().map(|arm| {
            self.written.clone_from(&before);
            self.visit_expr(&arm.body);
            self.written.clone()
        });
        self.written = arms.reduce(|all, arm| &all & &arm).unwrap_or(before);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "val" {
            let name = spelling(&call.receiver).and_then(|path| of_its_own(&path));
            self.early.extend(name.filter(|name| self.own.contains(name) && !self.written.contains(name)));
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// `tokens` with a space around each mark, paths and strings of marks left whole.
fn spaced(tokens: &str) -> String {
    let marks = tokens.replace("::", "\u{1}").replace("->", " ").replace("<<", " ").replace(">>", "> >");
    let mut text = String::new();
    for letter in marks.chars() {
        if letter.is_alphanumeric() || letter == '_' || letter == '\u{1}' {
            text.push(letter);
        } else {
            text.extend([' ', letter, ' ']);
        }
    }
    text
}

/// The kernels of an `impl Logic for …`.
fn kernels(block: &ItemImpl, declarations: &BTreeMap<String, Declared>, found: &mut Vec<String>) {
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        if !function.attrs.iter().any(|attribute| attribute.path().is_ident("hdl_gen")) {
            continue;
        }
        let mut kernel = Kernel { found: Vec::new(), variables: Vec::new() };
        kernel.visit_block(&function.block);
        let name = block_name(block);
        let none = Declared::default();
        let declared = declarations.get(&name).unwrap_or(&none);
        read_back(&function.block, &declared.back, &mut kernel.found);
        read_early(&function.block, &declared.early, &mut kernel.found);
        found.extend(kernel.found.into_iter().map(|problem| format!("{name}: {problem}")));
    }
}

fn block_name(block: &ItemImpl) -> String {
    match &*block.self_ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// A walk through one kernel.
struct Kernel {
    found: Vec<String>,
    /// Loop variables in sight.
    variables: Vec<String>,
}

impl Kernel {
    fn report(&mut self, problem: &str) {
        self.found.push(problem.to_string());
    }
}

impl<'ast> Visit<'ast> for Kernel {
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if arm.guard.is_some() {
            self.report("a guard on a `match` arm is dropped: use an `if` inside the arm");
        }
        if let Pat::Ident(name) = &arm.pat {
            self.report(&format!("the pattern `{}` binds a name: write `_`", name.ident));
        }
        // Patterns are no values: only the body is walked.
        self.visit_expr(&arm.body);
    }

    fn visit_expr_for_loop(&mut self, turns: &'ast syn::ExprForLoop) {
        if let Expr::Range(range) = &*turns.expr {
            if matches!(range.limits, RangeLimits::Closed(_)) {
                self.report("a loop `a..=b` turns once less in Verilog: write `a..b + 1`");
            }
        }
        let mut traffic = Traffic::default();
        traffic.visit_block(&turns.body);
        for path in traffic.written.iter().filter(|path| traffic.read.iter().any(|read| may_be_one(path, read))) {
            self.report(&format!(
                "a loop reads and writes `{path}`: it would accumulate differently; use an array of signals"
            ));
        }
        // The bounds are computed in Rust: anything goes there.
        if let Pat::Ident(variable) = &*turns.pat {
            for path in ahead(&traffic, &variable.ident.to_string()) {
                self.report(&format!(
                    "a loop reads `{path}`, which it may write in a later turn: go through the array upwards"
                ));
            }
            self.variables.push(variable.ident.to_string());
            self.visit_block(&turns.body);
            self.variables.pop();
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match segments.as_slice() {
            [name] if name == "self" || self.variables.contains(name) => {}
            [name] => {
                self.report(&format!("`{name}` used as a value has no value in Verilog: keep it in a `Constant`"))
            }
            [first, ..] if first == "Self" => {
                self.report("an associated constant used as a value has no value in Verilog: keep it in a `Constant`");
            }
            _ => {}
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let name = match &*call.func {
            Expr::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default(),
            _ => String::new(),
        };
        if name != "bits" && name != "bit_cast" {
            self.report(&format!("the call of `{name}` would be taken for a cast or dropped: kernels call nothing"));
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "index" {
            self.report(
                "`index()` leaves the vector's width, and arithmetic on it does not wrap as Verilog's: pass the vector",
            );
        }
        // Without its turbofish, whose constants are types.
        self.visit_expr(&call.receiver);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let known = ["dff_setup", "clock", "comment"].iter().any(|name| call.path.is_ident(name));
        if !known {
            let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            self.report(&format!("`{name}!` runs in the simulation only"));
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(expression, _) = statement {
            let conditional =
                |attribute: &syn::Attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr");
            if attributes(expression).iter().any(conditional) {
                self.report("`cfg` on a statement is ignored by the translation");
            }
        }
        visit::visit_stmt(self, statement);
    }
}

fn attributes(expression: &Expr) -> &[syn::Attribute] {
    match expression {
        Expr::Assign(inner) => &inner.attrs,
        Expr::If(inner) => &inner.attrs,
        Expr::Match(inner) => &inner.attrs,
        Expr::ForLoop(inner) => &inner.attrs,
        Expr::Macro(inner) => &inner.attrs,
        _ => &[],
    }
}

/// The signals that a loop's body writes and reads, spelled as in the kernel.
#[derive(Default)]
struct Traffic {
    written: BTreeSet<String>,
    read: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Traffic {
    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        if let Some(path) = spelling(&assignment.left) {
            self.written.insert(path.rsplit_once(".next").map_or(path.as_str(), |(signal, _)| signal).to_string());
        }
        self.visit_expr(&assignment.right);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "val" {
            self.read.extend(spelling(&call.receiver));
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Whether two signals are spelled alike, or may be the same, as an index of one cannot be spelled.
fn may_be_one(one: &str, other: &str) -> bool {
    one == other || (one.contains("[?]") || other.contains("[?]")) && without_indices(one) == without_indices(other)
}

/// `self.slots[i + 1].d` as text; `None` for other expressions.
fn spelling(expression: &Expr) -> Option<String> {
    Some(match expression {
        Expr::Path(path) => {
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
        }
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => format!("{}.{name}", spelling(&field.base)?),
            syn::Member::Unnamed(_) => return None,
        },
        // An index that cannot be spelled stands for any.
        Expr::Index(index) => {
            let which = spelling(&index.index).unwrap_or_else(|| "?".to_string());
            format!("{}[{which}]", spelling(&index.expr)?)
        }
        Expr::Binary(binary) => {
            let operator = match binary.op {
                syn::BinOp::Add(_) => "+",
                syn::BinOp::Sub(_) => "-",
                syn::BinOp::Mul(_) => "*",
                _ => "?",
            };
            format!("{}{operator}{}", spelling(&binary.left)?, spelling(&binary.right)?)
        }
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => number.base10_digits().to_string(),
            _ => return None,
        },
        Expr::Paren(inner) => spelling(&inner.expr)?,
        _ => return None,
    })
}
