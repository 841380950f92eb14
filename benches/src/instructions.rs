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

use ferrite_callgrind::{Cost, Count, PREFIX, difference, parse};

use crate::Error;
use crate::installation::{Binding, Installation};
use crate::subprocess::run;
use crate::table::Table;
use crate::transport::Transport;

/// The counts by routine; `None` where two measurements disagree.
pub type Counts = BTreeMap<String, Option<Count>>;

/// Count every routine of the program; the result is sorted by name.
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

/// Keep the counts on which both differences agree to within one per cent: an interrupted system call may add a few instructions.
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

/// Find the profile of PE 0, which contains the measured loops.
fn find(dir: &Path) -> Result<BTreeMap<String, Cost>, Error> {
    for entry in fs::read_dir(dir)? {
        let text = String::from_utf8_lossy(&fs::read(entry?.path())?).into_owned();
        let costs = parse(&text, |symbol| symbol.strip_prefix(PREFIX));
        if !costs.is_empty() {
            return Ok(costs);
        }
    }
    Err("callgrind left no profile of the measured loops".into())
}

/// The table of the counts; the peer's stand beside ours.
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

    #[test]
    fn a_routine_that_waits_has_no_count() {
        let count = |library| BTreeMap::from([("p".to_owned(), Count { library, whole: library + 4.0 })]);
        assert!(agreeing(count(15.0), &count(15.0))["p"].is_some());
        assert!(agreeing(count(15.0), &count(16.0))["p"].is_none());
        assert!(agreeing(count(-1051.0), &count(700.0))["p"].is_none());
        assert!(agreeing(count(15.0), &BTreeMap::new())["p"].is_none());
    }
}
