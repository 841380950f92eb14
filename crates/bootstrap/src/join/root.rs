//! The root of a start, as a state machine without sockets or clocks. `serve` feeds it with what proven connections say.
//!
//! ```text
//! Gathering --all have come--> Running --all have left-----------------> Over
//!     |                           |--a member aborts or is lost--------> Over
//!     |                           '--losses return, and no member is left-> Over
//!     '--the time limit has passed-------------------------------------> Over
//! ```
//!
//! While it gathers, a member whose connection ends is forgotten, so that a process that is started once more may take its place. From
//! `Running` on, a member whose connection ends before it has left is lost, and the job ends. If losses return in this job, the root
//! reports the loss to the others instead, and goes on until each of them has abandoned the job or is lost too. A root is used for one job
//! only.

use super::messages::{Here, ToMember, ToRoot};
use crate::host::Digest;
use crate::values::KeyValueStore;
use crate::wire::{self, Entry, ToLauncher, ToPe};
use crate::{NodeMap, Secret};
use ferrite_diagnose::report::named;
use ferrite_fabric::Pe;
use std::collections::HashMap;
use std::time::Duration;

/// A connection, by its number.
pub(super) type Line = u64;

/// A message, and the connection that it goes to.
pub(super) type Outgoing = (Line, ToMember);

/// Maximum number of members.
const SIZE_MAX: u32 = 1 << 20;

struct Member {
    line: Line,
    host: Digest,
    who: String,
    has_arrived: bool,
    has_left: bool,
    loss_returns: bool,
}

enum Stage {
    Gathering,
    Running,
    Over,
}

/// The root's knowledge of its job.
pub(super) struct Root {
    stage: Stage,
    /// The members by rank; `None` for those that have not come. Its length is the job's size once one has come.
    members: Vec<Option<Member>>,
    ranks: HashMap<Line, u32>,
    store: KeyValueStore,
    round: [u8; 32],
    /// The root's process, in words.
    who: String,
    /// A member was lost, in a job in which losses return: nothing completes any more.
    is_broken: bool,
}

impl Root {
    /// A root in the process `who`, which waits for members. `round` is drawn for each start.
    pub fn new(round: [u8; 32], who: String) -> Root {
        Root {
            stage: Stage::Gathering,
            members: Vec::new(),
            ranks: HashMap::new(),
            store: KeyValueStore::new(0),
            round,
            who,
            is_broken: false,
        }
    }

    /// Whether members may still come.
    pub fn is_gathering(&self) -> bool {
        matches!(self.stage, Stage::Gathering)
    }

    /// Whether the job is over. The messages that were returned are the last.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// A connection has sent a message.
    pub fn hear(&mut self, line: Line, message: ToRoot) -> Vec<Outgoing> {
        match (&self.stage, message, self.ranks.get(&line).copied()) {
            (Stage::Over, ..) => Vec::new(),
            (Stage::Gathering, ToRoot::Here(here), None) => self.admit(line, here),
            (Stage::Running, ToRoot::Here(here), None) => {
                let (rank, who) = (Pe(here.rank), here.who.clone());
                vec![refusal(
                    line,
                    format!(
                        "{rank} ({who}) came after the job had started with all its PEs: another process has its number"
                    ),
                )]
            }
            (Stage::Running, ToRoot::Job(message), Some(rank)) => self.serve(line, rank, message),
            (Stage::Running, ToRoot::Abandon, Some(rank)) if self.is_broken => {
                self.forget(line, rank);
                Vec::new()
            }
            // Any other message breaks the protocol.
            _ => self.lose(line),
        }
    }

    fn admit(&mut self, line: Line, here: Here) -> Vec<Outgoing> {
        let (rank, who) = (Pe(here.rank), here.who.clone());
        if here.version != wire::VERSION {
            return vec![refusal(line, format!("{rank} ({who}) has another version of the library"))];
        }
        if here.size == 0 || here.size > SIZE_MAX || here.rank >= here.size {
            return vec![refusal(
                line,
                format!("{rank} of {} ({who}) cannot be: ranks are 0 to size - 1, of at most {SIZE_MAX}", here.size),
            )];
        }
        if self.members.is_empty() {
            self.members.resize_with(here.size as usize, || None);
        }
        let size = self.members.len();
        if here.size as usize != size {
            return vec![refusal(
                line,
                format!("{rank} ({who}) says that the job has {} PEs, and others say {size}", here.size),
            )];
        }
        if let Some(other) = &self.members[here.rank as usize] {
            return vec![refusal(line, format!("{rank} has come twice: {}, then {who}", other.who))];
        }
        // Those that have come agree, so the first stands for all.
        let first = self.present().next();
        if let Some((pe, other)) = first.filter(|(_, member)| member.loss_returns != here.loss_returns) {
            let [mine, theirs] =
                [here.loss_returns, other.loss_returns].map(|it| if it { "return" } else { "end the job" });
            return vec![refusal(
                line,
                format!(
                    "{rank} ({who}) wants losses to {mine}, and {} wants them to {theirs}: all PEs must want the same \
                     (World::join_with, SHMEM_ON_LOSS)",
                    Pe(pe)
                ),
            )];
        }
        let Here { host, who, loss_returns, .. } = here;
        let member = Member { line, host, who, has_arrived: false, has_left: false, loss_returns };
        self.members[here.rank as usize] = Some(member);
        self.ranks.insert(line, here.rank);
        if self.ranks.len() < size {
            return Vec::new();
        }
        self.stage = Stage::Running;
        self.store = KeyValueStore::new(size as u32);
        let mut numbers = HashMap::new();
        let nodes = NodeMap::of(self.present().map(|(_, member)| {
            let next = numbers.len() as u32;
            *numbers.entry(member.host).or_insert(next)
        }));
        let root_pe = self.present().find(|(_, member)| member.who == self.who).map(|(rank, _)| rank);
        let root = match root_pe {
            Some(rank) => format!("{} ({})", Pe(rank), self.who),
            None => format!("the process with the root ({})", self.who),
        };
        self.to_all(&ToMember::Welcome { nodes, round: self.round, root, root_pe })
    }

    fn serve(&mut self, line: Line, rank: u32, message: ToLauncher) -> Vec<Outgoing> {
        let Some(member) = self.members[rank as usize].as_mut().filter(|member| !member.has_left) else {
            return Vec::new();
        };
        match message {
            ToLauncher::Join => Vec::new(),
            ToLauncher::Exchange { published } => {
                member.has_arrived = true;
                let published = published.into_iter().map(|(key, value)| Entry { pe: Pe(rank), key, value });
                if let Err(why) = self.store.publish(published.collect()) {
                    return self.end(line, None, format!("ferrite: the job ends: {why}"));
                }
                let all = !self.is_broken && self.present().all(|(_, member)| member.has_arrived);
                if all { self.release() } else { Vec::new() }
            }
            ToLauncher::Lookup { pe, key } => {
                let (host, mut entries) = (member.host, self.store.page(pe, &key));
                // A member needs the values of all members of its host, and of few others.
                let other = self.members.get(pe.0 as usize).and_then(Option::as_ref);
                if other.is_none_or(|other| other.host != host) {
                    entries.truncate(1);
                }
                vec![(line, ToMember::Job(ToPe::Found { entries }))]
            }
            ToLauncher::Leave => {
                member.has_left = true;
                if self.is_broken || !self.present().all(|(_, member)| member.has_left) {
                    return Vec::new();
                }
                self.stage = Stage::Over;
                self.to_all(&ToMember::Parted)
            }
            ToLauncher::Abort { code, why } => self.end(line, Some(code), why),
            ToLauncher::Hello { .. } => self.lose(line),
        }
    }

    fn release(&mut self) -> Vec<Outgoing> {
        self.members.iter_mut().flatten().for_each(|member| member.has_arrived = false);
        let entries = self.store.release();
        self.to_all(&ToMember::Job(ToPe::Released { entries }))
    }

    /// A connection has ended, or broken the protocol.
    pub fn lose(&mut self, line: Line) -> Vec<Outgoing> {
        let Some(&rank) = self.ranks.get(&line) else { return Vec::new() };
        match &self.stage {
            Stage::Gathering => {
                self.ranks.remove(&line);
                self.members[rank as usize] = None;
                Vec::new()
            }
            Stage::Running => match &self.members[rank as usize] {
                Some(member) if member.loss_returns => {
                    let why = format!("{} ({}) has ended without finalize", Pe(rank), member.who);
                    self.forget(line, rank);
                    self.is_broken = true;
                    self.to_all(&ToMember::Lost { pe: rank, why })
                }
                Some(member) if !member.has_left => {
                    let why = format!("ferrite: {} ({}) has ended without finalize", Pe(rank), member.who);
                    self.end(line, None, why)
                }
                _ => Vec::new(),
            },
            Stage::Over => Vec::new(),
        }
    }

    /// This member has no more to do with the job. The last one ends it.
    fn forget(&mut self, line: Line, rank: u32) {
        self.ranks.remove(&line);
        self.members[rank as usize] = None;
        if self.ranks.is_empty() {
            self.stage = Stage::Over;
        }
    }

    /// The time limit of gathering has passed: name those that have not come to those that have.
    pub fn expire(&mut self, limit: Duration) -> Vec<Outgoing> {
        let absent = self.members.iter().zip(0..).filter(|(member, _)| member.is_none()).map(|(_, rank)| rank);
        let (absent, size) = (named(&absent.collect::<Vec<_>>()), self.members.len());
        self.stage = Stage::Over;
        let come = self.ranks.len();
        let why = format!("{absent} of {size} did not come within {} s of the first; {come} did", limit.as_secs_f64());
        self.to_all(&ToMember::Job(ToPe::Refused { why }))
    }

    /// The root cannot go on.
    pub fn fail(&mut self, why: &str) -> Vec<Outgoing> {
        let message = match self.stage {
            Stage::Gathering => ToMember::Job(ToPe::Refused { why: why.to_owned() }),
            Stage::Running => ToMember::Over { code: None, why: format!("ferrite: {why}") },
            Stage::Over => return Vec::new(),
        };
        self.stage = Stage::Over;
        self.to_all(&message)
    }

    /// End the job. The connection that caused the end comes last: if its process aborts, it ends as soon as it has this message, and the
    /// root may be in it.
    fn end(&mut self, last: Line, code: Option<i32>, why: String) -> Vec<Outgoing> {
        self.stage = Stage::Over;
        let mut out = self.to_all(&ToMember::Over { code, why });
        out.sort_by_key(|&(line, _)| line == last);
        out
    }

    fn present(&self) -> impl Iterator<Item = (u32, &Member)> {
        (0..).zip(&self.members).filter_map(|(rank, member)| Some((rank, member.as_ref()?)))
    }

    fn to_all(&self, message: &ToMember) -> Vec<Outgoing> {
        self.present().map(|(_, member)| (member.line, message.clone())).collect()
    }
}

fn refusal(line: Line, why: String) -> Outgoing {
    (line, ToMember::Job(ToPe::Refused { why }))
}

/// The job's secret, derived from the secret of its start and the number that its root has drawn for the job.
pub(super) fn job_secret(start: &Secret, round: &[u8; 32]) -> Secret {
    let round: String = round.iter().map(|byte| format!("{byte:02x}")).collect();
    start.child(&format!("the job of round {round}"))
}

#[cfg(test)]
#[path = "root_tests.rs"]
mod tests;
