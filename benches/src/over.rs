//! What the bytes of a measurement go over.

use clap::ValueEnum;
use serde::Serialize;

/// The way between the PEs of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Memory that they share, or whatever an installation chooses by itself.
    #[default]
    Memory,
    /// TCP over loopback.
    Tcp,
}
