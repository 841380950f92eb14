//! A Slurm cluster of two nodes, both on this machine, with its files in a directory of its own. Drop stops it.

use super::PATIENCE;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// How often the daemons are started on other ports.
const ATTEMPTS: usize = 5;
/// Slurm's limit for an answer, in seconds. Its own, 10 s, ends jobs on a busy machine.
const MESSAGE_LIMIT_S: u64 = 100;

/// The running daemons and their directory.
pub struct Slurm {
    directory: PathBuf,
    daemons: Vec<Child>,
}

impl Slurm {
    /// Start the cluster, or return the reason why it cannot run.
    pub fn start() -> Result<Slurm, String> {
        for program in ["slurmctld", "slurmd", "srun", "sinfo"] {
            Command::new(program)
                .arg("-V")
                .output()
                .map_err(|_| format!("there is no {program} (Debian: slurm-wlm)"))?;
        }
        // SAFETY: no precondition.
        if unsafe { libc::geteuid() } != 0 {
            return Err("slurmd starts tasks only if it runs as root".to_owned());
        }
        for _ in 0..ATTEMPTS {
            if let Some(slurm) = Slurm::attempt()? {
                return Ok(slurm);
            }
        }
        Err(format!("one of Slurm's daemons ended as soon as it was started, {ATTEMPTS} times"))
    }

    /// Start the cluster on ports that are free now. `None` if a daemon ends, as it does if another process has taken its port meanwhile.
    fn attempt() -> Result<Option<Slurm>, String> {
        // Several tests of a program may each have a cluster.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Relaxed));
        let directory = std::env::temp_dir().join(format!("ferrite-slurm-{process}-{count}"));
        for part in ["state", "n0", "n1", "tmp.n0", "tmp.n1"] {
            fs::create_dir_all(directory.join(part)).map_err(|error| error.to_string())?;
        }
        let mut slurm = Slurm { directory, daemons: Vec::new() };
        fs::write(slurm.configuration(), slurm.text()?).map_err(|error| error.to_string())?;
        slurm.daemon(&["slurmctld", "-D"])?;
        slurm.daemon(&["slurmd", "-D", "-N", "n0"])?;
        slurm.daemon(&["slurmd", "-D", "-N", "n1"])?;
        Ok(slurm.wait_until_idle()?.then_some(slurm))
    }

    /// Path of the configuration file, for clients' `SLURM_CONF`.
    pub fn configuration(&self) -> PathBuf {
        self.directory.join("slurm.conf")
    }

    /// True if tasks can use PMIx. Slurm lists its plugin even where PMIx's library is missing, so a task is started.
    pub fn has_pmix(&self) -> bool {
        let ran = Command::new("srun").args(["--mpi=pmix", "true"]).env("SLURM_CONF", self.configuration()).output();
        ran.is_ok_and(|ran| ran.status.success())
    }

    /// The configuration: no daemon for authentication, no control groups, and both nodes on the loopback interface.
    fn text(&self) -> Result<String, String> {
        let listeners: Result<Vec<_>, _> = (0..3).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect();
        let ports =
            listeners.and_then(|all| all.iter().map(|one| Ok(one.local_addr()?.port())).collect::<Result<Vec<_>, _>>());
        let ports = ports.map_err(|error| format!("no free ports: {error}"))?;
        let host = fs::read_to_string("/proc/sys/kernel/hostname").map_err(|error| error.to_string())?;
        let (host, here) = (host.trim().split('.').next().unwrap_or("localhost"), self.directory.display());
        let mut text = format!(
            "ClusterName=ferrite\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/none\nCredType=cred/none\nMpiDefault=none\nStateSaveLocation={here}/state\n\
             SlurmdSpoolDir={here}/%n\nSlurmctldPidFile={here}/control.pid\nSlurmdPidFile={here}/%n.pid\n\
             SlurmctldLogFile={here}/control.log\nSlurmdLogFile={here}/%n.log\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nSwitchType=switch/none\nSelectType=select/linear\nSchedulerType=sched/builtin\n\
             ReturnToService=2\nTmpFS={here}/tmp.%n\nMessageTimeout={MESSAGE_LIMIT_S}\n",
            ports[0]
        );
        for node in 0..2 {
            text +=
                &format!("NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={} CPUs=1\n", ports[node + 1]);
        }
        Ok(text + "PartitionName=all Nodes=n[0-1] Default=YES State=UP OverSubscribe=FORCE:16\n")
    }

    fn daemon(&mut self, words: &[&str]) -> Result<(), String> {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("SLURM_CONF", self.configuration());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let tied = || {
            // SAFETY: one system call. It ends the daemon with the test, even if the test is killed.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            Ok(())
        };
        // SAFETY: the closure makes one system call and touches no memory of the parent.
        let child = unsafe { command.pre_exec(tied) }.spawn();
        self.daemons.push(child.map_err(|error| format!("{}: {error}", words[0]))?);
        Ok(())
    }

    /// Wait for the nodes. Returns false if a daemon has ended.
    fn wait_until_idle(&mut self) -> Result<bool, String> {
        let begin = Instant::now();
        loop {
            let asked =
                Command::new("sinfo").args(["-h", "-N", "-o", "%T"]).env("SLURM_CONF", self.configuration()).output();
            let states = String::from_utf8_lossy(&asked.map_err(|error| error.to_string())?.stdout).into_owned();
            if states.lines().filter(|state| *state == "idle").count() == 2 {
                return Ok(true);
            }
            if self.daemons.iter_mut().any(|daemon| !matches!(daemon.try_wait(), Ok(None))) {
                return Ok(false);
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("its nodes are not ready: {states:?}"));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            // SAFETY: a child that has not been reaped, so the number is not reused.
            unsafe { libc::kill(daemon.id() as i32, libc::SIGTERM) };
            let _ = daemon.wait();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}
