//! Sealed connections: the suite of all providers over them, and records that an attacker changes on the way.

use ferrite_conformance::{self as conformance, Meeting, Member};
use ferrite_engine::message::{Asker, Request};
use ferrite_fabric::{Fabric, Pe, Remote, SegmentId, Stage};
use ferrite_tcp::{
    Options,
    proof::{ANSWER_BYTES, CHALLENGE_BYTES, Keys, Knock, Secret, Terms},
    seal::{Direction, record_bytes},
    wire::{Encoded, Frame},
};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

const SECRET: [u8; 32] = [77; 32];
const TERMS: Terms = Terms { secret: Secret(SECRET), sealed: true };

fn make(me: Pe, size: u32) -> Box<dyn Fabric> {
    let interface = Some("127.0.0.1".to_owned());
    ferrite_tcp::open(Options { interface, terms: TERMS, ..Options::new(me, size, SECRET) }).unwrap()
}

#[test]
fn pes_work_over_sealed_connections() {
    conformance::threads(2, &make);
}

/// Buffers of the kernel that are always full, so that records leave and arrive in pieces.
#[test]
fn records_go_through_small_buffers() {
    conformance::among_threads(2, &|me, meeting: &dyn Meeting| {
        let options = Options { buffer_bytes: Some(4096), terms: TERMS, ..Options::new(me, 2, SECRET) };
        let m = Member::new(ferrite_tcp::open(options).unwrap(), me, 2, meeting);
        let there = Remote { pe: m.right(), segment: SegmentId::HEAP, offset: 0 };
        for len in [1, 5000, 16 << 10, 300_001] {
            let data: Vec<u8> = (0..len).map(|at| (at * 7 + len) as u8).collect();
            m.wait(m.put(there, &data), Stage::Remote);
            assert!(m.get(there, len) == data, "{len} bytes came back wrong");
        }
        m.meet();
    });
}

/// A connection that has proven itself to PE 0 as PE 1, and its keys.
fn opened(at: SocketAddr) -> (TcpStream, Keys) {
    let mut socket = TcpStream::connect(at).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let knock = Knock::new(Pe(1), Pe(0)).unwrap();
    socket.write_all(&knock.encode(&TERMS)).unwrap();
    let mut challenge = [0; CHALLENGE_BYTES];
    socket.read_exact(&mut challenge).unwrap();
    let claim = knock.judge(&challenge, &TERMS).unwrap();
    socket.write_all(&claim.encode(&TERMS)).unwrap();
    let mut answer = [0; ANSWER_BYTES];
    socket.read_exact(&mut answer).unwrap();
    claim.judge(&answer, &TERMS).unwrap();
    (socket, claim.keys(&TERMS).unwrap())
}

/// A request of PE 1 that wants an answer.
fn ask() -> Encoded {
    let asker = Asker { pe: 1, lane: 0, ticket: 1, wants_answer: true };
    Encoded::message(Request::Ask.encode(asker).bytes(), 0)
}

/// The fault of PE 0 after `touch` has changed two records of PE 1 and the connection has ended behind them.
fn fate(touch: impl Fn(Vec<u8>, Vec<u8>) -> Vec<u8> + Sync) -> String {
    let said = std::sync::Mutex::new(String::new());
    conformance::among_threads(1, &|me, meeting: &dyn Meeting| {
        let fabric = make(me, 2);
        let address = fabric.address();
        let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
        let member = Member::new(fabric, me, 1, meeting);
        let (mut socket, keys) = opened(SocketAddr::from(([127, 0, 0, 1], port)));
        let mut sending = Direction::new(keys.sending);
        let mut seal = |bytes: &[u8]| {
            let mut record = Vec::new();
            sending.seal(&mut record, |to| to.extend_from_slice(bytes));
            record
        };
        // The first record is unchanged, and its answer can be opened.
        socket.write_all(&seal(ask().bytes())).unwrap();
        let mut answer = vec![0; 4];
        socket.read_exact(&mut answer).unwrap();
        let len = record_bytes(&answer).unwrap().unwrap();
        answer.resize(len, 0);
        socket.read_exact(&mut answer[4..]).unwrap();
        let n = Direction::new(keys.receiving).open(&mut answer).unwrap();
        assert!(matches!(Frame::parse(&answer[..n]), Ok(Some((Frame::Message { .. }, _)))));

        let (one, two) = (seal(ask().bytes()), seal(ask().bytes()));
        socket.write_all(&touch(one, two)).unwrap();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        // This test does not call progress: the service thread notices.
        while member.fabric().fault().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        *said.lock().unwrap() = member.fabric().fault().unwrap().to_string();
    });
    said.into_inner().unwrap()
}

#[test]
fn records_that_somebody_touches_end_the_job_with_the_reason() {
    const TOUCHED: &str =
        "the connection with PE 1 was lost: a sealed record was changed, left out, repeated or moved on the way";
    assert_eq!(
        fate(|one, two| [one, two].concat()),
        "the connection with PE 1 was lost: the peer hung up",
        "untouched"
    );
    let flip = |mut record: Vec<u8>, at: usize| {
        record[at] ^= 1;
        record
    };
    assert_eq!(fate(|one, two| [flip(one, 9), two].concat()), TOUCHED, "tampered");
    assert_eq!(fate(|one, _| flip(one, 0)[..].repeat(2)), TOUCHED, "the length, tampered");
    assert_eq!(fate(|one, two| [&one[..], &one, &two].concat()), TOUCHED, "replayed");
    assert_eq!(fate(|one, two| [two, one].concat()), TOUCHED, "reordered");
    assert_eq!(fate(|_, two| two), TOUCHED, "left out");
    let cut = "the connection with PE 1 was lost: its last record is cut short";
    assert_eq!(fate(|one, two| [&one[..], &two[..two.len() - 1]].concat()), cut, "truncated");
    assert_eq!(fate(|one, _| one[..2].to_vec()), cut, "truncated in the length");
    for len in [0, 16 * 1024 + 1, u32::MAX] {
        let said = fate(|_, _| len.to_le_bytes().to_vec());
        assert!(said.contains(&format!("a sealed record of {len} bytes, which does not exist")), "{said}");
    }
}
