//! Open descriptors: more than the soft limit where there are many peers, and a clear end where there are none left. A process of its
//! own, since it changes its limits; one test, since they are the process's.

use ferrite_fabric::{Fabric, Pe};
use ferrite_tcp::{
    Options,
    proof::{Knock, Secret, Terms},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    fs::File,
    io::Write,
    net::{SocketAddr, TcpStream},
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
    set(300);
    drop(open(2));
    assert_eq!(soft(), 300, "two PEs need no more");
    let fabric = open(600);
    assert!(soft() >= 856, "600 PEs need a connection each, and there are {}", soft());
    drop(open(4_000_000_000));
    assert_eq!(Some(soft()), getrlimit(Resource::Nofile).maximum.or(Some(u64::MAX)), "no more than the hard limit");

    // The program takes all that are left, and then somebody knocks.
    let address = fabric.address();
    let port = u16::from_le_bytes(address[address.len() - 2..].try_into().unwrap());
    set(100);
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    thread::sleep(Duration::from_millis(500));
    assert_eq!(fabric.fault().map(|error| error.to_string()), None, "nobody has missed one yet");
    // Whoever knocks now has a descriptor that it took from the program, which takes it back.
    let mut knock = |bytes: &[u8]| {
        held.pop();
        let mut caller = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port))).unwrap();
        let _ = caller.write_all(bytes);
        thread::sleep(Duration::from_millis(10));
        drop(caller);
        held.extend(File::open("/dev/null"));
    };
    // Strangers are none that are missed, for several times as long as peers are waited for.
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        knock(b"ferrite4 is what we speak");
        assert_eq!(fabric.fault().map(|error| error.to_string()), None, "a stranger is not missed");
    }
    let begin = Instant::now();
    let terms = Terms { secret: Secret(SECRET), sealed: false };
    // Somebody who has heard a knock is none either, however often it is said again.
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
    assert!(said.contains("no descriptor is left") && said.contains("may have 100 (ulimit -n"), "{said}");
}
