//! The plainest observer: reports each call on standard error, where `FERRITE_LOG=ferrite_runtime::observe=trace` asks for that.

use super::{Call, Observer, caller::CallSite};
use crate::{World, live::Live};
use ferrite_os::mutex;
use std::{collections::HashMap, sync::Mutex};

/// Reports calls as they return.
#[derive(Default)]
pub(crate) struct Log {
    /// The places in the source that were looked up.
    places: Mutex<HashMap<CallSite, String>>,
}

impl Log {
    /// One, if the user wants it.
    pub fn wanted() -> Option<Log> {
        tracing::enabled!(target: "ferrite_runtime::observe", tracing::Level::TRACE).then(Log::default)
    }
}

impl Observer for Log {
    fn after(&self, _world: &World, _live: &Live, call: &Call) {
        let at = call.caller();
        let place = mutex::lock(&self.places).entry(at).or_insert_with(|| at.source().to_string()).clone();
        let Call { site, pe, local, remote, layout, root, result, .. } = call;
        let (bytes, number) = (layout.bytes(), group_number(call));
        let (update, signal) = (call.word, call.signal);
        tracing::trace!(
            target: "ferrite_runtime::observe",
            pe,
            bytes,
            local = format_args!("{local:#x}"),
            remote = format_args!("{remote:#x}"),
            root,
            result = format_args!("{result:#x}"),
            number,
            ?update,
            ?signal,
            "{} at {place}",
            site.name
        );
    }
}

/// Which of its group's collectives a call is, if it is one.
fn group_number(call: &Call) -> Option<u64> {
    call.group.filter(|_| call.kind.is_collective()).map(|group| group.number)
}
