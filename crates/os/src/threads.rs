//! Threads of our own, and what to say where none can be had.

use std::{
    io,
    thread::{Builder, JoinHandle, Scope, ScopedJoinHandle},
};

/// What stands behind a refusal of another process or thread, which the kernel calls a lack of resources.
pub const NO_MORE: &str =
    "no more processes and threads are allowed here: ulimit -u, the cgroup's pids.max, or ulimit -v";

/// Start one as `builder` describes it. An error names the limit that it has met.
pub fn start(builder: Builder, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    builder.name(name.to_owned()).spawn(work).map_err(explained)
}

/// Start one that ends with `scope`.
pub fn start_within<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, ()>> {
    Builder::new().name(name.to_owned()).spawn_scoped(scope, work).map_err(explained)
}

fn explained(error: io::Error) -> io::Error {
    let hint = if error.kind() == io::ErrorKind::WouldBlock { format!(" ({NO_MORE})") } else { String::new() };
    io::Error::new(error.kind(), format!("{error}{hint}"))
}
