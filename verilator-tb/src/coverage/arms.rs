//! The last arm of a choice, `default`, which the export always writes: where it cannot be reached, and why.

/// Why the `default` in line `at` is not reached, counted from 0; none if it may be.
pub fn unreachable(lines: &[&str], at: usize) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let default = lines[at].trim().strip_prefix("default:")?;
    if default.trim() == ";" {
        return Some("an empty arm: there is nothing to run".to_string());
    }
    let begins = (0..at).rev().find(|line| indent(lines[*line]) + 2 == indent(lines[at]))?;
    let chosen = lines[begins].trim().strip_prefix("case (")?.strip_suffix(')')?;
    let arms: Vec<&str> = lines[begins + 1..at]
        .iter()
        .filter(|line| indent(line) == indent(lines[at]))
        .filter_map(|line| line.trim().strip_suffix(": begin"))
        .collect();
    // A register that has no other assignments than those in its own module.
    let gives = format!("{chosen} <= ");
    let given = lines.iter().filter_map(|line| line.trim().strip_prefix(&gives)?.strip_suffix(';'));
    let given: Vec<&str> = given.collect();
    let all = !given.is_empty() && given.iter().all(|value| arms.contains(value));
    all.then(|| format!("every value that {chosen} is ever given has an arm of its own"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XV-08: a default is unreachable if the register never gets a value without an arm, and only then.
    #[test]
    fn xv_08_a_default_is_out_of_reach_where_every_value_has_an_arm() {
        let text = "  always @(posedge clock) begin\n    if (reset) begin\n      step <= REST;\n    end else begin\n      \
                    case (step)\n        REST: begin\n          step <= WORK;\n        end\n        WORK: begin\n          \
                    step <= REST;\n        end\n        default: begin\n          step <= REST;\n        end\n      \
                    endcase\n    end\n  end\n";
        let of = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| line.contains("default")).expect("a default");
            unreachable(&lines, at)
        };
        assert!(of(text).is_some_and(|reason| reason.contains("step")));
        assert_eq!(of(&text.replace("step <= WORK", "step <= AWAY")), None);
        assert_eq!(of(&text.replace("step <= WORK", "step <= next")), None);
        assert_eq!(of(&text.replace("step <=", "other <=")), None);
        assert!(of("    case (a)\n      default: ;\n    endcase\n").is_some());
    }
}
