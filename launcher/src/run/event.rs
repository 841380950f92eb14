//! What happens to a part of a job.

use super::agent_protocol::{Down, Up};
use super::output::Stream;
use super::process_end::ProcessEnd;
use ferrite_bootstrap::wire::ToLauncher;
use ferrite_fabric::Pe;

/// Something that oshrun or an agent has to act upon.
#[derive(Debug)]
pub enum Event {
    /// A PE's process said something.
    Said {
        /// Which PE.
        pe: Pe,
        /// Which process of it.
        pid: i32,
        /// What.
        message: ToLauncher,
    },
    /// What came over a PE's connection is no message.
    Garbled {
        /// Which PE.
        pe: Pe,
        /// What was wrong.
        why: String,
    },
    /// The process that was started for a PE has ended. Comes after all that it said.
    Ended {
        /// Which PE.
        pe: Pe,
        /// How.
        end: ProcessEnd,
    },
    /// A process that spoke for a PE, but was started by a wrapper, has ended; its parent knows how.
    Vanished {
        /// Which PE.
        pe: Pe,
        /// Which process.
        pid: i32,
    },
    /// A PE has printed something. Nothing: its stream has ended.
    Printed {
        /// Which PE.
        pe: Pe,
        /// Where to.
        stream: Stream,
        /// What.
        bytes: Vec<u8>,
    },
    /// All that the PEs of this host have printed was read.
    Drained,
    /// PE 0 has taken so many bytes of its input.
    Fed(usize),
    /// An agent said something.
    Below {
        /// Which.
        agent: usize,
        /// What.
        up: Up,
    },
    /// An agent's connection has ended, or carries nonsense.
    BelowLost {
        /// Which.
        agent: usize,
        /// How, unless it just ended.
        why: String,
    },
    /// The parent said something.
    Above(Down),
    /// The parent's connection has ended, or carries nonsense.
    AboveLost(String),
    /// A host's output went out to the user.
    Written {
        /// Which node's.
        node: u32,
        /// Which of its PEs' streams.
        stream: Stream,
        /// How many bytes.
        bytes: u32,
    },
    /// Input for PE 0, which is on another host. Nothing: it has ended.
    Typed(Vec<u8>),
    /// A signal came to oshrun.
    Signal(i32),
    /// The supervisor was killed.
    Orphaned,
}
