//! Medians and quantiles.

/// The value below which `q` (0 to 1) of the values lie, interpolated between neighbours; `None` if there are no values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at.floor() as usize;
    let above = at.ceil() as usize;
    Some(sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64))
}

/// The middle value; `None` if there are no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Probability that [`median_interval`] contains the median.
const CONFIDENCE: f64 = 0.95;

/// An interval that contains the median of the underlying distribution with a probability of [`CONFIDENCE`], whatever that distribution is.
/// It goes from one of the smallest to one of the largest of the values. Fewer than six values do not reach this confidence; then the
/// interval goes from the smallest to the largest. `None` if there are no values.
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    // Each value is below the median with probability 1/2. Count how many values may be left out at each end.
    let (mut outside, mut ways, mut left_out) = (0.0, 1.0, 0);
    for k in 0..n / 2 {
        outside += ways * 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
        if 1.0 - 2.0 * outside < CONFIDENCE {
            break;
        }
        left_out = k;
        ways *= (n - k) as f64 / (k + 1) as f64;
    }
    Some((*sorted.get(left_out)?, *sorted.get(n - 1 - left_out)?))
}

/// The geometric mean of values above zero; `None` if there are no values.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
    }

    #[test]
    fn the_interval_leaves_out_no_more_than_it_may() {
        assert_eq!(median_interval(&[]), None);
        // The tables of the sign test: all of 5 to 8 values, all but one at each end of 9 to 11, all but two of 12.
        for (n, left_out) in [(1, 0), (3, 0), (5, 0), (8, 0), (9, 1), (11, 1), (12, 2), (15, 3), (20, 5)] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let expected = (f64::from(1 + left_out), f64::from(n - left_out));
            assert_eq!(median_interval(&values), Some(expected), "{n}");
        }
        assert!((geometric_mean(&[0.5, 2.0, 8.0]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }

    proptest! {
        #[test]
        fn quantiles_stay_inside_and_in_order(values in prop::collection::vec(-1e9..1e9f64, 1..40)) {
            let low = quantile(&values, 0.25).unwrap();
            let middle = median(&values).unwrap();
            let high = quantile(&values, 0.75).unwrap();
            let min = values.iter().copied().fold(f64::INFINITY, f64::min);
            let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(min <= low && low <= middle && middle <= high && high <= max);
        }
    }
}
