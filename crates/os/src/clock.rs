//! The clock that all processes of a host have in common.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the host's monotonic clock.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
