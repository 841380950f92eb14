//! Makes contexts and ends them.

use crate::{
    Ctx, Site, Team, World,
    context::{Context, Session, SessionConfig},
    live::Live,
    observe::{Call, Event, Kind},
};
use core::{
    ffi::{c_int, c_long},
    sync::atomic::Ordering::Relaxed,
};
use ferrite_abi::constants::{SHMEM_CTX_NOSTORE, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_SESSION_TOTAL_OPS};

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
            created => self.require_context(site, created).team(),
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
