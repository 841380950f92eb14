//! Routines of other vendors that are more than a second name of a standard routine.

pub(crate) mod cray;
mod ct;
pub(crate) mod pcntr;
