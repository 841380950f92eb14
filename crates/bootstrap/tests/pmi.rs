//! PMI-1 and PMI-2 against a launcher of the test, which is correct, slow, sends nonsense, or dies.

mod server;

use ferrite_bootstrap::pmi::{self, MESSAGE_MAX, Version};
use ferrite_bootstrap::{Boot, Served};
use ferrite_fabric::Pe;
use server::{Job, Manner};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread;

const VERSIONS: [Version; 2] = [Version::One, Version::Two];

/// Connect all PEs of a job.
fn job(size: u32, manner: Manner, version: Version) -> (Job, Vec<Served>) {
    let (job, sockets) = Job::start(size, manner);
    let starting: Vec<_> = (0..size)
        .zip(sockets)
        .map(|(pe, socket)| thread::spawn(move || pmi::over(socket.into(), "a test", (Pe(pe), size), None, version)))
        .collect();
    let served = starting.into_iter().map(|pe| pe.join().unwrap().unwrap()).collect();
    (job, served)
}

fn each(world: &[Served], body: impl Fn(&Served) + Sync) {
    thread::scope(|scope| {
        for pe in world {
            let body = &body;
            scope.spawn(move || body(pe));
        }
    });
}

#[test]
fn pes_get_their_number_and_a_shared_secret() {
    for version in VERSIONS {
        let (_job, world) = job(3, Manner::Sound, version);
        for (number, pe) in world.iter().enumerate() {
            assert_eq!((pe.me().0 as usize, pe.size()), (number, 3));
            assert_eq!(pe.local(), [Pe(0), Pe(1), Pe(2)], "all are processes of this host");
            assert_eq!(pe.secret(), world[0].secret());
            assert!(pe.launcher().starts_with("a test, PMI-"), "{}", pe.launcher());
        }
        let (_job, other) = job(1, Manner::Sound, version);
        assert_ne!(other[0].secret(), world[0].secret());
    }
}

#[test]
fn published_values_are_seen_in_every_later_exchange() {
    for version in VERSIONS {
        for manner in [Manner::Sound, Manner::Slow, Manner::Narrow] {
            let (_job, world) = job(3, manner, version);
            each(&world, |pe| {
                pe.publish("once", &[pe.me().0 as u8; 3000]).unwrap();
                for turn in 0..5_u8 {
                    if turn % 2 == 0 {
                        pe.publish("turn", &[turn, pe.me().0 as u8, b'=', b'\n', b';', 0]).unwrap();
                    }
                    pe.exchange().unwrap();
                    for other in (0..3).map(Pe) {
                        assert_eq!(pe.lookup(other, "once").unwrap(), [other.0 as u8; 3000]);
                        let expected = [turn / 2 * 2, other.0 as u8, b'=', b'\n', b';', 0];
                        assert_eq!(pe.lookup(other, "turn").unwrap(), expected, "turn {turn}");
                    }
                }
                assert!(pe.lookup(Pe(1), "never").unwrap_err().to_string().contains("nothing under `never`"));
                assert!(pe.lookup(Pe(3), "once").unwrap_err().to_string().contains("3 PEs"));
            });
        }
    }
}

#[test]
fn flux_is_understood_in_its_own_words() {
    let (_job, world) = job(3, Manner::Flux, Version::Any);
    assert_eq!(world[0].launcher(), "a test, PMI-1");
    each(&world, |pe| {
        pe.join().unwrap();
        pe.publish("value", &[pe.me().0 as u8, b'=', b' ', b'\n', 0xc6]).unwrap();
        pe.exchange().unwrap();
        for other in (0..3).map(Pe) {
            assert_eq!(pe.lookup(other, "value").unwrap(), [other.0 as u8, b'=', b' ', b'\n', 0xc6]);
        }
        assert!(pe.lookup(Pe(1), "never").is_err());
        pe.exchange().unwrap();
        pe.leave().unwrap();
    });
}

#[test]
fn a_world_may_come_again_after_it_was_left() {
    for version in VERSIONS {
        let (job, world) = job(2, Manner::Sound, version);
        each(&world, |pe| {
            for life in 0..10_u8 {
                pe.join().unwrap();
                pe.publish("life", &[life]).unwrap();
                pe.exchange().unwrap();
                assert_eq!(pe.lookup(Pe(1 - pe.me().0), "life").unwrap(), [life]);
                pe.exchange().unwrap();
                pe.leave().unwrap();
            }
        });
        assert_eq!(job.goodbyes(), 0, "a goodbye cannot be taken back");
        assert!(job.written_twice().is_empty(), "{:?}", job.written_twice());
    }
}

#[test]
fn dying_launcher_wakes_waiters() {
    for version in VERSIONS {
        let (job, mut world) = job(2, Manner::Sound, version);
        let waiting = world.remove(0);
        let waits = thread::spawn(move || waiting.exchange().unwrap_err().to_string());
        job.die();
        let error = waits.join().unwrap();
        assert!(error.contains("a test") && (error.contains("closed") || error.contains("reach")), "{error}");
    }
}

/// The program has closed a descriptor of the library, and has opened a file that got the same number.
#[test]
fn a_connection_that_the_program_has_closed_is_not_taken_for_another() {
    for version in VERSIONS {
        let (_job, mut sockets) = Job::start(1, Manner::Sound);
        let socket = sockets.remove(0);
        let number = socket.as_raw_fd();
        let pe = pmi::over(socket.into(), "a test", (Pe(0), 1), None, version).unwrap();
        pe.join().unwrap();
        let (mut others, another) = UnixStream::pair().unwrap();
        // SAFETY: the connection is the library's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(another.as_raw_fd(), number) }, number);
        let why = pe.exchange().unwrap_err().to_string();
        assert!(why.contains(&format!("closed descriptor {number}")), "{why}");
        pe.announce(1, "");
        drop(pe);
        drop(another);
        // The program's own file is still open, and nothing was written to it.
        others.set_nonblocking(true).unwrap();
        assert_eq!(others.read(&mut [0; 9]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
        // SAFETY: the copy of above, which is the test's.
        unsafe { libc::close(number) };
    }
}

#[test]
fn server_of_the_other_version_is_asked_for_it() {
    for (manner, version, spoken) in
        [(Manner::Sound, Version::Any, "a test, PMI-1"), (Manner::OnlyTwo, Version::Any, "a test, PMI-2")]
    {
        let (_job, world) = job(2, manner, version);
        assert_eq!(world[0].launcher(), spoken);
    }
    let (_job, mut sockets) = Job::start(1, Manner::OnlyTwo);
    let error = pmi::over(sockets.remove(0).into(), "a test", (Pe(0), 1), None, Version::One);
    assert!(error.err().unwrap().to_string().contains("no PMI-1"));
}

/// The result of a PE whose launcher sends each of these answers in turn, to its lines or to its first record.
fn told(version: Version, answers: &[&[u8]]) -> String {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let pe = thread::spawn(move || {
        pmi::over(theirs.into(), "a test", (Pe(0), 2), None, version)
            .err()
            .expect("nonsense was taken for an answer")
            .to_string()
    });
    let mut reader = BufReader::new(ours.try_clone().unwrap());
    let mut writer = ours;
    for (number, answer) in answers.iter().enumerate() {
        if version == Version::One || number == 0 {
            reader.read_line(&mut String::new()).unwrap();
        } else {
            let mut count = [0; 6];
            reader.read_exact(&mut count).unwrap();
            let count: usize = str::from_utf8(&count).unwrap().trim().parse().unwrap();
            reader.read_exact(&mut vec![0; count]).unwrap();
        }
        // The PE may have closed the connection before the end.
        let _ = writer.write_all(answer);
    }
    let _ = writer.shutdown(std::net::Shutdown::Write);
    let error = pe.join().unwrap();
    assert!(!error.contains('\n') && error.contains("a test"), "{error}");
    error
}

#[test]
fn nonsense_is_an_error_that_names_it() {
    let hello_1 = &b"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"[..];
    let hello_2 = &b"cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n"[..];
    let endless = vec![b'a'; MESSAGE_MAX + 10];
    for (version, answers, expected) in [
        (Version::One, &[&b"HTTP/1.1 400 Bad Request\r\n"[..]][..], "response_to_init"),
        (Version::One, &[b"\xff\xff\xff\n"], "not text"),
        (Version::One, &[&endless], "without end"),
        (Version::One, &[b""], "closed the connection"),
        (Version::One, &[hello_1, b"cmd=maxes\n"], "keylen_max"),
        (Version::One, &[hello_1, b"cmd=maxes keylen_max=8 vallen_max=1024\n"], "keys of 8 bytes"),
        (
            Version::One,
            &[hello_1, b"cmd=maxes keylen_max=64 vallen_max=9\n", b"cmd=my_kvsname kvsname=k\n"],
            "values of 8",
        ),
        (Version::One, &[hello_1, b"cmd=maxes keylen_max=64 vallen_max=1024\n", b"cmd=my_kvsname rc=-1\n"], "refused"),
        (Version::Two, &[b"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n"], "no PMI-2"),
        (Version::Two, &[hello_2, b"garbage and more"], "without its length"),
        (Version::Two, &[hello_2, b"999999"], "at most"),
        (Version::Two, &[hello_2, b"    10cmd=no;rc=0;"], "expected `fullinit-response`, got"),
        (Version::Two, &[hello_2, b"    32cmd=fullinit-response;rc=0;size=2"], "no rank"),
        (Version::Two, &[hello_2, b"    47cmd=fullinit-response;rc=0;rank=7;size=2;appnum="], "PE 7 of 2"),
    ] {
        let error = told(version, answers);
        assert!(error.contains(expected), "`{expected}` is not in: {error}");
    }
}
