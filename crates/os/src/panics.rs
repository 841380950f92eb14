//! Panics of programs that must not unwind.

use std::{panic, process};

/// Have each panic end this process, after its report, on whichever thread it is: as if the program were compiled with `panic = "abort"`.
pub fn abort() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        process::abort()
    }));
}
