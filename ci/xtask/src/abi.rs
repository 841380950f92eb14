//! The recorded binary interface of `libsma.so.1`, on which programs linked to it rely.
//!
//! A line is a function with the types of its arguments, a Fortran procedure by its mangled name, a constant, or the layout of a type.
//! `cargo xtask abi` adds lines. A line that is removed or changed breaks programs, and requires a library with another name. The names of
//! arguments are not part of the interface. Extensions are not recorded: they may change.

use crate::{Result, codegen, repo};
use ferrite_abi::{
    Status, Symbol, constants,
    constants::{Constant, Value},
    declare,
    fortran::procedures,
    routines, symbols,
};
use std::{collections::BTreeSet, path::Path, process::Command};

const RECORD: &str = "crates/capi/abi/libsma.so.1.txt";

const HEAD: &str = "\
# The binary interface of libsma.so.1: programs that were linked to it rely on each line. Written by `cargo xtask abi`, which only adds.
";

/// Options of `abi`.
#[derive(clap::Args)]
pub struct Options {
    /// Only report differences from the record
    #[arg(long)]
    check: bool,
}

/// Compare the interface with the record, or extend the record.
pub fn run(options: &Options) -> Result {
    let path = repo::root().join(RECORD);
    let recorded = if path.exists() { read(&path)? } else { BTreeSet::new() };
    let now = interface()?;
    let differences = compare(&recorded, &now);
    if !recorded.is_subset(&now) || (options.check && !differences.is_empty()) {
        return Err(differences.join("\n"));
    }
    if !options.check {
        let lines: String = now.iter().map(|line| format!("{line}\n")).collect();
        repo::write(&path, format!("{HEAD}{lines}"))?;
    }
    println!("the binary interface has {} lines, as recorded", now.len());
    Ok(())
}

fn read(path: &Path) -> Result<BTreeSet<String>> {
    Ok(repo::read(path)?.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

/// The differences, as messages.
fn compare(recorded: &BTreeSet<String>, now: &BTreeSet<String>) -> Vec<String> {
    let gone = recorded.difference(now).map(|line| format!("programs that rely on this break: {line}"));
    gone.chain(now.difference(recorded).map(|line| format!("not recorded yet (cargo xtask abi records it): {line}")))
        .collect()
}

fn interface() -> Result<BTreeSet<String>> {
    let served = routines().into_iter().filter(|row| row.served && !matches!(row.facts.status, Status::Vendor(_)));
    let mut lines: BTreeSet<String> = served.flat_map(|row| symbols(&row)).map(|symbol| function(&symbol)).collect();
    for procedure in procedures().iter().filter(|procedure| procedure.served) {
        lines.extend(procedure.symbols().into_iter().map(|name| format!("procedure {name}")));
    }
    lines.extend(compiled()?);
    Ok(lines)
}

fn function(symbol: &Symbol) -> String {
    let mut types: Vec<String> = symbol.args.iter().map(|argument| argument.c.clone()).collect();
    if symbol.row.facts.variadic {
        types.push("...".to_owned());
    }
    format!("function {}({})", declare(&symbol.result, &symbol.name), types.join(", "))
}

/// Constants and layouts, as a C compiler gets them from the headers.
fn compiled() -> Result<Vec<String>> {
    let dir = repo::target_dir().join("abi").join(std::process::id().to_string());
    repo::write(&dir.join("abi.c"), program())?;
    let mut cc = Command::new("cc");
    cc.current_dir(&dir).args(["-std=c11", "-w", "abi.c", "-o", "abi", "-I"]).arg(codegen::include_dir());
    repo::run(&mut cc)?;
    let text = repo::output(&mut Command::new(dir.join("abi")))?;
    std::fs::remove_dir_all(&dir).map_err(|e| format!("removing {}: {e}", dir.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn is_text(constant: &Constant) -> bool {
    match constant.value {
        Value::Text(_) => true,
        Value::Alias(of) => constants::all().any(|other| other.name == of && is_text(other)),
        _ => false,
    }
}

/// Types of the interface, and their members.
const TYPES: [(&str, &[&str]); 4] = [
    ("shmem_ctx_t", &[]),
    ("shmem_team_t", &[]),
    ("shmem_team_config_t", &["num_contexts"]),
    ("shmem_ctx_session_config_t", &["total_ops"]),
];

fn program() -> String {
    let mut body = String::new();
    for constant in constants::all().filter(|constant| !matches!(constant.status, Status::Vendor(_))) {
        let name = constant.name;
        // Strings name the version, which changes.
        if !is_text(constant) {
            body += &format!("    printf(\"constant {name} = %lld\\n\", (long long)({name}));\n");
        }
    }
    for (name, members) in TYPES {
        body +=
            &format!("    printf(\"type {name}: size %zu, alignment %zu\\n\", sizeof({name}), _Alignof({name}));\n");
        for member in members {
            body += &format!(
                "    printf(\"member {name}.{member}: offset %zu, size %zu\\n\", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));\n"
            );
        }
    }
    format!("#include <shmem.h>\n#include <stdio.h>\n\nint main(void) {{\n{body}    return 0;\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_interface_is_the_recorded_one_and_has_every_kind_of_line() {
        run(&Options { check: true }).unwrap();
        let recorded = read(&repo::root().join(RECORD)).unwrap();
        for line in [
            "function int shmem_my_pe()",
            "constant SHMEM_THREAD_MULTIPLE = 3",
            "member shmem_team_config_t.num_contexts: offset 0, size 4",
            "procedure shmem_put8_",
        ] {
            assert!(recorded.contains(line), "{line}");
        }
    }

    #[test]
    fn what_goes_breaks_and_what_comes_is_to_be_recorded() {
        let lines = |all: &[&str]| all.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>();
        assert!(compare(&lines(&["a", "b"]), &lines(&["a", "b"])).is_empty());
        let said = compare(&lines(&["function void f(int)"]), &lines(&["function void f(long)"]));
        assert!(said[0].contains("break: function void f(int)") && said[1].contains("not recorded yet"), "{said:?}");
    }
}
