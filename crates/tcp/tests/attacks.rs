//! Attacks by strangers and by peers that break the protocol: each attacker is dropped, and two good PEs go on working.

use ferrite_conformance::{self as conformance, Meeting, Member};
use ferrite_engine::{
    Location,
    message::{Answer, Asker, Outcome, Request},
};
use ferrite_fabric::{Amo, Op, Pe, Remote, SegmentId, SignalOp, Stage, Width};
use ferrite_tcp::{
    Options,
    proof::{ANSWER_BYTES, Admission, CHALLENGE_BYTES, Claim, Knock, Secret, Terms},
    wire::{Encoded, Frame, PAYLOAD_BYTES_MAX, START_BYTES},
};
use rustix::net::{AddressFamily, SocketType};
use std::{
    collections::VecDeque,
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

const SECRET: [u8; 32] = [11; 32];
const TERMS: Terms = Terms { secret: Secret(SECRET), sealed: false };
const GENEROUS: Duration = Duration::from_secs(60);

fn options(me: Pe, size: u32) -> Options {
    let interface = Some("127.0.0.1".to_owned());
    Options { interface, proof_time: Duration::from_millis(300), ..Options::new(me, size, SECRET) }
}

/// The published address ends with the only socket address: family, four bytes, port.
fn door(address: &[u8]) -> SocketAddr {
    let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// Two PEs communicate while `attack` connects to PE 1. Afterwards they still communicate, without a fault.
fn beside(attack: impl Fn(SocketAddr) + Sync) {
    beside_for(Duration::from_millis(300), attack);
}

/// Like [`beside`], with this time limit for a proof.
fn beside_for(proof_time: Duration, attack: impl Fn(SocketAddr) + Sync) {
    let at = Mutex::new(None);
    conformance::among_threads(2, &|me, meeting: &dyn Meeting| {
        let fabric = ferrite_tcp::open(Options { proof_time, ..options(me, 2) }).unwrap();
        if me == Pe(1) {
            *at.lock().unwrap() = Some(door(&fabric.address()));
        }
        let member = Member::new(fabric, me, 2, meeting);
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

/// Wait until the other end has closed the connection. Bytes that it sent before are ignored.
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

/// Knock at PE `to` as PE `from`. Returns the claim that must follow.
fn knock(socket: &mut TcpStream, from: u32, to: u32) -> std::io::Result<Claim> {
    let knock = Knock::new(Pe(from), Pe(to)).unwrap();
    socket.write_all(&knock.encode(&TERMS))?;
    let mut challenge = [0; CHALLENGE_BYTES];
    socket.read_exact(&mut challenge)?;
    Ok(knock.judge(&challenge, &TERMS).unwrap())
}

fn claim(socket: &mut TcpStream, claim: &Claim) -> std::io::Result<Admission> {
    socket.write_all(&claim.encode(&TERMS))?;
    let mut answer = [0; ANSWER_BYTES];
    socket.read_exact(&mut answer)?;
    Ok(claim.judge(&answer, &TERMS).unwrap())
}

/// Repeat until it succeeds: on a busy machine, the time limit for a proof may pass first.
fn until_in_time<T>(mut attempt: impl FnMut() -> std::io::Result<T>) -> T {
    let begin = Instant::now();
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(error) => assert!(begin.elapsed() < GENEROUS, "every connection was dropped: {error}"),
        }
    }
}

/// A connection on which the test has proven itself as PE `from`.
fn opened(at: SocketAddr, from: u32, to: u32) -> TcpStream {
    until_in_time(|| {
        let mut socket = connect(at);
        let owed = knock(&mut socket, from, to)?;
        claim(&mut socket, &owed)?;
        Ok(socket)
    })
}

/// A connection on which the test has proven itself as PE 0.
fn insider(at: SocketAddr) -> TcpStream {
    opened(at, 0, 1)
}

/// The frame of a message that announces `len` bytes of data, as PE 0's engine sends it.
fn message(request: &Request, len: u32) -> Vec<u8> {
    let asker = Asker { pe: 0, lane: 0, ticket: 1, wants_answer: true };
    Encoded::message(request.encode(asker).bytes(), len as usize).bytes().to_vec()
}

fn ask() -> Vec<u8> {
    message(&Request::Ask, 0)
}

/// Send `bytes` as an insider. The connection must be refused with a reason that contains `why`.
fn refused(bytes: &[u8], why: &'static str) {
    beside(|at| {
        let mut socket = insider(at);
        socket.write_all(bytes).unwrap();
        let mut said = Vec::new();
        let _ = socket.read_to_end(&mut said);
        let Ok(Some((Frame::Refused { len }, START_BYTES))) = Frame::parse(&said) else { panic!("{said:?}") };
        let text = String::from_utf8_lossy(&said[START_BYTES..START_BYTES + len as usize]).into_owned();
        assert!(text.contains(why), "{text}");
    });
}

const HEAP: SegmentId = SegmentId::HEAP;
const HERE: Location = Location { segment: HEAP, offset: 0 };

#[test]
fn garbage() {
    beside(|at| {
        let mut socket = connect(at);
        // The connection may be dropped before all bytes are written.
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
        socket.write_all(b"ferrite4 and then no more").unwrap();
        drop(socket);
        drop(connect(at));
    });
}

#[test]
fn wrong_secret() {
    beside(|at| {
        let sealed = Terms { sealed: true, ..TERMS };
        for terms in [Terms { secret: Secret([12; 32]), ..TERMS }, sealed] {
            let mut socket = connect(at);
            let mut bytes = Knock::new(Pe(0), Pe(1)).unwrap().encode(&terms).to_vec();
            // A request right behind the refused one must not be read either.
            bytes.extend(ask());
            socket.write_all(&bytes).unwrap();
            let mut said = Vec::new();
            let _ = socket.read_to_end(&mut said);
            assert!(said.is_empty(), "a stranger is told nothing");
        }
    });
}

#[test]
fn a_proof_heard_elsewhere() {
    beside(|at| {
        let heard = Knock::new(Pe(0), Pe(1)).unwrap().encode(&TERMS);
        let (_first, owed) = until_in_time(|| {
            let mut first = connect(at);
            let owed = knock(&mut first, 0, 1)?;
            Ok((first, owed))
        });
        let mut second = connect(at);
        second.write_all(&[&heard[..], &owed.encode(&TERMS)].concat()).unwrap();
        let mut said = Vec::new();
        let _ = second.read_to_end(&mut said);
        assert!(said.len() <= CHALLENGE_BYTES, "a replayed claim is not answered");
        // Replayed knocks occupy only the places of their own PE.
        let replayed: Vec<TcpStream> = (0..100).map(|_| connect(at)).collect();
        replayed.iter().for_each(|mut socket| drop(socket.write_all(&heard)));
        drop(insider_that_leaves(at));
        replayed.into_iter().for_each(is_dropped);
    });
}

/// An eavesdropper that replays a PE's knock many times does not occupy the PE's places.
#[test]
fn replayed_knock_is_refused() {
    beside_for(GENEROUS, |at| {
        let said = Knock::new(Pe(0), Pe(1)).unwrap();
        let mut peer = connect(at);
        peer.write_all(&said.encode(&TERMS)).unwrap();
        let mut challenge = [0; CHALLENGE_BYTES];
        peer.read_exact(&mut challenge).unwrap();
        for _ in 0..30 {
            let mut other = connect(at);
            other.write_all(&said.encode(&TERMS)).unwrap();
            is_dropped(other);
        }
        let owed = said.judge(&challenge, &TERMS).unwrap();
        peer.write_all(&owed.encode(&TERMS)).unwrap();
        let mut answer = [0; ANSWER_BYTES];
        peer.read_exact(&mut answer).expect("replays have thrown out who knocked first");
        owed.judge(&answer, &TERMS).unwrap();
        peer.write_all(Frame::Bye.encode().bytes()).unwrap();
    });
}

/// An eavesdropper has recorded many knocks of a PE, and replays them all while the PE proves itself.
#[test]
fn replayed_knocks_are_refused() {
    beside_for(GENEROUS, |at| {
        let said = |knock: &Knock| {
            let (mut socket, mut challenge) = (connect(at), [0; CHALLENGE_BYTES]);
            socket.write_all(&knock.encode(&TERMS)).unwrap();
            socket.read_exact(&mut challenge).unwrap();
            (socket, challenge)
        };
        let knocks: Vec<Knock> = (0..30).map(|_| Knock::new(Pe(0), Pe(1)).unwrap()).collect();
        // The PE has made each of these knocks itself, and has closed the connection.
        knocks.iter().for_each(|knock| drop(said(knock)));
        let knock = Knock::new(Pe(0), Pe(1)).unwrap();
        let (mut peer, challenge) = said(&knock);
        let replays: Vec<_> = knocks.iter().map(said).collect();
        let owed = knock.judge(&challenge, &TERMS).unwrap();
        peer.write_all(&owed.encode(&TERMS)).unwrap();
        let mut answer = [0; ANSWER_BYTES];
        peer.read_exact(&mut answer).expect("replays have thrown out who proves itself");
        owed.judge(&answer, &TERMS).unwrap();
        peer.write_all(Frame::Bye.encode().bytes()).unwrap();
        replays.into_iter().for_each(|(socket, _)| is_dropped(socket));
    });
}

#[test]
fn slow_loris() {
    beside(|at| {
        // More connections than there are places, each with one byte.
        let mut some: Vec<TcpStream> = (0..100).map(|_| connect(at)).collect();
        for socket in &mut some {
            let _ = socket.write_all(b"f");
        }
        // Two good PEs still find each other: new connections replace the stalled ones.
        drop(insider_that_leaves(at));
        some.into_iter().for_each(is_dropped);
    });
}

/// A flood as fast as one core can make it: a PE that has knocked is not thrown out, however long its next message takes.
#[test]
fn a_flood_beside_peers_that_are_slow() {
    beside_for(GENEROUS, |at| {
        let over = AtomicBool::new(false);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut held = VecDeque::new();
                while !over.load(Ordering::Relaxed) {
                    held.extend(TcpStream::connect(at));
                    made.fetch_add(1, Ordering::Relaxed);
                    if held.len() > 500 {
                        held.pop_front();
                    }
                }
            });
            let slow_peer = || {
                let mut socket = connect(at);
                let owed = knock(&mut socket, 0, 1)?;
                // Wait until the flood has taken all places several times.
                let then = made.load(Ordering::Relaxed) + 200;
                while made.load(Ordering::Relaxed) < then {
                    std::thread::sleep(Duration::from_millis(1));
                }
                claim(&mut socket, &owed)?;
                socket.write_all(Frame::Bye.encode().bytes())
            };
            // A connection that has not knocked yet may be thrown out. The peer then tries again.
            (0..10).for_each(|_| until_in_time(slow_peer));
            over.store(true, Ordering::Relaxed);
        });
        assert!(made.load(Ordering::Relaxed) > 2000);
    });
}

/// A source that fills all places loses only its own connections. Even silent connections from other addresses stay.
#[test]
fn a_flood_from_another_address() {
    beside_for(GENEROUS, |at| {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
        rustix::net::connect(&socket, &at).unwrap();
        let mut peer = TcpStream::from(socket);
        peer.set_read_timeout(Some(GENEROUS)).unwrap();
        let flood: Vec<TcpStream> = (0..300).map(|_| connect(at)).collect();
        // The connections of the flood that are thrown out were accepted after the peer.
        is_dropped(flood.into_iter().next().unwrap());
        let owed = knock(&mut peer, 0, 1).expect("the flood has thrown it out");
        claim(&mut peer, &owed).unwrap();
        peer.write_all(Frame::Bye.encode().bytes()).unwrap();
    });
}

fn insider_that_leaves(at: SocketAddr) -> TcpStream {
    let mut socket = insider(at);
    socket.write_all(Frame::Bye.encode().bytes()).unwrap();
    socket
}

#[test]
fn beyond_a_segment() {
    for at in [
        Location { segment: HEAP, offset: u64::MAX - 3 },
        Location { segment: HEAP, offset: 1 << 40 },
        Location { segment: HEAP, offset: (6 << 20) - 7 },
        Location { segment: SegmentId(9), offset: 0 },
    ] {
        refused(Frame::Get { at, len: 8 }.encode().bytes(), "outside of segment");
        refused(&message(&Request::Put { at }, 8000), "outside of segment");
    }
    let signal = Location { segment: HEAP, offset: 6 << 20 };
    let request = Request::PutSignal { at: HERE, signal, op: SignalOp::Add, value: 1 };
    refused(&message(&request, 100_000), "outside of segment");
}

#[test]
fn a_crooked_word() {
    let at = Location { segment: HEAP, offset: 4 };
    let request = Request::Amo { at, width: Width::W64, op: Amo::Add, operand: 1, compare: 0 };
    refused(&message(&request, 0), "not aligned");
}

#[test]
fn an_oversized_frame() {
    refused(&message(&Request::Put { at: HERE }, PAYLOAD_BYTES_MAX as u32 + 1), "is the most");
    refused(Frame::Get { at: HERE, len: u32::MAX }.encode().bytes(), "is the most");
}

#[test]
fn a_message_of_no_engine() {
    refused(Encoded::message(&[0; 24], 0).bytes(), "no message");
    refused(&[message(&Request::Ask, 4), vec![0; 4]].concat(), "data that it should not have");
    let stranger = Asker { pe: 2, lane: 0, ticket: 1, wants_answer: true };
    refused(Encoded::message(Request::Ask.encode(stranger).bytes(), 0).bytes(), "which does not exist");
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
    let answer = Answer { from: 0, to: 1, lane: 0, ticket: 1, is_of_ask: true, outcome: Outcome::Done(0) };
    for frame in [
        Encoded::message(&answer.encode(), 0),
        Frame::Data { len: 8 }.encode(),
        Frame::Data { len: 1 << 20 }.encode(),
        Frame::Heard.encode(),
    ] {
        refused(&[frame.bytes(), &[0; 64]].concat(), "without a request");
    }
}

#[test]
fn a_request_after_the_last_one() {
    beside(|at| {
        let mut socket = insider_that_leaves(at);
        socket.write_all(&ask()).unwrap();
        is_dropped(socket);
    });
}

/// An insider sends requests and reads no answer. The target reads all requests that may be outstanding, and bounds the waiting answers.
#[test]
fn more_than_may_be_outstanding() {
    beside(|at| {
        let mut socket = insider(at);
        let some = Frame::Get { at: HERE, len: 6 << 20 }.encode().bytes().repeat(1000);
        for _ in 0..100 {
            // An end that cannot write must still read: these requests exceed all buffers.
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

/// Only the PE that made the invalid request gets the fault, with the reason.
#[test]
fn a_refusal_is_a_fault_of_the_asker_alone() {
    conformance::among_threads(2, &|me, meeting| {
        let member = Member::new(ferrite_tcp::open(options(me, 2)).unwrap(), me, 2, meeting);
        member.meet();
        if me == Pe(0) {
            let bytes = [1_u8; 8];
            let to = Remote { pe: Pe(1), segment: SegmentId(7), offset: 40 };
            // SAFETY: so small a put is copied, so the bytes live long enough.
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

/// A peer that disconnects within a frame causes a fault with a readable reason, and nothing hangs.
#[test]
fn a_peer_lost_in_the_middle() {
    conformance::among_threads(1, &|me, meeting| {
        let fabric = ferrite_tcp::open(options(me, 2)).unwrap();
        let at = door(&fabric.address());
        let member = Member::new(fabric, me, 1, meeting);
        let mut socket = opened(at, 1, 0);
        socket.write_all(&message(&Request::Put { at: HERE }, 50_000)).unwrap();
        socket.write_all(&[1; 1000]).unwrap();
        drop(socket);
        // This test does not call progress: the service thread notices the loss.
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
