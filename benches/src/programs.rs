//! Applications beside the peer, as the small table of README.md: a column for each transport and number of PEs.

use std::fmt::Write;

use crate::document::Results;
use crate::family::Family;
use crate::rows::{Row, measurements};
use crate::stats::geometric_mean;
use crate::transport::Transport;

/// Ratios below this are shown as a fraction.
const FRACTION: f64 = 0.1;

/// The table, in Markdown. Empty if no program was compared with the peer.
pub fn table(results: &Results) -> String {
    let rows: Vec<&Row> = results
        .rows
        .iter()
        .filter(|row| row.family == Family::Applications && row.beside_peer() && row.ratio.is_some())
        .collect();
    let rows = measurements(&rows);
    let Some(peer) = results.head.peer.as_ref().filter(|_| !rows.is_empty()) else { return String::new() };
    let (mut columns, mut names): (Vec<(&Transport, u32)>, Vec<&str>) = (Vec::new(), Vec::new());
    for row in &rows {
        if !columns.contains(&(&row.transport, row.pes)) {
            columns.push((&row.transport, row.pes));
        }
        if !names.contains(&row.test.as_str()) {
            names.push(&row.test);
        }
    }
    // Columns without more PEs than cores come first.
    let cores = results.head.machine.cores;
    columns.sort_by_key(|&(_, pes)| pes > cores);
    let mut text = format!("| time, {} = 1 |", peer.name());
    for (transport, pes) in &columns {
        let share = if *pes > cores { "more than cores" } else { "a core each" };
        write!(text, " {transport}, {pes} PEs ({share}) |").expect("memory");
    }
    text += &format!("\n|---|{}\n", "---:|".repeat(columns.len()));
    let of = |(transport, pes): (&Transport, u32), name: &str| {
        rows.iter().copied().find(|row| row.transport == *transport && row.pes == pes && row.test == name)
    };
    for name in &names {
        let cells = columns.iter().map(|&column| of(column, name).map_or_else(String::new, cell));
        text += &format!("| {name} | {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    let mean = |&column: &(&Transport, u32)| {
        let judged = |name: &&str| of(column, name).filter(|row| row.interval.is_some())?.cost();
        let costs: Vec<f64> = names.iter().filter_map(judged).collect();
        geometric_mean(&costs).map_or_else(String::new, |mean| format!("**{}**", shown(mean)))
    };
    text + &format!(
        "| geometric mean of those with an interval | {} |\n",
        columns.iter().map(mean).collect::<Vec<_>>().join(" | ")
    )
}

/// The median of a row's ratios, and its interval.
fn cell(row: &Row) -> String {
    let cost = row.cost().map_or_else(String::new, shown);
    match row.cost_interval() {
        Some((low, high)) => format!("{cost} ({} to {})", shown(low), shown(high)),
        None => format!("{cost} (too few runs)"),
    }
}

fn shown(cost: f64) -> String {
    if cost < FRACTION { format!("1/{:.0}", 1.0 / cost) } else { format!("{cost:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Distance;
    use crate::sample_results::results;

    #[test]
    fn programs_have_a_line_each_and_a_mean() {
        let mut results = results();
        let crowded =
            |row: &Row| Row { pes: 4, ratio: row.ratio.map(|ratio| 40.0 * ratio), interval: None, ..row.clone() };
        let more: Vec<Row> = results.rows.iter().filter(|row| row.test == "gups").map(crowded).collect();
        // The distance with fewer pairs is left out.
        let fewer = |row: &Row| Row { distance: Distance::Far, pairs: row.pairs - 1, ratio: Some(9.0), ..row.clone() };
        let far: Vec<Row> = results.rows.iter().filter(|row| row.test == "gups").map(fewer).collect();
        results.rows.splice(0..0, far);
        results.rows.extend(more);
        assert_eq!(
            table(&results),
            "| time, Open MPI = 1 | shm, 2 PEs (a core each) | shm, 4 PEs (more than cores) |\n\
             |---|---:|---:|\n\
             | gups | 0.25 (0.25 to 0.26) | 1/160 (too few runs) |\n\
             | bfs | 1.00 (0.98 to 1.02) |  |\n\
             | geometric mean of those with an interval | **0.50** |  |\n"
        );
        results.rows.clear();
        assert_eq!(table(&results), "");
    }

    /// README.md shows the figures of the recorded session.
    #[test]
    fn readme_has_the_recorded_table() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
        let shown =
            readme.split_once("<!-- figures -->\n").and_then(|(_, rest)| rest.split_once("<!-- end of figures -->"));
        let (shown, _) = shown.expect("the marks of the figures");
        let recorded = Results::read(&[root.join("benches/results/programs.json")]).expect("the recorded session");
        assert_eq!(shown, table(&recorded), "ci/measure --pictures writes them");
    }

    /// So do the pages of the other peers, to which README.md leads.
    #[test]
    fn pages_of_peers_have_the_recorded_tables() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
        for peer in ["programs-osss-ucx", "programs-sandia"] {
            let page = format!("benches/results/{peer}.md");
            assert!(readme.contains(&format!("({page})")), "README.md leads to {page}");
            let recorded =
                Results::read(&[root.join(format!("benches/results/{peer}.json"))]).expect("the recorded session");
            let shown = std::fs::read_to_string(root.join(&page)).expect("the page");
            assert!(shown.contains(&table(&recorded)), "{page}");
        }
    }
}
