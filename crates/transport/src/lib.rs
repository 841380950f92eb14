//! One-sided communication between processes: a process registers memory, and others read, write and update it without its help.
//!
//! The processes are a *group*. They may run different programs, on one host or several, started by anything: a process that has the
//! group's [`Id`] may join, by a secret that the id contains. The network is chosen at the start: TCP, which needs nothing installed,
//! libfabric or UCX. Each process is a *member* of the group; its number, from 0, is its *rank*.
//!
//! ```
//! use ferrite_transport::{Group, Id, Options};
//!
//! // One process draws the id, and passes its 128 bytes to the others by any channel.
//! let id = Id::draw()?;
//! // Each process joins with a number of its own. This returns when all have come.
//! let group = Group::join(&id, 0, 1, &Options::default())?;
//! let table = group.register(4096)?;
//! // A name by which the others find the memory.
//! group.share("table", &table)?;
//! group.exchange()?;
//!
//! let remote = group.find(0, "table")?;
//! group.put(&remote, 8, b"one-sided")?;
//! group.flush()?;
//! let mut text = [0; 9];
//! group.get(&remote, 8, &mut text)?;
//! assert_eq!(&text, b"one-sided");
//! assert_eq!(group.fetch_add(&remote, 0, 5)?, 0);
//! assert_eq!(table.load(0), 5);
//! group.leave()?;
//! # Ok::<(), ferrite_transport::Error>(())
//! ```
//!
//! # What is ordered
//!
//! | after | it is certain that |
//! |---|---|
//! | [`put`](Group::put) returns | the source may be changed |
//! | [`get`](Group::get), or an atomic with a result, returns | the result is here |
//! | [`fence`](Group::fence) | operations posted later arrive at each member behind those posted before |
//! | [`flush`](Group::flush) returns | everything posted before is visible at its target |
//! | [`wait`](Group::wait) sees the word of a [`put_signal`](Group::put_signal) | the data of that put are there |
//!
//! Two puts without a fence between them may arrive in any order. Words of 8 bytes that are updated by atomics are updated only by atomics,
//! local ones ([`Region::fetch_add`] and the like) among them.
//!
//! # What happens to a member that is busy
//!
//! Members need not call the library to be read and written: a thread of the library, or the network itself, serves them. A waiting member
//! sleeps, after a short time of polling.
//!
//! # The loss of a member
//!
//! A member that ends without [`Group::leave`], whose host disappears, or whose connection breaks is lost, and with it the group: each
//! call of the others that waits returns [`Error::Lost`] with the rank of that member and the reason; none waits for ever, and no process is
//! ended. [`Group::lost`] returns the loss without a call that waits for others. The end of a process is known at once; a loss that only the
//! network sees, as of a cable, 5 s after that. Local memory stays readable. To go on, drop the group and join another one, by a new id. A
//! member that is only stopped or busy is not lost.
//!
//! # Trust
//!
//! Over TCP, only processes that have the id can connect; data are neither sealed nor signed. libfabric and UCX do not authenticate: use
//! them in trusted networks. A member of a group may read and write all memory that any member has registered.
//!
//! # Limits
//!
//! Linux. 256 registered regions for each member. Atomics are of 8 bytes, aligned. The number of members is fixed when the group starts.
#![deny(missing_docs)]

/// The program of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod atomics;
mod book;
mod error;
mod group;
mod loss;
mod opening;
mod region;
mod remote;
mod waiting;

pub use error::{Error, Result};
pub use ferrite_fabric::SignalOp;
pub use group::{Get, Group};
pub use opening::{Id, Options, Over};
pub use region::Region;
pub use remote::Remote;
