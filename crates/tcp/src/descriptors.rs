//! Room for the descriptors of connections: in the worst case, one for each peer that ever communicates with this PE.

use ferrite_engine::Error;
use rustix::{
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::io;

/// Descriptors that the program and the rest of the process have open: a generous estimate.
const OTHERS: u64 = 256;

/// Raise the soft limit as far as connections to `pes` PEs need and the hard limit allows. A sufficient limit is left unchanged: programs
/// that use `select` must not meet descriptors of 1,024 and more, and in small jobs there are none.
pub fn make_room(pes: u32) {
    let had = getrlimit(Resource::Nofile);
    let need = u64::from(pes) + OTHERS;
    let wanted = had.maximum.map_or(need, |hard| hard.min(need));
    if had.current.is_none_or(|soft| soft >= wanted) {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: had.maximum }) {
        Ok(()) => tracing::debug!(wanted, "raised the limit of open descriptors for connections"),
        Err(error) => tracing::warn!(wanted, %error, "cannot raise the limit of open descriptors"),
    }
}

/// The error to report, if `error` is a shortage of descriptors.
pub fn shortage(error: &io::Error) -> Option<Error> {
    let limit = || getrlimit(Resource::Nofile).current.map_or_else(|| "no limit".to_owned(), |soft| soft.to_string());
    match Errno::from_io_error(error)? {
        Errno::MFILE => Some(Error::new(format!(
            "no descriptor is left for another connection: this process may have {} (ulimit -n, -Hn)",
            limit()
        ))),
        Errno::NFILE => Some(Error::new("no descriptor is left on this host for another connection (fs.file-max)")),
        _ => None,
    }
}
