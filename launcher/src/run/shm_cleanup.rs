//! Removes the files that dead PEs have left in /dev/shm. Ferrite itself makes none. libfabric's provider `shm` makes
//! one for each endpoint, named `PROCESS:USER:ENDPOINT`; a process that is killed, or ends without finalize, does not
//! remove it.

use rustix::process::{Pid, getuid, test_kill_process};
use std::fs;
use std::path::Path;

/// Remove the files of process `pid`, which has ended.
pub fn remove_files_of(pid: Pid) {
    remove_files_in(Path::new("/dev/shm"), pid);
}

fn remove_files_in(directory: &Path, pid: Pid) {
    // Another process may have the same id already.
    if test_kill_process(pid).is_ok() {
        return;
    }
    let start = format!("{}:{}:", pid.as_raw_nonzero(), getuid().as_raw());
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let endpoint = entry.file_name().to_str().and_then(|name| name.strip_prefix(&start)).map(str::to_owned);
        if endpoint.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, id};

    #[test]
    fn only_what_the_dead_have_left_is_removed() {
        let directory = std::env::temp_dir().join(format!("ferrite-shm-cleanup-{}", id()));
        fs::create_dir(&directory).unwrap();
        let mut child = Command::new("true").spawn().unwrap();
        let (dead, living, user) = (child.id(), id(), getuid().as_raw());
        child.wait().unwrap();
        let gone = [format!("{dead}:{user}:0"), format!("{dead}:{user}:17")];
        let kept = [
            format!("{living}:{user}:0"),
            format!("{dead}:{}:0", user + 1),
            format!("{dead}:{user}:"),
            format!("{dead}:{user}:x"),
            format!("{dead}1:{user}:0"),
            format!("{dead}"),
        ];
        for name in gone.iter().chain(&kept) {
            fs::write(directory.join(name), "").unwrap();
        }
        for pid in [dead, living] {
            remove_files_in(&directory, Pid::from_raw(pid.cast_signed()).unwrap());
        }
        let mut left: Vec<String> =
            fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        let mut expected = kept.to_vec();
        left.sort();
        expected.sort();
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(left, expected);
    }
}
