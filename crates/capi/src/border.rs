//! Where the unwinding of a call that finds a peer lost ends: each routine is a border, and returns what its manual says.
//!
//! A routine whose result is a status returns [`AfterLoss::ERROR`]. One whose result is a value, a count or the outcome of a test returns
//! [`AfterLoss::NOTHING`]: zero, which no program takes for an element that it may use. A routine without a result has no effect.

use core::ffi::{c_char, c_void};

/// Results of a routine whose call was ended by a loss.
pub(crate) trait AfterLoss {
    /// The result of a routine that reports errors.
    const ERROR: Self;
    /// The result of a routine that returns a value.
    const NOTHING: Self;
}

macro_rules! after_loss {
    ($($type:ty: $error:expr, $nothing:expr;)*) => {
        $(impl AfterLoss for $type {
            const ERROR: $type = $error;
            const NOTHING: $type = $nothing;
        })*
    };
}

after_loss! {
    (): (), ();
    i8: -1, 0;
    i16: -1, 0;
    i32: -1, 0;
    i64: -1, 0;
    u8: u8::MAX, 0;
    u16: u16::MAX, 0;
    u32: u32::MAX, 0;
    u64: u64::MAX, 0;
    u128: u128::MAX, 0;
    // SIZE_MAX: no element, as where all are excluded.
    usize: usize::MAX, 0;
    isize: -1, 0;
    f32: 0.0, 0.0;
    f64: 0.0, 0.0;
    *mut c_void: core::ptr::null_mut(), core::ptr::null_mut();
    *mut c_char: core::ptr::null_mut(), core::ptr::null_mut();
}

/// Define `after!` and `bordered!` from the names of methods. `$` is passed to it, since it writes macros with parameters of their own.
macro_rules! borders {
    ($d:tt nothing: $($nothing:ident)*; near: $($near:ident)*;) => {
        /// Result of a method after a loss, by the method's name.
        macro_rules! after {
            $(($nothing) => { $crate::border::AfterLoss::NOTHING };)*
            ($d other:ident) => { $crate::border::AfterLoss::ERROR };
        }

        /// Evaluate a call of a method. If it unwinds because a peer was lost, return `after!` of the method.
        macro_rules! bordered {
            $(($near $d call:expr) => { $d call };)*
            ($d method:ident $d call:expr) => {
                ferrite_runtime::at_border(|| $d call, $crate::border::after!($d method))
            };
        }

        pub(crate) use {after, bordered};
    };
}

borders! { $
    // Methods whose result is a value, a count or the outcome of a test.
    nothing:
        g atomic_compare_swap atomic_fetch atomic_fetch_add atomic_fetch_and atomic_fetch_inc atomic_fetch_or atomic_fetch_xor
        atomic_swap signal_fetch signal_wait_until ct_get heap_size test test_all test_all_vector test_some test_some_vector
        wait_until_some wait_until_some_vector ptr addr_accessible pe_accessible
    ;
    // Methods with a near path, which needs no frame: their border is in the cold path (`at_cold_border` of the runtime).
    near:
        p g put put_nbi get get_nbi iput iget ibput ibget put_signal put_signal_nbi ptr atomic_fetch atomic_fetch_nbi atomic_set
        atomic_swap atomic_swap_nbi atomic_compare_swap atomic_compare_swap_nbi atomic_add atomic_fetch_add atomic_fetch_add_nbi
        atomic_inc atomic_fetch_inc atomic_fetch_inc_nbi atomic_and atomic_fetch_and atomic_fetch_and_nbi atomic_or atomic_fetch_or
        atomic_fetch_or_nbi atomic_xor atomic_fetch_xor atomic_fetch_xor_nbi
    ;
}
