//! A PE's access to its peers over TCP.

use crate::{
    acceptor::Acceptor, descriptors, lookout::Lookout, options::Options, outbox::COPY_BYTES_MAX, port::TcpPort,
    shared::Shared, wire::PAYLOAD_BYTES_MAX,
};
use ferrite_engine::{Answers, Atomics, Error, Event, Flush, Limits, Orders, Result, Segment, Target, Transport};
use ferrite_fabric::{About, AddressBook, Key};
use ferrite_os::{guarded_fd::Closed, mutex};
use std::{
    os::fd::BorrowedFd,
    sync::{Arc, Mutex, atomic::Ordering::Relaxed},
    time::Instant,
};

/// All requests of a PE to a peer travel on one connection, from one outbox, and one thread at a time executes them.
static LIMITS: Limits = Limits {
    depth: 2048,
    copy_bytes_max: COPY_BYTES_MAX,
    message_bytes_max: PAYLOAD_BYTES_MAX,
    writes: false,
    orders: Orders::ALL,
    atomics: Atomics::Target,
    flush: Flush::Done,
    answers: Answers::Asked,
    answers_come_to_service: false,
    needs_polling: true,
    sleeps_long: true,
    drives_nic: false,
};

/// The TCP transport of a PE.
pub struct TcpTransport {
    shared: Arc<Shared>,
    tending: Mutex<Tending>,
}

struct Tending {
    acceptor: Acceptor,
    lookout: Lookout,
}

impl TcpTransport {
    /// Open the transport: start to listen.
    pub fn open(options: Options, target: Arc<Target>) -> Result<Self> {
        descriptors::make_room(options.size);
        let lookout = Lookout::new(options.silence);
        let shared = Arc::new(Shared::new(options, target)?);
        let tending = Mutex::new(Tending { acceptor: Acceptor::new(&shared), lookout });
        Ok(TcpTransport { shared, tending })
    }
}

impl Transport for TcpTransport {
    type Port = TcpPort;

    fn name(&self) -> &'static str {
        // The name distinguishes PEs that seal from PEs that do not, before they connect.
        if self.shared.options.terms.sealed { "sealed tcp" } else { "tcp" }
    }

    fn about(&self) -> About {
        let mut devices: Vec<String> = Vec::new();
        for address in &self.shared.listeners.whereabouts.addresses {
            let ip = address.ip().to_string();
            if !devices.contains(&ip) {
                devices.push(ip);
            }
        }
        About { by: self.name().to_owned(), devices, endpoints_max: None }
    }

    fn limits(&self) -> &Limits {
        &LIMITS
    }

    fn address(&self) -> Vec<u8> {
        self.shared.listeners.whereabouts.encode()
    }

    /// The key is empty: segment and offset are all that travels, and the target checks them.
    unsafe fn register(&self, _: Segment) -> Result<Key> {
        Ok(Key(Box::default()))
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.book.set(book).map_err(|_| Error::new("the transport has an address book already"))
    }

    fn service(&self) -> Result<TcpPort> {
        Ok(TcpPort::new(&self.shared, Arc::clone(&self.shared.service)))
    }

    fn open(&self) -> Result<TcpPort> {
        Ok(TcpPort::new(&self.shared, Arc::default()))
    }

    fn ports_max(&self) -> usize {
        usize::MAX
    }

    fn tending_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.shared.accept_epoll.unchecked())
    }

    fn descriptors(&self) -> Result<(), Closed> {
        self.shared.descriptors()
    }

    fn tend(&self, events: &mut Vec<Event>) -> Option<Instant> {
        let mut tending = mutex::lock(&self.tending);
        let Tending { acceptor, lookout } = &mut *tending;
        acceptor.serve(&self.shared, events);
        lookout.look(&self.shared, events);
        [acceptor.deadline(), lookout.deadline()].into_iter().flatten().min()
    }

    /// Announce the end on every connection, even if an earlier peer has not confirmed it yet: `count` visits all connections.
    fn part(&self) -> bool {
        self.shared.connections.all().iter().filter(|connection| !connection.part()).count() == 0
    }

    fn give_up(&self) {
        self.shared.options.given_up.store(true, Relaxed);
        self.shared.pairs.give_up();
    }

    fn close(&self) {
        self.shared.connections.close();
        // Empty the list of staged connections, which holds references to the closed ones.
        self.shared.push();
    }
}
