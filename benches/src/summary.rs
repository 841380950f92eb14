//! A summary of the comparison with the peer: counts, geometric means, and the rows in which ours is slower.

use crate::family::Family;
use crate::rows::{Row, Standing, measurements};
use crate::stats::geometric_mean;
use crate::table::bytes;
use crate::transport::Transport;

/// The rows with a ratio to the peer.
pub struct Summary<'a> {
    rows: Vec<&'a Row>,
}

/// A geometric mean of ratios.
pub struct Mean {
    /// The transport of the rows; `None` for all transports.
    pub transport: Option<Transport>,
    /// Our time divided by the peer's.
    pub cost: f64,
    /// Number of ratios.
    pub of: usize,
}

impl Mean {
    /// Name of the transport, or `all`.
    pub fn over(&self) -> String {
        self.transport.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string)
    }
}

/// If no row is slower, this many rows are shown as the closest to it.
const CLOSEST: usize = 3;

impl<'a> Summary<'a> {
    /// Summarise the rows that have a ratio to the peer.
    pub fn new(rows: &'a [Row]) -> Self {
        Self { rows: rows.iter().filter(|row| row.beside_peer() && row.ratio.is_some()).collect() }
    }

    /// True if nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of rows with this standing.
    pub fn count(&self, standing: Standing) -> usize {
        self.rows.iter().filter(|row| row.standing() == Some(standing)).count()
    }

    /// Rows whose whole interval is on the worse side, the worst first.
    pub fn lost(&self) -> Vec<&'a Row> {
        self.worst(|standing| standing == Standing::Slower)
    }

    /// Rows with these standings, the worst first.
    fn worst(&self, wanted: impl Fn(Standing) -> bool) -> Vec<&'a Row> {
        let mut rows: Vec<&Row> = self.rows.iter().copied().filter(|row| row.standing().is_some_and(&wanted)).collect();
        rows.sort_by(|a, b| b.cost().unwrap_or(0.0).total_cmp(&a.cost().unwrap_or(0.0)));
        rows
    }

    /// The geometric mean of the applications' costs, over each transport and over all.
    pub fn applications(&self) -> Vec<Mean> {
        self.means(|row| row.family == Family::Applications)
    }

    /// The same for the other families.
    pub fn operations(&self) -> Vec<Mean> {
        self.means(|row| row.family != Family::Applications)
    }

    fn means(&self, wanted: impl Fn(&Row) -> bool) -> Vec<Mean> {
        let rows: Vec<&Row> = measurements(&self.rows).into_iter().filter(|row| wanted(row)).collect();
        let mean = |transport: Option<&Transport>| {
            let of_it = rows.iter().filter(|row| transport.is_none_or(|transport| row.transport == *transport));
            let costs: Vec<f64> = of_it.filter_map(|row| row.cost()).collect();
            Some(Mean { transport: transport.cloned(), cost: geometric_mean(&costs)?, of: costs.len() })
        };
        let mut transports: Vec<&Transport> = Vec::new();
        for row in &rows {
            if !transports.contains(&&row.transport) {
                transports.push(&row.transport);
            }
        }
        let mut means: Vec<Mean> = transports.iter().filter_map(|transport| mean(Some(transport))).collect();
        if means.len() > 1 {
            means.extend(mean(None));
        }
        means
    }

    /// The summary as text; empty if nothing was compared.
    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let all = [Standing::Faster, Standing::Alike, Standing::Noise, Standing::Slower, Standing::Few];
        let counted = all.into_iter().filter(|standing| self.count(*standing) > 0);
        let counted: Vec<String> =
            counted.map(|standing| format!("{} {}", self.count(standing), standing.name().to_lowercase())).collect();
        let mut text = format!("\nbeside the peer: {}\n", counted.join(", "));
        let lost = self.lost();
        text.extend(lost.iter().map(|row| line("slower", row)));
        if lost.is_empty() {
            let judged = self.worst(|standing| matches!(standing, Standing::Faster | Standing::Alike));
            text.extend(judged.into_iter().take(CLOSEST).map(|row| line("nothing is slower; the closest", row)));
        }
        for (what, means) in [("operations", self.operations()), ("applications", self.applications())] {
            for mean in means {
                let Mean { cost, of, .. } = mean;
                text +=
                    &format!("{}: {what}: {cost:.2} of the peer's time, geometric mean of {of} ratios\n", mean.over());
            }
        }
        text
    }
}

fn line(what: &str, row: &Row) -> String {
    let (low, high) = row.cost_interval().unwrap_or_default();
    let (over, test, pes) = (&row.transport, &row.test, row.pes);
    let size = if row.bytes == 0 { String::new() } else { format!(" of {} B", bytes(row.bytes)) };
    let cost = row.cost().unwrap_or_default();
    format!("{what}: {over}: {test}{size}, {pes} PEs: {cost:.2} times ({low:.2}..{high:.2})\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Distance;
    use crate::sample_results::results;

    #[test]
    fn losses_and_means_are_told() {
        let results = results();
        let summary = Summary::new(&results.rows);
        let lost: Vec<&str> = summary.lost().iter().map(|row| row.test.as_str()).collect();
        assert_eq!(lost, ["barrier_all", "p_stream"]);
        let means = summary.applications();
        assert_eq!((means.len(), means[0].of, means[0].cost), (1, 2, 0.5));
        let text = summary.text();
        for line in [
            "beside the peer: 8 faster, 3 alike, 1 within noise, 2 slower",
            "slower: tcp: barrier_all, 8 PEs: 1.50 times (1.47..1.53)",
            "slower: shm: p_stream of 8 B, 2 PEs: 1.30 times (1.20..1.40)",
            "shm: applications: 0.50 of the peer's time, geometric mean of 2 ratios",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
        assert_eq!(Summary::new(&[]).text(), "");
    }

    #[test]
    fn transports_have_a_mean_each_and_one_together() {
        let mut rows = results().rows;
        let over_tcp = |row: &Row| Row { transport: Transport::Tcp, ..row.clone() };
        let applications: Vec<Row> =
            rows.iter().filter(|row| row.family == Family::Applications).map(over_tcp).collect();
        rows.extend(applications.into_iter().map(|row| Row { ratio: row.ratio.map(|ratio| 4.0 * ratio), ..row }));
        let summary = Summary::new(&rows);
        let means: Vec<(String, f64)> =
            summary.applications().iter().map(|mean| (mean.over(), (mean.cost * 1e6).round() / 1e6)).collect();
        assert_eq!(means, [("shm".to_owned(), 0.5), ("tcp".to_owned(), 0.125), ("all".to_owned(), 0.25)]);
        let end = "all: applications: 0.25 of the peer's time, geometric mean of 4 ratios\n";
        assert!(summary.text().ends_with(end), "{}", summary.text());
    }

    #[test]
    fn what_met_both_distances_counts_once_by_its_more_frequent_one() {
        let mut rows = results().rows;
        let far = Row { distance: Distance::Far, pairs: 9, ratio: Some(16.0), ..rows[10].clone() };
        assert_eq!((far.test.as_str(), far.family), ("gups", Family::Applications));
        rows.push(far);
        let means = Summary::new(&rows).applications();
        assert_eq!((means[0].of, means[0].cost), (2, 0.25));
    }

    #[test]
    fn where_nothing_is_lost_the_closest_lines_are_named() {
        let rows: Vec<Row> =
            results().rows.into_iter().filter(|row| row.standing() != Some(Standing::Slower)).collect();
        let text = Summary::new(&rows).text();
        assert_eq!(text.matches("nothing is slower; the closest: ").count(), 3, "{text}");
        assert!(text.contains("the closest: shm: put of 1 Mi B, 2 PEs: 1.02 times"), "{text}");
    }
}
