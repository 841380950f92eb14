//! A [`Fabric`] over plain TCP that needs nothing installed.
//!
//! # How it works
//!
//! Each PE listens. When a PE first has an operation for another it opens a connection there, both sides prove
//! that they know the job's secret ([`proof`]), and from then on requests travel one way and their answers the
//! other ([`wire`]). So there is one connection for each direction of each pair that talks.
//!
//! - A [`Lane`] copies small puts into the link's outbox, several to a system call, and leaves large ones where they lie
//!   until the kernel takes them (`outbox`). The target reads large payloads straight into the registered segment
//!   (`inbox`); only what arrived together with a frame's head is copied.
//! - Order: one connection, one outbox, one thread at a time at the target. So operations at a PE are applied in the
//!   order of issue, and a fence costs nothing (`guest`).
//! - Completion: answers come in order, so the number of the last frame applied says all (`link`). Puts are
//!   acknowledged when somebody asks.
//! - Progress: a program inside the library drives its sockets, a thread serves the target side otherwise
//!   (`service`, which states who may touch what when).
//! - Atomics are executed by the target's processor, in one domain with those of PEs that map the memory
//!   (`memory`).
//! - A peer lost in the middle is a [`Fabric::fault`]. A stranger, or a peer that asks for what does not exist, is
//!   dropped with a line in the log; nobody else notices.
//!
//! What it does not do: it neither encrypts nor signs what travels after the opening, so somebody who can change packets
//! on the way can change data.

mod address;
mod dial;
mod door;
mod guest;
mod guests;
mod inbox;
mod lane;
mod link;
mod memory;
mod outbox;
pub mod proof;
mod service;
mod shared;
mod sys;
pub mod wire;

pub use address::survey;
use ferrite_fabric::{AddressBook, Caps, Error, Fabric, Key, Lane, Result, Segment};
pub use shared::Options;
use shared::Shared;
use std::{
    fmt,
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long the end of a fabric waits for its peers to take the last words.
const PARTING: Duration = Duration::from_secs(1);

static CAPS: Caps = Caps {
    inject_bytes_max: link::INJECT_BYTES_MAX,
    amo: |_, _| true,
    put_signal: true,
    needs_target_progress: false,
    nic_atomics: false,
};

/// A PE's part in the fabric.
pub struct TcpFabric {
    shared: Arc<Shared>,
    service: Option<JoinHandle<()>>,
}

impl TcpFabric {
    /// Listen, and start the service thread.
    pub fn new(options: Options) -> Result<Self> {
        let ears = address::listen_on(options.interface.as_deref())?;
        let shared = Arc::new(Shared::new(options, ears)?);
        let theirs = Arc::clone(&shared);
        let service = thread::Builder::new()
            .name("ferrite-tcp".to_owned())
            .spawn(move || {
                if let Err(error) = service::run(&theirs) {
                    theirs.fail(&error);
                }
            })
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
        self.shared.fault()
    }

    fn part(&self) {
        let sound = self.shared.is_sound();
        if self.shared.closing.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut links = self.shared.links();
        links.retain(|link| sound && link.bye().is_ok());
        let deadline = Instant::now() + PARTING;
        while !links.is_empty() && Instant::now() < deadline {
            links.retain(|link| !link.has_parted());
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
        self.shared.guests.close();
    }
}
