//! Medians and quantiles.

/// The value below which `q` (0 to 1) of the values lie, interpolated between neighbours; `None` of no values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = at.floor() as usize;
    let above = at.ceil() as usize;
    Some(sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64))
}

/// The middle value; `None` of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
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
