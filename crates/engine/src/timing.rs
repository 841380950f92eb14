//! Every constant of time, and how often something is done. Each says what it buys a program that computes between its messages.

use std::time::Duration;

/// A peer that has not answered for so long is rung: its program may be computing, and its service thread asleep. Longer than most
/// answers take over a network of sockets, so that nobody rings who need not. The next ring comes after twice the time.
pub const PATIENCE: Duration = Duration::from_micros(40);
/// And so much longer for each byte that was posted since nothing was under way: a large transfer takes its time, also when all of it is
/// in the hands of the network.
pub const PATIENCE_PER_BYTE: Duration = Duration::from_nanos(1);
/// The backstop. After so long without a poll of the program's the service thread takes over though nobody rang; and so often it looks
/// after what the program left behind. It costs a program that never leaves the library 250 wake-ups a second, under 1 % of its core.
pub const TICK: Duration = Duration::from_millis(4);
/// How long the service thread sleeps where a port cannot be armed, so that nothing would wake it.
pub const NAP: Duration = Duration::from_micros(200);

/// A lane that waits for its own operations polls the service port too, at one poll in so many: the peer that it waits for may itself
/// wait for this PE. Over libfabric's tcp put and quiet of two PEs at each other took 15 us with one in 4, 20 with one in 8.
pub const POLLS_PER_SERVICE: u32 = 4;
/// A lane that waits for what peers do polls its own port at one poll in so many.
pub const POLLS_PER_OWN: u32 = 16;
/// Whoever waits polls the ports of the other lanes at one poll in so many: what was posted there may be what is waited for.
pub const POLLS_PER_OTHERS: u32 = 64;

/// The clock is read when a wait begins, and then at one poll in so many: a poll takes up to 5 us over libfabric.
pub const POLLS_PER_READING: u32 = 16;
/// Unless polls take so long, as where many PEs share a core.
pub const SLOW_POLLS: Duration = Duration::from_millis(20);
/// From so long a silence on it is worth to ask peers for a sign of life, and to look at the interfaces; unless nobody has polled
/// meanwhile, and so cannot have heard: the program did something else, or the process was stopped...
pub const LONG_SILENCE: Duration = Duration::from_secs(1);
/// ...so often.
pub const PAUSE: Duration = Duration::from_millis(250);
/// For so long nobody listens for rings where strangers send many: a program that computes loses no more of its core to them than
/// [`TICK`] takes.
pub const DEAF: Duration = Duration::from_secs(1);

/// How long the end of a lane waits for what nobody waited for, and that of a fabric for its peers, unless the transport knows better...
pub const PARTING: Duration = Duration::from_secs(1);
/// ...and how long it sleeps where nothing has moved.
pub const PARTING_PAUSE: Duration = Duration::from_micros(50);
