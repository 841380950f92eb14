//! The history as a table: the values of each measurement, session by session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Error;
use crate::csv::{self, Entry};
use crate::family::Family;
use crate::table::{Table, bytes, value_with_unit};

/// Key of a measurement. Its position in its family's file comes first, so that tables list tests in the order of the programs.
type Key = (usize, String, u64, u32, String, String);

/// A table for each machine, with its last `last` sessions.
pub fn text(directory: &Path, families: &[Family], last: usize) -> Result<String, Error> {
    let families = if families.is_empty() { Family::all() } else { families };
    let mut entries = Vec::new();
    for family in families {
        let path = directory.join(format!("{}.csv", family.name()));
        if path.exists() {
            entries.extend(csv::read(&path)?);
        }
    }
    if entries.is_empty() {
        return Err(format!("{} has no history of these families; --record writes one", directory.display()).into());
    }
    let machines: BTreeSet<&str> = entries.iter().map(|entry| entry.machine.as_str()).collect();
    let of_machine = |machine: &&str| {
        let entries: Vec<&Entry> = entries.iter().filter(|entry| entry.machine == *machine).collect();
        format!("{machine}\n\n{}", table(&entries, last).text())
    };
    Ok(machines.iter().map(of_machine).collect::<Vec<_>>().join("\n"))
}

fn table(entries: &[&Entry], last: usize) -> Table {
    let mut sessions: Vec<(&str, &str)> = Vec::new();
    for entry in entries {
        let session = (entry.date.as_str(), entry.commit.as_str());
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    // Sort by day. The sort is stable: sessions of one day keep the order in which they were appended.
    sessions.sort_by_key(|session| session.0);
    let sessions = &sessions[sessions.len().saturating_sub(last)..];
    let mut head: Vec<String> = ["test", "bytes", "PEs", "over", "cores"].map(str::to_owned).to_vec();
    head.extend(sessions.iter().map(|(date, commit)| format!("{date} {}", short(commit))));
    head.push("last / before".to_owned());
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for ((_, test, size, pes, over, cores), of_key) in by_key(entries) {
        let at = |&(date, commit): &(&str, &str)| {
            of_key.iter().rev().find(|entry| entry.date == date && entry.commit == commit).copied()
        };
        let found: Vec<Option<&Entry>> = sessions.iter().map(at).collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        let size = if size == 0 { "-".to_owned() } else { bytes(size) };
        let mut cells = vec![test, size, pes.to_string(), over, cores];
        cells.extend(
            found.iter().map(|entry| entry.map_or_else(String::new, |one| value_with_unit(one.value, one.unit))),
        );
        cells.push(change(&found).map_or_else(String::new, |change| format!("{change:.2}")));
        table.line(cells);
    }
    table
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

fn by_key<'a>(entries: &[&'a Entry]) -> BTreeMap<Key, Vec<&'a Entry>> {
    let mut order: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut keys: BTreeMap<Key, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        let next = order.len();
        let at = *order.entry((&entry.family, &entry.test)).or_insert(next);
        let key = (at, entry.test.clone(), entry.bytes, entry.pes, entry.over.clone(), entry.cores.clone());
        keys.entry(key).or_default().push(entry);
    }
    keys
}

/// The cost of the last session divided by the cost of the session before; below 1 it has become faster.
fn change(found: &[Option<&Entry>]) -> Option<f64> {
    let mut there = found.iter().rev().flatten();
    let (now, before) = (there.next()?, there.next()?);
    let ratio = if now.unit.more_is_better() { before.value / now.value } else { now.value / before.value };
    (now.unit == before.unit && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::append;
    use crate::sample_results::results;

    #[test]
    fn sessions_stand_side_by_side_and_the_last_two_are_compared() {
        let directory = std::env::temp_dir().join(format!("oshbench-past-{}", std::process::id()));
        let mut results = results();
        append(&directory, &results).unwrap();
        (results.head.date, results.head.commit) = ("2026-02-01".to_owned(), Some("abcdef0123456789".to_owned()));
        for row in &mut results.rows {
            row.ours = row.ours.map(|value| value * 2.0);
        }
        append(&directory, &results).unwrap();
        let said = text(&directory, &[], 5).unwrap();
        let line = |words: &str| {
            let plain = |line: &str| line.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            said.lines()
                .map(plain)
                .find(|line| line.starts_with(words))
                .unwrap_or_else(|| panic!("no {words} in\n{said}"))
        };
        assert!(said.starts_with("Some, processor (2 cores)\n"), "{said}");
        assert_eq!(line("test"), "test bytes PEs over cores 2026-01-31 abc 2026-02-01 abcdef01 last / before");
        assert_eq!(line("put 8 2 shm"), "put 8 2 shm near 10.0 ns 20.0 ns 2.00");
        // For a rate, more is better.
        assert_eq!(line("put_nbi_private_x1"), "put_nbi_private_x1 8 2 shm near 200 M/s 400 M/s 0.50");
        assert_eq!(text(&directory, &[Family::Barrier], 1).unwrap().lines().count(), 5);
        assert!(text(&directory, &[Family::Away], 5).unwrap_err().to_string().contains("has no history"));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
