//! Sums, and the functions of the losses, the same to the last bit on every machine.
//!
//! The standard library leaves `exp` and `ln` to the system, and systems differ in the last digit;
//! a model would then depend on where it was trained. These are ports of one implementation
//! (FreeBSD's msun by way of musl) in plain arithmetic.

pub(crate) use libm::{exp, log as ln, log1p as ln_1p};

/// The sum of some numbers, compensated (Neumaier 1974): as if it were added up with twice the
/// digits, so that large terms that cancel leave the small ones intact.
pub(crate) fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0f64;
    let mut lost = 0.0f64;
    for value in values {
        let next = sum + value;
        let (large, small) = if sum.abs() >= value.abs() { (sum, value) } else { (value, sum) };
        lost += (large - next) + small;
        sum = next;
    }
    // Beyond the range of numbers there is nothing to put right.
    if lost.is_finite() { sum + lost } else { sum }
}

/// The exponent of the largest power of two that is not above `x`, which is positive and finite.
pub(crate) fn floor_log2(x: f64) -> i32 {
    const MANTISSA: u32 = 52;
    let biased = (x.to_bits() >> MANTISSA) as i32;
    if biased > 0 {
        return biased - 1023;
    }
    // Below the normal range the place of the first digit counts.
    let digits = u64::BITS - x.to_bits().leading_zeros();
    digits as i32 - 1 - 1074
}

#[cfg(test)]
mod tests {
    use super::{exp, floor_log2, ln, ln_1p, sum};

    #[test]
    fn what_cancels_leaves_the_rest() {
        assert_eq!(sum([1e16, 1.0, -1e16, 1e-9].into_iter()), 1.0 + 1e-9);
        assert_eq!(sum([].into_iter()), 0.0);
        assert_eq!(sum([f64::MAX, f64::MAX].into_iter()), f64::INFINITY);
        assert!(sum([f64::NAN, 1.0].into_iter()).is_nan());
    }

    #[test]
    fn exponents_are_exact() {
        for e in -1074..=1023 {
            let power = if e < -1022 { f64::from_bits(1 << (e + 1074)) } else { 2f64.powi(e) };
            assert_eq!(floor_log2(power), e);
            if e > -1074 {
                assert_eq!(floor_log2(power.next_down()), e - 1);
            }
        }
        assert_eq!(floor_log2(f64::MAX), 1023);
    }

    /// Bits that any machine must give.
    #[test]
    fn functions_are_the_same_everywhere() {
        assert_eq!(exp(1.0).to_bits(), 0x4005_bf0a_8b14_576a);
        assert_eq!(exp(-0.7).to_bits(), 0x3fdf_c80d_b9dd_5542);
        assert_eq!(ln(3.0).to_bits(), 0x3ff1_93ea_7aad_030a);
        assert_eq!(ln_1p(0.3).to_bits(), 0x3fd0_ca93_7be1_b9dc);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(1e3), f64::INFINITY);
    }
}
