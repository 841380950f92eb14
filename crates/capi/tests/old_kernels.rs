//! Jobs on a kernel that lacks every system call, and every flag of a call, newer than Linux 4.18. A seccomp filter refuses them as that
//! kernel does.
//!
//! The filter refuses, by number, pidfds, close_range, io_uring, clone3, openat2 and all other calls from 4.19 on; restartable sequences,
//! which came with 4.18 and which distribution kernels of that age leave out; flags of memfd_create since 6.3, advice to madvise since 5.4,
//! and seals since 5.1.

#![cfg(target_arch = "x86_64")]

mod support;

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use support::prefix::Prefix;
use support::program;

/// The first system call refused. 4.18 has rseq, but the distribution kernels of its age leave it out.
const FIRST_NEW: u32 = libc::SYS_rseq as u32;

/// Largest values of flags and numbers that 4.18 knows.
const MEMFD_FLAGS: u32 = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | libc::MFD_HUGETLB | 0x3f << 26;
const ADVICE_MAX: u32 = 19;
const SEALS: u32 = (libc::F_SEAL_SEAL | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE) as u32;

/// Offset of a call's number in the filter's data, and offsets of the low halves of its arguments.
const NUMBER: u32 = 0;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// A step of the filter.
const fn step(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

const fn load(at: u32) -> libc::sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0)
}

/// Go on if the value is `k`, else skip `skip` steps.
const fn equals(k: u32, skip: u8) -> libc::sock_filter {
    step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k, 0, skip)
}

const fn refuse(error: i32) -> libc::sock_filter {
    step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | error as u32, 0, 0)
}

const ALLOW: libc::sock_filter = step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0);

const FILTER: [libc::sock_filter; 20] = [
    load(NUMBER),
    step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, FIRST_NEW, 0, 1),
    refuse(libc::ENOSYS),
    equals(libc::SYS_memfd_create as u32, 4),
    load(argument(1)),
    step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, !MEMFD_FLAGS, 0, 1),
    refuse(libc::EINVAL),
    ALLOW,
    equals(libc::SYS_madvise as u32, 4),
    load(argument(2)),
    step(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, ADVICE_MAX, 0, 1),
    refuse(libc::EINVAL),
    ALLOW,
    equals(libc::SYS_fcntl as u32, 5),
    load(argument(1)),
    equals(libc::F_ADD_SEALS as u32, 3),
    load(argument(2)),
    step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, !SEALS, 0, 1),
    refuse(libc::EINVAL),
    ALLOW,
];

/// Install the filter for this process and all its descendants.
fn grow_old() -> io::Result<()> {
    let mut filter = FILTER;
    let program = libc::sock_fprog { len: FILTER.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter lives until the call returns, which copies it; both calls concern this process alone.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Run a command under the filter. Return None, and print a line, if filters cannot be set.
fn run(mut command: Command) -> Option<Output> {
    // SAFETY: the closure makes only system calls between fork and exec.
    unsafe { command.pre_exec(grow_old) };
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: filters of system calls cannot be set here: {error}");
            None
        }
    }
}

/// Compile a program of the suite, or the one that acts on its arguments.
fn program(source: &str) -> PathBuf {
    let prefix = Prefix::get();
    let mut compile = Command::new(prefix.tool("oshcc"));
    compile.args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-pthread", "-I"]).arg(support::sources());
    compile.arg(support::sources().join(source));
    program::build(compile, &format!("old-{source}"), prefix.identity()).unwrap_or_else(|error| panic!("{error}"))
}

fn job(options: &[&str], executable: &PathBuf, arguments: &[&str]) -> Option<Output> {
    let _turn = support::turn();
    let mut command = Command::new(Prefix::get().tool("oshrun"));
    command.args(["--timeout", "100"]).args(options).arg(executable).args(arguments);
    run(command)
}

#[test]
fn filter_refuses_new_system_calls() {
    let attempt = |what: &str| {
        let mut python = Command::new("python3");
        python.args(["-c", &format!("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n{what}")]);
        run(python).map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3 on this machine");
        return;
    }
    let call = |arguments: &str| format!("print(libc.syscall({arguments}), ctypes.get_errno())");
    for (arguments, expected) in [
        (format!("{}, os.getpid(), 0", libc::SYS_pidfd_open), format!("-1 {}", libc::ENOSYS)),
        (format!("{}, 900, 901, 4", libc::SYS_close_range), format!("-1 {}", libc::ENOSYS)),
        (format!("{}, b'x', 8", libc::SYS_memfd_create), format!("-1 {}", libc::EINVAL)),
        (format!("{}, 0, 0, 23", libc::SYS_madvise), format!("-1 {}", libc::EINVAL)),
        (format!("{}, 0, 0, 4", libc::SYS_madvise), "0 0".to_owned()),
        (format!("{}, 0, 1033, 16", libc::SYS_fcntl), format!("-1 {}", libc::EINVAL)),
    ] {
        let Some(said) = attempt(&call(&arguments)) else { return };
        assert_eq!(said, expected, "syscall({arguments})");
    }
}

#[test]
fn jobs_run_over_memory_and_over_tcp() {
    let executable = program("job.c");
    for transport in ["auto", "tcp"] {
        let Some(output) = job(&["-n", "4", "--transport", transport], &executable, &["end", "nowhere"]) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{transport}: {output:?}");
        assert_eq!(said.matches("ready PE").count(), 4, "{transport}: {output:?}");
    }
}

#[test]
fn a_pe_that_dies_ends_the_job_also_under_a_wrapper() {
    let executable = program("job.c");
    for transport in ["auto", "tcp"] {
        let options = ["-n", "3", "--transport", transport, "sh", "-c", "\"$@\"; exit $?", "sh"];
        let Some(output) = job(&options, &executable, &["sigkill", "barrier"]) else { return };
        assert!(!output.status.success(), "{transport}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("PE 2"), "{transport}: {output:?}");
    }
}

#[test]
fn a_program_is_alone_and_information_is_had() {
    let prefix = Prefix::get();
    let mut alone = Command::new(program("job.c"));
    alone.args(["end", "nowhere"]);
    let mut info = Command::new(prefix.tool("oshmem_info"));
    info.arg("--all");
    for command in [alone, info] {
        let Some(output) = run(command) else { return };
        assert!(output.status.success(), "{output:?}");
    }
}
