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
            // SAFETY: the epoll has just reported it.
            match unsafe { connection.visit(target) } {
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
            fd::{AsRawFd, FromRawFd, RawFd},
            unix::net::UnixStream,
        },
    };

    /// A connection to PE 1, whose bytes have arrived here, the peer's end, and both ends of a socket of the program. The program has put its
    /// socket under the connection's number.
    struct Replaced {
        connections: Connections,
        poller: Arc<Poller>,
        connection: Arc<Connection>,
        _peer: TcpStream,
        others: UnixStream,
    }

    /// `before` gets the connection's descriptor before the program closes it.
    fn replaced(before: impl FnOnce(RawFd)) -> Replaced {
        let (connections, poller) = (Connections::default(), Arc::new(Poller::new().unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (ours, _) = listener.accept().unwrap();
        let opened = Opened { socket: GuardedFd::new(ours.into()).unwrap(), keys: None };
        let connection = connections.add(opened, Pe(1), &poller).unwrap();
        let number = connection.socket.number();
        before(number);
        peer.write_all(b"x").unwrap();
        let (programs, mut others) = UnixStream::pair().unwrap();
        others.write_all(b"the program's").unwrap();
        // SAFETY: the descriptor is the connection's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(programs.as_raw_fd(), number) }, number);
        Replaced { connections, poller, connection, _peer: peer, others }
    }

    impl Replaced {
        /// Call `ended` for the connection if it ends.
        fn visit(&self, ended: impl FnMut(&Arc<Connection>, End)) -> Result<usize, Closed> {
            self.connections.visit_ready(&self.poller, &Target::new(Pe(0), 2), ended)
        }

        /// The program's socket has its bytes still, and no others were sent on it.
        fn assert_untouched(mut self) {
            self.others.set_nonblocking(true).unwrap();
            assert!(self.others.read(&mut [0; 1]).is_err(), "nothing was written");
            let mut left = [0; 13];
            // SAFETY: the number is the copy of the program's socket that `replaced` has made.
            let mut programs = unsafe { UnixStream::from_raw_fd(self.connection.socket.number()) };
            programs.read_exact(&mut left).unwrap();
            assert_eq!(&left, b"the program's");
        }
    }

    /// A child that keeps one descriptor open until it is dropped.
    struct Child(libc::pid_t);

    impl Child {
        fn with(number: RawFd) -> Child {
            // SAFETY: the child closes descriptors of its own table, and sleeps.
            unsafe {
                let child = libc::fork();
                if child == 0 {
                    // Others are of tests that run beside this one.
                    (0..1024).filter(|&other| other != number).for_each(|other| _ = libc::close(other));
                    libc::pause();
                    libc::_exit(0);
                }
                assert!(child > 0);
                Child(child)
            }
        }
    }

    impl Drop for Child {
        fn drop(&mut self) {
            // SAFETY: a child of this process, which was not waited for.
            unsafe {
                libc::kill(self.0, libc::SIGKILL);
                libc::waitpid(self.0, std::ptr::null_mut(), 0);
            }
        }
    }

    #[test]
    fn a_socket_of_the_program_under_a_connections_number_is_neither_read_nor_written() {
        let closed = replaced(|_| {});
        assert_eq!(closed.visit(|_, _| panic!("no event comes from a closed socket")), Ok(0));
        assert_eq!(closed.poller.descriptors(), Ok(()), "nothing was used yet");
        assert!(!closed.connection.part());
        let number = closed.connection.socket.number();
        assert_eq!(closed.poller.descriptors(), Err(Closed { number }));
        closed.assert_untouched();

        // Events go on as long as a child keeps the connection open.
        let mut child = None;
        let kept = replaced(|number| child = Some(Child::with(number)));
        let mut end = None;
        assert_eq!(kept.visit(|_, why| end = Some(why)), Ok(1));
        assert!(matches!(end, Some(End::Over)), "it was never used, so nothing is missing: {end:?}");
        let number = kept.connection.socket.number();
        assert_eq!(kept.poller.descriptors(), Err(Closed { number }));
        kept.assert_untouched();
    }
}
