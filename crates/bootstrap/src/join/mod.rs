//! A start without a launcher: processes that were started by anything join one job.
//!
//! One process has the *root* of the start: the one that draws the [`UniqueId`], or the one with rank 0 of a start by environment. The root
//! is a thread of that process and listens on one socket. Every member, the root's own process included, connects to it, proves the secret
//! of the start, and says its rank, the number of PEs, and its host. When all have come, the root tells all members which PEs share a host.
//! From then on it is what a launcher is to PEs: it passes the values that they publish, and it ends the job when one of them dies or asks
//! for it. A job ends when all members have left; so does its root. Another start needs another root, whatever its members.
//!
//! The contract, to which `tests` and the tests of `root` and `opening` hold it:
//!
//! - Nothing that a connection sends is interpreted before it has proven that it has the secret, and nothing that the root sends before the
//!   root has. Neither secret nor anything that reveals it crosses the network.
//! - Root and members may start in any order. If a member does not come within the limit, its name is reported to all that have come. If a
//!   root does not listen within the limit, its address and the last reason are reported to the member.
//! - A process that dies while others gather may be started again. After that the death of a member that has not left ends the job on all
//!   other members at once: the kernel closes its connection, and the root tells the others who it was. So does the death of the root's
//!   process, and an abort. If all members wanted losses to return, a death ends no other member: the root reports it to
//!   the others, whose calls then fail. They can only abandon the job. After an abort the job ends on all members nevertheless.
//! - A member is not lost because it is stopped or busy: the kernel answers for it. A host that has gone silent is, after `SILENCE`.
//! - Members leave together: [`Boot::leave`](crate::Boot::leave) returns when all have called it. So a connection that ends earlier is
//!   always a loss. No descriptor and no thread of a job outlives it.
//!
//! What is sent after the opening is neither sealed nor signed: like the TCP transport without sealing, it trusts that packets are not changed
//! on their path. The secret of the job is derived at both ends and is not sent.

mod held;
#[cfg(test)]
mod hostile_tests;
mod id;
mod member;
mod messages;
mod opening;
mod reach;
mod root;
mod sending;
mod serve;
#[cfg(test)]
mod tests;
mod variables;

pub use id::UniqueId;
pub use member::Member;
pub(crate) use variables::{loss_returns as returns_losses, read as from_environment};

use crate::Secret;
use ferrite_fabric::{Error, Result};
use ferrite_os::mutex;
use reach::Meeting;
use rustix::event::Timespec;
use rustix::net::sockopt;
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After this time without a sign of life from the other host's kernel, a connection has ended.
const SILENCE: Duration = Duration::from_secs(60);

/// The time limit within which all members must have come, unless the user says otherwise.
pub const LIMIT: Duration = Duration::from_secs(300);

/// Everything that a member needs to take part in one start. The library can be initialised again by the same values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Start {
    rank: u32,
    size: u32,
    secret: Secret,
    meeting: Meeting,
    limit: Duration,
    /// The name of the starter, for messages.
    launcher: &'static str,
    /// A loss of another member does not end this one.
    loss_returns: bool,
}

impl Start {
    /// Take part. PE 0 of a start by environment starts the root.
    pub fn join(self) -> Result<Member> {
        Member::join(self)
    }
}

/// A root of this process.
struct Kept {
    secret: Secret,
    thread: JoinHandle<()>,
    /// A child of fork has a copy of this entry, but not the thread.
    process: u32,
}

impl Kept {
    fn is_of(&self, secret: &Secret) -> bool {
        self.secret == *secret && self.process == std::process::id()
    }
}

/// The roots of this process whose jobs are not over.
static ROOTS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// The time limit that the environment sets, or [`LIMIT`].
pub fn limit() -> Result<Duration> {
    variables::limit(&crate::detect::variable)
}

/// Whether the environment wants losses to return.
pub fn loss_returns() -> Result<bool> {
    variables::loss_returns(&crate::detect::variable)
}

/// Draw a unique id, and start its root in this process. All members must have come within `limit` of the first.
///
/// The root listens on all interfaces until they have, since their hosts are not known. It ends with its job: an id is used once.
pub fn draw_id(limit: Duration) -> Result<UniqueId> {
    let failed = |error| Error::because("listening for the members of a unique id", error);
    let door = reach::listen_everywhere(0).map_err(failed)?;
    let port = door.local_addr().map_err(failed)?.port();
    let secret = Secret::draw()?;
    keep(secret, serve::start(serve::Door::Network(door.into()), &secret, limit)?);
    Ok(UniqueId::new(secret, port, id::addresses()))
}

/// Take part as PE `rank` of `size` in the start that `id` identifies, under the same `limit` for the root to be reached. `loss_returns`: the
/// loss of another member does not end this one; the same for all.
pub fn join(id: &UniqueId, rank: u32, size: u32, limit: Duration, loss_returns: bool) -> Result<Member> {
    join_by("a unique id", id, rank, size, limit, loss_returns)
}

/// As [`join`], for a `launcher` that has passed the id.
pub(crate) fn join_by(
    launcher: &'static str,
    id: &UniqueId,
    rank: u32,
    size: u32,
    limit: Duration,
    loss_returns: bool,
) -> Result<Member> {
    let meeting = Meeting::Drawn(id.targets());
    Member::join(Start { rank, size, secret: id.secret(), meeting, limit, launcher, loss_returns })
}

/// Keep a root's thread until its job is over. Those of jobs that are over are forgotten.
fn keep(secret: Secret, thread: JoinHandle<()>) {
    let process = std::process::id();
    let mut roots = mutex::lock(&ROOTS);
    let (here, of_parents): (Vec<Kept>, Vec<Kept>) = roots.drain(..).partition(|root| root.process == process);
    // The parent's threads are not to be waited for, nor detached.
    of_parents.into_iter().for_each(std::mem::forget);
    roots.extend(here.into_iter().filter(|root| !root.thread.is_finished()));
    roots.push(Kept { secret, thread, process });
}

/// If the root of this start is in this process, wait until its thread has ended. Its job is over, so this takes no longer than the last
/// messages do.
fn await_root(secret: &Secret) {
    let found = {
        let mut roots = mutex::lock(&ROOTS);
        let at = roots.iter().position(|root| root.is_of(secret));
        at.map(|at| roots.swap_remove(at))
    };
    if let Some(root) = found {
        let _ = root.thread.join();
    }
}

/// Whether the root of this start is in this process.
fn is_root_here(secret: &Secret) -> bool {
    mutex::lock(&ROOTS).iter().any(|root| root.is_of(secret) && !root.thread.is_finished())
}

/// Have the kernel end the connection if the other host is silent for [`SILENCE`]. A Unix socket needs nothing of this.
fn end_if_silent(socket: impl AsFd) -> rustix::io::Result<()> {
    const PROBES: u32 = 4;
    sockopt::set_socket_keepalive(&socket, true)?;
    sockopt::set_tcp_keepidle(&socket, SILENCE / PROBES)?;
    sockopt::set_tcp_keepintvl(&socket, SILENCE / PROBES)?;
    sockopt::set_tcp_keepcnt(&socket, PROBES - 1)?;
    sockopt::set_tcp_user_timeout(&socket, SILENCE.as_millis() as u32)?;
    sockopt::set_tcp_nodelay(&socket, true)
}

/// Time that is left until `end`, unless it has passed.
fn left(end: Instant) -> Option<Duration> {
    end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

/// The time, as the kernel takes it.
fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() }
}
