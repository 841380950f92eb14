//! The messages between a member and the root, after the opening, in the frames of [`crate::codec`].
//!
//! | member sends | root answers |
//! |---|---|
//! | `Here` | `Welcome`, when all members have come, or `Refused` |
//! | `Exchange` | `Released`, when every member has sent it |
//! | `Lookup` | `Found` |
//! | `Join` | nothing |
//! | `Leave` | `Parted`, when every member has sent it |
//! | `Abort` | `Over` |
//! | `Abandon` | nothing |
//!
//! The root sends `Over` to every member as soon as one has aborted the job or was lost. If losses return in this job, it sends `Lost` to the
//! others instead, for each member that is lost, until all have abandoned the job. `Exchange` and those below are the messages of
//! [`crate::wire`], whose version covers this protocol too: all members and the root must have the same.

use crate::NodeMap;
use crate::codec::{Malformed, Reader, Writer};
use crate::host::Digest;
use crate::wire::{ToLauncher, ToPe, WHY_MAX, cut, nodes};

/// The longest description of a process, in bytes.
const WHO_MAX: usize = 512;

/// The introduction of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Here {
    pub version: u32,
    pub rank: u32,
    pub size: u32,
    /// The host, as [`crate::host::identity`] describes it.
    pub host: Digest,
    /// Description of the process, such as "pid 17 on node3".
    pub who: String,
    /// A loss of another member does not end this one. The same for all members.
    pub loss_returns: bool,
}

/// A message of a member to the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ToRoot {
    Here(Here),
    Job(ToLauncher),
    /// After a loss: the member has no more to do with this job.
    Abandon,
}

/// A message of the root to a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ToMember {
    /// All members have come. The job's secret is derived from the start's by `round`, which is never the same twice.
    Welcome {
        nodes: NodeMap,
        round: [u8; 32],
        /// Description of the process that runs the root.
        root: String,
        /// The member in that process, if there is one.
        root_pe: Option<u32>,
    },
    /// An answer of the launcher's protocol: `Refused`, `Released` or `Found`.
    Job(ToPe),
    /// All members have left.
    Parted,
    /// The job ends: a member has aborted it with `code`, or, without a code, was lost.
    Over { code: Option<i32>, why: String },
    /// A member was lost, in a job in which losses return.
    Lost { pe: u32, why: String },
}

/// The number on the wire for no PE.
const NO_PE: u32 = u32::MAX;

impl ToRoot {
    pub fn frame(&self) -> Vec<u8> {
        match self {
            ToRoot::Here(Here { version, rank, size, host, who, loss_returns }) => {
                let mut to = Writer::new();
                to.tag(b'H').u32(*version).u32(*rank).u32(*size).raw(host).bytes(cut(who, WHO_MAX).as_bytes());
                to.tag((*loss_returns).into());
                to.frame()
            }
            ToRoot::Abandon => {
                let mut to = Writer::new();
                to.tag(b'b');
                to.frame()
            }
            ToRoot::Job(message) => message.frame(),
        }
    }

    pub fn parse(body: &[u8]) -> Result<ToRoot, Malformed> {
        let mut from = Reader::new(body.get(1..).unwrap_or_default());
        let message = match body.first() {
            Some(b'H') => {
                let [version, rank, size] = [from.u32()?, from.u32()?, from.u32()?];
                let (host, who, loss_returns) = (from.raw()?, from.text(WHO_MAX)?, from.u8()? != 0);
                ToRoot::Here(Here { version, rank, size, host, who, loss_returns })
            }
            Some(b'b') => ToRoot::Abandon,
            _ => return ToLauncher::parse(body).map(ToRoot::Job),
        };
        from.end()?;
        Ok(message)
    }
}

impl ToMember {
    /// Name of the message in errors.
    pub fn name(&self) -> String {
        match self {
            ToMember::Welcome { nodes, .. } => format!("a welcome to a job of {} PEs", nodes.size()),
            ToMember::Job(answer) => answer.name(),
            ToMember::Parted => "the end of the job".into(),
            ToMember::Over { .. } => "an abort of the job".into(),
            ToMember::Lost { .. } => "the loss of a PE".into(),
        }
    }

    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            ToMember::Welcome { nodes, round, root, root_pe } => {
                to.tag(b'w').bytes(&nodes.encode()).raw(round).bytes(cut(root, WHO_MAX).as_bytes());
                to.u32(root_pe.unwrap_or(NO_PE))
            }
            ToMember::Lost { pe, why } => to.tag(b'd').u32(*pe).bytes(cut(why, WHY_MAX).as_bytes()),
            ToMember::Job(message) => return message.frame(),
            ToMember::Parted => to.tag(b'p'),
            ToMember::Over { code, why } => {
                to.tag(b'o').tag(code.is_some().into()).u32(code.unwrap_or(0) as u32);
                to.bytes(cut(why, WHY_MAX).as_bytes())
            }
        };
        to.frame()
    }

    pub fn parse(body: &[u8]) -> Result<ToMember, Malformed> {
        let mut from = Reader::new(body.get(1..).unwrap_or_default());
        let message = match body.first() {
            Some(b'w') => {
                let (nodes, round, root, pe) = (nodes(&mut from)?, from.raw()?, from.text(WHO_MAX)?, from.u32()?);
                ToMember::Welcome { nodes, round, root, root_pe: Some(pe).filter(|&pe| pe != NO_PE) }
            }
            Some(b'd') => ToMember::Lost { pe: from.u32()?, why: from.text(WHY_MAX)? },
            Some(b'p') => ToMember::Parted,
            Some(b'o') => {
                let (is_request, code) = (from.u8()? != 0, from.u32()? as i32);
                ToMember::Over { code: is_request.then_some(code), why: from.text(WHY_MAX)? }
            }
            _ => return ToPe::parse(body).map(ToMember::Job),
        };
        from.end()?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_survive_their_encoding() {
        let who = "pid 5 on six".into();
        let here = Here { version: 1, rank: 2, size: 3, host: [4; 16], who, loss_returns: true };
        let leave = ToRoot::Job(ToLauncher::Leave);
        for message in [ToRoot::Here(here), ToRoot::Job(ToLauncher::Join), leave, ToRoot::Abandon] {
            assert_eq!(ToRoot::parse(&message.frame()[4..]).unwrap(), message);
        }
        for message in [
            ToMember::Welcome { nodes: NodeMap::one(3), round: [7; 32], root: "PE 0".into(), root_pe: Some(0) },
            ToMember::Welcome { nodes: NodeMap::one(3), round: [7; 32], root: "another".into(), root_pe: None },
            ToMember::Lost { pe: 2, why: "killed".into() },
            ToMember::Job(ToPe::Released { entries: None }),
            ToMember::Parted,
            ToMember::Over { code: None, why: "lost".into() },
            ToMember::Over { code: Some(-3), why: String::new() },
        ] {
            assert_eq!(ToMember::parse(&message.frame()[4..]).unwrap(), message);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100), tag in "[Hbdwpohxjl?RAF]") {
            let tagged = [tag.as_bytes(), &bytes].concat();
            for body in [&bytes, &tagged] {
                let _ = ToRoot::parse(body);
                let _ = ToMember::parse(body);
            }
        }
    }
}
