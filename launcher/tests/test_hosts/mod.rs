//! Hosts to run jobs on: network namespaces of this machine, or several names for this machine itself.

#![allow(dead_code, reason = "each test program uses its part")]

use super::job;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Hosts to run a job on.
pub struct TestHosts {
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Addresses of the hosts, if they are namespaces.
    pub addresses: Vec<String>,
    /// The remote shell with which oshrun reaches the hosts.
    pub rsh: String,
    script: Option<(Child, ChildStdin)>,
}

/// A remote shell that starts the agent on this machine, in the same namespaces.
pub const HERE: &str = "sh -c 'exec \"$@\"' {host}";

impl TestHosts {
    /// `count` names for this machine.
    pub fn here(count: usize) -> TestHosts {
        let hosts = ["ha", "hb", "hc", "hd", "he", "hf", "hg", "hh"][..count].iter().map(|&name| name.into()).collect();
        TestHosts { hosts, addresses: Vec::new(), rsh: HERE.into(), script: None }
    }

    /// `count` namespaces. Prints the reason if they cannot be made.
    pub fn apart(count: usize) -> Option<TestHosts> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci/hosts");
        let show =
            "echo \"$FERRITE_TEST_HOSTS\"; echo \"$FERRITE_TEST_ADDRESSES\"; echo \"$FERRITE_RSH\"; cat >/dev/null";
        let mut command = Command::new(script);
        command.arg(count.to_string()).args(["sh", "-c", show]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let Some(Ok(hosts)) = lines.next() else {
            let output = child.wait_with_output().unwrap();
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(77), "{why}");
            println!("{}", why.trim());
            return None;
        };
        let mut next = || lines.next().unwrap().unwrap();
        let split = |text: &str| text.split(',').map(str::to_owned).collect();
        let (addresses, rsh) = (split(&next()), next());
        let input = child.stdin.take().unwrap();
        Some(TestHosts { hosts: split(&hosts), addresses, rsh, script: Some((child, input)) })
    }

    /// Both kinds, if they can be made.
    pub fn both(count: usize) -> Vec<TestHosts> {
        [Some(TestHosts::here(count)), TestHosts::apart(count)].into_iter().flatten().collect()
    }

    /// The same hosts with another remote shell.
    pub fn reached_by(mut self, rsh: String) -> TestHosts {
        self.rsh = rsh;
        self
    }

    /// True if the hosts are namespaces.
    pub fn is_apart(&self) -> bool {
        self.script.is_some()
    }

    /// The argument of `--host`, with this number of slots for each host.
    pub fn list(&self, slots: &[u32]) -> String {
        let each = self.hosts.iter().zip(slots).map(|(host, slots)| format!("{host}:{slots}"));
        each.collect::<Vec<_>>().join(",")
    }

    /// An oshrun over the hosts; `PE!` stands for the test program.
    pub fn command(&self, slots: &[u32], words: &[&str]) -> Command {
        let list = self.list(slots);
        let mut command = job::command(&[&["--host", &list, "--rsh", &self.rsh, "--bind-to", "none"], words].concat());
        command.env_remove("FERRITE_RSH").env_remove("FERRITE_START_TIMEOUT").env_remove("FERRITE_LOST_TIMEOUT");
        // A host of a busy machine is not reported late, unless a test asks for it.
        command.env("FERRITE_HOST_TIMEOUT", "60");
        command
    }

    pub fn start(&self, slots: &[u32], words: &[&str]) -> job::Job {
        job::start_with_input(self.command(slots, words), b"")
    }

    /// Run a job to its end.
    pub fn run(&self, slots: &[u32], words: &[&str]) -> job::Ran {
        self.start(slots, words).finish()
    }

    /// The processes of host number `host`, which is a namespace.
    pub fn pids(&self, host: usize) -> Vec<i32> {
        let output = Command::new("ip").args(["netns", "pids", &self.hosts[host]]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().unwrap()).collect()
    }

    /// A command inside host number `host`, which is a namespace.
    pub fn inside(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.hosts[host], program]);
        command
    }

    /// Cut off host number `host`, which is a namespace, from the others.
    pub fn cut(&self, host: usize) {
        let down = ["-n", &self.hosts[host], "link", "set", "eth0", "down"];
        assert!(Command::new("ip").args(down).status().unwrap().success());
    }
}

impl Drop for TestHosts {
    fn drop(&mut self) {
        if let Some((mut child, input)) = self.script.take() {
            drop(input);
            let _ = child.wait();
        }
    }
}
