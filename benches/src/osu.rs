//! Tables in the format of the OSU micro-benchmarks: comments, and lines of a size and a value. Scripts that read their output can read
//! these.

use crate::rows::Row;
use crate::sample::Unit;

pub struct OsuTable {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    pub text: String,
}

/// The side whose values a table shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Peer,
}

/// One table for each test, transport, number of PEs and distance.
pub fn tables(rows: &[Row], whose: Whose) -> Vec<OsuTable> {
    let mut tables: Vec<(OsuTable, Vec<u64>)> = Vec::new();
    for row in rows {
        let value = match whose {
            Whose::Ours => row.ours,
            Whose::Peer => row.reference.filter(|_| row.beside_peer()),
        };
        let Some(value) = value else { continue };
        let name = name(row, whose);
        let at = tables.iter().position(|(table, _)| table.name == name).unwrap_or_else(|| {
            tables.push((OsuTable { name, text: head(row, whose) }, Vec::new()));
            tables.len() - 1
        });
        let (table, sizes) = &mut tables[at];
        // A test has a row for each of its references; only the first is used.
        if !sizes.contains(&row.bytes) {
            sizes.push(row.bytes);
            table.text += &line(row, value);
        }
    }
    tables.into_iter().map(|(table, _)| table).collect()
}

fn name(row: &Row, whose: Whose) -> String {
    // A test whose small sizes are timed and whose large ones are bandwidths gives two tables.
    let unit = if row.unit == Unit::GigabytesPerSecond { "-bandwidth" } else { "" };
    let whose = if whose == Whose::Peer { "-peer" } else { "" };
    format!("{}-{}{unit}-{}pes-{}{whose}.txt", row.transport.file_word(), row.test, row.pes, row.distance.name())
}

fn head(row: &Row, whose: Whose) -> String {
    let whose = if whose == Whose::Peer { ", the other installation" } else { "" };
    let what =
        format!("# oshbench {} over {}, {} PEs, {}{whose}\n", row.test, row.transport, row.pes, row.distance.name());
    if row.bytes == 0 { format!("{what}# {}\n", column(row.unit)) } else { what + &pair("# Size", column(row.unit)) }
}

fn column(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "Latency (us)",
        Unit::Ms => "Time (ms)",
        Unit::GigabytesPerSecond => "Bandwidth (MB/s)",
        Unit::MillionsPerSecond => "Messages/s",
        Unit::Count => "Events",
        Unit::Percent => "Overlap (%)",
        Unit::Figure(name) => name,
    }
}

fn line(row: &Row, value: f64) -> String {
    let value = match row.unit {
        Unit::Ns => format!("{:.4}", value / 1e3),
        Unit::GigabytesPerSecond => format!("{:.2}", value * 1e3),
        Unit::MillionsPerSecond => format!("{:.2}", value * 1e6),
        _ => format!("{value:.4}"),
    };
    if row.bytes == 0 { format!("{value:>10}\n") } else { pair(&row.bytes.to_string(), &value) }
}

fn pair(left: &str, right: &str) -> String {
    format!("{left:<10}{right:>18}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_results::results;

    #[test]
    fn sizes_and_values_stand_below_comments() {
        let tables = tables(&results().rows, Whose::Ours);
        let of = |name: &str| tables.iter().find(|table| table.name == name).map(|table| table.text.as_str()).unwrap();
        let put = "# oshbench put over shm, 2 PEs, near\n# Size          Latency (us)\n\
                   8                     0.0100\n1024                  0.0200\n";
        assert_eq!(of("shm-put-2pes-near.txt"), put);
        assert!(of("shm-put-bandwidth-2pes-near.txt").ends_with("1048576             50000.00\n"));
        assert_eq!(of("tcp-barrier_all-8pes-any.txt").lines().last(), Some("   30.0000"));
    }

    #[test]
    fn the_peer_has_tables_of_its_own() {
        let tables = tables(&results().rows, Whose::Peer);
        assert!(tables.iter().all(|table| table.name.ends_with("-peer.txt")));
        let put = tables.iter().find(|table| table.name == "shm-put-2pes-near-peer.txt").unwrap();
        assert!(put.text.contains("8                     0.0250\n"), "{}", put.text);
    }
}
