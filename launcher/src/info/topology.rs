//! The machine's map, in numbers and drawn.

use ferrite_topology::Machine;

use super::report::{Row, Section};

/// What there is to run on.
pub(super) fn section() -> Section {
    let rows = match Machine::probe() {
        Ok(machine) => rows(&machine),
        Err(error) => vec![Row::new("map", format!("not known: {error}"))],
    };
    Section { key: "topology", title: "Topology", rows }
}

fn rows(machine: &Machine) -> Vec<Row> {
    let usable = format!("{} of {} (cpus {})", machine.usable.len(), machine.cpus().len(), machine.usable);
    vec![
        Row::new("packages", machine.packages.len().to_string()),
        Row::new("numas", machine.numas().count().to_string()),
        Row::new("cores", machine.cores().count().to_string()),
        Row::new("threads", machine.cpus().len().to_string()),
        Row::new("usable", usable),
        Row::new("drawing", machine.draw(&machine.usable)),
        Row::new("map", machine.to_string().trim_end()),
    ]
}
