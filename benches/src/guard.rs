//! Guards instruction counts: a file records the counts of the hot routines, and no count may grow unnoticed.
//!
//! The file is a history. The last line of a routine is its limit. To let a count grow, append the new count; a reader of the change then
//! sees it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::Error;
use crate::csv::append_lines;
use crate::instructions::Counts;
use ferrite_callgrind::Count;

const COLUMNS: &str = "date,commit,routine,instructions";

/// Allowed growth of a count, as a fraction.
const ALLOWED: f64 = 0.02;

/// Routines that execute mostly the C library's instructions. The C library has other code for other processors, so they are not recorded.
const NOT_OURS: &[&str] = &["shmem_putmem_1024"];

/// Append the counts of the library's own instructions.
pub fn record(file: &Path, counts: &Counts, commit: &str, date: &str) -> Result<(), Error> {
    let line = |(name, count): (&String, &Option<_>)| {
        let count: &Count = count.as_ref().filter(|_| !NOT_OURS.contains(&name.as_str()))?;
        Some(format!("{date},{commit},{name},{}\n", count.library))
    };
    append_lines(file, COLUMNS, &counts.iter().filter_map(line).collect::<String>())
}

/// Compare the counts with the file, and report the counts that are too large, and by how much.
pub fn check(file: &Path, counts: &Counts) -> Result<ExitCode, Error> {
    let text = fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let wrong = violations(&recorded(&text)?, counts);
    for line in &wrong {
        eprintln!("{line}");
    }
    if wrong.is_empty() {
        println!("no routine takes more than {} allows", file.display());
    } else {
        eprintln!("if this is intended, append the new counts: oshbench instructions --record {}", file.display());
    }
    Ok(ExitCode::from(u8::from(!wrong.is_empty())))
}

/// The last recorded count of each routine.
fn recorded(text: &str) -> Result<BTreeMap<String, f64>, Error> {
    let mut last = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let count = cells.get(3).and_then(|cell| cell.parse::<f64>().ok()).filter(|_| cells.len() == 4);
        let count = count.ok_or_else(|| format!("'{line}' is not {COLUMNS}"))?;
        last.insert(cells[2].to_owned(), count);
    }
    if last.is_empty() { Err("no counts are recorded".into()) } else { Ok(last) }
}

fn violations(recorded: &BTreeMap<String, f64>, counts: &Counts) -> Vec<String> {
    let judge = |(name, &before): (&String, &f64)| match counts.get(name) {
        None => Some(format!("{name}: {before} instructions are recorded, but it was not counted")),
        Some(None) => Some(format!("{name}: {before} instructions are recorded, but now they vary")),
        Some(Some(now)) if now.library > before * (1.0 + ALLOWED) => {
            let grown = 100.0 * (now.library / before - 1.0);
            let allowed = 100.0 * ALLOWED;
            Some(format!(
                "{name}: {} instructions, {before} are recorded: {grown:.1} % more; {allowed} % are allowed",
                now.library
            ))
        }
        Some(Some(_)) => None,
    };
    recorded.iter().filter_map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, Option<f64>)]) -> Counts {
        let count = |library: &f64| Count { library: *library, whole: library + 6.0 };
        counts.iter().map(|(name, library)| ((*name).to_owned(), library.as_ref().map(count))).collect()
    }

    #[test]
    fn the_last_count_of_a_routine_may_grow_by_two_per_cent_and_no_more() {
        let before = recorded(&format!("{COLUMNS}\nd,c,p,14\nd,c,g,200\nd,c,p,15\n")).unwrap();
        for (now, said) in [
            (counts(&[("p", Some(15.0)), ("g", Some(204.0)), ("new", Some(9.0))]), &[][..]),
            (counts(&[("p", Some(9.0)), ("g", Some(200.0))]), &[]),
            (counts(&[("p", Some(16.0)), ("g", Some(200.0))]), &["p: 16 instructions, 15 are recorded: 6.7 % more"]),
            (counts(&[("p", Some(15.0)), ("g", Some(205.0))]), &["g: 205 instructions, 200 are recorded: 2.5 % more"]),
            (
                counts(&[("p", None)]),
                &["g: 200 instructions are recorded, but it was not", "p: 15 instructions are recorded, but now"],
            ),
        ] {
            let wrong = violations(&before, &now);
            assert_eq!(wrong.len(), said.len(), "{wrong:?}");
            assert!(wrong.iter().zip(said).all(|(wrong, said)| wrong.starts_with(said)), "{wrong:?}");
        }
        assert!(recorded("date\n").is_err() && recorded(&format!("{COLUMNS}\nd,c,p\n")).is_err());
    }

    #[test]
    fn what_is_recorded_is_what_is_checked() {
        let file = std::env::temp_dir().join(format!("oshbench-guard-{}.csv", std::process::id()));
        record(&file, &counts(&[("p", Some(15.0)), ("varies", None), (NOT_OURS[0], Some(150.0))]), "abc", "2026-01-31")
            .unwrap();
        record(&file, &counts(&[("p", Some(17.0))]), "abd", "2026-02-01").unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            format!("{COLUMNS}\n2026-01-31,abc,p,15\n2026-02-01,abd,p,17\n")
        );
        assert_eq!(
            format!("{:?}", check(&file, &counts(&[("p", Some(17.0))])).unwrap()),
            format!("{:?}", ExitCode::SUCCESS)
        );
        fs::remove_file(&file).unwrap();
    }
}
