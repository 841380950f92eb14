//! Procedures that are a little more than a method of the world: Cray's teams, and the name of the library.

use crate::WORLD;
use core::{
    ffi::{c_char, c_int},
    ptr,
};
use ferrite_abi::constants::SHMEM_VENDOR_STRING;
use ferrite_runtime::{Site, Team};

/// The name of the library, filled up with blanks or cut.
///
/// # Safety
/// `name` is valid for writes of `len` bytes.
pub(super) unsafe fn info_get_name(_site: &'static Site, name: *mut c_char, len: usize) {
    let text = SHMEM_VENDOR_STRING.as_bytes();
    let known = text.len().min(len);
    // SAFETY: the caller's promise.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), known);
        ptr::write_bytes(name.add(known), b' ', len - known);
    }
}

/// Cray's split, in which all errors end the job. Members of the parent that are not in the new team get the null team.
///
/// # Safety
/// `newteam` may be written.
pub(super) unsafe fn team_split_strided(
    site: &'static Site,
    parent_team: Team,
    start: c_int,
    stride: c_int,
    size: c_int,
    newteam: *mut Team,
) {
    // SAFETY: no configuration; the rest is the caller's promise.
    let refused = unsafe {
        // The method leaves the handle alone where the parent is no team.
        WORLD.team_split_strided(site, parent_team, start, stride, size, ptr::null(), 0, newteam)
    };
    if refused != 0 {
        WORLD.misuse(
            site,
            format_args!(
                "parent_team {:#x} has no PEs {start} + i * {stride} for i below {size}, or no team is free; \
                 a triplet counts PEs of the parent",
                parent_team.0
            ),
        );
    }
}

/// End a team, and clear its handle.
///
/// # Safety
/// `newteam` holds a team.
pub(super) unsafe fn team_destroy(site: &'static Site, newteam: *mut Team) {
    // SAFETY: the caller's promise.
    unsafe {
        WORLD.team_destroy(site, *newteam);
        newteam.write(Team::INVALID);
    }
}
