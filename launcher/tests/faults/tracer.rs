//! Runs a job of oshrun in which one system call fails.

use super::job;
use libc::{c_int, c_long, pid_t};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Output of a job that succeeds.
pub const OUTPUT: &str = "hi\nhi\n";
/// How long the remaining processes of a killed oshrun may take to end.
const END_OF_REST: Duration = Duration::from_secs(60);

/// The call that fails.
#[derive(Clone, Copy)]
pub struct Fault {
    /// Number of the process or thread that makes the call: 0 is oshrun; its forks and threads follow in the order of their start.
    pub role: usize,
    /// Number of the call in that process or thread.
    pub call: usize,
}

/// Result of a job.
pub struct Ran {
    /// Its exit code, unless it hung.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    /// The call that failed, if it was reached.
    pub failed: Option<String>,
    /// Processes of the job that are left behind.
    pub left: BTreeSet<i32>,
}

/// A process or thread of oshrun.
struct Tracee {
    role: usize,
    /// True between the entry of a call and its exit.
    inside: bool,
    calls: usize,
    /// True from the first call of `main` on. Calls before it are not counted.
    counts: bool,
    /// Result that the current call shall return.
    result: Option<i64>,
}

/// True if processes may be traced here.
pub fn is_allowed() -> bool {
    let mut command = std::process::Command::new("true");
    // SAFETY: the closure makes only a system call between fork and exec.
    unsafe { command.pre_exec(trace_me) };
    let Ok(child) = command.spawn() else { return false };
    let mut status = 0;
    loop {
        // SAFETY: waits for the child spawned above, and continues it while it is stopped.
        unsafe {
            if libc::waitpid(child.id().cast_signed(), &raw mut status, 0) < 0 || !libc::WIFSTOPPED(status) {
                return true;
            }
            libc::ptrace(libc::PTRACE_CONT, child.id(), 0, 0);
        }
    }
}

fn trace_me() -> std::io::Result<()> {
    // SAFETY: the call only makes the parent this process's tracer.
    if unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

/// Run a short job in which one call fails.
pub fn run(fault: Fault) -> Ran {
    let place = std::env::temp_dir().join(format!("ferrite-faults-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let (out, err) = (place.join("out"), place.join("err"));
    let mark = format!("{}-{}-{}", std::process::id(), fault.role, fault.call);
    let words = ["-n", "2", "--bind-to", "none", "PE!", "join", "exchange", "print=hi", "leave"];
    let mut command = job::command(&words);
    command.env("FERRITE_TEST_JOB", &mark).env_remove("FERRITE_BOOT").stdin(Stdio::null());
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    // SAFETY: the closure makes only a system call between fork and exec.
    unsafe { command.pre_exec(trace_me) };
    let main = command.spawn().unwrap().id().cast_signed();
    let (tell_end, end) = mpsc::channel::<()>();
    let watched = mark.clone();
    let watchdog = std::thread::spawn(move || {
        let hung = end.recv_timeout(job::PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if hung {
            // SAFETY: processes of the job, found by their mark; the number of one that has ended since cannot be reused so soon.
            marked(&watched).into_iter().for_each(|pid| unsafe { _ = libc::kill(pid, libc::SIGKILL) });
        }
        hung
    });
    let (code, failed) = trace(main, fault);
    drop(tell_end);
    let hung = watchdog.join().unwrap();
    let begin = Instant::now();
    let mut left = marked(&mark);
    while !left.is_empty() && begin.elapsed() < END_OF_REST {
        std::thread::sleep(Duration::from_millis(2));
        left = marked(&mark);
    }
    let text = |path| std::fs::read_to_string(path).unwrap();
    let ran = Ran { code: (!hung).then_some(code), out: text(&out), err: text(&err), failed, left };
    let _ = std::fs::remove_dir_all(&place);
    ran
}

fn marked(mark: &str) -> BTreeSet<i32> {
    let wanted = format!("FERRITE_TEST_JOB={mark}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let has = |pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(has).collect()
}

/// Trace a job to its end. Returns its exit code, and the call that failed.
fn trace(main: pid_t, fault: Fault) -> (i32, Option<String>) {
    let mut tracees: HashMap<pid_t, Tracee> = HashMap::new();
    let (mut roles, mut code, mut failed) = (0, -1, None);
    let mut admit = |tracees: &mut HashMap<pid_t, Tracee>, pid, counts| {
        let role = roles;
        roles += 1;
        tracees.insert(pid, Tracee { role, inside: false, calls: 0, counts, result: None });
    };
    admit(&mut tracees, main, false);
    let mut early: BTreeSet<pid_t> = BTreeSet::new();
    loop {
        let mut status: c_int = 0;
        // SAFETY: waits for tracees of this thread.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid < 0 {
            return (code, failed);
        }
        if !libc::WIFSTOPPED(status) {
            tracees.remove(&pid);
            if pid == main {
                code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
            }
            continue;
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let Some(tracee) = tracees.get_mut(&pid) else {
            // A child may stop before its parent reports the fork.
            early.insert(pid);
            continue;
        };
        match (signal, event) {
            (_, libc::PTRACE_EVENT_EXEC) if pid != main => {
                tracees.remove(&pid);
                ptrace(libc::PTRACE_DETACH, pid, 0);
                continue;
            }
            (_, libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE) => {
                let mut child: c_long = 0;
                ptrace(libc::PTRACE_GETEVENTMSG, pid, (&raw mut child) as c_long);
                let child = child as pid_t;
                admit(&mut tracees, child, true);
                if early.remove(&child) {
                    ptrace(libc::PTRACE_SYSCALL, child, 0);
                } else {
                    // The child's first stop comes from ptrace, not from a signal.
                    early.insert(-child);
                }
                ptrace(libc::PTRACE_SYSCALL, pid, 0);
            }
            (signal, _) if signal == libc::SIGTRAP | 0x80 => {
                let name = at_call(pid, tracee, fault, failed.is_some());
                failed = failed.or(name);
                ptrace(libc::PTRACE_SYSCALL, pid, 0);
            }
            (libc::SIGTRAP, _) => {
                let wanted = libc::PTRACE_O_TRACESYSGOOD
                    | libc::PTRACE_O_TRACEFORK
                    | libc::PTRACE_O_TRACEVFORK
                    | libc::PTRACE_O_TRACECLONE
                    | libc::PTRACE_O_TRACEEXEC
                    | libc::PTRACE_O_EXITKILL;
                ptrace(libc::PTRACE_SETOPTIONS, pid, wanted.into());
                ptrace(libc::PTRACE_SYSCALL, pid, 0);
            }
            (libc::SIGSTOP, _) if early.remove(&-pid) => ptrace(libc::PTRACE_SYSCALL, pid, 0),
            (signal, _) => ptrace(libc::PTRACE_SYSCALL, pid, signal.into()),
        }
    }
}

fn ptrace(request: libc::c_uint, pid: pid_t, data: c_long) {
    // SAFETY: the process is a tracee of this thread. Requests that take an address get the address of a local. If the tracee was killed
    // meanwhile, the request fails.
    unsafe { libc::ptrace(request, pid, 0, data) };
}

/// Handle a tracee that is stopped at the entry or at the exit of a call. Returns a description of the call if it is the one to fail.
fn at_call(pid: pid_t, tracee: &mut Tracee, fault: Fault, over: bool) -> Option<String> {
    // SAFETY: registers are numbers, for which zeros are valid.
    let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    ptrace(libc::PTRACE_GETREGS, pid, (&raw mut registers) as c_long);
    tracee.inside = !tracee.inside;
    if !tracee.inside {
        if let Some(result) = tracee.result.take() {
            registers.rax = result.cast_unsigned();
            ptrace(libc::PTRACE_SETREGS, pid, (&raw mut registers) as c_long);
        }
        return None;
    }
    let number = registers.orig_rax.cast_signed();
    if !tracee.counts {
        // The last call before `main`.
        tracee.counts = number == libc::SYS_sigaltstack && registers.rdi != 0;
        return None;
    }
    let error = error(number, &registers)?;
    tracee.calls += 1;
    if over || tracee.role != fault.role || tracee.calls <= fault.call {
        return None;
    }
    tracee.result = Some(-i64::from(error));
    if !happens(number) {
        registers.orig_rax = u64::MAX;
        ptrace(libc::PTRACE_SETREGS, pid, (&raw mut registers) as c_long);
    }
    Some(format!("system call {number}({:#x}, {:#x})", registers.rdi, registers.rsi))
}

/// True for calls that have their effect even if they fail.
fn happens(number: c_long) -> bool {
    [libc::SYS_close, libc::SYS_munmap].contains(&number)
}

/// An error that the call may return; None for calls that cannot fail, or fail only through mistakes in the program. `recvfrom` is such a
/// call: Rust's `Command` learns through it whether a program was started.
fn error(number: c_long, registers: &libc::user_regs_struct) -> Option<c_int> {
    Some(match number {
        libc::SYS_fork | libc::SYS_vfork | libc::SYS_clone | libc::SYS_clone3 => libc::EAGAIN,
        libc::SYS_pipe2 | libc::SYS_socketpair | libc::SYS_epoll_create1 | libc::SYS_eventfd2 => libc::EMFILE,
        libc::SYS_openat | libc::SYS_open | libc::SYS_dup | libc::SYS_dup2 | libc::SYS_dup3 | libc::SYS_socket => {
            libc::EMFILE
        }
        libc::SYS_fcntl if [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC].contains(&(registers.rsi as c_int)) => libc::EMFILE,
        libc::SYS_mmap | libc::SYS_mprotect | libc::SYS_mremap | libc::SYS_epoll_ctl | libc::SYS_ioctl => libc::ENOMEM,
        // Without a new limit, the call only reads the limit.
        libc::SYS_prlimit64 if registers.rdx == 0 => return None,
        libc::SYS_kill | libc::SYS_setsid | libc::SYS_setpgid | libc::SYS_prlimit64 | libc::SYS_prctl => libc::EPERM,
        libc::SYS_wait4 | libc::SYS_waitid => libc::ECHILD,
        libc::SYS_execve => libc::ENOMEM,
        libc::SYS_getrandom => libc::ENOSYS,
        // A single byte is how tokio's signal handler wakes its loop; a socket with room takes it.
        libc::SYS_sendto if registers.rdx == 1 => return None,
        libc::SYS_read
        | libc::SYS_write
        | libc::SYS_readv
        | libc::SYS_writev
        | libc::SYS_recvmsg
        | libc::SYS_sendmsg
        | libc::SYS_sendto
        | libc::SYS_close
        | libc::SYS_fstat
        | libc::SYS_newfstatat
        | libc::SYS_statx
        | libc::SYS_readlink
        | libc::SYS_readlinkat
        | libc::SYS_getdents64
        | libc::SYS_fcntl => libc::EIO,
        libc::SYS_setsockopt | libc::SYS_getcwd | libc::SYS_chdir | libc::SYS_pidfd_open => libc::EACCES,
        libc::SYS_sched_getaffinity | libc::SYS_sched_setaffinity | libc::SYS_close_range => libc::EPERM,
        _ => return None,
    })
}
