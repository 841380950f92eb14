//! System calls about cpus: which cpus this process may use, how much of their time, and binding this thread to some of
//! them.
//!
//! Uses the C library's calls, whose cpu sets can have any size: machines with more than 1,024 cpus exist.

use std::{io, thread};

use crate::{CpuSet, Error, Result};

/// Size of the widest mask that is tried, in cpus: more than any kernel is built for.
const MASK_CPUS_MAX: usize = 65_536;

/// Returns the cpus that this thread may run on. The scheduler has already applied the cgroup's cpuset and any binding by a launcher above
/// this process. Empty if the system call fails.
pub fn allowed() -> CpuSet {
    let mut words = vec![0u64; 1_024 / 64];
    while words.len() * 64 <= MASK_CPUS_MAX {
        let bytes = size_of_val(words.as_slice());
        // SAFETY: the kernel writes at most `bytes` bytes, which `words` has, and any bits are a valid u64.
        let status = unsafe { libc::sched_getaffinity(0, bytes, words.as_mut_ptr().cast()) };
        if status == 0 {
            return CpuSet::from_words(words);
        }
        if io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL) {
            break;
        }
        // The kernel's own mask is wider than ours.
        words = vec![0; words.len() * 2];
    }
    CpuSet::new()
}

/// Number of cpus' worth of time that the control groups of this process allow, if that is less than the number of cpus that this thread
/// may run on. A container that is given "two cpus" has this limit (`cpu.max`) far more often than a set of two cpus.
pub fn quota() -> Option<u32> {
    let cpus = allowed().len();
    // The quota is at least one cpu, so it cannot be less than a single cpu.
    if cpus < 2 {
        return None;
    }
    // The standard library reads control groups of both versions, from the one of this process up to the root.
    let worth = thread::available_parallelism().ok()?.get();
    u32::try_from(worth).ok().filter(|_| worth < cpus)
}

/// Like [`quota`], but relative to `cpus`, from which this thread may have been bound away.
pub fn quota_among(cpus: &CpuSet) -> Option<u32> {
    apart(|| bind_current(cpus).ok().and_then(|()| quota())).flatten()
}

/// Binds the calling thread, and the threads and processes that it starts from now on, to `cpus`.
///
/// It makes one system call and allocates nothing, so that it may run between `fork` and `exec`.
pub fn bind_current(cpus: &CpuSet) -> Result<()> {
    if cpus.is_empty() {
        return Err(Error::new("cannot bind to an empty set of CPUs"));
    }
    let words = cpus.words();
    // SAFETY: the kernel reads the bytes of `words`, which lives across the call.
    let status = unsafe { libc::sched_setaffinity(0, size_of_val(words), words.as_ptr().cast()) };
    match status {
        0 => Ok(()),
        _ => Err(Error::because("cannot bind to the given CPUs", io::Error::last_os_error())),
    }
}

/// Checks whether the kernel would accept [`bind_current`] for `cpus`: a sandbox may forbid it.
pub fn try_binding(cpus: &CpuSet) -> Result<()> {
    // If no thread can be started, nothing is learnt.
    apart(|| bind_current(cpus)).unwrap_or(Ok(()))
}

/// Runs `work` in a thread that ends with it, so that the binding of the caller does not change. `None` if no thread can be started.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, work).ok()?.join().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_binds_itself_alone() {
        let before = allowed();
        assert!(!before.is_empty(), "the scheduler does not say where this test may run");
        let one: CpuSet = before.iter().take(1).collect();
        let bound = thread::spawn({
            let one = one.clone();
            move || bind_current(&one).map(|()| allowed()).unwrap()
        });
        assert_eq!(bound.join().unwrap(), one);
        assert_eq!(allowed(), before);
    }

    #[test]
    fn a_quota_is_less_than_the_cpus_or_none() {
        let cpus = allowed().len();
        assert!(quota().is_none_or(|worth| worth >= 1 && (worth as usize) < cpus));
        let one: CpuSet = allowed().iter().take(1).collect();
        let all = allowed();
        let seen = quota();
        let from_one = move || {
            bind_current(&one).unwrap();
            assert_eq!((quota(), quota_among(&all)), (None, seen));
            assert_eq!(allowed(), one);
        };
        thread::spawn(from_one).join().unwrap();
    }

    #[test]
    fn a_trial_binds_nobody() {
        let before = allowed();
        try_binding(&before.iter().take(1).collect()).unwrap();
        assert_eq!(allowed(), before);
        assert!(try_binding(&[65_000].into_iter().collect()).is_err());
    }

    #[test]
    fn binding_to_nothing_or_to_cpus_that_do_not_exist_is_refused() {
        assert!(bind_current(&CpuSet::new()).is_err());
        let absent: CpuSet = [65_000].into_iter().collect();
        let error = io::Error::from(bind_current(&absent).unwrap_err());
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    }
}
