//! How a process ended: by an exit code or by a signal; as words, and as an exit code.

use ferrite_check::EXIT_CODE;
use rustix::process::WaitStatus;
use std::fmt;

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessEnd {
    /// By itself, with this code.
    Exit(u8),
    Signal {
        number: i32,
        /// Whether the process dumped core.
        core: bool,
    },
}

impl ProcessEnd {
    /// From a status of `wait`. `None` if the process was only stopped or continued.
    pub fn of(status: WaitStatus) -> Option<Self> {
        if let Some(code) = status.exit_status() {
            return Some(ProcessEnd::Exit(code as u8));
        }
        let number = status.terminating_signal()?;
        Some(ProcessEnd::Signal { number, core: status.as_raw() as u32 & 0x80 != 0 })
    }

    /// The exit code that a shell shows: for a signal, 128 plus its number.
    pub fn code(self) -> u8 {
        match self {
            ProcessEnd::Exit(code) => code,
            ProcessEnd::Signal { number, .. } => 128_u8.wrapping_add(number as u8),
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ProcessEnd::Exit(code) => {
                write!(f, "exited with {code}")?;
                if i32::from(code) == EXIT_CODE {
                    f.write_str(" (--check has found mistakes of the program)")?;
                }
                match code.checked_sub(128).and_then(|number| name(number.into())) {
                    Some(name) => write!(f, " (as a shell says {name})"),
                    None => Ok(()),
                }
            }
            ProcessEnd::Signal { number, core } => {
                match name(number) {
                    Some(name) => write!(f, "was killed by {name}")?,
                    None => write!(f, "was killed by signal {number}")?,
                }
                if number == libc::SIGKILL {
                    f.write_str(" (perhaps by the kernel, for lack of memory)")?;
                }
                if number == libc::SIGXFSZ {
                    f.write_str(" (a file reached the file size limit, ulimit -f)")?;
                }
                if core { f.write_str(" (core dumped)") } else { Ok(()) }
            }
        }
    }
}

/// The name of a signal.
pub fn name(number: i32) -> Option<&'static str> {
    Some(match number {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGVTALRM => "SIGVTALRM",
        libc::SIGPROF => "SIGPROF",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_described_in_plain_words() {
        let segv = ProcessEnd::Signal { number: libc::SIGSEGV, core: true };
        assert_eq!((segv.to_string().as_str(), segv.code()), ("was killed by SIGSEGV (core dumped)", 139));
        let xfsz = ProcessEnd::Signal { number: libc::SIGXFSZ, core: false };
        assert!(xfsz.to_string().starts_with("was killed by SIGXFSZ (") && xfsz.to_string().contains("ulimit -f"));
        assert_eq!(ProcessEnd::Exit(7).to_string(), "exited with 7");
        assert_eq!(ProcessEnd::Exit(86).to_string(), "exited with 86 (--check has found mistakes of the program)");
        assert_eq!(ProcessEnd::Exit(139).to_string(), "exited with 139 (as a shell says SIGSEGV)");
        assert_eq!(ProcessEnd::Signal { number: 40, core: false }.to_string(), "was killed by signal 40");
    }
}
