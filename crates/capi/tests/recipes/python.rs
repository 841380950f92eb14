//! The programs in Python of ferrite_start(7), as the page has them, run by the commands that it shows. `FERRITE_TEST_PYTHON` is a Python
//! with shmem4py, and with the packages of those recipes that are to be tested; `ci/recipes` makes one.

use super::Place;
use super::support::{env, prefix::Prefix, service};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Blocks of the page that are files of these kinds: their first line has the name.
fn files() -> BTreeMap<String, String> {
    let is_file = |name: &&str| name.ends_with(".py") || name.ends_with(".ipynb");
    let file = |block: &str| {
        let name = block.lines().next()?.strip_prefix("# ").filter(is_file)?;
        Some((name.to_owned(), block.to_owned()))
    };
    blocks().iter().filter_map(|block| file(block)).collect()
}

/// The command of the page that runs the file `name`.
fn command(name: &str) -> String {
    let is_command = |line: &&str| line.starts_with("$ ") && line.ends_with(name);
    let blocks = blocks();
    let found = blocks.iter().flat_map(|block| block.lines()).find(is_command);
    found.unwrap_or_else(|| panic!("the page has no command for {name}"))[2..].to_owned()
}

fn blocks() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("manual/ferrite_start.7.md");
    let text = std::fs::read_to_string(page).unwrap();
    text.split("```\n").skip(1).step_by(2).map(str::to_owned).collect()
}

/// A directory with the files of the page, and the Python that runs them.
struct Recipe {
    place: Place,
    python: PathBuf,
}

impl Recipe {
    /// `None`, after a line that says why, if these modules are not installed.
    fn new(name: &str, modules: &[&str]) -> Option<Recipe> {
        let Some(python) = env::get("FERRITE_TEST_PYTHON").map(PathBuf::from) else {
            println!("skipped: {name} in Python: FERRITE_TEST_PYTHON is not set (ci/recipes sets it)");
            return None;
        };
        for module in ["shmem4py"].iter().chain(modules) {
            let found = Command::new(&python).args(["-c", &format!("import {module}")]).output().unwrap();
            if !found.status.success() {
                println!("skipped: {name} in Python: {} cannot import {module}", python.display());
                return None;
            }
        }
        let recipe = Recipe { place: Place::empty(name), python };
        for (file, text) in files() {
            recipe.place.write(&file, &text);
        }
        Some(recipe)
    }

    /// The command with this Python as `python`.
    fn with_python(&self, mut command: Command) -> Command {
        let bin = self.python.parent().unwrap().display();
        command.env("PATH", format!("{bin}:{}", env::get("PATH").unwrap_or_default())).env("HOME", &self.place.0);
        // shmem4py may have been built for another installation.
        command.env("LD_LIBRARY_PATH", Prefix::get().root().join("lib"));
        command
    }

    /// Run a command of the shell, with this Python as `python`. Returns what it has printed.
    fn run(&self, command: &str) -> String {
        let mut shell = self.with_python(self.place.process(&["sh", "-c", command]));
        // Open MPI 4 and 5: tests run as root, on fewer CPUs than PEs.
        shell.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        shell
            .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
        // Ray, Open MPI and ipyparallel leave files and processes there, which ci/test removes with its own directory.
        shell.env("TMPDIR", std::env::temp_dir());
        // Ray would report to its makers.
        shell.env("RAY_USAGE_STATS_ENABLED", "0");
        // Its own processes have 30 s to start, which a busy machine may exceed.
        shell.env("RAY_raylet_start_wait_time_s", "200").env("RAY_agent_register_timeout_ms", "200000");
        let output = shell.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{command}\n{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    /// The lines that the file prints, run by the command of the page.
    fn lines(&self, file: &str) -> Vec<String> {
        self.run(&command(file)).lines().map(str::to_owned).collect()
    }
}

#[test]
fn torchrun() {
    let Some(recipe) = Recipe::new("torchrun", &["torch"]) else { return };
    assert_eq!(recipe.lines("by_environment.py"), ["4 PEs, whose numbers add up to 6"]);
}

fn members(recipe: &Recipe, words: &[&str]) -> Vec<Command> {
    service::members(|| recipe.with_python(recipe.place.process(&[&["python"], words].concat())))
}

/// Each worker of the example is killed. It is started by torchrun if that is installed, else with the variables that torchrun sets.
#[test]
fn parameter_server() {
    let Some(recipe) = Recipe::new("parameter_server", &[]) else { return };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python/parameter_server.py");
    recipe.place.write("parameter_server.py", &std::fs::read_to_string(example).unwrap());
    let torchrun = recipe.with_python(recipe.place.process(&["torchrun", "--help"])).output();
    let has_torchrun = torchrun.is_ok_and(|output| output.status.success());
    if !has_torchrun {
        println!("skipped in part: torchrun does not start here; its variables are set instead");
    }
    service::survives_kills_of_its_workers("python", |directory, steps| {
        let (directory, steps) = (directory.to_str().unwrap(), steps.to_string());
        let words = ["parameter_server.py", directory, &steps];
        if has_torchrun {
            let options = ["torchrun", "--standalone", "--nproc-per-node", &service::SIZE.to_string()];
            return vec![recipe.with_python(recipe.place.process(&[&options, &words[..]].concat()))];
        }
        members(&recipe, &words)
    });
    service::leaves_no_worker_behind("python-left", |directory, steps| {
        members(&recipe, &["parameter_server.py", directory.to_str().unwrap(), &steps.to_string()])
    });
}

#[test]
fn mpi4py() {
    let Some(recipe) = Recipe::new("mpi4py", &["mpi4py"]) else { return };
    let probe = "mpirun -n 2 python -c 'from mpi4py import MPI; print(MPI.COMM_WORLD.size)'";
    let sizes = recipe.place.process(&["sh", "-c", "command -v mpirun"]).output().unwrap();
    if !sizes.status.success() {
        println!("skipped: mpi4py in Python: there is no mpirun");
    } else if recipe.run(probe) != "2\n2\n" {
        println!("skipped: mpi4py in Python: mpirun and mpi4py are of two implementations of MPI");
    } else {
        assert_eq!(recipe.lines("by_mpi.py"), ["3"; 3]);
    }
}

#[test]
fn ray() {
    let Some(recipe) = Recipe::new("Ray", &["ray"]) else { return };
    assert_eq!(recipe.lines("by_ray.py"), ["[6, 6, 6, 6]", "[3, 3, 3]"]);
}

#[test]
fn jupyter() {
    let Some(recipe) = Recipe::new("Jupyter", &["ipyparallel", "ipykernel", "nbclient"]) else { return };
    // An engine has 5 s to register, and all of them 60, which a busy machine may exceed.
    let profile = recipe.place.0.join(".ipython/profile_default");
    std::fs::create_dir_all(&profile).unwrap();
    std::fs::write(profile.join("ipcluster_config.py"), "c.Cluster.engine_timeout = 200\n").unwrap();
    std::fs::write(profile.join("ipengine_config.py"), "c.IPEngine.timeout = 200\n").unwrap();
    let source = &files()["four_workers.ipynb"];
    let cell = serde_json::json!({
        "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": source
    });
    let notebook = serde_json::json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4 });
    recipe.place.write("four_workers.ipynb", &notebook.to_string());
    recipe.run("jupyter execute --inplace --startup_timeout=200 four_workers.ipynb");
    let executed = recipe.place.read("four_workers.ipynb");
    assert!(executed.contains("[6, 6, 6, 6]"), "{executed}");
}

#[test]
fn the_page_has_a_command_for_each_program() {
    let files = files();
    for name in ["by_environment.py", "by_mpi.py", "by_ray.py"] {
        assert!(files.contains_key(name) && command(name).contains("python") != command(name).contains("torchrun"));
    }
    for module in ["start.py", "total.py", "four_workers.ipynb"] {
        assert!(files.contains_key(module), "{module}");
    }
}
