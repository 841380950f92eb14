//! Collectives: the algorithms of the collectives crate, run over mapped memory.
//!
//! An algorithm is a future over an `Exchange`; [`engine`] is the exchange whose peers are mapped, [`wide`] the one that reaches
//! others too, and [`drive`] polls until the future is done, waiting as `wait` does. [`request`] keeps the futures that
//! nobody waits for yet.

pub(crate) mod area;
mod engine;
mod kernel;
mod later;
mod ops;
mod request;
mod sets;
pub(crate) mod tuning;
mod vector;
mod wide;
mod work;

use crate::{Ctx, Site, World, groups::team::TeamState, life::streams::flush_streams, live::Live};
use core::{
    future::Future,
    pin::pin,
    ptr,
    sync::atomic::Ordering::Relaxed,
    task::{Context, Poll, Waker},
};
pub(crate) use engine::{Call, Kernel, Membership};
use ferrite_collectives::{barrier, words};
pub use kernel::{ComplexDouble, ComplexFloat, Quad};
pub(crate) use request::Requests;
pub(crate) use wide::Wide;
pub(crate) use work::{LastChoices, Work};

/// Drive what moves nothing of the program's, among the members of a team: `among!(live, team, |x| barrier::tree(x, 4))`.
macro_rules! among {
    ($live:expr, $team:expr, |$x:ident| $algorithm:expr) => {{
        let (live, team): (&$crate::live::Live, &$crate::groups::team::TeamState) = ($live, $team);
        let call = $crate::coll::Call::bare(&team.member);
        match team.far(live) {
            None => {
                let $x = &call;
                $crate::coll::drive(live, team, $algorithm)
            }
            Some(far) => {
                let $x = &$crate::coll::Wide::new(call, live, far, &team.shape);
                $crate::coll::drive(live, team, $algorithm)
            }
        }
    }};
}
pub(crate) use among;

/// Poll a collective of `team` until done, after those that were asked for before.
#[inline(always)]
pub(crate) fn drive<T>(live: &Live, team: &TeamState, algorithm: impl Future<Output = T>) -> T {
    live.requests.make_way(live, team.slot);
    let mut algorithm = pin!(algorithm);
    let mut context = Context::from_waker(Waker::noop());
    live.until(|| match algorithm.as_mut().poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

impl World {
    /// Complete what was issued on the default context, and wait until all PEs have come here.
    #[inline]
    pub fn barrier_all(&self, site: &'static Site) {
        self.quiet(site, Ctx::DEFAULT);
        self.sync_all(site);
        if self.require_live(site).settings.barriers_flush {
            flush_streams();
        }
    }

    /// Wait until all PEs have come here. Completes no communication, but what peers stored before is seen after.
    #[inline]
    pub fn sync_all(&self, site: &'static Site) {
        let live = self.require_live(site);
        if live.chooses_barriers {
            let (dest, source) = (ptr::null_mut(), ptr::null());
            Work { world: self, live, site, team: &live.world_team, dest, source }.sync();
        } else if !live.crowded.load(Relaxed) {
            drive(live, &live.world_team, barrier::dissemination(&Call::bare(&live.world_team.member)));
        } else {
            // With more PEs than cores each round would cost a turn of the scheduler.
            drive(live, &live.world_team, barrier::central(&Call::bare(&live.world_team.member)));
        }
    }

    /// Whether all PEs say yes. Collective over the world.
    pub(crate) fn agree(&self, site: &'static Site, mine: bool) -> bool {
        self.agree_on(site, [u64::from(mine)], |_, a, b| a & b) == [1]
    }

    /// All PEs' words, combined one by one. Collective over the world.
    pub(crate) fn agree_on<const N: usize>(
        &self,
        site: &'static Site,
        mine: [u64; N],
        combine: impl Fn(usize, u64, u64) -> u64,
    ) -> [u64; N] {
        let live = self.require_live(site);
        among!(live, &live.world_team, |x| words::agree(x, mine, combine))
    }
}
