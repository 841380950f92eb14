//! The hosts of a scheduler's allocation, read from its environment variables and files. Used if the user gives no
//! hosts.

use super::hosts::{self, HostLine};
use super::rsh;
use std::path::Path;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The environment variable that names it.
    pub by: &'static str,
    /// The hosts, with their slots.
    pub hosts: Vec<HostLine>,
    /// The default remote shell.
    pub rsh: &'static str,
}

type Lines = Result<Vec<HostLine>, String>;
/// A parser of a file of hosts.
type Reader = fn(&str) -> Lines;

/// Schedulers that write a file of hosts, by the variable that names the file: PBS and Torque, LSF, Grid Engine.
const FILES: [(&str, Reader); 3] =
    [("PBS_NODEFILE", a_line_for_each_slot), ("LSB_DJOB_HOSTFILE", a_line_for_each_slot), ("PE_HOSTFILE", with_slots)];
const SLURM: &str = "SLURM_JOB_NODELIST";
/// The step id of a user's shell under Slurm. All other steps are tasks.
const SLURM_SHELL: &str = "4294967290";
/// Variables that launchers set for each task.
const TASKS: [&str; 4] = ["FERRITE_PE", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"];
/// The most hosts that are accepted: a short list may expand to billions.
const HOSTS_MAX: usize = 1 << 16;

/// The allocation of this process, from its environment. A task of a job may use its own host only: the other hosts belong to other tasks,
/// each of which may start an oshrun too.
pub fn find(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Allocation>, String> {
    let is_step = variable("SLURM_STEP_ID").is_some_and(|step| step != SLURM_SHELL);
    // Torque sets both for the job's script, too, which is task 1.
    let is_pbs_task =
        variable("PBS_VNODENUM").is_some() && variable("PBS_TASKNUM").is_none_or(|number| number.trim() != "1");
    if is_step || is_pbs_task || TASKS.iter().any(|name| variable(name).is_some()) {
        return Ok(None);
    }
    for (by, read) in FILES {
        if let Some(path) = variable(by) {
            let text = hosts::read(Path::new(&path));
            return given(by, &path, rsh::DEFAULT, text.and_then(|text| read(&text)));
        }
    }
    let Some(list) = variable(SLURM) else { return Ok(None) };
    let slots = ["SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"].into_iter().find_map(&variable);
    given(SLURM, &list, rsh::SLURM, of_slurm(&list, slots.as_deref().unwrap_or_default()))
}

fn given(by: &'static str, value: &str, rsh: &'static str, hosts: Lines) -> Result<Option<Allocation>, String> {
    match hosts.and_then(hosts::merged) {
        Ok(hosts) if hosts.is_empty() => Err(format!("{by}={value} names no host")),
        Ok(hosts) => Ok(Some(Allocation { by, hosts, rsh })),
        Err(why) => Err(format!("{by}={value}: {why}")),
    }
}

fn a_line_for_each_slot(text: &str) -> Lines {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| HostLine::new(line, 1)).collect()
}

/// Parse lines of a host, its slots, and further words.
fn with_slots(text: &str) -> Lines {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let (name, slots) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            HostLine::new(name, hosts::count(slots).map_err(|why| format!("`{line}`: {why}"))?)
        })
        .collect()
}

/// Combine Slurm's list of hosts with its list of slots. If the second is empty, each host has one slot.
fn of_slurm(list: &str, slots: &str) -> Lines {
    let names = names(list)?;
    let slots = if slots.is_empty() { vec![1; names.len()] } else { repeated(slots)? };
    if names.len() != slots.len() {
        return Err(format!("{} hosts, and slots for {}", names.len(), slots.len()));
    }
    names.iter().zip(slots).map(|(name, slots)| HostLine::new(name, slots)).collect()
}

/// Expand `4(x2),3` to the numbers 4, 4 and 3.
fn repeated(text: &str) -> Result<Vec<u32>, String> {
    let mut all = Vec::new();
    for word in text.split(',') {
        let (number, times) = match word.strip_suffix(')').and_then(|word| word.split_once("(x")) {
            Some((number, times)) => (number, hosts::count(times).map_err(|why| format!("`{word}`: {why}"))?),
            None => (word, 1),
        };
        let number = hosts::count(number).map_err(|why| format!("`{word}`: {why}"))?;
        bounded(all.len() + times as usize)?;
        all.extend(std::iter::repeat_n(number, times as usize));
    }
    Ok(all)
}

/// Expand `a[01-03,7]-x,b` to names.
fn names(list: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut depth = 0_u32;
    let words = list.split(|letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    for word in words {
        all.extend(expanded(word.trim())?);
        bounded(all.len())?;
    }
    Ok(all)
}

/// Expand one word to names: each pair of brackets stands for all numbers in it.
fn expanded(word: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = word.split_once('[') else { return Ok(vec![word.to_owned()]) };
    let (inside, after) = rest.split_once(']').ok_or_else(|| format!("`{word}`: a bracket is not closed"))?;
    let mut numbers = Vec::new();
    for range in inside.split(',') {
        numbers.extend(counted(range).map_err(|why| format!("`{word}`: {why}"))?);
        bounded(numbers.len())?;
    }
    let after = expanded(after)?;
    bounded(numbers.len() * after.len())?;
    let with = |number: &String| after.iter().map(move |after| format!("{before}{number}{after}")).collect::<Vec<_>>();
    Ok(numbers.iter().flat_map(with).collect())
}

/// The numbers of `01-03` or `7`, with as many digits as the first.
fn counted(range: &str) -> Result<Vec<String>, String> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{range}` is not a range of numbers"));
    let (from, to, width) = (number(first)?, number(last)?, first.len());
    if from > to {
        return Err(format!("`{range}` goes backwards"));
    }
    bounded(to - from)?;
    Ok((from..=to).map(|number| format!("{number:0width$}")).collect())
}

fn bounded(hosts: usize) -> Result<(), String> {
    if hosts > HOSTS_MAX { Err(format!("more than {HOSTS_MAX} hosts")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The hosts that are found in an environment, as `a:2 b:1`.
    fn found(environment: &[(&str, &str)]) -> Result<Option<String>, String> {
        let value =
            |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let shown =
            |hosts: Vec<HostLine>| hosts.iter().map(|host| format!("{}:{}", host.name, host.slots)).collect::<Vec<_>>();
        Ok(find(value)?.map(|allocation| shown(allocation.hosts).join(" ")))
    }

    #[test]
    fn lists_of_slurm_are_read() {
        for (list, slots, hosts) in [
            ("a", "", "a:1"),
            ("a,b", "3(x2)", "a:3 b:3"),
            ("n[0-2]", "2(x2),1", "n0:2 n1:2 n2:1"),
            ("a[01-03,7],b", "4(x3),3,1", "a01:4 a02:4 a03:4 a7:3 b:1"),
            ("n[098-101]", "1(x4)", "n098:1 n099:1 n100:1 n101:1"),
            ("r[1-2]n[3,5]-ib", "", "r1n3-ib:1 r1n5-ib:1 r2n3-ib:1 r2n5-ib:1"),
        ] {
            let told = found(&[(SLURM, list), ("SLURM_TASKS_PER_NODE", slots)]);
            assert_eq!(told, Ok(Some(hosts.to_owned())), "{list} {slots}");
        }
        for (list, slots, named) in [
            ("a[1-3", "", "a bracket is not closed"),
            ("a[3-1]", "", "`3-1` goes backwards"),
            ("a[x]", "", "`x` is not a range"),
            ("a[]", "", "not a range"),
            ("a[0-4000000000]", "", "more than 65536 hosts"),
            ("a[1-1000]b[1-1000]", "", "more than 65536 hosts"),
            ("a,b", "1", "2 hosts, and slots for 1"),
            ("a", "1(x", "`1(x`"),
            ("a", "1(x4000000000)", "more than 65536 hosts"),
            ("a,-b", "", "`-b` is not a host name"),
            ("", "", "not a host name"),
        ] {
            let told = found(&[(SLURM, list), ("SLURM_TASKS_PER_NODE", slots)]).unwrap_err();
            assert!(told.contains(named) && told.starts_with("SLURM_JOB_NODELIST="), "{told}");
        }
    }

    #[test]
    fn files_of_schedulers_are_read() {
        let path = std::env::temp_dir().join(format!("ferrite-allocation-{}", std::process::id()));
        let name = path.to_str().unwrap();
        for (by, text, hosts) in [
            ("PBS_NODEFILE", "a\na\nb.x.org\n", Ok("a:2 b.x.org:1")),
            ("LSB_DJOB_HOSTFILE", "b\na\nb\n\n", Ok("b:2 a:1")),
            ("PE_HOSTFILE", "a 4 all.q@a UNDEFINED\nb 2 all.q@b <NULL>\n", Ok("a:4 b:2")),
            ("PE_HOSTFILE", "a\n", Err("`a`: expected a number of slots")),
            ("PBS_NODEFILE", "a;b\n", Err("`a;b` is not a host name")),
            ("PBS_NODEFILE", "\n", Err("names no host")),
        ] {
            fs::write(&path, text).unwrap();
            match (found(&[(by, name), (SLURM, "other")]), hosts) {
                (Ok(told), Ok(hosts)) => assert_eq!(told.as_deref(), Some(hosts), "{by} {text}"),
                (Err(told), Err(named)) => assert!(told.contains(named) && told.contains(by), "{told}"),
                (told, _) => panic!("{by} {text}: {told:?}"),
            }
        }
        fs::remove_file(&path).unwrap();
        let told = found(&[("PBS_NODEFILE", name)]).unwrap_err();
        assert!(told.contains("No such file") && told.contains(name), "{told}");
    }

    #[test]
    fn a_task_has_no_more_than_its_own_host() {
        assert_eq!(found(&[]), Ok(None));
        let list = (SLURM, "a,b");
        for mark in [("SLURM_STEP_ID", "0"), ("FERRITE_PE", "0"), ("PMI_RANK", "1"), ("PMIX_RANK", "0")] {
            assert_eq!(found(&[list, mark]), Ok(None), "{mark:?}");
        }
        let of_pbs = |number| [list, ("PBS_TASKNUM", number), ("PBS_VNODENUM", "0")];
        assert_eq!(found(&of_pbs("2")), Ok(None));
        assert_eq!(found(&of_pbs("1")), Ok(Some("a:1 b:1".into())), "the script of a job of Torque");
        // The environment of a batch script, and of the shell that Slurm runs as a step.
        for mark in [("SLURM_PROCID", "0"), ("SLURM_STEP_ID", SLURM_SHELL)] {
            assert_eq!(found(&[list, mark]), Ok(Some("a:1 b:1".into())), "{mark:?}");
        }
    }
}
