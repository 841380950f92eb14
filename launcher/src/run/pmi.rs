//! PMI-1, server side: translates a PE's `cmd=... key=value` lines into messages of Ferrite's protocol, and answers
//! back. Pure: no I/O.
//!
//! A program built with MPICH finds the connection in `PMI_FD`. It is the same connection that our library uses; [`super::pe_protocol`]
//! tells how the two are distinguished. PMI has one key space per job, so a `put` is published under a key that begins with [`PREFIX`], and
//! is stored as PE 0's.

use super::exchange::KEYS_MAX;
use ferrite_bootstrap::NodeMap;
use ferrite_bootstrap::wire::{ToLauncher, ToPe, VERSION};
use ferrite_fabric::Pe;
use std::mem;

/// The prefix of published keys that come from PMI.
pub const PREFIX: &str = "pmi:";
/// The first bytes of a connection that speaks PMI.
pub const OPENING: &[u8] = b"cmd=";
/// The longest line, in bytes.
pub const LINE_MAX: usize = 4 << 10;
/// The longest names and values that `get_maxes` reports, in bytes, counting a terminating zero.
const KEY_MAX: usize = 64;
const VALUE_MAX: usize = 1024;
/// How many bytes a PE may put before a barrier. The number of values is limited by [`KEYS_MAX`].
const PUTS_MAX: usize = 1 << 20;

/// The messages and the answer that follow from a line.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Received {
    /// The request of the PE, as messages of Ferrite's protocol.
    pub messages: Vec<ToLauncher>,
    /// The line to send back at once.
    pub answer: Option<String>,
}

/// The state of one PE's PMI connection.
#[derive(Debug)]
pub struct Pmi {
    /// The index of the PE's program in the job.
    app: usize,
    puts: Vec<(String, Vec<u8>)>,
    /// The size of `puts`, in bytes.
    put_bytes: usize,
    size: u32,
    mapping: String,
    /// A `spawn` request of several lines is being received; its last line is answered with a refusal.
    spawning: bool,
}

impl Pmi {
    /// For a PE that runs the job's program number `app`.
    pub fn new(app: usize) -> Self {
        Pmi { app, puts: Vec::new(), put_bytes: 0, size: 0, mapping: String::new(), spawning: false }
    }

    /// Handle a line of the PE. An error describes a protocol violation.
    pub fn receive(&mut self, line: &str) -> Result<Received, String> {
        if self.spawning || line.starts_with("mcmd=") {
            self.spawning = line != "endcmd";
            let refusal = "cmd=spawn_result rc=-1 msg=oshrun_spawns_no_processes";
            return Ok(if self.spawning { Received::default() } else { answer(refusal) });
        }
        let field = |name: &str| {
            line.split_ascii_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).unwrap_or("")
        };
        Ok(match field("cmd") {
            "init" if field("pmi_version") == "1" => {
                Received { messages: vec![ToLauncher::Hello { version: VERSION }, ToLauncher::Join], answer: None }
            }
            "init" => answer("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1"),
            "get_maxes" => answer(&format!("cmd=maxes kvsname_max=256 keylen_max={KEY_MAX} vallen_max={VALUE_MAX}")),
            "get_appnum" => answer(&format!("cmd=appnum appnum={}", self.app)),
            "get_my_kvsname" => answer("cmd=my_kvsname kvsname=ferrite"),
            "get_universe_size" => answer(&format!("cmd=universe_size size={}", self.size)),
            "put" => self.put(field("key"), line.split_once(" value=").map_or("", |(_, value)| value)),
            "get" => self.get(field("key")),
            "barrier_in" => {
                let published = mem::take(&mut self.puts);
                self.put_bytes = 0;
                Received { messages: vec![ToLauncher::Exchange { published }], answer: None }
            }
            "finalize" => Received { messages: vec![ToLauncher::Leave], ..answer("cmd=finalize_ack rc=0") },
            "abort" => {
                let code = field("exitcode").parse().unwrap_or(1);
                Received { messages: vec![ToLauncher::Abort { code, why: String::new() }], answer: None }
            }
            "publish_name" => answer("cmd=publish_result rc=-1 msg=oshrun_keeps_no_names"),
            "unpublish_name" => answer("cmd=unpublish_result rc=-1 msg=oshrun_keeps_no_names"),
            "lookup_name" => answer("cmd=lookup_result rc=-1 msg=oshrun_keeps_no_names"),
            other => return Err(format!("it asks in PMI-1 for `{}`", other.chars().take(40).collect::<String>())),
        })
    }

    fn put(&mut self, key: &str, value: &str) -> Received {
        if key.is_empty() || key.len() >= KEY_MAX || value.len() >= VALUE_MAX {
            return answer("cmd=put_result rc=-1 msg=key_or_value_too_long");
        }
        let bytes = PREFIX.len() + key.len() + value.len();
        if self.puts.len() == KEYS_MAX || self.put_bytes + bytes > PUTS_MAX {
            return answer("cmd=put_result rc=-1 msg=too_many_puts_before_a_barrier");
        }
        self.put_bytes += bytes;
        self.puts.push((format!("{PREFIX}{key}"), value.as_bytes().to_vec()));
        answer("cmd=put_result rc=0 msg=success")
    }

    fn get(&self, key: &str) -> Received {
        if key == "PMI_process_mapping" {
            let known = !self.mapping.is_empty() && self.mapping.len() < VALUE_MAX;
            return answer(&found(known.then_some(&self.mapping[..])));
        }
        if key.is_empty() || key.len() >= KEY_MAX {
            return answer(&found(None));
        }
        Received { messages: vec![ToLauncher::Lookup { pe: Pe(0), key: format!("{PREFIX}{key}") }], answer: None }
    }

    /// Encode an answer as a line.
    pub fn encode(&mut self, answer: &ToPe) -> String {
        let mut line = match answer {
            ToPe::Welcome { nodes, .. } => {
                (self.size, self.mapping) = (nodes.size(), mapping(nodes));
                "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0".to_owned()
            }
            ToPe::Refused { .. } => "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1".to_owned(),
            ToPe::Released { .. } => "cmd=barrier_out rc=0".to_owned(),
            ToPe::Found { entries } => {
                let value = entries.first().and_then(|entry| str::from_utf8(&entry.value).ok());
                found(value)
            }
        };
        line.push('\n');
        line
    }
}

fn answer(answer: &str) -> Received {
    Received { messages: Vec::new(), answer: Some(format!("{answer}\n")) }
}

fn found(value: Option<&str>) -> String {
    match value {
        Some(value) => format!("cmd=get_result rc=0 msg=success value={value}"),
        None => "cmd=get_result rc=-1 msg=key_not_found value=unknown".to_owned(),
    }
}

/// The process mapping of PMI: blocks of first node, number of nodes, and number of processes on each.
fn mapping(nodes: &NodeMap) -> String {
    let block = |(node, nodes, each): (u32, u32, u32)| format!(",({node},{nodes},{each})");
    // A mapping that is longer than the longest value is of no use.
    let blocks: String = nodes.blocks().take(VALUE_MAX / 8 + 1).map(block).collect();
    format!("(vector{blocks})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_bootstrap::{Secret, wire::Entry};
    use proptest::prelude::*;

    fn answered(pmi: &mut Pmi, line: &str) -> String {
        pmi.receive(line).unwrap().answer.unwrap_or_else(|| panic!("no answer to {line}"))
    }

    #[test]
    fn a_conversation_as_mpich_has_it() {
        let mut pmi = Pmi::new(2);
        let hello = pmi.receive("cmd=init pmi_version=1 pmi_subversion=1").unwrap();
        assert_eq!(hello.messages, [ToLauncher::Hello { version: VERSION }, ToLauncher::Join]);
        let welcome = ToPe::Welcome { me: Pe(1), nodes: NodeMap::of([0, 0, 1]), secret: Secret::of([0; 16]) };
        assert_eq!(pmi.encode(&welcome), "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
        assert!(answered(&mut pmi, "cmd=get_maxes").contains(" keylen_max=64 vallen_max=1024\n"));
        assert_eq!(answered(&mut pmi, "cmd=get_appnum"), "cmd=appnum appnum=2\n");
        assert_eq!(answered(&mut pmi, "cmd=get_universe_size"), "cmd=universe_size size=3\n");
        assert!(
            answered(&mut pmi, "cmd=get kvsname=ferrite key=PMI_process_mapping")
                .ends_with("=(vector,(0,1,2),(1,1,1))\n")
        );
        assert!(answered(&mut pmi, "cmd=put kvsname=ferrite key=a value=x y=z").contains("rc=0"));
        let published = vec![("pmi:a".to_owned(), b"x y=z".to_vec())];
        assert_eq!(pmi.receive("cmd=barrier_in").unwrap().messages, [ToLauncher::Exchange { published }]);
        assert_eq!(pmi.encode(&ToPe::Released { entries: None }), "cmd=barrier_out rc=0\n");
        let asked = ToLauncher::Lookup { pe: Pe(0), key: "pmi:a".into() };
        assert_eq!(pmi.receive("cmd=get kvsname=ferrite key=a").unwrap().messages, [asked]);
        let entries = vec![Entry { pe: Pe(0), key: "pmi:a".into(), value: b"x y=z".to_vec() }];
        assert!(pmi.encode(&ToPe::Found { entries }).ends_with(" value=x y=z\n"));
        assert!(pmi.encode(&ToPe::Found { entries: vec![] }).contains("rc=-1"));
        assert_eq!(pmi.receive("cmd=finalize").unwrap().messages, [ToLauncher::Leave]);
        let abort = ToLauncher::Abort { code: 7, why: String::new() };
        assert_eq!(pmi.receive("cmd=abort exitcode=7").unwrap().messages, [abort]);
    }

    #[test]
    fn puts_before_a_barrier_are_bounded() {
        for value in [String::new(), "v".repeat(1000)] {
            let mut pmi = Pmi::new(0);
            let put = |pmi: &mut Pmi| {
                let taken = (0..=KEYS_MAX).take_while(|key| {
                    answered(pmi, &format!("cmd=put kvsname=k key={key} value={value}")).contains("rc=0")
                });
                taken.count()
            };
            let most = put(&mut pmi);
            assert!(most <= KEYS_MAX && most * value.len() <= PUTS_MAX && most >= 1000, "{most}");
            pmi.receive("cmd=barrier_in").unwrap();
            assert_eq!(put(&mut pmi), most, "a barrier makes room");
        }
    }

    #[test]
    fn unsupported_commands_are_answered() {
        let mut pmi = Pmi::new(0);
        assert!(answered(&mut pmi, "cmd=init pmi_version=2 pmi_subversion=0").contains("rc=-1"));
        assert!(answered(&mut pmi, &format!("cmd=put kvsname=k key={} value=v", "k".repeat(64))).contains("rc=-1"));
        assert!(answered(&mut pmi, &format!("cmd=put kvsname=k key=k value={}", "v".repeat(1024))).contains("rc=-1"));
        assert!(answered(&mut pmi, "cmd=lookup_name service=s").contains("rc=-1"));
        for line in ["mcmd=spawn", "nprocs=2", "cmd=finalize"] {
            assert_eq!(pmi.receive(line).unwrap(), Received::default(), "{line}");
        }
        assert!(answered(&mut pmi, "endcmd").contains("spawn_result rc=-1"));
        assert!(pmi.receive("cmd=fly").unwrap_err().contains("`fly`"));
        assert!(pmi.receive("GET / HTTP/1.0").is_err());
    }

    proptest! {
        #[test]
        fn any_line_is_answered_or_refused(line in "(cmd=[a-z_]{0,12} )?\\PC{0,80}") {
            let mut pmi = Pmi::new(0);
            if let Ok(Received { answer: Some(answer), .. }) = pmi.receive(&line) {
                prop_assert!(answer.ends_with('\n') && answer.lines().count() == 1);
            }
        }
    }
}
