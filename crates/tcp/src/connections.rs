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
