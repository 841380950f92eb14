//! The handle of a PE's job, and the state that all handles share.

use crate::{
    AllocError, Ctx, DefaultContext, SymAtomic, SymBox, SymLock, SymSignal, SymSlice,
    element::{AtomicValue, Element, OneThread, Symmetric},
    memory::Book,
    panics, statics,
    team::{GroupInner, RawTeam, Team},
};
use core::{
    any::Any,
    cell::UnsafeCell,
    ffi::c_int,
    fmt,
    marker::PhantomData,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Fabric};
use ferrite_os::{error_text, mutex};
use ferrite_runtime::{self as rt, Extent, Remains, Site, StartOptions};
use ferrite_settings::Settings;
use std::sync::{Arc, Mutex};

/// State that handles keep alive: the mapped memory, and the handle of the runtime.
///
/// The runtime is open from `start` until the [`World`] is dropped. Every communicating value borrows the `World`, so none communicates
/// afterwards. Handles that outlive the `World` still have their memory: `remains` keeps it mapped until the last handle is dropped.
pub(crate) struct Inner {
    pub rt: rt::World,
    pub me: u32,
    pub size: u32,
    /// Blocks that were allocated, and whether this PE has dropped its handle of each.
    pub book: Mutex<Book>,
    /// Held while a context is created or destroyed, and while all contexts are completed.
    pub contexts: Mutex<()>,
    /// Two cells per team, for reductions of single values.
    pub scratch: *mut u8,
    /// The block of the program's symmetric statics.
    pub statics: *mut u8,
    /// A phase is under way, or was left by a panic.
    pub in_phase: AtomicBool,
    /// Number of phases so far; it names the next one in the PEs' exchange.
    pub phases: AtomicU32,
    /// True for the world of a process, false for the world of a thread ([`local`](crate::local)).
    of_process: bool,
    remains: UnsafeCell<Option<Remains>>,
}

// SAFETY: the pointers are into symmetric memory, which any thread may access with this crate's methods. Only the drop of the one `World`
// writes `remains`, and only the drop of `Inner` reads it.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// Call site that the start of a world reports.
pub(crate) static INIT: Site = Site::of_rust("ferrite::init");

/// Bytes of a team's scratch cell: the largest value that a reduction of single values takes.
pub(crate) const CELL: usize = 128;

impl Inner {
    /// Start the library. Collective.
    fn start(
        boot: Arc<dyn Boot>,
        settings: Settings,
        network: Option<Box<dyn Fabric>>,
        extent: Extent,
        losses: Option<Arc<rt::Losses>>,
    ) -> Result<Inner, Error> {
        let of_process = extent == Extent::Process;
        let world = rt::World::with_tools(ferrite_tools::ALL);
        let (me, size) = (boot.me().0, boot.size());
        match Inner::prepare(&world, StartOptions { boot, settings, extent, network, losses }) {
            Ok((scratch, statics)) => Ok(Inner {
                rt: world,
                me,
                size,
                book: Mutex::default(),
                contexts: Mutex::default(),
                scratch,
                statics,
                in_phase: AtomicBool::new(false),
                phases: AtomicU32::new(0),
                of_process,
                remains: UnsafeCell::new(None),
            }),
            Err(error) if of_process => world.init_failed(&INIT, &error),
            Err(error) => Err(error),
        }
    }

    /// Start the runtime, and allocate the library's own memory: the cells for single values, and the statics.
    fn prepare(world: &rt::World, options: StartOptions) -> Result<(*mut u8, *mut u8), Error> {
        world.start(options)?;
        let scratch = world.align(&INIT, 4096, 2 * CELL * rt::TEAMS_MAX).cast::<u8>();
        if scratch.is_null() {
            return Err(Error::new("the symmetric heap has no room for what the library itself needs of it"));
        }
        Ok((scratch, statics::allocate(world, &INIT)?))
    }

    /// Panic if a phase is under way: `what` is not allowed in it.
    #[inline(always)]
    pub fn outside_of_phases(&self, what: &str) {
        if self.in_phase.load(Relaxed) {
            in_a_phase(self.me, what);
        }
    }
}

#[cold]
#[inline(never)]
fn in_a_phase(me: u32, what: &str) -> ! {
    panic!("PE {me}: {what} within a phase: its closure is between two collectives, and no other belongs there")
}

/// The handle of a PE's job: returned by [`init`](crate::init), or passed to the closure of [`local`](crate::local).
///
/// The operations of the default [context](Ctx) are methods of the world itself. The operations of the team of all PEs come with the trait
/// [`Group`](crate::Group).
///
/// One thread of the PE at a time uses the world. Other threads communicate through contexts: [`World::ctx`], or a context created for
/// them.
///
/// Dropping the world is the program's last collective: it waits for the other PEs, because they may still access this PE's memory. If a
/// panic drops the world, the job ends instead.
///
/// ```
/// ferrite::local(3, |world| {
///     assert_eq!(world.n_pes(), 3);
///     assert!(world.my_pe() < 3);
/// });
/// ```
pub struct World {
    // Declared before `inner`, into which they point: fields are dropped in this order.
    ctx: Ctx<'static, DefaultContext>,
    shared: Team<'static>,
    pub(crate) inner: Arc<Inner>,
    /// The job was left.
    is_over: bool,
    one_thread: OneThread,
}

impl World {
    /// `network` is the simulated network, if there is one; it then reaches all other PEs. `losses`: where losses are noted, if they return.
    pub(crate) fn start(
        boot: Arc<dyn Boot>,
        settings: Settings,
        network: Option<Box<dyn Fabric>>,
        extent: Extent,
        losses: Option<Arc<rt::Losses>>,
    ) -> Result<World, Error> {
        let inner = Arc::new(Inner::start(boot, settings, network, extent, losses)?);
        if extent == Extent::Process {
            // SAFETY: an `Arc` does not move its value.
            unsafe { inner.rt.close_in_children() }.unwrap_or_else(|error| inner.rt.init_failed(&INIT, &error));
        }
        // SAFETY: an `Arc` does not move its value, and the fields that point there are dropped before it. They are lent for no longer than
        // the world is borrowed: no method returns them with their own lifetime.
        let lent: &'static Inner = unsafe { &*Arc::as_ptr(&inner) };
        let ctx = Ctx::of(lent, DefaultContext(()));
        let shared = Team::of(lent, rt::Team::SHARED);
        Ok(World { ctx, shared, inner, is_over: false, one_thread: PhantomData })
    }

    #[inline(always)]
    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// The default context, as the operations of a context see it.
    #[inline(always)]
    pub(crate) fn handle(&self) -> rt::Ctx {
        rt::Ctx::DEFAULT
    }

    #[inline(always)]
    pub(crate) fn default_context(&self) -> &Ctx<'_, DefaultContext> {
        &self.ctx
    }

    /// This PE's number, from 0.
    ///
    /// ```
    /// let numbers = ferrite::local(3, |world| world.my_pe());
    /// assert_eq!(numbers, [0, 1, 2]);
    /// ```
    pub fn my_pe(&self) -> u32 {
        self.inner.me
    }

    /// The number of PEs.
    ///
    /// ```
    /// ferrite::local(2, |world| assert_eq!(world.n_pes(), 2));
    /// ```
    pub fn n_pes(&self) -> u32 {
        self.inner.size
    }

    /// The team of the PEs on this host, whose memory this PE accesses with loads and stores.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| assert_eq!(world.shared().n_pes(), 2));
    /// ```
    pub fn shared(&self) -> &Team<'_> {
        &self.shared
    }

    /// The default context, for other threads of this PE: they may use it while one thread keeps the world itself.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let count = world.alloc_atomic::<u64>().unwrap();
    ///     let ctx = world.ctx();
    ///     std::thread::scope(|threads| {
    ///         for _ in 0..3 {
    ///             threads.spawn(|| ctx.add(&count, 1, 0));
    ///         }
    ///     });
    ///     world.barrier();
    ///     assert_eq!(world.fetch(&count, 0), 6);
    /// });
    /// # use ferrite::Group;
    /// ```
    pub fn ctx(&self) -> Ctx<'_, DefaultContext> {
        Ctx::of(&self.inner, DefaultContext(()))
    }

    /// Allocate `len` elements on every PE, all zero. Collective: every PE passes the same `len`. Blocks whose handles all PEs have dropped
    /// are reclaimed first.
    ///
    /// An error is returned on all PEs alike, and changes nothing.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let numbers = world.alloc::<u64>(100)?;
    ///     assert_eq!(numbers.read(99), 0);
    ///     assert!(world.alloc::<u64>(usize::MAX / 16).is_err());
    ///     Ok::<(), ferrite::AllocError>(())
    /// });
    /// ```
    pub fn alloc<T: Element>(&self, len: usize) -> Result<SymSlice<T>, AllocError> {
        self.block(len)
    }

    /// Allocate one value on every PE, zero at first. Collective.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let number = world.alloc_box::<f64>().unwrap();
    ///     number.write(0.5);
    ///     assert_eq!(number.read(), 0.5);
    /// });
    /// ```
    pub fn alloc_box<T: Element>(&self) -> Result<SymBox<T>, AllocError> {
        self.block(1).map(SymBox::of)
    }

    /// Allocate a word for atomics on every PE, zero at first. Collective.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let count = world.alloc_atomic::<u64>().unwrap();
    ///     world.add(&count, 10, 1);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(&count, 1), 20);
    /// });
    /// ```
    pub fn alloc_atomic<T: AtomicValue>(&self) -> Result<SymAtomic<T>, AllocError> {
        self.block(1).map(SymBox::of)
    }

    /// Allocate `len` words for atomics on every PE, zero at first. Collective.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let counts = world.alloc_atomics::<u32>(8).unwrap();
    ///     world.inc(counts.at(7), 0);
    ///     world.barrier();
    ///     assert_eq!(world.fetch(counts.at(7), 0), 2);
    /// });
    /// ```
    pub fn alloc_atomics<T: AtomicValue>(&self, len: usize) -> Result<SymSlice<crate::Atomic<T>>, AllocError> {
        self.block(len)
    }

    /// Allocate a signal on every PE, zero at first. Collective.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(2, |world| {
    ///     let (words, signal) = (world.alloc::<u64>(4).unwrap(), world.alloc_signal().unwrap());
    ///     let right = (world.my_pe() + 1) % 2;
    ///     world.put_signal(&words, &[1, 2, 3, 4], &signal, SignalOp::Set(1), right);
    ///     world.wait_until(&signal, Cmp::Eq(1));
    ///     assert_eq!(words.to_vec(), [1, 2, 3, 4]);
    /// });
    /// ```
    pub fn alloc_signal(&self) -> Result<SymSignal, AllocError> {
        self.block(1).map(SymBox::of)
    }

    /// Allocate `len` signals on every PE, zero at first. Collective.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(3, |world| {
    ///     let signals = world.alloc_signals(3).unwrap();
    ///     for pe in 0..3 {
    ///         world.signal_op(signals.at(world.my_pe() as usize), SignalOp::Set(1), pe);
    ///     }
    ///     world.wait_until_all(&signals, Cmp::Eq(1));
    /// });
    /// ```
    pub fn alloc_signals(&self, len: usize) -> Result<SymSlice<crate::Signal>, AllocError> {
        self.block(len)
    }

    /// Allocate a lock that all PEs share, free at first. Collective.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let (lock, sum) = (world.alloc_lock().unwrap(), world.alloc_box::<u64>().unwrap());
    ///     {
    ///         let _held = world.acquire(&lock);
    ///         let old = world.get(&sum, 0);
    ///         world.put(&sum, old + 1, 0);
    ///     }
    ///     world.barrier();
    ///     assert_eq!(world.get(&sum, 0), 3);
    /// });
    /// ```
    pub fn alloc_lock(&self) -> Result<SymLock, AllocError> {
        self.block(1).map(SymBox::of)
    }

    /// The maximum size of the symmetric heap in bytes, the same on all PEs and at any time: `SHMEM_SYMMETRIC_SIZE`, or the memory of the
    /// smallest host. The library itself uses a few pages of it.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let size = world.heap_size();
    ///     assert!(world.alloc::<u8>(size + 1).is_err());
    ///     assert_eq!(world.heap_size(), size);
    /// });
    /// ```
    pub fn heap_size(&self) -> usize {
        static SITE: Site = Site::of_rust("World::heap_size");
        self.inner.rt.heap_size(&SITE)
    }

    /// Free the blocks whose handles every PE has dropped, and return their number. Collective; allocations do the same first.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     drop(world.alloc::<u64>(1000).unwrap());
    ///     assert_eq!(world.reclaim(), 1);
    ///     assert_eq!(world.reclaim(), 0);
    /// });
    /// ```
    pub fn reclaim(&self) -> usize {
        static SITE: Site = Site::of_rust("World::reclaim");
        self.inner.outside_of_phases(SITE.name);
        let (blocks, dropped) = {
            let book = mutex::lock(&self.inner.book);
            (book.blocks(), book.dropped())
        };
        if blocks.is_empty() {
            return 0;
        }
        {
            // No operation may be under way to a block that is freed: complete every operation that began before a handle was dropped.
            // Collectives before the lock: they wait for other PEs, whose threads may wait for their lock.
            self.inner.rt.complete_requests(&SITE);
            let _all = mutex::lock(&self.inner.contexts);
            self.inner.rt.quiet_all(&SITE);
        }
        // SAFETY: a dropped handle is not used again, and each block has one handle. This PE's operations on the blocks are complete, and
        // so are the operations of every other PE that reports its handle as dropped.
        let freed = unsafe { self.inner.rt.free_given_up(&SITE, &blocks, &dropped) };
        mutex::lock(&self.inner.book).forget(&freed)
    }

    /// Allocate a block of `len` zero values on every PE.
    fn block<T: Symmetric>(&self, len: usize) -> Result<SymSlice<T>, AllocError> {
        static SITE: Site = Site::of_rust("World::alloc");
        const { assert!(size_of::<T>() > 0, "an element of symmetric memory has a size") };
        self.reclaim();
        if len == 0 {
            return Ok(SymSlice::empty(self.inner.clone()));
        }
        let bytes = len.saturating_mul(size_of::<T>());
        let at = self.inner.rt.align_zeroed(&SITE, align_of::<T>(), bytes);
        if at.is_null() {
            return Err(AllocError::of(bytes));
        }
        let key = mutex::lock(&self.inner.book).enter(at);
        // SAFETY: a block of `len` zero values, which is freed when the handle with this key is dropped on all PEs.
        Ok(unsafe { SymSlice::new(self.inner.clone(), key, at.cast(), len) })
    }

    /// Print why on standard error, and end the job with `status`, whatever the other PEs are doing.
    pub(crate) fn fail(&self, status: c_int, why: &str) -> ! {
        let line = panics::tell(self.inner.me, &error_text::plain(why).replace('\n', " "), "");
        self.inner.rt.end_reported(status, &line)
    }

    /// End the whole job at once with `status`; one PE suffices. In a world of threads every PE panics, which ends the world.
    ///
    /// ```no_run
    /// let world = ferrite::init();
    /// if world.my_pe() == 0 && std::env::args().len() < 2 {
    ///     eprintln!("usage: heat SIZE");
    ///     world.exit(2);
    /// }
    /// ```
    pub fn exit(&self, status: i32) -> ! {
        static SITE: Site = Site::of_rust("World::exit");
        self.inner.rt.global_exit(&SITE, status)
    }

    /// Leave the job. The same as dropping the world, by name.
    ///
    /// ```
    /// // The same as the end of the closure, or of `main`.
    /// let world = ferrite::init();
    /// world.finalize();
    /// ```
    pub fn finalize(self) {}

    /// The collective end of the world.
    pub(crate) fn close(&mut self) {
        static SITE: Site = Site::of_rust("World::finalize");
        let remains = {
            let _all = mutex::lock(&self.inner.contexts);
            self.inner.rt.finalize_but_memory(&SITE)
        };
        self.leave(remains);
    }

    /// The end of the world after a loss, without the other PEs.
    pub(crate) fn abandon(&mut self) {
        static SITE: Site = Site::of_rust("World::join_with");
        let remains = self.inner.rt.abandon_but_memory(&SITE);
        self.leave(remains);
    }

    /// End the job because of a panic, with its payload if that is known.
    pub(crate) fn panicked(&self, payload: Option<&(dyn Any + Send)>) -> ! {
        static SITE: Site = Site::of_rust("main");
        match panics::reported(payload) {
            Some(line) => self.inner.rt.end_reported(rt::EXIT_CODE, &line),
            None => self.inner.rt.misuse(&SITE, format_args!("a panic ends the job")),
        }
    }

    fn leave(&mut self, remains: Option<Remains>) {
        self.is_over = true;
        // SAFETY: the one world of this `Inner` has ended, so this runs once.
        unsafe { *self.inner.remains.get() = remains };
        if self.inner.of_process {
            self.inner.rt.remember_verdict();
            crate::process::left();
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if !std::thread::panicking() {
            return self.close();
        }
        // In a world of threads, `local::run` names the PE that panics.
        if self.inner.of_process {
            self.panicked(None);
        }
    }
}

impl GroupInner for World {
    fn raw(&self) -> RawTeam<'_> {
        RawTeam { inner: &self.inner, team: rt::Team::WORLD }
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World {{ my_pe: {}, n_pes: {} }}", self.inner.me, self.inner.size)
    }
}
