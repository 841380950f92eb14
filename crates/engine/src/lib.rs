//! One-sided communication once, over any port: what stands between [`ferrite_fabric::Fabric`] and a network.
//!
//! A transport implements [`Transport`] and [`Port`]: a way to send messages, to read and perhaps to write memory of peers, and to say
//! when. [`Engine`] makes of it a [`Fabric`](ferrite_fabric::Fabric): tickets that complete in any order (`ledger`), what peers owe and
//! what fences hold back (`peers`), operations cut into calls (`post`) and their end (`completion`), requests and answers as one
//! wire format (`message`), the target's side through checked memory (`target`, `segments`), fairness and back-pressure, a thread that
//! serves while the program computes (`service`), woken by peers that wait (`doorbell`), and the watch over silent peers (`watchdog`).
//!
//! # Why a fence orders
//!
//! Where the port keeps an order by itself ([`Limits::orders`]) a fence costs nothing. Elsewhere the first operation behind a fence waits
//! until what went to that peer before it is known to be visible there: calls by their end, messages by answers, writes by a flush. What
//! is waited for is asked for at once.

mod admission;
mod bell;
mod completion;
mod doorbell;
mod engine;
mod handover;
mod health;
mod lane;
mod ledger;
mod links;
pub mod memlock;
pub mod message;
mod peers;
mod poll_schedule;
mod polls;
mod pool;
mod port;
mod port_state;
mod post;
mod put_signal;
pub mod segments;
mod service;
mod shared_port;
mod sleeper;
mod sources;
mod sync;
mod target;
pub mod timing;
mod watchdog;
pub mod whereabouts;

pub use bell::{Bell, sleep_on};
pub use engine::{Engine, Options};
pub use ferrite_fabric::{Amo, Error, Pe, Result, Segment, SegmentId, SignalOp, Width};
pub use handover::Handover;
pub use health::Health;
pub use links::Links;
pub use message::{ANSWER_BYTES, Answer, HEAD_BYTES_MAX, Outcome};
pub use pool::Pool;
pub use port::*;
pub use sleeper::Sleeper;
pub use sources::Sources;
pub use target::{Begun, Incoming, Malformed, Target};
