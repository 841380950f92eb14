//! Contexts: streams of operations, each with its own order and completion, and the threads that may use them.

use crate::{
    element::OneThread,
    world::{Inner, World},
};
use core::{fmt, marker::PhantomData};
use ferrite_abi::constants::{SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED};
use ferrite_os::mutex;
use ferrite_runtime::{self as rt, Site};

/// A stream of operations. Put, get, atomics and the other operations are its methods. [`fence`](Ctx::fence) and [`quiet`](Ctx::quiet)
/// order and complete the operations of this context only.
///
/// The kind states which threads may use the context, according to the thread rules of OpenSHMEM:
///
/// | kind | made by | threads |
/// |---|---|---|
/// | [`DefaultContext`] | there is one, [`World::ctx`]; the [`World`] has its operations | any, at the same time |
/// | [`Shared`] | [`World::shared_context`] | any, at the same time |
/// | [`Serialized`] | [`World::serialized_context`] | any, one at a time: it is `Send` |
/// | [`Private`] | [`World::private_context`] | the one that made it |
///
/// ```
/// ferrite::local(2, |world| {
///     let words = world.alloc::<u64>(100).unwrap();
///     let ctx = world.serialized_context().unwrap();
///     std::thread::scope(|threads| {
///         threads.spawn(move || {
///             (0..100).for_each(|i| ctx.put(words.at(i), i as u64, 0));
///             ctx.quiet();
///         });
///     });
/// });
/// ```
pub struct Ctx<'w, K: Kind> {
    pub(crate) inner: &'w Inner,
    pub(crate) kind: K,
}

/// The kind of a [`Ctx`]: the threads that may use it.
pub trait Kind: sealed::Kind {}

pub(crate) mod sealed {
    pub trait Kind {
        #[doc(hidden)]
        fn handle(&self) -> ferrite_runtime::Ctx;
        #[doc(hidden)]
        const CREATED: bool;
    }
}

/// The kind of the default context: any thread, at the same time.
pub struct DefaultContext(pub(crate) ());

/// The kind of contexts that several threads use at the same time.
pub struct Shared(rt::Ctx);

/// The kind of contexts that one thread at a time uses.
pub struct Serialized(rt::Ctx, OneThread);

/// The kind of contexts that belong to the thread that made them.
pub struct Private(rt::Ctx, PhantomData<*const ()>);

impl sealed::Kind for DefaultContext {
    #[inline(always)]
    fn handle(&self) -> rt::Ctx {
        rt::Ctx::DEFAULT
    }
    const CREATED: bool = false;
}
impl Kind for DefaultContext {}

macro_rules! created {
    ($($kind:ident)*) => { $(
        impl sealed::Kind for $kind {
            #[inline(always)]
            fn handle(&self) -> rt::Ctx {
                self.0
            }
            const CREATED: bool = true;
        }
        impl Kind for $kind {}
    )* };
}
created!(Shared Serialized Private);

impl<'w, K: Kind> Ctx<'w, K> {
    #[inline(always)]
    pub(crate) fn of(inner: &'w Inner, kind: K) -> Ctx<'w, K> {
        Ctx { inner, kind }
    }

    #[inline(always)]
    pub(crate) fn inner(&self) -> &'w Inner {
        self.inner
    }

    #[inline(always)]
    pub(crate) fn handle(&self) -> rt::Ctx {
        self.kind.handle()
    }
}

operations! {
    /// Order the operations issued on this context before against later ones, at each PE: each peer sees them in that order.
    ///
    /// ```
    /// use ferrite::Cmp;
    /// ferrite::local(2, |world| {
    ///     let (data, flag) = (world.alloc_box::<u64>().unwrap(), world.alloc_box::<u64>().unwrap());
    ///     world.put(&data, 42, 1 - world.my_pe());
    ///     world.fence();
    ///     world.put(&flag, 1, 1 - world.my_pe());
    ///     world.wait_until(&flag, Cmp::Eq(1));
    ///     assert_eq!(data.read(), 42);
    /// });
    /// ```
    #[inline(always)]
    pub fn fence(&self) {
        static SITE: Site = Site::of_rust("Ctx::fence");
        self.inner.rt.fence(&SITE, self.handle());
    }

    /// Wait until the operations issued on this context are complete at every PE.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_box::<u64>().unwrap();
    ///     world.put(&word, 1, 0);
    ///     world.quiet();
    ///     assert_eq!(world.get(&word, 0), 1);
    /// });
    /// ```
    #[inline(always)]
    pub fn quiet(&self) {
        static SITE: Site = Site::of_rust("Ctx::quiet");
        self.inner.rt.quiet(&SITE, self.handle());
    }

    /// Wait until the operations issued on this context to these PEs are complete there.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let word = world.alloc_box::<u64>().unwrap();
    ///     world.put(&word, 1, 0);
    ///     world.quiet_at(&[0]);
    ///     assert_eq!(world.get(&word, 0), 1);
    /// });
    /// ```
    pub fn quiet_at(&self, pes: &[u32]) {
        static SITE: Site = Site::of_rust("Ctx::quiet_at");
        // SAFETY: the numbers have the same size; the runtime rejects those that are not a PE's.
        unsafe { self.inner.rt.pe_quiet(&SITE, self.handle(), pes.as_ptr().cast(), pes.len()) }
    }
}

impl<K: Kind> Drop for Ctx<'_, K> {
    /// Complete the operations issued on this context. It does not wait for other PEs to call anything.
    #[inline(always)]
    fn drop(&mut self) {
        if K::CREATED {
            destroy(self.inner, self.handle());
        }
    }
}

#[inline(never)]
fn destroy(inner: &Inner, ctx: rt::Ctx) {
    static SITE: Site = Site::of_rust("Ctx::drop");
    if inner.rt.is_broken_in_drop() {
        return;
    }
    let _all = mutex::lock(&inner.contexts);
    // SAFETY: the handle is this value's own, which is being dropped.
    unsafe { inner.rt.ctx_destroy(&SITE, ctx) }
}

/// Create a context of this team with these options; `None` if the runtime has no more.
pub(crate) fn create(inner: &Inner, team: rt::Team, options: i64) -> Option<rt::Ctx> {
    static SITE: Site = Site::of_rust("World::context");
    let mut ctx = rt::Ctx::INVALID;
    let _all = mutex::lock(&inner.contexts);
    // SAFETY: `ctx` is a local to write to, and the team is lent by its owner.
    let refused = unsafe { inner.rt.team_create_ctx(&SITE, team, options, &mut ctx) };
    (refused == 0).then_some(ctx)
}

pub(crate) fn create_shared(inner: &Inner, team: rt::Team) -> Option<Ctx<'_, Shared>> {
    create(inner, team, 0).map(|ctx| Ctx::of(inner, Shared(ctx)))
}

pub(crate) fn create_serialized(inner: &Inner, team: rt::Team) -> Option<Ctx<'_, Serialized>> {
    create(inner, team, SHMEM_CTX_SERIALIZED).map(|ctx| Ctx::of(inner, Serialized(ctx, PhantomData)))
}

pub(crate) fn create_private(inner: &Inner, team: rt::Team) -> Option<Ctx<'_, Private>> {
    create(inner, team, SHMEM_CTX_PRIVATE).map(|ctx| Ctx::of(inner, Private(ctx, PhantomData)))
}

impl World {
    /// A context that several threads may use at the same time. `None` if the maximum number of contexts exists.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let count = world.alloc_atomic::<u64>().unwrap();
    ///     let ctx = world.shared_context().unwrap();
    ///     std::thread::scope(|threads| {
    ///         threads.spawn(|| ctx.inc(&count, 0));
    ///         threads.spawn(|| ctx.inc(&count, 1));
    ///     });
    /// });
    /// ```
    pub fn shared_context(&self) -> Option<Ctx<'_, Shared>> {
        create_shared(self.inner(), rt::Team::WORLD)
    }

    /// A context that one thread at a time uses. `None` if the maximum number of contexts exists.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let ctx = world.serialized_context().unwrap();
    ///     std::thread::scope(|threads| _ = threads.spawn(move || ctx.quiet()));
    /// });
    /// ```
    pub fn serialized_context(&self) -> Option<Ctx<'_, Serialized>> {
        create_serialized(self.inner(), rt::Team::WORLD)
    }

    /// A context for this thread alone. `None` if the maximum number of contexts exists.
    ///
    /// ```
    /// ferrite::local(2, |world| world.private_context().unwrap().quiet());
    /// ```
    pub fn private_context(&self) -> Option<Ctx<'_, Private>> {
        create_private(self.inner(), rt::Team::WORLD)
    }
}

impl<K: Kind> fmt::Debug for Ctx<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctx({:#x})", self.handle().0)
    }
}
