//! Contexts: streams of operations, each with its own order and completion.
//!
//! On mapped memory an operation is complete when it returns, so a context holds little more than the PE numbers of its team. Operations on
//! other PEs go through a fabric stream of the context, which is created when it is first needed.

use crate::{
    Ctx, Site, Team, World,
    extensions::Extensions,
    far::ContextStream,
    live::Live,
    observe::{Call, Event, Kind},
    teams::shape::Shape,
};
use core::{
    any::Any,
    ffi::{c_int, c_long},
    sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed},
};
use ferrite_abi::constants::{SHMEM_CTX_NOSTORE, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_SESSION_TOTAL_OPS};
use ferrite_registry::Registry;
use std::sync::{Arc, OnceLock};

/// One created context. The first fields are the numbering of an evenly spaced team, read on the near path.
#[repr(C)]
pub struct Context {
    start: c_int,
    stride: c_int,
    /// 0 for a team that is not evenly spaced: the cold path then looks into `shape`.
    size: u32,
    shape: Shape,
    team: Team,
    options: c_long,
    session: Session,
    stream: OnceLock<ContextStream>,
    extensions: OnceLock<Box<Extensions>>,
}

/// The session that the program announced with `shmem_ctx_session_start`. Its fields are hints: they do not change completion or order.
#[derive(Default)]
struct Session {
    /// Number of starts not yet stopped. One stop ends them all.
    depth: AtomicU32,
    options: AtomicUsize,
    total_ops: AtomicUsize,
}

/// `shmem_ctx_session_config_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SessionConfig {
    /// The expected number of operations.
    pub total_ops: usize,
}

/// The contexts of a started world.
pub(crate) struct Contexts {
    /// The context of the plain routines.
    pub default: Context,
    pub created: Registry<Context, 16>,
}

impl Contexts {
    /// No contexts created yet, in a job of `size` PEs.
    pub fn new(size: u32) -> Contexts {
        Contexts { default: Context::new(Team::WORLD, Shape::world(size), 0), created: Registry::new() }
    }

    /// True if no operation of a created context is still on its way to a peer.
    pub fn rest(&self) -> bool {
        self.created.handles(|context| context.used_stream().is_some_and(|stream| !stream.rests())).is_empty()
    }
}

impl Context {
    fn new(team: Team, shape: Shape, options: c_long) -> Context {
        let (start, stride, size) = match shape {
            Shape::Strided { start, stride, size } => (start, stride, size),
            Shape::Listed(_) => (0, 0, 0),
        };
        let (session, stream, extensions) = (Session::default(), OnceLock::new(), OnceLock::new());
        Context { start, stride, size, shape, team, options, session, stream, extensions }
    }

    /// World number of the team's PE `pe`, or -1 if the cold path has to decide.
    #[inline(always)]
    pub(crate) fn route(&self, pe: c_int) -> c_int {
        if (pe as u32) < self.size { self.start + pe * self.stride } else { -1 }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The context's fabric stream; created now if there is none.
    pub(crate) fn stream(&self, make: impl FnOnce() -> ContextStream) -> &ContextStream {
        self.stream.get_or_init(make)
    }

    /// The context's fabric stream, if it has one.
    pub(crate) fn used_stream(&self) -> Option<&ContextStream> {
        self.stream.get()
    }

    /// The team that the context was created on.
    pub fn team(&self) -> Team {
        self.team
    }

    /// The options that the context was created with.
    pub fn options(&self) -> c_long {
        self.options
    }
}

impl World {
    /// Create a context on the world team. Return 0 on success; otherwise `*ctx` is set to the invalid context.
    ///
    /// # Safety
    /// `ctx` is valid for a write.
    pub unsafe fn ctx_create(&self, site: &'static Site, options: c_long, ctx: *mut Ctx) -> c_int {
        // SAFETY: passed on.
        unsafe { self.team_create_ctx(site, Team::WORLD, options, ctx) }
    }

    /// Create a context that uses the PE numbers of `team`. Return 0 on success; otherwise `*ctx` is set to the invalid context.
    ///
    /// # Safety
    /// `ctx` is valid for a write, and `team` is a team.
    pub unsafe fn team_create_ctx(&self, site: &'static Site, team: Team, options: c_long, ctx: *mut Ctx) -> c_int {
        let live = self.require_live(site);
        let observed = self.observe(|_| Call { local: ctx as usize, ..Call::of(site, Kind::CreateContext) });
        if ctx.is_null() {
            self.misuse(site, format_args!("ctx is NULL; pass the address of a shmem_ctx_t"));
        }
        let known = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;
        let created = if options & !known != 0 {
            None
        } else {
            let shape = self.team(site, live, team).map(|team| team.shape.clone());
            shape.and_then(|shape| live.contexts.created.add(Context::new(team, shape, options))).map(Ctx)
        };
        // SAFETY: the caller's promise.
        unsafe { ctx.write(created.unwrap_or(Ctx::INVALID)) };
        observed.gives(created.unwrap_or(Ctx::INVALID).0);
        if created.is_some() { 0 } else { -1 }
    }

    /// The extension of type `T` of a context: at first `T::default()`. The end of the context drops it.
    pub fn context_extension<T: Any + Default + Send + Sync>(&self, site: &'static Site, ctx: Ctx) -> Arc<T> {
        let context = match ctx {
            Ctx::INVALID => self.misuse(site, format_args!("ctx is SHMEM_CTX_INVALID; use a context that was created")),
            Ctx::DEFAULT => &self.require_live(site).contexts.default,
            created => self.require_context(site, created),
        };
        context.extensions.get_or_init(Box::default).get()
    }

    /// The context behind a handle. `None` for the predefined constants and for words that are not a live handle.
    #[inline(always)]
    pub fn context(&self, ctx: Ctx) -> Option<&Context> {
        self.live()?.contexts.created.get(ctx.0)
    }

    /// As [`context`](Self::context), but end the job if the handle is not valid.
    #[inline(always)]
    pub(crate) fn require_context(&self, site: &Site, ctx: Ctx) -> &Context {
        match self.context(ctx) {
            Some(context) => context,
            None => self.no_context(site, ctx),
        }
    }

    #[cold]
    #[inline(never)]
    fn no_context(&self, site: &Site, ctx: Ctx) -> ! {
        self.require_live(site);
        self.misuse(site, format_args!("ctx {:#x} is not a context, or was destroyed before", ctx.0))
    }

    /// Complete the operations issued on `ctx`, then destroy it. Do nothing for an invalid context.
    ///
    /// # Safety
    /// `ctx` is not used by anyone any more.
    pub unsafe fn ctx_destroy(&self, site: &'static Site, ctx: Ctx) {
        let live = self.require_live(site);
        let _observed = self.observe(|_| Call { ctx, ..Call::of(site, Kind::DestroyContext) });
        match ctx {
            Ctx::INVALID => {}
            Ctx::DEFAULT => self.misuse(
                site,
                format_args!("ctx is SHMEM_CTX_DEFAULT, which lives as long as the library is initialised"),
            ),
            created => {
                self.quiet(site, created);
                live.contexts.created.remove(created.0);
            }
        }
    }

    /// Store the team of `ctx` in `*team` and return 0. For an invalid context, store the invalid team and return -1.
    ///
    /// # Safety
    /// `team` is valid for a write.
    pub unsafe fn ctx_get_team(&self, site: &'static Site, ctx: Ctx, team: *mut Team) -> c_int {
        self.require_live(site);
        if team.is_null() {
            self.misuse(site, format_args!("team is NULL; pass the address of a shmem_team_t"));
        }
        let found = match ctx {
            Ctx::INVALID => Team::INVALID,
            Ctx::DEFAULT => Team::WORLD,
            created => self.require_context(site, created).team,
        };
        // SAFETY: the caller's promise.
        unsafe { team.write(found) };
        if found == Team::INVALID { -1 } else { 0 }
    }

    /// Announce the operations that will be issued on `ctx`. Options accumulate until the session is stopped.
    ///
    /// # Safety
    /// `config` is valid for reads where `config_mask` names any of its fields.
    pub unsafe fn session_start(
        &self,
        site: &'static Site,
        ctx: Ctx,
        options: c_long,
        config: *const SessionConfig,
        config_mask: c_long,
    ) {
        let live = self.require_live(site);
        let Some(session) = self.session(site, live, ctx) else { return };
        // Options are hints, so an unknown one is not an error: libraries of later versions may define more.
        session.depth.fetch_add(1, Relaxed);
        self.tell(&Event::SessionStart(site, ctx));
        session.options.fetch_or(options as usize, Relaxed);
        if config_mask & SHMEM_CTX_SESSION_TOTAL_OPS != 0 {
            if config.is_null() {
                self.misuse(site, format_args!("config is NULL, but config_mask asks for its total_ops"));
            }
            // SAFETY: the caller's promise.
            session.total_ops.store(unsafe { (*config).total_ops }, Relaxed);
        }
        let (depth, options) = (session.depth.load(Relaxed), session.options.load(Relaxed));
        tracing::debug!(ctx = ctx.0, depth, options, total_ops = session.total_ops.load(Relaxed), "session started");
    }

    /// End the session: drop all announced hints.
    pub fn session_stop(&self, site: &'static Site, ctx: Ctx) {
        let live = self.require_live(site);
        if let Some(session) = self.session(site, live, ctx) {
            session.depth.store(0, Relaxed);
            self.tell(&Event::SessionStop(ctx));
            session.options.store(0, Relaxed);
            session.total_ops.store(usize::MAX, Relaxed);
        }
    }

    fn session<'l>(&'l self, site: &Site, live: &'l Live, ctx: Ctx) -> Option<&'l Session> {
        match ctx {
            Ctx::INVALID => None,
            Ctx::DEFAULT => Some(&live.contexts.default.session),
            created => Some(&self.require_context(site, created).session),
        }
    }
}
