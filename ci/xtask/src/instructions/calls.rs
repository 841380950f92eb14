//! Compares calls on slices and collectives in Rust with the same calls in C: `crates/ferrite/examples/calls.rs` and `calls.c`.
//!
//! Instructions are counted by callgrind, with a single PE, so that no call waits for another PE. The difference of two runs, with N and 3
//! N calls of each kind, is the cost of 2 N calls, without start-up and first calls.

use crate::{Result, repo};
use ferrite_callgrind::{Cost, EMPTY, PREFIX, difference, parse};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

const TEXT: &str = include_str!("calls.c");

/// The number N of calls of each kind.
const CALLS: u64 = 100;

/// A call may take at most this many instructions more than in C: a 3 GHz processor executes at least as many in two nanoseconds.
const MORE: f64 = 12.0;

/// Calls that may take another number more. The C library alone has a copy of the barrier's algorithm in the routine itself: the compiler
/// decides so, and saves 33 instructions.
const EXCEPTIONS: [(&str, f64); 1] = [("barrier", MORE + 36.0)];

/// The cost of one call of each kind, by name.
type Costs = BTreeMap<String, f64>;

/// The cost of all calls of each kind, by name.
type Sums = BTreeMap<String, Cost>;

/// Compare the instructions of the Rust program `rust`, which is already built, and of the C program, which the wrapper of the installation in
/// `prefix` compiles.
pub fn compare(prefix: &Path, rust: &Path) -> Result {
    let dir = repo::target_dir().join("xtask-calls");
    let c = dir.join("calls");
    repo::write(&dir.join("calls.c"), TEXT)?;
    let mut cc = Command::new(prefix.join("bin/oshcc"));
    repo::run(cc.current_dir(&dir).args(["-O2", "-Wall", "-Werror", "calls.c", "-o"]).arg(&c))?;
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: counting the instructions of slices and collectives needs valgrind, which is not installed");
        return Ok(());
    }
    // Run all at the same time: they do not wait for each other, and callgrind's counts do not depend on the load.
    let runs = [(rust, true, 1), (rust, true, 3), (&c, false, 1), (&c, false, 3)];
    let started: Vec<Counted> = runs
        .map(|(program, is_rust, n)| Counted::start(program, is_rust, n * CALLS))
        .into_iter()
        .collect::<Result<_>>()?;
    let sums: Vec<Sums> = started.into_iter().map(Counted::end).collect::<Result<_>>()?;
    let (rust, c) = (each(&sums[0], &sums[1])?, each(&sums[2], &sums[3])?);
    println!("\ninstructions of a call with one PE:");
    for (name, rust) in &rust {
        let beside = c.get(name).map_or("-".to_owned(), |c| format!("{c:.1} in C, {:+.1}", rust - c));
        println!("{name}: {rust:.1}, {beside}");
    }
    let wrong = too_many(&rust, &c)?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// A program under callgrind.
struct Counted {
    child: Child,
    profile: PathBuf,
}

impl Counted {
    fn start(program: &Path, is_rust: bool, calls: u64) -> Result<Counted> {
        let profile = repo::target_dir().join("xtask-calls").join(format!("callgrind.{is_rust}.{calls}"));
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
        valgrind.arg(format!("--callgrind-out-file={}", profile.display())).arg(program);
        let option = is_rust.then_some("--times");
        let child = valgrind.args(option).arg(calls.to_string()).stdout(Stdio::null()).spawn();
        Ok(Counted { child: child.map_err(|e| format!("{valgrind:?}: {e}"))?, profile })
    }

    fn end(mut self) -> Result<Sums> {
        let status = self.child.wait().map_err(|e| format!("waiting for valgrind: {e}"))?;
        if !status.success() {
            return Err(format!("counting the instructions of calls: {status}"));
        }
        Ok(parse(&repo::read(&self.profile)?, name))
    }
}

/// The measured routine of a symbol, which may be mangled.
fn name(symbol: &str) -> Option<&str> {
    let (_, rest) = symbol.split_once(PREFIX)?;
    let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The cost of one call without its loop, from the sums of N and of 3 N calls.
fn each(once: &Sums, thrice: &Sums) -> Result<Costs> {
    if !(once.contains_key(EMPTY) && thrice.contains_key(EMPTY)) {
        return Err("callgrind's profile lacks the measured loops".to_owned());
    }
    Ok(difference(once, thrice, 2 * CALLS).into_iter().map(|(name, count)| (name, count.whole)).collect())
}

/// The calls that take too many instructions more than in C. An error if the two programs do not make the same calls.
fn too_many(rust: &Costs, c: &Costs) -> Result<Vec<String>> {
    if !rust.keys().eq(c.keys()) {
        return Err(format!("the programs measure different calls: {:?} in Rust, {:?} in C", rust.keys(), c.keys()));
    }
    let judge = |(name, rust): (&String, &f64)| {
        let more = rust - c[name];
        let most = EXCEPTIONS.iter().find(|(one, _)| one == name).map_or(MORE, |&(_, most)| most);
        (more > most).then(|| format!("{name} takes {more:.1} instructions more than in C; at most {most} are allowed"))
    };
    Ok(rust.iter().filter_map(judge).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(costs: &[(&str, f64)]) -> Costs {
        costs.iter().map(|&(name, cost)| (name.to_owned(), cost)).collect()
    }

    fn sums(sums: &[(&str, u64, u64)]) -> Sums {
        sums.iter().map(|&(name, caller, callee)| (name.to_owned(), Cost { caller, callee })).collect()
    }

    #[test]
    fn a_call_costs_what_its_loop_and_its_callees_cost() {
        let profile = "\
fn=calls::measured_put
12 100
cfn=memcpy
calls=100 0
12 900
fi=other.rs
3 50
fn=_RNvC5calls16measured_sum_inscanB1_
1 7
fn=main
1 9999
cfn=calls::measured_put
calls=1 0
2 1050
";
        assert_eq!(parse(profile, name), sums(&[("put", 150, 900), ("sum_inscan", 7, 0)]));
        let once = sums(&[("put", 500, 1000), ("nothing", 300, 0)]);
        let thrice = sums(&[("put", 1500, 2000), ("nothing", 700, 0)]);
        assert_eq!(each(&once, &thrice), Ok(costs(&[("put", 8.0)])));
        assert!(each(&sums(&[("put", 1, 0)]), &sums(&[("put", 3, 0)])).is_err());
    }

    #[test]
    fn more_than_is_allowed_is_told_and_so_is_what_one_has_not() {
        let c = costs(&[("put", 20.0), ("sync", 90.0)]);
        assert_eq!(too_many(&costs(&[("put", 20.0 + MORE), ("sync", 5.0)]), &c), Ok(Vec::new()));
        assert_eq!(too_many(&costs(&[("put", 21.0 + MORE), ("sync", 5.0)]), &c).unwrap().len(), 1);
        assert!(too_many(&costs(&[("put", 1.0)]), &c).is_err());
    }
}
