//! A port that queues posted operations until it is polled must be pushed when a peer may wait for them.

use crate::engines::{engines, network};
use ferrite_engine::{Engine, Pe};
use ferrite_fabric::{Fabric, Op, Progress, Remote, SignalOp, Stage};
use ferrite_sim::engine::{
    limits::WEAKEST,
    network::{Habits, Network, SEGMENT},
    port::SimTransport,
};
use std::{
    cell::Cell,
    ptr,
    sync::{Mutex, atomic::AtomicU64},
};

#[test]
fn signals_and_flags_are_pushed_and_other_puts_are_not() {
    let network = network(3, WEAKEST, Habits::default());
    let memory = [const { AtomicU64::new(0) }; 4];
    // SAFETY: the memory was made before the engines.
    let engines = unsafe { engines(&network, 3, WEAKEST, &memory, Progress::Program, None) };
    let lane = engines[0].lane().unwrap();
    let pushed = |act: &dyn Fn()| {
        let before = network.lock().unwrap().pushes;
        act();
        network.lock().unwrap().pushes > before
    };
    let at = |pe, offset| Remote { pe: Pe(pe), segment: SEGMENT, offset };
    let last = Cell::new(None);
    let post = |op: Op| {
        let mut ticket = None;
        // An operation behind a fence may have to wait until operations before the fence are complete.
        while ticket.is_none() {
            // SAFETY: the source outlives the engines.
            ticket = unsafe { lane.post(&op) }.ok();
            lane.progress();
            advance(&network, &engines);
        }
        last.set(ticket);
    };
    let value = 7_u64;
    let put = |pe: u32| post(Op::Put { to: at(pe, 0), from: (&raw const value).cast(), len: 8 });
    assert!(pushed(&|| put(1)), "the first of all is behind whatever was before");
    assert!(!pushed(&|| put(1)), "nobody waits for a put");
    lane.fence();
    assert!(pushed(&|| put(1)), "a flag behind a fence");
    assert!(!pushed(&|| put(1)));
    assert!(pushed(&|| put(2)), "a flag for each peer");
    let signal = Op::PutSignal { to: at(1, 0), from: ptr::null(), len: 0, signal: at(1, 8), op: SignalOp::Set, value };
    assert!(pushed(&|| post(signal)), "the signal of a put");
    while !lane.has_reached(Stage::Remote, last.get().unwrap()) {
        advance(&network, &engines);
    }
    assert!(pushed(&|| put(1)), "a flag behind a quiet");
    assert!(!pushed(&|| put(1)));
}

/// Let the network and the peers make progress.
fn advance(network: &Mutex<Network>, engines: &[Engine<SimTransport>]) {
    let mut network_now = network.lock().unwrap();
    while let Some(first) = network_now.moves().into_iter().next() {
        network_now.make(first);
    }
    drop(network_now);
    engines[1..].iter().for_each(|engine| _ = engine.doze(std::time::Duration::ZERO));
}
