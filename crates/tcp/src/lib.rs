//! One-sided communication over plain TCP, which needs nothing installed: an implementation of the engine's
//! [`Transport`](ferrite_engine::Transport).
//!
//! # How it works
//!
//! Each PE listens. The first operation for a peer opens a connection to it, and both ends prove that they know the job's secret
//! ([`proof`]). From then on the connection carries the frames of both PEs ([`wire`]), so each pair of PEs that communicate has one
//! connection. (`pairs` states what happens if both dial.)
//!
//! - Puts and atomics are messages of the engine. A port copies small ones into the connection's outbox, several to a system call, and
//!   leaves the data of large ones in place until the kernel takes it (`outbox`). The target stores arriving data in whole words (`words`
//!   says why it is not received straight into the segment). The bytes of large gets are received straight into their destination, except
//!   bytes that arrived together with the start of a frame (`inbox`).
//! - Order: a PE's requests to a peer travel on one connection, from one outbox, to one thread at a time at the target. So they are
//!   executed in the order of issue, and a fence costs nothing (`connection`).
//! - Progress: each poll of a port asks the kernel which connections are ready, and moves the bytes of all of them, whichever port they
//!   belong to (`poller`). An end never stops reading because it cannot write (`connection`).
//! - Losing a peer that has not finished is a fault, and so is a sealed record that was changed. A stranger, or a peer whose request is
//!   invalid, is disconnected with a line in the log; other connections are not affected.
//!
//! After the opening, traffic is neither encrypted nor signed unless the job asks for it ([`proof::Terms::sealed`], [`seal`]). Without
//! sealing, an attacker who can change packets on the way can change data.
//!
//! | part | files |
//! |---|---|
//! | bytes | `wire`, `proof`, `seal`: frames, authentication and sealed records, without a socket |
//! | one connection | `connection`, with `inbox`, `connection/arrivals`, `outbox`, `calls`, `replies`, `words`; `end`: why it ends |
//! | all connections | `connections`, `poller`, `epoll`, `descriptors`, `lookout` (hosts that fall silent), `local_congestion` |
//! | making connections | `listeners`, `acceptor`, `dial`, `pairs`; `race`, `attempt`, `networks`: which address of a peer is tried when |
//! | the engine's side | `transport`, `port`, `shared`, `options` |
#![warn(missing_docs)]

mod acceptor;
mod attempt;
mod calls;
mod connection;
mod connections;
mod descriptors;
mod dial;
mod end;
mod epoll;
mod inbox;
mod listeners;
mod local_congestion;
mod lookout;
mod networks;
mod options;
mod outbox;
mod pairs;
mod poller;
mod port;
pub mod proof;
mod race;
mod replies;
pub mod seal;
mod shared;
mod sys;
mod transport;
pub mod wire;
mod words;

use ferrite_engine::{Engine, Result};
use ferrite_fabric::{Fabric, Progress};
pub use listeners::{Ports, survey};
pub use options::Options;
pub use transport::TcpTransport;

/// Open a PE's part of the fabric: listen, and start the service thread.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Ok(Box::new(engine(options)?))
}

/// Like [`open`], for tests that need the engine itself.
pub fn engine(options: Options) -> Result<Engine<TcpTransport>> {
    let wished = ferrite_engine::Options {
        me: options.me,
        size: options.size,
        job: options.terms.secret.job(),
        one_host: options.one_host && options.interface.is_none(),
        progress: Progress::Needed,
        crowded: false,
        // A host's kernel acknowledges data while its PE computes, so the transport itself detects silent hosts: see `lookout`.
        silence: None,
    };
    Engine::open(wished, |surroundings| TcpTransport::open(options, surroundings.target.clone()))
}
