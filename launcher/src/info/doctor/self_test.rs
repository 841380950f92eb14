//! Runs two PEs that communicate over each transport of this host, in a job of oshrun, as users start it.

use super::Finding;
use crate::info::transports::{self, Offer};
use std::process::{Command, Stdio};

/// Time limit of a job, in seconds. After it, the transport counts as not working.
const TIMEOUT_S: &str = "20";

/// A job of two PEs, and the settings that select its transport.
pub(super) struct Test {
    what: String,
    settings: Vec<(&'static str, String)>,
    hosts: Option<String>,
    /// The advice if it fails.
    advice: &'static str,
}

/// The tests of this host. A transport without a test has a finding that tells why.
pub(super) fn tests(hosts: Option<&str>) -> Vec<Result<Test, Finding>> {
    let test = |what: String, settings: Vec<(&'static str, String)>, advice| {
        Ok(Test { what, settings, hosts: hosts.map(str::to_owned), advice })
    };
    let over = |transport: &str| vec![("SHMEM_TRANSPORT", transport.to_owned())];
    let mut tests = vec![test("PEs over tcp".to_owned(), over("tcp"), TCP_ADVICE)];
    // Shared memory and addresses belong to one host.
    if hosts.is_none() {
        tests.insert(0, test("PEs over shm".to_owned(), over("shm"), "PEs of this host cannot share memory"));
        tests.extend(ferrite_tcp::survey(None).unwrap_or_default().into_iter().map(|address| {
            let settings = [over("tcp"), vec![("SHMEM_TCP_IFACE", address.to_string())]].concat();
            test(format!("PEs over tcp, {address}"), settings, TCP_ADVICE)
        }));
    }
    for (transport, offers) in [("libfabric", transports::libfabric_offers()), ("ucx", transports::ucx_offers())] {
        match offers {
            Err(why) => tests.push(Err(Finding::advice(
                format!("PEs over {transport}"),
                format!("not tried: {why}; shared memory and TCP do not need it"),
            ))),
            Ok(offers) => tests.extend(offers.into_iter().map(|Offer { name, settings }| {
                let settings = over(transport).into_iter().chain(settings).collect();
                test(format!("PEs over {transport}{name}"), settings, LIBRARY_ADVICE)
            })),
        }
    }
    tests
}

const TCP_ADVICE: &str =
    "let the firewall accept connections between the hosts of a job, or choose the network with SHMEM_TCP_IFACE";
const LIBRARY_ADVICE: &str = "oshmem_info --transports lists what it offers; SHMEM_DEBUG=1 reports what it does";

/// The subject of a finding about a host without an agent: every other test would fail for the same reason.
pub(super) const HOSTS: &str = "hosts";

/// The line of oshrun about a host on which it could not start its agent.
fn unreachable(said: &str) -> Option<&str> {
    let is_start = |line: &&str| line.starts_with("cannot start its agent on host ");
    said.lines().filter_map(|line| line.trim().strip_prefix("oshrun: ")).find(is_start)
}

impl Test {
    /// Run the job, and report the result.
    pub(super) fn run(&self) -> Finding {
        let program = match crate::program_path::file_elsewhere() {
            Ok(program) => program,
            Err(error) => return Finding::broken(&self.what, format!("cannot find this program: {error}")),
        };
        // The oshrun of the same installation.
        let oshrun = program.with_file_name("oshrun");
        let mut job = Command::new(&oshrun);
        job.args(["-n", "2", "--timeout", TIMEOUT_S, "--bind-to", "none"]);
        match &self.hosts {
            Some(hosts) => job.args(["--map-by", "node", "--host", hosts]),
            // Within an allocation oshrun would use its hosts.
            None => job.args(["--host", "localhost:2"]),
        };
        job.arg(program).arg(super::PE).envs(self.settings.iter().map(|(name, value)| (name, value)));
        match job.stdin(Stdio::null()).output() {
            Err(error) => Finding::broken(&self.what, format!("cannot run {}: {error}", oshrun.display())),
            Ok(output) if output.status.success() => {
                Finding::fine(&self.what, String::from_utf8_lossy(&output.stdout).trim().to_owned())
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                if let Some(why) = unreachable(&said) {
                    return Finding::broken(HOSTS, format!("{why}; no further transport was tried"));
                }
                let why = reason(&said);
                Finding::broken(&self.what, format!("{why}; {}; to repeat the test: {job:?}", self.advice))
            }
        }
    }
}

/// The line that tells the reason: the first line of a PE, since later lines follow from it; else the first line of oshrun.
fn reason(said: &str) -> &str {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next();
    lines.find(|line| !line.starts_with("oshrun:")).or(first).unwrap_or("the job failed without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_and_tcp_are_always_tried_and_no_address_of_one_host_on_two() {
        let names = |hosts| -> Vec<String> { tests(hosts).into_iter().flatten().map(|test| test.what).collect() };
        let here = names(None);
        assert!(here.contains(&"PEs over shm".to_owned()) && here.contains(&"PEs over tcp".to_owned()), "{here:?}");
        let there = names(Some("a,b"));
        assert!(there.contains(&"PEs over tcp".to_owned()), "{there:?}");
        assert!(
            !there.iter().any(|name| name.contains("shm") && !name.contains("libfabric") || name.contains("tcp, "))
        );
    }

    #[test]
    fn message_of_a_pe_is_the_reason() {
        assert_eq!(reason("\noshrun: PE 0 failed\n  PE 1: no route\noshrun: PE 1 failed\n"), "PE 1: no route");
        assert_eq!(reason("oshrun: there is no host a\n"), "oshrun: there is no host a");
        let said = "oshrun: cannot start its agent on host b: `ssh` exited with 255\noshrun: the job ends\n";
        assert_eq!(unreachable(said), Some("cannot start its agent on host b: `ssh` exited with 255"));
        assert_eq!(unreachable("oshrun: PE 1 failed\n"), None);
        assert_eq!(reason("\n"), "the job failed without a message");
    }
}
