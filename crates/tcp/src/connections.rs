//! All connections of a PE.
//!
//! A read-write lock protects the list; it is written only when a connection is added or removed. Each connection has a mutex of its own
//! (`connection`). A thread that visits connections holds the list's lock as a reader and takes no other lock of the list.

use crate::{
    connection::{Connection, Opened},
    end::End,
    poller::Poller,
};
use ferrite_engine::{Error, Pe, Result, Target};
use ferrite_os::{guarded_fd::Closed, mutex};
use std::{
    mem,
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

type List = Vec<Option<Arc<Connection>>>;

/// All connections of a PE.
#[derive(Default)]
pub struct Connections {
    list: RwLock<List>,
    /// Connections that were dropped because the peer violated the protocol. They stay open so that the peer can read the reason.
    dropped: Mutex<Vec<Arc<Connection>>>,
}

impl Connections {
    fn read(&self) -> RwLockReadGuard<'_, List> {
        self.list.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, List> {
        self.list.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Add the connection to a peer that has proven itself.
    pub fn add(&self, opened: Opened, peer: Pe, poller: &Arc<Poller>) -> Result<Arc<Connection>> {
        let mut list = self.write();
        let number = list.iter().position(Option::is_none).unwrap_or(list.len());
        let connection = Arc::new(Connection::new(peer, number, opened, poller));
        poller.add(&connection).map_err(|error| Error::because("watching a connection", error))?;
        let seat = Some(Arc::clone(&connection));
        match list.get_mut(number) {
            Some(free) => *free = seat,
            None => list.push(seat),
        }
        Ok(connection)
    }

    pub fn all(&self) -> Vec<Arc<Connection>> {
        self.read().iter().flatten().cloned().collect()
    }

    /// Visit the connections that are ready. Return the number of things that happened. `ended` is called for connections that ended. The
    /// kernel is asked even if there is no connection: the program may have closed the descriptor that would report one.
    pub fn visit_ready(
        &self,
        poller: &Poller,
        target: &Target,
        mut ended: impl FnMut(&Arc<Connection>, End),
    ) -> Result<usize, Closed> {
        let list = self.read();
        let (mut happened, mut gone) = (0, Vec::new());
        let asked = poller.ready(|number| {
            let Some(Some(connection)) = list.get(number) else { return };
            match connection.visit(target) {
                Ok(n) => happened += n,
                Err(end) => gone.push((Arc::clone(connection), end)),
            }
        });
        drop(list);
        happened += gone.len();
        gone.into_iter().for_each(|(connection, end)| ended(&connection, end));
        asked.map(|()| happened)
    }

    /// Remove a connection that has ended.
    pub fn remove(&self, connection: &Arc<Connection>, end: &End, poller: &Poller) {
        poller.remove(connection);
        let mut list = self.write();
        if let Some(seat) = list.get_mut(connection.number) {
            *seat = None;
        }
        while list.last().is_some_and(Option::is_none) {
            list.pop();
        }
        drop(list);
        match end {
            End::Dropped(_) => mutex::lock(&self.dropped).push(Arc::clone(connection)),
            End::Over | End::Fault(_) => connection.close(),
        }
    }

    /// Close all connections. When this returns, no peer is served any more, and memory may be unmapped.
    pub fn close(&self) {
        let list = mem::take(&mut *self.write());
        list.iter().flatten().for_each(|connection| connection.close());
        mutex::lock(&self.dropped).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_os::guarded_fd::GuardedFd;
    use std::{
        io::{Read, Write},
        net::{TcpListener, TcpStream},
        os::{
            fd::{AsRawFd, FromRawFd},
            unix::net::UnixStream,
        },
    };

    #[test]
    fn a_socket_of_the_program_under_a_connections_number_is_neither_read_nor_written() {
        let (connections, poller, target) =
            (Connections::default(), Arc::new(Poller::new().unwrap()), Target::new(Pe(0), 2));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (ours, _) = listener.accept().unwrap();
        let opened = Opened { socket: GuardedFd::new(ours.into()).unwrap(), keys: None };
        let connection = connections.add(opened, Pe(1), &poller).unwrap();
        let number = connection.socket.number();

        let (programs, mut others) = UnixStream::pair().unwrap();
        others.write_all(b"the program's").unwrap();
        // The peer's bytes have arrived for the connection before the program closes its socket.
        peer.write_all(b"x").unwrap();
        // SAFETY: the descriptor is the connection's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(programs.as_raw_fd(), number) }, number);
        drop(programs);

        let visited = connections.visit_ready(&poller, &target, |_, _| panic!("no event comes from a closed socket"));
        assert_eq!(visited, Ok(0));
        assert_eq!(poller.descriptors(), Ok(()), "nothing was used yet");
        assert!(!connection.part());
        assert_eq!(poller.descriptors(), Err(Closed { number }));
        others.set_nonblocking(true).unwrap();
        assert!(others.read(&mut [0; 1]).is_err(), "nothing was written");
        let mut left = [0; 13];
        // SAFETY: the copy made above, which belongs to the test.
        let mut programs = unsafe { UnixStream::from_raw_fd(number) };
        programs.read_exact(&mut left).unwrap();
        assert_eq!(&left, b"the program's");
    }
}
