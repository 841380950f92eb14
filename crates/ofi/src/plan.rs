//! How a provider is used: every choice that depends on its capabilities, as pure functions over the capabilities that it reports. No other
//! files but `select_provider` and `candidate` ask for a provider's name.
//!
//! **Atomics.** Each word must have one executor. A software provider executes atomics in some process under its own locks, which do not
//! exclude the processor's atomics that PEs of one node use on the same words. So a provider's atomics are used only if hardware executes
//! every operation that OpenSHMEM has, and then for near peers too. Otherwise the target's processor executes them, on request.
//!
//! **Progress.** If there are requests, a thread at the target must handle them, whatever the provider reports of its own progress.
//! Besides, several providers that call their progress automatic stall. So a processor must poll exactly if there are requests, or signals
//! that have to wait here for their data.
//!
//! **Completions.** Operations that must be told apart go through a completion queue. Small puts that were copied need only be counted.
//! Hardware counts at no cost, so there a counter is used. A software provider does as much work for a counter as for an entry of the
//! queue, so there small puts go through the queue like all other operations.
//!
//! **Endpoints.** Each lane has an endpoint of its own as long as there are few lanes. Software providers serve all endpoints of a domain
//! under one lock, so more than a few endpoints bring no parallelism there. They only bring connections, each of which takes tens of
//! milliseconds, and megabytes of buffers. Besides, `shm` has 256 places at each endpoint for those that reach it.
//!
//! **Small puts.** Up to the provider's inject size they are injected. Above it, or if there is no inject, they are copied to a buffer that
//! is registered once. Either way the source is free when the call returns.

use crate::{Options, candidate, offer::Offer};
use core::fmt;
use ferrite_engine::{Answers, Atomics, Flush, Limits, Orders};
use libfabric_sys::*;

/// Maximum number of endpoints for lanes: of providers without hardware, and of others.
const ENDPOINTS: (usize, usize) = (2, 16);
/// The same for single providers.
///
/// - `cxi`: a domain has 16 command profiles, of which libfabric takes 14 for its own queues and one for triggered operations; each
///   endpoint has a queue besides (MAX_DOM_TX_CMDQ in prov/cxi/src/cxip_dom.c). With the service's endpoint there are at most 12 queues.
/// - `opx`: each endpoint takes a hardware context (fi_opx(7), FI_OPX_CONTEXT_SHARING), and all PEs of a host share the 160 of a device
///   (`fi_opx_alloc_default_domain_attr` in prov/opx/src/fi_opx_domain.c).
/// - `psm2`: likewise; Omni-Path 100 has 160 contexts (fi_psm2(7)).
const ENDPOINTS_OF: &[(&str, usize)] = &[("cxi", 11), ("opx", 1), ("psm2", 1)];

/// Providers that open a provider for shared memory beneath themselves, unless only peers on other hosts are asked for: `efa`, for which
/// FI_REMOTE_COMM without FI_LOCAL_COMM prevents it (`efa_shm_info_create` in prov/efa/src/efa_shm.c).
const OPENS_SHARED_MEMORY: &[&str] = &["efa"];

/// Size of a port's buffers. Up to this size a put is copied when it is posted, and so is a message's data.
pub const BUFFER_BYTES: usize = 4096;
/// Length of the longest piece. Longer operations are cut, so that each piece is a sign of life. If very many PEs put to one PE, each of
/// them waits for the pieces of all others before its next piece.
const PIECE_BYTES_MAX: usize = 4 << 20;
/// Minimum and maximum number of operations that may be under way on an endpoint.
const DEPTH: (usize, usize) = (8, 1024);
/// Default maximum number of puts under way on an endpoint, by provider. For `cxi` it is what Sandia OpenSHMEM found right with 104 PEs a
/// node (Sandia-OpenSHMEM/SOS#1236): more exhaust the NIC's transactions.
const PUT_DEPTH_OF: &[(&str, usize)] = &[("cxi", 512)];
/// Number of atomics of all PEs of a host that may be under way at a NIC, and the number that each PE may have in any case. The same source
/// found 4 right with 104 PEs: many atomics at one target slow down all traffic to it.
const NIC_ATOMICS_DEPTH: (usize, usize) = (4 * 104, 4);
/// The layer that makes datagrams reliable, and the number of operations that it may have under way. With hundreds under way it fails:
/// replies stop coming.
const DATAGRAMS: (&str, usize) = ("ofi_rxd", 32);

/// Providers whose queue descriptor becomes readable only if some thread polls.
const DEAF: &[&str] = &["psm2", "psm3"];

/// How a provider is used.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The limits that the engine sees.
    pub limits: Limits,
    /// True if a counter shows that injected puts are complete; otherwise the queue does.
    pub counts_writes: bool,
    /// Size up to which the provider copies the data of an operation.
    pub inject: usize,
    /// Length of the longest read or write, in bytes.
    pub piece_bytes_max: usize,
    /// Maximum number of endpoints for lanes; if there are more lanes, they share endpoints.
    pub endpoints: usize,
    /// Maximum number of atomics under way on an endpoint.
    pub atomic_depth: usize,
    /// Local memory must be registered.
    pub local: bool,
    /// Remote memory is named by its address, and not by an offset.
    pub addressed: bool,
    /// The provider chooses keys.
    pub provider_keys: bool,
    /// Ferrite chooses keys, and they are too wide to be guessed.
    pub random_keys: bool,
    /// Registered memory must be bound to an endpoint and enabled.
    pub bound: bool,
}

impl Plan {
    /// Whether peers send each other requests that only a processor can execute. Nothing else is sent as a message.
    pub fn has_messages(&self) -> bool {
        self.limits.atomics == Atomics::Target
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { limits, inject, piece_bytes_max, endpoints, atomic_depth, .. } = self;
        let Limits { depth, message_bytes_max, writes, flush, .. } = limits;
        let puts = if *writes { "writes" } else { "messages" };
        let visible = if *flush == Flush::Done { "complete" } else { "flushed" };
        write!(
            f,
            "at most {endpoints} endpoints for lanes, each with {depth} operations and {atomic_depth} atomics under way; "
        )?;
        write!(f, "puts are {puts}, visible when {visible}; a piece has at most {piece_bytes_max} bytes, ")?;
        write!(f, "a message {message_bytes_max}, an injected operation {inject}")?;
        let properties = [
            (self.local, "local memory is registered"),
            (self.addressed, "remote memory is named by addresses"),
            (self.provider_keys, "the provider chooses keys"),
            (self.random_keys, "keys are random"),
            (self.bound, "registered memory is bound to endpoints"),
        ];
        properties.iter().filter(|(holds, _)| *holds).try_for_each(|(_, what)| write!(f, "; {what}"))
    }
}

/// Whether a provider is worth asking for atomics.
pub fn may_have_atomics(offer: &Offer) -> bool {
    candidate::may_have_atomics(&offer.name)
}

/// Whether a queue's descriptor, if the provider has one, wakes the thread that sleeps on it.
pub fn wakes(offer: &Offer) -> bool {
    !DEAF.contains(&offer.core())
}

/// Whether a provider opens shared memory beneath itself, for peers of this host.
pub fn opens_shared_memory(offer: &Offer) -> bool {
    OPENS_SHARED_MEMORY.contains(&offer.core())
}

/// The row of a provider in a table.
fn of<T: Copy>(table: &[(&str, T)], offer: &Offer) -> Option<T> {
    table.iter().find(|(name, _)| *name == offer.core()).map(|&(_, value)| value)
}

/// Maximum number of endpoints for lanes. `counted`: each needs two counters.
fn endpoints(offer: &Offer, counted: bool) -> usize {
    let default = if candidate::drives_nic(&offer.name) { ENDPOINTS.1 } else { ENDPOINTS.0 };
    let most = of(ENDPOINTS_OF, offer).unwrap_or(default);
    if counted && offer.counters > 0 { most.min(offer.counters / 2).max(1) } else { most }
}

/// The plan for an offer. `every_atomic`: the provider reports every operation of every width.
pub fn plan(offer: &Offer, every_atomic: bool, options: &Options) -> Plan {
    let fenced = offer.caps & FI_FENCE != 0;
    let by_nic = every_atomic && options.nic_atomics && may_have_atomics(offer);
    let atomics = if by_nic { Atomics::Nic { fenced } } else { Atomics::Target };
    let has = |mode| offer.mr_mode & mode != 0;
    let order = |bit: u64, size: usize| if offer.orders & bit == bit { size } else { 0 };
    let is_datagrams = offer.name.ends_with(DATAGRAMS.0);
    let put_depth = options.put_depth.or(of(PUT_DEPTH_OF, offer)).unwrap_or(DEPTH.1);
    let own_atomics = NIC_ATOMICS_DEPTH.0 / options.pes_on_host.max(1);
    Plan {
        limits: Limits {
            depth: offer.depth.min(put_depth).clamp(DEPTH.0, if is_datagrams { DATAGRAMS.1 } else { DEPTH.1 }),
            copy_bytes_max: offer.inject.max(BUFFER_BYTES),
            message_bytes_max: BUFFER_BYTES,
            writes: true,
            // No order between writes and messages is relied on: a write is never known to be in memory before a later message is handled,
            // nor a message to be executed before a later write.
            orders: Orders {
                write_write: order(FI_ORDER_WAW, offer.waw),
                write_read: order(FI_ORDER_RAW, offer.raw),
                message_message: order(FI_ORDER_SAS, usize::MAX),
                ..Orders::default()
            },
            atomics,
            flush: Flush::Done,
            answers: Answers::Each,
            answers_come_to_service: true,
            needs_polling: !(by_nic && fenced),
            // The layer retransmits lost datagrams only while a thread polls, and the descriptor does not reflect that.
            sleeps_long: !is_datagrams,
            drives_nic: candidate::drives_nic(&offer.name),
        },
        atomic_depth: options.atomic_depth.unwrap_or(own_atomics.max(NIC_ATOMICS_DEPTH.1)),
        counts_writes: by_nic,
        inject: offer.inject,
        piece_bytes_max: offer.message_max.clamp(1, PIECE_BYTES_MAX),
        endpoints: endpoints(offer, by_nic),
        local: has(FI_MR_LOCAL),
        addressed: has(FI_MR_VIRT_ADDR),
        provider_keys: has(FI_MR_PROV_KEY),
        random_keys: !has(FI_MR_PROV_KEY) && offer.key_bytes >= size_of::<u64>(),
        bound: has(FI_MR_ENDPOINT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_engine::{Class, Pe};

    /// The plan for a PE that is alone on its host and has set nothing.
    fn plan(offer: &Offer, every_atomic: bool) -> Plan {
        super::plan(offer, every_atomic, &Options::new(Pe(0), 2, 0))
    }

    fn offer(name: &str) -> Offer {
        Offer { name: name.to_owned(), caps: FI_RMA | FI_MSG | FI_ATOMIC | FI_FENCE, ..Offer::default() }
    }

    #[test]
    fn atomics_have_one_executor() {
        for (name, every, right) in [
            ("cxi", true, Atomics::Nic { fenced: true }),
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
            assert_eq!(plan(&offer(name), every).limits.atomics, right, "{name}");
        }
    }

    #[test]
    fn somebody_polls_where_a_processor_is_needed() {
        let unfenced = Offer { caps: FI_RMA | FI_MSG | FI_ATOMIC, ..offer("cxi") };
        for (offer, every, needed) in [
            (offer("cxi"), true, false),
            (offer("cxi"), false, true),
            (unfenced, true, true),
            (offer("tcp"), true, true),
            (offer("psm3"), true, true),
        ] {
            assert_eq!(plan(&offer, every).limits.needs_polling, needed, "{} {every}", offer.name);
        }
    }

    #[test]
    fn nobody_sleeps_for_ever_where_nothing_wakes() {
        for (name, wakes_up, sleeps_long) in [
            ("tcp;ofi_rxm", true, true),
            ("verbs;ofi_rxm", true, true),
            ("udp;ofi_rxd", true, false),
            ("psm3", false, true),
            ("psm2", false, true),
        ] {
            let offer = offer(name);
            assert_eq!((wakes(&offer), plan(&offer, false).limits.sleeps_long), (wakes_up, sleeps_long), "{name}");
        }
    }

    #[test]
    fn software_has_few_endpoints() {
        let endpoints = |name| plan(&offer(name), false).endpoints;
        assert_eq!(["tcp", "tcp;ofi_rxm", "shm", "udp;ofi_rxd"].map(endpoints), [ENDPOINTS.0; 4]);
        assert_eq!(["psm3", "verbs;ofi_rxm", "novel"].map(endpoints), [ENDPOINTS.1; 3]);
        assert_eq!(["cxi", "opx", "psm2"].map(endpoints), [11, 1, 1]);
    }

    #[test]
    fn endpoints_that_count_share_the_counters_of_the_domain() {
        for (counters, endpoints) in [(0, 11), (16, 8), (2048, 11), (1, 1)] {
            let offer = Offer { counters, ..offer("cxi") };
            assert_eq!(plan(&offer, true).endpoints, endpoints, "{counters} counters");
            assert_eq!(plan(&offer, false).endpoints, 11, "nothing counts");
        }
    }

    #[test]
    fn depths_follow_the_settings_the_provider_and_the_number_of_pes() {
        let cxi = Offer { depth: 16384, ..offer("cxi") };
        let depths = |offer: &Offer, pes_on_host, set: Option<usize>| {
            let options = Options { pes_on_host, put_depth: set, atomic_depth: set, ..Options::new(Pe(0), 2, 0) };
            let plan = super::plan(offer, true, &options);
            (plan.limits.depth, plan.atomic_depth)
        };
        assert_eq!(depths(&cxi, 104, None), (512, 4));
        assert_eq!(depths(&cxi, 208, None), (512, 4));
        assert_eq!(depths(&cxi, 8, None), (512, 52));
        assert_eq!(depths(&cxi, 104, Some(64)), (64, 64));
        assert_eq!(depths(&Offer { depth: 100, ..offer("verbs;ofi_rxm") }, 1, None).0, 100);
        assert_eq!(depths(&Offer { depth: usize::MAX, ..offer("opx") }, 1, None).0, DEPTH.1);
    }

    #[test]
    fn atomics_are_left_to_processors_if_asked() {
        let options = Options { nic_atomics: false, ..Options::new(Pe(0), 2, 0) };
        assert_eq!(super::plan(&offer("cxi"), true, &options).limits.atomics, Atomics::Target);
    }

    #[test]
    fn counters_count_where_hardware_does() {
        assert!(plan(&offer("cxi"), true).counts_writes);
        assert!(!plan(&offer("tcp"), true).counts_writes);
    }

    #[test]
    fn memory_is_treated_as_asked() {
        for mode in 0..32 {
            let mode = [FI_MR_LOCAL, FI_MR_VIRT_ADDR, FI_MR_ALLOCATED, FI_MR_PROV_KEY, FI_MR_ENDPOINT]
                .into_iter()
                .enumerate()
                .filter(|(i, _)| mode >> i & 1 == 1)
                .fold(0, |all, (_, bit)| all | bit);
            let narrow = Offer { mr_mode: mode, ..offer("tcp") };
            assert!(!plan(&narrow, false).random_keys);
            let plan = plan(&Offer { key_bytes: 8, ..narrow }, false);
            assert_eq!(plan.random_keys, !plan.provider_keys);
            assert_eq!(plan.local, mode & FI_MR_LOCAL != 0);
            assert_eq!(plan.addressed, mode & FI_MR_VIRT_ADDR != 0);
            assert_eq!(plan.provider_keys, mode & FI_MR_PROV_KEY != 0);
            assert_eq!(plan.bound, mode & FI_MR_ENDPOINT != 0);
        }
    }

    #[test]
    fn only_promised_orders_are_trusted() {
        let orders = |orders| {
            let offer = Offer { orders, waw: 100, raw: 50, ..offer("tcp") };
            plan(&offer, false).limits.orders
        };
        let (none, all) = (orders(0), orders(FI_ORDER_WAW | FI_ORDER_RAW | FI_ORDER_SAS));
        use Class::{Atomic, Message, Read, Write};
        for (before, after, len, kept) in [
            (Write, Write, 100, true),
            (Write, Write, 101, false),
            (Write, Read, 50, true),
            (Write, Read, 51, false),
            (Message, Message, 0, true),
            (Write, Message, 0, false),
            (Message, Write, 1, false),
            (Message, Read, 1, false),
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
