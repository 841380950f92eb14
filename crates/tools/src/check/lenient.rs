//! Mistakes that the library tolerates, because others do and programs rely on it.

use super::{
    Check,
    findings::{Finding, Weight},
};
use core::ffi::c_int;
use ferrite_callstack::caller;
use ferrite_runtime::{World, observe::View};

impl Check {
    /// Report a PE that calls a routine of an active set and is not one of its members.
    pub(super) fn called_by_an_outsider(&self, view: View<'_>, site: u16, [start, log_stride, size]: [c_int; 3]) {
        let here = self.place_of(site);
        self.tell(
            &view,
            &Finding {
                kind: "collective",
                weight: Weight::Error,
                what: format!(
                    "{} at {} is called by PE {}, which is not in the active set (PE_start {start}, logPE_stride {log_stride}, \
                     PE_size {size})",
                    here.what, here.at, self.me
                ),
                right: "only its members may call it; this call was ignored".into(),
                places: vec![here.at],
            },
        );
    }

    /// Finalize was called once more than init.
    pub(super) fn finalized_once_more(&self, world: &World, routine: &str) {
        let at = caller::find().source().to_string();
        self.tell(
            world,
            &Finding {
                kind: "finalize",
                weight: Weight::Error,
                what: format!("{routine} at {at} is called more often than init"),
                right: "call finalize once for each init; this call was ignored".into(),
                places: vec![at],
            },
        );
    }
}
