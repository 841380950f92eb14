//! The other launchers on this machine, each with the protocol that PEs use under it.

#![allow(dead_code, reason = "each test program uses its part")]

pub mod slurm;

use slurm::Slurm;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

/// Bound for a hang: nothing here takes long.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A launcher and its settings.
pub struct OtherLauncher {
    /// The name that PEs print for it.
    pub name: &'static str,
    words: &'static [&'static str],
    settings: Vec<(&'static str, String)>,
    slurm: Option<Rc<Slurm>>,
}

/// Result of a job.
#[derive(Debug)]
pub struct Ran {
    /// Exit code; 128 and the signal's number if the launcher was killed.
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// All launchers that are installed. Prints the reason for each that is left out.
pub fn all() -> Vec<OtherLauncher> {
    let mut found = Vec::new();
    if has(&["mpiexec.hydra", "--version"], "HYDRA") {
        let words = &["mpiexec.hydra"];
        found.push(other("MPICH's mpiexec, PMI-1", words, "pmi1"));
        found.push(other("MPICH's mpiexec, PMI-2", words, "pmi2"));
    } else {
        println!("skipped: jobs under mpiexec.hydra, which is not here (Debian: mpich)");
    }
    found.extend(mpirun());
    match Slurm::start() {
        Ok(slurm) => {
            let slurm = Rc::new(slurm);
            for (name, words, protocol) in [
                ("Slurm (srun), PMI-1", &["srun", "-N2", "-O", "--mpi=pmi2"][..], ""),
                ("Slurm (srun), PMI-2", &["srun", "-N2", "-O", "--mpi=pmi2"], "pmi2"),
                ("Slurm (srun), PMIx", &["srun", "-N2", "-O", "--mpi=pmix"], "pmix"),
            ] {
                if name.ends_with("PMIx") && !slurm.has_pmix() {
                    println!(
                        "skipped: jobs under `srun --mpi=pmix`, whose plugin or library is not here (Debian: libpmix2)"
                    );
                    continue;
                }
                found.push(OtherLauncher { slurm: Some(slurm.clone()), ..other(name, words, protocol) });
            }
        }
        Err(why) => println!("skipped: jobs under srun: {why}"),
    }
    found
}

/// Open MPI's launcher, if it is installed.
pub fn mpirun() -> Option<OtherLauncher> {
    if !has(&["mpirun", "--version"], "Open MPI") {
        println!("skipped: jobs under Open MPI's mpirun, which is not here (Debian: openmpi-bin)");
        return None;
    }
    Some(other("Open MPI's mpirun, PMIx", &["mpirun", "--allow-run-as-root", "--oversubscribe"], ""))
}

fn other(name: &'static str, words: &'static [&'static str], protocol: &str) -> OtherLauncher {
    let wish = (!protocol.is_empty()).then(|| ("FERRITE_BOOT", protocol.to_owned()));
    OtherLauncher { name, words, settings: wish.into_iter().collect(), slurm: None }
}

fn has(words: &[&str], said: &str) -> bool {
    let output = Command::new(words[0]).args(&words[1..]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(said))
}

impl OtherLauncher {
    /// The Slurm cluster, if this launcher belongs to one.
    pub fn slurm(&self) -> Option<&Slurm> {
        self.slurm.as_deref()
    }

    /// Run `n` PEs to their end.
    pub fn run(&self, n: u32, program: &Path, arguments: &[&str]) -> Ran {
        let ran = bounded(self.command(n, program, arguments));
        println!("{}, {n} PEs: {} {}", self.name, program.display(), arguments.join(" "));
        ran
    }

    /// The command that runs `n` PEs.
    pub fn command(&self, n: u32, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.words[0]);
        command.args(&self.words[1..]).arg("-n").arg(n.to_string()).arg(program).args(arguments);
        command.env_remove("FERRITE_BOOT").envs(self.settings.iter().map(|(name, value)| (name, value)));
        if let Some(slurm) = &self.slurm {
            command.env("SLURM_CONF", slurm.configuration());
        }
        command
    }
}

/// Run a command to its end. Its output goes to files, since a process left behind could hold a pipe open for ever.
pub fn bounded(mut command: Command) -> Ran {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let place = |stream: &str| -> PathBuf {
        std::env::temp_dir().join(format!("ferrite-others-{}-{count}.{stream}", std::process::id()))
    };
    let (out, err) = (place("out"), place("err"));
    command.stdin(Stdio::null()).stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.process_group(0).spawn().unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begin.elapsed() > PATIENCE {
            // SAFETY: the leader of the group is a child that has not been reaped, so the number is not reused.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            let _ = child.wait();
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (out, err) = (text(&out), text(&err));
    let status = status.unwrap_or_else(|| panic!("{command:?} hangs\nstdout: {out}\nstderr: {err}"));
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ran { code, out, err }
}
