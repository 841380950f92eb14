//! Options of other launchers that are more than another name for an option of oshrun. Each is translated to words of oshrun, or is
//! accepted and ignored. Plain aliases are clap's (`options`), and [`super::foreign_values`] translates values.
//!
//! The manual page ferrite_moving(7) lists them all.

use super::foreign_values::{self as values, Given};
use std::{ffi::OsString, os::unix::ffi::OsStringExt};

/// The translation of an option.
#[derive(Clone, Copy)]
enum Meaning {
    /// Replaced with these words. Empty if oshrun does by default what the option asks for.
    Words(&'static [&'static str]),
    /// A value that is translated; `None` if it is oshrun's own.
    Value(fn(&str) -> Option<Given>),
    /// A parameter and its value, as two words.
    Parameter,
    /// A variable and its value, as two words.
    Variable,
    /// A list of variables to pass on, separated by commas.
    Variables,
    /// An option with this many values that oshrun does not have. It is ignored, with this advice, if any.
    Ignored(usize, &'static str),
}

use Meaning::{Ignored, Parameter, Value, Variable, Variables, Words};

const HARDWARE_THREADS: &str = "--cpus-per-pe gives the hardware threads of each PE";
const SURVIVAL: &str = "a PE that fails ends the job, unless --on-loss return is given";
const OWN_MEMORY: &str = "memory is taken from the PE's own NUMA node";
const OF_THE_ALLOCATION: &str = "give it to salloc or sbatch; oshrun starts PEs in their allocation";

/// Keyed by the name without dashes. A name of one letter is an option with a single dash only.
const MEANINGS: &[(&str, Meaning)] = &[
    // MPICH's mpiexec.
    ("genv", Variable),
    ("env", Variable),
    ("genvlist", Variables),
    ("envlist", Variables),
    ("genvall", Words(&[])),
    ("envall", Words(&[])),
    ("rr", Words(&["--map-by", "node"])),
    ("prepend-rank", Words(&["--tag-output"])),
    ("print-rank-map", Words(&["--report-bindings"])),
    ("iface", Value(|name| Some(Given::said(&["-x", &format!("SHMEM_TCP_IFACE={name}")])))),
    ("launcher", Ignored(1, "--rsh TEMPLATE names the remote shell")),
    ("gwdir", Value(|directory| Some(Given::silent(&["--wdir", directory])))),
    ("prepend-pattern", Value(|_| Some(Given::said(&["--tag-output"])))),
    ("membind", Ignored(1, OWN_MEMORY)),
    ("rmk", Ignored(1, "oshrun finds the hosts of an allocation")),
    ("disable-auto-cleanup", Ignored(0, SURVIVAL)),
    ("print-all-exitcodes", Ignored(0, "oshrun names the first PE that failed")),
    // Open MPI's mpirun.
    ("allow-run-as-root", Words(&[])),
    ("q", Words(&[])),
    ("quiet", Words(&[])),
    ("use-hwthread-cpus", Words(&[])),
    ("nooversubscribe", Ignored(0, "max_slots=N in a hostfile limits the PEs of a host")),
    ("display", Value(values::display)),
    ("display-map-devel", Words(&["--report-bindings"])),
    ("display-topo", Ignored(0, "oshmem_info --topology shows the host")),
    ("output", Value(values::output)),
    ("timestamp-output", Ignored(0, "")),
    ("merge-stderr-to-stdout", Ignored(0, "2>&1 after the command does it")),
    ("map-by", Value(values::map_by)),
    ("rank-by", Ignored(1, "PEs are numbered in the order of --map-by")),
    ("bind-to", Value(values::bind_to)),
    ("bind-to-core", Words(&["--bind-to", "core"])),
    ("bind-to-socket", Words(&["--bind-to", "socket"])),
    ("bind-to-none", Words(&["--bind-to", "none"])),
    ("bynode", Words(&["--map-by", "node"])),
    ("byslot", Words(&["--map-by", "slot"])),
    ("pernode", Words(&["--npernode", "1"])),
    ("npersocket", Value(|count| Some(Given::silent(&["--map-by", &format!("ppr:{count}:socket")])))),
    ("nolocal", Ignored(0, "--host or --hostfile without this host leaves it out")),
    ("stdin", Value(values::stdin)),
    ("prefix", Value(|directory| Some(Given::said(&["--launch-agent", &format!("{directory}/bin/oshrun")])))),
    ("noprefix", Words(&[])),
    ("v", Ignored(0, "")),
    ("verbose", Ignored(0, "")),
    ("mca", Parameter),
    ("gmca", Parameter),
    ("omca", Parameter),
    ("gomca", Parameter),
    ("prtemca", Parameter),
    ("pmixmca", Parameter),
    ("tune", Ignored(1, "")),
    ("enable-recovery", Ignored(0, SURVIVAL)),
    ("disable-recovery", Words(&[])),
    ("report-pid", Ignored(1, "")),
    ("hetero-nodes", Words(&[])),
    // srun's options.
    ("cpu-bind", Value(values::cpu_bind)),
    ("label", Words(&["--tag-output"])),
    ("overcommit", Words(&["--oversubscribe"])),
    ("export", Value(values::export)),
    ("kill-on-bad-exit", Words(&[])),
    ("unbuffered", Ignored(0, "oshrun passes output on in whole lines")),
    ("mpi", Ignored(1, "oshrun starts PEs without a library of the scheduler")),
    ("nodes", Ignored(1, "PEs go to the hosts of the allocation, or of --host; -N gives PEs for each")),
    ("ntasks-per-socket", Value(|count| Some(Given::silent(&["--map-by", &format!("ppr:{count}:socket")])))),
    ("ntasks-per-core", Value(|count| Some(Given::silent(&["--map-by", &format!("ppr:{count}:core")])))),
    ("nodefile", Value(|file| Some(Given::silent(&["--hostfile", file])))),
    ("hint", Ignored(1, HARDWARE_THREADS)),
    ("threads-per-core", Ignored(1, HARDWARE_THREADS)),
    ("mem-bind", Ignored(1, OWN_MEMORY)),
    ("gpu-bind", Ignored(1, "--gpus nearest gives each PE its nearest GPU")),
    ("partition", Ignored(1, OF_THE_ALLOCATION)),
    ("account", Ignored(1, OF_THE_ALLOCATION)),
    ("qos", Ignored(1, OF_THE_ALLOCATION)),
    ("reservation", Ignored(1, OF_THE_ALLOCATION)),
    ("constraint", Ignored(1, OF_THE_ALLOCATION)),
    ("job-name", Ignored(1, OF_THE_ALLOCATION)),
    ("gres", Ignored(1, OF_THE_ALLOCATION)),
    ("mem", Ignored(1, OF_THE_ALLOCATION)),
    ("mem-per-cpu", Ignored(1, OF_THE_ALLOCATION)),
    ("exclusive", Ignored(0, OF_THE_ALLOCATION)),
    ("overlap", Words(&[])),
    // aprun's options.
    ("d", Value(|count| Some(Given::silent(&["--cpus-per-pe", count])))),
    ("cc", Value(values::cpu_bind)),
    ("e", Value(|variable| Some(Given::silent(&["-x", variable])))),
    ("j", Ignored(1, HARDWARE_THREADS)),
    ("S", Value(|count| Some(Given::silent(&["--map-by", &format!("ppr:{count}:numa")])))),
    ("L", Value(|hosts| Some(Given::silent(&["--host", hosts])))),
    ("ss", Ignored(0, OWN_MEMORY)),
    ("b", Words(&[])),
    ("B", Ignored(0, "oshrun takes hosts and slots from the allocation")),
    ("F", Ignored(1, "PEs are bound to cores of their own")),
    ("r", Ignored(1, "")),
    ("T", Words(&[])),
    ("m", Ignored(1, "SHMEM_SYMMETRIC_SIZE limits the symmetric heap")),
];

/// The result of translating an option of another launcher.
#[derive(Debug, PartialEq, Eq)]
pub struct Translation {
    /// The words of oshrun.
    pub words: Vec<OsString>,
    /// Number of the following words that are values of the option.
    pub values: usize,
    /// A line for the user about the option, if it is ignored or does something else than its name says.
    pub notice: Option<String>,
}

/// Translate the option `text` of another launcher, with the words `after` it. `None` if it is no such option, is written as one of
/// oshrun's own, or lacks a value.
pub fn translated(text: &str, after: &[OsString]) -> Option<Translation> {
    let (name, inner) = match glued(text) {
        Some((name, value)) => (name, Some(value)),
        None => text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value))),
    };
    let bare = name.strip_prefix("--").or_else(|| name.strip_prefix('-'))?;
    let is_other = bare.len() == 1 && name.starts_with("--");
    let &(_, meaning) = MEANINGS.iter().find(|(known, _)| *known == bare && !is_other)?;
    let silent = |words: Vec<OsString>, values| Some(Translation { words, values, notice: None });
    // The value of an option that has one, and the number of words that it takes.
    let value = || match inner {
        Some(value) => Some((value.to_owned(), 0)),
        None => Some((after.first()?.to_str()?.to_owned(), 1)),
    };
    match meaning {
        Words(words) => silent(words.iter().map(OsString::from).collect(), 0),
        Value(translate) => {
            let (value, taken) = value()?;
            let given = translate(&value)?;
            Some(Translation {
                notice: given.notice(&shown(text, &after[..taken])),
                words: given.words.into_iter().map(OsString::from).collect(),
                values: taken,
            })
        }
        Parameter => {
            let (name, value) = (after.first()?.to_str()?, after.get(1)?.to_str()?);
            let given = values::parameter(name, value);
            Some(Translation {
                notice: given.notice(&shown(text, &after[..2])),
                words: given.words.into_iter().map(OsString::from).collect(),
                values: 2,
            })
        }
        Variable => {
            let (name, value) = (after.first()?, after.get(1)?);
            let set = [name.clone().into_vec(), b"=".to_vec(), value.clone().into_vec()].concat();
            silent(vec!["-x".into(), OsString::from_vec(set)], 2)
        }
        Variables => {
            let (names, taken) = value()?;
            let words = names.split(',').filter(|name| !name.is_empty()).flat_map(|name| ["-x".into(), name.into()]);
            silent(words.collect(), taken)
        }
        Ignored(count, advice) => {
            let count = if inner.is_some() { 0 } else { count };
            let given = Given { words: Vec::new(), note: Some(advice.to_owned()) };
            let notice = given.notice(&shown(text, after.get(..count)?));
            Some(Translation { words: Vec::new(), values: count, notice })
        }
    }
}

/// The name and the value of an option of aprun that are written as one word: `-d4`.
fn glued(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_at_checked(2)?;
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    (["-d", "-j", "-S"].contains(&name) && is_number).then_some((name, value))
}

/// An option with its values, as the user wrote it.
fn shown(text: &str, values: &[OsString]) -> String {
    values.iter().fold(text.to_owned(), |line, value| format!("{line} {}", value.to_string_lossy()))
}

#[cfg(test)]
#[path = "moving_page_tests.rs"]
mod page;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (String, usize, Option<String>) {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let Translation { words, values, notice } = translated(words[0].to_str().unwrap(), &words[1..]).expect(line);
        let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        (shown.join(" "), values, notice)
    }

    #[test]
    fn each_becomes_ours() {
        for (line, ours) in [
            ("-genv K V", "-x K=V"),
            ("-env K a=b", "-x K=a=b"),
            ("-genvlist A,B", "-x A -x B"),
            ("-genvall", ""),
            ("--allow-run-as-root", ""),
            ("-rr", "--map-by node"),
            ("-q", ""),
            ("--use-hwthread-cpus", ""),
            ("--display map", "--report-bindings"),
            ("--output tag", "--tag-output"),
            ("--output dir=d", "--output-filename d"),
            ("--map-by slot:PE=2", "--map-by slot --cpus-per-pe 2"),
            ("--map-by ppr:2:package", "--map-by ppr:2:socket"),
            ("--bind-to package", "--bind-to socket"),
            ("-bind-to core:overload-allowed", "--bind-to core"),
            ("--stdin 0", ""),
            ("--cpu-bind cores", "--bind-to core"),
            ("--export ALL,A=1", "-x A=1"),
            ("-d 4", "--cpus-per-pe 4"),
            ("-cc numa_node", "--bind-to numa"),
            ("-e A=1", "-x A=1"),
            ("-L a,b", "--host a,b"),
            ("-S 2", "--map-by ppr:2:numa"),
        ] {
            assert_eq!(of(line), (ours.to_owned(), line.split(' ').count() - 1, None), "{line}");
        }
        assert_eq!(of("-d4"), ("--cpus-per-pe 4".to_owned(), 0, None));
        assert_eq!(of("-d=4"), ("--cpus-per-pe 4".to_owned(), 0, None));
        assert_eq!(of("--kill-on-bad-exit=1"), (String::new(), 0, None));
    }

    #[test]
    fn what_differs_is_told_as_it_was_written() {
        for (line, ours, told) in [
            ("--bind-to hwthread", "--bind-to core", "--bind-to hwthread is taken as --bind-to core"),
            ("--bind-to l3cache", "--bind-to numa", "--bind-to l3cache is taken as --bind-to numa"),
            ("--map-by l3cache", "--map-by numa", "--map-by l3cache is taken as --map-by numa"),
            ("-bind-to rr", "--bind-to core", "-bind-to rr is taken as --bind-to core"),
            ("--prefix /o", "--launch-agent /o/bin/oshrun", "--prefix /o is taken as --launch-agent /o/bin/oshrun"),
            (
                "--mca shmem_symmetric_heap_size 1G",
                "-x SHMEM_SYMMETRIC_SIZE=1G",
                "--mca shmem_symmetric_heap_size 1G is taken as -x SHMEM_SYMMETRIC_SIZE=1G",
            ),
        ] {
            assert_eq!(of(line), (ours.to_owned(), line.split(' ').count() - 1, Some(told.to_owned())));
        }
    }

    #[test]
    fn ignored_options_are_reported_with_advice() {
        for (line, told) in [
            ("--mca btl self", "ignoring --mca btl self (an option of other launchers; here: --transport shm)"),
            ("--prtemca a b", "ignoring --prtemca a b (an option of other launchers)"),
            ("-v", "ignoring -v (an option of other launchers)"),
            ("--rank-by slot", "ignoring --rank-by slot (PEs are numbered in the order of --map-by)"),
            ("--stdin all", "ignoring --stdin all (standard input goes to PE 0)"),
            ("-j 1", "ignoring -j 1 (--cpus-per-pe gives the hardware threads of each PE)"),
        ] {
            assert_eq!(of(line), (String::new(), line.split(' ').count() - 1, Some(told.to_owned())));
        }
    }

    #[test]
    fn nothing_else_is_touched() {
        for text in [
            "-n",
            "-np",
            "--host",
            "-hosts",
            "-f",
            "-c",
            "-x",
            "--f",
            "--c",
            "--v",
            "--d",
            "-nonsense",
            "prog",
            "-genv",
            "--mca",
            "--map-by",
            "--bind-to=core",
        ] {
            let after: &[OsString] = if text == "-genv" { &[] } else { &["core".into()] };
            assert_eq!(translated(text, after), None, "{text}");
        }
    }
}
