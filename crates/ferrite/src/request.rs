//! Operations that are waited for later, with any executor.

use crate::{
    At, Cmp, Ctx, DefaultContext, Element, Kind, Place, Places, World,
    element::{OneThread, Raw, Watched},
    memory::same_length,
    world::Inner,
};
use core::{
    future::Future,
    marker::PhantomData,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use ferrite_runtime::{Req, Site};

/// A collective that has begun. It is a future; [`wait`](Request::wait) completes it without an executor. Dropping it waits, too.
///
/// It makes progress whenever this PE waits in the library. Its future never sleeps: it asks to be polled again, so that the executor runs
/// other tasks meanwhile.
///
/// ```
/// use ferrite::prelude::*;
/// ferrite::local(2, |world| {
///     let (source, mut dest) = (world.alloc::<u64>(1).unwrap(), world.alloc::<u64>(1).unwrap());
///     source.write(0, 4);
///     world.block_on(async { world.sum_reduce_later(&source, &mut dest).await });
///     assert_eq!(dest.read(0), 8);
/// });
/// ```
#[must_use = "a request that is dropped at once is waited for"]
pub struct Request<'r> {
    inner: &'r Inner,
    request: Req,
    /// The slices are lent to the request.
    lent: PhantomData<(&'r mut (), OneThread)>,
}

impl<'r> Request<'r> {
    pub(crate) fn begin(inner: &'r Inner, begin: impl FnOnce(*mut Req)) -> Request<'r> {
        let mut request = Req::NULL;
        begin(&mut request);
        Request { inner, request, lent: PhantomData }
    }

    /// Wait until it is complete.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| world.sync_later().wait());
    /// ```
    pub fn wait(self) {}

    /// True if it is complete.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let mut barrier = world.sync_later();
    ///     while !barrier.test() {}
    /// });
    /// ```
    pub fn test(&mut self) -> bool {
        static SITE: Site = Site::of_rust("Request::test");
        // SAFETY: the request belongs to this value.
        unsafe { self.inner.rt.req_test(&SITE, &mut self.request) == 1 }
    }
}

impl Future for Request<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        ready_or_again(context, self.get_mut().test().then_some(()))
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        static SITE: Site = Site::of_rust("Request::wait");
        if self.request == Req::NULL {
            return;
        }
        // SAFETY: the request belongs to this value.
        unsafe {
            // A panic may end the job, and the other PEs may be gone: a program that catches the panic goes on without the request.
            if std::thread::panicking() {
                self.inner.rt.req_forget(&mut self.request);
            } else {
                self.inner.rt.req_wait(&SITE, &mut self.request);
            }
        }
    }
}

/// Return `ready`, or ask to be polled again: no event is raised when memory changes.
fn ready_or_again<T>(context: &Context<'_>, ready: Option<T>) -> Poll<T> {
    match ready {
        Some(value) => Poll::Ready(value),
        None => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }
}

/// Waits until a number satisfies a comparison: returned by [`Ctx::until`].
#[must_use = "futures do nothing unless they are awaited"]
pub struct Until<'r, W: Watched> {
    inner: &'r Inner,
    word: At<'r, W>,
    wanted: Cmp<W::Value>,
}

impl<W: Watched> Future for Until<'_, W> {
    type Output = W::Value;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<W::Value> {
        static SITE: Site = Site::of_rust("Ctx::until");
        let (cmp, value) = self.wanted.parts();
        let word = self.word.at.cast::<W::Value>();
        // SAFETY: a number within a block. Once `test` succeeds, `wait_until_seen` returns at once, or, if the number has changed since,
        // waits like a blocking call.
        unsafe {
            let holds = self.inner.rt.test(&SITE, word, cmp, value) == 1;
            ready_or_again(context, holds.then(|| self.inner.rt.wait_until_seen(&SITE, word.cast_const(), cmp, value)))
        }
    }
}

/// A transfer under way whose buffer the operation owns: returned by [`Ctx::put_async`] and [`Ctx::get_async`].
#[must_use = "an operation that is dropped at once is waited for"]
pub struct InFlight<'r, T: Element, K: Kind> {
    ctx: &'r Ctx<'r, K>,
    /// On the heap: if the future is forgotten, the buffer stays where it is.
    buffer: Option<Vec<T>>,
}

impl<T: Element, K: Kind> Future for InFlight<'_, T, K> {
    type Output = Vec<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<T>> {
        static SITE: Site = Site::of_rust("Ctx::put_async");
        let this = self.get_mut();
        let done = this.ctx.inner.rt.quiet_test(&SITE, this.ctx.handle());
        if !done {
            this.ctx.inner.rt.failed_look(&SITE);
        }
        let buffer = if done { this.buffer.take() } else { None };
        ready_or_again(context, buffer)
    }
}

impl<T: Element, K: Kind> Unpin for InFlight<'_, T, K> {}

impl<T: Element, K: Kind> Drop for InFlight<'_, T, K> {
    fn drop(&mut self) {
        if self.buffer.is_some() && !self.ctx.inner.rt.is_broken_in_drop() {
            self.ctx.quiet();
        }
    }
}

operations! {
    /// The same as [`wait_until`](Ctx::wait_until), as a future.
    ///
    /// ```
    /// use ferrite::{Cmp, SignalOp};
    /// ferrite::local(2, |world| {
    ///     let signal = world.alloc_signal().unwrap();
    ///     world.signal_op(&signal, SignalOp::Set(2), 1 - world.my_pe());
    ///     assert_eq!(world.block_on(world.until(&signal, Cmp::Ge(1))), 2);
    /// });
    /// ```
    pub fn until<'r, W: Watched>(&'r self, word: impl Place<'r, W>, wanted: Cmp<W::Value>) -> Until<'r, W> {
        Until { inner: self.inner(), word: word.into_at(), wanted }
    }

    /// Wait for a future without an executor. This PE makes progress meanwhile.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| world.block_on(world.sync_later()));
    /// ```
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        static SITE: Site = Site::of_rust("Ctx::block_on");
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        self.inner.rt.wait_for(&SITE, || match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
    }
}

impl<K: Kind> Ctx<'_, K> {
    /// Begin to copy `from` to `pe`. The future returns the buffer when the copy is complete there.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     let back = world.block_on(world.put_async(&words, vec![1, 2, 3], 0));
    ///     assert_eq!(world.get_vec(&words, 0), back);
    /// });
    /// ```
    #[track_caller]
    pub fn put_async<'r, T: Element>(&'r self, to: impl Places<'r, T>, from: Vec<T>, pe: u32) -> InFlight<'r, T, K> {
        static SITE: Site = Site::of_rust("Ctx::put_async");
        let to = to.into_span();
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        // SAFETY: both sides have the same length; the buffer is kept until quiet, or leaked.
        unsafe { self.inner.rt.put_nbi(&SITE, self.handle(), dest, source, from.len(), pe as i32) };
        InFlight { ctx: self, buffer: Some(from) }
    }

    /// Begin to copy the values at `pe`. The future returns them.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     let (a, b) = (world.get_async(&words, 0), world.get_async(words.range(1..), 1));
    ///     let (a, b) = world.block_on(async { (a.await, b.await) });
    ///     assert_eq!((a.len(), b.len()), (3, 2));
    /// });
    /// ```
    pub fn get_async<'r, T: Element>(&'r self, from: impl Places<'r, T>, pe: u32) -> InFlight<'r, T, K> {
        static SITE: Site = Site::of_rust("Ctx::get_async");
        let from = from.into_span();
        let mut buffer = vec![T::zeroed(); from.len()];
        let (dest, source) = (buffer.as_mut_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        // SAFETY: as for `put_async`.
        unsafe { self.inner.rt.get_nbi(&SITE, self.handle(), dest, source, buffer.len(), pe as i32) };
        InFlight { ctx: self, buffer: Some(buffer) }
    }
}

impl World {
    /// Begin to copy `from` to `pe`. The future returns the buffer when the copy is complete there.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     let back = world.block_on(world.put_async(&words, vec![1, 2, 3], 0));
    ///     assert_eq!(world.get_vec(&words, 0), back);
    /// });
    /// ```
    #[track_caller]
    pub fn put_async<'r, T: Element>(
        &'r self,
        to: impl Places<'r, T>,
        from: Vec<T>,
        pe: u32,
    ) -> InFlight<'r, T, DefaultContext> {
        self.default_context().put_async(to, from, pe)
    }

    /// Begin to copy the values at `pe`. The future returns them.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     let (a, b) = (world.get_async(&words, 0), world.get_async(words.range(1..), 1));
    ///     let (a, b) = world.block_on(async { (a.await, b.await) });
    ///     assert_eq!((a.len(), b.len()), (3, 2));
    /// });
    /// ```
    pub fn get_async<'r, T: Element>(&'r self, from: impl Places<'r, T>, pe: u32) -> InFlight<'r, T, DefaultContext> {
        self.default_context().get_async(from, pe)
    }
}
