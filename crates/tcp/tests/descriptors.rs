//! Open descriptors: the fabric raises the soft limit for many peers, and reports a clear fault when none are left. The test has a process
//! of its own, since it changes limits of the process.

use ferrite_fabric::{Fabric, Pe};
use ferrite_tcp::{
    Options,
    proof::{Knock, Secret, Terms},
};
use rustix::net::{AddressFamily, SocketType, connect, socket};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    fs::File,
    io::Write,
    net::{SocketAddr, TcpStream},
    os::fd::OwnedFd,
    thread,
    time::{Duration, Instant},
};

const SECRET: [u8; 32] = [12; 32];
const GENEROUS: Duration = Duration::from_secs(60);

fn soft() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

fn set(soft: u64) {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum }).unwrap();
}

fn open(size: u32) -> Box<dyn Fabric> {
    let interface = Some("127.0.0.1".to_owned());
    let proof_time = Duration::from_secs(1);
    ferrite_tcp::open(Options { interface, proof_time, ..Options::new(Pe(0), size, SECRET) }).unwrap()
}

#[test]
fn descriptors_are_found_or_missed_by_name() {
    if getrlimit(Resource::Nofile).maximum.is_some_and(|most| most < 1700) {
        return println!("skipped: this process may not open 1700 descriptors (ulimit -Hn)");
    }
    set(300);
    drop(open(2));
    assert_eq!(soft(), 300, "two PEs need no more");
    let fabric = open(600);
    assert!(soft() >= 856, "600 PEs need a connection each, and there are {}", soft());
    drop(open(4_000_000_000));
    assert_eq!(Some(soft()), getrlimit(Resource::Nofile).maximum.or(Some(u64::MAX)), "no more than the hard limit");

    // The program takes all descriptors that are left. Then peers connect.
    let address = fabric.address();
    let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
    // Callers' sockets have numbers beyond the limit: closing one frees none.
    let held: Vec<File> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
    let mut callers: Vec<OwnedFd> =
        (0..1500).map(|_| socket(AddressFamily::INET, SocketType::STREAM, None).unwrap()).collect();
    set(100);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(fabric.fault().map(|error| error.to_string()), None, "nobody has missed one yet");
    let mut knock = |bytes: &[u8]| {
        let caller = callers.pop().expect("there are callers left");
        connect(&caller, &SocketAddr::from(([127, 0, 0, 1], port))).unwrap();
        let _ = TcpStream::from(caller).write_all(bytes);
        thread::sleep(Duration::from_millis(50));
    };
    // Strangers for whom there is no descriptor cause no fault, even after several times the limit for peers.
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        knock(b"ferrite4 is what we speak");
        assert_eq!(fabric.fault().map(|error| error.to_string()), None, "a stranger is not missed");
    }
    let begin = Instant::now();
    let terms = Terms { secret: Secret(SECRET), sealed: false };
    // Neither does an eavesdropper that replays a PE's knock.
    let peers = || Knock::new(Pe(1), Pe(0)).unwrap().encode(&terms);
    let heard = peers();
    while begin.elapsed() < Duration::from_secs(5) {
        knock(&heard);
        assert_eq!(fabric.fault().map(|error| error.to_string()), None, "a knock that is said again is not missed");
    }
    while fabric.fault().is_none() {
        knock(&peers());
        assert!(begin.elapsed() < GENEROUS, "nobody says that there are no descriptors");
    }
    let said = fabric.fault().unwrap().to_string();
    drop(held);
    assert!(said.contains("no descriptor is left") && said.contains("may have 100 (ulimit -n"), "{said}");
}
