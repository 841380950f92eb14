//! The simplest tool. It reports each call on standard error if `FERRITE_LOG=ferrite_runtime::observe=trace` is set, and has a span for
//! each collective if `FERRITE_LOG=ferrite_runtime::coll=trace` is set: a line gives the time that it took.

use core::{cell::Cell, mem::ManuallyDrop};
use ferrite_callstack::caller::CallSite;
use ferrite_fabric::Result;
use ferrite_os::mutex;
use ferrite_runtime::observe::{Attachment, Call, Observer, Start, Tool, View};
use std::{collections::HashMap, sync::Mutex};
use tracing::{Level, field::display, span::EnteredSpan};

/// Attaches the observer if the user wants lines that it writes.
pub struct Logger;

impl Tool for Logger {
    fn attach(&self, _start: &Start<'_>) -> Result<Option<Attachment>> {
        let calls = tracing::enabled!(target: "ferrite_runtime::observe", Level::TRACE);
        let collectives = tracing::enabled!(target: "ferrite_runtime::coll", Level::TRACE);
        Ok((calls || collectives).then(|| Attachment::of(Log { calls, places: Mutex::default() })))
    }
}

/// Reports calls as they return, or the time that collectives take.
struct Log {
    calls: bool,
    /// Places in the source that were looked up.
    places: Mutex<HashMap<CallSite, String>>,
}

thread_local! {
    /// The span of the collective that this thread is in. A thread that ends within one leaves it open: the code that writes the line of
    /// its end may be gone by then.
    static SPAN: Cell<Option<ManuallyDrop<EnteredSpan>>> = const { Cell::new(None) };
}

impl Observer for Log {
    fn before(&self, _view: View<'_>, call: &Call) {
        if let Some(number) = group_number(call) {
            let (members, bytes) = (call.group.map(|group| group.size), call.layout.bytes());
            let routine = call.site.name;
            let span =
                tracing::trace_span!(target: "ferrite_runtime::coll", "collective", routine, number, members, bytes);
            SPAN.set(Some(ManuallyDrop::new(span.entered())));
        }
    }

    fn after(&self, _view: View<'_>, call: &Call) {
        if self.calls {
            self.report(call);
        }
        leave();
    }

    fn finish(&self, _view: View<'_>) {
        leave();
    }
}

/// End the span of the collective that this thread is in.
fn leave() {
    drop(SPAN.take().map(ManuallyDrop::into_inner));
}

impl Log {
    fn report(&self, call: &Call) {
        let at = call.caller();
        let place = mutex::lock(&self.places).entry(at).or_insert_with(|| at.source().to_string()).clone();
        let Call { site, pe, local, remote, layout, root, result, .. } = call;
        let (bytes, number) = (layout.bytes(), group_number(call));
        let (update, signal) = (call.word.map(display), call.signal.map(display));
        tracing::trace!(
            target: "ferrite_runtime::observe",
            pe,
            bytes,
            local = format_args!("{local:#x}"),
            remote = format_args!("{remote:#x}"),
            root,
            result = format_args!("{result:#x}"),
            number,
            update,
            signal,
            "{} at {place}",
            site.name
        );
    }
}

/// Number of a call among its group's collectives, if it is a collective.
fn group_number(call: &Call) -> Option<u64> {
    call.group.filter(|_| call.kind.is_collective()).map(|group| group.number)
}
