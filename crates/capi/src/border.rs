//! Where the unwinding of a call that finds a peer lost ends: each routine is a border, and returns what its manual says.
//!
//! A routine whose result is a status returns [`AfterLoss::ERROR`]. One whose result is a value, a count or the outcome of a test returns
//! [`AfterLoss::NOTHING`]: zero, which no program takes for an element that it may use. A routine without a result has no effect.

use core::ffi::{c_char, c_void};

/// Results of a routine whose call was ended by a loss.
pub(crate) trait AfterLoss {
    /// An error.
    const ERROR: Self;
    /// No value.
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

/// Result of a method after a loss, by the method's name.
macro_rules! after {
    (g) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_compare_swap) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch_add) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch_and) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch_inc) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch_or) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_fetch_xor) => {
        $crate::border::AfterLoss::NOTHING
    };
    (atomic_swap) => {
        $crate::border::AfterLoss::NOTHING
    };
    (signal_fetch) => {
        $crate::border::AfterLoss::NOTHING
    };
    (signal_wait_until) => {
        $crate::border::AfterLoss::NOTHING
    };
    (ct_get) => {
        $crate::border::AfterLoss::NOTHING
    };
    (heap_size) => {
        $crate::border::AfterLoss::NOTHING
    };
    (test) => {
        $crate::border::AfterLoss::NOTHING
    };
    (test_all) => {
        $crate::border::AfterLoss::NOTHING
    };
    (test_all_vector) => {
        $crate::border::AfterLoss::NOTHING
    };
    (test_some) => {
        $crate::border::AfterLoss::NOTHING
    };
    (test_some_vector) => {
        $crate::border::AfterLoss::NOTHING
    };
    (wait_until_some) => {
        $crate::border::AfterLoss::NOTHING
    };
    (wait_until_some_vector) => {
        $crate::border::AfterLoss::NOTHING
    };
    (ptr) => {
        $crate::border::AfterLoss::NOTHING
    };
    (addr_accessible) => {
        $crate::border::AfterLoss::NOTHING
    };
    (pe_accessible) => {
        $crate::border::AfterLoss::NOTHING
    };
    ($other:ident) => {
        $crate::border::AfterLoss::ERROR
    };
}

/// Evaluate a call of a method. If it unwinds because a peer was lost, the result is that of `after`. Methods with a near path have the border in
/// their cold path (`beyond_near` of the runtime), so that the near path needs no frame.
macro_rules! bordered {
    (p $call:expr) => {
        $call
    };
    (g $call:expr) => {
        $call
    };
    (put $call:expr) => {
        $call
    };
    (put_nbi $call:expr) => {
        $call
    };
    (get $call:expr) => {
        $call
    };
    (get_nbi $call:expr) => {
        $call
    };
    (iput $call:expr) => {
        $call
    };
    (iget $call:expr) => {
        $call
    };
    (ibput $call:expr) => {
        $call
    };
    (ibget $call:expr) => {
        $call
    };
    (put_signal $call:expr) => {
        $call
    };
    (put_signal_nbi $call:expr) => {
        $call
    };
    (ptr $call:expr) => {
        $call
    };
    (atomic_fetch $call:expr) => {
        $call
    };
    (atomic_fetch_nbi $call:expr) => {
        $call
    };
    (atomic_set $call:expr) => {
        $call
    };
    (atomic_swap $call:expr) => {
        $call
    };
    (atomic_swap_nbi $call:expr) => {
        $call
    };
    (atomic_compare_swap $call:expr) => {
        $call
    };
    (atomic_compare_swap_nbi $call:expr) => {
        $call
    };
    (atomic_add $call:expr) => {
        $call
    };
    (atomic_fetch_add $call:expr) => {
        $call
    };
    (atomic_fetch_add_nbi $call:expr) => {
        $call
    };
    (atomic_inc $call:expr) => {
        $call
    };
    (atomic_fetch_inc $call:expr) => {
        $call
    };
    (atomic_fetch_inc_nbi $call:expr) => {
        $call
    };
    (atomic_and $call:expr) => {
        $call
    };
    (atomic_fetch_and $call:expr) => {
        $call
    };
    (atomic_fetch_and_nbi $call:expr) => {
        $call
    };
    (atomic_or $call:expr) => {
        $call
    };
    (atomic_fetch_or $call:expr) => {
        $call
    };
    (atomic_fetch_or_nbi $call:expr) => {
        $call
    };
    (atomic_xor $call:expr) => {
        $call
    };
    (atomic_fetch_xor $call:expr) => {
        $call
    };
    (atomic_fetch_xor_nbi $call:expr) => {
        $call
    };
    ($method:ident $call:expr) => {
        ferrite_runtime::at_border(|| $call, $crate::border::after!($method))
    };
}

pub(crate) use {after, bordered};
