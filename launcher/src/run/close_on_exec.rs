//! Keeps descriptors from the programs that this process starts.

use rustix::io::{Errno, FdFlags, fcntl_getfd, fcntl_setfd};
use std::{fs, io, os::fd::BorrowedFd};

/// Close descriptors from `first` on in programs that this process executes.
pub fn from(first: i32) -> io::Result<()> {
    // SAFETY: the call takes numbers, and closes nothing before a program is executed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, i32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    // Kernels before 5.11, and system call filters that do not know the call.
    if done == 0 { Ok(()) } else { one_by_one(first) }
}

fn one_by_one(first: i32) -> io::Result<()> {
    let open = fs::read_dir("/proc/self/fd")?.map(|entry| Ok(entry?.file_name().to_string_lossy().parse::<i32>().ok()));
    for number in open.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().filter(|&number| number >= first) {
        // SAFETY: the descriptor is not read or written. If it was closed meanwhile, as the listing's own was, the call returns an error.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        match fcntl_getfd(file).and_then(|flags| fcntl_setfd(file, flags | FdFlags::CLOEXEC)) {
            Ok(()) | Err(Errno::BADF) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    /// A number above all descriptors of other tests.
    const FIRST: i32 = 900;

    #[test]
    fn descriptors_from_a_number_on_are_closed_on_exec_either_way() {
        for way in [from as fn(i32) -> io::Result<()>, one_by_one] {
            let null = fs::File::open("/dev/null").unwrap();
            let duplicate = |least: i32| {
                // SAFETY: a new descriptor, which has no other owner.
                unsafe { OwnedFd::from_raw_fd(libc::fcntl(null.as_raw_fd(), libc::F_DUPFD, least)) }
            };
            let (below, above) = (duplicate(FIRST - 1), duplicate(FIRST + 3));
            assert_eq!(below.as_raw_fd(), FIRST - 1);
            way(FIRST).unwrap();
            assert!(!fcntl_getfd(&below).unwrap().contains(FdFlags::CLOEXEC));
            assert!(fcntl_getfd(&above).unwrap().contains(FdFlags::CLOEXEC));
        }
    }
}
