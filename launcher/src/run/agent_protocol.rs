//! The messages between oshrun and its agents. [`Down`] goes from a parent to its agent, [`Up`] from an agent to its
//! parent. Pure: messages to bytes and back.
//!
//! Frames have the format of [`ferrite_bootstrap::codec`]. An agent sends its opening, and no frame before it has received its [`JobSpec`].
//! After that, each side sends at least one message per heartbeat interval: `Heartbeat`, if it has nothing else to send.

use super::job_spec::JobSpec;
use super::last_run::Past;
use super::losses::Loss;
use super::output_stream::OutputStream;
use super::sight_codec::{sights_from, sights_to};
use super::supervisor::ENDING;
use ferrite_bootstrap::codec::{Malformed, Reader, Writer};
use ferrite_bootstrap::wire::{Entry, entries_from, entries_to, key};
use ferrite_diagnose::sight::Sight;
use ferrite_fabric::Pe;

/// The longest body of a frame, in bytes. A [`JobSpec`] has the command lines and environment variables of a job.
pub const FRAME_MAX: usize = 16 << 20;
/// The longest line, and the longest chunk of a stream, in bytes.
const TEXT_MAX: usize = 64 << 10;

/// A message of an agent to its parent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Up {
    /// Values that PEs below have published since the last exchange.
    Published(Vec<Entry>),
    /// A host has started its PEs.
    Started,
    /// All PEs below have arrived at the exchange.
    Arrived,
    /// Look up the value that `pe` has published under `key`.
    Lookup {
        /// The PE that published the value.
        pe: Pe,
        /// The key of the value.
        key: String,
    },
    /// A PE has ended without owing a `Leave`. Sent for the first such PE below.
    PeLeft {
        /// The PE that has ended.
        pe: Pe,
        /// How it ended, for the user.
        line: String,
    },
    /// PEs are lost, or one has failed, and the others go on.
    Lost(Loss),
    /// The job must end.
    Fatal {
        /// The exit code of the job.
        code: u8,
        /// The reason, for the user. Empty if there is nothing to print.
        line: String,
        /// A PE that is not signalled, since it ends by itself.
        spared: Option<Pe>,
    },
    /// An agent has received a signal that ends jobs.
    Signalled { number: i32, host: String },
    /// A PE has written output. No bytes: its stream has ended.
    Output {
        /// The PE that wrote it.
        pe: Pe,
        /// The stream that it wrote to.
        stream: OutputStream,
        /// The bytes that it wrote.
        bytes: Vec<u8>,
    },
    /// A line for the user.
    Message(String),
    /// PE 0 can take this many more bytes of input.
    InputCredit(u32),
    /// The last calls of a PE, sent when it has ended.
    Past(Past),
    /// PEs of a host wait, and nothing changes there.
    Stands,
    /// A host's view of its PEs, in answer to [`Down::Look`].
    Sights {
        /// The number of the question that this answers.
        turn: u32,
        /// The node number of the host.
        node: u32,
        /// The name of the host.
        host: String,
        /// The host's clock, in nanoseconds. The waits in `sights` began by the same clock.
        now_ns: u64,
        /// The PEs that it sees.
        sights: Vec<Sight>,
    },
    /// Sent if there is nothing else to send for a while.
    Heartbeat,
    /// Nothing of the job runs here or below. The last message. The agent ends when it has received [`Down::Farewell`].
    Done,
}

/// A message of a parent to its agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Down {
    /// The job to run. The first message.
    Job(Box<JobSpec>),
    /// Every PE of the job has arrived at the exchange. Carries the published values, unless they are too many: then PEs look them up.
    Released(Option<Vec<Entry>>),
    /// The answer to a lookup: the value, and a page of those that follow it.
    Found {
        /// The PE that was asked for.
        pe: Pe,
        /// The key that was asked for.
        key: String,
        /// The value, then those that follow it.
        entries: Vec<Entry>,
    },
    /// A PE has ended without owing a `Leave`. Sent for the first such PE of the job.
    PeLeft {
        /// The PE that has ended.
        pe: Pe,
        /// How it ended, for the user.
        line: String,
    },
    /// End the job: signal all PEs, and kill those that still run after the grace period.
    End {
        /// The signal to send first.
        signal: i32,
        /// The grace period, in milliseconds.
        grace_ms: u32,
        /// A PE that is not signalled, since it ends by itself within the grace period.
        spared: Option<Pe>,
    },
    /// Send this signal to all PEs.
    Signal(i32),
    /// Report the state of the PEs: the answer is [`Up::Sights`].
    Look {
        /// The number of this question.
        turn: u32,
        /// How long PEs may take to report their place in the program, in milliseconds. 0: do not ask for it.
        places_ms: u32,
    },
    /// Kill all PEs at once.
    Kill,
    /// Output of a host was written: the host may send this many more bytes.
    OutputCredit {
        /// The node number of the host.
        node: u32,
        /// The stream whose output was written.
        stream: OutputStream,
        /// The number of bytes.
        bytes: u32,
    },
    /// Input for PE 0. No bytes: it has ended.
    Input(Vec<u8>),
    /// Sent if there is nothing else to send for a while.
    Heartbeat,
    /// The answer to [`Up::Done`]. The last message.
    Farewell,
}

impl Up {
    /// Encode as a whole frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            Up::Published(entries) => entries_to(to.tag(b's'), entries),
            Up::Started => to.tag(b'n'),
            Up::Arrived => to.tag(b'a'),
            Up::Lookup { pe, key } => to.tag(b'?').u32(pe.0).bytes(key.as_bytes()),
            Up::PeLeft { pe, line } => text_to(to.tag(b'l').u32(pe.0), line),
            Up::Lost(Loss { pes, code, is_chosen, line }) => {
                text_to(to.tag(b'-').u32(*pes).tag(*code).tag((*is_chosen).into()), line)
            }
            Up::Fatal { code, line, spared } => text_to(pe_to(to.tag(b'!').tag(*code), *spared), line),
            Up::Signalled { number, host } => text_to(to.tag(b'k').u32(number.cast_unsigned()), host),
            Up::Output { pe, stream, bytes } => to.tag(b'o').u32(pe.0).tag(*stream as u8).bytes(bytes),
            Up::Message(line) => text_to(to.tag(b'"'), line),
            Up::InputCredit(bytes) => to.tag(b'r').u32(*bytes),
            Up::Past(Past { pe, text }) => text_to(to.tag(b'p').u32(pe.0), text),
            Up::Stands => to.tag(b'w'),
            Up::Sights { turn, node, host, now_ns, sights } => {
                sights_to(text_to(to.tag(b'v').u32(*turn).u32(*node), host).u64(*now_ns), sights)
            }
            Up::Heartbeat => to.tag(b'b'),
            Up::Done => to.tag(b'd'),
        };
        to.frame()
    }

    /// Decode the body of a frame.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b's' => Up::Published(entries_from(&mut from)?),
            b'n' => Up::Started,
            b'a' => Up::Arrived,
            b'?' => Up::Lookup { pe: Pe(from.u32()?), key: key(&mut from)? },
            b'l' => Up::PeLeft { pe: Pe(from.u32()?), line: from.text(TEXT_MAX)? },
            b'k' => Up::Signalled { number: ending(from.u32()?)?, host: from.text(TEXT_MAX)? },
            b'-' => Up::Lost(Loss {
                pes: from.u32()?,
                code: from.u8()?,
                is_chosen: from.u8()? != 0,
                line: from.text(TEXT_MAX)?,
            }),
            b'!' => Up::Fatal { code: from.u8()?, spared: pe_from(&mut from)?, line: from.text(TEXT_MAX)? },
            b'o' => {
                Up::Output { pe: Pe(from.u32()?), stream: stream(from.u8()?)?, bytes: from.bytes(TEXT_MAX)?.to_vec() }
            }
            b'"' => Up::Message(from.text(TEXT_MAX)?),
            b'r' => Up::InputCredit(from.u32()?),
            b'p' => Up::Past(Past { pe: Pe(from.u32()?), text: from.text(TEXT_MAX)? }),
            b'w' => Up::Stands,
            b'v' => Up::Sights {
                turn: from.u32()?,
                node: from.u32()?,
                host: from.text(TEXT_MAX)?,
                now_ns: from.u64()?,
                sights: sights_from(&mut from)?,
            },
            b'b' => Up::Heartbeat,
            b'd' => Up::Done,
            other => return Err(Malformed::new(format!("no message of an agent begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

impl Down {
    /// Encode as a whole frame.
    pub fn frame(&self) -> Vec<u8> {
        let mut to = Writer::new();
        match self {
            Down::Job(spec) => spec.write(to.tag(b'O')),
            Down::Released(None) => to.tag(b'A'),
            Down::Released(Some(entries)) => entries_to(to.tag(b'R'), entries),
            Down::Found { pe, key, entries } => entries_to(to.tag(b'F').u32(pe.0).bytes(key.as_bytes()), entries),
            Down::PeLeft { pe, line } => text_to(to.tag(b'L').u32(pe.0), line),
            Down::End { signal, grace_ms, spared } => {
                pe_to(to.tag(b'E').u32(signal.cast_unsigned()).u32(*grace_ms), *spared)
            }
            Down::Signal(number) => to.tag(b'S').u32(number.cast_unsigned()),
            Down::Look { turn, places_ms } => to.tag(b'V').u32(*turn).u32(*places_ms),
            Down::Kill => to.tag(b'K'),
            Down::OutputCredit { node, stream, bytes } => to.tag(b'C').u32(*node).tag(*stream as u8).u32(*bytes),
            Down::Input(bytes) => to.tag(b'I').bytes(bytes),
            Down::Heartbeat => to.tag(b'B'),
            Down::Farewell => to.tag(b'D'),
        };
        to.frame()
    }

    /// Decode the body of a frame.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(body);
        let message = match from.u8()? {
            b'O' => Down::Job(Box::new(JobSpec::read(&mut from)?)),
            b'A' => Down::Released(None),
            b'R' => Down::Released(Some(entries_from(&mut from)?)),
            b'F' => Down::Found { pe: Pe(from.u32()?), key: key(&mut from)?, entries: entries_from(&mut from)? },
            b'L' => Down::PeLeft { pe: Pe(from.u32()?), line: from.text(TEXT_MAX)? },
            b'E' => Down::End { signal: from.u32()?.cast_signed(), grace_ms: from.u32()?, spared: pe_from(&mut from)? },
            b'S' => Down::Signal(from.u32()?.cast_signed()),
            b'V' => Down::Look { turn: from.u32()?, places_ms: from.u32()? },
            b'K' => Down::Kill,
            b'C' => Down::OutputCredit { node: from.u32()?, stream: stream(from.u8()?)?, bytes: from.u32()? },
            b'I' => Down::Input(from.bytes(TEXT_MAX)?.to_vec()),
            b'B' => Down::Heartbeat,
            b'D' => Down::Farewell,
            other => return Err(Malformed::new(format!("no message to an agent begins with byte {other:#04x}"))),
        };
        from.end()?;
        Ok(message)
    }
}

fn text_to<'a>(to: &'a mut Writer, text: &str) -> &'a mut Writer {
    to.bytes(ferrite_bootstrap::wire::cut(text, TEXT_MAX).as_bytes())
}

fn pe_to(to: &mut Writer, pe: Option<Pe>) -> &mut Writer {
    match pe {
        None => to.tag(0),
        Some(pe) => to.tag(1).u32(pe.0),
    }
}

fn pe_from(from: &mut Reader<'_>) -> Result<Option<Pe>, Malformed> {
    match from.u8()? {
        0 => Ok(None),
        1 => Ok(Some(Pe(from.u32()?))),
        other => Err(Malformed::new(format!("{other} where 0 or 1 is expected"))),
    }
}

fn ending(number: u32) -> Result<i32, Malformed> {
    let number = number.cast_signed();
    if ENDING.contains(&number) {
        Ok(number)
    } else {
        Err(Malformed::new(format!(
            "signal {number}, which does not end \
                                                                                  a job"
        )))
    }
}

fn stream(byte: u8) -> Result<OutputStream, Malformed> {
    [OutputStream::Out, OutputStream::Err]
        .into_iter()
        .find(|stream| *stream as u8 == byte)
        .ok_or_else(|| Malformed::new(format!("stream {byte}, which does not exist")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn pe() -> impl Strategy<Value = Pe> {
        any::<u32>().prop_map(Pe)
    }

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let entry = (pe(), "[a-z]{1,9}", vec(any::<u8>(), 0..50));
        vec(entry.prop_map(|(pe, key, value)| Entry { pe, key, value }), 0..5)
    }

    fn up() -> impl Strategy<Value = Up> {
        prop_oneof![
            entries().prop_map(Up::Published),
            Just(Up::Started),
            Just(Up::Arrived),
            (pe(), "[a-z]{1,9}").prop_map(|(pe, key)| Up::Lookup { pe, key }),
            (pe(), ".{0,20}").prop_map(|(pe, line)| Up::PeLeft { pe, line }),
            (any::<u32>(), any::<u8>(), any::<bool>(), ".{0,20}")
                .prop_map(|(pes, code, is_chosen, line)| Up::Lost(Loss { pes, code, is_chosen, line })),
            (any::<u8>(), ".{0,20}", proptest::option::of(pe())).prop_map(|(code, line, spared)| Up::Fatal {
                code,
                line,
                spared
            }),
            (prop::sample::select(&ENDING[..]), ".{0,20}").prop_map(|(number, host)| Up::Signalled { number, host }),
            (pe(), either(), vec(any::<u8>(), 0..50)).prop_map(|(pe, stream, bytes)| Up::Output { pe, stream, bytes }),
            ".{0,20}".prop_map(Up::Message),
            any::<u32>().prop_map(Up::InputCredit),
            (pe(), ".{0,20}").prop_map(|(pe, text)| Up::Past(Past { pe, text })),
            Just(Up::Stands),
            (any::<[u32; 2]>(), ".{0,20}", any::<u64>(), crate::run::sight_codec::tests::sights())
                .prop_map(|([turn, node], host, now_ns, sights)| Up::Sights { turn, node, host, now_ns, sights }),
            Just(Up::Heartbeat),
            Just(Up::Done),
        ]
    }

    fn either() -> impl Strategy<Value = OutputStream> {
        prop_oneof![Just(OutputStream::Out), Just(OutputStream::Err)]
    }

    fn down() -> impl Strategy<Value = Down> {
        prop_oneof![
            crate::run::job_spec::tests::spec().prop_map(|spec| Down::Job(Box::new(spec))),
            proptest::option::of(entries()).prop_map(Down::Released),
            (pe(), "[a-z]{1,9}", entries()).prop_map(|(pe, key, entries)| Down::Found { pe, key, entries }),
            (pe(), ".{0,20}").prop_map(|(pe, line)| Down::PeLeft { pe, line }),
            (any::<i32>(), any::<u32>(), proptest::option::of(pe())).prop_map(|(signal, grace_ms, spared)| Down::End {
                signal,
                grace_ms,
                spared
            }),
            any::<i32>().prop_map(Down::Signal),
            any::<[u32; 2]>().prop_map(|[turn, places_ms]| Down::Look { turn, places_ms }),
            Just(Down::Kill),
            (any::<u32>(), either(), any::<u32>()).prop_map(|(node, stream, bytes)| Down::OutputCredit {
                node,
                stream,
                bytes
            }),
            vec(any::<u8>(), 0..50).prop_map(Down::Input),
            Just(Down::Heartbeat),
            Just(Down::Farewell),
        ]
    }

    proptest! {
        #[test]
        fn messages_survive_the_wire(up in up(), down in down()) {
            prop_assert_eq!(Up::parse(&up.frame()[4..]).unwrap(), up);
            prop_assert_eq!(Down::parse(&down.frame()[4..]).unwrap(), down);
        }

        #[test]
        fn garbage_is_refused_and_never_panics(body in vec(any::<u8>(), 0..300)) {
            let _ = Up::parse(&body);
            let _ = Down::parse(&body);
        }

        #[test]
        fn near_misses_never_panic(up in up(), down in down(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let (mut up, mut down) = (up.frame()[4..].to_vec(), down.frame()[4..].to_vec());
            prop_assert!(Up::parse(&up[..at.index(up.len())]).is_err());
            prop_assert!(Down::parse(&down[..at.index(down.len())]).is_err());
            let (one, other) = (at.index(up.len()), at.index(down.len()));
            (up[one], down[other]) = (to, to);
            let _ = Up::parse(&up);
            let _ = Down::parse(&down);
        }
    }
}
