//! The compiler that the wrapper executes in its own place.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::{ffi::OsStrExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
};

use super::{Refusal, language::Language, words};
use crate::program_path;

/// A compiler, and the words that always follow it.
#[derive(Debug)]
pub(super) struct Compiler {
    language: Language,
    /// The program, and the words after it in the user's variable.
    words: Vec<OsString>,
}

impl Compiler {
    /// The compiler of a language: from its variable, else the usual command.
    pub(super) fn choose(language: Language) -> Result<Compiler, Refusal> {
        let named = |name| variable(name).filter(|value| !value.is_empty()).map(|value| (name, value));
        let chosen = language.variables().into_iter().find_map(named);
        let by = chosen.as_ref().map_or(language.variable(), |(name, _)| name);
        let words = match chosen.map(|(_, value)| value) {
            None => vec![language.default_compiler().into()],
            // A path with blanks in it is one word if there is such a file.
            Some(value) if Path::new(&value).is_file() => vec![value],
            Some(value) => words::split(&value.to_string_lossy()).into_iter().map(OsString::from).collect(),
        };
        match words.is_empty() {
            false => Ok(Compiler { language, words }),
            true => Err(Refusal(format!("{by} is blank; set it to a compiler, such as 'gcc'"))),
        }
    }

    pub(super) fn program(&self) -> &Path {
        Path::new(&self.words[0])
    }

    /// The compiler's command, without the wrapper's arguments.
    pub(super) fn words(&self) -> &[OsString] {
        &self.words
    }

    /// Replace this process by the compiler. Returns only on failure.
    pub(super) fn become_with(&self, arguments: Vec<OsString>) -> Refusal {
        if self.is_this_program() {
            return Refusal(format!(
                "{} names '{}', which is this wrapper itself: it must name a compiler",
                self.language.variable(),
                self.words[0].display()
            ));
        }
        let error = Command::new(&self.words[0]).args(&self.words[1..]).args(arguments).exec();
        let compiler = self.words[0].display();
        let (title, variable) = (self.language.title(), self.language.variable());
        match error.kind() {
            io::ErrorKind::NotFound => Refusal(format!(
                "there is no {title} compiler '{compiler}' here: install one, or name another with {variable}"
            )),
            _ => Refusal(format!(
                "cannot run the {title} compiler '{compiler}' ({error}); name another with \
                                  {variable}"
            )),
        }
    }

    /// Whether the compiler is this wrapper itself, which would run itself for ever.
    fn is_this_program(&self) -> bool {
        let ours = program_path::file().and_then(fs::canonicalize);
        let theirs = located(&self.words[0]).and_then(|path| path.canonicalize().ok());
        matches!((ours, theirs), (Ok(ours), Some(theirs)) if ours == theirs)
    }
}

/// The path where a shell finds a program.
fn located(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program));
    }
    let path = variable("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

#[expect(clippy::disallowed_methods, reason = "a program of its own, with no World: the compiler is named here")]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}
