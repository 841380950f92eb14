//! What is spoken on a PE's connection: our own protocol, or PMI-1. What a program says first decides. Pure.

use super::pmi::{self, LINE_MAX, OPENING, Pmi};
use ferrite_bootstrap::wire::{Frames, ToLauncher, ToPe};
use std::mem;

/// A connection's language, and what has come of a message that is not whole.
pub struct Tongue {
    /// Which program of the job the PE runs.
    app: usize,
    spoken: Spoken,
}

enum Spoken {
    /// Nothing yet, or nothing since the last goodbye.
    Nothing(Vec<u8>),
    Own(Frames),
    Pmi(Box<Pmi>, Vec<u8>),
}

/// What a PE's bytes come to.
#[derive(Debug, Default)]
pub struct Said {
    /// In our own protocol.
    pub messages: Vec<ToLauncher>,
    /// What is answered at once.
    pub answer: Vec<u8>,
}

impl Tongue {
    /// For a PE that runs the job's program number `app`.
    pub fn new(app: usize) -> Self {
        Tongue { app, spoken: Spoken::Nothing(Vec::new()) }
    }

    /// Take in what was read. An error says what is wrong with it.
    pub fn hear(&mut self, bytes: &[u8]) -> Result<Said, String> {
        let mut said = Said::default();
        self.take(bytes);
        let whole = match &mut self.spoken {
            Spoken::Nothing(_) => false,
            Spoken::Own(frames) => {
                while let Some(body) = frames.next_body().map_err(|error| error.to_string())? {
                    said.messages.push(ToLauncher::parse(body).map_err(|error| error.to_string())?);
                }
                !frames.is_torn()
            }
            Spoken::Pmi(pmi, inbox) => {
                while let Some(line) = next_line(inbox)? {
                    let pmi::Heard { messages, answer } = pmi.hears(&line)?;
                    said.messages.extend(messages);
                    said.answer.extend(answer.unwrap_or_default().into_bytes());
                }
                inbox.is_empty()
            }
        };
        if whole && said.messages.last() == Some(&ToLauncher::Leave) {
            // What follows may be another program's.
            self.spoken = Spoken::Nothing(Vec::new());
        }
        Ok(said)
    }

    fn take(&mut self, bytes: &[u8]) {
        match &mut self.spoken {
            Spoken::Own(frames) => frames.push(bytes),
            Spoken::Pmi(_, inbox) => inbox.extend_from_slice(bytes),
            Spoken::Nothing(inbox) => {
                inbox.extend_from_slice(bytes);
                let inbox = mem::take(inbox);
                // A frame never begins so: it would be one of a gigabyte.
                self.spoken = if inbox.starts_with(OPENING) {
                    Spoken::Pmi(Box::new(Pmi::new(self.app)), inbox)
                } else if OPENING.starts_with(&inbox) {
                    Spoken::Nothing(inbox)
                } else {
                    let mut frames = Frames::default();
                    frames.push(&inbox);
                    Spoken::Own(frames)
                };
            }
        }
    }

    /// An answer, as the PE understands it.
    pub fn utter(&mut self, answer: &ToPe) -> Vec<u8> {
        match &mut self.spoken {
            Spoken::Pmi(pmi, _) => pmi.told(answer).into_bytes(),
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
    fn what_is_said_first_decides_until_the_goodbye() {
        let mut tongue = Tongue::new(0);
        let hello = ToLauncher::Hello { version: VERSION };
        for byte in hello.frame() {
            tongue.hear(&[byte]).unwrap();
        }
        assert_eq!(tongue.utter(&ToPe::Released { entries: None }), ToPe::Released { entries: None }.frame());
        assert_eq!(tongue.hear(&ToLauncher::Leave.frame()).unwrap().messages, [ToLauncher::Leave]);
        let mut messages = Vec::new();
        for byte in b"cmd=init pmi_version=1 pmi_subversion=1\n" {
            messages.extend(tongue.hear(&[*byte]).unwrap().messages);
        }
        assert_eq!(messages, [hello.clone(), ToLauncher::Join]);
        assert_eq!(tongue.utter(&ToPe::Released { entries: None }), b"cmd=barrier_out rc=0\n");
        let said = tongue.hear(b"cmd=finalize\n").unwrap();
        assert_eq!((said.messages, said.answer), (vec![ToLauncher::Leave], b"cmd=finalize_ack rc=0\n".to_vec()));
        assert_eq!(tongue.hear(&hello.frame()).unwrap().messages, [hello]);
    }

    #[test]
    fn garbage_is_refused_in_either() {
        for bytes in
            [&b"GET / HTTP/1.0\r\n\r\n"[..], b"cmd=\xff\n", b"cmd=fly\n", &[b"cmd=", &[b'x'; 5000][..]].concat()]
        {
            assert!(Tongue::new(0).hear(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_heard_or_refused(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9), pmi: bool) {
            let mut tongue = Tongue::new(0);
            if pmi {
                tongue.hear(b"cmd=init pmi_version=1 pmi_subversion=1\n").unwrap();
            }
            for piece in pieces {
                if tongue.hear(&piece).is_err() {
                    break;
                }
            }
        }
    }
}
