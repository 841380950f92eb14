//! State shared by the ports of a transport and the service thread, which tends the connections.

use crate::{
    acceptor,
    connection::{Connection, Opened},
    connections::Connections,
    dial::dial,
    end::End,
    epoll::Epoll,
    listeners::{self, Listeners},
    options::Options,
    pairs::Pairs,
    poller::Poller,
};
use ferrite_engine::{Error, Event, Handover, Pe, Result, Target};
use ferrite_fabric::AddressBook;
use ferrite_os::guarded_fd::Closed;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// How long to wait for a connection that the peer has announced.
const CROSSING_MAX: Duration = Duration::from_secs(5);

/// State shared by the ports of a transport and the service thread.
pub struct Shared {
    pub options: Options,
    pub listeners: Listeners,
    pub poller: Arc<Poller>,
    pub book: OnceLock<Arc<dyn AddressBook>>,
    /// Events of the service's port. It receives faults, whichever port waits for something.
    pub service: Arc<Handover<Event>>,
    pub connections: Connections,
    /// Readable when there is something to tend: see `acceptor`.
    pub accept_epoll: Epoll,
    pub pairs: Pairs,
    target: Arc<Target>,
}

impl Shared {
    /// Listen. No peer is connected yet.
    pub fn new(options: Options, target: Arc<Target>) -> Result<Self> {
        let listeners = listeners::listen_on(options.interface.as_deref(), &options.ports, options.one_host)?;
        let poller = Poller::new()?;
        Ok(Shared {
            accept_epoll: acceptor::accept_epoll(&listeners.sockets, &poller.lookout)?,
            listeners,
            poller: Arc::new(poller),
            book: OnceLock::new(),
            service: Arc::default(),
            connections: Connections::default(),
            target,
            pairs: Pairs::new(options.me, CROSSING_MAX.min(options.patience)),
            options,
        })
    }

    /// Return the connection for requests to `to`; make one if there is none.
    pub fn connection(&self, to: Pe) -> Result<Arc<Connection>> {
        let reach = || {
            let book = self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))?;
            dial(&self.options, &self.listeners, to, &book.address(to)?)
        };
        let connection = self.pairs.join(to, reach, |opened| self.connections.add(opened, to, &self.poller))?;
        tracing::debug!(me = %self.options.me, %to, "connected");
        Ok(connection)
    }

    /// The answer was sent to `from`, and this is its connection.
    pub fn admit(&self, from: Pe, opened: Opened) -> Result<()> {
        // Other peers may be reached on the network from which this one connected.
        if let Some(at) = opened.peer_address() {
            self.listeners.networks.proven(at.ip());
        }
        let added = self.connections.add(opened, from, &self.poller);
        match &added {
            Ok(connection) => self.pairs.admit(from, connection),
            Err(_) => self.pairs.forget(from),
        }
        added.map(drop)
    }

    /// Send staged bytes, and visit the connections that are ready. Return the number of things that happened.
    #[inline]
    pub fn poll(&self) -> usize {
        let sent = self.push();
        let ended = |connection: &Arc<Connection>, end| self.ended(connection, end);
        match self.connections.visit_ready(&self.poller, &self.target, ended) {
            Ok(happened) => sent + happened,
            Err(closed) => self.cut_off(closed),
        }
    }

    /// The program has closed the polled descriptor: report that no more events will come.
    #[cold]
    fn cut_off(&self, closed: Closed) -> usize {
        self.service.put(Event::Failed(Error::new(closed.to_string())));
        1
    }

    /// Return an error if the program has closed one of the descriptors that live through calls of the program.
    pub fn descriptors(&self) -> Result<(), Closed> {
        self.poller.descriptors()?;
        self.accept_epoll.get()?;
        self.listeners.sockets.iter().try_for_each(|socket| socket.get().map(drop))
    }

    /// Send staged bytes. Return the number of things that happened.
    #[inline]
    pub fn push(&self) -> usize {
        self.poller.push(Connection::push)
    }

    /// Handle the end of a connection. If a peer left without announcing it, that is a fault. If a peer's request was invalid, the peer is
    /// disconnected and learns why: the error is in that peer's job.
    #[cold]
    fn ended(&self, connection: &Arc<Connection>, end: End) {
        self.connections.remove(connection, &end, &self.poller);
        let (me, peer) = (self.options.me, connection.peer);
        match end {
            End::Over => tracing::debug!(%me, %peer, "a connection has ended"),
            End::Dropped(why) => tracing::warn!(%me, %peer, "a connection was dropped: {why}"),
            End::Fault(error) => self.service.put(Event::Failed(error)),
        }
    }
}
