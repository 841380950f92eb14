//! Questions that the wrapper answers itself: `--showme` and similar options.

use std::ffi::OsString;

use super::{Refusal, arguments::Intent, command, compiler::Compiler, flags::Flags, language::Language, line, quoted};

/// A question to the wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// The whole command line.
    Everything,
    /// The words added for compiling.
    Compile,
    /// The words added for linking.
    Link,
    Command,
    /// The directories of the headers.
    IncDirs,
    /// The directories of the libraries.
    LibDirs,
    Libs,
    Version,
    Help,
}

const QUESTIONS: &[(&str, Question)] = &[
    ("--showme", Question::Everything),
    ("--showme:compile", Question::Compile),
    ("--showme:link", Question::Link),
    ("--showme:command", Question::Command),
    ("--showme:incdirs", Question::IncDirs),
    ("--showme:libdirs", Question::LibDirs),
    ("--showme:libs", Question::Libs),
    ("--showme:version", Question::Version),
    ("--showme:help", Question::Help),
    ("--show", Question::Everything),
    ("--help", Question::Help),
];

/// The question in a command line, if there is one, and the other words. `-V` is a question only if it stands alone,
/// since compilers have a `-V` too.
pub(super) fn split(arguments: Vec<OsString>) -> Result<(Option<Question>, Vec<OsString>), Refusal> {
    if let [only] = arguments.as_slice()
        && only == "-V"
    {
        return Ok((Some(Question::Version), Vec::new()));
    }
    let mut question = None;
    let mut rest = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match asked(&argument.to_string_lossy())? {
            Some(asked) => question = Some(asked),
            None => rest.push(argument),
        }
    }
    Ok((question, rest))
}

/// The question that a word asks. It may have one dash or two, except for `-help`, which is the compiler's.
fn asked(word: &str) -> Result<Option<Question>, Refusal> {
    let name = match word {
        _ if word.starts_with("-show") => format!("-{word}"),
        _ => word.to_owned(),
    };
    match QUESTIONS.iter().find(|(known, _)| *known == name) {
        Some(&(_, question)) => Ok(Some(question)),
        None if name.starts_with("--showme") => Err(Refusal(format!(
            "unknown option '{word}': expected --showme, or --showme: followed by compile, link, command, incdirs, \
             libdirs, libs, version or help"
        ))),
        None => Ok(None),
    }
}

/// The answer, with a newline.
pub(super) fn answer(
    name: &str,
    question: Question,
    compiler: &Compiler,
    flags: &Flags,
    intent: &Intent,
    arguments: &[OsString],
) -> String {
    // If the command line names no input, show the words for both compiling and linking.
    let shown = if intent.compiles { *intent } else { intent.everything() };
    let text = match question {
        Question::Everything => {
            let command = command(flags, &shown, arguments);
            line(compiler.words().iter().chain(&command))
        }
        Question::Compile => line(flags.compile()),
        Question::Link => line(flags.link()),
        Question::Command => line(compiler.words()),
        Question::IncDirs => quoted(flags.incdir().as_os_str()),
        Question::LibDirs => quoted(flags.libdir().as_os_str()),
        Question::Libs => flags.libraries().collect::<Vec<_>>().join(" "),
        Question::Version => format!("{name}: Ferrite {}", env!("CARGO_PKG_VERSION")),
        Question::Help => unreachable!("help needs no installation and was given before"),
    };
    format!("{text}\n")
}

pub(super) fn help(name: &str, language: Language) -> String {
    let (title, variable, compiler) = (language.title(), language.variable(), language.default_compiler());
    format!(
        "\
usage: {name} [compiler's options] FILE...

Compile and link {title} programs with Ferrite: run '{compiler}', or the compiler in {variable},
with the options that find the headers and the library. All words that are not listed below go
to the compiler unchanged, also --version. With -c, -E, -S, -M or -fsyntax-only, nothing is linked.

  --showme            print the whole command, without running it (also -show)
  --showme:compile    the options added for compiling
  --showme:link       the options added for linking
  --showme:command    the compiler
  --showme:incdirs    the directory of the headers
  --showme:libdirs    the directory of the library
  --showme:libs       the libraries
  --showme:version    the version of Ferrite (also -V alone)
  --showme:help       this text (also --help)

  {variable}='ccache {compiler}'    use another compiler; may include options
  -static                 link the static library
  --check                 report each load and store to the library, so that oshrun --check
                          also finds races, and names the lines of both accesses
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn questions_are_taken_out_of_the_command_line() {
        let rows = [
            ("a.c -o a", None, "a.c -o a"),
            ("--showme a.c", Some(Question::Everything), "a.c"),
            ("-showme:link", Some(Question::Link), ""),
            ("-show -c a.c", Some(Question::Everything), "-c a.c"),
            ("--help", Some(Question::Help), ""),
            ("--help=target", None, "--help=target"),
            ("--version", None, "--version"),
            ("-V", Some(Question::Version), ""),
            ("-V a.c", None, "-V a.c"),
        ];
        for (line, question, rest) in rows {
            assert_eq!(split(words(line)).unwrap(), (question, words(rest)), "{line}");
        }
    }

    #[test]
    fn unknown_showme_option_is_refused() {
        let refusal = split(words("--showme:all a.c")).unwrap_err().to_string();
        assert!(refusal.contains("'--showme:all'") && refusal.contains("incdirs"), "{refusal}");
    }
}
