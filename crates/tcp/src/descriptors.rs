//! Room for the descriptors of connections: one for each peer that ever speaks with this one, in the worst case.

use ferrite_engine::Error;
use rustix::{
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::io;

/// What the program and the rest of the process have open, generously.
const OTHERS: u64 = 256;

/// Raise the soft limit as far as connections to so many PEs need, and as the hard one lets it. It is left as it is where it is enough,
/// for programs that use `select` must not meet descriptors of 1,024 and more: in small jobs there are none.
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

/// What is wrong, if this is the want of a descriptor.
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
