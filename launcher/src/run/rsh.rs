//! The command template for running a program on another host (`--rsh`): a list of words, in which `{host}` is
//! replaced.

use super::control_group;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use tokio::net::unix::pipe::Receiver;

/// The default: no X11, no agent forwarding, no terminal, no prompts. An existing shared connection is used, but none is created: it would
/// end with the job, and break other sessions that had come to use it.
pub const DEFAULT: &str = "ssh -x -a -T -o BatchMode=yes -o ControlMaster=no {host}";

/// The default in an allocation by Slurm, whose hosts may not allow ssh: one task that may use all of the job's cpus on the host and is not
/// bound. Unbuffered, since Slurm otherwise forwards whole lines only.
pub const SLURM: &str = "srun -u --overlap --mpi=none --cpu-bind=none -N1 -n1 -w {host}";

/// Variables that change how srun works, and have no option that overrides them. Users set them, and sbatch sets them from its options. The
/// first four would label or redirect an agent's messages. The others would limit an agent and its PEs to the cpus of one task: srun's
/// --cpus-per-task and similar options imply --exact.
const NOT_FOR_SRUN: [&str; 10] = [
    "SLURM_LABELIO",
    "SLURM_STDINMODE",
    "SLURM_STDOUTMODE",
    "SLURM_STDERRMODE",
    "SRUN_CPUS_PER_TASK",
    "SLURM_CPUS_PER_TASK",
    "SLURM_TRES_PER_TASK",
    "SLURM_CPUS_PER_GPU",
    "SLURM_GPUS_PER_TASK",
    "SLURM_EXACT",
];

/// A template, as words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template(pub Vec<String>);

impl std::str::FromStr for Template {
    type Err = String;

    /// Split a text into words as a shell does: blanks separate words, quotes and backslashes protect blanks. Nothing else is special, and
    /// no shell is involved.
    fn from_str(text: &str) -> Result<Template, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = text.chars();
        let unfinished = || "ends inside a quote or with a backslash".to_owned();
        while let Some(letter) = letters.next() {
            match letter {
                ' ' | '\t' | '\n' => words.extend(word.take()),
                '\\' => word.get_or_insert_default().push(letters.next().ok_or_else(unfinished)?),
                '\'' | '"' => {
                    let word = word.get_or_insert_default();
                    loop {
                        match letters.next().ok_or_else(unfinished)? {
                            end if end == letter => break,
                            '\\' if letter == '"' => match letters.next().ok_or_else(unfinished)? {
                                known @ ('"' | '\\' | '$' | '`') => word.push(known),
                                other => word.extend(['\\', other]),
                            },
                            other => word.push(other),
                        }
                    }
                }
                other => word.get_or_insert_default().push(other),
            }
        }
        words.extend(word);
        if words.is_empty() { Err("expected a command, such as `ssh {host}`".into()) } else { Ok(Template(words)) }
    }
}

impl Template {
    /// The words that start `program` with `argument` on a host. A template without `{host}` gets the host as a word at
    /// its end.
    pub fn command(&self, host: &str, program: &Path, argument: &str) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.0.iter().map(|word| word.replace("{host}", host).into()).collect();
        if !self.0.iter().any(|word| word.contains("{host}")) {
            words.push(host.into());
        }
        words.push(if asks_a_shell(self.0[0].as_ref()) { quoted(program) } else { program.into() });
        words.push(argument.into());
        words
    }
}

/// Whether a shell on the other side reads the words after the host: ssh and similar commands pass them to one.
pub fn asks_a_shell(command: &OsStr) -> bool {
    is_one_of(command, &["ssh", "rsh", "remsh", "krsh", "gsissh", "oarsh"])
}

/// Start a command that starts agents, with its standard input and output. It gets the environment without variables that would change how
/// it works, leads a process group, and is killed if this process ends. Returns its process id and its standard error.
pub fn start(mut command: Command) -> io::Result<(Pid, Receiver)> {
    let (complaints, errors) = pipe_with(PipeFlags::CLOEXEC)?;
    command.stderr(errors).process_group(0);
    for name in unwanted(command.get_program()) {
        command.env_remove(name);
    }
    let parent = getpid();
    // SAFETY: the process has one thread while it starts agents, and the closure only makes system calls.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::other("oshrun has ended")) }
        })
    };
    let pid = control_group::spawn(&mut command)?;
    // This process's copies of the other ends of pipes are in the command: close them.
    drop(command);
    Ok((pid, Receiver::from_owned_fd(complaints)?))
}

/// The variables that must not reach a command.
fn unwanted(program: &OsStr) -> &'static [&'static str] {
    if is_one_of(program, &["srun"]) { &NOT_FOR_SRUN } else { &[] }
}

/// Whether a program is one of these, in whatever directory.
fn is_one_of(program: &OsStr, commands: &[&str]) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default();
    commands.iter().any(|command| name == *command)
}

/// A path as one word for a shell.
fn quoted(path: &Path) -> OsString {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@%=:,".contains(byte);
    let bytes = path.as_os_str().as_bytes();
    if bytes.iter().all(plain) {
        return path.into();
    }
    let mut word = vec![b'\''];
    for &byte in bytes {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            other => word.push(other),
        }
    }
    word.push(b'\'');
    OsString::from_vec(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_cut_as_a_shell_would() {
        for (text, words) in [
            ("ssh {host}", &["ssh", "{host}"][..]),
            ("  a\t b\n", &["a", "b"]),
            (r#"sh -c 'cd "$0"; exec "$@"' x"#, &["sh", "-c", r#"cd "$0"; exec "$@""#, "x"]),
            (r#""a \"b\" \n $x" c\ d '' e"f"g"#, &[r#"a "b" \n $x"#, "c d", "", "efg"]),
        ] {
            assert_eq!(text.parse(), Ok(Template(words.iter().map(|&word| word.into()).collect())), "{text}");
        }
        for wrong in ["", "  ", "a 'b", "a \"b", "a \\"] {
            assert!(wrong.parse::<Template>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_connection_that_others_share_is_used_and_not_made() {
        let file = std::env::temp_dir().join(format!("ferrite-ssh-{}", std::process::id()));
        std::fs::write(&file, "ControlMaster auto\nControlPath /tmp/%C\nControlPersist 60\n").unwrap();
        let words = DEFAULT.parse::<Template>().unwrap().command("b", Path::new("/p"), "--agent");
        // With -G, ssh prints its options instead of connecting.
        let told = Command::new(&words[0]).arg("-G").arg("-F").arg(&file).args(&words[1..]).output();
        std::fs::remove_file(&file).unwrap();
        let Ok(told) = told else { return println!("skipped: there is no ssh here") };
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains("controlmaster false") && told.contains("controlpath /tmp/"), "{told}");
    }

    #[test]
    fn only_srun_is_kept_from_its_user_settings() {
        for (template, unwanted) in [
            (SLURM, &NOT_FOR_SRUN[..]),
            ("/opt/slurm/bin/srun {host}", &NOT_FOR_SRUN),
            (DEFAULT, &[]),
            ("srunner", &[]),
        ] {
            let Template(words) = template.parse().unwrap();
            assert_eq!(super::unwanted(words[0].as_ref()), unwanted, "{template}");
        }
    }

    #[test]
    fn the_host_is_put_in_and_the_program_behind() {
        let command = |template: &str, program: &str| {
            let words = template.parse::<Template>().unwrap().command("b", Path::new(program), "--agent");
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(command("ip netns exec {host}", "/o p"), ["ip", "netns", "exec", "b", "/o p", "--agent"]);
        assert_eq!(command("/usr/bin/ssh -x", "/it's"), ["/usr/bin/ssh", "-x", "b", "'/it'\\''s'", "--agent"]);
        assert_eq!(command("w --to={host}", "/p"), ["w", "--to=b", "/p", "--agent"]);
        assert_eq!(command(DEFAULT, "/opt/bin/oshrun").last().unwrap(), "--agent");
    }
}
