//! Operating-system services that several crates share: mutexes that ignore poison, threads and their signals, the list of mappings,
//! descriptors that a program may close, files that appear whole, the clock.
#![deny(unsafe_code)]

pub mod clock;
pub mod files;
pub mod guarded_fd;
pub mod maps;
pub mod mutex;
pub mod signals;
pub mod threads;
