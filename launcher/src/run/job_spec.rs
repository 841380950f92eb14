//! The description of a job that an agent receives: the programs, which PE is on which host, the environment, and the
//! hosts that the agent is responsible for.

use ferrite_bootstrap::codec::{Malformed, Reader, Writer};
use ferrite_bootstrap::wire;
use ferrite_bootstrap::{NodeMap, Secret};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The version of the agents' protocol. Every [`JobSpec`] begins with it. Both sides must have the same version.
pub const VERSION: u32 = 10;

/// One program of the job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct App {
    /// The file to execute.
    pub program: PathBuf,
    /// Its `argv`: the name by which it is called, and its arguments.
    pub words: Vec<OsString>,
    /// Where it starts, if not where oshrun was started.
    pub directory: Option<PathBuf>,
    /// Variables to set, in addition to the environment.
    pub set: Vec<(OsString, OsString)>,
    /// One past its last PE. Programs have consecutive PEs.
    pub end: u32,
}

/// How agents are started, and when a silent agent is given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSettings {
    /// The words of the remote shell's command template.
    pub rsh: Vec<String>,
    /// How processes of a step find oshrun ([`super::step::Invitation`]); empty if agents are started host by host.
    pub step: String,
    /// This program's path on other hosts.
    pub agent: PathBuf,
    /// How many agents oshrun, or an agent, starts directly.
    pub fan_out: u32,
    /// The silence after which a host is late, in milliseconds.
    pub patience_ms: u32,
    /// The silence after which a host is lost, in milliseconds.
    pub lost_ms: u32,
    /// How long a host's agent may take to start, in milliseconds.
    pub start_ms: u32,
}

/// A host that runs PEs of the job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobHost {
    /// The host's node number.
    pub node: u32,
    /// The host's name, as the user gave it.
    pub host: String,
}

/// Everything that an agent needs in order to run its part of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobSpec {
    /// The secret by which PEs authenticate to each other.
    pub secret: Secret,
    /// Which PE is on which node.
    pub nodes: NodeMap,
    pub apps: Vec<App>,
    /// The directory in which oshrun was started.
    pub directory: PathBuf,
    /// Environment variables that are passed to all hosts.
    pub carried: Vec<(OsString, OsString)>,
    /// The values of `--map-by`, `--bind-to` (empty: not given), `--cpus-per-pe` and `--gpus` (empty: not given).
    pub placement: [String; 4],
    /// `--report-bindings`.
    pub report_bindings: bool,
    /// `--no-aslr`.
    pub no_aslr: bool,
    /// `--on-loss return`.
    pub loss_returns: bool,
    /// How the agents below are started and watched.
    pub agent_settings: AgentSettings,
    /// The agent's own host, then the hosts of the agents below it.
    pub hosts: Vec<JobHost>,
}

/// The longest word, path or variable, in bytes: the kernel's limit for an argument of a program.
const WORD_MAX: usize = 128 << 10;

impl JobSpec {
    /// The same job for other hosts.
    pub fn for_hosts(&self, hosts: &[JobHost]) -> JobSpec {
        JobSpec { hosts: hosts.to_vec(), ..self.clone() }
    }

    /// Write all fields to a frame.
    pub fn write<'a>(&self, to: &'a mut Writer) -> &'a mut Writer {
        to.u32(VERSION).raw(self.secret.bytes()).bytes(&self.nodes.encode());
        list(to, &self.apps, |to, app| {
            word(to, app.program.as_os_str());
            list(to, &app.words, |to, each| word(to, each));
            word(to, app.directory.as_ref().map_or(OsStr::new(""), |path| path.as_os_str()));
            list(to, &app.set, pair);
            to.u32(app.end);
        });
        word(to, self.directory.as_os_str());
        list(to, &self.carried, pair);
        self.placement.iter().for_each(|text| word(to, text.as_ref()));
        to.tag(self.report_bindings.into()).tag(self.no_aslr.into()).tag(self.loss_returns.into());
        list(to, &self.agent_settings.rsh, |to, each| word(to, each.as_ref()));
        word(to, self.agent_settings.step.as_ref());
        word(to, self.agent_settings.agent.as_os_str());
        let AgentSettings { fan_out, patience_ms, lost_ms, start_ms, .. } = self.agent_settings;
        to.u32(fan_out).u32(patience_ms).u32(lost_ms).u32(start_ms);
        list(to, &self.hosts, |to, host| word(to.u32(host.node), host.host.as_ref()));
        to
    }

    /// Read a [`JobSpec::write`] encoding. Checks everything that the rest of the launcher relies on.
    pub fn read(from: &mut Reader<'_>) -> Result<JobSpec, Malformed> {
        let version = from.u32()?;
        if version != VERSION {
            return Err(Malformed::new(format!(
                "the oshrun that started it speaks version {version} of the agents' protocol, this one speaks {}",
                VERSION
            )));
        }
        let spec = JobSpec {
            secret: Secret::of(from.raw()?),
            nodes: wire::nodes(from)?,
            apps: from.list(20, |from| {
                Ok(App {
                    program: word_from(from)?.into(),
                    words: from.list(4, word_from)?,
                    directory: Some(word_from(from)?).filter(|path| !path.is_empty()).map(PathBuf::from),
                    set: from.list(8, pair_from)?,
                    end: from.u32()?,
                })
            })?,
            directory: word_from(from)?.into(),
            carried: from.list(8, pair_from)?,
            placement: [from.text(WORD_MAX)?, from.text(WORD_MAX)?, from.text(WORD_MAX)?, from.text(WORD_MAX)?],
            report_bindings: from.u8()? != 0,
            no_aslr: from.u8()? != 0,
            loss_returns: from.u8()? != 0,
            agent_settings: AgentSettings {
                rsh: from.list(4, |from| from.text(WORD_MAX))?,
                step: from.text(WORD_MAX)?,
                agent: word_from(from)?.into(),
                fan_out: from.u32()?,
                patience_ms: from.u32()?,
                lost_ms: from.u32()?,
                start_ms: from.u32()?,
            },
            hosts: from.list(8, |from| Ok(JobHost { node: from.u32()?, host: from.text(WORD_MAX)? }))?,
        };
        spec.check()?;
        Ok(spec)
    }

    fn check(&self) -> Result<(), Malformed> {
        let ends: Vec<u32> = self.apps.iter().map(|app| app.end).collect();
        let wrong = if !ends.is_sorted() || ends.last() != Some(&self.nodes.size()) {
            "programs that do not cover all PEs"
        } else if self.apps.iter().any(|app| app.words.is_empty()) {
            "a program without a name"
        } else if self.hosts.is_empty() || self.hosts.iter().any(|host| host.node >= self.nodes.nodes()) {
            "hosts that are not in the job"
        } else if self.agent_settings.rsh.is_empty() || self.agent_settings.fan_out == 0 {
            "no way to start an agent"
        } else {
            return Ok(());
        };
        Err(Malformed::new(wrong))
    }

    /// The number of the program that a PE runs.
    pub fn app_number(&self, pe: u32) -> usize {
        self.apps.partition_point(|app| app.end <= pe)
    }

    /// The hosts `below`, divided among the agents that are started directly. Each share begins with the agent's own
    /// host.
    pub fn shares<'a>(&self, below: &'a [JobHost]) -> impl Iterator<Item = &'a [JobHost]> {
        let (many, agents) = (below.len(), (self.agent_settings.fan_out as usize).min(below.len()));
        (0..agents).map(move |agent| &below[many * agent / agents..many * (agent + 1) / agents])
    }
}

fn list<T>(to: &mut Writer, items: &[T], mut each: impl FnMut(&mut Writer, &T)) {
    to.len(items.len());
    items.iter().for_each(|item| each(to, item));
}

fn word(to: &mut Writer, word: &OsStr) {
    to.bytes(word.as_bytes());
}

fn pair(to: &mut Writer, (name, value): &(OsString, OsString)) {
    word(to, name);
    word(to, value);
}

fn word_from(from: &mut Reader<'_>) -> Result<OsString, Malformed> {
    Ok(OsString::from_vec(from.bytes(WORD_MAX)?.to_vec()))
}

fn pair_from(from: &mut Reader<'_>) -> Result<(OsString, OsString), Malformed> {
    Ok((word_from(from)?, word_from(from)?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn os() -> impl Strategy<Value = OsString> {
        vec(any::<u8>(), 1..9).prop_map(OsString::from_vec)
    }

    fn app() -> impl Strategy<Value = App> {
        (os(), vec(os(), 1..4), proptest::option::of(os()), vec((os(), os()), 0..3)).prop_map(
            |(program, words, directory, set)| App {
                program: program.into(),
                words,
                directory: directory.map(PathBuf::from),
                set,
                end: 0,
            },
        )
    }

    pub fn spec() -> impl Strategy<Value = JobSpec> {
        let job = (any::<[u8; 16]>(), vec(0..4_u32, 1..9), vec(app(), 1..4), os(), vec((os(), os()), 0..3));
        let rest = ("[a-z:0-9]{0,9}", "[a-z]{0,5}", any::<bool>(), vec("[ -~]{1,9}", 1..4), vec("[a-z]{1,5}", 1..5));
        (job, rest, 1..9_u32, any::<[u32; 3]>()).prop_map(|(job, rest, fan_out, [patience_ms, lost_ms, start_ms])| {
            let (secret, nodes, mut apps, directory, carried) = job;
            let (map, bind, report_bindings, rsh, hosts) = rest;
            let nodes = NodeMap::of(nodes);
            let count = apps.len() as u32;
            for (number, app) in (1..).zip(&mut apps) {
                app.end = nodes.size() * number / count;
            }
            let hosts = hosts.into_iter().map(|host| JobHost { node: nodes.nodes() - 1, host }).collect();
            let agent = "/bin/oshrun".into();
            let agent_settings =
                AgentSettings { step: rsh.concat(), rsh, agent, fan_out, patience_ms, lost_ms, start_ms };
            JobSpec {
                secret: Secret::of(secret),
                nodes,
                apps,
                directory: directory.into(),
                carried,
                placement: [map, bind.clone(), fan_out.to_string(), bind],
                report_bindings,
                no_aslr: !report_bindings,
                loss_returns: report_bindings,
                agent_settings,
                hosts,
            }
        })
    }

    /// A job of one PE on one host.
    pub fn small() -> JobSpec {
        let app = App { program: "/p".into(), words: vec!["p".into()], directory: None, set: Vec::new(), end: 1 };
        let rsh = vec!["ssh".into()];
        JobSpec {
            secret: Secret::of([0; 16]),
            nodes: NodeMap::of([0]),
            apps: vec![app],
            directory: "/".into(),
            carried: Vec::new(),
            placement: ["slot", "", "1", ""].map(str::to_owned),
            report_bindings: false,
            no_aslr: false,
            loss_returns: false,
            agent_settings: AgentSettings {
                rsh,
                step: String::new(),
                agent: "/bin/oshrun".into(),
                fan_out: 1,
                patience_ms: 5000,
                lost_ms: 60_000,
                start_ms: 5000,
            },
            hosts: vec![JobHost { node: 0, host: "h".into() }],
        }
    }

    proptest! {
        #[test]
        fn hosts_are_shared_out_once_each(spec in spec(), hosts in 0..200_u32) {
            let below: Vec<JobHost> = (0..hosts).map(|node| JobHost { node, host: "h".into() }).collect();
            let shares: Vec<&[JobHost]> = spec.shares(&below).collect();
            prop_assert!(shares.len() <= spec.agent_settings.fan_out as usize && shares.iter().all(|share| !share.is_empty()));
            prop_assert_eq!(shares.concat(), below);
        }

        #[test]
        fn every_pe_has_its_program(spec in spec()) {
            for pe in 0..spec.nodes.size() {
                let at = spec.app_number(pe);
                prop_assert!(pe < spec.apps[at].end && (at == 0 || spec.apps[at - 1].end <= pe));
            }
        }
    }
}
