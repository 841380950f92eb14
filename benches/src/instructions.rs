//! Counts the instructions of one call with callgrind. Unlike times, the counts have no noise.
//!
//! The program is run three times under valgrind, with N, 2N and 3N calls of each routine. The difference of two runs,
//! divided by N, is the exact cost of one call: start-up, lazy binding and first calls are the same in all three. The two
//! differences must agree. If they do not, the routine waits for another process and has no fixed cost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use crate::Error;
use crate::installation::{Binding, Installation};
use crate::subprocess::run;
use crate::table::Table;
use crate::transport::Transport;

const PREFIX: &str = "measured_";
const EMPTY: &str = "nothing";

/// Instructions of one loop, over all its turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    /// In the loop itself: its turn, the arguments, the call (and the jump through the PLT).
    caller: u64,
    /// In what it calls.
    callee: u64,
}

/// Instructions of one call, averaged over a loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Count {
    /// Inside the library.
    pub library: f64,
    /// Library and call site, without the loop.
    pub whole: f64,
}

/// The counts by routine; `None` where two measurements disagree.
pub type Counts = BTreeMap<String, Option<Count>>;

/// Counts every routine of the program, in its order of names.
pub fn count(side: &Installation, calls: u64, limit: Duration) -> Result<Counts, Error> {
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--version");
    run(valgrind, limit).map_err(|e| format!("instructions are counted by valgrind, which does not run here: {e}"))?;
    let once = profile(side, calls, limit)?;
    let twice = profile(side, 2 * calls, limit)?;
    let thrice = profile(side, 3 * calls, limit)?;
    let first = difference(&once, &twice, calls);
    Ok(agreeing(first, &difference(&twice, &thrice, calls)))
}

/// Keeps what both differences say, to within one per cent: an interrupted system call may add a few instructions.
fn agreeing(first: BTreeMap<String, Count>, second: &BTreeMap<String, Count>) -> Counts {
    let near = |a: f64, b: f64| (a - b).abs() <= 0.01 * a.abs().max(1.0);
    let agreed = |name: &str, count: &Count| {
        second.get(name).is_some_and(|other| near(count.library, other.library) && near(count.whole, other.whole))
    };
    first.into_iter().map(|(name, count)| (name.clone(), agreed(&name, &count).then_some(count))).collect()
}

fn profile(side: &Installation, calls: u64, limit: Duration) -> Result<BTreeMap<String, Cost>, Error> {
    let program = side.builder().program("instructions")?;
    let dir = side.builder().dir().join(format!("callgrind.{}.{calls}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let mut command = side.launch(2, Binding::Core, &Transport::Shm);
    command.args(["valgrind", "--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    command.arg(format!("--callgrind-out-file={}", dir.join("out.%p").display()));
    command.arg(program).arg(calls.to_string());
    let found = run(command, limit).and_then(|_| find(&dir));
    fs::remove_dir_all(&dir)?;
    found
}

/// Of the PEs' profiles, the one that holds the loops: PE 0's.
fn find(dir: &Path) -> Result<BTreeMap<String, Cost>, Error> {
    for entry in fs::read_dir(dir)? {
        let text = String::from_utf8_lossy(&fs::read(entry?.path())?).into_owned();
        let costs = parse(&text);
        if !costs.is_empty() {
            return Ok(costs);
        }
    }
    Err("callgrind left no profile of the measured loops".into())
}

/// Sums what each `measured_` function cost. In the format (strings and positions uncompressed), `fn=` begins a
/// function, a line of two numbers is a cost of its own, and the line after `calls=` is what that call cost inclusive.
fn parse(profile: &str) -> BTreeMap<String, Cost> {
    let mut costs: BTreeMap<String, Cost> = BTreeMap::new();
    let mut function: Option<String> = None;
    let mut of_call = false;
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            function = name.strip_prefix(PREFIX).map(str::to_owned);
        } else if line.starts_with("calls=") {
            of_call = true;
        } else if let (Some(function), Some(cost)) = (&function, cost_line(line)) {
            let sum = costs.entry(function.clone()).or_default();
            *if of_call { &mut sum.callee } else { &mut sum.caller } += cost;
            of_call = false;
        } else if cost_line(line).is_some() {
            of_call = false;
        }
    }
    costs
}

fn cost_line(line: &str) -> Option<u64> {
    let (position, cost) = line.split_once(' ')?;
    position.parse::<u64>().ok()?;
    cost.trim().parse().ok()
}

fn difference(once: &BTreeMap<String, Cost>, twice: &BTreeMap<String, Cost>, calls: u64) -> BTreeMap<String, Count> {
    let each = |name: &str, part: fn(&Cost) -> u64| {
        let of = |costs: &BTreeMap<String, Cost>| costs.get(name).map_or(0, part) as f64;
        (of(twice) - of(once)) / calls as f64
    };
    let turn = each(EMPTY, |cost| cost.caller);
    let count = |name: &String| {
        let library = each(name, |cost| cost.callee);
        (name.clone(), Count { library, whole: library + each(name, |cost| cost.caller) - turn })
    };
    twice.keys().filter(|name| *name != EMPTY).map(count).collect()
}

/// The table, ours beside the peer's.
pub fn table(ours: &Counts, peer: Option<&Counts>) -> Table {
    let mut table = match peer {
        Some(_) => {
            Table::new(&["routine", "ours, in the library", "with the call", "peer, in the library", "with the call"])
        }
        None => Table::new(&["routine", "in the library", "with the call"]),
    };
    let number = |value: f64| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.2}") };
    let cells = |count: Option<&Option<Count>>| match count {
        Some(Some(count)) => [number(count.library), number(count.whole)],
        Some(None) => ["varies", "varies"].map(str::to_owned),
        None => ["-", "-"].map(str::to_owned),
    };
    for (name, count) in ours {
        let mut line = vec![name.clone()];
        line.extend(cells(Some(count)));
        if let Some(peer) = peer {
            line.extend(cells(peer.get(name)));
        }
        table.line(line);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(calls: u64) -> String {
        format!(
            "events: Ir\n\nfn=main\n3 7\ncfn=measured_p\ncalls=1 12\n3 99999\n\n\
             fn=measured_nothing\n12 5\n12 {}\n\n\
             fn=measured_p\n12 17\ncob=/lib/libsma.so.1\ncfn=shmem_long_p\ncalls=1 0\n12 900\n\
             cfn=shmem_long_p\ncalls={} 0\n12 {}\n12 {}\nfi=other.h\n12 2\n\nfn=other\n1 1000\n",
            2 * calls,
            calls - 1,
            15 * (calls - 1),
            6 * calls
        )
    }

    #[test]
    fn costs_are_split_between_caller_and_callee() {
        let costs = parse(&profile(10));
        assert_eq!(costs.len(), 2);
        assert_eq!(costs["p"], Cost { caller: 17 + 60 + 2, callee: 900 + 15 * 9 });
        assert_eq!(costs["nothing"], Cost { caller: 25, callee: 0 });
    }

    #[test]
    fn the_difference_is_exact_whatever_the_first_call_cost() {
        let counts = difference(&parse(&profile(10)), &parse(&profile(20)), 10);
        assert_eq!(counts.len(), 1);
        assert_eq!(counts["p"], Count { library: 15.0, whole: 15.0 + 6.0 - 2.0 });
    }

    #[test]
    fn a_routine_that_waits_has_no_count() {
        let count = |library| BTreeMap::from([("p".to_owned(), Count { library, whole: library + 4.0 })]);
        assert!(agreeing(count(15.0), &count(15.0))["p"].is_some());
        assert!(agreeing(count(15.0), &count(16.0))["p"].is_none());
        assert!(agreeing(count(-1051.0), &count(700.0))["p"].is_none());
        assert!(agreeing(count(15.0), &BTreeMap::new())["p"].is_none());
    }

    #[test]
    fn a_profile_without_the_loops_is_empty() {
        assert!(parse("fn=main\n1 2\ncalls=1 2\n3 4\n").is_empty());
        assert!(parse("").is_empty());
    }
}
