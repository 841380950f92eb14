//! The protocol on a PE's connection: Ferrite's own, or PMI-1. The first bytes that a program sends decide which. Pure:
//! no I/O.

use super::pmi::{self, LINE_MAX, OPENING, Pmi};
use ferrite_bootstrap::wire::{Frames, ToLauncher, ToPe};
use std::mem;

/// The decoder of one PE's connection. Holds the bytes of a message that has not arrived in full.
pub struct PeProtocol {
    /// The index of the PE's program in the job.
    app: usize,
    language: Language,
}

enum Language {
    /// Nothing has been received yet, or nothing since the last `Leave`.
    Unknown(Vec<u8>),
    Ferrite(Frames),
    Pmi(Box<Pmi>, Vec<u8>),
}

/// The messages and the answer that follow from received bytes.
#[derive(Debug, Default)]
pub struct Received {
    /// The request of the PE, as messages of Ferrite's protocol.
    pub messages: Vec<ToLauncher>,
    /// Bytes to send back at once.
    pub answer: Vec<u8>,
}

impl PeProtocol {
    /// For a PE that runs the job's program number `app`.
    pub fn new(app: usize) -> Self {
        PeProtocol { app, language: Language::Unknown(Vec::new()) }
    }

    /// Decode received bytes. An error tells what is wrong with them.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<Received, String> {
        let mut received = Received::default();
        self.take(bytes);
        let whole = match &mut self.language {
            Language::Unknown(_) => false,
            Language::Ferrite(frames) => {
                while let Some(body) = frames.next_body().map_err(|error| error.to_string())? {
                    received.messages.push(ToLauncher::parse(body).map_err(|error| error.to_string())?);
                }
                !frames.is_torn()
            }
            Language::Pmi(pmi, inbox) => {
                while let Some(line) = next_line(inbox)? {
                    let pmi::Received { messages, answer } = pmi.receive(&line)?;
                    received.messages.extend(messages);
                    received.answer.extend(answer.unwrap_or_default().into_bytes());
                }
                inbox.is_empty()
            }
        };
        if whole && received.messages.last() == Some(&ToLauncher::Leave) {
            // The bytes after `Leave` may come from another program.
            self.language = Language::Unknown(Vec::new());
        }
        Ok(received)
    }

    fn take(&mut self, bytes: &[u8]) {
        match &mut self.language {
            Language::Ferrite(frames) => frames.push(bytes),
            Language::Pmi(_, inbox) => inbox.extend_from_slice(bytes),
            Language::Unknown(inbox) => {
                inbox.extend_from_slice(bytes);
                let inbox = mem::take(inbox);
                // No frame begins with these bytes: read as a length, they announce a gigabyte.
                self.language = if inbox.starts_with(OPENING) {
                    Language::Pmi(Box::new(Pmi::new(self.app)), inbox)
                } else if OPENING.starts_with(&inbox) {
                    Language::Unknown(inbox)
                } else {
                    let mut frames = Frames::default();
                    frames.push(&inbox);
                    Language::Ferrite(frames)
                };
            }
        }
    }

    /// Encode an answer in the PE's protocol.
    pub fn encode(&mut self, answer: &ToPe) -> Vec<u8> {
        match &mut self.language {
            Language::Pmi(pmi, _) => pmi.encode(answer).into_bytes(),
            _ => answer.frame(),
        }
    }
}

fn next_line(inbox: &mut Vec<u8>) -> Result<Option<String>, String> {
    let Some(end) = inbox.iter().position(|&byte| byte == b'\n') else {
        return if inbox.len() > LINE_MAX { Err(format!("a line of more than {LINE_MAX} bytes")) } else { Ok(None) };
    };
    let line = inbox.drain(..=end).take(end).collect();
    String::from_utf8(line).map(Some).map_err(|_| "a line that is no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_bootstrap::wire::VERSION;
    use proptest::prelude::*;

    #[test]
    fn first_message_selects_the_protocol_until_the_goodbye() {
        let mut protocol = PeProtocol::new(0);
        let hello = ToLauncher::Hello { version: VERSION };
        for byte in hello.frame() {
            protocol.receive(&[byte]).unwrap();
        }
        assert_eq!(protocol.encode(&ToPe::Released { entries: None }), ToPe::Released { entries: None }.frame());
        assert_eq!(protocol.receive(&ToLauncher::Leave.frame()).unwrap().messages, [ToLauncher::Leave]);
        let mut messages = Vec::new();
        for byte in b"cmd=init pmi_version=1 pmi_subversion=1\n" {
            messages.extend(protocol.receive(&[*byte]).unwrap().messages);
        }
        assert_eq!(messages, [hello.clone(), ToLauncher::Join]);
        assert_eq!(protocol.encode(&ToPe::Released { entries: None }), b"cmd=barrier_out rc=0\n");
        let received = protocol.receive(b"cmd=finalize\n").unwrap();
        assert_eq!(
            (received.messages, received.answer),
            (vec![ToLauncher::Leave], b"cmd=finalize_ack rc=0\n".to_vec())
        );
        assert_eq!(protocol.receive(&hello.frame()).unwrap().messages, [hello]);
    }

    #[test]
    fn garbage_is_refused_in_either() {
        for bytes in
            [&b"GET / HTTP/1.0\r\n\r\n"[..], b"cmd=\xff\n", b"cmd=fly\n", &[b"cmd=", &[b'x'; 5000][..]].concat()]
        {
            assert!(PeProtocol::new(0).receive(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_heard_or_refused(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9), pmi: bool) {
            let mut protocol = PeProtocol::new(0);
            if pmi {
                protocol.receive(b"cmd=init pmi_version=1 pmi_subversion=1\n").unwrap();
            }
            for piece in pieces {
                if protocol.receive(&piece).is_err() {
                    break;
                }
            }
        }
    }
}
