//! Starts over sockets: members of several sizes and orders, and everything that may go wrong on the way.

use super::messages::{ToMember, ToRoot};
use super::opening::{CLAIM_BYTES, Challenge, GREETING_BYTES, Key, Knock};
use super::*;
use crate::codec::{FRAME_MAX, Frames};
use crate::wire::{Entry, ToLauncher, ToPe};
use crate::{Boot, NodeMap};
use ferrite_fabric::Pe;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;

/// A limit that only ends hangs.
pub(super) const LONG: Duration = Duration::from_secs(120);

fn join(id: &UniqueId, rank: u32, size: u32, limit: Duration) -> Result<Member> {
    super::join(id, rank, size, limit, false)
}

/// All members of a job by a unique id, which come in the order of `order`.
pub(super) fn members_of(id: &UniqueId, order: &[u32]) -> Vec<Member> {
    members_that(id, order, false)
}

fn members_that(id: &UniqueId, order: &[u32], loss_returns: bool) -> Vec<Member> {
    let size = order.len() as u32;
    let mut members: Vec<Member> = thread::scope(|scope| {
        let coming: Vec<_> = order
            .iter()
            .map(|&rank| scope.spawn(move || super::join(id, rank, size, LONG, loss_returns).unwrap()))
            .collect();
        coming.into_iter().map(|member| member.join().unwrap()).collect()
    });
    members.sort_by_key(|member| member.me().0);
    members
}

fn job(size: u32) -> Vec<Member> {
    members_of(&draw_id(LONG).unwrap(), &(0..size).rev().collect::<Vec<_>>())
}

pub(super) fn leave(members: Vec<Member>) {
    thread::scope(|scope| {
        for member in &members {
            scope.spawn(|| member.leave().unwrap());
        }
    });
}

/// Receives the arguments of `on_end`.
fn watched(member: &Member) -> mpsc::Receiver<(Option<i32>, String)> {
    let (send, receive) = mpsc::channel();
    member.watch(Box::new(move |code, why| send.send((code, why.to_owned())).unwrap()));
    receive
}

fn door_of(id: &UniqueId) -> SocketAddr {
    *id.targets().last().unwrap()
}

#[test]
fn members_of_any_number_exchange_values_and_leave_together() {
    for size in [1, 2, 3, 8] {
        let members = job(size);
        thread::scope(|scope| {
            for member in &members {
                scope.spawn(move || {
                    assert_eq!((member.size(), member.nodes()), (size, &NodeMap::one(size)));
                    member.join().unwrap();
                    for turn in 0..3_u32 {
                        // The values of the last turn are too many to be sent unasked.
                        let mut value = vec![turn as u8; if turn == 2 { 20_000 } else { 10 }];
                        value[0] = member.me().0 as u8;
                        member.publish("turn", &value).unwrap();
                        member.exchange().unwrap();
                        for pe in (0..size).map(Pe) {
                            value[0] = pe.0 as u8;
                            assert_eq!(member.lookup(pe, "turn").unwrap(), value);
                        }
                        assert!(member.lookup(Pe(0), "nothing").unwrap_err().to_string().contains("PE 0"));
                        member.exchange().unwrap();
                    }
                });
            }
        });
        assert!(members.iter().all(|member| member.secret() == members[0].secret()));
        assert_ne!(job_of_one().secret(), members[0].secret());
        leave(members);
    }
}

fn job_of_one() -> Member {
    job(1).remove(0)
}

#[test]
fn an_id_is_used_once() {
    let id = draw_id(LONG).unwrap();
    leave(members_of(&id, &[0, 1]));
    let error = join(&id, 0, 2, LONG).err().unwrap().to_string();
    assert!(error.contains("used already") && error.contains("each start needs a new one"), "{error}");
    let error = join(&draw_id(LONG).unwrap(), 3, 3, LONG).err().unwrap().to_string();
    assert!(error.contains("PE 3 of 3"), "{error}");
}

#[test]
fn members_that_never_come_are_named_to_those_that_have() {
    let errors_within = |seconds| {
        let id = draw_id(Duration::from_secs(seconds)).unwrap();
        thread::scope(|scope| {
            let id = &id;
            let coming = [0, 3].map(|rank| scope.spawn(move || join(id, rank, 5, LONG).err().unwrap().to_string()));
            coming.map(|error| error.join().unwrap())
        })
    };
    // On a busy machine, the two that come may come late.
    within(&[1, 5, 20], |seconds| {
        let named = format!("PEs 1-2,4 of 5 did not come within {seconds} s");
        let errors = errors_within(seconds);
        errors.iter().all(|error| error.contains(&named)).then_some(()).ok_or(format!("{errors:?}"))
    });
}

/// The result of the first attempt that succeeds, of attempts with these limits in seconds.
pub(super) fn within<T>(limits: &[u64], attempt: impl Fn(u64) -> std::result::Result<T, String>) -> T {
    let mut failure = String::new();
    for &seconds in limits {
        match attempt(seconds) {
            Ok(done) => return done,
            Err(error) => failure = error,
        }
    }
    panic!("{failure}");
}

#[test]
fn a_root_that_never_listens_is_named() {
    let free = free_port();
    for meeting in
        [Meeting::Network { host: "127.0.0.1".into(), port: free }, Meeting::Local { host: "here".into(), port: free }]
    {
        let named = format!("{meeting} was not reached within 1 s");
        let limit = Duration::from_secs(1);
        let start = Start {
            rank: 1,
            size: 2,
            secret: Secret::of([5; 16]),
            meeting,
            limit,
            launcher: "test",
            loss_returns: false,
        };
        let error = Member::join(start).err().unwrap().to_string();
        assert!(error.contains(&named), "{error}");
    }
}

/// A port that no socket uses, and that the kernel gives to no other test: it is below those that the kernel chooses from.
fn free_port() -> u16 {
    static PICKED: AtomicU32 = AtomicU32::new(0);
    let mut candidates = std::iter::repeat_with(|| {
        let picked = PICKED.fetch_add(1, Ordering::Relaxed);
        20_000 + (std::process::id().wrapping_mul(61).wrapping_add(picked) % 6_000) as u16
    });
    candidates.find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).expect("a port is free")
}

/// Both members of a start whose number of a port, or of a name, is free.
fn at_port(local: bool, secrets: [u8; 2], limit: Duration) -> [Result<Member>; 2] {
    let port = free_port();
    thread::scope(|scope| {
        let meeting = || match local {
            true => Meeting::Local { host: "here".into(), port },
            false => Meeting::Network { host: "127.0.0.1".into(), port },
        };
        let both = [0, 1].map(|rank| {
            // Tests run at once in one process, which keeps one root for each secret.
            let secret = Secret::of([secrets[rank as usize]; 16]).child(&port.to_string());
            let meeting = meeting();
            let start = Start { rank, size: 2, secret, meeting, limit, launcher: "test", loss_returns: false };
            scope.spawn(|| Member::join(start))
        });
        both.map(|member| member.join().unwrap())
    })
}

#[test]
fn members_meet_at_a_port_or_at_a_local_name() {
    for local in [false, true] {
        leave(at_port(local, [1, 1], LONG).map(Result::unwrap).into());
    }
}

#[test]
fn a_member_with_another_secret_is_refused_and_told_so() {
    // On a busy machine, the other member may not reach the root in time.
    within(&[2, 20], |seconds| {
        let members = at_port(false, [1, 2], Duration::from_secs(seconds));
        let [root, other] = members.map(|member| member.err().unwrap().to_string());
        let is_told = root.contains("PE 1 of 2 did not come")
            && other.contains("FERRITE_SECRET")
            && other.contains(&format!("was not reached within {seconds} s"));
        is_told.then_some(()).ok_or(format!("{root} {other}"))
    });
}

/// The first messages of a member's connection to `door`, as somebody on the path records them.
fn recorded(door: SocketAddr, key: &Key) -> (Vec<u8>, TcpStream) {
    let mut socket = TcpStream::connect(door).unwrap();
    let knock = Knock::new().unwrap();
    socket.write_all(&knock.encode(key)).unwrap();
    let mut challenge = [0; GREETING_BYTES];
    socket.read_exact(&mut challenge).unwrap();
    let claim = knock.judge(&challenge, key).unwrap();
    socket.write_all(&claim).unwrap();
    ([&knock.encode(key)[..], &claim].concat(), socket)
}

#[test]
fn strangers_and_replays_are_turned_away_while_members_come() {
    let id = draw_id(LONG).unwrap();
    let (door, key) = (door_of(&id), Key::of(&id.secret()));
    let (replay, _member) = recorded(door, &key);
    thread::scope(|scope| {
        let first = scope.spawn(|| join(&id, 1, 2, LONG).unwrap());
        // More connections than the root keeps of strangers, all at once: silent ones, and ones that begin like a knock.
        let silent: Vec<TcpStream> = (0..300)
            .map(|number| {
                let mut socket = TcpStream::connect(door).unwrap();
                if number % 2 == 0 {
                    socket.write_all(b"ferriteJ").unwrap();
                }
                socket
            })
            .collect();
        for said in
            [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4096][..], &replay[..], &[&replay[..], &[1, 0, 0, 0, b'l']].concat()]
        {
            let mut socket = TcpStream::connect(door).unwrap();
            // The root may hang up in the middle.
            let _ = socket.write_all(said);
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let mut answer = Vec::new();
            let _ = socket.read_to_end(&mut answer);
            assert!(answer.len() <= GREETING_BYTES, "a stranger got {} bytes", answer.len());
        }
        let second = join(&id, 0, 2, LONG).unwrap();
        leave(vec![first.join().unwrap(), second]);
        drop(silent);
    });
}

#[test]
fn the_death_of_a_member_and_an_abort_end_the_job_on_all_others() {
    let mut members = job(4);
    let ends: Vec<_> = members.iter().map(watched).collect();
    drop(members.remove(2));
    for pe in [0, 1, 3] {
        let (code, why) = ends[pe].recv().unwrap();
        assert_eq!(code, None);
        assert!(why.contains("PE 2 (pid ") && why.contains("has ended without finalize"), "{why}");
    }
    assert!(ends[2].recv().is_err(), "a member that was dropped is told nothing");
    assert!(members[0].exchange().unwrap_err().to_string().contains("PE 2"));
    assert!(members[0].leave().unwrap_err().to_string().contains("PE 2"));

    let members = job(3);
    let ends: Vec<_> = members.iter().map(watched).collect();
    members[1].announce(7, "ferrite: so it ends");
    for pe in [0, 2] {
        assert_eq!(ends[pe].recv().unwrap(), (Some(7), "ferrite: so it ends".to_owned()));
    }
    assert!(ends[1].recv().is_err());
    // One that asks only now learns it as well.
    assert_eq!(watched(&members[0]).recv().unwrap().0, Some(7));
}

#[test]
fn a_death_ends_an_exchange() {
    let mut members = job(3);
    let dying = members.pop().unwrap();
    thread::scope(|scope| {
        let waiting: Vec<_> = members.iter().map(|member| scope.spawn(|| member.exchange())).collect();
        drop(dying);
        for wait in waiting {
            assert!(wait.join().unwrap().unwrap_err().to_string().contains("PE 2"));
        }
    });
}

/// Losses of a member, as they become known.
fn lost(member: &Member) -> mpsc::Receiver<(Option<Pe>, String)> {
    let (send, receive) = mpsc::channel();
    member.watch_losses(Box::new(move |pe, why| _ = send.send((pe, why.to_owned()))));
    receive
}

#[test]
fn losses_that_return_end_no_member() {
    let mut members = members_that(&draw_id(LONG).unwrap(), &[2, 0, 3, 1], true);
    let (ends, losses): (Vec<_>, Vec<_>) = members.iter().map(|member| (watched(member), lost(member))).unzip();
    assert!(members.iter().all(|member| member.loss_returns() && !member.has_lost()));
    thread::scope(|scope| {
        let dying = members.remove(2);
        let waiting: Vec<_> = members.iter().map(|member| scope.spawn(|| member.exchange())).collect();
        drop(dying);
        for wait in waiting {
            assert!(wait.join().unwrap().unwrap_err().to_string().starts_with("PE 2 (pid "));
        }
    });
    drop(members.pop());
    for pe in [0, 1] {
        for dead in [2, 3] {
            assert_eq!(losses[pe].recv().unwrap().0, Some(Pe(dead)));
        }
    }
    assert!(members.iter().all(|member| member.has_lost() && member.leave().is_err() && member.join().is_err()));
    // One that asks only now learns of both.
    assert_eq!(lost(&members[0]).iter().take(2).map(|(pe, _)| pe.unwrap().0).collect::<Vec<_>>(), [2, 3]);
    members[0].abandon();
    drop(members.remove(0));
    assert!(losses[1].recv_timeout(Duration::from_millis(100)).is_err(), "who abandons the job is not lost");
    members[0].abandon();
    // None was ended, and each has let its callback go.
    assert!(ends.iter().all(|end| end.recv().is_err()));
}

#[test]
fn the_last_member_to_abandon_a_job_does_not_lose_its_root() {
    for _ in 0..100 {
        let mut members = members_that(&draw_id(LONG).unwrap(), &[0, 1], true);
        let losses = lost(&members[0]);
        drop(members.pop());
        assert_eq!(losses.recv().unwrap().0, Some(Pe(1)));
        members[0].abandon();
        assert_eq!(losses.iter().count(), 0);
    }
}

#[test]
fn the_death_of_the_root_is_a_loss_that_returns() {
    for root_pe in [Some(5), None] {
        let welcome = ToMember::Welcome { nodes: NodeMap::one(1), round: [3; 32], root: "the root".into(), root_pe };
        let member = super::join(&mortal_root(Some(welcome)), 0, 1, LONG, true).unwrap();
        let (pe, why) = lost(&member).recv().unwrap();
        assert_eq!(pe, root_pe.map(Pe));
        assert!(why.contains("the root has ended without finalize") && member.exchange().is_err(), "{why}");
        member.abandon();
    }
}

/// A root that proves itself, hears one message, answers it with `answer`, and is gone.
fn mortal_root(answer: Option<ToMember>) -> UniqueId {
    root_until(mpsc::channel().1, answer.into_iter().collect())
}

/// A root that takes one connection, reads its knock, and serves it with the challenge that answers the knock.
pub(super) fn root_that(serve: impl FnOnce(TcpStream, &Challenge, &Key) + Send + 'static) -> UniqueId {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, secret) = (door.local_addr().unwrap().port(), Secret::of([6; 16]));
    thread::spawn(move || {
        let (mut socket, _) = door.accept().unwrap();
        let key = Key::of(&secret);
        let mut knock = [0; GREETING_BYTES];
        socket.read_exact(&mut knock).unwrap();
        serve(socket, &Challenge::to(&knock, &key).unwrap(), &key);
    });
    UniqueId::new(secret, port, vec![[127, 0, 0, 1].into()])
}

/// A root that proves itself, hears one message, sends `answers`, and hears nothing more. It is gone when the sender of `end` is.
fn root_until(end: mpsc::Receiver<()>, answers: Vec<ToMember>) -> UniqueId {
    root_that(move |mut socket, challenge, key| {
        socket.write_all(&challenge.encode(key)).unwrap();
        let mut claim = [0; CLAIM_BYTES];
        socket.read_exact(&mut claim).unwrap();
        assert!(challenge.accepts(&claim, key));
        let (mut frames, mut chunk) = (Frames::default(), [0; 1000]);
        loop {
            let count = socket.read(&mut chunk).unwrap();
            frames.push(&chunk[..count]);
            if let Some(body) = frames.next_body().unwrap() {
                assert!(matches!(ToRoot::parse(body).unwrap(), ToRoot::Here(_)));
                break;
            }
        }
        socket.write_all(&answers.iter().flat_map(ToMember::frame).collect::<Vec<u8>>()).unwrap();
        let _ = end.recv();
    })
}

#[test]
fn a_lookup_ends_within_its_limit_if_the_root_is_stopped() {
    let (alive, end) = mpsc::channel();
    let welcome = ToMember::Welcome { nodes: NodeMap::one(1), round: [3; 32], root: "PE 5".into(), root_pe: Some(5) };
    // The values are too many to be sent unasked.
    let released = ToMember::Job(ToPe::Released { entries: None });
    let member = join(&root_until(end, vec![welcome, released]), 0, 1, LONG).unwrap();
    member.exchange().unwrap();
    for _ in 0..2 {
        assert_eq!(member.lookup_within(Duration::from_millis(10), Pe(0), "key").unwrap(), None);
    }
    assert_eq!(member.root(), "PE 5");
    drop(alive);
    assert!(member.lookup_within(LONG, Pe(0), "key").unwrap_err().to_string().contains("PE 5 has ended"));
}

/// A root that proves itself and sends `answers`. It reads nothing more until `go_on` has something, then answers each lookup.
fn root_that_stops(go_on: mpsc::Receiver<()>, answers: Vec<ToMember>) -> UniqueId {
    root_that(move |mut socket, challenge, key| {
        socket.write_all(&challenge.encode(key)).unwrap();
        let mut claim = [0; CLAIM_BYTES];
        socket.read_exact(&mut claim).unwrap();
        socket.write_all(&answers.iter().flat_map(ToMember::frame).collect::<Vec<u8>>()).unwrap();
        go_on.recv().unwrap();
        let (mut frames, mut chunk) = (Frames::default(), vec![0; 1 << 20]);
        while let Ok(count @ 1..) = socket.read(&mut chunk) {
            frames.push(&chunk[..count]);
            while let Some(body) = frames.next_body().unwrap() {
                let entries = match ToRoot::parse(body) {
                    Ok(ToRoot::Job(ToLauncher::Lookup { pe, key })) => vec![Entry { pe, key, value: vec![7] }],
                    Ok(_) => continue,
                    // The key is too long.
                    Err(_) => Vec::new(),
                };
                let _ = socket.write_all(&ToMember::Job(ToPe::Found { entries }).frame());
            }
        }
    })
}

#[test]
fn a_lookup_ends_within_its_limit_if_the_root_reads_nothing() {
    let (go_on, stopped) = mpsc::channel();
    let welcome = ToMember::Welcome { nodes: NodeMap::one(1), round: [3; 32], root: "PE 5".into(), root_pe: Some(5) };
    let released = ToMember::Job(ToPe::Released { entries: None });
    let id = root_that_stops(stopped, vec![welcome, released]);
    let (done, result) = mpsc::channel();
    thread::spawn(move || {
        let member = join(&id, 0, 1, LONG).unwrap();
        member.exchange().unwrap();
        // More than the kernel keeps for a reader that does not read.
        for number in 0..64 {
            let key = format!("{number} {}", "x".repeat(FRAME_MAX / 2));
            assert_eq!(member.lookup_within(Duration::from_millis(1), Pe(0), &key).unwrap(), None);
        }
        go_on.send(()).unwrap();
        done.send(member.lookup_within(LONG, Pe(0), "last").unwrap()).unwrap();
    });
    assert_eq!(result.recv_timeout(LONG).expect("the lookups end"), Some(vec![7]));
}

#[test]
fn the_death_of_the_root_is_named_before_and_after_the_welcome() {
    let error = join(&mortal_root(None), 0, 1, LONG).err().unwrap().to_string();
    assert!(error.contains("the root at 127.0.0.1:") && error.contains("has ended"), "{error}");
    let root = "PE 5 (pid 6 on seven)".into();
    let welcome = ToMember::Welcome { nodes: NodeMap::one(1), round: [3; 32], root, root_pe: Some(5) };
    let member = join(&mortal_root(Some(welcome)), 0, 1, LONG).unwrap();
    let (code, why) = watched(&member).recv().unwrap();
    assert_eq!(code, None);
    assert!(why.contains("PE 5 (pid 6 on seven) has ended without finalize"), "{why}");
    assert!(member.join().is_err() && member.leave().is_err());
}

#[test]
fn roots_that_answer_nonsense_are_no_peers() {
    let welcome = ToMember::Welcome { nodes: NodeMap::one(9), round: [3; 32], root: String::new(), root_pe: None };
    let released = ToMember::Job(ToPe::Released { entries: None });
    for (answer, name) in [(welcome, "a welcome to a job of 9 PEs"), (released, "the end of an exchange")] {
        let error = join(&mortal_root(Some(answer)), 0, 1, LONG).err().unwrap().to_string();
        assert!(error.contains(&format!("the root answered PE 0 with {name}")), "{error}");
    }
}
