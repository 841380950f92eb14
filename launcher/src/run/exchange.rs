//! The exchange of values before memory is shared, for the PEs of one host and the agents below it. It also records which PEs have joined.
//! Pure: the input is a message, the output is the messages that follow from it.
//!
//! An exchange is a barrier over the tree of hosts. When all PEs of a host and all agents below it have arrived, the
//! host sends the published values and its own arrival to its parent; it passes the release down to its PEs and agents.
//!
//! A host caches the values that were looked up through it. The release of an exchange whose values are too many to
//! send makes the cache stale.

use super::agent_protocol::{Down, Up};
use ferrite_bootstrap::values::Values;
use ferrite_bootstrap::wire::{Entry, ToLauncher, ToPe, VERSION};
use ferrite_bootstrap::{NodeMap, Secret};
use ferrite_fabric::Pe;
use std::collections::{BTreeMap, HashMap};
use std::mem;

/// How many keys a PE may publish in one exchange.
pub const KEYS_MAX: usize = 4096;
/// How many bytes of published values go up in one message.
const PUBLISHED_MAX: usize = 256 << 10;

/// A PE's membership in the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// It has not joined, or it has left.
    #[default]
    Apart,
    /// It has joined, and owes the job a `Leave`.
    Joined,
}

#[derive(Default)]
struct Member {
    /// The process that sends its messages.
    speaker: Option<i32>,
    stage: Stage,
    /// It has arrived at the exchange, and waits for all others.
    waiting: bool,
    /// It has arrived at an exchange, and has not joined since.
    starting: bool,
}

/// The sender of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asker {
    Pe(Pe),
    Agent(usize),
}

/// A message to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outgoing {
    Pe(Pe, ToPe),
    /// To all PEs of this host.
    Pes(ToPe),
    /// To an agent below.
    Agent(usize, Down),
    /// To all agents below.
    Agents(Down),
    Up(Up),
}

/// One host's part of the exchange.
pub struct BootExchange {
    nodes: NodeMap,
    secret: Secret,
    members: BTreeMap<Pe, Member>,
    /// How many agents are below.
    agents: usize,
    /// Number of PEs and agents that have arrived, and the values that they have published.
    arrived: usize,
    published: Vec<Entry>,
    known: Values,
    open: HashMap<(Pe, String), Vec<Asker>>,
    /// The first PE that ended without owing a `Leave`, and how it ended.
    left: Option<(Pe, String)>,
}

impl BootExchange {
    /// For the PEs `pes` of this host, and `agents` agents below it.
    pub fn new(nodes: NodeMap, secret: Secret, pes: &[Pe], agents: usize) -> Self {
        BootExchange {
            nodes,
            secret,
            members: pes.iter().map(|&pe| (pe, Member::default())).collect(),
            agents,
            arrived: 0,
            published: Vec::new(),
            known: Values::default(),
            open: HashMap::new(),
            left: None,
        }
    }

    fn member(&mut self, pe: Pe) -> &mut Member {
        self.members.get_mut(&pe).expect("who speaks was started here")
    }

    /// A PE's membership in the job.
    pub fn stage(&self, pe: Pe) -> Stage {
        self.members[&pe].stage
    }

    /// Whether a PE has arrived at an exchange, and has not joined since.
    pub fn is_starting(&self, pe: Pe) -> bool {
        self.members[&pe].starting
    }

    /// Whether this holds for a PE of this host.
    pub fn is_any_starting(&self) -> bool {
        self.members.values().any(|member| member.starting)
    }

    /// The process that sends a PE's messages.
    pub fn speaker(&self, pe: Pe) -> Option<i32> {
        self.members[&pe].speaker
    }

    /// Handle a message that process `pid` of `pe` has sent. An error describes a protocol violation.
    pub fn on_pe_message(&mut self, pe: Pe, pid: i32, message: ToLauncher) -> Result<Vec<Outgoing>, String> {
        if let ToLauncher::Hello { version } = message {
            return self.on_hello(pe, pid, version).map(|answer| vec![Outgoing::Pe(pe, answer)]);
        }
        let member = self.member(pe);
        match member.speaker {
            None => return Err("its first message is not a greeting".into()),
            Some(speaker) if speaker != pid => {
                return Err(format!("process {pid} uses the connection of process {speaker}"));
            }
            Some(_) => {}
        }
        // A thread may look up a peer while another thread of the PE is in the exchange.
        let is_other = matches!(message, ToLauncher::Leave | ToLauncher::Abort { .. } | ToLauncher::Lookup { .. });
        if member.waiting && !is_other {
            return Err("it sends a request before the last one was answered".into());
        }
        match message {
            ToLauncher::Hello { .. } => unreachable!("handled above"),
            ToLauncher::Join => (member.stage, member.starting) = (Stage::Joined, false),
            ToLauncher::Leave => (member.stage, member.starting) = (Stage::Apart, false),
            ToLauncher::Abort { code, why } => {
                return Ok(vec![Outgoing::Up(Up::Fatal { code: code as u8, line: why, spared: Some(pe) })]);
            }
            ToLauncher::Lookup { pe: of, key } => return Ok(self.look_up(Asker::Pe(pe), of, key)),
            ToLauncher::Exchange { published } => {
                if published.len() > KEYS_MAX {
                    return Err(format!("it publishes more than {KEYS_MAX} keys"));
                }
                (member.waiting, member.starting) = (true, true);
                self.published.extend(published.into_iter().map(|(key, value)| entry(pe, key, value)));
                return Ok(self.arrive());
            }
        }
        Ok(Vec::new())
    }

    fn on_hello(&mut self, pe: Pe, pid: i32, version: u32) -> Result<ToPe, String> {
        let (nodes, secret) = (self.nodes.clone(), self.secret);
        let member = self.member(pe);
        match member.speaker {
            Some(other) if other != pid && (member.stage == Stage::Joined || member.waiting) => {
                return Err(format!("processes {other} and {pid} both are {pe}: a PE is one process at a time"));
            }
            _ if version != VERSION => {
                let why = format!(
                    "its library speaks version {version} of the launcher's protocol, this oshrun speaks {VERSION}: \
                     use the oshrun that was installed with the library"
                );
                return Ok(ToPe::Refused { why });
            }
            _ => member.speaker = Some(pid),
        }
        Ok(ToPe::Welcome { me: pe, nodes, secret })
    }

    /// Handle a message of an agent below. Messages that are not about the exchange are passed up.
    pub fn on_agent_message(&mut self, agent: usize, message: Up) -> Vec<Outgoing> {
        match message {
            Up::Published(entries) => {
                self.published.extend(entries);
                Vec::new()
            }
            Up::Arrived => self.arrive(),
            Up::Lookup { pe, key } => self.look_up(Asker::Agent(agent), pe, key),
            Up::PeLeft { pe, line } => self.left(pe, line),
            other => vec![Outgoing::Up(other)],
        }
    }

    /// A PE or an agent below has arrived at the exchange.
    fn arrive(&mut self) -> Vec<Outgoing> {
        self.arrived += 1;
        if self.arrived < self.members.len() + self.agents {
            return self.check_waiting();
        }
        let mut messages = Vec::new();
        let mut part = Vec::new();
        let mut bytes = 0;
        for entry in mem::take(&mut self.published) {
            bytes += entry.key.len() + entry.value.len() + 12;
            if bytes > PUBLISHED_MAX && !part.is_empty() {
                messages.push(Outgoing::Up(Up::Published(mem::take(&mut part))));
                bytes = 0;
            }
            part.push(entry);
        }
        if !part.is_empty() {
            messages.push(Outgoing::Up(Up::Published(part)));
        }
        messages.push(Outgoing::Up(Up::Arrived));
        messages.extend(self.check_waiting());
        messages
    }

    fn look_up(&mut self, asker: Asker, pe: Pe, key: String) -> Vec<Outgoing> {
        let page = self.known.page(pe, &key);
        if !page.is_empty() || !self.known.is_partial() {
            return vec![self.answer(asker, pe, &key, page)];
        }
        let askers = self.open.entry((pe, key.clone())).or_default();
        askers.push(asker);
        if askers.len() > 1 { Vec::new() } else { vec![Outgoing::Up(Up::Lookup { pe, key })] }
    }

    /// The answer to a lookup. The whole page stays in the cache of this host, for further lookups. A PE gets the values of its own host by
    /// the page, since it needs them all. Of other hosts it gets only the value that it asked for: it keeps what it gets, and talks to few.
    fn answer(&self, asker: Asker, pe: Pe, key: &str, mut entries: Vec<Entry>) -> Outgoing {
        match asker {
            Asker::Pe(to) => {
                if !self.members.contains_key(&pe) {
                    entries.truncate(1);
                }
                Outgoing::Pe(to, ToPe::Found { entries })
            }
            Asker::Agent(to) => Outgoing::Agent(to, Down::Found { pe, key: key.to_owned(), entries }),
        }
    }

    /// Handle a message of the parent that is about the exchange.
    pub fn on_parent_message(&mut self, message: Down) -> Vec<Outgoing> {
        match message {
            Down::Released(entries) => {
                self.members.values_mut().for_each(|member| member.waiting = false);
                self.arrived = 0;
                self.known.release(entries.clone());
                vec![Outgoing::Agents(Down::Released(entries.clone())), Outgoing::Pes(ToPe::Released { entries })]
            }
            Down::Found { pe, key, entries } => {
                self.known.release(Some(entries.clone()));
                let askers = self.open.remove(&(pe, key.clone())).unwrap_or_default();
                askers.into_iter().map(|asker| self.answer(asker, pe, &key, entries.clone())).collect()
            }
            Down::PeLeft { pe, line } => {
                self.left.get_or_insert((pe, line.clone()));
                let mut messages = vec![Outgoing::Agents(Down::PeLeft { pe, line })];
                messages.extend(self.check_waiting());
                messages
            }
            other => vec![Outgoing::Agents(other)],
        }
    }

    /// A PE has ended without owing a `Leave`. The first one is reported to the whole job, since others may wait for it.
    pub fn left(&mut self, pe: Pe, line: String) -> Vec<Outgoing> {
        if self.left.is_some() {
            return self.check_waiting();
        }
        self.left = Some((pe, line.clone()));
        let mut messages = vec![Outgoing::Up(Up::PeLeft { pe, line })];
        messages.extend(self.check_waiting());
        messages
    }

    /// End the job if a PE of this host waits for one that has ended.
    fn check_waiting(&self) -> Vec<Outgoing> {
        let waiting = self.members.iter().find(|(_, member)| member.waiting).map(|(pe, _)| *pe);
        let fatal = self.left.as_ref().zip(waiting).map(|((_, line), waiting)| {
            let line = format!("{line}, and {waiting} waits for it in init or finalize");
            Outgoing::Up(Up::Fatal { code: 1, line, spared: None })
        });
        fatal.into_iter().collect()
    }
}

/// The entry under which a value is stored. PMI has one key space for the whole job: its keys are stored as PE 0's.
fn entry(pe: Pe, key: String, value: Vec<u8>) -> Entry {
    let pe = if key.starts_with(super::pmi::PREFIX) { Pe(0) } else { pe };
    Entry { pe, key, value }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
