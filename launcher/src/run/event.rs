//! The events that oshrun and its agents handle.

use super::agent_protocol::{Down, Up};
use super::output_stream::OutputStream;
use super::process_end::ProcessEnd;
use ferrite_bootstrap::wire::ToLauncher;
use ferrite_fabric::Pe;

/// An event that oshrun or an agent handles.
#[derive(Debug)]
pub enum Event {
    /// A PE has sent a message.
    PeMessage {
        /// Which PE.
        pe: Pe,
        /// The process that has sent it.
        pid: i32,
        /// What.
        message: ToLauncher,
    },
    /// A PE has violated the protocol of its connection.
    PeProtocolError {
        /// Which PE.
        pe: Pe,
        /// What was wrong.
        why: String,
    },
    /// A PE's connection or output fails, although its process may run.
    PeUnreachable {
        /// Which PE.
        pe: Pe,
        /// What fails, and what the kernel says.
        why: String,
    },
    /// The process that was started for a PE has ended. Comes after all its messages.
    PeEnded {
        /// Which PE.
        pe: Pe,
        /// How.
        end: ProcessEnd,
    },
    /// A process has ended that sent a PE's messages and was started by a wrapper. Only the wrapper knows how it ended.
    SpeakerEnded {
        /// Which PE.
        pe: Pe,
        /// Which process.
        pid: i32,
    },
    /// A PE has written output. No bytes: its stream has ended.
    PeOutput {
        /// Which PE.
        pe: Pe,
        /// Where to.
        stream: OutputStream,
        /// What.
        bytes: Vec<u8>,
    },
    /// All output of the PEs of this host was read.
    OutputDrained,
    /// PE 0 has taken this many bytes of its input.
    InputTaken(usize),
    /// A child agent has sent a message.
    FromAgent {
        /// Which.
        agent: usize,
        /// What.
        up: Up,
    },
    /// A child agent's link has ended, or carried an invalid message.
    AgentClosed {
        /// Which.
        agent: usize,
        /// How, unless it just ended.
        why: String,
    },
    /// The parent has sent a message.
    FromParent(Down),
    /// The parent's link has ended, or carried an invalid message.
    ParentClosed(String),
    /// Output of a host was written.
    OutputWritten {
        /// Which node's.
        node: u32,
        /// Which of its PEs' streams.
        stream: OutputStream,
        /// How many bytes.
        bytes: u32,
    },
    /// Input was read for a PE 0 on another host. No bytes: it has ended.
    InputRead(Vec<u8>),
    /// A signal was received.
    Signal(i32),
    /// The supervisor was killed.
    SupervisorEnded,
}
