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
        /// The PE that sent it.
        pe: Pe,
        /// The process that sent it.
        pid: i32,
        message: ToLauncher,
    },
    /// A PE has violated the protocol of its connection.
    PeProtocolError {
        /// The PE that violated it.
        pe: Pe,
        /// How, for the user.
        why: String,
    },
    /// A PE's connection or output fails, although its process may still run.
    PeUnreachable {
        /// The PE in question.
        pe: Pe,
        /// The operation that failed, and the kernel's error.
        why: String,
    },
    /// The process that was started for a PE has ended. Comes after all its messages.
    PeEnded {
        /// The PE that the process was started for.
        pe: Pe,
        end: ProcessEnd,
    },
    /// A process has ended that sent a PE's messages and was started by a wrapper. Only the wrapper knows how it ended.
    SpeakerEnded {
        /// The PE whose messages it sent.
        pe: Pe,
        /// The process that ended.
        pid: i32,
    },
    /// A PE has written output. No bytes: its stream has ended.
    PeOutput {
        /// The PE that wrote it.
        pe: Pe,
        /// The stream that it wrote to.
        stream: OutputStream,
        /// The bytes that it wrote.
        bytes: Vec<u8>,
    },
    /// All output of the PEs of this host was read.
    OutputDrained,
    /// PE 0 has taken this many bytes of its input.
    InputTaken(usize),
    /// A child agent has sent a message.
    FromAgent {
        /// The index of the agent.
        agent: usize,
        up: Up,
    },
    /// A child agent's link has ended, or carried an invalid message.
    AgentClosed {
        /// The index of the agent.
        agent: usize,
        /// The error. Empty if the link just ended.
        why: String,
    },
    /// The parent has sent a message.
    FromParent(Down),
    /// The parent's link has ended, or carried an invalid message.
    ParentClosed(String),
    /// Output of a host was written.
    OutputWritten {
        /// The node number of the host.
        node: u32,
        /// The stream whose output was written.
        stream: OutputStream,
        /// The number of bytes.
        bytes: u32,
    },
    /// Input was read for a PE 0 on another host. No bytes: it has ended.
    InputRead(Vec<u8>),
    /// A signal was received.
    Signal(i32),
    /// The supervisor was killed.
    SupervisorEnded,
}
