//! Reports the progress of a session on standard error.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// One line of a terminal, rewritten for each run.
    Line,
    /// A line for each run, for a log.
    Lines,
    Silence,
}

/// The progress of a session.
pub struct Progress {
    way: Way,
    total: Cell<usize>,
    done: Cell<usize>,
    begin: Instant,
}

impl Progress {
    /// Use a single line if standard error is a terminal. Otherwise use a line for each run, or be silent for a quick session.
    pub fn new(quick: bool) -> Self {
        let way = match (io::stderr().is_terminal(), quick) {
            (true, _) => Way::Line,
            (false, false) => Way::Lines,
            (false, true) => Way::Silence,
        };
        Self { way, total: Cell::new(0), done: Cell::new(0), begin: Instant::now() }
    }

    /// Add this many runs to the expected total.
    pub fn expect(&self, runs: usize) {
        self.total.set(self.total.get() + runs);
    }

    /// Report that a run begins.
    pub fn begin(&self, what: &str) {
        if self.way == Way::Line {
            // Errors do not matter: the terminal may be gone.
            let _ = write!(io::stderr(), "\r\x1b[K{}", self.line(what, self.begin.elapsed()));
        }
    }

    /// Count a run that is over, or that was left out.
    pub fn end(&self, what: &str) {
        self.done.set(self.done.get() + 1);
        if self.way == Way::Lines {
            eprintln!("{what}");
        }
    }

    /// Clear the line before other output.
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
