//! Plans the job before the first process starts: finds every program, numbers the PEs, and assigns each to a host.

use super::allocation::{self, Allocation};
use super::assign_hosts::{FillOrder, HostAssignment};
use super::hosts::{self, HostLine};
use super::job_spec::{AgentSettings, App, JobHost, JobSpec};
use super::options::{AppOptions, JobOptions, Request, seconds};
use super::rsh::{self, Template};
use super::spawn::Task;
use super::step::{self, Step};
use super::tasks::{self, check_directory, fitness};
use super::variables::{carried, exported, of_variable, variable_of_ours};
use super::{Refusal, losses};
use crate::program_path;
use crate::stderr::print_line;
use ferrite_bootstrap::{ON_LOSS, Secret};
use ferrite_carriers::Home;
use ferrite_topology::{Machine, MapBy, Resource, usable_parts};
use std::env;
use std::ffi::{OsStr, OsString};
use std::iter::zip;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug)]
pub struct JobPlan {
    /// The options of the whole job.
    pub job: JobOptions,
    /// The description that all agents receive.
    pub spec: JobSpec,
    /// This host's node number, if PEs run here.
    pub here: Option<u32>,
    pub below: Vec<JobHost>,
    /// The PEs of this host.
    pub tasks: Vec<Task>,
    /// The step that starts the agents, unless a remote shell does.
    pub step: Option<Step>,
    /// Lines about their binding, for the user.
    pub bindings: Vec<String>,
    /// From SIGTERM to SIGKILL when the user ends the job.
    pub grace: Duration,
}

/// The default of `--host-timeout`.
const HOST_TIMEOUT: Duration = Duration::from_secs(5);
/// The default of `--lost-timeout` and `--start-timeout`. A host whose processes only wait for a core or a file system sends again in time;
/// a host that is gone closes its connection.
const LOST_TIMEOUT: Duration = Duration::from_secs(60);
/// The default of `--grace`.
const GRACE: Duration = Duration::from_secs(2);

/// Plan the requested job.
pub fn plan(request: Request) -> Result<JobPlan, Refusal> {
    let Request { job, apps: options, .. } = request;
    let Assigned { pes, hosts, rsh } = assigned(&options, &job)?;
    let (nodes, names) = hosts.finish();
    if nodes.encode().len() > ferrite_bootstrap::NodeMap::BYTES_MAX {
        return Err(Refusal::new("the numbers of slots vary too much: give each host the same number"));
    }
    let hosts: Vec<JobHost> = (0..).zip(names).map(|(node, host)| JobHost { node, host }).collect();
    let directory = program_path::directory()
        .map_err(|error| Refusal::new(format!("cannot find the directory in which it was started: {error}")))?;
    let shell = remote_shell(&job)?;
    let step = step(shell.as_ref(), rsh.is_some() && hosts.len() > 1)?;
    let shell = shell.map_or_else(|| rsh.unwrap_or(rsh::DEFAULT).parse(), Ok).map_err(Refusal::new)?;
    // A step starts this host's PEs, too: they need what it gives to its processes.
    let here = hosts.iter().find(|host| step.is_none() && is_here(&host.host)).map(|host| host.node);
    let below: Vec<_> = hosts.iter().filter(|host| Some(host.node) != here).cloned().collect();
    let runs_here = |pes: &Range<u32>| here.is_some_and(|node| nodes.pes_of(node).iter().any(|pe| pes.contains(&pe.0)));
    let apps = zip(options, pes)
        .map(|(options, pes)| {
            let name = options.command[0].clone();
            find(options, pes.end, &directory, runs_here(&pes)).map_err(|why| of_profile(why, &name, &job))
        })
        .collect::<Result<_, _>>()?;
    let pes_in_all = nodes.size();
    let spec = JobSpec {
        secret: Secret::draw().map_err(|error| Refusal::new(error.to_string()))?,
        nodes,
        apps,
        carried: carried(&job, &directory),
        directory,
        placement: [
            job.map_by.to_string(),
            job.bind_to.map(|wish| wish.to_string()).unwrap_or_default(),
            cpus_per_pe(&job, pes_in_all).to_string(),
            job.gpus.map(|wish| wish.to_string()).unwrap_or_default(),
        ],
        report_bindings: job.report_bindings,
        no_aslr: job.no_aslr,
        loss_returns: losses::are_returned(&job)?,
        agent_settings: agent_settings(&job, shell, !below.is_empty(), step.as_ref())?,
        hosts,
    };
    let (tasks, bindings) = match here {
        Some(node) => tasks::of_node(&spec, node, &host_name())?,
        None => (Vec::new(), Vec::new()),
    };
    let grace = duration(job.grace, "FERRITE_GRACE", GRACE)?;
    Ok(JobPlan { job, spec, here, below, tasks, step, bindings, grace })
}

/// Which PEs run where.
struct Assigned {
    /// The PEs of each program.
    pes: Vec<Range<u32>>,
    hosts: HostAssignment,
    /// The remote shell of the scheduler's allocation, if the hosts are from one.
    rsh: Option<&'static str>,
}

/// Assign the PEs of all programs to hosts.
fn assigned(programs: &[AppOptions], job: &JobOptions) -> Result<Assigned, Refusal> {
    let mut assignment = HostAssignment::default();
    let names_hosts = programs.iter().any(|options| options.host.is_some() || options.hostfile.is_some());
    let allocation = if names_hosts { None } else { allocation()? };
    let mut hosts = allocation.as_ref().map(|allocation| allocation.hosts.clone());
    let (mut pes, mut begin) = (Vec::new(), 0_u32);
    for options in programs {
        hosts = hosts_of(options)?.or(hosts);
        let all = match &hosts {
            Some(hosts) => hosts.clone(),
            None => vec![this_host(options.count.is_none())?],
        };
        let requested = requested_count(options, job, &all)?;
        let count = match fill_order(options, job) {
            each @ FillOrder::PerNode(_) => {
                let told = assignment.assign(&all, requested, each);
                told.map_err(|why| Refusal::new(format!("-N (or ppr:N:node): {why}")))?
            }
            order => assignment.assign(&all, requested, order).map_err(Refusal::new)?,
        };
        let end = begin.checked_add(count).ok_or_else(|| Refusal::new("more PEs than a job may have"))?;
        pes.push(begin..end);
        begin = end;
    }
    let rsh = allocation.as_ref().map(|allocation| allocation.rsh);
    let by = allocation.filter(|_| !job.oversubscribe).map(|allocation| allocation.by);
    if let Some((by, (host, pes))) = by.zip(assignment.oversubscribed()) {
        let HostLine { name, slots, .. } = host;
        print_line(format_args!(
            "oshrun: {pes} PEs on host {name}, which has {slots} slots by {by} (--oversubscribe silences this)"
        ));
    }
    Ok(Assigned { pes, hosts: assignment, rsh })
}

/// The remote shell that the user gives, or the word for a step.
fn remote_shell(job: &JobOptions) -> Result<Option<Template>, Refusal> {
    let of_environment =
        || of_variable("FERRITE_RSH").map(|text| text.parse().map_err(|why| wrong("FERRITE_RSH", why)));
    job.rsh.clone().map(Ok).or_else(of_environment).transpose()
}

/// The step in which all agents start: where the user asks for one, and in an allocation of several hosts with Slingshot, unless the user
/// gives a remote shell.
fn step(shell: Option<&Template>, is_allocated: bool) -> Result<Option<Step>, Refusal> {
    let is_asked = shell.is_some_and(|Template(words)| *words == [step::WORD]);
    if !is_asked && (shell.is_some() || !is_allocated || !Home::SLINGSHOT.has_devices()) {
        return Ok(None);
    }
    let scheduler =
        step::Scheduler::of_job(of_variable).filter(|found| program_path::on_path(found.program()).is_some());
    match scheduler {
        Some(scheduler) => Step::prepare(scheduler).map(Some),
        None if is_asked => Err(Refusal::new(
            "--rsh step: this is neither a job of Slurm with srun in PATH, nor one of PBS with the mpiexec of PALS in PATH",
        )),
        None => Ok(None),
    }
}

/// The scheduler's allocation, if there is one. All names of this host in it become one.
fn allocation() -> Result<Option<Allocation>, Refusal> {
    let wrong = |why: String| Refusal::new(format!("{why}; to use this host alone, give --host localhost"));
    let found = allocation::find(|name| Some(variable_of_ours(name)?.to_string_lossy().into_owned())).map_err(wrong)?;
    found.map(|found| Ok(Allocation { hosts: with_one_name(found.hosts).map_err(wrong)?, ..found })).transpose()
}

/// The hosts that the user gives for a program, if any. All names of this host among them become one.
fn hosts_of(options: &AppOptions) -> Result<Option<Vec<HostLine>>, Refusal> {
    let lines = match (&options.host, &options.hostfile) {
        (Some(hosts), _) => hosts.0.clone(),
        (None, Some(file)) => hosts::file(file).map_err(|why| Refusal::new(format!("--hostfile {why}")))?,
        (None, None) => return Ok(None),
    };
    with_one_name(lines).map(Some).map_err(|why| Refusal::new(format!("the slots of this host: {why}")))
}

/// Give this host one name, and add up its slots.
fn with_one_name(mut lines: Vec<HostLine>) -> Result<Vec<HostLine>, String> {
    for line in lines.iter_mut().filter(|line| is_here(&line.name)) {
        line.name = host_name();
    }
    hosts::merged(lines)
}

/// Whether `name` is a name of this host.
fn is_here(name: &str) -> bool {
    let own = host_name();
    let first = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    // One of the two names may lack the domain.
    let same = name == own || (!name.contains('.') || !own.contains('.')) && first(name) == first(&own);
    same && name.parse::<std::net::IpAddr>().is_err() || ["localhost", "127.0.0.1", "::1"].contains(&name)
}

fn this_host(counted: bool) -> Result<HostLine, Refusal> {
    let slots = if counted { cpus_allowed()? } else { 1 };
    Ok(HostLine { name: host_name(), slots: slots as u32, most: None })
}

fn cpus_allowed() -> Result<usize, Refusal> {
    std::thread::available_parallelism()
        .map(usize::from)
        .map_err(|error| Refusal::new(format!("cannot count this process's CPUs ({error}): give -n N")))
}

fn fill_order(options: &AppOptions, job: &JobOptions) -> FillOrder {
    match (options.per_host, job.map_by) {
        (Some(each), _) => FillOrder::PerNode(each),
        (None, MapBy::Ppr { count, per: Resource::Node }) => FillOrder::PerNode(count),
        (None, MapBy::Node) => FillOrder::ByNode,
        _ => FillOrder::BySlot,
    }
}

/// The number of PEs that the user requests for a program, if any: by `-n`, or by `ppr` with the resources of this
/// host. The resources of other hosts are not known here.
fn requested_count(options: &AppOptions, job: &JobOptions, hosts: &[HostLine]) -> Result<Option<u32>, Refusal> {
    let (each, per) = match job.map_by {
        MapBy::Ppr { count, per } if per != Resource::Node && options.per_host.is_none() => (count, per),
        _ => return Ok(options.count),
    };
    let unknown = |on: &str, give: &str| {
        Err(Refusal::new(format!("--map-by {}: cannot count the PEs on {on} from here: give {give}", job.map_by)))
    };
    match hosts {
        [_] if options.count.is_some() => Ok(options.count),
        [host] if is_here(&host.name) => {
            let machine =
                Machine::probe().map_err(|error| Refusal::new(format!("cannot read this machine's map: {error}")))?;
            let count = u32::try_from(usable_parts(&machine, per)).ok().and_then(|parts| parts.checked_mul(each));
            count.map(Some).ok_or_else(|| Refusal::new("more PEs than a job may have"))
        }
        [host] => unknown(&format!("host {}", host.name), "-n N as well"),
        _ => unknown("each of several hosts", "-N K as well, for K PEs on each"),
    }
}

/// Add a hint to the refusal of a program whose `name` is the file of `--profile`: without `=`, the option takes no file.
fn of_profile(refusal: Refusal, name: &OsStr, job: &JobOptions) -> Refusal {
    let name = name.to_string_lossy();
    if job.profile.is_some() && name.ends_with(".html") {
        Refusal { line: format!("{} (is --profile={name} meant?)", refusal.line), ..refusal }
    } else {
        refusal
    }
}

/// How agents are started on other hosts, if there are `others`: by `shell`, unless by a step.
fn agent_settings(
    job: &JobOptions,
    shell: Template,
    others: bool,
    step: Option<&Step>,
) -> Result<AgentSettings, Refusal> {
    let patience = duration(job.host_timeout, "FERRITE_HOST_TIMEOUT", HOST_TIMEOUT)?;
    if let Some(theirs) = job.launch_agent.as_ref().filter(|path| path.ends_with("prted") || path.ends_with("orted")) {
        let text = "is a daemon of Open MPI; name the path of oshrun on the other hosts, or leave the option out";
        return Err(Refusal::new(format!("--launch-agent {} {text}", theirs.display())));
    }
    let agent = match &job.launch_agent {
        Some(path) => path.clone(),
        // A job on one host needs no agent, so a path that cannot be found is no error.
        None if !others => PathBuf::new(),
        None => program_path::file_elsewhere()
            .map_err(|error| Refusal::new(format!("cannot find its own file: {error}")))?,
    };
    let rsh = match step {
        Some(_) => Template(vec![agent.to_string_lossy().into_owned(), step::LINK.into(), "{host}".into()]),
        None => shell,
    };
    let step = step.map(|step| step.invitation.encode()).unwrap_or_default();
    let usual = patience.max(LOST_TIMEOUT);
    let lost = duration(job.lost_timeout, "FERRITE_LOST_TIMEOUT", usual)?;
    let start = duration(job.start_timeout, "FERRITE_START_TIMEOUT", usual)?;
    let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(100);
    let (patience_ms, lost_ms, start_ms) = (ms(patience), ms(lost), ms(start));
    Ok(AgentSettings { rsh: rsh.0, step, agent, fan_out: job.fan_out, patience_ms, lost_ms, start_ms })
}

/// How many CPUs each PE uses. Variables do not override an explicit `--bind-to`. If there are more PEs than Slurm tasks, several PEs share
/// a task's CPUs, so `SLURM_CPUS_PER_TASK` does not count: oshrun may be a task itself.
fn cpus_per_pe(job: &JobOptions, pes: u32) -> u32 {
    let of_variable = |name| threads(&of_variable(name)?);
    let of_task =
        || of_variable("SLURM_CPUS_PER_TASK").filter(|_| of_variable("SLURM_NTASKS").is_none_or(|tasks| pes <= tasks));
    let told = || of_task().or_else(|| of_variable("OMP_NUM_THREADS"));
    job.cpus_per_pe.or_else(|| if job.bind_to.is_none() { told() } else { None }).unwrap_or(1)
}

/// The number of threads in a value of `OMP_NUM_THREADS`: the number of the outermost level.
fn threads(text: &str) -> Option<u32> {
    text.split(',').next()?.trim().parse().ok().filter(|&count| count > 0)
}

/// The value of an option, else of its environment variable, else the default.
fn duration(option: Option<Duration>, variable: &str, usual: Duration) -> Result<Duration, Refusal> {
    match (option, of_variable(variable)) {
        (Some(said), _) => Ok(said),
        (None, Some(text)) => seconds(&text).map_err(|why| wrong(variable, why)),
        (None, None) => Ok(usual),
    }
}

fn wrong(variable: &str, why: String) -> Refusal {
    Refusal::new(format!("{variable}: {why}"))
}

/// This host's name.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Find one program. Relative paths start at `from`.
fn find(options: AppOptions, end: u32, from: &Path, runs_here: bool) -> Result<App, Refusal> {
    let directory = options.wdir.map(|directory| std::path::absolute(from.join(directory))).transpose();
    let directory = directory.map_err(|error| Refusal::new(format!("--wdir: {error}")))?;
    if let Some(directory) = directory.as_deref().filter(|_| runs_here) {
        check_directory(directory)?;
    }
    let program = locate(&options.command[0], directory.as_deref().unwrap_or(from), runs_here)?;
    let set = options.export.into_iter().filter_map(exported).collect::<Result<Vec<_>, _>>()?;
    // oshrun itself has to know whether losses return.
    if set.iter().any(|(name, value)| name == ON_LOSS && value.to_str() != of_variable(ON_LOSS).as_deref()) {
        return Err(Refusal::new(format!("-x {ON_LOSS}: write --on-loss, which is for all PEs and for oshrun")));
    }
    Ok(App { program, words: options.command, directory, set, end })
}

/// The file of a program: its path if the name has one, else the first match in PATH, else in the directory where it
/// starts. A program with a path that does not run on this host need not exist here: its own hosts check it.
fn locate(name: &OsString, directory: &Path, runs_here: bool) -> Result<PathBuf, Refusal> {
    let shown = name.to_string_lossy();
    let here = directory.join(name);
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| Refusal::new(format!("{shown}: {error}")));
    let has_path = name.as_bytes().contains(&b'/');
    if has_path && !runs_here {
        return absolute(&here);
    }
    let mut candidates = Vec::new();
    if !has_path {
        let path = variable_of_ours("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        candidates.extend(env::split_paths(&path).map(|entry| entry.join(name)));
    }
    candidates.push(here.clone());
    let mut unfit = None;
    for candidate in candidates.into_iter().filter(|candidate| !name.is_empty() && candidate.exists()) {
        match fitness(&candidate) {
            None => return absolute(&candidate),
            Some(why) => unfit = unfit.or(Some(format!("{} {why}", candidate.display()))),
        }
    }
    Err(match unfit {
        Some(line) => Refusal { code: 126, line },
        None if has_path => Refusal {
            code: 127,
            line: format!("program `{shown}` not found: there is no {}", absolute(&here)?.display()),
        },
        None => Refusal {
            code: 127,
            line: format!("program `{shown}` not found, neither in PATH nor in the directory where it would start"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_those_of_the_outermost_level() {
        assert_eq!(
            ["8", "4,2", " 16 ", "0", "", "many", "-1"].map(threads),
            [Some(8), Some(4), Some(16), None, None, None, None]
        );
    }

    #[test]
    fn what_would_start_something_else_is_refused() {
        let parse = |words: &[&str]| crate::run::options::parse(words.iter().map(OsString::from)).unwrap();
        let theirs = parse(&["oshrun", "--launch-agent", "/usr/bin/prted", "sh"]);
        let shell = Template(vec!["ssh".to_owned()]);
        let line = agent_settings(&theirs.job, shell, true, None).err().unwrap().line;
        assert!(line.starts_with("--launch-agent /usr/bin/prted is a daemon of Open MPI"), "{line}");
        let app = parse(&["oshrun", "-x", "SHMEM_ON_LOSS=return", "sh"]).apps.remove(0);
        let line = find(app, 1, Path::new("/"), true).err().unwrap().line;
        assert!(line.contains("write --on-loss"), "{line}");
    }

    #[test]
    fn programs_are_found_or_the_reason_is_given() {
        assert!(locate(&"sh".into(), Path::new("/bin"), true).unwrap().is_absolute());
        assert!(locate(&"./sh".into(), Path::new("/bin"), true).is_ok());
        assert!(locate(&"sh".into(), Path::new("/nowhere"), true).is_ok());
        for (name, code) in
            [("no-such-program-here", 127), ("./no-such", 127), ("/", 126), ("/etc/passwd", 126), ("", 127)]
        {
            assert_eq!(locate(&name.into(), Path::new("/"), true).unwrap_err().code, code, "{name}");
        }
    }

    #[test]
    fn file_given_to_profile_without_equals_sign_gets_a_hint() {
        let request = crate::run::options::parse(["oshrun", "--profile", "/etc/out.html"].map(OsString::from)).unwrap();
        for name in ["no-such.html", "/etc/no-such.html", "/etc"] {
            let refusal = locate(&name.into(), Path::new("/"), true).unwrap_err();
            let line = of_profile(refusal, name.as_ref(), &request.job).line;
            assert_eq!(line.ends_with(&format!("(is --profile={name} meant?)")), name.ends_with(".html"), "{line}");
        }
        // A file that exists is refused in other words.
        let refusal = Refusal { code: 126, line: "/etc/out.html is not executable".into() };
        assert!(of_profile(refusal, "/etc/out.html".as_ref(), &request.job).line.contains("--profile=/etc/out.html"));
    }

    #[test]
    fn a_program_of_other_hosts_need_not_be_on_this_one() {
        let elsewhere = |name: &str| locate(&name.into(), Path::new("/on/b"), false).map_err(|why| why.code);
        assert_eq!(elsewhere("/opt/no-such"), Ok("/opt/no-such".into()));
        assert_eq!(elsewhere("./no-such"), Ok("/on/b/no-such".into()));
        // A bare name does not tell where the program is, so this host's PATH decides.
        assert_eq!(elsewhere("no-such-program-here"), Err(127));
        assert_eq!(elsewhere("sh"), locate(&"sh".into(), Path::new("/"), true).map_err(|why| why.code));
    }

    #[test]
    fn this_host_is_known_by_its_names() {
        let own = host_name();
        for name in ["localhost", "127.0.0.1", "::1", &own, own.split('.').next().unwrap()] {
            assert!(is_here(name), "{name}");
        }
        for name in ["another", "10.0.0.1", "10.0.0.2", "127.0.0.2"] {
            assert!(!is_here(name), "{name}");
        }
    }

    #[test]
    fn this_host_under_two_names_has_the_slots_of_both() {
        let own = host_name();
        let hosts = with_one_name(hosts::listed(&format!("localhost:1,another:2,{own}:3")).unwrap()).unwrap();
        let shown: Vec<_> = hosts.iter().map(|line| (line.name.as_str(), line.slots)).collect();
        assert_eq!(shown, [(own.as_str(), 4), ("another", 2)]);
    }
}
