//! Connections that are reset at any byte: completed operations have correct data, others end in a fault, and nothing hangs.

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{
    AddressBook, Caps, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, Stage, Ticket,
};
use ferrite_tcp::{
    Options,
    proof::{CLAIM_BYTES, KNOCK_BYTES},
};
use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A fabric whose peers reach it through a relay that resets the connection after a number of bytes.
struct Relayed {
    fabric: Box<dyn Fabric>,
    relay: SocketAddr,
}

impl Relayed {
    fn new(me: Pe, bytes: usize, sealed: bool) -> Self {
        let interface = Some("127.0.0.1".to_owned());
        let mut options = Options { interface, ..Options::new(me, 2, [5; 32]) };
        options.terms.sealed = sealed;
        let fabric = ferrite_tcp::open(options).unwrap();
        let address = fabric.address();
        let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let relay = listener.local_addr().unwrap();
        thread::spawn(move || {
            let Ok((near, _)) = listener.accept() else { return };
            let far = TcpStream::connect(("127.0.0.1", port)).unwrap();
            // Without it, each small message would wait for the acknowledgement of the one before.
            near.set_nodelay(true).and_then(|()| far.set_nodelay(true)).unwrap();
            let (n, f) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || copy(f, n, usize::MAX));
            copy(near, far, bytes);
        });
        Relayed { fabric, relay }
    }
}

/// Forward up to `limit` bytes, then close both directions. Unread data makes the kernel send a reset.
fn copy(mut from: TcpStream, mut to: TcpStream, mut limit: usize) {
    let mut bytes = [0; 16 << 10];
    while limit > 0 {
        let most = bytes.len().min(limit);
        match from.read(&mut bytes[..most]) {
            Ok(n) if n > 0 && to.write_all(&bytes[..n]).is_ok() => limit -= n,
            _ => break,
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

impl Fabric for Relayed {
    fn name(&self) -> &'static str {
        "relayed"
    }
    fn caps(&self) -> &Caps {
        self.fabric.caps()
    }
    fn address(&self) -> Vec<u8> {
        let mut address = self.fabric.address();
        let port = address.len() - 2;
        address[port..].copy_from_slice(&self.relay.port().to_le_bytes());
        address
    }
    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: as the caller says.
        unsafe { self.fabric.register(segment) }
    }
    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.fabric.connect(book)
    }
    fn lane(&self) -> Result<Box<dyn Lane>> {
        self.fabric.lane()
    }
    fn fault(&self) -> Option<Error> {
        self.fabric.fault()
    }
}

/// Post an operation, and wait until it is complete at the target. Returns the fault, if there is one.
fn complete(m: &Member<'_>, op: &Op) -> Result<()> {
    let start = Instant::now();
    let mut ticket: Option<Ticket> = None;
    loop {
        match ticket {
            // SAFETY: the caller keeps what the operation points to until it is complete or the fabric is faulty.
            None => ticket = unsafe { m.lane.post(op) }.ok(),
            Some(t) if m.lane.reached(Stage::Remote) >= t && m.lane.reached(Stage::Local) >= t => return Ok(()),
            Some(_) => {}
        }
        m.lane.progress();
        if let Some(fault) = m.fabric().fault() {
            return Err(fault);
        }
        assert!(start.elapsed() < Duration::from_secs(60), "neither complete nor faulty");
    }
}

/// Write and read back until the connection is lost. Returns the fault.
fn work(m: &Member<'_>, mut draw: u64) -> Error {
    let to = |offset| Remote { pe: m.right(), segment: SegmentId::HEAP, offset };
    loop {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let len = 1 + (draw >> 33) as usize % if draw >> 63 == 0 { 300 } else { 100_000 };
        let data: Vec<u8> = (0..len).map(|i| (draw >> (i % 8)) as u8).collect();
        let mut back = vec![0_u8; len];
        let put = Op::Put { to: to(draw % 1000), from: data.as_ptr(), len };
        let get = Op::Get { from: to(draw % 1000), to: back.as_mut_ptr(), len };
        if let Err(fault) = complete(m, &put).and_then(|()| complete(m, &get)) {
            return fault;
        }
        assert!(back == data, "{len} bytes came back wrong");
    }
}

#[test]
fn a_reset_at_any_byte_is_a_fault_of_both_ends() {
    let mut cut = 117_u64;
    for seed in 0..40 {
        cut = cut.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        // Reset the connection after the opening: a reset before that is not a loss, since the connection was not made yet.
        let bytes =
            KNOCK_BYTES + CLAIM_BYTES + 1 + (cut >> 40) as usize % if seed % 2 == 0 { 2_000 } else { 2_000_000 };
        conformance::among_threads(2, &|me, meeting| {
            let m = Member::new(Box::new(Relayed::new(me, bytes, seed % 4 > 1)), me, 2, meeting);
            if me == Pe(0) {
                let fault = work(&m, seed).to_string();
                assert!(fault.contains("the connection with PE 1 was lost"), "{fault}");
            } else {
                let start = Instant::now();
                while m.fabric().fault().is_none() {
                    assert!(start.elapsed() < Duration::from_secs(60), "the target never noticed");
                    thread::sleep(Duration::from_micros(200));
                }
                let fault = m.fabric().fault().unwrap().to_string();
                assert!(fault.contains("the connection with PE 0 was lost"), "{fault}");
            }
            m.meet();
        });
    }
}

/// PE 1 uses the connection that PE 0 made, so both notice the reset.
#[test]
fn a_reset_ends_both_directions() {
    for bytes in [4_000, 300_000, 3_000_000] {
        conformance::among_threads(2, &|me, meeting| {
            let m = Member::new(Box::new(Relayed::new(me, bytes, bytes > 4_000)), me, 2, meeting);
            if me == Pe(0) {
                let word = Remote { pe: Pe(1), segment: SegmentId::CONTROL, offset: 0 };
                m.wait(m.put(word, &[1; 8]), Stage::Remote);
            }
            m.meet();
            let fault = work(&m, 7 + u64::from(me.0)).to_string();
            assert!(fault.contains(&format!("the connection with {} was lost", m.right())), "{fault}");
            m.meet();
        });
    }
}
