//! Facts of the process that are not a world's.
//!
//! | file | job |
//! |---|---|
//! | `address_kind` | the kind of memory that an address is in |
//! | `child` | keeps children of fork out of the job |

pub(crate) mod address_kind;
pub(crate) mod child;

use core::cell::Cell;

thread_local! {
    static IS_LAST: Cell<bool> = const { Cell::new(false) };
}

/// True in the thread that ends the process after the last thread of the program has ended.
pub fn is_last_thread() -> bool {
    IS_LAST.get()
}

/// Mark the calling thread as the one that ends the process.
pub(crate) fn mark_last_thread() {
    IS_LAST.set(true);
}
