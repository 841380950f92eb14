//! The limit of locked memory, which stops many a first job over a NIC, and the advice for the user.

use crate::Error;
use rustix::process::{Resource, getrlimit};

/// The limit of this process in bytes, if there is one. A process with CAP_IPC_LOCK is above it.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// A possible reason why memory could not be locked, and what to do about it.
pub fn cure() -> String {
    let limit = limit().map_or_else(|| "unlimited".to_owned(), |bytes| format!("{} KiB", bytes >> 10));
    format!(
        "the limit of locked memory (ulimit -l) is {limit}: raise it on each host, or set SHMEM_SYMMETRIC_SIZE lower"
    )
}

/// An error that may be due to a lack of locked memory, with what to do about it.
pub fn cured(error: Error) -> Error {
    Error::because(error.to_string(), cure())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_cure_names_the_limit() {
        let (cure, limit) = (super::cure(), super::limit());
        let said = limit.map_or_else(|| "is unlimited".to_owned(), |bytes| format!("is {} KiB", bytes / 1024));
        assert!(cure.contains("ulimit -l") && cure.contains(&said), "{cure}");
    }
}
