//! Expressions and statements as text: parentheses wherever operators mix, lines no longer than 100 columns.

use super::ir::{Arm, BinaryOperator, Expression, Module, Statement, UnaryOperator};

/// The longest line.
pub const COLUMNS: usize = 100;

/// The printer of one module's code.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    /// The module, for the names of its nets.
    pub module: &'a Module,
    /// Assignments take effect at the edge.
    pub clocked: bool,
}

/// A number, sized.
pub fn number(width: usize, value: u128) -> String {
    match (width, value) {
        (1, _) => format!("1'b{value}"),
        (_, 0..=255) => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// `[7:0] `, or nothing for one bit.
pub fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0]", width - 1)
    }
}

impl Layout<'_> {
    fn name(&self, net: usize) -> &str {
        &self.module.nets[net].name
    }

    /// `expression` on one line.
    pub fn flat(&self, expression: &Expression) -> String {
        match expression {
            Expression::Net { net, .. } => self.name(*net).to_string(),
            Expression::Literal { width, value } => number(*width, *value),
            Expression::Named { name, .. } => name.clone(),
            Expression::Slice { net, offset, width } if self.module.nets[*net].width == 1 => {
                debug_assert_eq!((*offset, *width), (0, 1));
                self.name(*net).to_string()
            }
            Expression::Slice { net, offset, width: 1 } => format!("{}[{offset}]", self.name(*net)),
            Expression::Slice { net, offset, width } => {
                format!("{}[{}:{offset}]", self.name(*net), offset + width - 1)
            }
            Expression::Select { net, index, width: 1, .. } => format!("{}[{}]", self.name(*net), self.flat(index)),
            Expression::Select { net, index, width, .. } => {
                format!("{}[{} +: {width}]", self.name(*net), self.operand(index, None))
            }
            Expression::Concatenation(parts) => {
                format!("{{{}}}", parts.iter().map(|part| self.flat(part)).collect::<Vec<_>>().join(", "))
            }
            Expression::Unary(operator, operand) => {
                format!("{}{}", unary(*operator, operand), self.operand(operand, None))
            }
            Expression::Binary(operator, left, right) => {
                let right = match (operator, right.constant()) {
                    // A distance has no width to speak of.
                    (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Some(distance)) => distance.to_string(),
                    _ => self.operand(right, Some(*operator).filter(|operator| operator.is_associative())),
                };
                format!("{} {} {right}", self.operand(left, Some(*operator)), operator.symbol())
            }
        }
    }

    /// `expression` as an operand, in parentheses unless it needs none under `parent`.
    fn operand(&self, expression: &Expression, parent: Option<BinaryOperator>) -> String {
        let text = self.flat(expression);
        let bare = match expression {
            Expression::Binary(operator, ..) => {
                parent == Some(*operator) && (operator.is_associative() || *operator == BinaryOperator::Subtract)
            }
            Expression::Unary(UnaryOperator::Not, _) => parent.is_some(),
            Expression::Unary(..) => {
                parent.is_some_and(|parent| matches!(parent, BinaryOperator::BothTrue | BinaryOperator::EitherTrue))
            }
            _ => true,
        };
        if bare {
            text
        } else {
            format!("({text})")
        }
    }

    /// `expression` behind `column` characters, broken at its operators if one line does not hold it;
    /// `indent` is that of the statement.
    pub fn fitted(&self, expression: &Expression, indent: usize, column: usize) -> String {
        let flat = self.flat(expression);
        if column + flat.len() < COLUMNS {
            return flat;
        }
        let deeper = indent + 4;
        let pad = " ".repeat(deeper);
        match expression {
            Expression::Binary(operator, ..) => {
                let mut operands = Vec::new();
                chain(*operator, expression, &mut operands);
                let (symbol, lead) = (operator.symbol(), operator.symbol().len() + 1);
                let lines: Vec<String> = operands
                    .iter()
                    .enumerate()
                    .map(|(at, operand)| {
                        let column = if at == 0 { column } else { deeper + lead };
                        // `a - (b - c)` keeps its parentheses.
                        let parent = Some(*operator).filter(|operator| at == 0 || operator.is_associative());
                        self.fitted_operand(operand, parent, deeper, column)
                    })
                    .collect();
                lines.join(&format!("\n{pad}{symbol} "))
            }
            Expression::Concatenation(parts) => {
                let mut lines: Vec<String> = Vec::new();
                for part in parts {
                    let text = self.flat(part);
                    let text = if deeper + text.len() < COLUMNS { text } else { self.fitted(part, deeper, deeper) };
                    match lines.last_mut() {
                        Some(line) if deeper + line.len() + text.len() + 3 < COLUMNS && !text.contains('\n') => {
                            line.push_str(", ");
                            line.push_str(&text);
                        }
                        _ => lines.push(text),
                    }
                }
                format!("{{\n{pad}{}\n{}}}", lines.join(&format!(",\n{pad}")), " ".repeat(indent))
            }
            Expression::Unary(operator, operand) => {
                let inner = self.fitted(operand, deeper, column + 2);
                format!("{}({inner})", unary(*operator, operand))
            }
            _ => flat,
        }
    }

    fn fitted_operand(
        &self,
        operand: &Expression,
        parent: Option<BinaryOperator>,
        indent: usize,
        column: usize,
    ) -> String {
        let text = self.operand(operand, parent);
        if column + text.len() < COLUMNS {
            return text;
        }
        match operand {
            Expression::Binary(..) => format!("({})", self.fitted(operand, indent, column + 1)),
            _ => self.fitted(operand, indent, column),
        }
    }

    /// The statements of an `always` block, or of a branch.
    pub fn block(&self, body: &[Statement], indent: usize, out: &mut String) {
        for statement in body {
            self.statement(statement, indent, out);
        }
    }

    fn statement(&self, statement: &Statement, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        match statement {
            Statement::Comment(text) => out.push_str(&comment(text, indent)),
            Statement::Assign { target, bits, value } => {
                let mut target = self.name(*target).to_string();
                match bits {
                    Some((offset, 1)) => target.push_str(&format!("[{offset}]")),
                    Some((offset, width)) => target.push_str(&format!("[{}:{offset}]", offset + width - 1)),
                    None => {}
                }
                let operator = if self.clocked { "<=" } else { "=" };
                let value = self.fitted(value, indent, indent + target.len() + operator.len() + 3);
                out.push_str(&format!("{pad}{target} {operator} {value};\n"));
            }
            Statement::If { test, then, otherwise } => {
                out.push_str(&pad);
                self.conditional(test, then, otherwise, indent, out);
            }
            Statement::Case { test, arms } => self.case(test, arms, indent, out),
        }
    }

    fn conditional(
        &self,
        test: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        indent: usize,
        out: &mut String,
    ) {
        let pad = " ".repeat(indent);
        if then.is_empty() {
            let inverse = match test {
                Expression::Unary(UnaryOperator::Not, operand) => (**operand).clone(),
                test => Expression::Unary(UnaryOperator::Not, Box::new(test.clone())),
            };
            self.conditional(&inverse, otherwise, &[], indent, out);
            return;
        }
        out.push_str(&format!("if ({}) begin\n", self.fitted(test, indent, indent + 14)));
        self.block(then, indent + 2, out);
        match otherwise {
            [] => out.push_str(&format!("{pad}end\n")),
            [Statement::If { test, then, otherwise }] => {
                out.push_str(&format!("{pad}end else "));
                self.conditional(test, then, otherwise, indent, out);
            }
            _ => {
                out.push_str(&format!("{pad}end else begin\n"));
                self.block(otherwise, indent + 2, out);
                out.push_str(&format!("{pad}end\n"));
            }
        }
    }

    /// The last choice is printed as `default`: no value is left without one, and none infers a latch.
    fn case(&self, test: &Expression, arms: &[Arm], indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let Some((last, firsts)) = arms.split_last() else { return };
        out.push_str(&format!("{pad}case ({})\n", self.fitted(test, indent, indent + 6)));
        let mut at = 0;
        while at < firsts.len() {
            let arm = &firsts[at];
            let mut labels = Vec::new();
            while at < firsts.len() && firsts[at].body == arm.body {
                labels.extend(firsts[at].value.as_ref().map(|value| self.flat(value)));
                at += 1;
            }
            if arm.body.is_empty() && last.body.is_empty() {
                continue;
            }
            self.arm(&labels.join(", "), "", &arm.body, indent + 2, out);
        }
        let remark = last.value.as_ref().map(|value| format!("  // {}", self.flat(value))).unwrap_or_default();
        self.arm("default", &remark, &last.body, indent + 2, out);
        out.push_str(&format!("{pad}endcase\n"));
    }

    fn arm(&self, label: &str, remark: &str, body: &[Statement], indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        if body.is_empty() {
            out.push_str(&format!("{pad}{label}: ;{remark}\n"));
            return;
        }
        out.push_str(&format!("{pad}{label}: begin{remark}\n"));
        self.block(body, indent + 2, out);
        out.push_str(&format!("{pad}end\n"));
    }
}

/// The operands of a chain of one associative operator; the two operands of another.
fn chain<'a>(operator: BinaryOperator, expression: &'a Expression, operands: &mut Vec<&'a Expression>) {
    let Expression::Binary(_, left, right) = expression else { return };
    for side in [left, right] {
        match &**side {
            Expression::Binary(inner, ..) if *inner == operator && operator.is_associative() => {
                chain(operator, side, operands);
            }
            other => operands.push(other),
        }
    }
}

fn unary(operator: UnaryOperator, operand: &Expression) -> &'static str {
    match operator {
        UnaryOperator::Not if operand.width() == 1 => "!",
        UnaryOperator::Not => "~",
        UnaryOperator::All => "&",
        UnaryOperator::Any => "|",
        UnaryOperator::Parity => "^",
    }
}

/// `text` as line comments, wrapped.
pub fn comment(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut row = format!("{}//", " ".repeat(indent));
        let bare = row.len();
        for word in line.split_whitespace() {
            if row.len() + 1 + word.len() > COLUMNS && row.len() > bare {
                out.push_str(&row);
                out.push('\n');
                row.truncate(bare);
            }
            row.push(' ');
            row.push_str(word);
        }
        out.push_str(&row);
        out.push('\n');
    }
    out
}
