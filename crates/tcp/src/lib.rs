//! One-sided communication over plain TCP that needs nothing installed: a [`Transport`](ferrite_engine::Transport) of the engine's.
//!
//! # How it works
//!
//! Each PE listens. When a PE first has an operation for another it opens a connection there, and both sides prove
//! that they know the job's secret ([`proof`]). From then on frames of both travel on it ([`wire`]): so there is one connection
//! for each pair that talks (`pairs`, which states what happens if both dial).
//!
//! - Puts and atomics are messages of the engine's. A port copies small ones into the connection's outbox, several to a system call, and
//!   leaves the data of large ones where it lies until the kernel takes it (`outbox`). The target stores what arrives by whole words
//!   (`words`, which says why not straight from the socket); the bytes of large gets are read straight to where they
//!   belong, but for what arrived together with a frame's start (`inbox`).
//! - Order: a PE's requests travel on one connection, from one outbox, to one thread at a time at the target. So they are
//!   executed in the order of issue, and a fence costs nothing (`connection`).
//! - Progress: whichever port is polled asks the kernel which connections have something, and moves the bytes of all (`poller`).
//!   No end stops reading because it cannot write (`connection`).
//! - A peer lost in the middle is a fault, and so is a sealed record that was changed. A stranger, or a peer that asks for what does not exist, is
//!   dropped with a line in the log; nobody else notices.
//!
//! What travels after the opening is neither encrypted nor signed unless the job wishes it ([`proof::Terms::sealed`], [`seal`]): who can
//! change packets on the way can change data else.

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
pub use listeners::survey;
pub use options::Options;
pub use transport::TcpTransport;

/// A PE's part in the fabric: listen, and start the service thread.
pub fn open(options: Options) -> Result<Box<dyn Fabric>> {
    Ok(Box::new(engine(options)?))
}

/// The same, for tests that look inside.
pub fn engine(options: Options) -> Result<Engine<TcpTransport>> {
    let wished = ferrite_engine::Options {
        me: options.me,
        size: options.size,
        job: options.terms.secret.job(),
        one_host: options.one_host && options.interface.is_none(),
        progress: Progress::Needed,
        crowded: false,
        // The kernel answers for a host whose PE computes: see `lookout`.
        silence: None,
    };
    Engine::open(wished, |surroundings| TcpTransport::open(options, surroundings.target.clone()))
}
