//! `--replay`: what a traced run would take on another machine, with more PEs.

use clap::Args;
use ferrite_replay::{network, report, trace};
use std::{fs, path::PathBuf};

/// Options of the replay.
#[derive(Args)]
pub(super) struct Replay {
    /// Replay a trace of oshrun --trace in a model of a network, and report how long its routines would take there, and
    /// what would limit them
    #[arg(long, value_name = "TRACE")]
    replay: Option<PathBuf>,

    /// Number of PEs to model, a multiple of the trace's [default: the trace's]
    #[arg(id = "replay-pes", long = "pes", value_name = "N", requires = "replay", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pes: Option<u32>,

    /// Network between hosts: slingshot, infiniband or ethernet, or a file with lines such as far_latency_ns = 1500 and
    /// far_gbytes_per_s = 25
    #[arg(long, value_name = "NETWORK", requires = "replay", default_value = "slingshot")]
    network: String,
}

impl Replay {
    /// Whether the user asked for a replay.
    pub fn alone(&self) -> bool {
        self.replay.is_some()
    }

    /// The result of the replay.
    pub fn report(&self) -> Result<String, String> {
        let path = self.replay.as_deref().unwrap_or_else(|| "".as_ref());
        let named = |error: String| format!("{}: {error}", path.display());
        if path.extension().is_some_and(|extension| extension == "otf2") {
            return Err(named(
                "OTF2 traces cannot be replayed; `oshrun --trace FILE.json` writes a trace that \
                              can"
                .into(),
            ));
        }
        let text = fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        let trace = trace::read(&text).map_err(named)?;
        let machine = match network::known(&self.network) {
            Some(machine) => machine,
            None => {
                let text = fs::read_to_string(&self.network).map_err(|error| {
                    format!("--network {}: expected {} or a file: {error}", self.network, network::names().join(", "))
                })?;
                network::described(&text).map_err(|error| format!("{}: {error}", self.network))?
            }
        };
        report::report(&trace, self.pes.unwrap_or(trace.pes.len() as u32), machine).map_err(named)
    }
}
