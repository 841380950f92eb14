//! The second probe: the topology as hwloc knows it, of this machine or from a file that `lstopo` has written.
//!
//! hwloc corrects firmware errors that the kernel's files repeat, and it reads the machines of others. It is slower,
//! and must be linked to. So only the commands that display the topology use it, through a program of its own
//! (`ferrite-hwloc`); no PE does.
//!
//! hwloc knows only for some devices which protocol a NIC speaks and whether its link is up. On this machine, the
//! devices come from sysfs (`Sysfs`), and hwloc says where they are attached.

#![cfg(hwloc_found)]

mod library;
mod probe;
mod read;

pub use probe::Hwloc;
