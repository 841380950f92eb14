//! The far path: PEs whose memory is not mapped here, reached by a fabric.
//!
//! What the near guard refuses comes to a twin, which finds out why (`ops/rma.rs`; `fast_path`, then `reach`). One reason is that the PE
//! is on another host. Then the address becomes a segment and an offset (`peer_address`), the operation a value
//! ([`ferrite_fabric::Op`]), and the context's [`ContextStream`] carries it.
//!
//! - [`book`]: what PEs tell each other about their fabrics, looked up when a peer is first used;
//! - [`stream`]: one context's operations: posting, waiting, ordering;
//! - `data`: puts and gets, `atomics`: the rest: the routines' far halves;
//! - `transports`: which of them reaches PEs that are not mapped;
//! - `pieces`: the control area, reached piece by piece as teams need it;
//! - `peer_address`: where an address of ours is at a peer; `fast_path`: the same at once, in the plain case.
//!
//! # Whose time it is
//!
//! A PE inside the library drives its own traffic: whoever waits, posts in vain or looks in vain calls
//! [`crate::live::Live::progress`]. What else is needed while the program computes is the transport's to provide.
//!
//! # What is lost
//!
//! A fabric that has lost a peer says so by `fault`; whoever waits then ends the job with that reason. It gives the launcher a
//! moment before: that has seen why the peer ended, and we have only seen that it did.

mod atomics;
mod book;
mod data;
mod fast_path;
pub(crate) mod locality;
mod peer_address;
mod pieces;
mod stream;
pub(crate) mod transports;

pub(crate) use atomics::{Old, SIGNAL, Update};
use book::{Book, Card};
pub(crate) use data::{Back, Blocks, SignalUpdate, raise};
pub(crate) use peer_address::PeerAddress;
use pieces::ControlPieces;
pub(crate) use stream::{ContextStream, Several};

use crate::live::Live;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Doze, Error, Fabric, Key, Pe, Result, Segment, SegmentId};
use ferrite_os::{mutex, signals, threads};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// How long the launcher has to say why a peer ended, before this PE says that it did.
const WORD_OF_THE_LAUNCHER: Duration = Duration::from_millis(500);
/// Between looks that found nothing, of who serves during an exchange.
const PAUSE: Duration = Duration::from_micros(50);

/// What reaches the PEs that are not mapped.
pub(crate) struct Far {
    /// The default context's operations, and the messages of collectives.
    pub stream: ContextStream,
    /// Whether peers need keys: one of the heap's that changes as it grows, and those of the control area's pieces.
    keyed: bool,
    book: Arc<Book>,
    /// Whether all PEs of the job are known to run the same executable.
    uniform: AtomicBool,
    /// What is known of single PEs where they are not.
    alike: Mutex<HashMap<u32, bool>>,
    pieces: ControlPieces,
    card: Card,
    fabric: Box<dyn Fabric>,
}

impl Far {
    /// Let peers reach these segments, and tell them how. Collective over the job.
    ///
    /// # Safety
    /// The segments stay mapped until this is dropped.
    pub unsafe fn open(
        fabric: Box<dyn Fabric>,
        boot: &Arc<dyn Boot>,
        executable: u64,
        segments: &[Segment],
    ) -> Result<Far> {
        let mut card = Card::new(fabric.name(), executable, fabric.address());
        for segment in segments {
            // SAFETY: the caller's promise.
            let key = unsafe { fabric.register(*segment) }?;
            card.add(*segment, key);
        }
        boot.publish(book::CARD, &card.encode())?;
        boot.exchange()?;
        let book = Arc::new(Book::new(boot.clone(), fabric.name()));
        fabric.connect(book.clone())?;
        let stream = ContextStream::new(fabric.lane()?);
        let keyed = card.is_keyed();
        tracing::info!(transport = fabric.name(), "a transport carries what is not mapped");
        let (uniform, alike, pieces) = (AtomicBool::new(false), Mutex::default(), ControlPieces::default());
        Ok(Far { stream, keyed, book, uniform, alike, pieces, card, fabric })
    }

    /// The stream of another context.
    pub fn new_stream(&self) -> Result<ContextStream> {
        Ok(ContextStream::new(self.fabric.lane()?))
    }

    /// Why operations will never complete, once that is so.
    #[inline]
    pub fn fault(&self) -> Option<Error> {
        self.fabric.fault()
    }

    /// The transport's name.
    pub fn name(&self) -> &'static str {
        self.fabric.name()
    }

    /// What it can do.
    pub fn caps(&self) -> &ferrite_fabric::Caps {
        self.fabric.caps()
    }

    /// All PEs have said whether they run one executable.
    pub fn set_uniform(&self, uniform: bool) {
        self.uniform.store(uniform, Relaxed);
    }

    /// The number of the executable that we run.
    pub fn executable(&self) -> u64 {
        self.card.executable()
    }

    /// Whether `pe` runs our executable, so that static data are at the same offsets there.
    #[inline]
    fn is_alike(&self, pe: u32) -> bool {
        self.uniform.load(Relaxed) || self.find_alike(pe)
    }

    #[cold]
    #[inline(never)]
    fn find_alike(&self, pe: u32) -> bool {
        *mutex::lock(&self.alike)
            .entry(pe)
            .or_insert_with(|| self.book.card(Pe(pe)).is_ok_and(|card| card.executable() == self.card.executable()))
    }

    /// Let peers reach `len` bytes of the heap. Collective over the job where keys are needed.
    ///
    /// # Safety
    /// The heap stays mapped until this is dropped.
    pub unsafe fn grow_heap(&self, boot: &dyn Boot, base: *mut u8, len: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        let Key(key) = unsafe { self.fabric.register(Segment { id: SegmentId::HEAP, base, len }) }?;
        if self.keyed {
            boot.publish(&self.book.next_heap(), &key)?;
            self.exchange(boot)?;
            self.book.turn_heap();
        }
        Ok(())
    }

    /// The launcher's exchange, in which each PE waits for all. What this one has posted, and others need before they come there, moves
    /// meanwhile, where nobody else sees to that.
    fn exchange(&self, boot: &dyn Boot) -> Result<()> {
        if !self.caps().needs_target_progress {
            return boot.exchange();
        }
        let over = AtomicBool::new(false);
        let serve = || {
            signals::leave_to_program();
            while !over.load(Relaxed) {
                if self.stream.progress() == 0 {
                    thread::sleep(PAUSE);
                }
            }
        };
        thread::scope(|scope| {
            let served = threads::start_within(scope, "ferrite-exchange", serve);
            let served = served.map_err(|e| Error::because("starting the thread that serves peers meanwhile", e));
            let met = served.and_then(|_| boot.exchange());
            over.store(true, Relaxed);
            met
        })
    }

    /// Whether the heap should grow in long strides, since each is a matter of the whole job.
    pub fn grows_dearly(&self) -> bool {
        self.keyed
    }

    /// Sleep until there may be something to move, if that can be waited for.
    pub fn doze(&self, limit: Duration) -> Doze {
        self.fabric.doze(limit)
    }

    /// This PE is about to end without dropping the fabric: what is under way goes out, and peers hear of it.
    pub fn part(&self) {
        self.fabric.part();
    }

    /// This PE is about to end in failure: nobody is in the fabric's library from here on.
    pub fn halt(&self) {
        self.fabric.halt();
    }
}

impl Live {
    /// Move what is under way on the fabric; gives the number of things that happened.
    #[inline]
    pub(crate) fn progress_far(&self) -> usize {
        let Some(far) = &self.far else { return 0 };
        let happened = far.stream.progress();
        self.require_sound(far);
        happened
    }

    /// Sleep until the fabric may have something to move, if that can be waited for.
    pub(crate) fn doze_far(&self, limit: Duration) -> Doze {
        self.far.as_ref().map_or(Doze::Refused, |far| far.doze(limit))
    }

    /// End the job if the fabric has lost a peer.
    #[inline]
    fn require_sound(&self, far: &Far) {
        if let Some(fault) = far.fault() {
            self.lost(far, &fault);
        }
    }

    #[cold]
    fn lost(&self, far: &Far, fault: &Error) -> ! {
        // What this process has done to itself nobody can say better.
        if let Some(closed) = far.fabric.closed_by_program() {
            self.die(&format!("PE {}: {closed}", self.me));
        }
        crate::wait::pause(WORD_OF_THE_LAUNCHER);
        self.die(&format!("PE {}: {fault}", self.me))
    }
}
