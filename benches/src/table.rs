//! Prints tables as text or Markdown, and numbers with their units.

use crate::rows::{Row, Standing, Verdict};
use crate::sample::{Tail, Unit};

/// A table: a head, and lines of as many cells.
pub struct Table {
    head: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns.
    pub fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|&name| name.to_owned()).collect(), lines: Vec::new() }
    }

    pub fn line(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.head.len());
        self.lines.push(cells);
    }

    /// The names of the columns.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// The cells of each line.
    pub fn lines(&self) -> &[Vec<String>] {
        &self.lines
    }

    fn widths(&self) -> Vec<usize> {
        let width = |at: usize| self.lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
        self.head.iter().enumerate().map(|(at, name)| width(at).max(name.chars().count())).collect()
    }

    fn rendered(&self, edge: &str, between: &str, rule: impl Fn(&[usize]) -> Option<String>) -> String {
        let widths = self.widths();
        let render = |cells: Vec<&str>| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
                if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let line = format!("{edge}{}{edge}", padded.collect::<Vec<_>>().join(between));
            line.trim_end().to_owned() + "\n"
        };
        let mut text = render(self.head.iter().map(String::as_str).collect());
        text.extend(rule(&widths));
        for line in &self.lines {
            text.push_str(&render(line.iter().map(String::as_str).collect()));
        }
        text
    }

    /// The table as plain text.
    pub fn text(&self) -> String {
        self.rendered("", "  ", |_| None)
    }

    /// The table as Markdown; the first column is aligned left, the others right.
    pub fn markdown(&self) -> String {
        let rule = |widths: &[usize]| {
            let cell = |(at, &width): (usize, &usize)| {
                let dashes = "-".repeat(width + 1);
                if at == 0 { format!("{dashes}-|") } else { format!("{dashes}:|") }
            };
            Some(format!("|{}\n", widths.iter().enumerate().map(cell).collect::<String>()))
        };
        let text = self.rendered("|", " | ", rule);
        text.lines().map(|line| if line.starts_with("|-") { line.to_owned() } else { spaced(line) } + "\n").collect()
    }
}

/// Turn `|a | b|` into `| a | b |`.
fn spaced(line: &str) -> String {
    format!("| {} |", line.trim_matches('|'))
}

/// The table of the given rows. With `limits` it has the columns of limits and verdicts.
pub fn comparison(rows: &[&Row], limits: bool) -> Table {
    let mut head = vec![
        "test",
        "bytes",
        "PEs",
        "cores",
        "runs",
        "ours",
        "p99",
        "max",
        "better",
        "against",
        "its value",
        "ratio",
        "interval",
    ];
    head.extend(if limits { &["wanted", ""][..] } else { &[""] });
    let mut table = Table::new(&head);
    for row in rows {
        let mut line = cells(row);
        if limits {
            line.extend([wanted(row), row.verdict.name().to_owned()]);
        } else {
            line.push(judgement(row));
        }
        table.line(line);
    }
    table
}

/// The judgement of a row without limits.
pub fn judgement(row: &Row) -> String {
    match row.standing() {
        Some(standing) => standing.name().to_owned(),
        None if row.verdict == Verdict::Unpaired => Verdict::Unpaired.name().to_owned(),
        None => String::new(),
    }
}

fn cells(row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value_with_unit(value, row.unit));
    let tail = |value: fn(&Tail) -> f64| row.tail.as_ref().map(|tail| value_with_unit(value(tail), Unit::Ns));
    // A ratio within noise is not shown.
    let ratio = row.ratio.filter(|_| row.standing() != Some(Standing::Noise));
    vec![
        row.test.clone(),
        if row.bytes == 0 { "-".to_owned() } else { bytes(row.bytes) },
        row.pes.to_string(),
        row.distance.name().to_owned(),
        row.pairs.to_string(),
        number(row.ours),
        tail(|tail| tail.p99).unwrap_or_default(),
        tail(|tail| tail.max).unwrap_or_default(),
        if row.unit.more_is_better() { "more" } else { "less" }.to_owned(),
        row.against.clone().unwrap_or_default(),
        if row.against.is_some() { number(row.reference) } else { String::new() },
        ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        row.interval.map(|(low, high)| format!("{low:.2}..{high:.2}")).unwrap_or_default(),
    ]
}

fn wanted(row: &Row) -> String {
    match (row.wanted, &row.against) {
        (None, _) => String::new(),
        (Some(wanted), Some(_)) => wanted.to_string(),
        (Some(wanted), None) if row.unit == Unit::Count => wanted.to_string(),
        (Some(wanted), None) => format!("{wanted} {}", row.unit.name()),
    }
}

/// `64 Ki` and the like; other sizes are written in full.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} Mi", n >> 20),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} Ki", n >> 10),
        n => n.to_string(),
    }
}

/// Three figures and a unit; times use the unit that keeps them short.
pub fn value_with_unit(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns if value >= 1e6 => format!("{} ms", figures(value / 1e6)),
        Unit::Ns if value >= 1e3 => format!("{} us", figures(value / 1e3)),
        Unit::Count => format!("{value}"),
        _ => format!("{} {}", figures(value), unit.name()),
    }
}

fn figures(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.0995 || v == 0.0 => 2,
        v if v >= 0.00995 => 3,
        _ => 5,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        for (value, unit, text) in [
            (23.51, Unit::Ns, "23.5 ns"),
            (9.996, Unit::Ns, "10.0 ns"),
            (517.0, Unit::Ns, "517 ns"),
            (16_600.0, Unit::Ns, "16.6 us"),
            (24_000_000.0, Unit::Ns, "24.0 ms"),
            (69.7, Unit::MillionsPerSecond, "69.7 M/s"),
            (0.0, Unit::Count, "0"),
            (310.0, Unit::Ms, "310 ms"),
        ] {
            assert_eq!(value_with_unit(value, unit), text);
        }
        assert_eq!([8, 1024, 65_536, 4 << 20, 1500].map(bytes), ["8", "1 Ki", "64 Ki", "4 Mi", "1500"]);
    }

    #[test]
    fn rows_say_what_they_are_worth() {
        let results = crate::sample_results::results();
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.test == "g" || row.test == "p_stream").collect();
        let text = comparison(&rows, false).text();
        let words = |test: &str| {
            let line = text.lines().find(|line| line.starts_with(test)).unwrap();
            line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("g "), "g 8 2 near 5 9.00 us 27.0 us 810 us less peer 8.00 us 0.40..3.00 within noise");
        assert!(words("p_stream").ends_with("less peer 10.0 ns 1.30 1.20..1.40 SLOWER"), "{text}");
    }

    #[test]
    fn text_and_markdown() {
        let mut table = Table::new(&["test", "ns"]);
        table.line(vec!["put".into(), "23.5".into()]);
        assert_eq!(table.text(), "test    ns\nput   23.5\n");
        assert_eq!(table.markdown(), "| test |   ns |\n|------|-----:|\n| put  | 23.5 |\n");
    }
}
