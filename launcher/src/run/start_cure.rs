//! What a user can do about a host on which no agent starts.

use super::process_end::ProcessEnd;
use super::rsh;
use std::ffi::OsStr;
use std::path::Path;

/// Exit codes of a shell that cannot find a program, or cannot execute it.
const NO_PROGRAM: [u8; 2] = [127, 126];

/// The first rows of [`CURES`], which are about names and hold for every remote shell.
const NAMES: usize = 2;
/// Phrases of remote shells, and their cures. After the first [`NAMES`], those of ssh and its kin. `{command}` stands for the remote shell, `{host}` for the host.
const CURES: [(&str, &str); 7] = [
    (
        "could not resolve hostname",
        "{command} cannot resolve the name {host}: correct it, or give its address in --host, /etc/hosts or the configuration of ssh",
    ),
    (
        "name or service not known",
        "{command} cannot resolve the name {host}: correct it, or give its address in --host or /etc/hosts",
    ),
    ("host key verification failed", "log in once by `ssh {host}` and accept its key"),
    ("permission denied", "it must let you in without a password: ssh-copy-id {host}"),
    ("connection refused", "no ssh server answers there: start it, or name another remote shell by --rsh"),
    ("connection timed out", "no ssh server answers there: start it, or name another remote shell by --rsh"),
    ("no route to host", "this host cannot reach it: check the name, the network and the firewall"),
];

/// The cure for a host whose remote shell has ended before its agent started. `complaint` is the shell's standard error.
pub fn cure(host: &str, agent: &Path, command: &str, end: ProcessEnd, complaint: &str) -> Option<String> {
    let complaint = complaint.to_ascii_lowercase();
    // srun has its own exit code, but names the program, as the loader does.
    let is_named = complaint.contains(&agent.to_string_lossy().to_ascii_lowercase());
    if is_named && complaint.contains("version `glibc_") {
        return Some(format!(
            "glibc on {host} is older than where this oshrun was built: install a package of Ferrite, which needs glibc 2.28, or build \
             Ferrite on the oldest of the hosts"
        ));
    }
    let is_missing = is_named && (complaint.contains("no such file") || complaint.contains("not found"));
    if is_missing || matches!(end, ProcessEnd::Exit(code) if NO_PROGRAM.contains(&code)) {
        let agent = agent.display();
        return Some(format!(
            "install Ferrite there under the same path ({agent}), or name its oshrun by --launch-agent"
        ));
    }
    // Others than ssh use the same phrases for other failures.
    let cures = if rsh::asks_a_shell(OsStr::new(command)) { &CURES[..] } else { &CURES[..NAMES] };
    let (_, cure) = cures.iter().find(|(phrase, _)| complaint.contains(phrase))?;
    Some(cure.replace("{command}", command).replace("{host}", host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_cure() {
        for (code, complaint, expected) in [
            (127, "bash: line 1: /opt/f/bin/oshrun: No such file or directory", "install Ferrite there"),
            (126, "bash: /opt/f/bin/oshrun: Permission denied", "install Ferrite there"),
            (2, "slurmstepd: error: execve(): /opt/f/bin/oshrun: No such file or directory", "install Ferrite there"),
            (
                1,
                "/opt/f/bin/oshrun: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by /opt/f/bin/oshrun)",
                "glibc on hx is older than where this oshrun was built",
            ),
            // Of a tool in the user's profile.
            (127, "tool: version `GLIBC_2.34' not found\nbash: oshrun: command not found", "install Ferrite there"),
            (255, "ssh: Could not resolve hostname hx: Name or service not known", "ssh cannot resolve the name hx: "),
            (255, "rsh: hx: Name or service not known", "ssh cannot resolve the name hx: "),
            (255, "Host key verification failed.", "log in once by `ssh hx`"),
            (255, "u@hx: Permission denied (publickey).", "ssh-copy-id hx"),
            (255, "ssh: connect to host hx port 22: Connection refused", "no ssh server answers"),
            (255, "ssh: connect to host hx port 22: Connection timed out", "no ssh server answers"),
            (255, "ssh: connect to host hx port 22: No route to host", "cannot reach it"),
        ] {
            let said = cure("hx", Path::new("/opt/f/bin/oshrun"), "ssh", ProcessEnd::Exit(code), complaint);
            assert!(said.as_deref().is_some_and(|said| said.contains(expected)), "{complaint}: {said:?}");
        }
        for (command, complaint) in [
            ("ssh", "Welcome"),
            ("srun", "srun: error: Unable to confirm allocation: Connection refused"),
            ("docker", "permission denied while trying to connect to the Docker daemon"),
        ] {
            assert_eq!(cure("hx", Path::new("/opt/f/bin/oshrun"), command, ProcessEnd::Exit(1), complaint), None);
        }
    }
}
