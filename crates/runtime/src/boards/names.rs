//! The numbers that identify routines on the boards.
//!
//! A routine gets its number when it is first recorded. Its name is on the boards before the number is used anywhere: the reader may be
//! another process, or read after the death of this one. The number belongs to the process, not to a world.

use super::Boards;
use crate::Site;
use core::sync::atomic::Ordering::{Acquire, Release};
use ferrite_diagnose::board::NAMES;
use ferrite_os::mutex;
use std::sync::Mutex;

/// The routines, from number 1 on.
static ROUTINES: Mutex<Vec<&'static Site>> = Mutex::new(Vec::new());

/// Number of routines for which there was no room.
const NAMELESS: u16 = u16::MAX;

impl Site {
    /// The number under which the routine is recorded; assigned at the first call.
    #[inline(always)]
    pub(crate) fn number(&'static self, boards: &Boards) -> u16 {
        match self.number.load(Acquire) {
            0 => enroll(self, boards),
            known => known,
        }
    }
}

/// Assign a number to a routine.
#[cold]
#[inline(never)]
fn enroll(site: &'static Site, boards: &Boards) -> u16 {
    let mut routines = mutex::lock(&ROUTINES);
    let known = site.number.load(Acquire);
    if known != 0 {
        return known;
    }
    let number = if routines.len() + 1 < NAMES {
        routines.push(site);
        routines.len() as u16
    } else {
        NAMELESS
    };
    boards.own().name(number, site.name);
    site.number.store(number, Release);
    number
}

/// Write the names that were assigned so far to a new board.
pub(super) fn write_all(boards: &Boards) {
    let routines = mutex::lock(&ROUTINES);
    (1..).zip(routines.iter()).for_each(|(number, site)| boards.own().name(number, site.name));
}

/// The routine with this number, in this process.
pub(crate) fn routine(number: u16) -> Option<&'static Site> {
    mutex::lock(&ROUTINES).get(usize::from(number).checked_sub(1)?).copied()
}
