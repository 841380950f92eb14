//! A stand-in for CUDA's driver, for tests on hosts without a GPU.
//!
//! | file | job |
//! |---|---|
//! | `state.rs` | the state of the driver in this process; failures on request |
//! | `devices.rs` | devices and contexts |
//! | `memory.rs` | device memory, addresses, page-locked host memory |
//! | `space.rs` | the address space: ranges, hidden mappings, and what an address is |
//! | `streams.rs` | streams, events and copies |
//! | `kernels.rs` | modules and kernels, by name |
//! | `texts.rs` | names and texts of errors |
//!
//! # How it resembles hardware
//!
//! Device memory is a memory file. The process maps it without access at the device address, so a load or store by the CPU is a SIGSEGV.
//! Copies use a second mapping at another address. Exported memory is a descriptor of the file, which other processes import.
//!
//! A copy is not executed when it is posted, but as late as the interface allows: when an event or stream is polled, one operation for
//! each poll, or when it is waited for. A caller that uses the result before that finds the old contents. Copies check that a context is
//! current, that streams belong to it, and that the ranges are device memory with access, when they are posted and again when they run.
//!
//! # What tests can request
//!
//! By environment, which the first `cuInit` reads:
//!
//! | variable | effect |
//! |---|---|
//! | `CUDA_STANDIN_DEVICES=2` | number of devices, 1 by default; `CUDA_VISIBLE_DEVICES` selects some of them |
//! | `CUDA_STANDIN_MEMORY=N` | bytes of each device that this process may create; 1 GiB by default |
//! | `CUDA_STANDIN_FAIL=cuMemCreate:2:2,...` | the second call of `cuMemCreate` fails with status 2; after 719 the device is lost |
//! | `CUDA_STANDIN_NO_DMABUF=1` | dmabufs are not supported |
//! | `CUDA_STANDIN_NO_PEER=1` | a device cannot reach memory of another device |
//! | `CUDA_STANDIN_FOREIGN_CONTEXT=1` | in each thread but the first, the context of another user is current at first |

mod devices;
mod kernels;
mod memory;
mod space;
mod state;
mod streams;
mod texts;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

/// The value of LD_LIBRARY_PATH for a job of a test: `folder`, then those that the test itself has there.
pub fn library_path(folder: &Path) -> OsString {
    let mut path = OsString::from(folder);
    #[allow(clippy::disallowed_methods, reason = "the test's own environment")]
    if let Some(others) = std::env::var_os("LD_LIBRARY_PATH").filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}

/// A folder with the stand-in as `libcuda.so.1`, for LD_LIBRARY_PATH. `program` is a program that Cargo has built with this package,
/// usually the test itself.
pub fn folder(program: &Path) -> io::Result<PathBuf> {
    let name = "libcuda_standin.so";
    let library = program
        .ancestors()
        .skip(1)
        .find_map(|folder| [folder.join("deps").join(name), folder.join(name)].into_iter().find(|file| file.is_file()));
    let library = library.ok_or_else(|| io::Error::other(format!("no {name} beside {}", program.display())))?;
    let folder = library.with_file_name("cuda-standin");
    std::fs::create_dir_all(&folder)?;
    match std::os::unix::fs::symlink(&library, folder.join("libcuda.so.1")) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(folder),
    }
}
