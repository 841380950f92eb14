//! A port that keeps what is posted until it is polled is told to send what a peer may wait for.

use ferrite_engine::{Engine, Options, Pe, Segment};
use ferrite_fabric::{Fabric, Op, Progress, Remote, SignalOp, Stage};
use ferrite_sim::engine::{
    adversary::Seeded,
    limits::WEAKEST,
    network::{Habits, Network, SEGMENT},
    port::SimTransport,
    trial::Book,
};
use std::{
    cell::Cell,
    ptr,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

#[test]
fn signals_and_flags_are_pushed_and_other_puts_are_not() {
    let network = Arc::new(Mutex::new(Network::new(3, WEAKEST, Habits::default(), Box::new(Seeded::new(1)))));
    let memory = [const { AtomicU64::new(0) }; 4];
    let open = |pe: u32| {
        let options =
            Options { me: Pe(pe), size: 3, job: 0, progress: Progress::Program, crowded: false, silence: None };
        let transport = |surroundings: &_| Ok(SimTransport::<0>::new(Arc::clone(&network), surroundings, WEAKEST, 1));
        let engine = Engine::open(options, transport).unwrap();
        let segment = Segment { id: SEGMENT, base: memory.as_ptr().cast_mut().cast(), len: size_of_val(&memory) };
        // SAFETY: the memory is dropped after the engines.
        unsafe { engine.register(segment) }.unwrap();
        engine
    };
    let engines: Vec<_> = (0..3).map(open).collect();
    let book = Arc::new(Book(engines.iter().map(Fabric::address).collect()));
    engines.iter().for_each(|engine| engine.connect(book.clone()).unwrap());

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
        // What is behind a fence may have to wait for what is before.
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

/// The network goes on, and so do the peers.
fn advance(network: &Mutex<Network>, engines: &[Engine<SimTransport<0>>]) {
    let mut network_now = network.lock().unwrap();
    while let Some(first) = network_now.moves().into_iter().next() {
        network_now.make(first);
    }
    drop(network_now);
    engines[1..].iter().for_each(|engine| _ = engine.doze(std::time::Duration::ZERO));
}
