//! All time constants, and how often periodic work is done. Each comment states the benefit to a program that computes between its
//! messages.

use std::time::Duration;

/// Time without an answer after which a peer is rung: its program may be computing, and its service thread asleep. Longer than most answers
/// take over a network of sockets, so that needless rings are rare. The next ring comes after twice the time.
pub const PATIENCE: Duration = Duration::from_micros(40);
/// Addition to [`PATIENCE`] for each byte that was posted since nothing was under way: a large transfer takes time, even when the network
/// has all of it.
pub const PATIENCE_PER_BYTE: Duration = Duration::from_nanos(1);
/// Interval of the backstop. After this time without a poll by the program, the service thread takes over even if no peer rang. At this
/// interval it also looks after the work that the program left behind. It costs a program that never leaves the library 250 wake-ups a
/// second, under 1 % of its core.
pub const TICK: Duration = Duration::from_millis(4);
/// How long the service thread sleeps where a port cannot be armed, so that nothing would wake it.
pub const NAP: Duration = Duration::from_micros(200);

/// A lane that waits for its own operations also polls the service port, once in this many polls: the peer that it waits for may itself
/// wait for this PE. Over libfabric's tcp, put and quiet of two PEs at each other took 15 us with one poll in 4, and 20 us with one in 8.
pub const POLLS_PER_SERVICE: u32 = 4;
/// A lane that waits for peers polls its own port once in this many polls.
pub const POLLS_PER_OWN: u32 = 16;
/// A thread that waits polls the ports of the other lanes once in this many polls: it may wait for an operation posted there.
pub const POLLS_PER_OTHERS: u32 = 64;

/// The clock is read when a wait begins, and then once in this many polls: a poll takes up to 5 us over libfabric.
pub const POLLS_PER_READING: u32 = 16;
/// Time between two readings of the clock above which it is read at every poll, as when many PEs share a core.
pub const SLOW_POLLS: Duration = Duration::from_millis(20);
/// Silence after which peers are asked for a sign of life, and the interfaces are checked. A pause of this length between polls restarts
/// the count, since no answer could be seen meanwhile: the program did something else, or the process was stopped.
pub const LONG_SILENCE: Duration = Duration::from_secs(1);
/// Interval between these requests for a sign of life.
pub const PAUSE: Duration = Duration::from_millis(250);
/// How long the doorbell is ignored after a flood of stray datagrams: a program that computes loses no more of its core to them than
/// [`TICK`] takes.
pub const DEAF: Duration = Duration::from_secs(1);

/// How long the end of a lane waits for operations that no thread waited for, and the end of a fabric for its peers, unless the transport
/// sets its own time.
pub const PARTING: Duration = Duration::from_secs(1);
/// Sleep between two looks during that wait, if nothing has moved.
pub const PARTING_PAUSE: Duration = Duration::from_micros(50);
