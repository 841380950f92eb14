//! SIGINT and SIGTERM. The run in progress is ended, since it is a process group of its own that hears of neither, and
//! what was measured until then is shown.

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

/// What a run's watchdog is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The run has ended.
    Over,
    /// It shall end, for this signal has come.
    Interrupted(Signal),
}

/// Rung by the first signal, for good.
pub struct Bell(Mutex<State>);

struct State {
    rung: Option<Signal>,
    watchdog: Option<Sender<Call>>,
}

static BELL: Bell = Bell::new();

/// The one that signals ring.
pub fn bell() -> &'static Bell {
    &BELL
}

impl Bell {
    /// One that has not been rung.
    pub const fn new() -> Self {
        Self(Mutex::new(State { rung: None, watchdog: None }))
    }

    /// The signal that came.
    pub fn rung(&self) -> Option<Signal> {
        self.state().rung
    }

    /// An error if a signal has come: there is nothing more to begin.
    pub fn silent(&self) -> Result<(), Error> {
        self.rung().map_or(Ok(()), |signal| Err(format!("ended by {}", name(signal)).into()))
    }

    /// Tells the run in progress of this signal; `false` if it is not the first.
    pub fn ring(&self, signal: Signal) -> bool {
        let mut state = self.state();
        if state.rung.is_some() {
            return false;
        }
        state.rung = Some(signal);
        if let Some(watchdog) = &state.watchdog {
            // A watchdog that has gone needs no telling: its run has ended.
            let _ = watchdog.send(Call::Interrupted(signal));
        }
        true
    }

    /// Has this watchdog told, also of a signal that has come already.
    pub fn tell(&self, watchdog: Sender<Call>) {
        let mut state = self.state();
        if let Some(signal) = state.rung {
            let _ = watchdog.send(Call::Interrupted(signal));
        }
        state.watchdog = Some(watchdog);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As people know it.
pub fn name(signal: Signal) -> &'static str {
    if signal == Signal::INT { "SIGINT" } else { "SIGTERM" }
}

/// What a process ends with that ended for a signal.
pub fn exit_code(signal: Signal) -> u8 {
    u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX)
}

/// Rings the bell for SIGINT and SIGTERM from now on; a second one ends this program at once, and the kernel tells its
/// children. A signal that it was started to ignore (nohup, a shell's `&`) stays ignored.
pub fn listen() -> Result<(), Error> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    for each in [Signal::INT, Signal::TERM].into_iter().filter(|&each| !ignored(&status, each)) {
        let mut heard = signal(SignalKind::from_raw(each.as_raw()))?;
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                if !bell().ring(each) {
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

/// Whether the process of this `/proc/PID/status` ignores a signal.
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
        let bell = Bell::new();
        let ((first, told_first), (second, told_second)) = (mpsc::channel(), mpsc::channel());
        bell.tell(first);
        assert!(bell.silent().is_ok());
        assert!(bell.ring(Signal::TERM) && !bell.ring(Signal::INT));
        bell.tell(second);
        for told in [told_first, told_second] {
            assert_eq!(told.try_iter().collect::<Vec<_>>(), [Call::Interrupted(Signal::TERM)]);
        }
        assert_eq!(bell.silent().unwrap_err().to_string(), "ended by SIGTERM");
        assert_eq!((exit_code(Signal::INT), exit_code(Signal::TERM)), (130, 143));
    }

    #[test]
    fn ignored_signals_are_read_from_the_kernel() {
        let status = "SigBlk:\t0000000000004002\nSigIgn:\t0000000000001002\n";
        assert!(ignored(status, Signal::INT) && !ignored(status, Signal::TERM));
        assert!(!ignored("", Signal::INT));
    }
}
