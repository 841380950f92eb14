//! A PE that executes its arguments one after another. A word with a prefix such as `2@` is executed by PE 2 alone.
//!
//! | word | does |
//! |---|---|
//! | `join`, `leave`, `exchange` | calls that method of `Boot` |
//! | `show` | prints its number and the values that all PEs have published |
//! | `print=TEXT` | prints a line |
//! | `address` | prints the addresses of a function of this program and of one of libc |
//! | `abort=CODE,WHY` | ends the job |
//! | `exit=CODE` | ends, with atexit handlers and all |
//! | `raise=NUMBER` | sends itself a signal |
//! | `hang`, `deaf` | sleeps for ever; the second ignores SIGTERM |
//! | `garbage` | writes invalid bytes to the launcher |
//! | `start=COMMAND` | runs a shell command and waits for it |
//! | `fork` | starts a child that sleeps, in a session of its own, and leaves it behind |
//! | `library` | as the first word: starts the library, puts to the next PE, and ends. Other words are ignored |
//! | `multiply` | has it and its children fork, each into a session of its own, until the system refuses; the children go on |

use ferrite_bootstrap::{Boot, detect};
use ferrite_fabric::Pe;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("library") {
        return use_library();
    }
    let boot = detect().unwrap_or_else(|error| {
        eprintln!("pe: {error}");
        std::process::abort();
    });
    for word in std::env::args().skip(1) {
        match word.split_once('@') {
            Some((pe, word)) if pe.parse() == Ok(boot.me().0) => act(&boot, word),
            Some((pe, _)) if pe.parse::<u32>().is_ok() => {}
            _ => act(&boot, &word),
        }
    }
}

fn use_library() {
    let world = ferrite::init();
    let word = world.alloc_box::<u64>().expect("room for a word");
    world.put(&word, u64::from(world.my_pe()), (world.my_pe() + 1) % world.n_pes());
    ferrite::Group::barrier(&world);
}

fn act(boot: &Arc<dyn Boot>, word: &str) {
    let (verb, object) = word.split_once('=').unwrap_or((word, ""));
    let number = || object.parse::<i32>().expect("a number");
    match verb {
        "join" => boot.join().unwrap(),
        "leave" => boot.leave().unwrap(),
        "exchange" => {
            boot.publish("value", format!("{}*{}", boot.me().0, object).as_bytes()).unwrap();
            if let Err(error) = boot.exchange() {
                boot.announce(1, &error.to_string());
                end(1);
            }
        }
        "show" => {
            let all: Vec<_> = (0..boot.size()).map(|pe| boot.lookup(Pe(pe), "value").unwrap()).collect();
            let all: Vec<_> = all.iter().map(|value| String::from_utf8_lossy(value)).collect();
            let launcher = boot.launcher();
            println!("{} of {} by {launcher}, {} here: {}", boot.me(), boot.size(), boot.local().len(), all.join(" "));
        }
        "address" => println!("{:p} {:p}", act as *const (), libc::getpid as *const ()),
        "print" => println!("{object}"),
        "abort" => {
            let (code, why) = object.split_once(',').unwrap();
            std::io::stdout().flush().unwrap();
            {
                let code = code.parse().unwrap();
                boot.announce(code, why);
                end(code)
            }
        }
        "exit" => end(number()),
        "raise" => {
            // Rust's handler for SIGSEGV would look for a stack overflow and return.
            // SAFETY: restoring the default installs no code; a signal to oneself has no precondition.
            unsafe {
                libc::signal(number(), libc::SIG_DFL);
                libc::raise(number())
            };
        }
        "hang" => hang(),
        "deaf" => {
            // SAFETY: ignoring a signal installs no code.
            unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
            hang()
        }
        "garbage" => garbage(object),
        "start" => assert!(std::process::Command::new("sh").args(["-c", object]).status().unwrap().success()),
        "fork" => fork(),
        "multiply" => multiply(),
        other => panic!("no such word: {other}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "a program of its own, which ends itself")]
fn end(code: i32) -> ! {
    std::process::exit(code)
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

/// Find the launcher's socket as an attacker would, and write invalid bytes to it.
fn garbage(kind: &str) {
    let bytes: Vec<u8> = match kind {
        "http" => b"GET / HTTP/1.0\r\n\r\n".to_vec(),
        "huge" => u32::MAX.to_le_bytes().to_vec(),
        "body" => [&5_u32.to_le_bytes()[..], b"x\xff\xff\xff\xff"].concat(),
        "flood" => [&1_u32.to_le_bytes()[..], b"j"].concat().repeat(100_000),
        other => panic!("no such garbage: {other}"),
    };
    let socket = std::fs::read_dir("/proc/self/fd").unwrap().flatten().find_map(|fd| {
        let target = std::fs::read_link(fd.path()).ok()?;
        let number: i32 = fd.file_name().to_str()?.parse().ok()?;
        (number > 2 && target.to_str()?.starts_with("socket:")).then_some(number)
    });
    // SAFETY: the bytes live across the call; the descriptor was open a moment ago, and a closed one is refused.
    let sent = unsafe { libc::send(socket.expect("a socket"), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
    assert_eq!(sent, bytes.len() as isize);
    hang()
}

fn fork() {
    // SAFETY: this program has one thread.
    if unsafe { libc::fork() } == 0 {
        // SAFETY: no precondition.
        unsafe { libc::setsid() };
        hang()
    }
}

/// Fork until the system refuses. The children end by themselves after a time, if nothing else ends them.
fn multiply() {
    let begin = Instant::now();
    loop {
        // SAFETY: this program has one thread, and its children make only system calls.
        match unsafe { libc::fork() } {
            0 => break,
            -1 => return,
            _ => {}
        }
    }
    let mut is_new = true;
    while begin.elapsed() < Duration::from_secs(600) {
        if is_new {
            // SAFETY: no precondition.
            unsafe { libc::setsid() };
        }
        // SAFETY: as above.
        is_new = unsafe { libc::fork() } == 0;
    }
    end(0)
}
