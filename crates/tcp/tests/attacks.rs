//! Strangers and peers gone wrong: each is dropped, and two good PEs work on beside it.

use ferrite_conformance::{self as conformance, Meeting, Member};
use ferrite_fabric::{Fabric, Op, Pe, Remote, SegmentId, Stage, Width};
use ferrite_tcp::{
    Options, TcpFabric,
    proof::{ANSWER_BYTES, CHALLENGE_BYTES, Claim, Secret},
    wire::{PAYLOAD_BYTES_MAX, Place, Reply, Request},
};
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Mutex,
    time::Duration,
};

const SECRET: [u8; 16] = [11; 16];
const GENEROUS: Duration = Duration::from_secs(60);

fn options(me: Pe, size: u32) -> Options {
    let interface = Some("127.0.0.1".to_owned());
    Options { interface, proof_time: Duration::from_millis(300), ..Options::new(me, size, SECRET) }
}

/// The published bytes end with the one address: family, four bytes, port.
fn door(address: &[u8]) -> SocketAddr {
    let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// Two PEs talk while `attack` is made on PE 1's door; afterwards they talk still, and nothing is wrong.
fn beside(attack: impl Fn(SocketAddr) + Sync) {
    let at = Mutex::new(None);
    conformance::among_threads(2, &|me, meeting: &dyn Meeting| {
        let fabric = TcpFabric::new(options(me, 2)).unwrap();
        if me == Pe(1) {
            *at.lock().unwrap() = Some(door(&fabric.address()));
        }
        let member = Member::new(Box::new(fabric), me, 2, meeting);
        for round in 0..3_u64 {
            if me == Pe(0) && round == 1 {
                attack(at.lock().unwrap().unwrap());
            }
            for i in 0..50 {
                let word = Remote { pe: member.right(), segment: SegmentId::HEAP, offset: 8 * i };
                member.wait(member.put(word, &(round * i).to_ne_bytes()), Stage::Remote);
                assert_eq!(member.get(word, 8), (round * i).to_ne_bytes());
            }
            member.meet();
        }
        assert!(member.fabric().fault().is_none());
        member.meet();
    });
}

fn connect(at: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(at).unwrap();
    socket.set_read_timeout(Some(GENEROUS)).unwrap();
    socket
}

/// The other end has ended the connection: whatever it still said is read away.
fn is_dropped(mut socket: TcpStream) {
    let mut bytes = [0; 4096];
    loop {
        match socket.read(&mut bytes) {
            Ok(0) => return,
            Ok(_) => {}
            Err(e) if matches!(e.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => return,
            Err(e) => panic!("the connection was left open: {e}"),
        }
    }
}

/// A connection that has proven itself as PE 0.
fn insider(at: SocketAddr) -> TcpStream {
    let mut socket = connect(at);
    let mut challenge = [0; CHALLENGE_BYTES];
    socket.read_exact(&mut challenge).unwrap();
    let claim = Claim::new(&challenge, Pe(0), Pe(1)).unwrap();
    socket.write_all(&claim.encode(&Secret(SECRET))).unwrap();
    let mut answer = [0; ANSWER_BYTES];
    socket.read_exact(&mut answer).unwrap();
    claim.judge(&answer, &Secret(SECRET)).unwrap();
    socket
}

/// An insider's request, and the beginning of the reason for which it is sent away.
fn refused(request: &Request, why: &'static str) {
    beside(|at| {
        let mut socket = insider(at);
        socket.write_all(request.encode().bytes()).unwrap();
        let mut said = Vec::new();
        let _ = socket.read_to_end(&mut said);
        let Ok(Some(Reply::Refused { len, .. })) = Reply::parse(&said) else { panic!("{said:?}") };
        let text = String::from_utf8_lossy(&said[16..16 + len as usize]).into_owned();
        assert!(text.contains(why), "{text}");
    });
}

const HERE: Place = Place { segment: 0, offset: 0 };

#[test]
fn garbage() {
    beside(|at| {
        let mut socket = connect(at);
        // It may be dropped before all is written.
        let _ = socket.write_all(&[0xa5; 1_000_000]);
        is_dropped(socket);
        let mut socket = connect(at);
        let _ = socket.write_all(b"GET / HTTP/1.1\r\nHost: example\r\n\r\n");
        is_dropped(socket);
    });
}

#[test]
fn half_a_proof() {
    beside(|at| {
        let mut socket = connect(at);
        socket.write_all(b"ferrite2 and then no more").unwrap();
        drop(socket);
        drop(connect(at));
    });
}

#[test]
fn wrong_secret() {
    beside(|at| {
        let mut socket = connect(at);
        let mut challenge = [0; CHALLENGE_BYTES];
        socket.read_exact(&mut challenge).unwrap();
        let claim = Claim::new(&challenge, Pe(0), Pe(1)).unwrap();
        let mut bytes = claim.encode(&Secret([12; 16])).to_vec();
        // A request right behind the proof must not be read either.
        bytes.extend(Request::Ask.encode().bytes());
        socket.write_all(&bytes).unwrap();
        let mut said = Vec::new();
        let _ = socket.read_to_end(&mut said);
        assert!(said.is_empty(), "a stranger is told nothing");
    });
}

#[test]
fn a_proof_heard_elsewhere() {
    beside(|at| {
        let mut first = connect(at);
        let mut challenge = [0; CHALLENGE_BYTES];
        first.read_exact(&mut challenge).unwrap();
        let proof = Claim::new(&challenge, Pe(0), Pe(1)).unwrap().encode(&Secret(SECRET));
        let mut second = connect(at);
        second.write_all(&proof).unwrap();
        let mut said = Vec::new();
        let _ = second.read_to_end(&mut said);
        assert!(said.len() <= CHALLENGE_BYTES, "a replayed proof is not answered");
    });
}

#[test]
fn slow_loris() {
    beside(|at| {
        // More than there are places, each with a byte now and then.
        let mut some: Vec<TcpStream> = (0..100).map(|_| connect(at)).collect();
        for socket in &mut some {
            let _ = socket.write_all(b"f");
        }
        // Two good PEs still find each other: connections made now are new ones.
        drop(insider_that_leaves(at));
        some.into_iter().for_each(is_dropped);
    });
}

fn insider_that_leaves(at: SocketAddr) -> TcpStream {
    let mut socket = insider(at);
    socket.write_all(Request::Bye.encode().bytes()).unwrap();
    socket
}

#[test]
fn beyond_a_segment() {
    for at in [
        Place { segment: 0, offset: u64::MAX - 3 },
        Place { segment: 0, offset: 1 << 40 },
        Place { segment: 0, offset: (6 << 20) - 7 },
        Place { segment: 9, offset: 0 },
    ] {
        refused(&Request::Get { at, len: 8 }, "outside of segment");
        refused(&Request::Put { at, len: 8000 }, "outside of segment");
    }
    refused(
        &Request::PutSignal {
            at: HERE,
            len: 100_000,
            signal: Place { segment: 0, offset: 6 << 20 },
            op: ferrite_fabric::SignalOp::Add,
            value: 1,
        },
        "outside of segment",
    );
}

#[test]
fn a_crooked_word() {
    let at = Place { segment: 0, offset: 4 };
    let op = ferrite_fabric::Amo::Add;
    refused(&Request::Amo { at, width: Width::W64, op, fetch: true, operand: 1, compare: 0 }, "not aligned");
}

#[test]
fn an_oversized_frame() {
    refused(&Request::Put { at: HERE, len: PAYLOAD_BYTES_MAX as u32 + 1 }, "is the most");
    refused(&Request::Get { at: HERE, len: u32::MAX }, "is the most");
}

#[test]
fn a_frame_of_no_kind() {
    beside(|at| {
        let mut socket = insider(at);
        socket.write_all(&[200; 64]).unwrap();
        is_dropped(socket);
    });
}

#[test]
fn an_answer_to_nothing() {
    for reply in [Reply::Applied { count: 1 }, Reply::Data { len: 8, count: 1 }] {
        beside(|at| {
            let mut socket = insider(at);
            socket.write_all(&[reply.encode().bytes(), &[0; 64]].concat()).unwrap();
            is_dropped(socket);
        });
    }
}

#[test]
fn a_request_after_the_last_one() {
    beside(|at| {
        let mut socket = insider_that_leaves(at);
        socket.write_all(Request::Ask.encode().bytes()).unwrap();
        is_dropped(socket);
    });
}

/// It asks on and on, and reads no answer: all that it may ask is read, and what waits for it is bounded.
#[test]
fn more_than_may_be_outstanding() {
    beside(|at| {
        let mut socket = insider(at);
        let some = Request::Get { at: HERE, len: 6 << 20 }.encode().bytes().repeat(1000);
        for _ in 0..100 {
            // An end that cannot write must read: this is more than all buffers hold.
            socket.write_all(&some).unwrap();
        }
        let mut writer = socket.try_clone().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| while writer.write_all(&some).is_ok() {});
            is_dropped(socket.try_clone().unwrap());
            socket.shutdown(std::net::Shutdown::Both).unwrap();
        });
    });
}

/// The one who asked for what does not exist learns why.
#[test]
fn a_refusal_is_a_fault_of_the_asker_alone() {
    conformance::among_threads(2, &|me, meeting| {
        let member = Member::new(Box::new(TcpFabric::new(options(me, 2)).unwrap()), me, 2, meeting);
        member.meet();
        if me == Pe(0) {
            let bytes = [1_u8; 8];
            let to = Remote { pe: Pe(1), segment: SegmentId(7), offset: 40 };
            // SAFETY: the bytes outlive the fabric's interest in them: so small a put is copied.
            let _ = unsafe { member.lane.post(&Op::Put { to, from: bytes.as_ptr(), len: 8 }) };
            while member.fabric().fault().is_none() {
                member.lane.reached(Stage::Remote);
                member.lane.progress();
            }
            let fault = member.fabric().fault().unwrap().to_string();
            assert_eq!(fault, "PE 1 refused an operation: 8 bytes at offset 40 are outside of segment 7");
        }
        member.meet();
        assert_eq!(member.fabric().fault().is_some(), me == Pe(0));
        member.meet();
    });
}

/// A peer that vanishes within a frame is a fault, in words, and nothing hangs.
#[test]
fn a_peer_lost_in_the_middle() {
    conformance::among_threads(1, &|me, meeting| {
        let fabric = TcpFabric::new(options(me, 2)).unwrap();
        let at = door(&fabric.address());
        let member = Member::new(Box::new(fabric), me, 1, meeting);
        let mut socket = connect(at);
        let mut challenge = [0; CHALLENGE_BYTES];
        socket.read_exact(&mut challenge).unwrap();
        let claim = Claim::new(&challenge, Pe(1), Pe(0)).unwrap();
        socket.write_all(&claim.encode(&Secret(SECRET))).unwrap();
        socket.read_exact(&mut [0; ANSWER_BYTES]).unwrap();
        socket.write_all(Request::Put { at: HERE, len: 50_000 }.encode().bytes()).unwrap();
        socket.write_all(&[1; 1000]).unwrap();
        drop(socket);
        // Nobody calls progress: the service thread notices.
        while member.fabric().fault().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let fault = member.fabric().fault().unwrap().to_string();
        assert_eq!(fault, "the connection with PE 1 was lost: the peer hung up");
        // SAFETY: nothing is pointed to for long: the lane refuses.
        let refused = unsafe {
            member.lane.post(&Op::Get {
                from: Remote { pe: Pe(0), segment: SegmentId::HEAP, offset: 0 },
                to: std::ptr::null_mut(),
                len: 0,
            })
        };
        assert!(refused.is_err());
    });
}
