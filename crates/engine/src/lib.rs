//! One-sided communication, implemented once over any port: the layer between [`ferrite_fabric::Fabric`] and a network.
//!
//! A transport implements [`Transport`] and [`Port`]: it sends messages, reads and perhaps writes memory of peers, and reports completion.
//! [`Engine`] turns it into a [`Fabric`](ferrite_fabric::Fabric) and adds:
//!
//! - tickets that complete in any order (`ledger`);
//! - operations under way to each peer, and operations held back by fences (`peers`), and what a peer has acknowledged (`acks`);
//! - what waits for room in the port (`outgoing`), and the calls that it has taken (`calls`);
//! - operations cut into calls (`post`), and their completion (`completion`);
//! - requests and answers in one wire format (`message`);
//! - the target's side, with checked memory accesses (`target`, `segments`);
//! - fairness and back-pressure;
//! - a thread that serves while the program computes (`service`), woken by peers that wait (`doorbell`);
//! - the watch over silent peers (`watchdog`).
//!
//! # Why a fence orders
//!
//! If the port keeps an order by itself ([`Limits::orders`]), a fence costs nothing. Otherwise the first operation after a fence waits
//! until everything that went to that peer before it is known to be visible there. Calls are visible when they complete, messages when they
//! are answered, writes when they are flushed. The engine requests these answers and flushes at once.
//!
//! | part | files |
//! |---|---|
//! | initiator | `lane` accepts operations, `post` cuts them into calls of a port; `put_signal` orders signals behind their data |
//! | operations in progress | `calls`; `outgoing`: those that the port had no room for; `peers`, `admission`: those behind fences |
//! | completion | `acks`, `completion`, `ledger`; `awaited`: what threads wait for |
//! | one port | `port` is the contract, `port_state` and `shared_port` its state and mutex |
//! | several NICs | `rails` is a transport over several, `rail_port` its port; `rail` is one of them, or a PE's only one |
//! | target | `target` executes messages (`message`) on checked memory (`segments`) |
//! | threads | `service` serves while the program computes; `polls`, `poll_schedule`: which thread polls when; `doorbell`, `bell`, `sleeper`, `handover`: waking a thread, and leaving work for it |
//! | loss | `health`, `watchdog`, `links` |
//! | for ports | `pool`, `sources`, `whereabouts`, `memlock`; `timing` has all time constants |

#![warn(missing_docs)]
mod acks;
mod admission;
mod awaited;
mod bell;
mod calls;
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
mod outgoing;
mod peers;
mod poll_schedule;
mod polls;
mod pool;
mod port;
mod port_state;
mod post;
mod put_signal;
mod rail;
mod rail_port;
mod rails;
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
pub use rail::Rail;
pub use rail_port::RailPort;
pub use rails::{Cut, Rails};
pub use sleeper::Sleeper;
pub use sources::Sources;
pub use target::{Begun, Incoming, Malformed, Target};
