//! The CPUs that PEs are bound to, and the messages about them.

mod job;

use job::{Ran, command, run, start_with_input};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Command with which a PE prints the CPUs it may run on.
const SAY: [&str; 3] = ["grep", "Cpus_allowed_list", "/proc/self/status"];

/// The CPUs that this test may use, as the kernel writes them.
fn ours() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    line.trim().to_owned()
}

fn cpus() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

/// The CPUs that each PE has printed.
fn said(ran: &Ran) -> Vec<String> {
    ran.out.lines().map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
}

/// Move to a network namespace of the test's own, if one can be made: oshrun sees other jobs on this machine by names in its network
/// namespace.
fn in_own_network() {
    // SAFETY: no code relies on this thread's network.
    let _ = unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) };
}

#[test]
fn bindings_are_made_and_reported() {
    in_own_network();
    let ran = run(&[&["-n", "1", "--bind-to", "core", "--report-bindings"][..], &SAY].concat());
    assert_eq!(ran.code, 0);
    let list = &said(&ran)[0];
    assert!(ran.err.contains("PE 0 on host") && ran.err.contains(&format!("CPUs {list} ")), "{}", ran.err);
    let free = run(&[&["-n", "1", "--bind-to", "none"][..], &SAY].concat());
    free.went_well();
    assert_eq!(said(&free), [ours()]);
}

#[test]
fn reason_for_not_binding_is_reported() {
    in_own_network();
    // More PEs than cores are usual where programs are tried out. So oshrun reports it only to users who ask ...
    let pes = (cpus() + 1).to_string();
    run(&["-n", &pes, "true"]).went_well();
    let report = run(&["-n", &pes, "--report-bindings", "true"]).err;
    assert!(report.contains(&format!(": PEs are not bound: {pes} PEs share ")), "{report}");
    assert_eq!(report.matches(": not bound, CPUs ").count(), cpus() + 1, "{report}");
    let report = run(&["-n", "1", "--report-bindings", "true"]).err;
    assert!(report.contains(": PEs are not bound: one PE has the whole host"), "{report}");
    // ... and to users whose --bind-to is ignored.
    run(&["-n", "200", "--bind-to", "core", "--oversubscribe", "true"])
        .ended(0, &["ignoring --bind-to core: ", " PEs would share ", " of a core"]);
    let report = run(&["-n", "1", "--bind-to", "none", "--report-bindings", "true"]);
    report.ended(0, &["PE 0 on host ", ": not bound, CPUs "]);
}

#[test]
fn each_pe_gets_gpus_of_those_that_are_visible() {
    in_own_network();
    let oshrun = |words: &[&str]| {
        let mut oshrun = command(&[words, &["sh", "-c", "echo $CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER"]].concat());
        oshrun.env("CUDA_VISIBLE_DEVICES", "GPU-b,GPU-a,GPU-c,GPU-d");
        start_with_input(oshrun, b"").finish()
    };
    let lines = |ran: &Ran| {
        ran.went_well();
        let mut lines: Vec<String> = ran.out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let two = oshrun(&["-n", "2", "--gpus", "2"]);
    assert_eq!(lines(&two), ["GPU-b,GPU-a PCI_BUS_ID", "GPU-c,GPU-d PCI_BUS_ID"]);
    let shared = oshrun(&["-n", "5", "--gpus", "nearest"]);
    assert_eq!(lines(&shared).iter().filter(|line| *line == "GPU-b PCI_BUS_ID").count(), 2, "{}", shared.out);
    // Without the option, the variable reaches the PEs as it is.
    assert_eq!(lines(&oshrun(&["-n", "1"])), ["GPU-b,GPU-a,GPU-c,GPU-d"]);
    let report = oshrun(&["-n", "1", "--gpus", "nearest", "--report-bindings"]);
    assert!(report.err.contains(" gpu GPU-b\n"), "{}", report.err);
    oshrun(&["-n", "3", "--gpus", "2"]).ended(1, &["--gpus 2: 3 PEs with 2 GPUs each need 6: 4 are there"]);
}

/// No other job gets the cores of a running job, as long as there are free ones.
#[test]
fn jobs_take_other_cores_if_there_are_any() {
    in_own_network();
    if cpus() < 2 {
        return println!("skipped: there is one cpu");
    }
    let go_on = std::env::temp_dir().join(format!("ferrite-cores-{}", std::process::id()));
    let script =
        format!("grep Cpus_allowed_list /proc/self/status; while [ ! -e {} ]; do sleep 0.02; done", go_on.display());
    let first = start_with_input(command(&["-n", "2", "--report-bindings", "sh", "-c", &script]), b"");
    job::wait_until("both have said where they are", || first.output().matches("Cpus_allowed").count() == 2);
    let words = [&["-n", "2", "--report-bindings"][..], &SAY].concat();
    let second = run(&words);
    assert_eq!(second.code, 0, "{}", second.err);
    fs::write(&go_on, "").unwrap();
    let first = first.finish();
    assert_eq!(first.code, 0, "{}", first.err);
    fs::remove_file(&go_on).unwrap();
    if first.err.contains("not bound") {
        return println!("skipped: nobody is bound here: {}", first.err);
    }
    let sorted = |ran: &Ran| {
        let mut cpus = said(ran);
        cpus.sort();
        cpus
    };
    let (taken, others) = (sorted(&first), sorted(&second));
    let apart = others.iter().all(|cpus| !taken.contains(cpus));
    if cpus() > 3 {
        assert!(apart, "{taken:?} {others:?}");
    } else if cpus() == 2 {
        assert_eq!(taken, others);
        assert!(second.err.contains("other jobs have bound PEs to all cores"), "{}", second.err);
    }
    // The first job has ended, so its cores are free again.
    assert_eq!(sorted(&run(&words)), taken);
    let wish = run(&["-n", "2", "--bind-to", "core", "true"]);
    assert!(!wish.err.contains("not kept"), "{}", wish.err);
}

#[test]
fn pes_with_threads_have_cpus_for_them() {
    in_own_network();
    let all = cpus().to_string();
    let wide = run(&[&["-n", "1", "--bind-to", "core", "--cpus-per-pe", &all][..], &SAY].concat());
    wide.went_well();
    assert_eq!(said(&wide), [ours()]);
    // Without --bind-to, a variable with the number of threads counts. A PE that wants more CPUs than there are gets all of them; that is
    // not an error.
    let report = |name: &str, value: &str, words: &[&str]| {
        let mut oshrun = command(&[&["-n", "2", "--report-bindings"], words, &["true"]].concat());
        oshrun.env(name, value);
        start_with_input(oshrun, b"").finish().err
    };
    let wide = "2 PEs of 60000 CPUs each do not fit: there is room for 0";
    for (name, value) in [("OMP_NUM_THREADS", "60000,2"), ("SLURM_CPUS_PER_TASK", "60000")] {
        let said = report(name, value, &[]);
        assert!(said.contains(wide), "{name}: {said}");
        let said = report(name, value, &["--bind-to", "core"]);
        assert!(!said.contains("60000"), "{name}: {said}");
    }
    let said = report("OMP_NUM_THREADS", "60000", &["--cpus-per-pe", "1"]);
    assert!(!said.contains("60000"), "{said}");
    // A Slurm task for oshrun alone has the CPUs of all its PEs.
    let mut task = command(&["-n", "2", "--report-bindings", "true"]);
    task.env("SLURM_CPUS_PER_TASK", "60000").env("SLURM_NTASKS", "1");
    let said = start_with_input(task, b"").finish().err;
    assert!(!said.contains("60000"), "{said}");
}

/// A control group limited to the time of one CPU, removed on drop.
struct Group(std::path::PathBuf);

impl Group {
    /// Make a group of cgroup version 1 or 2, whichever is permitted.
    fn new() -> std::io::Result<Group> {
        let version = |root: &str, file: &str, limit: &str| {
            let group = Group(Path::new(root).join(format!("ferrite-test-{}", std::process::id())));
            fs::create_dir(&group.0)?;
            // A directory that is not on a cgroup file system lacks this file, and the test must not create it.
            fs::OpenOptions::new().write(true).open(group.0.join(file))?;
            fs::write(group.0.join(file), limit).map(|()| group)
        };
        version("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000")
            .or_else(|_| version("/sys/fs/cgroup", "cpu.max", "100000 100000"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_job_that_has_the_time_of_one_cpu_is_not_bound() {
    in_own_network();
    let group = match Group::new() {
        Ok(group) => group,
        Err(error) => return println!("skipped: no control group can be made here: {error}"),
    };
    if cpus() < 2 {
        return println!("skipped: there is one cpu");
    }
    let report = |wish: &str| {
        let mut shell = Command::new("sh");
        let enter = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", group.0.display());
        shell.args(["-c", &enter, "sh", env!("CARGO_BIN_EXE_oshrun"), "-n", "2", "--report-bindings"]);
        let output = job::bounded({
            shell.args(wish.split_whitespace()).arg("true");
            shell
        });
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // PEs run on as many CPUs as without the limit: each PE on all CPUs, or on one core with --bind-to core.
    let marks = |report: String| {
        let lines = report.lines().filter(|line| line.contains(": PE "));
        lines.map(|line| line.matches('#').count()).collect::<Vec<_>>()
    };
    let all = report("");
    assert!(all.contains(": PEs are not bound: a control group limits them to the time of 1 CPU\n"), "{all}");
    assert!(marks(all.clone()).iter().all(|&mine| mine >= 2), "{all}");
    let own = report("--bind-to core");
    assert!(marks(own.clone()) < marks(all), "{own}");
}

#[test]
fn a_pe_alone_is_not_bound() {
    in_own_network();
    let ran = run(&[&["-n", "1"][..], &SAY].concat());
    ran.went_well();
    assert_eq!(said(&ran), [ours()]);
}

/// Run a job where the kernel refuses to bind processes, as in a sandbox.
fn where_nobody_is_bound(words: &[&str]) -> Ran {
    let mut oshrun = command(words);
    let forbid = || {
        let statement = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
        let number = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
        let is_it = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, libc::SYS_sched_setaffinity as u32);
        let verdict = |verdict| statement(libc::BPF_RET | libc::BPF_K, 0, 0, verdict);
        let mut program =
            [number, is_it, verdict(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32), verdict(libc::SECCOMP_RET_ALLOW)];
        let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
        // SAFETY: the program is read during the call.
        let status = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter)
        };
        if status == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: the closure makes only system calls between fork and exec.
    unsafe { oshrun.pre_exec(forbid) };
    start_with_input(oshrun, b"").finish()
}

#[test]
fn failing_binding_ends_only_jobs_that_asked_for_it() {
    in_own_network();
    if cpus() < 2 {
        return println!("skipped: there is one cpu");
    }
    let ran = where_nobody_is_bound(&[&["-n", "2"][..], &SAY].concat());
    ran.went_well();
    assert_eq!(said(&ran), vec![ours(); 2]);
    let ran = where_nobody_is_bound(&["-n", "2", "--report-bindings", "true"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("PEs are not bound: cannot bind to the given CPUs: Operation not"), "{}", ran.err);
    assert_eq!(ran.err.matches(": not bound, CPUs ").count(), 2, "{}", ran.err);
    let first = ours().split([',', '-']).next().unwrap().to_owned();
    for wish in ["core", "socket"] {
        let why = format!("--bind-to {wish}: PE 0 would be on CPUs {first}");
        where_nobody_is_bound(&["-n", "2", "--bind-to", wish, "true"]).ended(1, &[&why, "Operation not permitted"]);
    }
}

/// Run a job in a mount namespace with an empty /sys. Returns None if no such namespace can be made here.
fn without_a_map(words: &[&str]) -> Option<Ran> {
    let world = |command: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["-m", "sh", "-c", &format!("mount -t tmpfs none /sys && {command}"), "sh"]);
        unshare
    };
    let made = world("true").output().is_ok_and(|output| output.status.success());
    if !made {
        println!("skipped: no world without /sys can be made here");
        return None;
    }
    let mut oshrun = world("exec \"$@\"");
    oshrun.arg(env!("CARGO_BIN_EXE_oshrun")).args(words);
    Some(start_with_input(oshrun, b"").finish())
}

#[test]
fn where_there_is_no_map_only_those_end_that_need_one() {
    in_own_network();
    let Some(ran) = without_a_map(&[&["-n", "2"][..], &SAY].concat()) else { return };
    ran.went_well();
    assert_eq!(said(&ran), vec![ours(); 2]);
    let run = |words: &[&str]| without_a_map(&[&["-n", "2"], words, &["true"]].concat()).unwrap();
    for words in [&["--map-by", "node"][..], &["--map-by", "ppr:2:node"], &["--bind-to", "none", "--map-by", "numa"]] {
        run(words).went_well();
    }
    run(&["--report-bindings"]).ended(0, &["PEs are not bound: no CPU is listed in"]);
    for words in [
        ["--bind-to", "core"],
        ["--bind-to", "socket"],
        ["--map-by", "core"],
        ["--map-by", "numa"],
        ["--map-by", "ppr:2:socket"],
    ] {
        run(&words).ended(1, &["cannot read this machine's map: no CPU is listed in"]);
    }
}
