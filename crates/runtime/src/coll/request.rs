//! Requests: non-blocking collectives. They are the futures of the blocking ones, kept instead of driven at once.
//!
//! # Queues
//!
//! A team runs one collective at a time, and an algorithm that has begun must run to its end. So each team with requests has a queue: only
//! the head is polled, and an entry leaves the queue only by completing. A blocking collective first waits until its team's queue is empty.
//! Members post in the same order, so the queues of a team are alike on all members, and their heads are calls of the same collective.
//!
//! # Progress
//!
//! Nothing runs in the background. Heads are polled when they are posted, when a request is tested or waited for, and whenever this PE
//! waits in any routine (`Progress::progress`). So a collective of one team continues while the PE waits in one of another team.
//!
//! # Threads and orders
//!
//! Any thread may post, test and wait. A head is polled under its queue's lock, by the thread that gets it; other threads do not wait for
//! the lock. The effects of an algorithm (bytes moved, epochs entered) are visible to its next poller through the lock, to a thread that
//! tests the request through `done` (release, acquire), and to a later blocking collective through `queued` (additions and subtractions
//! form a release sequence; 0, read with acquire, comes after all of them).
//!
//! # Cost
//!
//! Without requests, a blocking collective pays one load of `queued`, and a wait pays one each time it makes progress.

use super::work::Work;
use crate::{
    Req, Site, World,
    live::Live,
    observe::{Call, Kind},
    wait::state::Awaited,
};
use core::{
    ffi::c_int,
    future::Future,
    mem::transmute,
    pin::Pin,
    sync::atomic::{
        AtomicBool, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
    task::{Context, Waker},
};
use ferrite_os::mutex;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

/// All requests of a world.
#[derive(Default)]
pub(crate) struct Requests {
    /// Number of collectives in queues.
    queued: AtomicUsize,
    /// The queues that are in use.
    queues: Mutex<Vec<Arc<Queue>>>,
    /// The requests that the program has not seen complete, by handle.
    open: Mutex<BTreeMap<usize, Arc<Ticket>>>,
}

/// The collectives that a team has yet to complete, the one under way first.
struct Queue {
    /// The team's slot, which identifies it.
    slot: usize,
    line: Mutex<VecDeque<Pending>>,
}

struct Pending {
    algorithm: Algorithm,
    ticket: Arc<Ticket>,
}

/// A collective under way.
struct Algorithm(Pin<Box<dyn Future<Output = ()>>>);

// SAFETY: it is not Send only because of pointers into mapped memory, which every thread may follow; one thread at a time polls it, under
// the queue's lock.
unsafe impl Send for Algorithm {}

/// The state behind a request's handle.
#[derive(Default)]
struct Ticket {
    done: AtomicBool,
}

/// The result of polling a queue.
#[derive(PartialEq, Eq)]
enum Stand {
    Empty,
    /// The head waits for peers, or another thread is polling it.
    Busy,
}

impl Queue {
    /// Poll the head as far as it goes, then the entries behind it.
    fn poll(&self, queued: &AtomicUsize) -> Stand {
        let Some(mut line) = mutex::try_lock(&self.line) else { return Stand::Busy };
        let mut context = Context::from_waker(Waker::noop());
        while let Some(head) = line.front_mut() {
            if head.algorithm.0.as_mut().poll(&mut context).is_pending() {
                return Stand::Busy;
            }
            head.ticket.done.store(true, Release);
            line.pop_front();
            queued.fetch_sub(1, Release);
        }
        Stand::Empty
    }

    /// Whether the queue is empty, as far as can be seen without waiting.
    fn is_idle(&self) -> bool {
        self.line.try_lock().is_ok_and(|line| line.is_empty())
    }
}

impl Requests {
    /// Poll every head, if there are any.
    #[inline(always)]
    pub fn progress(&self) {
        if self.queued.load(Relaxed) != 0 {
            self.advance();
        }
    }

    /// Whether nothing is queued.
    #[inline]
    pub fn are_idle(&self) -> bool {
        self.queued.load(Relaxed) == 0
    }

    /// Complete what is queued for the team of `slot`, before a blocking collective of that team.
    #[inline(always)]
    pub fn make_way(&self, live: &Live, slot: usize) {
        if self.queued.load(Acquire) != 0 {
            self.drain(live, slot);
        }
    }

    /// Number of requests that the program has not seen complete.
    pub fn unseen(&self) -> usize {
        mutex::lock(&self.open).len()
    }

    #[cold]
    #[inline(never)]
    fn advance(&self) {
        let mut idle = false;
        for at in 0.. {
            let Some(queue) = self.nth(at) else { break };
            idle |= queue.poll(&self.queued) == Stand::Empty;
        }
        if idle {
            self.sweep();
        }
    }

    fn nth(&self, at: usize) -> Option<Arc<Queue>> {
        mutex::lock(&self.queues).get(at).cloned()
    }

    /// Forget the queues that are empty.
    fn sweep(&self) {
        mutex::lock(&self.queues).retain(|queue| !queue.is_idle());
    }

    #[cold]
    #[inline(never)]
    fn drain(&self, live: &Live, slot: usize) {
        let queue = mutex::lock(&self.queues).iter().find(|queue| queue.slot == slot).cloned();
        if let Some(queue) = queue {
            let emptied = || (queue.poll(&self.queued) == Stand::Empty).then_some(());
            live.until(Awaited::Entered, emptied);
        }
    }

    /// Queue a collective of the team of `slot`, and begin it if nothing is before it.
    fn post(&self, slot: usize, algorithm: Algorithm) -> Req {
        let ticket = Arc::new(Ticket::default());
        let handle = Arc::as_ptr(&ticket) as usize;
        mutex::lock(&self.open).insert(handle, ticket.clone());
        let queue = {
            let mut queues = mutex::lock(&self.queues);
            let queue = match queues.iter().find(|queue| queue.slot == slot) {
                Some(queue) => queue.clone(),
                None => {
                    let queue = Arc::new(Queue { slot, line: Mutex::default() });
                    queues.push(queue.clone());
                    queue
                }
            };
            // Counted before another thread can pop it. Pushed before the list of queues is unlocked: an empty queue could be swept.
            self.queued.fetch_add(1, Release);
            mutex::lock(&queue.line).push_back(Pending { algorithm, ticket });
            queue
        };
        queue.poll(&self.queued);
        Req(handle)
    }
}

impl Ticket {
    fn is_done(&self) -> bool {
        self.done.load(Acquire)
    }
}

impl<'c> Work<'c> {
    /// Post a collective as a request.
    ///
    /// # Safety
    /// `request` may be written. The team, the world and the arrays of the call stay until the request is complete.
    pub(super) unsafe fn post(&self, request: *mut Req, algorithm: impl Future<Output = ()> + 'c) {
        let algorithm: Pin<Box<dyn Future<Output = ()> + 'c>> = Box::pin(algorithm);
        // SAFETY: it borrows the world and the team. A team is not destroyed before its queue is empty, and a world's
        // queues end with it; an algorithm that is dropped touches nothing that it borrowed.
        let algorithm: Pin<Box<dyn Future<Output = ()>>> = unsafe { transmute(algorithm) };
        let handle = self.live.coll.requests.post(self.team.slot, Algorithm(algorithm));
        // SAFETY: the caller's promise.
        unsafe { request.write(handle) };
    }
}

impl World {
    /// Whether a request is complete: 1 or 0. A complete one becomes `SHMEMX_REQ_NULL`, which is complete.
    ///
    /// # Safety
    /// `request` points to a request.
    pub unsafe fn req_test(&self, site: &'static Site, request: *mut Req) -> c_int {
        let live = self.require_live(site);
        let _observed = self.observe(|_| Call { local: request as usize, ..Call::of(site, Kind::Test) });
        // SAFETY: passed on.
        let Some(ticket) = (unsafe { self.ticket(site, live, request) }) else { return 1 };
        if !ticket.is_done() {
            // A loop of tests is a wait: the transport of the request may need this PE to make progress, or a peer may need its core.
            live.failed_look();
        }
        if !ticket.is_done() {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe { see(live, request) };
        1
    }

    /// Wait until a request is complete. It becomes `SHMEMX_REQ_NULL`.
    ///
    /// # Safety
    /// `request` points to a request.
    pub unsafe fn req_wait(&self, site: &'static Site, request: *mut Req) {
        let live = self.require_live(site);
        self.note_call(site);
        let _observed = self.observe(|_| Call { local: request as usize, ..Call::of(site, Kind::Wait) });
        // SAFETY: passed on.
        let Some(ticket) = (unsafe { self.ticket(site, live, request) }) else { return };
        let complete = || {
            if !ticket.is_done() {
                live.coll.requests.progress();
            }
            ticket.is_done().then_some(())
        };
        live.until(Awaited::Routine(site), complete);
        // SAFETY: the caller's promise.
        unsafe { see(live, request) };
    }

    /// Forget a request that the program gives up. Its collective goes on.
    ///
    /// # Safety
    /// `request` points to a request.
    pub unsafe fn req_forget(&self, request: *mut Req) {
        if let Some(live) = self.live() {
            // SAFETY: the caller's promise.
            unsafe { see(live, request) };
        }
    }

    /// Complete every collective that was posted, seen or not: their memory belongs to the program again.
    pub fn complete_requests(&self, site: &'static Site) {
        let live = self.require_live(site);
        if live.coll.requests.queued.load(Acquire) == 0 {
            return;
        }
        live.until(Awaited::Routine(site), || {
            live.coll.requests.progress();
            (live.coll.requests.queued.load(Acquire) == 0).then_some(())
        });
    }

    /// The ticket of a handle, or `None` for the null request. An invalid handle ends the job.
    ///
    /// # Safety
    /// `request` points to a request.
    unsafe fn ticket(&self, site: &'static Site, live: &Live, request: *mut Req) -> Option<Arc<Ticket>> {
        if request.is_null() {
            self.misuse(site, format_args!("request is NULL; pass the address of a shmemx_req_t"));
        }
        // SAFETY: the caller's promise.
        let handle = unsafe { request.read() };
        if handle == Req::NULL {
            return None;
        }
        let ticket = mutex::lock(&live.coll.requests.open).get(&handle.0).cloned();
        if ticket.is_none() {
            self.misuse(site, format_args!("request {:#x} is not a request, or has completed already", handle.0));
        }
        ticket
    }

    /// End the job if requests are left when the library ends.
    pub(crate) fn require_no_requests(&self, site: &'static Site) {
        let left = self.require_live(site).coll.requests.unseen();
        if left > 0 {
            self.misuse(
                site,
                format_args!(
                    "{left} non-blocking collectives were not waited for; pass each request to shmemx_req_wait"
                ),
            );
        }
    }
}

/// Forget a request that the program has seen complete, or gives up.
///
/// # Safety
/// `request` points to a request.
unsafe fn see(live: &Live, request: *mut Req) {
    // SAFETY: the caller's promise.
    let handle = unsafe { request.replace(Req::NULL) };
    mutex::lock(&live.coll.requests.open).remove(&handle.0);
}
