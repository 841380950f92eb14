//! Collectives at a scale beyond the machines that we can measure: the model of `crates/sim`, drawn for two kinds of network.
//!
//! The model runs the library's own algorithms for every PE and adds up times by LogGP. Its machines stand for a class, not for a product:
//! the constants are typical of such networks, and the published figures beside them show how accurate the model is.

use std::path::Path;

use ferrite_sim::model::{Link, Machine, table_bytes, team_bytes};
use ferrite_sim::scale::{Case, SIZES};

use crate::Error;
use crate::document::write;
use crate::plot::{Drawing, Line, LineChart, Scale, escape};
use crate::report;

/// A class of networks.
struct Network {
    name: &'static str,
    about: &'static str,
    machine: Machine,
    published: &'static [Published],
}

/// A published measurement of a machine of that class.
struct Published {
    what: &'static str,
    pes: f64,
    ns: f64,
    /// The chart that shows it.
    chart: &'static str,
    /// Source of the figure.
    source: &'static str,
}

/// 200 Gb/s, and about 2 us from memory to memory through one or two switches. The NIC sends 10 million messages a second for each PE.
const SLINGSHOT: Network = Network {
    name: "slingshot",
    about: "Slingshot-class: 200 Gb/s, 2 us, nodes of 128 PEs",
    machine: Machine {
        node: 128,
        far: Link { latency: 1_800_000, overhead: 120_000, gap: 100_000, gap_per_byte: 40 },
        ..Machine::TYPICAL
    },
    // The figures known for collectives on such networks state neither the number of PEs nor where they were published.
    published: &[],
};

/// 400 Gb/s and about 1 us. The NIC sends 14 million messages a second for each PE.
const INFINIBAND: Network = Network {
    name: "infiniband",
    about: "InfiniBand-class: 400 Gb/s, 1 us, nodes of 64 PEs",
    machine: Machine {
        node: 64,
        far: Link { latency: 900_000, overhead: 90_000, gap: 70_000, gap_per_byte: 20 },
        ..Machine::TYPICAL
    },
    published: &[
        Published { what: "HCOLL, allreduce", pes: 512.0, ns: 7_700.0, chart: SMALL, source: HDR100 },
        Published { what: "UCC, allreduce", pes: 128.0, ns: 579_780.0, chart: LARGE, source: RING },
        Published { what: "HCOLL, allreduce", pes: 512.0, ns: 1_519_430.0, chart: LARGE, source: HDR100 },
        Published { what: "UCC ring, allreduce", pes: 128.0, ns: 2_287_610.0, chart: LARGE, source: RING },
        Published { what: "Open MPI, allreduce", pes: 128.0, ns: 3_710_720.0, chart: LARGE, source: RING },
    ],
};

const HDR100: &str = "openucx/ucc issue 981 (2024): osu_allreduce, 512 ranks on 4 nodes, HDR100";
const RING: &str = "openucx/ucc pull request 1082 (2025): allreduce, 128 ranks on 4 nodes";

const SMALL: &str = "small";
const LARGE: &str = "large";

/// The cases of a chart, and the names of their lines.
type Cases = &'static [(Case, &'static str)];

/// The name and the title of each chart, and its cases.
const CHARTS: &[(&str, &str, Cases)] = &[
    (
        SMALL,
        "barrier and 8 bytes: time",
        &[
            (Case::BarrierByNodes, "barrier"),
            (Case::Reduce8ByNodes, "reduction"),
            (Case::Broadcast8, "broadcast"),
            (Case::Split, "team split"),
        ],
    ),
    (LARGE, "1 MiB: time", &[(Case::Reduce1MByNodes, "reduction"), (Case::Broadcast1M, "broadcast")]),
];

/// Write the plots, a table and a page, for up to `most` PEs.
pub fn write_all(directory: &Path, most: usize) -> Result<(), Error> {
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&pes| pes <= most).collect();
    if sizes.len() < 2 {
        return Err(format!("--most {most}: a line needs two sizes; give at least {}", SIZES[1]).into());
    }
    let mut csv =
        String::from("network,collective,bytes,pes,time_ns,chain,messages,bytes_of_busiest,memory_of_each_bytes\n");
    let mut figures = Vec::new();
    for network in [SLINGSHOT, INFINIBAND] {
        for (name, title, cases) in CHARTS {
            eprintln!("{}: {title}", network.name);
            let title = format!("{title}; {}", network.about);
            let lines = times(&network, name, cases, &sizes, &mut csv);
            let drawing = chart(title, ("time", Scale::Time), lines);
            figures.push((format!("scale-{}-{name}", network.name), drawing));
        }
    }
    let title = "memory that each PE keeps for one team of all".to_owned();
    figures.push(("scale-memory".to_owned(), chart(title, ("bytes", Scale::Memory), memory(&sizes))));
    write(&directory.join("scale.csv"), &csv)?;
    for (name, drawing) in &figures {
        write(&directory.join("plots").join(format!("{name}.svg")), &drawing.file())?;
    }
    let page = directory.join("scale.html");
    write(&page, &html(&figures))?;
    eprintln!("the page is in {}", page.display());
    Ok(())
}

fn times(network: &Network, chart: &str, cases: Cases, sizes: &[usize], csv: &mut String) -> Vec<Line> {
    let mut lines = Vec::new();
    let size = if chart == LARGE { 1 << 20 } else { 8 };
    for (at, (case, name)) in cases.iter().enumerate() {
        let mut points = Vec::new();
        for &pes in sizes {
            let (cost, _) = case.run(network.machine, pes);
            let ns = cost.time as f64 / 1e3;
            points.push((pes as f64, ns));
            let memory = table_bytes(pes) + team_bytes(pes, case.scratch(&network.machine, pes));
            let (depth, messages, bytes) = (cost.depth, cost.messages, cost.bytes);
            *csv += &format!("{},{name},{size},{pes},{ns},{depth},{messages},{bytes},{memory}\n", network.name);
        }
        lines.push(Line { name: (*name).to_owned(), class: format!("c{at}"), points });
    }
    let published = network.published.iter().filter(|one| one.chart == chart);
    let line = |one: &Published| Line {
        name: one.what.to_owned(),
        class: "limit".to_owned(),
        points: vec![(one.pes, one.ns)],
    };
    lines.extend(published.map(line));
    lines
}

/// Memory of the collective protocol, for short messages only and with streams of long messages, and of the table of members.
fn memory(sizes: &[usize]) -> Vec<Line> {
    let line = |name: &str, class: &str, bytes: &dyn Fn(usize) -> usize| {
        let point = |&pes: &usize| (pes as f64, bytes(pes) as f64);
        Line { name: name.to_owned(), class: class.to_owned(), points: sizes.iter().map(point).collect() }
    };
    let of = |case: Case| move |pes: usize| team_bytes(pes, case.scratch(&Machine::TYPICAL, pes));
    vec![
        line("short messages", "c0", &of(Case::BarrierByNodes)),
        line("with streams", "c1", &of(Case::Reduce1MByNodes)),
        line("table of members", "c2", &table_bytes),
    ]
}

fn chart(title: String, y: (&'static str, Scale), lines: Vec<Line>) -> Drawing {
    LineChart { title, x: ("PEs", Scale::Number), y, lines }.draw()
}

fn html(figures: &[(String, Drawing)]) -> String {
    let mut body = String::from(
        "<main><h1>Collectives at scale, in a model</h1><p class=\"soft\">The library's own algorithms, run for every PE; time is LogGP's, \
         for a class of networks. Single points are figures that others have published, of machines of that class.</p>\
         <div class=\"figures\">",
    );
    for (_, drawing) in figures {
        let title = escape(drawing.title());
        body += &format!("<figure><figcaption>{title}</figcaption>{}</figure>", drawing.inline());
    }
    body += "</div><h2>Published figures</h2><ul>";
    for network in [SLINGSHOT, INFINIBAND] {
        for Published { what, pes, ns, source, .. } in network.published {
            let time = ns / 1e3;
            body += &format!("<li>{}, {pes} PEs, {time} us: {}</li>", escape(what), escape(source));
        }
    }
    report::document("Collectives at scale", &(body + "</ul></main>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_and_table_agree_and_published_figures_stand_beside() {
        let mut csv = String::new();
        let (name, _, cases) = CHARTS[0];
        let lines = times(&INFINIBAND, name, cases, &[16, 256], &mut csv);
        assert_eq!(csv.lines().count(), 2 * cases.len());
        assert_eq!(lines.len(), cases.len() + 1);
        // 256 PEs are on four nodes, so the time includes at least one message between nodes.
        assert!(lines[0].points[1].1 > 900.0 && lines[0].points[0].1 < lines[0].points[1].1, "{lines:?}");
        assert_eq!(lines.last().unwrap().points, [(512.0, 7_700.0)]);
    }

    #[test]
    fn memory_grows_with_the_logarithm_but_for_eight_bytes_a_member() {
        let lines = memory(&SIZES);
        let (few, all) = (|line: &Line| line.points[0].1, |line: &Line| line.points.last().unwrap().1);
        assert!(all(&lines[0]) < 3.0 * few(&lines[0]) && all(&lines[1]) < 3.0 * few(&lines[1]), "{lines:?}");
        assert_eq!((few(&lines[2]), all(&lines[2])), (128.0, 8.0 * 1_048_576.0));
    }

    #[test]
    fn the_page_names_where_each_figure_was_published() {
        let page = html(&[]);
        for published in INFINIBAND.published {
            assert!(page.contains(&escape(published.source)), "{}", published.source);
        }
    }

    #[test]
    fn one_size_is_no_line() {
        let refused = write_all(Path::new("/nobody"), 16).unwrap_err().to_string();
        assert!(refused.starts_with("--most 16: a line needs two sizes"), "{refused}");
    }
}
