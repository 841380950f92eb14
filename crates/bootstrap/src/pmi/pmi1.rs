//! PMI-1: lines of `cmd=... key=value`, over a socket whose descriptor is in `PMI_FD`.
//!
//! | PE sends | launcher answers |
//! |---|---|
//! | `init` | `response_to_init` |
//! | `get_maxes` | `maxes`: how long names, keys and values may be |
//! | `get_my_kvsname` | `my_kvsname`: the name of the job's store |
//! | `put` | `put_result` |
//! | `barrier_in` | `barrier_out`, when every PE has sent it |
//! | `get` | `get_result` |
//! | `abort` | nothing: the job ends |
//! | `finalize` | `finalize_ack` |

use super::channel::{self, Channel, Fields, Framing};
use crate::kvs::Store;
use ferrite_fabric::{Error, Pe, Result};

/// Minimum key length required, in bytes; our keys have at most 40.
const KEY_NEEDED: u32 = 48;
/// The longest accepted name of a store, in bytes.
const STORE_NAME_MAX: usize = 512;

/// A PE's end of a PMI-1 connection.
pub(crate) struct Pmi1 {
    channel: Channel,
    name: String,
    store: String,
    place: (Pe, u32),
    value_max: usize,
}

impl Pmi1 {
    /// Continue after the version is agreed on: ask for the limits and for the name of the store.
    pub fn begin(channel: Channel, me: Pe, size: u32) -> Result<Self> {
        let name = channel.name("PMI-1");
        let mut pmi = Pmi1 { channel, name, store: String::new(), place: (me, size), value_max: 0 };
        let maxes = pmi.ask("cmd=get_maxes\n", "maxes")?;
        let maximum = |key: &str| {
            let missing = || pmi.channel.wrong(Error::new(format!("its maxima have no `{key}`")));
            maxes.number(key).ok_or_else(missing)
        };
        let (keys, values) = (maximum("keylen_max")?, maximum("vallen_max")?);
        if keys < KEY_NEEDED {
            let short = Error::new(format!("keys of {keys} bytes: at least {KEY_NEEDED} are needed"));
            return Err(pmi.channel.wrong(short));
        }
        let answer = pmi.ask("cmd=get_my_kvsname\n", "my_kvsname")?;
        let store = answer.get("kvsname").filter(|name| !name.is_empty() && name.len() <= STORE_NAME_MAX);
        pmi.store = store.ok_or_else(|| pmi.channel.wrong(Error::new("no name of the job's store")))?.to_owned();
        let beside = pmi.request("put", "").len() + KEY_NEEDED as usize + " value=".len();
        pmi.value_max = channel::value_max(values as usize, beside).map_err(|error| pmi.channel.wrong(error))?;
        Ok(pmi)
    }

    fn ask(&self, request: &str, expected: &str) -> Result<Fields> {
        let answer = Fields::of_line(&self.channel.call(request, Framing::Line)?);
        answer.answers(expected).map_err(|error| self.channel.wrong(error))?;
        Ok(answer)
    }

    fn request(&self, command: &str, key: &str) -> String {
        format!("cmd={command} kvsname={} key={key}", self.store)
    }
}

impl Store for Pmi1 {
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
        let request = format!("{} value={}\n", self.request("put", key), channel::encode(value));
        self.ask(&request, "put_result").map(drop)
    }

    fn fence(&self) -> Result<()> {
        self.ask("cmd=barrier_in\n", "barrier_out").map(drop)
    }

    fn get(&self, _pe: Pe, key: &str) -> Result<Vec<u8>> {
        let answer = self.ask(&format!("{}\n", self.request("get", key)), "get_result")?;
        let text = answer.get("value").ok_or_else(|| Error::new("a value without its text"));
        text.and_then(channel::decode).map_err(|error| self.channel.wrong(error))
    }

    fn abort(&self, code: i32) {
        // If the launcher cannot be reached, it has ended the job already.
        let _ = self.channel.tell(&format!("cmd=abort exitcode={code}\n"));
    }

    fn goodbye(&self) -> Result<()> {
        self.ask("cmd=finalize\n", "finalize_ack").map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_real_launchers_are_understood() {
        let fields = Fields::of_line("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024");
        assert_eq!((fields.number("keylen_max"), fields.number("vallen_max")), (Some(64), Some(1024)));
        let fields = Fields::of_line("cmd=get_result rc=0 msg=success value=a=b");
        assert_eq!((fields.answers("get_result").is_ok(), fields.get("value")), (true, Some("a=b")));
        let error = Fields::of_line("cmd=get_result rc=-1 msg=key_x_not_found value=unknown")
            .answers("get_result")
            .unwrap_err();
        assert!(error.to_string().contains("key_x_not_found"), "{error}");
        assert!(Fields::of_line("cmd=barrier_out rc=0").answers("put_result").is_err());
        assert!(Fields::of_line("").answers("put_result").is_err());
    }

    proptest! {
        #[test]
        fn any_line_is_parsed(line in "\\PC{0,200}") {
            prop_assert!(Fields::of_line(&line).0.iter().all(|(key, _)| !key.contains('=')));
        }
    }
}
