//! What the lanes, the service thread and the fabric itself share.

use crate::{
    By, Options,
    context::Context,
    lane::{Driven, STREAMS_MAX},
    mapped::Mapped,
    memory::Memory,
    room,
    target::Target,
};
use ferrite_fabric::{
    AddressBook, Bell, Error, Fate, Pool, Progress, Result,
    sockets::{self, Occasions},
    sources::Sources,
    tick::Visits,
};
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

/// The state of a fabric. Fields are dropped in their order: workers before memory, memory before the context.
pub struct Shared {
    pub options: Options,
    pub lanes: Pool<Driven>,
    pub target: Target,
    pub memory: Arc<Memory>,
    /// What UCX has mapped of peers, where that may be: inside one machine.
    pub mapped: Option<Mapped>,
    pub context: Arc<Context>,
    pub address: Vec<u8>,
    /// Who carries out puts.
    pub puts: By,
    /// What of the program's memory UCX can register.
    pub sources: Sources,
    book: OnceLock<Arc<dyn AddressBook>>,
    pub bell: Bell,
    pub visits: Visits,
    pub fate: Fate,
    /// When to look for new connections.
    pub occasions: Occasions,
    /// The service thread shall end.
    pub stopping: AtomicBool,
}

impl Shared {
    /// Open UCX; nothing is connected yet.
    pub fn new(mut options: Options) -> Result<Self> {
        if options.progress == Progress::Program {
            // A peer that computes is as silent as one that is lost.
            options.silence = None;
        }
        let context = Arc::new(Context::new(&options)?);
        room::check(&context)?;
        let memory = Arc::new(Memory::new(&context, options.size));
        let target = Target::new(&context, &memory)?;
        let address = target.address()?;
        tracing::debug!(me = %options.me, version = ?context.ucx.version, resources = ?context.resources, "UCX");
        let suits = if context.is_software() { By::Target } else { By::Library };
        Ok(Shared {
            mapped: context.is_local().then(|| Mapped::new(options.size)),
            puts: options.puts.unwrap_or(suits),
            sources: Sources::default(),
            fate: Fate::new(options.me),
            options,
            lanes: Pool::default(),
            target,
            memory,
            context,
            address,
            book: OnceLock::new(),
            bell: Bell::new()?,
            visits: Visits::default(),
            occasions: Occasions::default(),
            stopping: AtomicBool::new(false),
        })
    }

    /// Where peers are found.
    pub fn book(&self) -> Result<&Arc<dyn AddressBook>> {
        self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))
    }

    /// Keep the book.
    pub fn open_book(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.book.set(book).map_err(|_| Error::new("the fabric has an address book already"))
    }

    /// Serve peers, unless somebody else is at it.
    #[inline]
    pub fn serve(&self) -> usize {
        let served = self.target.serve();
        if served > 0 {
            self.bell.rouse();
        }
        served
    }

    /// An occasion to spare UCX's connections that stay on this host what is of use on a network. They are found in the sets that wake a
    /// sleeping thread ([`Context::wakes`]); without those they stay as they are.
    #[cold]
    pub fn unpace(&self) {
        if !self.context.sockets {
            return;
        }
        self.occasions.take(|| {
            let lanes = self.lanes.all();
            let sets = lanes.iter().filter_map(|lane| lane.events()).chain(self.target.events());
            let stay: usize = sets.map(sockets::unpace_watched).sum();
            tracing::debug!(me = %self.options.me, stay, "connections that stay on this host");
        });
    }

    /// The stream of a new lane.
    pub fn join_lane(&self) -> Result<Arc<Driven>> {
        self.lanes.join(STREAMS_MAX, |_| Driven::new(&self.context, self.mapped.as_ref().map(|_| self.options.size)))
    }

    /// End the service thread, if there is one.
    pub fn stop(&self, service: Option<JoinHandle<()>>) {
        self.stopping.store(true, Ordering::Release);
        self.bell.ring();
        // It has nothing to say: what it found was a fault before it ended.
        let _ = service.map(JoinHandle::join);
    }
}
