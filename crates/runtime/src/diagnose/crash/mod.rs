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
use core::{ptr, sync::atomic::AtomicPtr};
use ferrite_program::crash::{self, Death, Reporter};

impl Live {
    /// Report when the process of this PE ends by a signal, until [`forget`](crash::forget).
    pub(crate) fn watch_crashes(&self) {
        if self.diagnosis.is_on && self.settings.crash_report {
            // SAFETY: a world that is closed forgets its state before it drops it, and the state does not move meanwhile.
            unsafe { crash::watch(self) };
        }
    }
}

impl Reporter for Live {
    fn current() -> &'static AtomicPtr<Live> {
        static LIVE: AtomicPtr<Live> = AtomicPtr::new(ptr::null_mut());
        &LIVE
    }

    fn pe(&self) -> u32 {
        self.me
    }

    fn report(&self, death: &Death) {
        story::tell(self, death);
    }
}
