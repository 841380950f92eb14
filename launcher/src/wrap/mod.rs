//! The compiler wrapper: finds the compiler and the installation, parses the command line just far enough to know
//! whether something is linked, and replaces itself by the compiler.
//!
//! It adds words to the command line and changes none: a wrapper that interprets more of its arguments breaks builds.
//! It replaces its process (`exec`), so exit code, signals and terminal are the compiler's own.

mod arguments;
mod check;
mod compiler;
mod flags;
mod language;
mod show;
mod wide_defaults;
mod words;

use std::{
    ffi::{OsStr, OsString},
    fmt,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::ExitCode,
};

use self::{
    arguments::Intent, check::Instrumentation, compiler::Compiler, flags::Flags, language::Language, show::Question,
};
use crate::prefix::Prefix;
use crate::stderr::print_line;

/// The reason why no compiler was run: one line for the user.
#[derive(Debug)]
struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Run the wrapper called `name`, with this process's arguments. Returns only if no compiler was started.
pub fn main(name: &str) -> ExitCode {
    match wrap(name, std::env::args_os().skip(1).collect()) {
        Ok(answer) => {
            // A reader that closes the pipe early has read enough.
            let _ = io::stdout().write_all(answer.as_bytes());
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            print_line(format_args!("{name}: {refusal}"));
            ExitCode::FAILURE
        }
    }
}

/// Answer a question about the wrapper, or run the compiler.
fn wrap(name: &str, arguments: Vec<OsString>) -> Result<String, Refusal> {
    let language = Language::of_name(name);
    let (question, arguments) = show::split(arguments)?;
    if question == Some(Question::Help) {
        return Ok(show::help(name, language));
    }
    let prefix = Prefix::of_this_program()
        .map_err(|error| Refusal(format!("cannot find out where this program is installed: {error}")))?;
    let (checked, arguments) = check::split(arguments);
    let intent = Intent::of(&arguments);
    let compiler = Compiler::choose(language)?;
    if checked && intent.is_static {
        return Err(Refusal("--check needs the shared library: leave -static out".into()));
    }
    let check = checked.then(|| Instrumentation::new(compiler.program(), &prefix.libdir()));
    let flags = Flags::new(&prefix, language, &intent, check);
    match question {
        Some(question) => Ok(show::answer(name, question, &compiler, &flags, &intent, &arguments)),
        None => {
            warn(name, language, &compiler, &intent);
            Err(compiler.become_with(command(&flags, &intent, &arguments)))
        }
    }
}

/// Warn about options that would silently corrupt data: no compiler knows that the library's types stay as they are.
fn warn(name: &str, language: Language, compiler: &Compiler, intent: &Intent) {
    if language != Language::Fortran || !intent.has_sources {
        return;
    }
    let widened_by = intent.widened_by.or_else(|| Intent::of(compiler.words()).widened_by);
    if let Some(option) = widened_by {
        print_line(format_args!("{name}: warning: {}", wide_defaults::warning(option)));
    }
}

/// The compiler's arguments: the user's words, then the headers' directory, then the libraries. The user's own directories are searched
/// first, except those of an MPI with an OpenSHMEM library of its own.
fn command(flags: &Flags, intent: &Intent, arguments: &[OsString]) -> Vec<OsString> {
    let nothing: &[OsString] = &[];
    let headers = if intent.compiles { flags.compile() } else { nothing };
    let libraries = if intent.links { flags.link() } else { nothing };
    let (before, after) = arguments.split_at(headers_of_mpi(arguments).unwrap_or(arguments.len()));
    [before, headers, after, libraries].concat()
}

/// The index of the first `-I` whose directory has `mpi.h` beside a `shmem.h`, as Open MPI's has. Programs with MPI get it from CMake's
/// `FindMPI`, and would be compiled for another library than they are linked to.
fn headers_of_mpi(arguments: &[OsString]) -> Option<usize> {
    let has_both = |directory: &OsStr| {
        let directory = Path::new(directory);
        ["mpi.h", "shmem.h"].iter().all(|header| directory.join(header).is_file())
    };
    arguments.iter().enumerate().position(|(index, word)| match word.as_bytes().strip_prefix(b"-I") {
        Some(b"") => arguments.get(index + 1).is_some_and(|next| has_both(next)),
        Some(directory) => has_both(OsStr::from_bytes(directory)),
        None => false,
    })
}

/// Quote a word for a shell.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+./,:@%^".contains(&byte);
    match !text.is_empty() && text.bytes().all(plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Quote words as one line for a shell.
fn line<'a>(words: impl IntoIterator<Item = &'a OsString>) -> String {
    words.into_iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shown_command_means_the_same_to_a_shell() {
        let words = [
            "",
            "a b",
            "it's",
            "$HOME",
            "`x`",
            "a\nb",
            "\\",
            "\"",
            "*",
            "~",
            "#c",
            "-Wl,-rpath,/x",
            "a=b",
            "é",
            ";&|<>",
        ];
        let words = words.map(OsString::from);
        let script = format!("printf '<%s>' {}", line(&words));
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected: String = words.iter().map(|word| format!("<{}>", word.to_string_lossy())).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
