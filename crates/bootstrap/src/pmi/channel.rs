//! The connection to a launcher that speaks PMI: requests and answers, the framing of both versions, and values as
//! text.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use ferrite_fabric::{Error, Result};
use ferrite_os::{guarded_fd::GuardedFd, mutex};
use rustix::io::retry_on_intr;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;

/// The name of `mpiexec.hydra` in calls of [`over`](super::over).
pub const MPICH: &str = "MPICH's mpiexec";

/// The longest message accepted from a launcher, in bytes. The longest legitimate one is a value with a few words.
pub const MESSAGE_MAX: usize = 64 << 10;

/// The longest request that has a value, in bytes: some launchers read a message into a buffer of 1024.
const REQUEST_MAX: usize = 1000;

/// The smallest usable limit on values, in bytes.
const TEXT_MIN: usize = 64;

/// How messages are framed in the stream of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Framing {
    /// A message is a line (PMI-1, and the first message of PMI-2).
    Line,
    /// Six characters give the length of the rest (PMI-2).
    Counted,
}

impl Framing {
    /// Take one complete message from the received bytes, without its framing. `None` if it is incomplete.
    pub fn take(self, inbox: &mut Vec<u8>) -> Result<Option<String>> {
        let (skip, end, next) = match self {
            Framing::Line => match inbox.iter().position(|&byte| byte == b'\n') {
                Some(end) => (0, end, end + 1),
                None if inbox.len() > MESSAGE_MAX => return Err(malformed("a line without end", inbox)),
                None => return Ok(None),
            },
            Framing::Counted => {
                let Some(digits) = inbox.first_chunk::<6>() else { return Ok(None) };
                let count = str::from_utf8(digits).ok().and_then(|digits| digits.trim().parse::<usize>().ok());
                let Some(end) = count.map(|count| count + 6) else {
                    return Err(malformed("a message without its length", inbox));
                };
                (6, end, end)
            }
        };
        if end - skip > MESSAGE_MAX {
            return Err(Error::new(format!("a message of {} bytes: at most {MESSAGE_MAX} are allowed", end - skip)));
        }
        if inbox.len() < next {
            return Ok(None);
        }
        let message = str::from_utf8(&inbox[skip..end]).map(str::to_owned);
        let message = message.map_err(|_| malformed("a message that is not text", inbox))?;
        inbox.drain(..next);
        Ok(Some(message))
    }
}

fn malformed(what: &str, bytes: &[u8]) -> Error {
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
    Error::new(format!("{what}: {begin:?}"))
}

/// The fields of one message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fields(pub Vec<(String, String)>);

impl Fields {
    /// The fields of a line `key=value key=value`. Words without `=` belong to a text for humans at the end of a message, and are skipped.
    pub fn of_line(line: &str) -> Fields {
        let words = line.split_ascii_whitespace();
        Fields(words.filter_map(|word| word.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
    }

    /// The first value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == key).map(|(_, value)| &value[..])
    }

    /// The value of `key`, as a number.
    pub fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.trim().parse().ok()
    }

    /// Check that this message is the answer `command`, without an error.
    pub fn answers(&self, command: &str) -> Result<()> {
        if self.get("cmd") != Some(command) {
            return Err(Error::new(format!("expected `{command}`, got {}", self.brief())));
        }
        match self.get("rc") {
            None | Some("0") => Ok(()),
            Some(_) => Err(Error::new(format!("refused: {}", self.brief()))),
        }
    }

    fn brief(&self) -> String {
        let words: Vec<String> = self.0.iter().take(8).map(|(key, value)| format!("{key}={value}")).collect();
        format!("`{}`", words.join(" ").chars().take(200).collect::<String>())
    }
}

/// The connection. A thread that waits for an answer locks `inbox` but not `sending`, so another thread can send an abort.
pub(crate) struct Channel {
    /// Guarded, because the program may close descriptors that it has not opened.
    socket: GuardedFd,
    launcher: String,
    sending: Mutex<()>,
    inbox: Mutex<Vec<u8>>,
}

impl Channel {
    pub fn new(socket: OwnedFd, launcher: &str) -> Result<Self> {
        let kept = |error| Error::because(format!("keeping the connection with {launcher}"), error);
        let socket = GuardedFd::new(socket).map_err(kept)?;
        Ok(Channel { socket, launcher: launcher.to_owned(), sending: Mutex::default(), inbox: Mutex::default() })
    }

    fn socket(&self) -> Result<BorrowedFd<'_>> {
        self.socket.get().map_err(|closed| Error::because(format!("{} cannot be reached", self.launcher), closed))
    }

    /// The launcher's name, with the name of the protocol.
    pub fn name(&self, protocol: &str) -> String {
        format!("{}, {protocol}", self.launcher)
    }

    /// Whether the launcher is `mpiexec.hydra`.
    pub fn is_mpich(&self) -> bool {
        self.launcher == MPICH
    }

    /// Request a version. Returns whether the launcher speaks it.
    pub fn agree(&self, version: u32, subversion: u32) -> Result<bool> {
        let request = format!("cmd=init pmi_version={version} pmi_subversion={subversion}\n");
        let answer = Fields::of_line(&self.call(&request, Framing::Line)?);
        let same = answer.number("pmi_version") == Some(version);
        if answer.get("cmd") != Some("response_to_init") {
            return answer.answers("response_to_init").map_err(|error| self.wrong(error)).map(|()| false);
        }
        Ok(same && answer.answers("response_to_init").is_ok())
    }

    /// Send a request without waiting for an answer.
    pub fn tell(&self, request: &str) -> Result<()> {
        let _turn = mutex::lock(&self.sending);
        let mut rest = request.as_bytes();
        while !rest.is_empty() {
            let socket = self.socket()?;
            let sent = retry_on_intr(|| send(socket, rest, SendFlags::NOSIGNAL))
                .map_err(|error| Error::because(format!("{} cannot be reached", self.launcher), error))?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    /// Send a request, and wait for one message.
    pub fn call(&self, request: &str, framing: Framing) -> Result<String> {
        let mut inbox = mutex::lock(&self.inbox);
        self.tell(request)?;
        loop {
            if let Some(message) = framing.take(&mut inbox).map_err(|error| self.wrong(error))? {
                return Ok(message);
            }
            let mut chunk = [0_u8; 4 << 10];
            let socket = self.socket()?;
            let (got, _) = retry_on_intr(|| recv(socket, &mut chunk[..], RecvFlags::empty()))
                .map_err(|error| Error::because(format!("{} is lost", self.launcher), error))?;
            if got == 0 {
                return Err(Error::new(format!(
                    "{} has closed the connection, and this job ends with it",
                    self.launcher
                )));
            }
            inbox.extend(&chunk[..got]);
        }
    }

    /// An error about a wrong answer of the launcher.
    pub fn wrong(&self, error: Error) -> Error {
        Error::because(format!("{} sent a wrong answer", self.launcher), error)
    }
}

/// Encode bytes as letters, digits, `-` and `_`, which neither protocol interprets.
pub(crate) fn encode(value: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(value)
}

/// Decode what [`encode`] has encoded.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|error| Error::because("a value that no PE has put", error))
}

/// The longest value, in bytes, if the launcher accepts texts of `text_max` bytes and a request has `beside` further bytes.
pub(crate) fn value_max(text_max: usize, beside: usize) -> Result<usize> {
    // One less, since some launchers count a terminating zero.
    let text = text_max.saturating_sub(1).min(REQUEST_MAX.saturating_sub(beside));
    if text < TEXT_MIN {
        return Err(Error::new(format!("values of {text} bytes: at least {TEXT_MIN} are needed")));
    }
    Ok(text / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_are_cut_where_they_end() {
        let mut inbox = b"cmd=a\ncmd=b x=1\ncm".to_vec();
        assert_eq!(Framing::Line.take(&mut inbox).unwrap().unwrap(), "cmd=a");
        assert_eq!(Framing::Line.take(&mut inbox).unwrap().unwrap(), "cmd=b x=1");
        assert_eq!(Framing::Line.take(&mut inbox).unwrap(), None);
        let mut inbox = b"     6cmd=a;000006cmd=b;     ".to_vec();
        assert_eq!(Framing::Counted.take(&mut inbox).unwrap().unwrap(), "cmd=a;");
        assert_eq!(Framing::Counted.take(&mut inbox).unwrap().unwrap(), "cmd=b;");
        assert_eq!(Framing::Counted.take(&mut inbox).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for (framing, bytes) in [
            (Framing::Line, vec![b'x'; MESSAGE_MAX + 1]),
            (Framing::Line, b"\xff\xfe\n".to_vec()),
            (Framing::Counted, b"HTTP/1.1".to_vec()),
            (Framing::Counted, b"    -1cmd".to_vec()),
            (Framing::Counted, b"999999cmd".to_vec()),
            (Framing::Counted, b"     1\xff".to_vec()),
        ] {
            assert!(framing.take(&mut bytes.clone()).is_err(), "{framing:?} {:?}", &bytes[..5]);
        }
    }

    #[test]
    fn a_request_never_exceeds_what_launchers_read() {
        for (text_max, beside) in [(1024, 120), (1024, 700), (256, 120), (65, 0)] {
            let bytes = value_max(text_max, beside).unwrap();
            let text = encode(&vec![0xff; bytes]).len();
            assert!(bytes > 0 && text < text_max && text + beside <= REQUEST_MAX, "{text_max} {beside}: {bytes}");
        }
        assert!(value_max(64, 0).is_err() && value_max(1024, 990).is_err() && value_max(0, 2000).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_messages_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), counted: bool) {
            let framing = if counted { Framing::Counted } else { Framing::Line };
            let mut inbox = bytes.clone();
            while let Ok(Some(_)) = framing.take(&mut inbox) {}
            prop_assert!(bytes.ends_with(&inbox));
        }

        #[test]
        fn values_survive_their_text(value in prop::collection::vec(any::<u8>(), 0..900)) {
            let text = encode(&value);
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(decode(&text).unwrap(), value);
        }
    }
}
