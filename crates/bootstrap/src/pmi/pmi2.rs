//! PMI-2: records `key=value;`, preceded by their length in six characters, over a socket whose descriptor is in
//! `PMI_FD`. A `;` in a value is written twice.
//!
//! | PE sends | launcher answers |
//! |---|---|
//! | `fullinit` | `fullinit-response`: rank and size |
//! | `kvs-put` | `kvs-put-response` |
//! | `kvs-fence` | `kvs-fence-response`, when every PE has sent it |
//! | `kvs-get` | `kvs-get-response` |
//! | `abort` | nothing: the job ends |
//! | `finalize` | `finalize-response` |

use super::channel::{self, Channel, Fields, Framing};
use crate::kvs::Store;
use ferrite_fabric::{Error, Pe, Result};

/// The longest value, in bytes, including the terminating zero. PMI-2 fixes it, and has no request for it.
const TEXT_MAX: usize = 1024;
/// Maximum number of bytes in a request besides its value.
const BESIDE: usize = 100;

/// A PE's end of a PMI-2 connection.
pub(crate) struct Pmi2 {
    channel: Channel,
    name: String,
    place: (Pe, u32),
    value_max: usize,
}

/// The fields of a record. Text that is not a field is skipped.
fn parse(record: &str) -> Fields {
    let mut fields = Vec::new();
    let mut rest = record;
    while let Some((key, value)) = rest.split_once('=') {
        let mut text = String::new();
        let mut letters = value.char_indices().peekable();
        rest = "";
        while let Some((at, letter)) = letters.next() {
            if letter == ';' && letters.next_if(|&(_, next)| next == ';').is_none() {
                rest = &value[at + 1..];
                break;
            }
            text.push(letter);
        }
        fields.push((key.to_owned(), text));
    }
    Fields(fields)
}

/// Encode a command and its fields as a record.
fn record(command: &str, fields: &[(&str, &str)]) -> String {
    let mut body = format!("cmd={command};");
    for (key, value) in fields {
        body += &format!("{key}={};", value.replace(';', ";;"));
    }
    format!("{:6}{body}", body.len())
}

impl Pmi2 {
    /// Continue after the version is agreed on: introduce this process.
    pub fn begin(channel: Channel, me: Pe, job: &str) -> Result<Self> {
        let name = channel.name("PMI-2");
        let value_max = channel::value_max(TEXT_MAX, BESIDE)?;
        let mut pmi = Pmi2 { channel, name, place: (me, 0), value_max };
        let rank = me.0.to_string();
        let hello = [("pmijobid", job), ("pmirank", &rank), ("threaded", "FALSE")];
        let answer = pmi.ask("fullinit", &hello)?;
        let place = answer.number("rank").zip(answer.number("size"));
        let (rank, size) = place.ok_or_else(|| pmi.channel.wrong(Error::new("no rank, or no size")))?;
        pmi.place = (Pe(rank), size);
        Ok(pmi)
    }

    fn ask(&self, command: &str, fields: &[(&str, &str)]) -> Result<Fields> {
        let answer = parse(&self.channel.call(&record(command, fields), Framing::Counted)?);
        answer.answers(&format!("{command}-response")).map_err(|error| self.channel.wrong(error))?;
        Ok(answer)
    }
}

impl Store for Pmi2 {
    fn launcher(&self) -> &str {
        &self.name
    }

    fn place(&self) -> (Pe, u32) {
        self.place
    }

    fn value_max(&self) -> usize {
        self.value_max
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        self.ask("kvs-put", &[("key", key), ("value", &channel::encode(value))]).map(drop)
    }

    fn fence(&self) -> Result<()> {
        self.ask("kvs-fence", &[]).map(drop)
    }

    fn get(&self, _pe: Pe, key: &str) -> Result<Vec<u8>> {
        let answer = self.ask("kvs-get", &[("jobid", ""), ("srcid", "-1"), ("key", key)])?;
        let found = !answer.get("flag").is_some_and(|flag| flag.eq_ignore_ascii_case("false"));
        let text = answer.get("value").filter(|_| found).ok_or_else(|| Error::new("nothing is under the key"));
        text.and_then(channel::decode).map_err(|error| self.channel.wrong(error))
    }

    /// `mpiexec.hydra` does not implement abort in PMI-2, and fails in disorder on one. But it ends the job, with this process's code, when
    /// the connection closes without a goodbye. Slurm implements it.
    fn abort(&self, _code: i32) {
        if !self.channel.is_mpich() {
            let _ = self.channel.tell(&record("abort", &[("isworld", "TRUE"), ("msg", "")]));
        }
    }

    fn goodbye(&self) -> Result<()> {
        self.ask("finalize", &[]).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn records_of_real_launchers_are_understood() {
        let fields = parse("cmd=fullinit-response;pmi-version=2;pmi-subversion=0;rank=1;size=4;appnum=-1;rc=0;");
        assert!(fields.answers("fullinit-response").is_ok());
        assert_eq!((fields.number("rank"), fields.number("size")), (Some(1), Some(4)));
        let fields = parse("cmd=kvs-get-response;rc=0;flag=TRUE;value=a=b;;c");
        assert_eq!(fields.get("value"), Some("a=b;c"));
        assert_eq!(record("kvs-put", &[("key", "a;b")]), "    21cmd=kvs-put;key=a;;b;");
    }

    #[test]
    fn a_put_is_never_longer_than_launchers_read() {
        let (key, value) = ("k".repeat(48), channel::encode(&[0xff; TEXT_MAX]));
        assert!(record("kvs-put", &[("key", &key), ("value", "")]).len() <= BESIDE);
        assert!(channel::value_max(TEXT_MAX, BESIDE).unwrap() < value.len());
    }

    proptest! {
        #[test]
        fn records_are_read_as_they_were_written(
            fields in prop::collection::vec(("[a-z]{1,8}", "\\PC{0,40}"), 0..6),
        ) {
            let borrowed: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (&key[..], &value[..])).collect();
            let text = record("c", &borrowed);
            prop_assert_eq!(text[..6].trim().parse::<usize>().unwrap(), text.len() - 6);
            prop_assert_eq!(&parse(&text[6..]).0[1..], &fields[..]);
        }

        #[test]
        fn any_record_is_parsed(text in "\\PC{0,200}") {
            prop_assert!(parse(&text).0.len() <= text.len());
        }
    }
}
