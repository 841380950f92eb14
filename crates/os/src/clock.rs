//! The clock that all processes of a host share, and times as users write them.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time of the host's monotonic clock in nanoseconds.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// A number of seconds above 0, such as `90` or `2.5`.
pub fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9)?;
    Some(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_numbers_above_zero() {
        for (text, ms) in [("90", 90_000), (" 2.5\n", 2500), ("1e-3", 1)] {
            assert_eq!(parse_seconds(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for wrong in ["", "0", "-1", "10s", "inf", "nan", "1e9", "soon"] {
            assert_eq!(parse_seconds(wrong), None, "{wrong}");
        }
    }
}
