//! Rows as comma-separated values: the file of a session, and the history that sessions are appended to.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::Error;
use crate::document::{Results, write};
use crate::family::Family;
use crate::rows::Row;
use crate::sample::Unit;

/// The columns. Times of single operations are in nanoseconds; `ratio` is value / reference, `low` and `high` its interval.
const COLUMNS: &str = "date,commit,machine,ours,peer,over,family,test,bytes,pes,cores,runs,value,unit,p99,max,against,reference,\
                       ratio,low,high";

/// All rows, below a line of column names.
pub fn text(results: &Results) -> String {
    let all: Vec<&Row> = results.rows.iter().collect();
    format!("{COLUMNS}\n{}", lines(results, &all))
}

/// Append the rows of each family to its file in a directory; missing files are created.
pub fn append(directory: &Path, results: &Results) -> Result<(), Error> {
    for &family in Family::all() {
        let of_family: Vec<&Row> = once(&results.rows).into_iter().filter(|row| row.family == family).collect();
        if of_family.is_empty() {
            continue;
        }
        let lines = lines(results, &of_family);
        let path = directory.join(format!("{}.csv", family.name()));
        append_lines(&path, COLUMNS, &lines)?;
    }
    Ok(())
}

/// Append lines to a file that begins with these columns. A file with other columns is refused, because the lines would be read wrongly.
pub fn append_lines(path: &Path, columns: &str, lines: &str) -> Result<(), Error> {
    if !path.exists() {
        write(path, &format!("{columns}\n"))?;
    }
    let there = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    if there.lines().next() != Some(columns) {
        return Err(format!("{} has other columns than {columns}", path.display()).into());
    }
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let append = || OpenOptions::new().append(true).custom_flags(no_link).open(path)?.write_all(lines.as_bytes());
    append().map_err(|e| format!("cannot append to {}: {e}", path.display()).into())
}

/// Each measurement once, with its first reference: the peer, if there is one.
fn once(rows: &[Row]) -> Vec<&Row> {
    let mut all: Vec<&Row> = Vec::new();
    for row in rows {
        let key = |row: &Row| (row.transport.clone(), row.test.clone(), row.bytes, row.pes, row.distance, row.unit);
        if !all.iter().any(|there| key(there) == key(row)) {
            all.push(row);
        }
    }
    all
}

fn lines(results: &Results, rows: &[&Row]) -> String {
    let head = &results.head;
    let machine = format!("{} ({} cores)", head.machine.processor, head.machine.cores);
    let peer = head.peer.as_ref().map_or("", |peer| &peer.version);
    let same = [&head.date, head.commit.as_deref().unwrap_or(""), &machine, &head.ours.version, peer];
    let same = same.map(cell).join(",");
    let number = |value: Option<f64>| value.map(|value| format!("{value:.6}")).unwrap_or_default();
    let line = |row: &&Row| {
        let cells = [
            cell(&row.transport.to_string()),
            row.family.name(),
            cell(&row.test),
            row.bytes.to_string(),
            row.pes.to_string(),
            row.distance.name().to_owned(),
            row.pairs.to_string(),
            number(row.ours),
            row.unit.name().to_owned(),
            number(row.tail.map(|tail| tail.p99)),
            number(row.tail.map(|tail| tail.max)),
            cell(row.against.as_deref().unwrap_or("")),
            number(row.reference),
            number(row.ratio),
            number(row.interval.map(|interval| interval.0)),
            number(row.interval.map(|interval| interval.1)),
        ];
        format!("{same},{}\n", cells.join(","))
    };
    rows.iter().map(line).collect()
}

/// One measurement of one session, read from the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Day of the session.
    pub date: String,
    pub commit: String,
    /// The machine: its processor and number of cores.
    pub machine: String,
    pub over: String,
    pub family: String,
    pub test: String,
    /// Bytes of one operation.
    pub bytes: u64,
    /// PEs of the job.
    pub pes: u32,
    /// Near, far, mixed or any.
    pub cores: String,
    pub value: f64,
    pub unit: Unit,
}

/// Read the history of a family. Measurements without a value are left out.
pub fn read(path: &Path) -> Result<Vec<Entry>, Error> {
    let text = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let (columns, lines) = text.split_once('\n').unwrap_or((&text, ""));
    if columns != COLUMNS {
        return Err(format!("{} has other columns than {COLUMNS}", path.display()).into());
    }
    let mut entries = Vec::new();
    for line in lines.lines() {
        let wrong = || format!("{}: '{line}' is not a line of {COLUMNS}", path.display());
        let cells = cells(line);
        let [date, commit, machine, _, _, over, family, test, bytes, pes, cores, _, value, unit, ..] = &cells[..]
        else {
            return Err(wrong().into());
        };
        if value.is_empty() {
            continue;
        }
        entries.push(Entry {
            date: date.clone(),
            commit: commit.clone(),
            machine: machine.clone(),
            over: over.clone(),
            family: family.clone(),
            test: test.clone(),
            bytes: bytes.parse().map_err(|_| wrong())?,
            pes: pes.parse().map_err(|_| wrong())?,
            cores: cores.clone(),
            value: value.parse().map_err(|_| wrong())?,
            unit: Unit::parse(unit).ok_or_else(wrong)?,
        });
    }
    Ok(entries)
}

/// Split a line into the cells that [`cell`] has written.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted, mut text) = (vec![String::new()], false, line.chars().peekable());
    while let Some(character) = text.next() {
        let last = cells.len() - 1;
        match character {
            '"' if quoted && text.peek() == Some(&'"') => cells[last].extend(text.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells[last].push(other),
        }
    }
    cells
}

/// Quote text as one cell, if necessary.
pub fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_results::results;

    #[test]
    fn every_line_has_every_column_and_history_only_grows() {
        let results = results();
        let text = text(&results);
        for line in text.lines().skip(1) {
            assert!(line.starts_with("2026-01-31,abc,\"Some, processor (2 cores)\","), "{line}");
            assert_eq!(line.replace("Some, processor", "").split(',').count(), COLUMNS.split(',').count(), "{line}");
        }
        let directory = std::env::temp_dir().join(format!("oshbench-history-{}", std::process::id()));
        append(&directory, &results).unwrap();
        append(&directory, &results).unwrap();
        let put = fs::read_to_string(directory.join("put.csv")).unwrap();
        assert_eq!(put.lines().filter(|line| *line == COLUMNS).count(), 1);
        // Rows of one measurement differ only in the reference; the history has one line for all of them.
        let beside_peer = |row: &&Row| row.family == Family::Put && row.beside_peer();
        assert_eq!(put.lines().count(), 1 + 2 * results.rows.iter().filter(beside_peer).count());
        let entries = read(&directory.join("put.csv")).unwrap();
        std::os::unix::fs::symlink("put.csv", directory.join("link.csv")).unwrap();
        assert!(append_lines(&directory.join("link.csv"), COLUMNS, "1\n").is_err(), "a link is not followed");
        assert!(write(&directory.join("link.csv"), "").is_err(), "nor is it for a new file");
        assert_eq!((entries.len(), entries[0].value, entries[0].unit), (put.lines().count() - 1, 10.0, Unit::Ns));
        assert_eq!((entries[0].machine.as_str(), entries[0].over.as_str()), ("Some, processor (2 cores)", "shm"));
        let refused = append_lines(&directory.join("put.csv"), "a,b", "1,2\n").unwrap_err().to_string();
        assert!(refused.contains("has other columns than a,b"), "{refused}");
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn cells_are_read_as_they_were_written() {
        let words = ["plain", "", "with, comma", "with \"quotes\"", "\"", ","];
        assert_eq!(cells(&words.map(cell).join(",")), words);
    }
}
