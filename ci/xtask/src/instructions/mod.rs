//! Compares the instructions of the Rust library's calls with those of the C routines. The commonest operations may not have more machine
//! instructions than in C. Slices and collectives may execute slightly more ([`calls`]).

mod calls;

use crate::{Result, repo};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Options of `instructions`.
#[derive(clap::Args)]
pub struct Options {
    /// Prefix of the installed C library, built for release [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
}

/// A function of `crates/ferrite/examples/words.rs`, and the routine that does the same.
const PAIRS: [(&str, &str); 3] = [
    ("put_word", "pshmem_uint64_p"),
    ("get_word", "pshmem_uint64_g"),
    ("fetch_add_word", "pshmem_uint64_atomic_fetch_add"),
];

/// Build the examples and compare the instructions.
pub fn run(options: &Options) -> Result {
    let prefix = options.prefix.clone().unwrap_or_else(|| repo::target_dir().join("prefix"));
    let mut build = repo::cargo();
    build.current_dir(repo::root()).args([
        "build",
        "--quiet",
        "--release",
        "-p",
        "ferrite-shmem",
        "--example",
        "words",
        "--example",
        "calls",
    ]);
    repo::run(&mut build)?;
    compare_code(&prefix)?;
    calls::compare(&prefix, &repo::target_dir().join("release/examples/calls"))
}

/// Compare the lengths of the machine code of each pair.
fn compare_code(prefix: &Path) -> Result {
    let rust = functions(&repo::target_dir().join("release/examples/words"))?;
    let c = functions(&prefix.join("lib/libsma.so.1"))?;
    let mut wrong = Vec::new();
    for (ours, routine) in PAIRS {
        let ours_is = |name: &str| name.contains("5words") && name.contains(ours);
        let (ours_count, count) = (count(&rust, ours_is)?, count(&c, |name| name == routine)?);
        println!("{ours}: {ours_count} instructions, and {routine}: {count}");
        if ours_count > count {
            wrong.push(format!("{ours} has {ours_count} instructions, more than the {count} of {routine}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Every function of a file, with its number of instructions.
fn functions(file: &Path) -> Result<Vec<(String, usize)>> {
    let text = repo::output(Command::new("objdump").args(["--disassemble", "--no-show-raw-insn"]).arg(file))?;
    Ok(counted(&text))
}

/// Count the instructions in objdump's output: a function begins with `address <name>:`, and has a line for each instruction.
fn counted(text: &str) -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for line in text.lines() {
        let name = line.strip_suffix(">:").and_then(|line| line.split_once('<')).map(|(_, name)| name);
        if let Some(name) = name {
            // The names of a stripped library come from its dynamic symbol table, and include versions.
            all.push((name.split('@').next().unwrap_or(name).to_owned(), 0));
        } else if let (Some(last), true) = (all.last_mut(), line.starts_with(' ') && !is_filling(line)) {
            last.1 += 1;
        }
    }
    all
}

/// True for padding between functions.
fn is_filling(line: &str) -> bool {
    let word = line.split('\t').nth(1).and_then(|rest| rest.split_whitespace().next());
    let is_idle = |word: &str| word.starts_with("nop") || ["int3", "cs", "data16"].contains(&word);
    word.is_none_or(is_idle) || line.ends_with("xchg   %ax,%ax")
}

fn count(functions: &[(String, usize)], is_it: impl Fn(&str) -> bool) -> Result<usize> {
    let mut found = functions.iter().filter(|(name, _)| is_it(name));
    match (found.next(), found.next()) {
        (Some((_, count)), None) if *count > 0 => Ok(*count),
        (None, _) => Err("a function to compare is missing: was the program built for release?".to_owned()),
        _ => Err("a function to compare exists twice, or is empty".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_function() {
        let text = "\
0000000000000010 <first>:
      10:\tmov    (%rdi),%rdi
      12:\tret
      13:\tnopl   0x0(%rax)

0000000000000020 <second@@Base>:
      20:\tret
      21:\tint3
";
        assert_eq!(counted(text), [("first".to_owned(), 2), ("second".to_owned(), 1)]);
        assert_eq!(count(&counted(text), |name| name == "first"), Ok(2));
        assert!(count(&counted(text), |name| name == "third").is_err());
    }
}
