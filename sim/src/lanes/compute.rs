//! Arithmetic of one thread.

use crate::isa::{AtomicOperation, Comparison, Compute, Domain};

/// Every not-a-number that an instruction makes, so that results do not depend on the machine below.
const NOT_A_NUMBER: u32 = 0x7fc0_0000;

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn bits_of(value: f32) -> u32 {
    if value.is_nan() {
        NOT_A_NUMBER
    } else {
        value.to_bits()
    }
}

/// The result of `operation` on its sources; `select` is the predicate of SEL.
pub fn compute(operation: Compute, a: u32, b: u32, c: u32, select: bool) -> u32 {
    match operation {
        Compute::Move => b,
        Compute::Add => a.wrapping_add(b),
        Compute::Subtract => a.wrapping_sub(b),
        Compute::MultiplyAdd => a.wrapping_mul(b).wrapping_add(c),
        Compute::MultiplyHighSigned => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        Compute::MultiplyHighUnsigned => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Compute::And => a & b,
        Compute::Or => a | b,
        Compute::ExclusiveOr => a ^ b,
        Compute::Not => !b,
        Compute::ShiftLeft => a.checked_shl(b).unwrap_or(0),
        Compute::ShiftRightUnsigned => a.checked_shr(b).unwrap_or(0),
        Compute::ShiftRightSigned => ((a as i32) >> b.min(31)) as u32,
        Compute::Select => [b, a][usize::from(select)],
        Compute::PopulationCount => b.count_ones(),
        Compute::FindFirst => [b.trailing_zeros(), u32::MAX][usize::from(b == 0)],
        Compute::FloatAdd => bits_of(float(a) + float(b)),
        Compute::FloatMultiply => bits_of(float(a) * float(b)),
        Compute::FloatMultiplyAdd => bits_of(float(a).mul_add(float(b), float(c))),
        Compute::FloatReciprocal => bits_of(1.0 / float(b)),
        Compute::FloatReciprocalSquareRoot => bits_of(1.0 / float(b).sqrt()),
        Compute::SignedToFloat => bits_of(b as i32 as f32),
        Compute::UnsignedToFloat => bits_of(b as f32),
        Compute::FloatToSigned => float(b) as i32 as u32,
        Compute::FloatToUnsigned => float(b) as u32,
    }
}

/// Whether the comparison holds.
pub fn compare(domain: Domain, comparison: Comparison, a: u32, b: u32) -> bool {
    fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
        match comparison {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
    match domain {
        Domain::Signed => holds(comparison, a as i32, b as i32),
        Domain::Unsigned => holds(comparison, a, b),
        Domain::Float => holds(comparison, float(a), float(b)),
    }
}

/// What an atomic leaves in memory: `expected` is the first operand of compare-and-swap.
pub fn combine(operation: AtomicOperation, old: u32, expected: u32, operand: u32) -> u32 {
    match operation {
        AtomicOperation::Add => old.wrapping_add(operand),
        AtomicOperation::And => old & operand,
        AtomicOperation::Or => old | operand,
        AtomicOperation::Exchange => operand,
        AtomicOperation::CompareAndSwap => [old, operand][usize::from(old == expected)],
        AtomicOperation::MinimumSigned => (old as i32).min(operand as i32) as u32,
        AtomicOperation::MinimumUnsigned => old.min(operand),
        AtomicOperation::MaximumSigned => (old as i32).max(operand as i32) as u32,
        AtomicOperation::MaximumUnsigned => old.max(operand),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// IS-03: integer results at the edges of their ranges.
    #[rstest]
    #[case(Compute::Add, u32::MAX, 2, 0, 1)]
    #[case(Compute::Subtract, 1, 2, 0, u32::MAX)]
    #[case(Compute::MultiplyAdd, 0x1_0001, 0x1_0001, 5, 0x0002_0006)]
    #[case(Compute::MultiplyHighSigned, -2_i32 as u32, 3, 0, u32::MAX)]
    #[case(Compute::MultiplyHighUnsigned, -2_i32 as u32, 3, 0, 2)]
    #[case(Compute::Not, 7, 0x0f0f_0f0f, 0, 0xf0f0_f0f0)]
    #[case(Compute::ShiftLeft, 1, 31, 0, 0x8000_0000)]
    #[case(Compute::ShiftLeft, 1, 32, 0, 0)]
    #[case(Compute::ShiftRightUnsigned, 0x8000_0000, 31, 0, 1)]
    #[case(Compute::ShiftRightUnsigned, 0x8000_0000, 200, 0, 0)]
    #[case(Compute::ShiftRightSigned, 0x8000_0000, 200, 0, u32::MAX)]
    #[case(Compute::ShiftRightSigned, 0x4000_0000, 30, 0, 1)]
    #[case(Compute::PopulationCount, 0, 0xf00f, 0, 8)]
    #[case(Compute::FindFirst, 0, 0x50, 0, 4)]
    #[case(Compute::FindFirst, 0, 0, 0, u32::MAX)]
    fn integer_results(
        #[case] operation: Compute,
        #[case] a: u32,
        #[case] b: u32,
        #[case] c: u32,
        #[case] result: u32,
    ) {
        assert_eq!(compute(operation, a, b, c, false), result);
    }

    /// IS-03: float results, conversions that saturate, one not-a-number.
    #[rstest]
    #[case(Compute::FloatAdd, 1.5, 2.25, 0.0, 3.75)]
    #[case(Compute::FloatMultiply, 1.5, -2.0, 0.0, -3.0)]
    #[case(Compute::FloatMultiplyAdd, 16_777_217.0, 1.0, 0.5, 16_777_216.0)]
    #[case(Compute::FloatReciprocal, 0.0, 4.0, 0.0, 0.25)]
    #[case(Compute::FloatReciprocal, 0.0, 0.0, 0.0, f32::INFINITY)]
    #[case(Compute::FloatReciprocalSquareRoot, 0.0, 16.0, 0.0, 0.25)]
    fn float_results(#[case] operation: Compute, #[case] a: f32, #[case] b: f32, #[case] c: f32, #[case] result: f32) {
        assert_eq!(float(compute(operation, a.to_bits(), b.to_bits(), c.to_bits(), false)), result);
    }

    /// IS-03: conversions round towards zero and saturate.
    #[test]
    fn conversions() {
        let convert = |operation, value: f32| compute(operation, 0, value.to_bits(), 0, false);
        assert_eq!(convert(Compute::FloatToSigned, -2.9) as i32, -2);
        assert_eq!(convert(Compute::FloatToSigned, 1e20) as i32, i32::MAX);
        assert_eq!(convert(Compute::FloatToUnsigned, -1.0), 0);
        assert_eq!(convert(Compute::FloatToUnsigned, f32::NAN), 0);
        assert_eq!(float(compute(Compute::SignedToFloat, 0, -3_i32 as u32, 0, false)), -3.0);
        assert_eq!(float(compute(Compute::UnsignedToFloat, 0, 0x8000_0000, 0, false)), 2_147_483_648.0);
        let zero_over_zero = compute(Compute::FloatReciprocalSquareRoot, 0, (-1.0_f32).to_bits(), 0, false);
        assert_eq!(zero_over_zero, NOT_A_NUMBER);
    }

    /// IS-03: comparisons in each domain; not-a-number is unequal to everything.
    #[test]
    fn comparisons() {
        let minus_one = -1_i32 as u32;
        assert!(compare(Domain::Signed, Comparison::Less, minus_one, 0));
        assert!(!compare(Domain::Unsigned, Comparison::Less, minus_one, 0));
        assert!(compare(Domain::Unsigned, Comparison::GreaterOrEqual, 3, 3));
        assert!(!compare(Domain::Signed, Comparison::Greater, 3, 3));
        let nan = f32::NAN.to_bits();
        assert!(compare(Domain::Float, Comparison::NotEqual, nan, nan));
        assert!(!compare(Domain::Float, Comparison::Equal, nan, nan));
        assert!(!compare(Domain::Float, Comparison::LessOrEqual, nan, 0));
        assert!(compare(Domain::Float, Comparison::Equal, 0.0_f32.to_bits(), (-0.0_f32).to_bits()));
    }

    /// IS-03: what atomics leave behind.
    #[test]
    fn atomics() {
        let minus_one = -1_i32 as u32;
        assert_eq!(combine(AtomicOperation::Add, minus_one, 0, 3), 2);
        assert_eq!(combine(AtomicOperation::And, 6, 0, 3), 2);
        assert_eq!(combine(AtomicOperation::Or, 6, 0, 3), 7);
        assert_eq!(combine(AtomicOperation::Exchange, 6, 0, 3), 3);
        assert_eq!(combine(AtomicOperation::CompareAndSwap, 6, 6, 3), 3);
        assert_eq!(combine(AtomicOperation::CompareAndSwap, 6, 5, 3), 6);
        assert_eq!(combine(AtomicOperation::MinimumSigned, minus_one, 0, 3), minus_one);
        assert_eq!(combine(AtomicOperation::MinimumUnsigned, minus_one, 0, 3), 3);
        assert_eq!(combine(AtomicOperation::MaximumSigned, minus_one, 0, 3), 3);
        assert_eq!(combine(AtomicOperation::MaximumUnsigned, minus_one, 0, 3), minus_one);
    }
}
