//! Parses a compiler's command line as far as the wrapper must know it: whether something is compiled, whether and how
//! something is linked, and whether Fortran's default types are widened.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt,
};

use super::{wide_defaults, words};

/// Options whose value is the next word, which is then no input file. Options that accept both forms are listed without
/// a value, as only that form takes the next word.
const TAKE_A_WORD: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-J",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-F",
    "-h",
    "-V",
    "-b",
    "-G",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-Xarch_host",
    "-Xarch_device",
    "-mllvm",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "--param",
    "-arch",
    "-target",
    "-gcc-toolchain",
    "-wrapper",
    "-framework",
    "-soname",
    "-rpath",
    "-rpath-link",
    "-module",
];

/// Options after which nothing is linked.
const NO_LINK: &[&str] = &["-c", "-E", "-S", "-M", "-MM", "-fsyntax-only", "-r", "--precompile", "-emit-ast"];

/// How deep `@file`s may nest.
const FILES_DEEP_MAX: u32 = 8;

/// The actions that a command line requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Intent {
    /// The command line has an input: a file, a library, or standard input.
    pub(super) compiles: bool,
    /// The result is a program or a shared library.
    pub(super) links: bool,
    /// Link without shared libraries.
    pub(super) is_static: bool,
    /// Some input is source text, rather than linked as it is.
    pub(super) has_sources: bool,
    /// The option by which a Fortran compiler makes default types wider, if there is one.
    pub(super) widened_by: Option<&'static str>,
}

impl Intent {
    /// Read a command line, including the `@file`s in it.
    pub(super) fn of(arguments: &[OsString]) -> Intent {
        let mut reader = Reader::default();
        arguments.iter().for_each(|argument| reader.read(argument, 0));
        Intent {
            compiles: reader.inputs,
            links: reader.inputs && !reader.no_link,
            is_static: reader.is_static,
            has_sources: reader.sources,
            widened_by: reader.widened_by,
        }
    }

    /// For a command line without words: compile and link.
    pub(super) fn everything(self) -> Intent {
        Intent { compiles: true, links: true, ..self }
    }
}

/// The state of the parser.
#[derive(Default)]
struct Reader {
    inputs: bool,
    sources: bool,
    no_link: bool,
    is_static: bool,
    widened_by: Option<&'static str>,
    last: String,
    /// The next word is the value of an option.
    skip: bool,
}

impl Reader {
    fn read(&mut self, argument: &OsStr, depth: u32) {
        let text = argument.to_string_lossy();
        let words = (!self.skip && depth < FILES_DEEP_MAX).then(|| contents(argument)).flatten();
        if std::mem::take(&mut self.skip) {
            return;
        }
        if let Some(words) = words {
            words.iter().for_each(|word| self.read(OsStr::new(word), depth + 1));
            return;
        }
        let last = std::mem::replace(&mut self.last, text.to_string());
        self.widened_by = self.widened_by.or_else(|| wide_defaults::by(&last, &text));
        match &*text {
            option if TAKE_A_WORD.contains(&option) => self.skip = true,
            // `-l name` in two words is a library, and so something to link.
            "-l" => (self.inputs, self.skip) = (true, true),
            option if NO_LINK.contains(&option) => self.no_link = true,
            "-static" | "--static" | "-static-pie" => self.is_static = true,
            "" => {}
            library if library.starts_with("-l") => self.inputs = true,
            file if !file.starts_with('-') || file == "-" => {
                self.inputs = true;
                self.sources |= !is_linked_as_it_is(file);
            }
            _ => {}
        }
    }
}

/// Whether a file is an object or a library, by its name.
fn is_linked_as_it_is(file: &str) -> bool {
    [".o", ".a", ".so"].iter().any(|end| file.ends_with(end)) || file.contains(".so.")
}

/// The words of the file that `@file` names. If there is no such file, the word is the name of a file itself.
fn contents(argument: &OsStr) -> Option<Vec<String>> {
    let path = argument.as_bytes().strip_prefix(b"@")?;
    let text = fs::read(OsStr::from_bytes(path)).ok()?;
    Some(words::split(&String::from_utf8_lossy(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, compiles: bool, links: bool) {
        let arguments: Vec<OsString> = words::split(line).into_iter().map(OsString::from).collect();
        let intent = Intent::of(&arguments);
        assert_eq!((intent.compiles, intent.links), (compiles, links), "{line}");
    }

    #[test]
    fn a_file_is_compiled_and_linked() {
        for line in [
            "a.c",
            "a.o",
            "-",
            "-x c -",
            "-o a a.c",
            "a.c -o a",
            "-lm",
            "-l m",
            "-MD a.c",
            "-MMD -MF d a.c",
            "-shared a.o",
            "-x c prog.txt",
            "a\\ b.c",
            "-Wl,-rpath,/x a.o",
            "-g -O2 -I inc a.c",
            "@no-such-file",
        ] {
            check(line, true, true);
        }
    }

    #[test]
    fn some_options_stop_before_the_link() {
        for line in ["-c a.c", "a.c -c", "-E a.c", "-S a.c", "-M a.c", "-MM a.c", "-fsyntax-only a.c", "-r a.o b.o"] {
            check(line, true, false);
        }
    }

    #[test]
    fn options_alone_are_nothing_to_work_on() {
        for line in [
            "",
            "-v",
            "--version",
            "-dumpmachine",
            "-print-search-dirs",
            "-o a",
            "-x c",
            "-I inc",
            "-include a.h",
            "-###",
            "-Q --help=target",
            "-O2 -D NAME",
        ] {
            check(line, false, false);
        }
    }

    #[test]
    fn the_value_of_an_option_is_not_an_option() {
        check("a.c -o -c", true, true);
        check("-Xlinker -r a.c", true, true);
        check("-I -c a.c", true, true);
    }

    #[test]
    fn sources_are_distinguished_from_objects() {
        for (line, expected) in [
            ("a.f90", true),
            ("-x f95 -", true),
            ("a.o b.f", true),
            ("a.o b.a c.so d.so.1 -lm", false),
            ("-l m", false),
        ] {
            let arguments: Vec<OsString> = words::split(line).into_iter().map(OsString::from).collect();
            assert_eq!(Intent::of(&arguments).has_sources, expected, "{line}");
        }
    }

    #[test]
    fn static_programs_are_recognised() {
        for (line, expected) in [("-static a.c", true), ("-static-pie a.c", true), ("-static-libgcc a.c", false)] {
            let arguments: Vec<OsString> = words::split(line).into_iter().map(OsString::from).collect();
            assert_eq!(Intent::of(&arguments).is_static, expected, "{line}");
        }
    }
}
