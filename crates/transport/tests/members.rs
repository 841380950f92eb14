//! Groups of processes, over each network that this build has: all operations, and the loss of a member. The test starts itself again for
//! each member.

use ferrite_transport::{Error, Get, Group, Id, Options, Over, Remote, SignalOp};
use std::{
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longer than any wait of a run that is not stuck.
const STUCK: Duration = Duration::from_secs(240);
/// Within this time the survivors have returned from their calls. A silent member is lost only after 60 s.
const NOTICED: Duration = Duration::from_secs(50);
const SIZE: u32 = 3;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["member", case, over, rank, id] = words[..] {
        let bytes: Vec<u8> =
            (0..Id::BYTES).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect();
        let id = Id::from_bytes(&bytes.try_into().unwrap()).unwrap();
        let group = Group::join(&id, rank.parse().unwrap(), SIZE, &Options::over(network(over))).unwrap();
        let (_, case) = CASES.iter().find(|(name, _)| *name == case).unwrap();
        return case(group);
    }
    let mut passed = 0;
    for over in networks() {
        for (case, _) in CASES {
            run(over, case);
            println!("test {case} over {over} ... ok");
            passed += 1;
        }
    }
    println!("\ntest result: ok. {passed} passed; 0 failed; 0 ignored");
}

type Case = fn(Group);

const CASES: [(&str, Case); 4] =
    [("operations", operations), ("contention", contention), ("memory_described_later", described), ("loss", loss)];

fn networks() -> Vec<&'static str> {
    let mut all = vec!["tcp"];
    for (word, is_built) in [("libfabric", cfg!(feature = "ofi")), ("ucx", cfg!(feature = "ucx"))] {
        if !is_built {
            println!("skipped: {word}: this test is built without it");
            continue;
        }
        let alone = Id::draw().and_then(|id| Group::join(&id, 0, 1, &Options::over(network(word)))?.leave());
        match alone {
            Ok(()) => all.push(word),
            Err(why) => println!("skipped: {word}: {why}"),
        }
    }
    all
}

fn network(word: &str) -> Over {
    match word {
        "libfabric" => Over::Libfabric { provider: Some("tcp".to_owned()) },
        "ucx" => Over::Ucx,
        _ => Over::Tcp,
    }
}

/// A case with three members as processes. In `loss` the last is killed.
fn run(over: &str, case: &str) {
    let id = Id::draw().unwrap();
    let hex: String = id.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let start = |rank: u32| {
        let mut member = Command::new(std::env::current_exe().unwrap());
        member.args(["member", case, over, &rank.to_string(), &hex]).stdin(Stdio::null()).spawn().unwrap()
    };
    let mut members: Vec<Child> = (0..SIZE).map(start).collect();
    let end = Instant::now() + STUCK;
    for (rank, member) in members.iter_mut().enumerate() {
        let status = ended(member, end);
        let is_victim = case == "loss" && rank == SIZE as usize - 1;
        assert_eq!(status.success(), !is_victim, "{case} over {over}: member {rank} ended by {status}");
    }
}

fn ended(member: &mut Child, end: Instant) -> ExitStatus {
    loop {
        if let Some(status) = member.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > end {
            member.kill().unwrap();
            return member.wait().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn operations(group: Group) {
    let (me, size) = (group.rank(), group.size());
    let right = (me + 1) % size;
    let (data, words) = (group.register(1 << 20).unwrap(), group.register(4096).unwrap());
    group.share("data", &data).unwrap();
    group.share("words", &words).unwrap();
    group.exchange().unwrap();
    let find = |rank, name: &str| group.find(rank, name).unwrap();
    assert!(matches!(group.find(right, "nothing"), Err(Error::Argument(_))));

    // Small and large, with a signal behind the data; the members on both sides do other things meanwhile.
    for (nth, len) in [1, 8, 1000, 300_000].into_iter().enumerate() {
        let bytes: Vec<u8> = (0..len).map(|at| (at as u32 * 7 + me) as u8).collect();
        let signal = (&find(right, "words"), 64);
        group.put_signal(&find(right, "data"), 16, &bytes, signal, SignalOp::Set, nth as u64 + 1).unwrap();
        group.wait(&words, 64, |value| value == nth as u64 + 1, Some(STUCK)).unwrap();
        let left = (me + size - 1) % size;
        let mut came = vec![0; len];
        data.read(16, &mut came);
        assert!(came.iter().enumerate().all(|(at, &byte)| byte == (at as u32 * 7 + left) as u8), "{len} bytes");
        group.exchange().unwrap();
    }

    // Reads of all members at once, this one included.
    data.write(500_000, &[me as u8 + 1; 64]);
    group.exchange().unwrap();
    let sources: Vec<Remote> = (0..size).map(|rank| find(rank, "data")).collect();
    let mut copies = vec![[0; 64]; size as usize];
    let gets = sources.iter().zip(&mut copies).map(|(from, into)| Get { from, offset: 500_000, into });
    group.get_many(&mut gets.collect::<Vec<_>>()).unwrap();
    for (rank, copy) in copies.iter().enumerate() {
        assert_eq!(copy, &[rank as u8 + 1; 64]);
    }

    // Words: each member has its own in the memory of member 0.
    let word = 8 * (me as usize + 1);
    let there = find(0, "words");
    assert_eq!(group.swap(&there, word, 0b1100).unwrap(), 0);
    assert_eq!(group.fetch_and(&there, word, 0b0110).unwrap(), 0b1100);
    assert_eq!(group.fetch_or(&there, word, 0b0001).unwrap(), 0b0100);
    assert_eq!(group.fetch_xor(&there, word, 0b0100).unwrap(), 0b0101);
    assert_eq!(group.compare_swap(&there, word, 7, 9).unwrap(), 1);
    assert_eq!(group.compare_swap(&there, word, 1, 9).unwrap(), 1);
    assert_eq!(group.fetch(&there, word).unwrap(), 9);

    // What is refused.
    let outside = group.put(&find(right, "words"), 4096, &[1]);
    assert!(matches!(outside, Err(Error::Argument(why)) if why.contains("not within the 4096 bytes")));
    assert!(matches!(group.fetch(&there, 4), Err(Error::Argument(why)) if why.contains("multiple of 8")));
    assert_eq!(group.wait(&words, 0, |value| value == 77, Some(Duration::from_millis(5))), Err(Error::TimedOut));
    group.leave().unwrap();
}

/// All members, with two threads each, add to one word: remote ones and the owner.
fn contention(group: Group) {
    const ROUNDS: u64 = 100;
    let words = group.register(64).unwrap();
    group.share("words", &words).unwrap();
    group.exchange().unwrap();
    let word = group.find(0, "words").unwrap();
    thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                for _ in 0..ROUNDS {
                    group.fetch_add(&word, 8, 1).unwrap();
                    if group.rank() == 0 {
                        words.fetch_add(8, 1);
                    }
                }
            });
        }
    });
    group.exchange().unwrap();
    assert_eq!(group.fetch(&word, 8).unwrap(), 2 * ROUNDS * (u64::from(SIZE) + 1));
    group.leave().unwrap();
}

/// Member 0 registers memory when the group exists already, and passes its description by a put.
fn described(group: Group) {
    let mailbox = group.register(4096).unwrap();
    group.share("mailbox", &mailbox).unwrap();
    group.exchange().unwrap();
    if group.rank() == 0 {
        let late = group.register(8192).unwrap();
        late.write(100, b"late");
        let bytes = late.remote().to_bytes();
        for rank in 1..group.size() {
            let to = group.find(rank, "mailbox").unwrap();
            group.put_signal(&to, 8, &bytes, (&to, 0), SignalOp::Set, bytes.len() as u64).unwrap();
        }
        late.store(0, 1);
        group.wait(&late, 8, |count| count == u64::from(SIZE) - 1, Some(STUCK)).unwrap();
    } else {
        let len = group.wait(&mailbox, 0, |len| len != 0, Some(STUCK)).unwrap();
        let mut bytes = vec![0; len as usize];
        mailbox.read(8, &mut bytes);
        let late = group.import(&bytes).unwrap();
        let mut text = [0; 4];
        group.get(&late, 100, &mut text).unwrap();
        assert_eq!(&text, b"late");
        group.fetch_add(&late, 8, 1).unwrap();
        assert!(group.import(&bytes[..5]).is_err());
    }
    group.leave().unwrap();
}

/// The last member dies while the others wait: for a word, and in operations.
fn loss(group: Group) {
    let words = group.register(4096).unwrap();
    group.share("words", &words).unwrap();
    group.exchange().unwrap();
    let victim = SIZE - 1;
    let there = group.find(victim, "words").unwrap();
    group.fetch_add(&there, 0, 1).unwrap();
    group.exchange().unwrap();
    let is_loss = |error| matches!(error, Some(Error::Lost { rank: Some(2), .. }));
    let begun = Instant::now();
    let noticed = match group.rank() {
        rank if rank == victim => {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
            return;
        }
        0 => group.wait(&words, 8, |value| value == 77, Some(STUCK)).map(drop),
        _ => loop {
            if let Err(error) = group.fetch_add(&there, 8, 1) {
                break Err(error);
            }
        },
    };
    let Err(Error::Lost { rank, why }) = noticed else { panic!("{noticed:?}") };
    assert!(begun.elapsed() < NOTICED, "{:?}", begun.elapsed());
    assert_eq!(rank, Some(victim), "{why}");
    assert!(why.contains("member 2 (pid ") && why.ends_with("has ended without leaving the group"), "{why}");
    // All calls refuse now, local memory stays readable, and a group starts anew.
    assert!(is_loss(group.exchange().err()) && is_loss(group.flush().err()));
    assert!(is_loss(group.lost()));
    assert_eq!(words.load(8), 0);
    drop(group);
    let again = Id::draw().and_then(|id| Group::join(&id, 0, 1, &Options::default())).unwrap();
    again.leave().unwrap();
}
