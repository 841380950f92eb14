//! A C or C++ program of the suite: the directives of its header comment, and the executable built from it.
//!
//! The leading `// key: value` lines are directives; other comment lines say what the program proves.
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `pes` | PE counts to run with; `alone` is a start without the launcher | must be given |
//! | `exit` | status expected: a number, alternatives `5\|6`, or `nonzero` | `0` |
//! | `line` | one line of standard output; all of them, in any order, must be the whole output | none |
//! | `stdout`, `stderr` | a pattern that the stream must contain; may be repeated | none |
//! | `says` | patterns that must all match in one and the same line of stderr | none |
//! | `env` | `NAME=value` for the job; may be repeated | none |
//! | `each` | `NAME = a \| b \| c`: one run for each value | none |
//! | `flags` | compiler flags, last on the line | none |
//! | `needs` | `mapped`: the program is about memory that PEs share, and is skipped where they may not | nothing |
//! | `timeout` | seconds after which a run counts as hung | 240 |

use super::prefix::{Prefix, files};
use super::tagged::Tag;
use super::{LIMIT, scratch, sources};
use regex_lite::Regex;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How a program is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// Under the launcher, with this number of PEs.
    Pes(u32),
    /// Without a launcher.
    Alone,
}

/// The status that a job must end with.
#[derive(Debug, PartialEq, Eq)]
pub enum Exit {
    /// One of these statuses.
    OneOf(Vec<i32>),
    /// Any status but 0.
    Nonzero,
}

/// One program and its directives.
#[derive(Debug)]
pub struct Program {
    pub source: PathBuf,
    /// Topic and file name, as failures print it.
    pub name: String,
    /// The runs that the header asks for.
    pub launches: Vec<Launch>,
    pub exit: Exit,
    /// The lines of standard output, sorted; empty if the header has none.
    pub lines: Vec<String>,
    /// Patterns that standard output must contain.
    pub stdout: Vec<Regex>,
    /// Patterns that standard error must contain.
    pub stderr: Vec<Regex>,
    /// Patterns that one line of standard error must contain together.
    pub says: Vec<Regex>,
    /// Environment of each run: one entry for every value of `each`, or a single one.
    pub environments: Vec<Vec<(String, String)>>,
    pub flags: Vec<String>,
    /// True if the program needs PEs that share memory.
    pub mapped: bool,
    /// Time after which a run counts as hung.
    pub limit: Duration,
}

impl Program {
    /// Reads the directives of a source file of the suite.
    pub fn read(source: &Path) -> Program {
        let text = fs::read_to_string(source).unwrap_or_else(|error| panic!("reading {}: {error}", source.display()));
        let name = source.strip_prefix(sources()).unwrap_or(source).display().to_string();
        let mut program = Program {
            source: source.to_owned(),
            name,
            launches: Vec::new(),
            exit: Exit::OneOf(vec![0]),
            lines: Vec::new(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            says: Vec::new(),
            environments: vec![Vec::new()],
            flags: Vec::new(),
            mapped: false,
            limit: LIMIT,
        };
        let mut fixed = Vec::new();
        let mut each = None;
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let Some((key, value)) = line.split_once(": ") else { continue };
            match key {
                "env" => fixed.push(pair(value, '=')),
                "each" => each = Some(pair(value, '=')),
                _ => program.directive(key, value),
            }
        }
        assert!(!program.launches.is_empty(), "{}: the header comment has no `// pes: ...` line", program.name);
        program.lines.sort();
        program.environments = match each {
            None => vec![fixed],
            Some((name, values)) => values
                .split('|')
                .map(|value| fixed.iter().cloned().chain([(name.clone(), value.trim().to_owned())]).collect())
                .collect(),
        };
        program
    }

    /// True if the program runs without a dynamic linker.
    pub fn is_static(&self) -> bool {
        self.flags.iter().any(|flag| flag.starts_with("-static"))
    }

    fn directive(&mut self, key: &str, value: &str) {
        let pattern = || Regex::new(value).unwrap_or_else(|error| panic!("{value}: {error}"));
        match key {
            "pes" => self.launches = value.split_whitespace().map(launch).collect(),
            "exit" if value == "nonzero" => self.exit = Exit::Nonzero,
            "exit" => self.exit = Exit::OneOf(value.split('|').map(number).collect()),
            "line" => self.lines.push(value.to_owned()),
            "stdout" => self.stdout.push(pattern()),
            "stderr" => self.stderr.push(pattern()),
            "says" => self.says.push(pattern()),
            "flags" => self.flags.extend(value.split_whitespace().map(str::to_owned)),
            "needs" => self.mapped |= value == "mapped",
            "timeout" => self.limit = Duration::from_secs(number(value)),
            _ => {} // prose with a colon
        }
    }

    /// Builds the executable, unless one of the same content exists. `Err` has the compiler's output.
    pub fn build(&self, prefix: &Prefix) -> Result<PathBuf, String> {
        let cpp = self.source.extension().is_some_and(|extension| extension == "cpp");
        let directory = self.source.parent().expect("a source file lies in a directory");
        let mut compile = Command::new(prefix.tool(if cpp { "oshc++" } else { "oshcc" }));
        compile.arg(if cpp { "-std=c++17" } else { "-std=c11" });
        compile.args([
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-deprecated-declarations",
            "-O2",
            "-g",
            "-pthread",
        ]);
        compile.arg("-I").arg(sources()).arg("-I").arg(directory);
        compile.arg(&self.source).args(&self.flags);
        build(compile, &self.name, self.contents(prefix))
    }

    /// Hash of everything that the executable is made of, except for the command line.
    fn contents(&self, prefix: &Prefix) -> u64 {
        let mut hasher = DefaultHasher::new();
        prefix.identity().hash(&mut hasher);
        let text = fs::read_to_string(&self.source).unwrap_or_default();
        for included in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
            let beside = self.source.with_file_name(included.trim_end_matches('"'));
            fs::read(beside).unwrap_or_default().hash(&mut hasher);
        }
        for header in files(&sources()).iter().filter(|path| path.extension().is_some_and(|e| e == "h")) {
            fs::read(header).unwrap_or_default().hash(&mut hasher);
        }
        text.hash(&mut hasher);
        hasher.finish()
    }
}

/// Builds a program without directives, as it stands.
pub fn plain(source: &Path, name: &str) -> PathBuf {
    plain_with(source, name, &[])
}

/// The same with further arguments after the source.
pub fn plain_with(source: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let prefix = Prefix::get();
    let mut compile = Command::new(prefix.tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O2", "-pthread", "-I"]).arg(sources()).arg(source).args(arguments);
    let mut hasher = DefaultHasher::new();
    prefix.identity().hash(&mut hasher);
    fs::read(source).expect("the program is there").hash(&mut hasher);
    build(compile, name, hasher.finish()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a compiler. The name of the output file has a hash of all inputs; an existing file is reused. The compiler works in a directory of
/// its own, because Fortran compilers leave modules in it.
pub fn build(compile: Command, name: &str, contents: u64) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    contents.hash(&mut hasher);
    for argument in compile.get_args() {
        argument.hash(&mut hasher);
    }
    let stem = name.replace(['/', '.'], "-");
    let executable = scratch("programs").join(format!("{stem}-{:016x}", hasher.finish()));
    if executable.is_file() {
        return Ok(executable);
    }
    let workshop = scratch("programs").join(Tag::fresh().value());
    let made = in_workshop(&workshop, compile, &executable);
    let _ = fs::remove_dir_all(&workshop);
    made.map(|()| executable)
}

fn in_workshop(workshop: &Path, mut compile: Command, executable: &Path) -> Result<(), String> {
    let unfinished = workshop.join("unfinished");
    fs::create_dir(workshop).map_err(|error| format!("{}: {error}", workshop.display()))?;
    let output = compile.current_dir(workshop).arg("-o").arg(&unfinished).output();
    let output = output.map_err(|error| format!("{compile:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{compile:?}\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    // Another test may have built the same program meanwhile, and run it. A hard link does not replace the file that the other test runs.
    match fs::hard_link(&unfinished, executable) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(format!("{}: {error}", executable.display()))
        }
        _ => Ok(()),
    }
}

fn launch(word: &str) -> Launch {
    if word == "alone" { Launch::Alone } else { Launch::Pes(number(word)) }
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.trim().parse().unwrap_or_else(|_| panic!("`{word}` in a header comment should be a number"))
}

fn pair(value: &str, separator: char) -> (String, String) {
    let (name, value) = value.split_once(separator).unwrap_or_else(|| panic!("`{value}` should be NAME=value"));
    (name.trim().to_owned(), value.trim_start().to_owned())
}
