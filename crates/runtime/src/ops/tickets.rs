//! What has become of the operations of a context, for crates above the runtime that count them.

use crate::{
    Ctx, Site, World,
    area::ARRIVED_AT,
    far::{SignalUpdate, raise},
    live::Live,
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};
use ferrite_fabric::{Pe, Remote, SegmentId, SignalOp, Stage, Ticket};

impl World {
    /// The last ticket that a quiet of `ctx` would wait for. `None` if there is none.
    pub fn owed(&self, site: &'static Site, ctx: Ctx) -> Option<Ticket> {
        self.used_stream(site, ctx)?.1.owed()
    }

    /// The last ticket of `ctx` that has reached `stage`, after one step of progress. `None` if no operation of `ctx` had one.
    pub fn reached(&self, site: &'static Site, ctx: Ctx, stage: Stage) -> Option<Ticket> {
        Some(self.used_stream(site, ctx)?.1.reached(stage))
    }

    /// Count one more arrival at `pe`: of a write of `ctx`, which has arrived there, or will arrive before the message that counts it.
    pub fn count_arrival(&self, site: &'static Site, ctx: Ctx, pe: u32) {
        let live = self.require_live(site);
        // If a NIC executes atomics, the processor must not access the counter.
        if !live.nic_atomics()
            && let Ok(index) = live.memory.local.binary_search(&pe)
        {
            // Release: a PE that sees the count sees the write.
            live.arrivals_at(index).fetch_add(1, Release);
            return;
        }
        let (live, _, stream) = self.far_stream(site, ctx);
        let at = Remote { pe: Pe(pe), segment: SegmentId::CONTROL, offset: ARRIVED_AT as u64 };
        stream.fence();
        // SAFETY: the operation refers to no local memory.
        unsafe { live.issue(stream, &raise(SignalUpdate { at, op: SignalOp::Add, value: 1 })) };
    }

    /// Number of arrivals that were counted at this PE.
    pub fn arrivals(&self, site: &'static Site) -> u64 {
        let live = self.require_live(site);
        live.arrivals_at(live.memory.node.index()).load(Acquire)
    }
}

impl Live {
    /// The arrivals at the node's PE `index`.
    fn arrivals_at(&self, index: usize) -> &AtomicU64 {
        // SAFETY: a cache line of its own in that PE's control area: mapped, aligned, and only accessed as an atomic.
        unsafe { AtomicU64::from_ptr(self.memory.node.control(index).wrapping_add(ARRIVED_AT).cast()) }
    }
}
