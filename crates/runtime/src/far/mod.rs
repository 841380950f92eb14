//! The far path: operations on PEs whose memory is not mapped here, carried by a fabric.
//!
//! If the near guard refuses an operation, a slower twin of the routine finds out why (`ops/rma.rs`; `fast_path` and `find_peer_address` of
//! `target.rs`). One reason is that the PE is on another host. Then the address becomes a segment and an offset (`peer_address`), the
//! operation becomes a value ([`ferrite_fabric::Op`]), and the context's [`ContextStream`] carries it. The crate `carriers` has chosen and
//! opened the fabric.
//!
//! - [`book`]: the PEs' descriptions of their fabrics, looked up when a peer is first used;
//! - [`stream`]: one context's operations: posting, waiting, ordering;
//! - `data`: puts and gets over the fabric; `atomics`;
//! - `pieces`: the control area, reached piece by piece as teams need it;
//! - `peer_address`: translates an address of this PE for a peer.
//!
//! # Progress
//!
//! A PE inside the library drives its own traffic: a call that waits, that cannot post, or that polls without success calls
//! [`Progress::progress`](crate::wait::progress::Progress::progress). Any progress that is needed while the program computes is the
//! transport's job.
//!
//! # Lost peers
//!
//! A fabric that has lost a peer reports it by `fault`. A call that waits then ends the job with that reason, or returns the loss, if losses
//! return. It gives the launcher a moment first, because the launcher knows why the peer ended; this PE only knows that it did.

mod atomics;
mod book;
mod data;
mod peer_address;
mod pieces;
mod stream;

pub use atomics::Update;
pub(crate) use atomics::{Cell, Old, SIGNAL, update_far};
use book::{Book, Card};
pub(crate) use data::{Back, Blocks, SignalUpdate, raise};
pub(crate) use peer_address::PeerAddress;
use pieces::ControlPieces;
pub(crate) use stream::{ContextStream, Several};

use crate::{live::Live, teams::TeamState};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Alarm, Doze, Error, Fabric, Key, Pe, Result, Segment, SegmentId, Words};
use ferrite_os::{mutex, signals, threads};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// How long this PE leaves it to the launcher to report why a peer ended, before it reports the end itself. A launcher on a busy machine has
/// to get a processor first, and its exit code is the peer's own.
const WORD_OF_THE_LAUNCHER: Duration = Duration::from_secs(2);
/// Pause after a poll that found nothing, in the thread that serves peers during an exchange.
const PAUSE: Duration = Duration::from_micros(50);

/// The fabric for PEs that are not mapped, and its state.
pub(crate) struct Far {
    /// Operations of the default context, and messages of collectives.
    pub stream: ContextStream,
    /// True if peers need keys: one for the heap, which changes as the heap grows, and one for each piece of the control area.
    keyed: bool,
    book: Arc<Book>,
    /// True if all PEs of the job are known to run the same executable.
    uniform: AtomicBool,
    /// If they are not: which single PEs run this PE's executable, as far as known.
    alike: Mutex<HashMap<u32, bool>>,
    pieces: ControlPieces,
    card: Card,
    fabric: Box<dyn Fabric>,
}

impl TeamState {
    /// The path to members that are not mapped; `None` if all members are mapped.
    #[inline(always)]
    pub(crate) fn far<'l>(&self, live: &'l Live) -> Option<&'l Far> {
        if self.member.is_near() { None } else { live.far.as_ref() }
    }
}

impl Far {
    /// Register these segments and publish their keys for the peers. Collective over the job.
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
            // SAFETY: the caller's contract.
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

    /// Let peers update the words of a segment that is not memory.
    pub fn serve(&self, id: SegmentId, words: Arc<dyn Words>) -> Result<()> {
        self.fabric.serve(id, words)
    }

    /// Create the stream of another context.
    pub fn new_stream(&self) -> Result<ContextStream> {
        Ok(ContextStream::new(self.fabric.lane()?))
    }

    /// The reason why operations will never complete, if there is one.
    #[inline]
    pub fn fault(&self) -> Option<Error> {
        self.fabric.fault()
    }

    /// Name of the transport.
    pub fn name(&self) -> &'static str {
        self.fabric.name()
    }

    /// Capabilities of the transport.
    pub fn caps(&self) -> &ferrite_fabric::Caps {
        self.fabric.caps()
    }

    /// Whether a NIC executes the job's atomics.
    pub fn nic_atomics(&self) -> bool {
        self.fabric.caps().nic_atomics
    }

    /// Record whether all PEs run one executable. Called once all PEs have reported theirs.
    pub fn set_uniform(&self, uniform: bool) {
        self.uniform.store(uniform, Relaxed);
    }

    /// Identity of the executable of this PE.
    pub fn executable(&self) -> u64 {
        self.card.executable()
    }

    /// Whether `pe` runs this PE's executable, so that static data have the same offsets there.
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

    /// Make `len` bytes of the heap reachable for peers. Collective over the job if keys are needed.
    ///
    /// # Safety
    /// The heap stays mapped until this is dropped.
    pub unsafe fn grow_heap(&self, boot: &dyn Boot, base: *mut u8, len: usize) -> Result<()> {
        // SAFETY: the caller's contract.
        let Key(key) = unsafe { self.fabric.register(Segment { id: SegmentId::HEAP, base, len }) }?;
        if self.keyed {
            boot.publish(&self.book.next_heap(), &key)?;
            self.exchange(boot)?;
            self.book.turn_heap();
        }
        Ok(())
    }

    /// Run the launcher's exchange, in which each PE waits for all PEs. Other PEs may need operations that this PE has posted before they
    /// reach the exchange. If the fabric does not move these by itself, a thread drives them meanwhile.
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

    /// Whether the heap should grow in large steps, because each step involves the whole job.
    pub fn grows_dearly(&self) -> bool {
        self.keyed
    }

    /// Sleep until the fabric may have something to move, if it supports such a wait.
    pub fn doze(&self, limit: Duration) -> Doze {
        self.fabric.doze(limit)
    }

    /// Prepare the end of this PE without dropping the fabric: flush posted operations and notify the peers.
    pub fn part(&self) {
        self.fabric.part();
    }

    /// The alarm that makes the fabric fail.
    pub fn alarm(&self) -> Alarm {
        self.fabric.alarm()
    }

    /// A peer is lost, and this PE goes on without the others: take all operations out of its memory. Nothing is posted or polled any more.
    pub fn abandon(&self, why: &Error) {
        self.fabric.abandon(why);
    }

    /// Prepare the end of this PE in failure: no thread is in the fabric's library after this call.
    pub fn halt(&self) {
        self.fabric.halt();
    }
}

impl Live {
    /// Whether a NIC executes the job's atomics, those on near PEs included: the processor's own atomics would not be atomic with respect
    /// to them.
    pub(crate) fn nic_atomics(&self) -> bool {
        self.far.as_ref().is_some_and(Far::nic_atomics)
    }

    /// Make progress on the fabric. Returns the number of events.
    #[inline]
    pub(crate) fn progress_far(&self) -> usize {
        let Some(far) = &self.far else { return 0 };
        let happened = far.stream.progress();
        self.require_sound(far);
        happened
    }

    /// Sleep until the fabric may have something to move, if it supports such a wait.
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
        // If this process itself caused the loss, this PE has the best explanation.
        if let Some(closed) = far.fabric.closed_by_program() {
            self.die(&format!("PE {}: {closed}", self.me));
        }
        self.return_fault(far.fabric.lost_peer().map(|pe| pe.0), fault);
        crate::wait::pause(WORD_OF_THE_LAUNCHER);
        self.die(&format!("PE {}: {fault}", self.me))
    }
}
