//! A port that takes nothing for a peer, with nothing under way: as where the peer is gone and the network connects anew without end.

use crate::engines::{engines, network};
use ferrite_engine::Pe;
use ferrite_fabric::{Fabric, Op, Progress, Remote};
use ferrite_sim::engine::network::{Habits, SEGMENT};
use std::{
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

#[test]
fn who_is_refused_for_ever_hears_which_peer_is_lost() {
    let network = network(2, Habits { busy: 1, ..Habits::default() });
    let memory = [const { AtomicU64::new(0) }; 4];
    // SAFETY: the memory was made before the engines.
    let engines = unsafe { engines(&network, 2, &memory, Progress::Thread, Some(Duration::from_secs(1))) };
    let (lane, mut word) = (engines[0].lane().unwrap(), 0_u64);
    let at = Remote { pe: Pe(1), segment: SEGMENT, offset: 0 };
    let get = Op::Get { from: at, to: (&raw mut word).cast(), len: 8 };
    let begun = Instant::now();
    let fault = loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody noticed");
        // SAFETY: nothing of it is ever taken.
        assert!(unsafe { lane.post(&get) }.is_err());
        lane.progress();
        if let Some(fault) = engines[0].fault() {
            break fault.to_string();
        }
    };
    assert!(fault.contains("PE 1"), "{fault}");
}
