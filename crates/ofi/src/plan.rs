//! What is done with a provider: every choice that depends on its capabilities, as pure functions over what it
//! reports. No other file but the ladder asks for a provider's name.
//!
//! **Atomics.** One word must have one executor. A software provider executes atomics in some process under its own
//! locks, which know nothing of the processor's atomics that PEs of one node use on the same words. So a provider's
//! atomics are used only where hardware executes every operation that OpenSHMEM has, and then for near peers too.
//! Everywhere else the target's processor executes them, on request.
//!
//! **Progress.** Where requests are needed somebody at the target must take them, whatever the provider says of its
//! own progress; several that call theirs automatic stall besides. So a thread runs exactly where there are requests,
//! or signals that have to wait here for their data.
//!
//! **Completions.** Operations that must be told apart go through a completion queue. Small puts that were copied
//! need no more than a count: hardware counts for nothing, so there a counter takes them; software providers do the
//! work of a queue's entry for a counter as well, so there they go through the queue like the others.
//!
//! **Endpoints.** Each lane has an endpoint of its own while there are few. Software providers serve all of a domain under one
//! lock, so more endpoints than a few bring no parallelism there, but connections, each of which takes tens of
//! milliseconds, and megabytes of buffers; `shm` besides has 256 places at each endpoint for those that reach it.
//!
//! **Small puts.** Up to the provider's inject size they are injected; above, or where there is no inject, they are
//! copied to memory of ours that is registered once. Either way the source is free when `post` returns.

use crate::{candidate, offer::Offer};
use ferrite_fabric::Progress;
use libfabric_sys::*;

/// Providers whose NICs execute atomics.
const NIC_ATOMICS: &[&str] = &["cxi"];

/// Endpoints for lanes: of providers without hardware, and of others.
const ENDPOINTS: (usize, usize) = (2, 16);

/// Up to this size a put is copied when it is posted.
pub const STAGED_BYTES_MAX: usize = 4096;
/// Longer operations are cut, so that each piece is a sign of life.
/// Where very many PEs put at one, each waits for all the others' pieces before the next of its own.
const PIECE_BYTES_MAX: usize = 4 << 20;
/// Bounds of the operations that may be under way on a lane.
const DEPTH: (usize, usize) = (8, 1024);
/// The layer that makes datagrams reliable loses its way with hundreds of operations under way: replies stop coming.
const DATAGRAMS: (&str, usize) = ("ofi_rxd", 32);

/// Providers whose descriptor of a queue is only made readable by somebody who polls.
const DEAF: &[&str] = &["psm2", "psm3"];

/// The one that burdens each look at a queue, whether anybody sleeps or not, where there is a descriptor to sleep on: with a set of
/// `epoll`, which takes the kernel longer for each message than `poll`, that it uses without (0.7 us, 7 % of a get of 8 bytes).
const BURDENED: &str = "tcp;ofi_rxm";
/// Until the version in which it was written anew.
const UNBURDENED: (u32, u32) = (1, 18);
/// Providers that move data through TCP sockets.
const SOCKETS: &[&str] = &["tcp", "net", "sockets"];

/// What a thread sleeps on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waker {
    /// The descriptor of a queue, if the provider has one.
    Queue,
    /// The provider's own sockets.
    Sockets,
    /// Nothing tells when there is something to do.
    Nothing,
}

/// Who executes atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomics {
    /// The NIC.
    Nic,
    /// The target's processor, on request.
    Target,
}

/// How the completion of injected puts is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// By entries of a queue.
    Queue,
    /// By a counter.
    Counter,
}

/// What goes at a peer before something else, if both orders are to be seen there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Memory is written.
    Write,
    /// Memory is read.
    Read,
    /// A request is sent.
    Request,
    /// Memory is updated by the NIC.
    Atomic,
}

impl Class {
    /// Each of them, at the place of its number.
    pub const ALL: [Class; 4] = [Class::Write, Class::Read, Class::Request, Class::Atomic];
}

/// The orders that a provider keeps by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders {
    /// Writes of at most so many bytes are seen in their order; 0 if none.
    waw: usize,
    /// Reads of at most so many bytes see earlier writes; 0 if none.
    raw: usize,
    /// Messages arrive in their order.
    pub sas: bool,
}

impl Orders {
    /// Whether `after`, of `len` bytes at most as `before`, is kept behind it without our help. A write is never known to
    /// be in memory before a message is taken, nor a message to be executed before a write.
    pub fn keep(&self, before: Class, after: Class, len: usize) -> bool {
        match (before, after) {
            (Class::Read, _) => true,
            (Class::Write, Class::Write) => len <= self.waw,
            (Class::Write, Class::Read) => len <= self.raw,
            (Class::Request, Class::Request) => self.sas,
            _ => false,
        }
    }
}

/// How a provider is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who executes atomics.
    pub atomics: Atomics,
    /// A thread of ours makes progress.
    pub thread: bool,
    /// A thread is needed, whether it runs or not.
    pub needs_thread: bool,
    /// The thread may sleep until something comes. The layer that makes datagrams reliable repeats what was lost only while it
    /// is called, and its descriptor knows nothing of that.
    pub parks: bool,
    /// How injected puts are told to be complete.
    pub told: Told,
    /// An operation may be held back behind earlier ones by a flag.
    pub fenced: bool,
    /// Up to this size the provider copies.
    pub inject: usize,
    /// The longest operation.
    pub message_max: usize,
    /// Operations under way on a lane, and requests without a reply.
    pub depth: usize,
    /// A NIC moves data.
    pub drives_nic: bool,
    /// Endpoints for lanes; where there are more lanes they share them.
    pub endpoints: usize,
    /// Orders kept.
    pub orders: Orders,
    /// Local memory must be registered.
    pub local: bool,
    /// Remote memory is named by its address, not by an offset.
    pub addressed: bool,
    /// The provider chooses keys.
    pub chosen_keys: bool,
    /// Registered memory is bound to an endpoint and enabled.
    pub bound: bool,
}

impl Plan {
    /// Whether peers ask each other for what only a processor can do. Nothing else goes by messages.
    pub fn has_requests(&self) -> bool {
        self.atomics == Atomics::Target
    }

    /// Whether a target must enter the library.
    pub fn is_served_by_program(&self) -> bool {
        self.needs_thread && !self.thread
    }
}

/// Whether it is worth to ask a provider for atomics.
pub fn may_have_atomics(offer: &Offer) -> bool {
    NIC_ATOMICS.contains(&offer.core())
}

/// What a thread sleeps on until a provider of a library of this version has something for it. `crowded`: threads of the program sleep
/// too.
pub fn waker(offer: &Offer, version: (u32, u32), crowded: bool) -> Waker {
    match &*offer.name {
        BURDENED if version < UNBURDENED && !crowded => Waker::Sockets,
        _ if DEAF.contains(&offer.core()) => Waker::Nothing,
        _ => Waker::Queue,
    }
}

/// Whether a provider moves data through TCP sockets, and is known by their addresses.
pub fn has_sockets(offer: &Offer) -> bool {
    SOCKETS.contains(&offer.core())
}

/// The plan for an offer. `every_atomic`: the provider says that it has each operation of each width.
pub fn plan(offer: &Offer, every_atomic: bool, progress: Progress) -> Plan {
    let atomics = if every_atomic && NIC_ATOMICS.contains(&offer.core()) { Atomics::Nic } else { Atomics::Target };
    let fenced = atomics == Atomics::Nic && offer.caps & FI_FENCE != 0;
    let needs_thread = !fenced;
    let has = |mode| offer.mr_mode & mode != 0;
    let order = |bit: u64, size: usize| if offer.orders & bit == bit { size } else { 0 };
    let drives_nic = candidate::drives_nic(&offer.name);
    Plan {
        atomics,
        thread: match progress {
            Progress::Needed => needs_thread,
            Progress::Thread => true,
            Progress::Program => false,
        },
        needs_thread,
        parks: !offer.name.ends_with(DATAGRAMS.0),
        told: if atomics == Atomics::Nic { Told::Counter } else { Told::Queue },
        fenced,
        inject: offer.inject,
        message_max: offer.message_max.clamp(1, PIECE_BYTES_MAX),
        depth: offer.depth.clamp(DEPTH.0, if offer.name.ends_with(DATAGRAMS.0) { DATAGRAMS.1 } else { DEPTH.1 }),
        drives_nic,
        endpoints: if drives_nic { ENDPOINTS.1 } else { ENDPOINTS.0 },
        orders: Orders {
            waw: order(FI_ORDER_WAW, offer.waw),
            raw: order(FI_ORDER_RAW, offer.raw),
            sas: order(FI_ORDER_SAS, 1) == 1,
        },
        local: has(FI_MR_LOCAL),
        addressed: has(FI_MR_VIRT_ADDR),
        chosen_keys: has(FI_MR_PROV_KEY),
        bound: has(FI_MR_ENDPOINT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(name: &str) -> Offer {
        Offer { name: name.to_owned(), caps: FI_RMA | FI_MSG | FI_ATOMIC | FI_FENCE, ..Offer::default() }
    }

    #[test]
    fn atomics_have_one_executor() {
        for (name, every, right) in [
            ("cxi", true, Atomics::Nic),
            ("cxi", false, Atomics::Target),
            ("tcp", true, Atomics::Target),
            ("tcp;ofi_rxm", true, Atomics::Target),
            ("net", true, Atomics::Target),
            ("shm", true, Atomics::Target),
            ("sockets", true, Atomics::Target),
            ("udp;ofi_rxd", true, Atomics::Target),
            ("verbs;ofi_rxm", true, Atomics::Target),
            ("psm3", true, Atomics::Target),
            ("opx", true, Atomics::Target),
            ("efa", false, Atomics::Target),
            ("novel", true, Atomics::Target),
        ] {
            assert_eq!(plan(&offer(name), every, Progress::Needed).atomics, right, "{name}");
        }
    }

    #[test]
    fn a_thread_runs_where_a_processor_is_needed() {
        let unfenced = Offer { caps: FI_RMA | FI_MSG | FI_ATOMIC, ..offer("cxi") };
        for (offer, every, wish, thread, needed) in [
            (offer("cxi"), true, Progress::Needed, false, false),
            (offer("cxi"), true, Progress::Thread, true, false),
            (offer("cxi"), false, Progress::Needed, true, true),
            (unfenced, true, Progress::Needed, true, true),
            (offer("tcp"), true, Progress::Needed, true, true),
            (offer("psm3"), true, Progress::Needed, true, true),
            (offer("tcp"), true, Progress::Program, false, true),
        ] {
            let plan = plan(&offer, every, wish);
            assert_eq!((plan.thread, plan.needs_thread), (thread, needed), "{} {every} {wish:?}", offer.name);
        }
    }

    #[test]
    fn a_thread_sleeps_on_what_wakes_it() {
        for (name, version, crowded, right) in [
            ("tcp;ofi_rxm", (1, 17), false, Waker::Sockets),
            ("tcp;ofi_rxm", (1, 17), true, Waker::Queue),
            ("tcp;ofi_rxm", (1, 18), false, Waker::Queue),
            ("tcp;ofi_rxm", (2, 0), false, Waker::Queue),
            ("tcp", (1, 17), false, Waker::Queue),
            ("verbs;ofi_rxm", (1, 17), false, Waker::Queue),
            ("shm", (1, 17), false, Waker::Queue),
            ("psm3", (1, 17), false, Waker::Nothing),
            ("psm2", (1, 17), true, Waker::Nothing),
        ] {
            assert_eq!(waker(&offer(name), version, crowded), right, "{name} {version:?} {crowded}");
        }
    }

    #[test]
    fn software_has_few_endpoints() {
        let endpoints = |name| plan(&offer(name), false, Progress::Needed).endpoints;
        assert_eq!(["tcp", "tcp;ofi_rxm", "shm", "udp;ofi_rxd"].map(endpoints), [ENDPOINTS.0; 4]);
        assert_eq!(["cxi", "verbs;ofi_rxm", "novel"].map(endpoints), [ENDPOINTS.1; 3]);
    }

    #[test]
    fn counters_count_where_hardware_does() {
        assert_eq!(plan(&offer("cxi"), true, Progress::Needed).told, Told::Counter);
        assert_eq!(plan(&offer("tcp"), true, Progress::Needed).told, Told::Queue);
    }

    #[test]
    fn memory_is_treated_as_asked() {
        for mode in 0..32 {
            let mode = [FI_MR_LOCAL, FI_MR_VIRT_ADDR, FI_MR_ALLOCATED, FI_MR_PROV_KEY, FI_MR_ENDPOINT]
                .into_iter()
                .enumerate()
                .filter(|(i, _)| mode >> i & 1 == 1)
                .fold(0, |all, (_, bit)| all | bit);
            let plan = plan(&Offer { mr_mode: mode, ..offer("tcp") }, false, Progress::Needed);
            assert_eq!(plan.local, mode & FI_MR_LOCAL != 0);
            assert_eq!(plan.addressed, mode & FI_MR_VIRT_ADDR != 0);
            assert_eq!(plan.chosen_keys, mode & FI_MR_PROV_KEY != 0);
            assert_eq!(plan.bound, mode & FI_MR_ENDPOINT != 0);
        }
    }

    #[test]
    fn only_promised_orders_are_trusted() {
        let orders = |orders| {
            let offer = Offer { orders, waw: 100, raw: 50, ..offer("tcp") };
            plan(&offer, false, Progress::Needed).orders
        };
        let (none, all) = (orders(0), orders(FI_ORDER_WAW | FI_ORDER_RAW | FI_ORDER_SAS));
        use Class::{Atomic, Read, Request, Write};
        for (before, after, len, kept) in [
            (Write, Write, 100, true),
            (Write, Write, 101, false),
            (Write, Read, 50, true),
            (Write, Read, 51, false),
            (Request, Request, 0, true),
            (Write, Request, 0, false),
            (Request, Write, 1, false),
            (Request, Read, 1, false),
            (Atomic, Atomic, 8, false),
            (Atomic, Write, 8, false),
            (Write, Atomic, 8, false),
        ] {
            assert_eq!(all.keep(before, after, len), kept, "{before:?} {after:?} {len}");
            assert!(!none.keep(before, after, len.max(1)), "{before:?} {after:?} {len}");
        }
        assert!(none.keep(Read, Write, 1));
    }
}
