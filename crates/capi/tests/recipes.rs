//! The recipes of ferrite_start(7): C programs that are started by other means than a launcher. A starter that is not installed here is
//! emulated by the variables that it sets, or skipped.

#[path = "recipes/python.rs"]
mod python;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use support::{free_port, prefix::Prefix};

/// A program that takes longer counts as hung.
const LIMIT_SECONDS: &str = "600";
const PES: u32 = 3;

/// A new directory, with the example `ring` in it. It is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let place = Place::empty(name);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c/ring.c");
        let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
        let output = oshcc.arg("-o").arg(place.0.join("ring")).arg(source).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        place
    }

    /// A new directory without the example.
    fn empty(name: &str) -> Place {
        let place = Place(std::env::temp_dir().join(format!("ferrite-recipe-{name}-{}", std::process::id())));
        std::fs::create_dir_all(&place.0).unwrap();
        place
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap()
    }

    /// A process of the job in this directory, without the variables of a launcher.
    fn process(&self, words: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", LIMIT_SECONDS]).args(words).current_dir(&self.0);
        command.env_clear().env("PATH", support::env::get("PATH").unwrap_or_default());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn finish(processes: Vec<Child>) {
    let ends: Vec<Output> = processes.into_iter().map(|process| process.wait_with_output().unwrap()).collect();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said: String = ends.iter().map(|end| text(&end.stdout) + &text(&end.stderr)).collect();
    assert!(ends.iter().all(|end| end.status.success()), "{said}");
    let expected = format!("the message came back to PE 0 as {};", PES * (PES - 1) / 2);
    assert!(said.contains(&expected) && !said.contains("failed"), "{said}");
}

#[test]
fn plain_shell() {
    let place = Place::new("shell");
    let script = format!(
        "export FERRITE_BOOT=tcp://localhost:{} FERRITE_SIZE={PES}\n\
         for rank in 0 1 2; do {{ FERRITE_RANK=$rank ./ring || echo failed; }} & done; wait",
        free_port(0)
    );
    finish(vec![place.process(&["sh", "-c", &script]).spawn().unwrap()]);
}

#[test]
fn slurm_without_pmi() {
    let place = Place::new("slurm");
    let boot = format!("tcp://localhost:{}", free_port(1));
    let task = |rank: u32| {
        let script = "FERRITE_RANK=$SLURM_PROCID FERRITE_SIZE=$SLURM_NTASKS exec ./ring";
        let mut task = place.process(&["sh", "-c", script]);
        // srun sets these for each task, with or without PMI.
        task.env("SLURM_PROCID", rank.to_string()).env("SLURM_NTASKS", PES.to_string()).env("SLURM_JOB_ID", "17");
        task.env("SLURM_STEP_ID", "0").env("SLURM_LOCALID", rank.to_string()).env("FERRITE_BOOT", &boot);
        task.spawn().unwrap()
    };
    finish((0..PES).map(task).collect());
}

#[test]
fn kubernetes_jobset() {
    let place = Place::new("jobset");
    place.write("secret", "mounted from a Secret\n");
    let boot = format!("tcp://localhost:{}", free_port(2));
    let pod = |index: u32| {
        let script = "FERRITE_RANK=$JOB_COMPLETION_INDEX exec ./ring";
        let mut pod = place.process(&["sh", "-c", script]);
        pod.env("JOB_COMPLETION_INDEX", index.to_string()).env("JOBSET_NAME", "ring").env("HOSTNAME", "ring-0");
        pod.env("FERRITE_SIZE", PES.to_string()).env("FERRITE_BOOT", &boot).env("FERRITE_SECRET_FILE", "secret");
        pod.spawn().unwrap()
    };
    finish((0..PES).map(pod).collect());
}

#[test]
fn torchrun() {
    let place = Place::new("torchrun");
    if place.process(&["torchrun", "--help"]).output().is_ok_and(|output| output.status.success()) {
        let words = ["torchrun", "--standalone", "--nproc-per-node", "3", "--no-python", "./ring"];
        return finish(vec![place.process(&words).env("FERRITE_BOOT", "torchrun").spawn().unwrap()]);
    }
    println!("skipped in part: torchrun does not start here; its variables are set instead");
    let port = free_port(3).to_string();
    let worker = |rank: u32| {
        let mut worker = place.process(&["./ring"]);
        worker.env("RANK", rank.to_string()).env("LOCAL_RANK", rank.to_string()).env("WORLD_SIZE", PES.to_string());
        worker.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", &port).env("FERRITE_BOOT", "torchrun");
        worker.spawn().unwrap()
    };
    finish((0..PES).map(worker).collect());
}
