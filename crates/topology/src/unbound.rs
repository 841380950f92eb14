//! The reasons why PEs are not bound.

use std::fmt;

use crate::BindTo;

/// The reason for which all PEs of a machine are left to the kernel's scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbound {
    /// The user wants it so.
    Wished,
    /// One PE has the machine to itself: bound, all its threads would be on one core.
    Alone,
    /// PEs outnumber the cores that they would take.
    Cores {
        /// The PEs.
        pes: usize,
        /// The cores.
        cores: usize,
    },
    /// PEs outnumber the cpus of a part of the machine that they were to be bound to.
    Crowded {
        /// The PEs of that part.
        pes: usize,
        /// How many cpus each is to have.
        each: usize,
        /// Its cpus.
        cpus: usize,
        /// What it is.
        part: BindTo,
    },
    /// Each is to have several cpus, and there are not so many side by side.
    Wide {
        /// The PEs.
        pes: usize,
        /// How many cpus each is to have.
        each: usize,
        /// How many PEs there is room for.
        room: usize,
    },
    /// A control group limits their time and not their cpus, so that neighbours may be bound to the same first ones.
    Time {
        /// How many cpus' worth of it they have.
        cpus: u32,
    },
    /// None of the cpus that they run on is on the map.
    Astray,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unbound::Wished => f.write_str("that is wished"),
            Unbound::Alone => f.write_str("one PE has all of the machine"),
            Unbound::Cores { pes, cores } => write!(f, "{pes} PEs share {}", counted(*cores, "core")),
            Unbound::Crowded { pes, each: 1, cpus, part } => {
                write!(f, "{pes} PEs would share {} of a {part}", counted(*cpus, "cpu"))
            }
            Unbound::Crowded { pes, each, cpus, part: BindTo::Core } => {
                write!(f, "{pes} PEs of {each} cpus each would share {}", counted(*cpus, "cpu"))
            }
            Unbound::Crowded { pes, each, cpus, part } => {
                write!(f, "{pes} PEs of {each} cpus each would share {} of a {part}", counted(*cpus, "cpu"))
            }
            Unbound::Wide { pes, each, room } => {
                write!(f, "{pes} PEs are to have {each} cpus each, and there is room for {room} such")
            }
            Unbound::Time { cpus } => {
                write!(f, "a control group leaves them the time of {}", counted(*cpus as usize, "cpu"))
            }
            Unbound::Astray => f.write_str("none of the cpus that they run on is on the map"),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
