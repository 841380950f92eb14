//! Handles SIGINT and SIGTERM.
//!
//! The first signal ends the run in progress, and the results so far are shown. A run has its own process group and does not receive the
//! signal itself.

use std::fs;
use std::future::pending;
use std::process;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::Signal;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::Error;

/// Event sent to the watchdog of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run has ended.
    Finished,
    /// The run must end, because this signal has arrived.
    Interrupted(Signal),
}

/// The first signal that arrived, and the watchdog to notify.
pub struct Interrupt(Mutex<Inner>);

struct Inner {
    signal: Option<Signal>,
    watchdog: Option<Sender<Event>>,
}

static INTERRUPT: Interrupt = Interrupt::new();

/// The interrupt that the signals of this process raise.
pub fn interrupt() -> &'static Interrupt {
    &INTERRUPT
}

impl Interrupt {
    /// An interrupt without a signal.
    pub const fn new() -> Self {
        Self(Mutex::new(Inner { signal: None, watchdog: None }))
    }

    /// The first signal, if one has arrived.
    pub fn signal(&self) -> Option<Signal> {
        self.state().signal
    }

    /// Return an error if a signal has arrived, so that nothing more is started.
    pub fn check(&self) -> Result<(), Error> {
        self.signal().map_or(Ok(()), |signal| Err(format!("ended by {}", name(signal)).into()))
    }

    /// Notify the run in progress of this signal; `false` if it is not the first.
    pub fn raise(&self, signal: Signal) -> bool {
        let mut state = self.state();
        if state.signal.is_some() {
            return false;
        }
        state.signal = Some(signal);
        if let Some(watchdog) = &state.watchdog {
            // If the watchdog is gone, its run has ended.
            let _ = watchdog.send(Event::Interrupted(signal));
        }
        true
    }

    /// Register this watchdog for notification. A signal that has already arrived is sent at once.
    pub fn notify(&self, watchdog: Sender<Event>) {
        let mut state = self.state();
        if let Some(signal) = state.signal {
            let _ = watchdog.send(Event::Interrupted(signal));
        }
        state.watchdog = Some(watchdog);
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The signal's usual name.
pub fn name(signal: Signal) -> &'static str {
    if signal == Signal::INT { "SIGINT" } else { "SIGTERM" }
}

/// Exit code of a process that a signal ended.
pub fn exit_code(signal: Signal) -> u8 {
    u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX)
}

/// Raise the interrupt for SIGINT and SIGTERM from now on. A second signal ends this program at once, and the kernel signals its children.
/// A signal that was ignored when this program started (nohup, a shell's `&`) stays ignored.
pub fn listen() -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    for each in [Signal::INT, Signal::TERM].into_iter().filter(|&each| !ignored(&status, each)) {
        let mut heard = signal(SignalKind::from_raw(each.as_raw()))?;
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                if !interrupt().raise(each) {
                    end_at_once(each);
                }
            }
        });
    }
    drop(entered);
    thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(pending::<()>()))?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a program that is no PE, whose user has asked twice")]
fn end_at_once(signal: Signal) -> ! {
    process::exit(exit_code(signal).into())
}

/// True if the process of this `/proc/PID/status` ignores a signal.
fn ignored(status: &str, signal: Signal) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    set >> (signal.as_raw() - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn the_first_signal_counts_and_is_told_once_to_who_is_there_or_comes() {
        let interrupt = Interrupt::new();
        let ((first, told_first), (second, told_second)) = (mpsc::channel(), mpsc::channel());
        interrupt.notify(first);
        assert!(interrupt.check().is_ok());
        assert!(interrupt.raise(Signal::TERM) && !interrupt.raise(Signal::INT));
        interrupt.notify(second);
        for told in [told_first, told_second] {
            assert_eq!(told.try_iter().collect::<Vec<_>>(), [Event::Interrupted(Signal::TERM)]);
        }
        assert_eq!(interrupt.check().unwrap_err().to_string(), "ended by SIGTERM");
        assert_eq!((exit_code(Signal::INT), exit_code(Signal::TERM)), (130, 143));
    }

    #[test]
    fn ignored_signals_are_read_from_the_kernel() {
        let status = "SigBlk:\t0000000000004002\nSigIgn:\t0000000000001002\n";
        assert!(ignored(status, Signal::INT) && !ignored(status, Signal::TERM));
        assert!(!ignored("", Signal::INT));
    }
}
