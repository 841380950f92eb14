//! How the PEs of a node pass each other descriptors of memory that is not in the memory file: each passes one to every other.
//!
//! The sockets, their names and the token are as in `meet`. All PEs first open their sockets, and then meet. After that each connects to all
//! others, serves all others, and takes what it was served. No step waits for a later one: connections and tokens wait in the queues of the
//! sockets.

use super::meet::{Files, call_on, open, serve, take};
use ferrite_bootstrap::Secret;
use ferrite_fabric::{Error, Pe, Result};
use rustix::fd::{AsFd, OwnedFd};

/// Pass `file` to all other `local` PEs, of which this PE is number `index`, and return their files; `None` in this PE's own place.
/// `meet` returns once all of them have called it. Collective over these PEs. A loss ends their job: one in which losses return has no such
/// memory.
pub fn exchange(
    secret: &Secret,
    purpose: &str,
    local: &[Pe],
    index: usize,
    file: OwnedFd,
    meet: impl FnOnce() -> Result<()>,
) -> Result<Vec<Option<OwnedFd>>> {
    let others = || local.iter().enumerate().filter(move |(other, _)| *other != index);
    let host = open(secret, purpose, local[index], local.len() - 1);
    // A PE that has failed meets the others too: they would wait for it.
    meet()?;
    let host = host?;
    let mut sockets = Vec::new();
    for (other, &pe) in others() {
        sockets.push((other, pe, call_on(secret, purpose, pe, &[])?));
    }
    let own = Files { memory: file, large: None };
    serve(&host, secret, local.len() - 1, (&own, &(index as u32).to_le_bytes()), &|| false)?;
    let mut files: Vec<Option<OwnedFd>> = local.iter().map(|_| None).collect();
    for (other, pe, socket) in sockets {
        let mut from = [0; 4];
        let taken = take(socket.as_fd(), &mut from)
            .map_err(|cause| Error::because(format!("getting a memory handle from {pe}"), cause))?;
        let taken = taken.filter(|_| u32::from_le_bytes(from) as usize == other);
        files[other] = Some(taken.ok_or_else(|| Error::new(format!("{pe} passed no memory handle")))?.memory);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{MemfdFlags, fstat, memfd_create};
    use std::sync::Barrier;

    #[test]
    fn each_pe_gets_the_files_of_all_others() {
        let secret = Secret::draw().unwrap();
        let local = [Pe(3), Pe(4), Pe(9)];
        let (all_open, inode) = (Barrier::new(3), |file: &OwnedFd| fstat(file).unwrap().st_ino);
        let files: Vec<OwnedFd> = (0..3).map(|_| memfd_create("handle", MemfdFlags::CLOEXEC).unwrap()).collect();
        std::thread::scope(|scope| {
            for index in 0..3 {
                let (secret, local, files, all_open) = (&secret, &local, &files, &all_open);
                scope.spawn(move || {
                    let own = files[index].try_clone().unwrap();
                    let meet = || {
                        all_open.wait();
                        Ok(())
                    };
                    let taken = exchange(secret, "test", local, index, own, meet).unwrap();
                    let taken: Vec<_> = taken.iter().map(|file| file.as_ref().map(inode)).collect();
                    let wanted = (0..3).map(|other| (other != index).then(|| inode(&files[other])));
                    assert_eq!(taken, wanted.collect::<Vec<_>>());
                });
            }
        });
    }
}
