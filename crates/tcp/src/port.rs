//! A stream of calls over the connections of its PE.
//!
//! A port is a handle: connections are shared by all ports, and whichever polls moves the bytes of all. What ends meanwhile is told to
//! each port by its [`Handover`].

use crate::{calls::CallerNumber, connection::Connection, shared::Shared};
use ferrite_engine::{Arm, Event, Handover, Location, Pe, PeerNumber, Port, PostError, Posted, Result, Token};
use std::{os::fd::BorrowedFd, sync::Arc};

/// See the module.
pub struct TcpPort {
    shared: Arc<Shared>,
    queue: Arc<Handover<Event>>,
    peers: Vec<Peer>,
}

struct Peer {
    connection: Arc<Connection>,
    /// By which the connection knows this port.
    caller: CallerNumber,
}

impl TcpPort {
    /// A port that has met nobody.
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

    /// What the kernel had no room for needs nobody who polls: it wakes whoever sleeps.
    fn has_unsent(&self) -> bool {
        self.shared.poller.has_staged()
    }

    fn push(&mut self) {
        self.shared.push();
    }

    /// What another thread takes from the connections wakes nobody here.
    fn arm(&mut self) -> Arm {
        self.shared.push();
        if self.queue.has_any() || self.has_unsent() { Arm::Busy } else { Arm::Armed }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.shared.poller.fd())
    }
}
