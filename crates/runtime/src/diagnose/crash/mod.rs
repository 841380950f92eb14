//! The report of a PE that dies by a signal: the signal, the place in the program, and the address that was touched. `ferrite_program::crash`
//! has the handlers, and calls [`Reporter::report`] in a child, which is a copy of the PE.
//!
//! | file | job |
//! |---|---|
//! | `story` | the text of the report |
//! | `address` | description of an address: whether it is symmetric, its PE, and how far outside of which block it is |

mod address;
mod story;

use crate::live::Live;
use core::{
    ptr,
    sync::atomic::{AtomicPtr, Ordering::SeqCst},
};
use ferrite_program::crash::{self, Reporter};

/// The state of this process's PE, for the handlers. Null if there is none.
static LIVE: AtomicPtr<Live> = AtomicPtr::new(ptr::null_mut());

/// The state of this process's PE.
fn live() -> Option<&'static Live> {
    // SAFETY: null, or a state that `forget` has yet to take. It is neither moved nor dropped before.
    unsafe { LIVE.load(SeqCst).as_ref() }
}

impl Live {
    /// Report when the process of this PE ends by a signal, until [`forget`].
    pub(crate) fn watch_crashes(&self) {
        if self.diagnosis.is_on && self.settings.crash_report {
            LIVE.store(ptr::from_ref(self).cast_mut(), SeqCst);
            let report = |death: &_| live().map(|live| story::tell(live, death)).is_some();
            crash::watch(Reporter { pe: || live().map(|live| live.me), report });
        }
    }
}

/// This PE is about to leave the job.
pub(crate) fn forget(live: *mut Live) {
    let _ = LIVE.compare_exchange(live, ptr::null_mut(), SeqCst, SeqCst);
}
