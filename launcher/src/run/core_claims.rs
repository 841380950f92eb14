//! Claims of cpus: which cpus the jobs of this host have bound their PEs to. As long as cores are free, each job takes cores of its own.
//!
//! A cpu is claimed by a name: an abstract socket that is bound to the name and never used. The kernel gives a name to one process at a
//! time, and frees it when that process ends, however it ends. So there is nothing to clean up, and no claim can be stale.
//!
//! Names belong to a network namespace. Jobs in containers that share cpus but no network do not see each other; there the waiting loop of
//! the PEs notices that a core is shared. A process of another user may claim cpus that it does not use: then PEs share cores, or are not
//! bound, without need. It cannot make another user's job wait, because a job waits for its turn to claim only within its user.

use ferrite_os::unix_peer;
use ferrite_topology::CpuSet;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with};
use rustix::process::geteuid;
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The name of the turn to claim. The user's number is appended.
const TURN: &str = "ferrite.cpus";
/// How long to wait for the turn. A job holds it only for a moment. If another job of the user does not release it, this job goes on
/// without it.
const PATIENCE: Duration = Duration::from_millis(500);
const LOOK_AGAIN: Duration = Duration::from_millis(1);
/// Number of looks at a holder that does not show its user. A job of this user does so in its next system call.
const LOOKS_AT_STRANGER: u32 = 200;

/// This job's turn to claim. Without turns, jobs that claim at the same time would each take a part of the cpus that both want, and find
/// the rest taken.
#[derive(Debug)]
pub struct Turn(#[cfg_attr(not(test), expect(dead_code, reason = "kept open"))] Option<OwnedFd>);

impl Turn {
    /// Wait for the turn for a short time, and only while a process of this user holds it.
    pub fn wait() -> Turn {
        Turn::wait_for(&format!("{TURN}.{}", geteuid().as_raw()), geteuid().as_raw(), PATIENCE)
    }

    fn wait_for(name: &str, user: u32, patience: Duration) -> Turn {
        let (begin, mut looks) = (Instant::now(), 0);
        loop {
            match claim(name, SocketType::STREAM) {
                // A listening socket shows its user to all who connect.
                Claim::Ours(socket) => return Turn(listen(&socket, i32::MAX).is_ok().then_some(socket)),
                Claim::Impossible => return Turn(None),
                Claim::Taken => {}
            }
            let is_own = match holder(name) {
                Some(holder) => holder == user,
                None => {
                    looks += 1;
                    looks < LOOKS_AT_STRANGER
                }
            };
            if !is_own || begin.elapsed() >= patience {
                return Turn(None);
            }
            sleep(LOOK_AGAIN);
        }
    }
}

/// The user whose process holds a turn, if its socket listens.
fn holder(name: &str) -> Option<u32> {
    let name = SocketAddrUnix::new_abstract_name(name.as_bytes()).ok()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    connect(&socket, &name).ok()?;
    Some(unix_peer::user(&socket).ok()?.as_raw())
}

/// Claims of this process. They last as long as the descriptors are open.
#[derive(Debug)]
pub struct CoreClaims(#[expect(dead_code, reason = "kept open")] Vec<OwnedFd>);

impl CoreClaims {
    /// Claim all of these cpus or none. The error is the set of cpus that others have claimed.
    pub fn claim(cpus: &CpuSet) -> Result<CoreClaims, CpuSet> {
        let (mut claims, mut taken) = (Vec::new(), CpuSet::default());
        for cpu in cpus.iter() {
            match claim(&format!("ferrite.cpu.{cpu}"), SocketType::DGRAM) {
                Claim::Ours(socket) => claims.push(socket),
                Claim::Impossible => {}
                Claim::Taken => taken.insert(cpu),
            }
        }
        if taken.is_empty() { Ok(CoreClaims(claims)) } else { Err(taken) }
    }

    /// Keep the claims until this process and its forked copy have ended.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

/// The result of claiming a name.
enum Claim {
    Ours(OwnedFd),
    Taken,
    /// The name cannot be claimed, for example because no descriptor is left or sockets are forbidden. It counts as free.
    Impossible,
}

/// Bind a socket to a name.
fn claim(name: &str, kind: SocketType) -> Claim {
    let name = SocketAddrUnix::new_abstract_name(name.as_bytes());
    let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
    let (Ok(socket), Ok(name)) = (socket, name) else { return Claim::Impossible };
    match bind(&socket, &name) {
        Ok(()) => Claim::Ours(socket),
        Err(rustix::io::Errno::ADDRINUSE) => Claim::Taken,
        Err(_) => Claim::Impossible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENEROUS: Duration = Duration::from_secs(60);

    fn cpus(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    /// Move to a network namespace of the test's own, if one can be made: names belong to one, and another run of these tests may be under
    /// way on this machine.
    fn in_own_network() {
        // SAFETY: no code relies on this thread's network.
        let _ = unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) };
    }

    /// Claim cpus that were just released. It may take a while: another test of this process may be starting a program, which keeps this
    /// process's descriptors open until it executes.
    fn claim_soon(list: &str) -> CoreClaims {
        let begin = Instant::now();
        loop {
            match CoreClaims::claim(&cpus(list)) {
                Ok(claims) => return claims,
                Err(taken) => assert!(begin.elapsed() < GENEROUS, "{taken} is not let go"),
            }
            sleep(LOOK_AGAIN);
        }
    }

    #[test]
    fn a_cpu_is_one_jobs_until_that_ends() {
        in_own_network();
        // Hardly any machine has cpus with these numbers.
        let first = CoreClaims::claim(&cpus("65000-65001")).unwrap();
        assert_eq!(CoreClaims::claim(&cpus("65001-65003")).unwrap_err(), cpus("65001"));
        let other = claim_soon("65002-65003");
        drop(first);
        drop(claim_soon("65000-65001"));
        assert_eq!(CoreClaims::claim(&cpus("65002-65004")).unwrap_err(), cpus("65002-65003"));
        drop(other);
        claim_soon("65000-65003");
    }

    /// A holder that does not release the turn: one whose socket shows another user, and one that does not listen.
    #[test]
    fn a_turn_that_another_user_holds_is_not_waited_for() {
        in_own_network();
        let (own, name) = (geteuid().as_raw(), "ferrite.cpus.of-another-user");
        let Claim::Ours(held) = claim(name, SocketType::STREAM) else { panic!("the name is free") };
        let is_given_up_by = |user| {
            let begin = Instant::now();
            Turn::wait_for(name, user, GENEROUS).0.is_none() && begin.elapsed() < GENEROUS
        };
        assert!(is_given_up_by(own), "it does not listen");
        listen(&held, 1).unwrap();
        assert_eq!(holder(name), Some(own));
        assert!(is_given_up_by(own + 1), "to another user it is a stranger's");
        while holder(name).is_some() {}
        assert!(is_given_up_by(own), "it takes nobody in any more");
    }

    #[test]
    fn a_turn_that_the_user_holds_is_waited_for() {
        in_own_network();
        let (own, name) = (geteuid().as_raw(), "ferrite.cpus.of-this-user");
        let held = Turn::wait_for(name, own, GENEROUS);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Turn::wait_for(name, own, GENEROUS).0.is_some());
            // The waiting job has checked the owner first.
            while !holder_was_asked(held.0.as_ref().unwrap()) {
                sleep(LOOK_AGAIN);
            }
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }

    fn holder_was_asked(listener: &OwnedFd) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&now)) == Ok(1)
    }

    #[test]
    fn of_those_that_claim_at_once_one_gets_all() {
        in_own_network();
        let start = std::sync::Barrier::new(3);
        for round in 0..300 {
            // Each round has cpus of its own: the cpus of the last round may still be claimed, see above.
            let first = 50_000 + 4 * round;
            let cpus = cpus(&format!("{first}-{}", first + 3));
            let claim = || {
                start.wait();
                let turn = Turn::wait_for("ferrite.cpus.of-a-test", geteuid().as_raw(), GENEROUS);
                let claims = CoreClaims::claim(&cpus);
                drop(turn);
                // No job releases its claims before all have tried.
                start.wait();
                claims.is_ok()
            };
            let got = std::thread::scope(|scope| [0; 3].map(|_| scope.spawn(claim)).map(|one| one.join().unwrap()));
            assert_eq!(got.iter().filter(|&&got| got).count(), 1, "round {round}");
        }
    }
}
