//! The text of the report about a PE's end: the frames, then the line that matters.

use super::address;
use crate::live::Live;
use ferrite_callstack::frames::Frames;
use ferrite_diagnose::report::last_calls;
use ferrite_program::crash::{Death, Touched};
use std::{fmt::Write as _, io::Write as _};

/// Runs in the child, which is a copy of the PE.
pub(super) fn tell(live: &Live, death: &Death) {
    let frames = Frames::of_thread(death.at);
    let me = live.me;
    let mut text = String::new();
    if let Some(line) = last_calls(me, &live.diagnosis.boards.own().past()) {
        let _ = writeln!(text, "ferrite: {}", line.trim_start());
    }
    for line in frames.lines() {
        let _ = writeln!(text, "ferrite: PE {me}:   {line}");
    }
    let _ = write!(text, "ferrite: PE {me}: {}", death.name);
    let place = match (frames.routine(), frames.place()) {
        (Some(routine), Some(place)) => format!("in {routine}, called at {place}"),
        (Some(routine), None) => format!("in {routine}"),
        (None, Some(place)) => format!("at {place}"),
        (None, None) => String::new(),
    };
    // For the record of the run. The child shares the board with the PE.
    live.diagnosis.die(&place);
    let comma = if place.is_empty() { "" } else { ", " };
    let _ = write!(text, "{comma}{place}");
    if let Some(address) = death.address {
        let _ = match death.stack.is_some_and(|stack| address.abs_diff(stack) < STACK_REACH) {
            true => write!(text, ": the stack is full (ulimit -s)"),
            false => match (address::from_null(address), argument(&frames, death.touched)) {
                (Some(null), Some(argument)) => write!(text, ": {argument} is {null}"),
                _ => write!(text, ": {}", address::describe(live, address)),
            },
        };
    }
    text.push('\n');
    // One write, so that lines of PEs do not mix.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The argument whose memory the library has accessed: the source of a put if it was read, the destination of a get if it was written. A
/// routine that ends in a jump to the copy has no frame, and no other routine does that.
fn argument(frames: &Frames, touched: Option<Touched>) -> Option<&'static str> {
    let touched = touched.filter(|_| frames.begin_in_library())?;
    let routine = frames.routine();
    let is = |part| routine.as_ref().is_none_or(|routine| routine.contains(part));
    match touched {
        Touched::Read if is("put") => Some("source"),
        Touched::Written if is("get") => Some("dest"),
        Touched::Written if is("fetch") => Some("fetch"),
        _ => None,
    }
}

/// An access this close to the stack's end, in bytes, that faults is beyond the stack.
const STACK_REACH: usize = 64 << 10;
