//! The machine's map, in numbers and drawn, and where a job's PEs would go on it.

use clap::Args;
use ferrite_topology::{BindTo, Machine, MapBy, place};

use super::report::{Row, Section};

/// Which machine, and which job on it.
#[derive(Args)]
pub(super) struct Wishes {
    /// The machine and nothing else, drawn; with -n where PEs would go on it
    #[arg(long)]
    topology: bool,

    /// Another machine than this one, as 2x[4x8x2]+2nic: packages, and in each NUMA nodes, cores and threads; then NICs,
    /// spread over all of it or as many on each (+2nic/package, +2nic/numa)
    #[arg(long, value_name = "MACHINE", requires = "topology")]
    synthetic: Option<String>,

    /// How many PEs to place
    #[arg(short = 'n', long = "np", value_name = "N", requires = "topology", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pes: Option<u32>,

    /// Where successive PEs go, as for oshrun
    #[arg(long, value_name = "WHAT", requires = "pes", default_value = "slot")]
    map_by: MapBy,

    /// What each PE is bound to, as for oshrun
    #[arg(long, value_name = "WHAT", requires = "pes")]
    bind_to: Option<BindTo>,
}

impl Wishes {
    /// Whether the machine is all that was asked for.
    pub(super) fn alone(&self) -> bool {
        self.topology
    }

    /// The machine with the job on it.
    pub(super) fn section(&self) -> Result<Section, String> {
        let machine = match &self.synthetic {
            Some(text) => Machine::synthetic(text),
            None => Machine::probe(),
        };
        let machine = machine.map_err(|error| error.to_string())?;
        let placements = place(&machine, self.pes.unwrap_or(0), self.map_by, self.bind_to);
        let placements = placements.map_err(|error| error.to_string())?;
        let mut rows = counts(&machine);
        rows.push(Row::new("picture", machine.picture(&placements).trim_end()));
        Ok(Section { key: "topology", title: "Topology", rows })
    }
}

/// What there is to run on.
pub(super) fn section() -> Section {
    let rows = match Machine::probe() {
        Ok(machine) => rows(&machine),
        Err(error) => vec![Row::new("map", format!("not known: {error}"))],
    };
    Section { key: "topology", title: "Topology", rows }
}

fn rows(machine: &Machine) -> Vec<Row> {
    let mut rows = counts(machine);
    rows.push(Row::new("drawing", machine.draw(&machine.usable)));
    rows.push(Row::new("map", machine.to_string().trim_end()));
    rows
}

fn counts(machine: &Machine) -> Vec<Row> {
    let usable = format!("{} of {} (cpus {})", machine.usable.len(), machine.cpus().len(), machine.usable);
    vec![
        Row::new("packages", machine.packages.len().to_string()),
        Row::new("numas", machine.numas().count().to_string()),
        Row::new("cores", machine.cores().count().to_string()),
        Row::new("threads", machine.cpus().len().to_string()),
        Row::new("nics", machine.nics.len().to_string()),
        Row::new("usable", usable),
    ]
}
