//! Rows as comma-separated values: the file of a session, and the history that sessions are appended to.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::Error;
use crate::document::{Results, write};
use crate::family::Family;

/// The columns. Times of single operations are in nanoseconds; `ratio` is value / reference, `low` and `high` its interval.
const COLUMNS: &str = "date,commit,machine,ours,peer,over,family,test,bytes,pes,cores,runs,value,unit,p99,max,against,reference,\
                       ratio,low,high";

/// All rows below their columns.
pub fn text(results: &Results) -> String {
    format!("{COLUMNS}\n{}", lines(results, None))
}

/// Appends the rows of each family to its file in a directory of such files, which are made where they are missing.
pub fn append(directory: &Path, results: &Results) -> Result<(), Error> {
    for &family in Family::all() {
        let lines = lines(results, Some(family));
        if lines.is_empty() {
            continue;
        }
        let path = directory.join(format!("{}.csv", family.name()));
        append_lines(&path, COLUMNS, &lines)?;
    }
    Ok(())
}

/// Appends lines to a file that begins with these columns; a file with others is refused, for its lines would lie.
pub fn append_lines(path: &Path, columns: &str, lines: &str) -> Result<(), Error> {
    if !path.exists() {
        write(path, &format!("{columns}\n"))?;
    }
    let there = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    if there.lines().next() != Some(columns) {
        return Err(format!("{} has other columns than {columns}", path.display()).into());
    }
    let append = || OpenOptions::new().append(true).open(path)?.write_all(lines.as_bytes());
    append().map_err(|e| format!("cannot append to {}: {e}", path.display()).into())
}

fn lines(results: &Results, family: Option<Family>) -> String {
    let head = &results.head;
    let machine = format!("{} ({} cores)", head.machine.processor, head.machine.cores);
    let peer = head.peer.as_ref().map_or("", |peer| &peer.version);
    let same = [&head.date, head.commit.as_deref().unwrap_or(""), &machine, &head.ours.version, peer];
    let same = same.map(cell).join(",");
    let number = |value: Option<f64>| value.map(|value| format!("{value:.6}")).unwrap_or_default();
    let line = |row: &crate::rows::Row| {
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
    results.rows.iter().filter(|row| family.is_none_or(|family| row.family == family)).map(line).collect()
}

/// Text as one cell.
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
        assert_eq!(put.lines().count(), 1 + 2 * results.rows.iter().filter(|row| row.family == Family::Put).count());
        let refused = append_lines(&directory.join("put.csv"), "a,b", "1,2\n").unwrap_err().to_string();
        assert!(refused.contains("has other columns than a,b"), "{refused}");
        fs::remove_dir_all(&directory).unwrap();
    }
}
