//! The files in /dev/shm of PEs that have ended without removing them. Ferrite makes none; libfabric's `shm` names one
//! `PROCESS:USER:ENDPOINT` for each endpoint, and a process that is killed or ends without finalize leaves them behind.

use rustix::process::{Pid, getuid, test_kill_process};
use std::fs;
use std::path::Path;

/// Remove what process `pid`, which was a PE and is gone, has left.
pub fn clear(pid: Pid) {
    clear_in(Path::new("/dev/shm"), pid);
}

fn clear_in(place: &Path, pid: Pid) {
    // Its number may be another's already.
    if test_kill_process(pid).is_ok() {
        return;
    }
    let start = format!("{}:{}:", pid.as_raw_nonzero(), getuid().as_raw());
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
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
        let place = std::env::temp_dir().join(format!("ferrite-litter-{}", id()));
        fs::create_dir(&place).unwrap();
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
            fs::write(place.join(name), "").unwrap();
        }
        for pid in [dead, living] {
            clear_in(&place, Pid::from_raw(pid.cast_signed()).unwrap());
        }
        let mut left: Vec<String> =
            fs::read_dir(&place).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        let mut expected = kept.to_vec();
        left.sort();
        expected.sort();
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(left, expected);
    }
}
