//! Prints the results, and writes the files of a session.

use std::path::Path;

use crate::Error;
use crate::charts;
use crate::cli::Format;
use crate::csv;
use crate::document::{Document, Results, write};
use crate::osu::{self, Whose};
use crate::programs;
use crate::report;
use crate::rows::{Row, Verdict};
use crate::summary::Summary;
use crate::table::comparison;

/// The results of a session, and how they are shown.
pub struct Output<'a> {
    pub document: &'a Document<'a>,
    /// Whether rows are judged by limits.
    pub limits: bool,
}

impl Output<'_> {
    pub fn print(&self, format: Format) -> Result<(), Error> {
        let results = self.document.results;
        let text = match format {
            Format::Text => self.text(false),
            Format::Markdown => self.text(true),
            Format::Json => self.json()?,
            Format::Csv => csv::text(results),
            Format::Osu => osu::tables(&results.rows, Whose::Ours).into_iter().map(|table| table.text + "\n").collect(),
        };
        print!("{text}");
        if matches!(format, Format::Json | Format::Csv | Format::Osu) {
            eprint!("{}", self.footnotes());
        }
        Ok(())
    }

    /// Write all files below a directory.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        let results = self.document.results;
        write(&directory.join("results.json"), &self.json()?)?;
        write(&directory.join("results.csv"), &csv::text(results))?;
        write(&directory.join("results.md"), &self.text(true))?;
        for whose in [Whose::Ours, Whose::Peer] {
            for table in osu::tables(&results.rows, whose) {
                write(&directory.join("osu").join(table.name), &table.text)?;
            }
        }
        write_report(results, directory)
    }

    fn json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self.document)? + "\n")
    }

    fn text(&self, markdown: bool) -> String {
        let Results { head, rows } = self.document.results;
        let mut text = format!("{}{head}", if markdown { "# oshbench\n\n" } else { "" });
        for transport in self.document.results.transports() {
            let of_it: Vec<&Row> = rows.iter().filter(|row| row.transport == *transport).collect();
            let table = comparison(&of_it, self.limits);
            let table = if markdown { table.markdown() } else { table.text() };
            text += &format!("\n{}over {transport}\n\n{table}", if markdown { "## " } else { "" });
        }
        text + &self.footnotes() + &Summary::new(rows).text()
    }

    /// Notes below the table: an early end, failed runs, runs on unexpected cores, tests that a side does not support, and a count of the
    /// verdicts.
    fn footnotes(&self) -> String {
        let (jobs, record) = (self.document.jobs, self.document.record);
        let mut notes = String::new();
        if let Some(message) = &record.cut_short {
            notes += &format!("cut short, and this is what was measured before: {message}\n");
        }
        let about = |job: usize| format!("{}, {}, {} PEs", jobs[job].transport, jobs[job].program, jobs[job].pes);
        for failure in &record.failures {
            let first = failure.message.lines().next().unwrap_or_default();
            notes += &format!("failed: {}, {}: {first}\n", about(failure.job), failure.side.name());
        }
        for alarm in &record.alarms {
            notes += &format!("not comparable: {}, {}: {}\n", about(alarm.job), alarm.side.name(), alarm.message);
        }
        for skip in &record.skips {
            notes += &format!("not there: {}, {}: {}\n", about(skip.job), skip.side.name(), skip.message);
        }
        let count = |verdict| self.document.results.rows.iter().filter(|row| row.verdict == verdict).count();
        let verdicts = [Verdict::Met, Verdict::Unsure, Verdict::Missed, Verdict::Few];
        let counted: Vec<String> = verdicts
            .into_iter()
            .filter(|verdict| count(*verdict) > 0)
            .map(|verdict| format!("{} {}", count(verdict), verdict.name().to_lowercase()))
            .collect();
        if self.limits && !counted.is_empty() {
            notes += &format!("\nlimits: {}\n", counted.join(", "));
        }
        format!("{notes}\n{}", record.spent.text())
    }
}

/// Write the plots and the page of a report.
pub fn write_report(results: &Results, directory: &Path) -> Result<(), Error> {
    for figure in charts::of(results).iter().flat_map(|section| &section.figures) {
        write(&directory.join("plots").join(format!("{}.svg", figure.name)), &figure.drawing.file())?;
    }
    let programs = programs::table(results);
    if !programs.is_empty() {
        write(&directory.join("programs.md"), &programs)?;
    }
    let page = directory.join("report.html");
    write(&page, &report::page(results))?;
    eprintln!("the report is in {}", page.display());
    Ok(())
}
