//! Where the measured installation stands: counts, geometric means, and the lines that are lost.

use crate::family::Family;
use crate::rows::{Row, Standing};
use crate::stats::geometric_mean;
use crate::transport::Transport;

/// What the rows beside the peer say together.
pub struct Summary<'a> {
    rows: Vec<&'a Row>,
}

/// A geometric mean, of so many ratios.
pub struct Mean {
    /// Over what.
    pub transport: Transport,
    /// Time of ours in units of the peer's.
    pub cost: f64,
    /// How many ratios it is of.
    pub of: usize,
}

impl<'a> Summary<'a> {
    /// Of all rows that have a ratio to the peer.
    pub fn new(rows: &'a [Row]) -> Self {
        Self { rows: rows.iter().filter(|row| row.beside_peer() && row.ratio.is_some()).collect() }
    }

    /// Whether nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows stand so.
    pub fn count(&self, standing: Standing) -> usize {
        self.rows.iter().filter(|row| row.standing() == Some(standing)).count()
    }

    /// Rows whose whole interval is on the worse side, the worst first.
    pub fn lost(&self) -> Vec<&'a Row> {
        let mut lost: Vec<&Row> =
            self.rows.iter().copied().filter(|row| row.standing() == Some(Standing::Slower)).collect();
        lost.sort_by(|a, b| b.cost().unwrap_or(0.0).total_cmp(&a.cost().unwrap_or(0.0)));
        lost
    }

    /// The transports over which something was compared.
    fn transports(&self) -> Vec<&'a Transport> {
        let mut all: Vec<&Transport> = Vec::new();
        for row in &self.rows {
            if !all.contains(&&row.transport) {
                all.push(&row.transport);
            }
        }
        all
    }

    /// The geometric mean of what the applications cost, over each transport.
    pub fn applications(&self) -> Vec<Mean> {
        self.means(|row| row.family == Family::Applications)
    }

    /// The same of all else.
    pub fn operations(&self) -> Vec<Mean> {
        self.means(|row| row.family != Family::Applications)
    }

    fn means(&self, wanted: impl Fn(&Row) -> bool) -> Vec<Mean> {
        let mean = |transport: &&Transport| {
            let of_it = self.rows.iter().filter(|row| row.transport == **transport && wanted(row));
            let costs: Vec<f64> = of_it.filter_map(|row| row.cost()).collect();
            Some(Mean { transport: (*transport).clone(), cost: geometric_mean(&costs)?, of: costs.len() })
        };
        self.transports().iter().filter_map(mean).collect()
    }

    /// For a terminal; empty where nothing was compared.
    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let all = [Standing::Faster, Standing::Alike, Standing::Noise, Standing::Slower, Standing::Few];
        let counted = all.into_iter().filter(|standing| self.count(*standing) > 0);
        let counted: Vec<String> =
            counted.map(|standing| format!("{} {}", self.count(standing), standing.name().to_lowercase())).collect();
        let mut text = format!("\nbeside the peer: {}\n", counted.join(", "));
        for row in self.lost() {
            let (low, high) = row.cost_interval().unwrap_or_default();
            let (over, test, pes) = (&row.transport, &row.test, row.pes);
            let bytes = if row.bytes == 0 { String::new() } else { format!(" of {} bytes", row.bytes) };
            let cost = row.cost().unwrap_or_default();
            text += &format!("slower: {over}: {test}{bytes}, {pes} PEs: {cost:.2} times ({low:.2}..{high:.2})\n");
        }
        for (what, means) in [("operations", self.operations()), ("applications", self.applications())] {
            for Mean { transport, cost, of } in means {
                text += &format!("{transport}: {what}: {cost:.2} of the peer's time, geometric mean of {of} ratios\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "slower: shm: p_stream of 8 bytes, 2 PEs: 1.30 times (1.20..1.40)",
            "shm: applications: 0.50 of the peer's time, geometric mean of 2 ratios",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
        assert_eq!(Summary::new(&[]).text(), "");
    }
}
