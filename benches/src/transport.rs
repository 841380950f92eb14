//! The transport that PEs use during a measurement.

use clap::ValueEnum;
use serde::Serialize;

/// The transport between the PEs of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Memory that they share, or whatever an installation chooses by itself.
    #[default]
    Memory,
    /// TCP over loopback.
    Tcp,
    /// libfabric's provider for TCP, over loopback.
    LibfabricTcp,
    /// UCX with TCP, over loopback.
    UcxTcp,
    /// UCX with shared memory.
    UcxPosix,
}

impl Transport {
    /// What a table is headed by; nothing where it goes without saying.
    pub fn headline(self) -> Option<&'static str> {
        match self {
            Self::Memory => None,
            Self::Tcp => Some("over TCP on loopback"),
            Self::LibfabricTcp => Some("over libfabric's tcp on loopback"),
            Self::UcxTcp => Some("over UCX's tcp on loopback"),
            Self::UcxPosix => Some("over UCX's shared memory"),
        }
    }
}
