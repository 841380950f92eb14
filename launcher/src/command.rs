//! Determines which of the commands this process is.
//!
//! All commands are one program, since they share most of their code. It is installed once, as `oshrun`; the other names are links. The
//! name by which the program was called selects the command. If that name is a user's own link, the name that it leads to counts.

use std::{ffi::OsStr, process::ExitCode};

use ferrite_os::signals::survive_file_size_limit;

use crate::{info, program_path, run, wrap};

/// A command, as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Run,
    /// A compiler wrapper. Its name selects the language.
    Wrap(String),
    Info,
}

/// Run the command by whose name the program was called.
pub fn main() -> ExitCode {
    ferrite_os::panics::abort();
    survive_file_size_limit();
    match program_path::names().find_map(|name| Command::of_name(&name)) {
        Some(Command::Wrap(name)) => wrap::main(&name),
        Some(Command::Info) => info::main(),
        // The doctor starts the program's file, which has another command's name.
        _ if std::env::args_os().nth(1).is_some_and(|word| word == info::PE_OF_DOCTOR) => info::main(),
        Some(Command::Run) | None => run::main(std::env::args_os()),
    }
}

impl Command {
    /// The command with this name, if there is one.
    fn of_name(name: &OsStr) -> Option<Command> {
        let name = name.to_str()?;
        let of_family = name.strip_prefix("osh").or_else(|| name.strip_prefix("shmem"))?;
        match of_family {
            "run" | "exec" => Some(Command::Run),
            "mem_info" => Some(Command::Info),
            "cc" | "c++" | "cxx" | "CC" | "fort" => Some(Command::Wrap(name.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_is_installed_is_a_command() {
        let of_name = |name: &str| Command::of_name(OsStr::new(name));
        for name in ["oshrun", "shmemrun", "oshexec"] {
            assert_eq!(of_name(name), Some(Command::Run), "{name}");
        }
        for family in ["osh", "shmem"] {
            for language in ["cc", "c++", "cxx", "CC", "fort"] {
                let name = format!("{family}{language}");
                assert_eq!(of_name(&name), Some(Command::Wrap(name.clone())), "{name}");
            }
        }
        assert_eq!(of_name("oshmem_info"), Some(Command::Info));
        for name in ["cc", "osh", "oshbench", "oshcc-12", "something", ""] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }
}
