//! Sockets and files that a job occupies outside its processes. They are recorded while the job runs and looked for after its end.

use super::tagged::Tag;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Sockets (by inode number) and files (by path) that processes of a job have open, mapped or bound.
#[derive(Debug, Default)]
pub struct Footprint {
    sockets: BTreeSet<u64>,
    files: BTreeSet<PathBuf>,
}

/// Directories in which a file left behind is a leak. Elsewhere a job has only files that its user gave it.
const WATCHED: [&str; 4] = ["/dev/shm/", "/tmp/", "/run/", "/var/tmp/"];

impl Footprint {
    /// Records the sockets and files of the job's living processes.
    pub fn of(tag: &Tag) -> Footprint {
        let mut footprint = Footprint::default();
        for pid in tag.processes() {
            footprint.add_open_files(pid);
            footprint.add_mapped_files(pid);
        }
        for (inode, path) in unix_sockets() {
            if footprint.sockets.contains(&inode) && path.starts_with('/') {
                footprint.files.insert(PathBuf::from(path));
            }
        }
        footprint
    }

    fn add_open_files(&mut self, pid: i32) {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            let text = target.to_string_lossy();
            if let Some(inode) = text.strip_prefix("socket:[").and_then(|rest| rest.trim_end_matches(']').parse().ok())
            {
                self.sockets.insert(inode);
            } else {
                self.add_file(&text);
            }
        }
    }

    fn add_mapped_files(&mut self, pid: i32) {
        for line in fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default().lines() {
            if let Some(at) = line.find('/') {
                self.add_file(&line[at..]);
            }
        }
    }

    /// Adds a file, unless it is the suite's own: captures and programs may lie in a watched directory.
    fn add_file(&mut self, path: &str) {
        let ours = path.starts_with(env!("CARGO_TARGET_TMPDIR")) || path.starts_with(env!("CARGO_MANIFEST_DIR"));
        let installed = path.starts_with(&*super::prefix::Prefix::get().root().to_string_lossy());
        if !ours && !installed && WATCHED.iter().any(|place| path.starts_with(place)) && !path.ends_with(" (deleted)") {
            self.files.insert(PathBuf::from(path));
        }
    }

    /// Descriptions of the sockets and files that still exist; empty if the job has cleaned up.
    pub fn remains(&self) -> Vec<String> {
        let sockets = unix_sockets().into_iter().filter(|(inode, _)| self.sockets.contains(inode));
        let files = self.files.iter().filter(|path| path.exists() && !path.is_dir());
        sockets
            .map(|(inode, path)| format!("socket {inode} {path}"))
            .chain(files.map(|path| format!("file {}", path.display())))
            .collect()
    }
}

/// Inode number and name of every Unix socket of the machine.
fn unix_sockets() -> Vec<(u64, String)> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut fields = line.split_whitespace().skip(6);
            Some((fields.next()?.parse().ok()?, fields.next().unwrap_or_default().to_owned()))
        })
        .collect()
}
