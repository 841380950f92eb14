//! `SHMEM_RECORD=all`. That somebody observes has every call come to where those are recorded that are not on the near path: that is most of
//! it. The rest are calls that nothing else records.

use crate::{
    World,
    live::Live,
    observe::{Call, Kind, Observer},
};

/// The observer.
pub(crate) struct RecordAll;

impl Observer for RecordAll {
    fn before(&self, _world: &World, live: &Live, call: &Call) {
        let is_new = matches!(
            call.kind,
            Kind::Test | Kind::TryLock | Kind::CreateContext | Kind::DestroyContext | Kind::Send | Kind::Flush
        );
        if is_new {
            live.note(call.site, None, 0);
        }
    }
}
