//! Values of options of other launchers, translated to words of oshrun.

use std::collections::BTreeSet;
use std::ffi::OsString;

/// Meaning of a value for oshrun.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// The words of oshrun; none if the option is ignored.
    pub words: Vec<String>,
    /// A notice for the user: advice if the option is ignored (may be empty), else the difference in meaning.
    pub note: Option<String>,
}

impl Given {
    /// Words with the same meaning.
    pub fn silent(words: &[&str]) -> Given {
        Given { words: words.iter().map(|word| (*word).to_owned()).collect(), note: None }
    }

    /// Words with the nearest meaning. A note reports the replacement to the user.
    pub fn said(words: &[&str]) -> Given {
        Given { note: Some(String::new()), ..Given::silent(words) }
    }

    fn ignored(advice: &str) -> Given {
        Given { words: Vec::new(), note: Some(advice.to_owned()) }
    }

    /// The line for the user about the option `shown`.
    pub fn notice(&self, shown: &str) -> Option<String> {
        let note = self.note.as_ref()?;
        if self.words.is_empty() {
            let advice = if note.is_empty() { "an option of other launchers" } else { note };
            return Some(format!("ignoring {shown} ({advice})"));
        }
        let rest = if note.is_empty() { String::new() } else { format!(" ({note})") };
        Some(format!("{shown} is taken as {}{rest}", self.words.join(" ")))
    }
}

/// A part of a machine by its name elsewhere: oshrun's name, and whether it is the same part.
fn part(name: &str) -> Option<(&'static str, bool)> {
    Some(match name {
        "slot" => ("slot", true),
        "core" | "cores" => ("core", true),
        "numa" | "numa_node" | "ldoms" | "ldom" => ("numa", true),
        "socket" | "sockets" | "package" => ("socket", true),
        "node" => ("node", true),
        "hwthread" | "hwt" | "thread" | "threads" | "l1cache" | "l2cache" => ("core", false),
        "l3cache" => ("numa", false),
        _ => return None,
    })
}

/// `--map-by` with names and modifiers that oshrun does not have. `None` if the value is oshrun's own, or wrong.
pub fn map_by(value: &str) -> Option<Given> {
    let lower = value.to_ascii_lowercase();
    let mut fields = lower.split(':');
    let first = fields.next()?;
    let (policy, is_same) = if first == "ppr" {
        let (count, (per, is_same)) = (fields.next()?, part(fields.next()?)?);
        (format!("ppr:{count}:{per}"), is_same)
    } else {
        // A policy that is left out (`:PE=2`) is the default.
        let (policy, is_same) = if first.is_empty() { ("slot", true) } else { part(first)? };
        (policy.to_owned(), is_same)
    };
    let mut given = Given { words: vec!["--map-by".into(), policy.clone()], note: (!is_same).then(String::new) };
    for modifier in fields {
        match modifier.split_once('=') {
            Some(("pe", count)) => given.words.extend(["--cpus-per-pe".into(), count.into()]),
            _ if modifier == "oversubscribe" => given.words.push("--oversubscribe".into()),
            _ if ["nooversubscribe", "hwtcpus", "corecpus", "inherit", "noinherit"].contains(&modifier) => {}
            _ => given.note = Some(format!("{modifier} has no counterpart")),
        }
    }
    (given.words[1] != value || given.words.len() > 2 || given.note.is_some()).then_some(given)
}

/// `--bind-to`. `None` if the value is oshrun's own, or wrong.
pub fn bind_to(value: &str) -> Option<Given> {
    let lower = value.to_ascii_lowercase();
    let mut fields = lower.split(':');
    let (policy, is_same) = match fields.next()? {
        "none" => ("none", true),
        "rr" => ("core", false),
        name => part(name).filter(|(part, _)| !["slot", "node"].contains(part))?,
    };
    let given = if is_same { Given::silent(&["--bind-to", policy]) } else { Given::said(&["--bind-to", policy]) };
    (policy != value).then_some(given)
}

/// srun's `--cpu-bind`, and aprun's `-cc`.
pub fn cpu_bind(value: &str) -> Option<Given> {
    let mut words = value.split(',').filter(|word| !["verbose", "v", "quiet", "q"].contains(word));
    let Some(word) = words.next_back() else { return Some(Given::silent(&["--report-bindings"])) };
    Some(match word {
        "no" | "none" => Given::silent(&["--bind-to", "none"]),
        "cpu" | "depth" => Given::silent(&["--bind-to", "core"]),
        word => match part(word) {
            Some((part, true)) => Given::silent(&["--bind-to", part]),
            Some((part, false)) => Given::said(&["--bind-to", part]),
            None => Given::ignored("--bind-to none, core, numa or socket binds PEs"),
        },
    })
}

/// `--display`: whatever is to be shown, oshrun shows where PEs are.
pub fn display(value: &str) -> Option<Given> {
    let is_known = |word: &str| word.starts_with("map") || word.starts_with("bind") || word.starts_with("alloc");
    Some(if value.to_ascii_lowercase().split(',').any(is_known) {
        Given::silent(&["--report-bindings"])
    } else {
        Given::ignored("--report-bindings shows where PEs are")
    })
}

/// `--output`, a list of words.
pub fn output(value: &str) -> Option<Given> {
    let mut given = Given::silent(&[]);
    for word in value.split(',') {
        let lower = word.to_ascii_lowercase();
        match word.split_once('=') {
            Some((_, path))
                if lower.starts_with("dir=") || lower.starts_with("directory=") || lower.starts_with("file=") =>
            {
                given.words.extend(["--output-filename".into(), path.into()]);
            }
            _ if lower.starts_with("tag") || lower.starts_with("rank") => given.words.push("--tag-output".into()),
            _ if lower.starts_with("merge") => given.note = Some("2>&1 after the command merges the streams".into()),
            _ => given.note = Some(format!("{word} has no counterpart")),
        }
    }
    Some(given)
}

/// `--stdin`: which PE reads standard input.
pub fn stdin(value: &str) -> Option<Given> {
    Some(if value == "0" { Given::silent(&[]) } else { Given::ignored("standard input goes to PE 0") })
}

/// srun's `--export`: the environment is passed on anyway, as far as other hosts need it.
pub fn export(value: &str) -> Option<Given> {
    let named = value.split(',').filter(|word| !["ALL", "NONE", "NIL", ""].contains(word));
    let words = named.flat_map(|name| ["-x".to_owned(), name.to_owned()]).collect();
    let note = value.split(',').any(|word| ["NONE", "NIL"].contains(&word));
    Some(Given { words, note: note.then(|| "on this host PEs have oshrun's environment".to_owned()) })
}

/// A parameter of Open MPI, and its value.
pub fn parameter(name: &str, value: &str) -> Given {
    match name {
        "shmem_symmetric_heap_size" => Given::said(&["-x", &format!("SHMEM_SYMMETRIC_SIZE={value}")]),
        "btl" | "pml" | "spml" | "mtl" if !value.starts_with('^') => {
            let has = |names: &[&str]| value.split(',').any(|word| names.contains(&word));
            let transport = match () {
                () if has(&["ucx"]) => "shm,ucx",
                () if has(&["ofi"]) => "shm,libfabric",
                () if has(&["tcp"]) && has(&["sm", "vader"]) => "shm,tcp",
                () if has(&["tcp"]) => "tcp",
                () if has(&["sm", "vader", "self"]) => "shm",
                () => return Given::ignored(""),
            };
            Given::ignored(&format!("an option of other launchers; here: --transport {transport}"))
        }
        "btl_tcp_if_include" | "oob_tcp_if_include" => {
            Given::ignored(&format!("an option of other launchers; here: -x SHMEM_TCP_IFACE={value}"))
        }
        _ => Given::ignored(""),
    }
}

/// Prefix of the variables that stand for parameters of Open MPI.
const PARAMETER: &str = "OMPI_MCA_";
/// Beginnings of the parameters of its OpenSHMEM. The others, which sites set for all users, are for programs of MPI.
const OF_OPENSHMEM: [&str; 7] = ["atomic", "memheap", "scoll", "shmem_api", "shmem_lock", "spml", "sshmem"];

/// A notice about variables of Open MPI's OpenSHMEM in the environment of oshrun, which have no effect. The runtime reads the size of the
/// heap.
pub fn variables(environment: impl Iterator<Item = (OsString, OsString)>) -> Option<String> {
    let names: BTreeSet<String> = environment.filter_map(|(name, _)| name.into_string().ok()).collect();
    let has_no_effect = |name: &&String| {
        name.strip_prefix(PARAMETER).is_some_and(|parameter_name| {
            OF_OPENSHMEM.iter().any(|begin| parameter_name.starts_with(begin))
                && parameter(parameter_name, "").words.is_empty()
        })
    };
    let names: Vec<&str> = names.iter().filter(has_no_effect).map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("ignoring {} (for Open MPI only)", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_ours_are_left_alone() {
        for value in ["slot", "core", "node", "ppr:2:socket", "sofa", "ppr:x"] {
            assert_eq!(map_by(value), None, "{value}");
        }
        for value in ["none", "core", "numa", "socket", "sofa", "node"] {
            assert_eq!(bind_to(value), None, "{value}");
        }
    }

    #[test]
    fn modifiers_are_translated_or_named() {
        let given = map_by("ppr:1:l3cache:PE=4").unwrap();
        assert_eq!(given.words, ["--map-by", "ppr:1:numa", "--cpus-per-pe", "4"]);
        assert_eq!(given.notice("-m").unwrap(), "-m is taken as --map-by ppr:1:numa --cpus-per-pe 4");
        let given = map_by("core:SPAN").unwrap();
        assert_eq!(given.notice("-m").unwrap(), "-m is taken as --map-by core (span has no counterpart)");
        assert_eq!(map_by(":OVERSUBSCRIBE").unwrap(), Given::silent(&["--map-by", "slot", "--oversubscribe"]));
        let given = output("tag,timestamp").unwrap();
        assert_eq!(given.notice("-o").unwrap(), "-o is taken as --tag-output (timestamp has no counterpart)");
        assert_eq!(cpu_bind("verbose,cores").unwrap(), Given::silent(&["--bind-to", "core"]));
    }

    #[test]
    fn parameters_of_open_mpi_name_their_counterparts() {
        for (name, value, advice) in [
            ("btl", "tcp,self", "--transport tcp)"),
            ("btl", "tcp,vader,self", "--transport shm,tcp)"),
            ("pml", "ucx", "--transport shm,ucx)"),
            ("btl_tcp_if_include", "eth0", "-x SHMEM_TCP_IFACE=eth0)"),
        ] {
            let notice = parameter(name, value).notice("-p").unwrap();
            assert!(notice.ends_with(advice), "{notice}");
        }
        assert_eq!(parameter("btl", "^openib"), Given::ignored(""));
    }

    #[test]
    fn variables_of_open_mpis_openshmem_are_reported_once() {
        let of = |set: &[(&str, &str)]| variables(set.iter().map(|(name, value)| (name.into(), value.into())));
        let named = of(&[
            ("PATH", "/bin"),
            ("OMPI_MCA_spml", "ucx"),
            ("OMPI_MCA_memheap_base_max_segments", "8"),
            // For programs of MPI.
            ("OMPI_MCA_btl", "^openib"),
            ("OMPI_MCA_shmem_mmap_enable_nfs_warning", "0"),
            // A setting of the runtime.
            ("OMPI_MCA_shmem_symmetric_heap_size", "1G"),
        ]);
        let expected = "ignoring OMPI_MCA_memheap_base_max_segments, OMPI_MCA_spml (for Open MPI only)";
        assert_eq!(named.as_deref(), Some(expected));
        assert_eq!(of(&[("PATH", "/bin"), ("OMPI_MCA_btl", "self")]), None);
    }
}
