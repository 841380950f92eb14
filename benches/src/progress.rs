//! Tells on standard error how far a session is.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// One line of a terminal, written again and again.
    Line,
    /// A line for each run, for a log.
    Lines,
    /// Not at all.
    Silence,
}

/// How far a session is.
pub struct Progress {
    way: Way,
    total: Cell<usize>,
    done: Cell<usize>,
    begin: Instant,
}

impl Progress {
    /// A line where standard error is a terminal; elsewhere lines, or silence for a session of seconds.
    pub fn new(quick: bool) -> Self {
        let way = match (io::stderr().is_terminal(), quick) {
            (true, _) => Way::Line,
            (false, false) => Way::Lines,
            (false, true) => Way::Silence,
        };
        Self { way, total: Cell::new(0), done: Cell::new(0), begin: Instant::now() }
    }

    /// So many runs are to come.
    pub fn expect(&self, runs: usize) {
        self.total.set(self.total.get() + runs);
    }

    /// A run begins.
    pub fn begin(&self, what: &str) {
        if self.way == Way::Line {
            // A terminal that has gone needs no telling.
            let _ = write!(io::stderr(), "\r\x1b[K{}", self.line(what, self.begin.elapsed()));
        }
    }

    /// A run is over, or will not be.
    pub fn end(&self, what: &str) {
        self.done.set(self.done.get() + 1);
        if self.way == Way::Lines {
            eprintln!("{what}");
        }
    }

    /// Clears the line, so that something else can be said.
    pub fn clear(&self) {
        if self.way == Way::Line {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn line(&self, what: &str, elapsed: Duration) -> String {
        let (done, total) = (self.done.get(), self.total.get().max(self.done.get() + 1));
        let left = if done >= 10 {
            let seconds = elapsed.as_secs_f64() / done as f64 * (total - done) as f64;
            if seconds >= 90.0 { format!(", {:.0} min left", seconds / 60.0) } else { format!(", {seconds:.0} s left") }
        } else {
            String::new()
        };
        format!("[{:>3} %] {what}{left}", 100 * done / total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_is_left() {
        let progress = Progress { way: Way::Silence, ..Progress::new(true) };
        progress.expect(200);
        assert_eq!(progress.line("put", Duration::from_secs(1)), "[  0 %] put");
        (0..50).for_each(|_| progress.end("put"));
        assert_eq!(progress.line("get", Duration::from_secs(100)), "[ 25 %] get, 5 min left");
        (0..140).for_each(|_| progress.end("put"));
        assert_eq!(progress.line("get", Duration::from_secs(190)), "[ 95 %] get, 10 s left");
        (0..20).for_each(|_| progress.end("more than was expected"));
        assert!(progress.line("get", Duration::from_secs(190)).starts_with("[ 99 %] get"));
    }
}
