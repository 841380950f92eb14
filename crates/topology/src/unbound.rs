//! The reasons why PEs are not bound.

use std::fmt;

use crate::BindTo;

/// The reason why the PEs of a machine are not bound, but left to the kernel's scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbound {
    /// The user asked for it.
    Wished,
    /// One PE has the machine to itself. If it were bound, all its threads would be on one core.
    Alone,
    /// PEs outnumber the cores that they would take.
    Cores {
        /// Number of PEs of the machine.
        pes: usize,
        /// Number of cores that they would take.
        cores: usize,
    },
    /// PEs outnumber the cpus of a part of the machine that they were to be bound to.
    Crowded {
        /// Number of PEs on that part.
        pes: usize,
        /// Number of cpus that each PE is to have.
        each: usize,
        /// Number of cpus of the part.
        cpus: usize,
        /// The kind of part.
        part: BindTo,
    },
    /// Each PE is to have several cpus, and the machine has too few groups of neighbouring cpus.
    Wide {
        /// Number of PEs of the machine.
        pes: usize,
        /// Number of cpus that each PE is to have.
        each: usize,
        /// Number of PEs that there is room for.
        room: usize,
    },
    /// A control group limits the PEs' time and not their cpus, so that neighbours may be bound to the same first cpus.
    Time {
        /// Number of cpus' worth of time that the PEs have.
        cpus: u32,
    },
    /// None of the cpus that the PEs run on is on the map.
    Astray,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unbound::Wished => f.write_str("this was requested"),
            Unbound::Alone => f.write_str("one PE has the whole host"),
            Unbound::Cores { pes, cores } => write!(f, "{pes} PEs share {}", counted(*cores, "core")),
            Unbound::Crowded { pes, each: 1, cpus, part } => {
                write!(f, "{pes} PEs would share {} of a {part}", counted(*cpus, "CPU"))
            }
            Unbound::Crowded { pes, each, cpus, part: BindTo::Core } => {
                write!(f, "{pes} PEs of {each} CPUs each would share {}", counted(*cpus, "CPU"))
            }
            Unbound::Crowded { pes, each, cpus, part } => {
                write!(f, "{pes} PEs of {each} CPUs each would share {} of a {part}", counted(*cpus, "CPU"))
            }
            Unbound::Wide { pes, each, room } => {
                write!(f, "{pes} PEs of {each} CPUs each do not fit: there is room for {room}")
            }
            Unbound::Time { cpus } => {
                write!(f, "a control group limits them to the time of {}", counted(*cpus as usize, "CPU"))
            }
            Unbound::Astray => f.write_str("none of their CPUs is on the map"),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
