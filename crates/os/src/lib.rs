//! Operating-system services that several crates share: mutexes that ignore poison, threads and their signals, the identity of processes,
//! the list of mappings, descriptors that a program may close, files that appear whole, the user at the other end of a socket, network
//! interfaces, the kernel's small files, the clock, texts of errors, tables of ELF files.
#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod clock;
pub mod elf;
pub mod error_text;
pub mod files;
pub mod guarded_fd;
pub mod interfaces;
pub mod maps;
pub mod mutex;
pub mod panics;
pub mod process;
pub mod signals;
pub mod sysfs;
pub mod threads;
pub mod unix_peer;
