//! A [`Fabric`] over plain TCP that needs nothing installed.
//!
//! # How it works
//!
//! Each PE listens. When a PE first has an operation for another it opens a connection there, and both sides prove
//! that they know the job's secret ([`proof`]). From then on requests of both travel on it, and the answers to them
//! ([`wire`]): so there is one connection for each pair that talks (`pairs`, which states what happens if both dial).
//!
//! - A [`Lane`] copies small puts into the connection's outbox, several to a system call, and leaves large ones where they
//!   lie until the kernel takes them (`outbox`). The target stores what arrives by whole words
//!   (`words`, which says why not straight from the socket); the answers to large gets are read straight to where they
//!   belong, but for what arrived together with a frame's head (`inbox`).
//! - Order: a PE's requests travel on one connection, from one outbox, to one thread at a time at the target. So they are
//!   applied in the order of issue, and a fence costs nothing (`server`).
//! - Completion: answers come in order, so the number of the last frame applied says all (`asker`). Puts are
//!   acknowledged when somebody asks.
//! - Progress: a program inside the library drives its sockets, a thread serves peers otherwise (`service`, which states
//!   who does what when). No end stops reading because it cannot write (`channel`).
//! - Atomics are executed by the target's processor, in one domain with those of PEs that map the memory
//!   ([`ferrite_fabric::segments`]).
//! - A peer lost in the middle is a [`Fabric::fault`]. A stranger, or a peer that asks for what does not exist, is
//!   dropped with a line in the log; nobody else notices.
//!
//! What it does not do: it neither encrypts nor signs what travels after the opening, so somebody who can change packets
//! on the way can change data.

mod address;
mod asker;
mod attempt;
mod channel;
mod channels;
mod descriptors;
mod dial;
mod door;
mod end;
mod inbox;
mod lane;
mod lookout;
mod networks;
mod outbox;
mod pairs;
pub mod proof;
mod race;
mod server;
mod service;
mod shared;
mod sys;
pub mod wire;
mod words;

pub use address::survey;
use ferrite_fabric::{AddressBook, Caps, Doze, Error, Fabric, Key, Lane, Result, Segment, threads};
pub use shared::Options;
use shared::{Shared, Visitor};
use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long the end of a fabric waits for its peers to take the last words.
const PARTING: Duration = Duration::from_secs(1);

static CAPS: Caps = Caps {
    inject_bytes_max: asker::INJECT_BYTES_MAX,
    amo: |_, _| true,
    put_signal: true,
    needs_target_progress: false,
    nic_atomics: false,
    peers_store: false,
    drives_nic: false,
};

/// A PE's part in the fabric.
pub struct TcpFabric {
    shared: Arc<Shared>,
    service: Option<JoinHandle<()>>,
}

impl TcpFabric {
    /// Listen, and start the service thread.
    pub fn new(options: Options) -> Result<Self> {
        descriptors::make_room(options.size);
        let ears = address::listen_on(options.interface.as_deref())?;
        let shared = Arc::new(Shared::new(options, ears)?);
        let hinges = door::hinges(&shared.ears.listeners, &shared.bell)?;
        let theirs = Arc::clone(&shared);
        let service = threads::start(thread::Builder::new(), "ferrite-tcp", move || service::run(&theirs, hinges))
            .map_err(|e| Error::because("starting the service thread", e))?;
        Ok(TcpFabric { shared, service: Some(service) })
    }
}

impl fmt::Debug for TcpFabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TcpFabric").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Fabric for TcpFabric {
    fn name(&self) -> &'static str {
        "tcp"
    }

    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn address(&self) -> Vec<u8> {
        self.shared.ears.whereabouts.encode()
    }

    /// The key is empty: segment and offset are all that travels, and the target checks them.
    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        self.shared.memory.register(segment)?;
        Ok(Key(Box::default()))
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.shared.book.set(book).map_err(|_| Error::new("the fabric has an address book already"))
    }

    fn lane(&self) -> Result<Box<dyn Lane>> {
        Ok(Box::new(lane::TcpLane::new(Arc::clone(&self.shared))))
    }

    fn fault(&self) -> Option<Error> {
        self.shared.fate.fault()
    }

    fn doze(&self, limit: Duration) -> Doze {
        self.shared.doze(limit)
    }

    fn part(&self) {
        let sound = self.shared.fate.is_sound();
        if self.shared.fate.close() {
            return;
        }
        let mut channels = self.shared.channels.all();
        channels.retain(|channel| sound && channel.bye());
        let deadline = Instant::now() + PARTING;
        while !channels.is_empty() && Instant::now() < deadline {
            channels.retain(|channel| {
                self.shared.visit(channel, Visitor::Program);
                !channel.has_parted()
            });
            thread::sleep(Duration::from_micros(100));
        }
    }
}

impl Drop for TcpFabric {
    /// Peers hear that nothing follows, and get a moment to take what is under way. Then nobody touches the
    /// segments any more.
    fn drop(&mut self) {
        self.part();
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.bell.ring();
        if let Some(service) = self.service.take() {
            let _ = service.join();
        }
        self.shared.channels.close();
    }
}
