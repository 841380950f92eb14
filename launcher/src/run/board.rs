//! What the PEs of one host, and the agents below it, say to each other before memory is shared; and where each PE
//! stands. Pure: messages in, messages out.
//!
//! An exchange is a barrier over the tree: a board reports upwards once all of its PEs and all agents below have come,
//! with what they said, and passes the release down. A value that is asked for is kept, and the next who asks for it
//! is answered here; the release of a turn too large to travel makes what is kept stale.

use super::agent_protocol::{Down, Up};
use super::archive::Values;
use ferrite_bootstrap::NodeMap;
use ferrite_bootstrap::wire::{Entry, ToLauncher, ToPe, VERSION};
use ferrite_fabric::Pe;
use std::collections::{BTreeMap, HashMap};
use std::mem;

/// How many keys a PE may publish in one turn.
const KEYS_MAX: usize = 4096;
/// How much of what was said goes up in one message, in bytes.
const SAID_MAX: usize = 256 << 10;

/// Where a PE stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// It has not spoken, or its program has left.
    #[default]
    Apart,
    /// It owes the job a `Leave`.
    Joined,
}

#[derive(Default)]
struct Member {
    /// The process that speaks for it.
    speaker: Option<i32>,
    stage: Stage,
    /// It waits for all others; what it said is seen when they have come.
    waiting: bool,
}

/// Who has asked for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asker {
    Pe(Pe),
    Branch(usize),
}

/// A message that follows from one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Post {
    /// To a PE.
    Pe(Pe, ToPe),
    /// To all PEs of this host.
    Pes(ToPe),
    /// To an agent below.
    Branch(usize, Down),
    /// To all of them.
    Branches(Down),
    /// Upwards.
    Up(Up),
}

/// One host's board.
pub struct Board {
    nodes: NodeMap,
    secret: [u8; 16],
    members: BTreeMap<Pe, Member>,
    /// How many agents are below.
    branches: usize,
    /// How many PEs and agents have come to the exchange, and what they said.
    come: usize,
    said: Vec<Entry>,
    known: Values,
    /// Whether a value that is not known may exist.
    partial: bool,
    open: HashMap<(Pe, String), Vec<Asker>>,
    /// The first PE that has ended without owing anything, and how.
    left: Option<(Pe, String)>,
}

impl Board {
    /// For some PEs and so many agents below.
    pub fn new(nodes: NodeMap, secret: [u8; 16], pes: &[Pe], branches: usize) -> Self {
        Board {
            nodes,
            secret,
            members: pes.iter().map(|&pe| (pe, Member::default())).collect(),
            branches,
            come: 0,
            said: Vec::new(),
            known: Values::default(),
            partial: false,
            open: HashMap::new(),
            left: None,
        }
    }

    fn member(&mut self, pe: Pe) -> &mut Member {
        self.members.get_mut(&pe).expect("who speaks was started here")
    }

    /// Where a PE stands.
    pub fn stage(&self, pe: Pe) -> Stage {
        self.members[&pe].stage
    }

    /// The process that speaks for a PE.
    pub fn speaker(&self, pe: Pe) -> Option<i32> {
        self.members[&pe].speaker
    }

    /// Process `pid` of `pe` has said something. An error is a breach of the protocol, and says which.
    pub fn heard(&mut self, pe: Pe, pid: i32, message: ToLauncher) -> Result<Vec<Post>, String> {
        if let ToLauncher::Hello { version } = message {
            return self.greeted(pe, pid, version).map(|answer| vec![Post::Pe(pe, answer)]);
        }
        let member = self.member(pe);
        match member.speaker {
            None => return Err("its first message is no greeting".into()),
            Some(speaker) if speaker != pid => {
                return Err(format!("process {pid} speaks on the connection of process {speaker}"));
            }
            Some(_) => {}
        }
        if member.waiting && !matches!(message, ToLauncher::Leave | ToLauncher::Abort { .. }) {
            return Err("it asks a question while another is open".into());
        }
        match message {
            ToLauncher::Hello { .. } => unreachable!("handled above"),
            ToLauncher::Join => member.stage = Stage::Joined,
            ToLauncher::Leave => member.stage = Stage::Apart,
            ToLauncher::Abort { code, why } => {
                return Ok(vec![Post::Up(Up::Fatal { code: code as u8, line: why, spared: Some(pe) })]);
            }
            ToLauncher::Lookup { pe: of, key } => return Ok(self.asked(Asker::Pe(pe), of, key)),
            ToLauncher::Exchange { said } => {
                if said.len() > KEYS_MAX {
                    return Err(format!("it publishes under more than {KEYS_MAX} keys"));
                }
                member.waiting = true;
                self.said.extend(said.into_iter().map(|(key, value)| filed(pe, key, value)));
                return Ok(self.came());
            }
        }
        Ok(Vec::new())
    }

    fn greeted(&mut self, pe: Pe, pid: i32, version: u32) -> Result<ToPe, String> {
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

    /// An agent below has said something. What is not for the board is passed on.
    pub fn heard_below(&mut self, branch: usize, message: Up) -> Vec<Post> {
        match message {
            Up::Said(entries) => {
                self.said.extend(entries);
                Vec::new()
            }
            Up::Arrived => self.came(),
            Up::Lookup { pe, key } => self.asked(Asker::Branch(branch), pe, key),
            Up::Left { pe, line } => self.left(pe, line),
            other => vec![Post::Up(other)],
        }
    }

    /// One more has come to the exchange.
    fn came(&mut self) -> Vec<Post> {
        self.come += 1;
        if self.come < self.members.len() + self.branches {
            return self.stuck();
        }
        let mut posts = Vec::new();
        let mut part = Vec::new();
        let mut bytes = 0;
        for entry in mem::take(&mut self.said) {
            bytes += entry.key.len() + entry.value.len() + 12;
            if bytes > SAID_MAX && !part.is_empty() {
                posts.push(Post::Up(Up::Said(mem::take(&mut part))));
                bytes = 0;
            }
            part.push(entry);
        }
        if !part.is_empty() {
            posts.push(Post::Up(Up::Said(part)));
        }
        posts.push(Post::Up(Up::Arrived));
        posts.extend(self.stuck());
        posts
    }

    fn asked(&mut self, asker: Asker, pe: Pe, key: String) -> Vec<Post> {
        let page = self.known.page(pe, &key);
        if !page.is_empty() || !self.partial {
            return vec![answer(asker, pe, &key, page)];
        }
        let askers = self.open.entry((pe, key.clone())).or_default();
        askers.push(asker);
        if askers.len() > 1 { Vec::new() } else { vec![Post::Up(Up::Lookup { pe, key })] }
    }

    /// Something has come from above that concerns what PEs say.
    pub fn heard_above(&mut self, message: Down) -> Vec<Post> {
        match message {
            Down::Released(entries) => {
                self.members.values_mut().for_each(|member| member.waiting = false);
                self.come = 0;
                match &entries {
                    Some(entries) => entries.iter().for_each(|entry| drop(self.known.keep(entry.clone()))),
                    None => {
                        self.known.clear();
                        self.partial = true;
                    }
                }
                vec![Post::Branches(Down::Released(entries.clone())), Post::Pes(ToPe::Released { entries })]
            }
            Down::Found { pe, key, entries } => {
                entries.iter().for_each(|entry| drop(self.known.keep(entry.clone())));
                let askers = self.open.remove(&(pe, key.clone())).unwrap_or_default();
                askers.into_iter().map(|asker| answer(asker, pe, &key, entries.clone())).collect()
            }
            Down::Left { pe, line } => {
                self.left.get_or_insert((pe, line.clone()));
                let mut posts = vec![Post::Branches(Down::Left { pe, line })];
                posts.extend(self.stuck());
                posts
            }
            other => vec![Post::Branches(other)],
        }
    }

    /// A PE has ended without owing anything: the first such is made known to the job, since others may wait for it.
    pub fn left(&mut self, pe: Pe, line: String) -> Vec<Post> {
        if self.left.is_some() {
            return self.stuck();
        }
        self.left = Some((pe, line.clone()));
        let mut posts = vec![Post::Up(Up::Left { pe, line })];
        posts.extend(self.stuck());
        posts
    }

    /// The job's end, if a PE waits for one that has ended.
    fn stuck(&self) -> Vec<Post> {
        let waiting = self.members.iter().find(|(_, member)| member.waiting).map(|(pe, _)| *pe);
        let fatal = self.left.as_ref().zip(waiting).map(|((_, line), waiting)| {
            let line = format!("{line}, and {waiting} waits for it in shmem_init or shmem_finalize");
            Post::Up(Up::Fatal { code: 1, line, spared: None })
        });
        fatal.into_iter().collect()
    }
}

/// Where a value is kept. Programs that speak PMI have one space of keys for the whole job; it is PE 0's.
fn filed(pe: Pe, key: String, value: Vec<u8>) -> Entry {
    let pe = if key.starts_with(super::pmi::PREFIX) { Pe(0) } else { pe };
    Entry { pe, key, value }
}

fn answer(asker: Asker, pe: Pe, key: &str, entries: Vec<Entry>) -> Post {
    match asker {
        Asker::Pe(to) => Post::Pe(to, ToPe::Found { entries }),
        Asker::Branch(to) => Post::Branch(to, Down::Found { pe, key: key.to_owned(), entries }),
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
