//! Contexts: streams of operations, each with its own order and completion.
//!
//! On mapped memory an operation is complete when it returns, so a context holds little more than the PE numbers of its team. Operations on
//! other PEs go through a fabric stream of the context, which is created when it is first needed.

use crate::{
    Ctx, Site, Team, World,
    extensions::Extensions,
    far::ContextStream,
    misuse::as_written,
    observe::{Call, Kind},
    teams::shape::Shape,
};
use core::{
    any::Any,
    ffi::{c_int, c_long},
    sync::atomic::{AtomicU32, AtomicUsize},
};
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
    pub(crate) session: Session,
    stream: OnceLock<ContextStream>,
    extensions: OnceLock<Box<Extensions>>,
}

/// The session that the program announced with `shmem_ctx_session_start`. Its fields are hints: they do not change completion or order.
#[derive(Default)]
pub(crate) struct Session {
    /// Number of starts not yet stopped. One stop ends them all.
    pub depth: AtomicU32,
    pub options: AtomicUsize,
    pub total_ops: AtomicUsize,
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
    pub(crate) fn new(team: Team, shape: Shape, options: c_long) -> Context {
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

    /// World number of PE `pe` of `ctx`, if arithmetic is enough to find it; else -1, which the guard refuses and the cold twin resolves.
    #[inline(always)]
    pub(crate) fn route(&self, ctx: Ctx, pe: c_int) -> c_int {
        match ctx {
            Ctx::DEFAULT => pe,
            Ctx::INVALID => -1,
            created => self.context(created).map_or(-1, |context| context.route(pe)),
        }
    }

    /// World number of PE `pe` of `ctx`. An invalid context or PE number ends the job.
    #[inline]
    pub(crate) fn require_pe(&self, site: &Site, ctx: Ctx, pe: c_int) -> c_int {
        let live = self.require_live(site);
        live.heed_end();
        let (shape, whose) = match ctx {
            Ctx::INVALID => self.misuse(site, format_args!("ctx is SHMEM_CTX_INVALID; use a context that was created")),
            Ctx::DEFAULT => (live.contexts.default.shape(), ""),
            created => (self.require_context(site, created).shape(), " of the context's team"),
        };
        if pe < 0 || pe as u32 >= shape.size() {
            let pe = as_written(site, pe);
            self.misuse(site, format_args!("pe is {pe}; PE numbers{whose} go from 0 to {}", shape.size() as i64 - 1));
        }
        shape.world_pe(pe)
    }
}

impl Call {
    /// A call that goes to `pe` of `ctx`.
    pub fn to(world: &World, site: &'static Site, kind: Kind, ctx: Ctx, pe: c_int) -> Call {
        let pe = match ctx {
            Ctx::INVALID => -1,
            Ctx::DEFAULT => pe,
            created => world.context(created).map_or(-1, |context| context.shape().world_pe(pe)),
        };
        let exists = world.live().is_some_and(|live| (0..live.size as c_int).contains(&pe));
        Call { ctx, pe: if exists { pe } else { -1 }, ..Call::of(site, kind) }
    }
}
