//! Facts, and their two formats: for people and for scripts.

/// How detailed a report for people is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// The facts that most users need.
    Short,
    All,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The key: stable, without blanks.
    pub(super) key: String,
    /// The value. It may have several lines.
    pub(super) value: String,
    /// Further lines of the long report, each with its own key for scripts.
    pub(super) more: Vec<(&'static str, String)>,
    /// Whether only the long report shows the fact.
    pub(super) only_all: bool,
}

impl Row {
    /// A fact in every report.
    pub(super) fn new(key: impl Into<String>, value: impl Into<String>) -> Row {
        Row { key: key.into(), value: value.into(), more: Vec::new(), only_all: false }
    }

    /// Add a line for the long report.
    pub(super) fn with(mut self, key: &'static str, value: impl Into<String>) -> Row {
        self.more.push((key, value.into()));
        self
    }

    /// Show the fact in the long report only.
    pub(super) fn only_in_all(self) -> Row {
        Row { only_all: true, ..self }
    }
}

/// Facts of one kind.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The first part of every key.
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
}

impl Section {
    /// The section's text. Empty if it has no fact at this detail.
    pub(super) fn write(&self, parsable: bool, detail: Detail) -> String {
        if parsable { self.for_scripts() } else { self.for_people(detail) }
    }

    fn for_people(&self, detail: Detail) -> String {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| detail == Detail::All || !row.only_all).collect();
        if rows.is_empty() {
            return String::new();
        }
        let width = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
        let mut text = format!("{}\n", self.title);
        for row in rows {
            let mut lines = row.value.lines();
            push_line(&mut text, &format!("  {:width$}  {}", row.key, lines.next().unwrap_or("")));
            lines.for_each(|line| push_line(&mut text, &format!("  {:width$}  {line}", "")));
            if detail == Detail::All {
                row.more
                    .iter()
                    .for_each(|(key, value)| push_line(&mut text, &format!("  {:width$}    {key}: {value}", "")));
            }
        }
        text.push('\n');
        text
    }

    /// One line `section:key:value` per fact. A value of several lines has a number after its key.
    fn for_scripts(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let lines: Vec<&str> = row.value.lines().collect();
            match lines[..] {
                [] => push_line(&mut text, &format!("{}:{}:", self.key, row.key)),
                [line] => push_line(&mut text, &format!("{}:{}:{line}", self.key, row.key)),
                _ => lines.iter().enumerate().for_each(|(index, line)| {
                    push_line(&mut text, &format!("{}:{}.{index}:{line}", self.key, row.key))
                }),
            }
            row.more.iter().for_each(|(key, value)| {
                push_line(&mut text, &format!("{}:{}:{key}:{value}", self.key, row.key));
            });
        }
        text
    }

    /// The rows with one key, or all rows for "all".
    pub(super) fn only(&self, key: &str) -> Result<Vec<Row>, String> {
        let rows: Vec<Row> = self.rows.iter().filter(|row| key == "all" || row.key == key).cloned().collect();
        match rows.is_empty() {
            false => Ok(rows),
            true => {
                let keys: Vec<&str> = self.rows.iter().map(|row| row.key.as_str()).collect();
                Err(format!("there is no path '{key}': expected one of {}, all", keys.join(", ")))
            }
        }
    }

    /// The values without keys, one per line.
    pub(super) fn values(&self) -> String {
        self.rows.iter().map(|row| format!("{}\n", row.value)).collect()
    }
}

/// Append a line without trailing blanks.
fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        let rows = vec![
            Row::new("a", "1").with("meaning", "one"),
            Row::new("long", "2\n3"),
            Row::new("rare", "").only_in_all(),
        ];
        Section { key: "x", title: "Title", rows }
    }

    #[test]
    fn people_get_columns() {
        assert_eq!(section().write(false, Detail::Short), "Title\n  a     1\n  long  2\n        3\n\n");
        let all = "Title\n  a     1\n          meaning: one\n  long  2\n        3\n  rare\n\n";
        assert_eq!(section().write(false, Detail::All), all);
    }

    #[test]
    fn scripts_get_lines() {
        let lines = "x:a:1\nx:a:meaning:one\nx:long.0:2\nx:long.1:3\nx:rare:\n";
        assert_eq!(section().write(true, Detail::Short), lines);
    }

    #[test]
    fn unknown_key_error_lists_the_keys() {
        assert_eq!(section().only("a").unwrap().len(), 1);
        assert_eq!(section().only("all").unwrap().len(), 3);
        assert!(section().only("b").unwrap_err().contains("one of a, long, rare, all"));
    }
}
