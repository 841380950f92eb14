//! What the lanes, the service thread and the fabric itself share.

use crate::{
    address::Ears, dial::dial, door::Bell, guest::End, guests::Guests, link::Link, memory::Memory, proof::Secret,
};
use ferrite_fabric::{AddressBook, Error, Pe, Result};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// How a PE takes part.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// What they all know.
    pub secret: Secret,
    /// Listen only there: an interface's name, an address, or a network as `10.1.0.0/16`.
    pub interface: Option<String>,
    /// How long to try to reach a peer.
    pub patience: Duration,
    /// How long a stranger has to prove itself.
    pub proof_time: Duration,
    /// After how long without a sign of life, of the peer's kernel, an idle connection counts as lost.
    pub silence: Duration,
}

impl Options {
    /// What suits most: all interfaces, 30 s to reach a peer, 5 s for a proof and for a silent host.
    pub fn new(me: Pe, size: u32, secret: [u8; 16]) -> Self {
        Options {
            me,
            size,
            secret: Secret(secret),
            interface: None,
            patience: Duration::from_secs(30),
            proof_time: Duration::from_secs(5),
            silence: Duration::from_secs(5),
        }
    }
}

type Slot = Arc<Mutex<Option<Arc<Link>>>>;

/// The state of a fabric.
pub struct Shared {
    pub options: Options,
    pub ears: Ears,
    pub memory: Memory,
    pub guests: Guests,
    pub book: OnceLock<Arc<dyn AddressBook>>,
    pub bell: Bell,
    /// Counts the program's visits: while it grows, the program drives the sockets itself.
    pub visits: AtomicU64,
    /// The service thread sleeps until something happens: whoever leaves something to send rings the bell.
    pub parked: AtomicBool,
    /// The fabric is being dropped: peers may go.
    pub closing: AtomicBool,
    /// The service thread shall end.
    pub stopping: AtomicBool,
    slots: Mutex<HashMap<Pe, Slot>>,
    links: Mutex<Vec<Arc<Link>>>,
    failed: AtomicBool,
    fault: OnceLock<String>,
}

impl Shared {
    /// Nothing is connected yet.
    pub fn new(options: Options, ears: Ears) -> Result<Self> {
        Ok(Shared {
            options,
            ears,
            memory: Memory::new(),
            guests: Guests::new()?,
            book: OnceLock::new(),
            bell: Bell::new()?,
            visits: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            slots: Mutex::default(),
            links: Mutex::default(),
            failed: AtomicBool::new(false),
            fault: OnceLock::new(),
        })
    }

    /// Operations can still complete.
    #[inline]
    pub fn is_sound(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && !self.closing.load(Ordering::Relaxed)
    }

    /// From here on nothing can be promised; the first reason is kept.
    pub fn fail(&self, error: &Error) {
        if !self.closing.load(Ordering::Relaxed) && self.fault.set(error.to_string()).is_ok() {
            tracing::error!(me = %self.options.me, "{error}");
            self.failed.store(true, Ordering::Release);
        }
    }

    /// Why nothing can be promised any more.
    pub fn fault(&self) -> Option<Error> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        self.fault.get().map(Error::new)
    }

    /// The connection to `to`, made now if there is none: its lock makes others who want it wait.
    pub fn link(&self, to: Pe) -> Result<Arc<Link>> {
        let slot = Arc::clone(self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(to).or_default());
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = &*slot {
            return Ok(Arc::clone(link));
        }
        let book = self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))?;
        let link = Arc::new(Link::new(to, dial(&self.options, &self.ears, to, &book.address(to)?)?));
        tracing::debug!(me = %self.options.me, %to, "connected");
        self.links.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&link));
        Ok(slot.insert(link).clone())
    }

    /// All connections made so far.
    pub fn links(&self) -> Vec<Arc<Link>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Serve whichever peers have asked for something.
    pub fn serve(&self) -> usize {
        self.guests.serve(&self.memory, |from, end| self.ended(from, &end))
    }

    /// A peer that left without saying so is a fault; one that asked for what does not exist is sent away, and
    /// learns why: it is that peer whose job is in error.
    fn ended(&self, from: Pe, end: &End) {
        let me = self.options.me;
        match end {
            End::Bye => tracing::debug!(%me, %from, "a peer has finished"),
            End::Malformed(_) | End::Refused(_) => tracing::warn!(%me, %from, "a connection was dropped: {end}"),
            End::Lost(_) => self.fail(&Error::new(format!("the connection from {from} was lost: {end}"))),
        }
    }
}
