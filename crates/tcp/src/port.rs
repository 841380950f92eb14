//! A stream of calls over the connections of its PE.
//!
//! A port is a handle: all ports share the connections, and a poll of any port moves the bytes of all. Calls that complete meanwhile are
//! reported to each port by its [`Handover`].

use crate::{calls::CallerNumber, connection::Connection, shared::Shared};
use ferrite_engine::{Arm, Event, Handover, Location, Pe, PeerNumber, Port, PostError, Posted, Result, Token};
use std::{os::fd::BorrowedFd, sync::Arc};

/// A port of the TCP transport.
pub struct TcpPort {
    shared: Arc<Shared>,
    queue: Arc<Handover<Event>>,
    peers: Vec<Peer>,
}

struct Peer {
    connection: Arc<Connection>,
    /// Number by which the connection knows this port.
    caller: CallerNumber,
}

impl TcpPort {
    /// A port without peers.
    pub fn new(shared: &Arc<Shared>, queue: Arc<Handover<Event>>) -> Self {
        TcpPort { shared: Arc::clone(shared), queue, peers: Vec::new() }
    }
}

impl Port for TcpPort {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        let connection = self.shared.connection(pe)?;
        let caller = connection.add_caller(&self.queue, self.peers.len() as PeerNumber);
        self.peers.push(Peer { connection, caller });
        Ok(())
    }

    unsafe fn send(
        &mut self,
        peer: PeerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let Peer { connection, caller } = &self.peers[peer as usize];
        // SAFETY: as the caller says.
        unsafe { connection.send(*caller, head, data, len, token) }
    }

    unsafe fn read(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let Peer { connection, caller } = &self.peers[peer as usize];
        // SAFETY: as the caller says.
        unsafe { connection.read(*caller, from, to, len, token) }
    }

    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        let happened = self.shared.poll();
        self.queue.take(events);
        happened + events.len()
    }

    /// True only for staged bytes. Bytes that the kernel refused need no polling: room in the socket wakes the sleeper.
    fn has_unsent(&self) -> bool {
        self.shared.poller.has_staged()
    }

    fn push(&mut self) {
        self.shared.push();
    }

    /// Bytes that another thread takes from the connections do not wake a sleeper here, so the port's queue is checked.
    fn arm(&mut self) -> Arm {
        self.shared.push();
        if self.queue.has_any() || self.has_unsent() { Arm::Busy } else { Arm::Armed }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.shared.poller.fd())
    }
}
