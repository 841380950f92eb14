//! A PE's side of our launcher's protocol; the test is the launcher.

use ferrite_bootstrap::wire::{Entry, Frames, ToLauncher, ToPe, VERSION};
use ferrite_bootstrap::{Boot, Launched, NodeMap, Secret};
use ferrite_fabric::Pe;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread;

struct Launcher {
    stream: UnixStream,
    frames: Frames,
}

impl Launcher {
    fn hears(&mut self) -> ToLauncher {
        loop {
            if let Some(body) = self.frames.next_body().unwrap() {
                return ToLauncher::parse(body).unwrap();
            }
            let mut chunk = [0; 100];
            let got = self.stream.read(&mut chunk).unwrap();
            assert_ne!(got, 0, "the PE has closed its end");
            self.frames.push(&chunk[..got]);
        }
    }

    fn says(&mut self, message: ToPe) {
        self.stream.write_all(&message.frame()).unwrap();
    }
}

/// PE 1 of 4, of which two are on this host, and its launcher.
fn pair() -> (Launched, Launcher) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut launcher = Launcher { stream: ours, frames: Frames::default() };
    let pe = thread::spawn(|| Launched::over(theirs.into()).unwrap());
    assert_eq!(launcher.hears(), ToLauncher::Hello { version: VERSION });
    launcher.says(ToPe::Welcome { me: Pe(1), nodes: NodeMap::of([0, 0, 1, 1]), secret: Secret::of([7; 16]) });
    (pe.join().unwrap(), launcher)
}

fn entry(pe: u32, key: &str, value: &[u8]) -> Entry {
    Entry { pe: Pe(pe), key: key.into(), value: value.to_vec() }
}

#[test]
fn pe_gets_its_number() {
    let (pe, _launcher) = pair();
    assert_eq!((pe.me(), pe.size(), pe.secret(), pe.launcher()), (Pe(1), 4, Secret::of([7; 16]), "oshrun"));
    assert_eq!(pe.local(), [Pe(0), Pe(1)]);
    assert_eq!((pe.nodes().nodes(), pe.nodes().node_of(Pe(2))), (2, 1));
}

#[test]
fn small_jobs_get_all_values_with_the_release() {
    let (pe, mut launcher) = pair();
    pe.publish("heap", b"mine").unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| pe.exchange());
        assert_eq!(launcher.hears(), ToLauncher::Exchange { published: vec![("heap".into(), b"mine".to_vec())] });
        launcher.says(ToPe::Released { entries: Some(vec![entry(1, "heap", b"mine"), entry(3, "heap", b"x")]) });
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(pe.lookup(Pe(3), "heap").unwrap(), b"x");
    assert!(pe.lookup(Pe(2), "heap").unwrap_err().to_string().contains("PE 2 has published nothing"));
}

#[test]
fn large_jobs_are_asked_by_the_page_and_pages_go_stale() {
    let (pe, mut launcher) = pair();
    for turn in [b"a", b"b"] {
        thread::scope(|scope| {
            let asking = scope.spawn(|| {
                pe.exchange().unwrap();
                (pe.lookup(Pe(2), "k").unwrap(), pe.lookup(Pe(3), "k").unwrap(), pe.lookup(Pe(0), "k").is_err())
            });
            assert_eq!(launcher.hears(), ToLauncher::Exchange { published: vec![] });
            launcher.says(ToPe::Released { entries: None });
            assert_eq!(launcher.hears(), ToLauncher::Lookup { pe: Pe(2), key: "k".into() });
            launcher.says(ToPe::Found { entries: vec![entry(2, "k", turn), entry(3, "k", turn)] });
            assert_eq!(launcher.hears(), ToLauncher::Lookup { pe: Pe(0), key: "k".into() });
            launcher.says(ToPe::Found { entries: vec![] });
            assert_eq!(asking.join().unwrap(), (turn.to_vec(), turn.to_vec(), true));
        });
    }
}

#[test]
fn ending_launcher_wakes_waiters() {
    let (pe, mut launcher) = pair();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| pe.exchange());
        launcher.hears();
        drop(launcher);
        assert!(waiting.join().unwrap().unwrap_err().to_string().contains("oshrun has ended"));
    });
    assert!(pe.leave().is_err(), "nobody is left to hear it");
}

#[test]
fn the_end_of_the_launcher_shows_without_a_question() {
    let (pe, mut launcher) = pair();
    assert!(!pe.has_ended());
    launcher.says(ToPe::Released { entries: None });
    assert!(!pe.has_ended(), "an answer is no end");
    drop(launcher);
    assert!(pe.has_ended());
}

/// The program has closed a descriptor of the library, and has opened a file that got the same number.
#[test]
fn a_connection_that_the_program_has_closed_is_not_taken_for_another() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let number = theirs.as_raw_fd();
    let mut launcher = Launcher { stream: ours, frames: Frames::default() };
    let pe = thread::spawn(|| Launched::over(theirs.into()).unwrap());
    launcher.hears();
    launcher.says(ToPe::Welcome { me: Pe(1), nodes: NodeMap::of([0, 0]), secret: Secret::of([7; 16]) });
    let pe = pe.join().unwrap();
    let (mut others, another) = UnixStream::pair().unwrap();
    // Like `closefrom`, followed by an `open` that gets the connection's number.
    // SAFETY: the connection is the library's, and this test replaces it behind its back, as a program might.
    assert_eq!(unsafe { libc::dup2(another.as_raw_fd(), number) }, number);
    let why = pe.leave().unwrap_err().to_string();
    assert!(why.contains(&format!("closed descriptor {number}")), "{why}");
    assert!(!pe.has_ended(), "nobody knows");
    drop(pe);
    drop(another);
    // The program's own file is still open, and nothing was written to it.
    others.set_nonblocking(true).unwrap();
    assert_eq!(others.read(&mut [0; 9]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    // SAFETY: the copy of above, which is the test's.
    unsafe { libc::close(number) };
}

#[test]
fn leaving_does_not_wait_for_exchanges() {
    let (pe, mut launcher) = pair();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| pe.exchange());
        launcher.hears();
        pe.leave().unwrap();
        assert_eq!(launcher.hears(), ToLauncher::Leave);
        launcher.says(ToPe::Released { entries: None });
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn a_refusal_and_garbage_are_errors() {
    for (bytes, expected) in [
        (ToPe::Refused { why: "another protocol".into() }.frame(), "another protocol"),
        (b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), "malformed bytes"),
        (ToPe::Released { entries: None }.frame(), "answered a greeting with the end of an exchange"),
        (Vec::new(), "oshrun has ended"),
    ] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let pe = thread::spawn(|| Launched::over(theirs.into()).map(|_| ()).unwrap_err().to_string());
        ours.write_all(&bytes).unwrap();
        ours.shutdown(std::net::Shutdown::Write).unwrap();
        let error = pe.join().unwrap();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn more_than_a_frame_in_one_turn_is_refused() {
    let (pe, _launcher) = pair();
    let value = vec![0; 64 << 10];
    let refused = (0..100).find_map(|turn| pe.publish(&format!("k{turn}"), &value).err()).unwrap();
    assert!(refused.to_string().contains("in one turn"), "{refused}");
    assert!(pe.publish("", b"").is_err() && pe.publish("k", &[0; 1 << 20]).is_err());
}
