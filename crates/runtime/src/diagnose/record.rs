//! `SHMEM_RECORD=all`. While an observer is attached, every call takes the path on which calls outside of the near path are recorded. That
//! covers most calls; this observer records the rest.

use crate::observe::{Call, Kind, Observer, View};

pub(crate) struct RecordAll;

impl Observer for RecordAll {
    fn before(&self, view: View<'_>, call: &Call) {
        let is_new = matches!(
            call.kind,
            Kind::Test | Kind::TryLock | Kind::CreateContext | Kind::DestroyContext | Kind::Send | Kind::Flush
        );
        if is_new {
            view.live.note(call.site, None, 0);
        }
    }
}
