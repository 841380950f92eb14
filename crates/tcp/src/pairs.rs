//! How two PEs come to have one connection.
//!
//! The PE that first has an operation for the other dials, and the other uses that connection for its own requests too. Often both start at
//! the same moment, as at a job's first barrier, and two connections are under way. Then **the one that the lower PE dialled is used**, and
//! the lower PE's acceptor decides it:
//!
//! - A newcomer from a PE to which there is no connection, and to which none is being dialled, is *welcome*: its connection is the
//!   connection of the pair from here on, and threads that want one meanwhile wait for it.
//! - A higher PE that connects while the lower one dials, or has a connection already, learns this from the answer that proves the lower
//!   one's knowledge of the secret ([`Admission::Crossing`]). It waits until the lower one's connection arrives at its own acceptor and
//!   uses that one. It closes the connection that it dialled itself, on which nothing was sent yet.
//! - A lower PE that connects while the higher one dials is welcome: the higher one is about to learn that it has to wait.
//!
//! The outcome affects nothing but speed: a PE's requests travel on the connection that it chose, once and for all, and a PE serves all
//! connections that it has. So a PE does not wait long for a connection that never arrives (an address may be reachable from one side
//! alone), and the pair then has one connection for each direction.
//!
//! A PE that sends to itself has both ends of a connection: the end that dialled sends requests, and the other serves them.

use crate::{connection::Connection, proof::Admission};
use ferrite_engine::{Pe, Result};
use ferrite_os::mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

#[derive(Default)]
enum State {
    /// There is no connection.
    #[default]
    Apart,
    /// A newcomer is welcome, and its answer is about to be sent.
    Welcoming,
    /// A thread is dialling; `theirs` arrived in the meantime.
    Dialling { theirs: Option<Arc<Connection>> },
    /// This is the connection for requests to the peer.
    Joined(Arc<Connection>),
}

#[derive(Default)]
struct Pair {
    state: Mutex<State>,
    changed: Condvar,
}

impl Pair {
    fn lock(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    fn change(&self, mut state: MutexGuard<'_, State>, to: State) {
        *state = to;
        drop(state);
        self.changed.notify_all();
    }
}

/// The connections of a PE with its peers, one for each pair.
pub struct Pairs {
    me: Pe,
    /// How long to wait for the connection that a lower PE has announced.
    patience: Duration,
    pairs: Mutex<HashMap<Pe, Arc<Pair>>>,
    /// Nothing is waited for any more. Changed before each pair's lock is taken to wake its waiters, which look under that lock.
    given_up: AtomicBool,
}

impl Pairs {
    /// No peer has a connection to `me` yet. `patience` limits the wait for a connection that was announced.
    pub fn new(me: Pe, patience: Duration) -> Self {
        Pairs { me, patience, pairs: Mutex::default(), given_up: AtomicBool::new(false) }
    }

    fn pair(&self, peer: Pe) -> Arc<Pair> {
        Arc::clone(mutex::lock(&self.pairs).entry(peer).or_default())
    }

    /// Return the connection for requests to `peer`. If there is none, `dial` makes one and `open` readies it; other threads that want it
    /// wait.
    pub fn join<S>(
        &self,
        peer: Pe,
        dial: impl FnOnce() -> Result<(S, Admission)>,
        open: impl FnOnce(S) -> Result<Arc<Connection>>,
    ) -> Result<Arc<Connection>> {
        let pair = self.pair(peer);
        let mut state = pair.lock();
        loop {
            match &*state {
                State::Joined(connection) => return Ok(Arc::clone(connection)),
                State::Apart => break,
                State::Welcoming | State::Dialling { .. } => {
                    state = pair.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
        *state = State::Dialling { theirs: None };
        drop(state);
        let dialled = dial();
        let mut state = pair.lock();
        if matches!(dialled, Ok((_, Admission::Crossing))) {
            let given_up = || self.given_up.load(Relaxed);
            let absent = |state: &mut State| matches!(state, State::Dialling { theirs: None }) && !given_up();
            let waited = pair.changed.wait_timeout_while(state, self.patience, absent);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let theirs = match &*state {
            State::Dialling { theirs } => theirs.clone(),
            State::Apart | State::Welcoming | State::Joined(_) => unreachable!("only this thread ends the dialling"),
        };
        let chosen = match (dialled, theirs) {
            // This includes the case that the peer reaches us, but we do not reach the peer.
            (Ok((_, Admission::Crossing)) | Err(_), Some(theirs)) => Ok(theirs),
            (Ok((socket, _)), _) => open(socket),
            (Err(error), None) => Err(error),
        };
        pair.change(state, chosen.as_ref().map_or(State::Apart, |connection| State::Joined(Arc::clone(connection))));
        chosen
    }

    /// Wake the thread that waits for a connection that a peer has announced.
    pub fn give_up(&self) {
        self.given_up.store(true, Relaxed);
        let pairs: Vec<Arc<Pair>> = mutex::lock(&self.pairs).values().cloned().collect();
        for pair in pairs {
            drop(pair.lock());
            pair.changed.notify_all();
        }
    }

    /// Decide what to answer `from`, which has proven itself to the acceptor. A call of [`Pairs::admit`] or [`Pairs::forget`] must follow.
    pub fn judge(&self, from: Pe) -> Admission {
        if from == self.me {
            return Admission::Welcome;
        }
        let pair = self.pair(from);
        let mut state = pair.lock();
        match &*state {
            State::Apart => *state = State::Welcoming,
            State::Welcoming => {}
            State::Dialling { .. } | State::Joined(_) if self.me < from => return Admission::Crossing,
            State::Dialling { .. } | State::Joined(_) => {}
        }
        Admission::Welcome
    }

    /// The answer was sent to `from`, and this is its connection.
    pub fn admit(&self, from: Pe, connection: &Arc<Connection>) {
        if from == self.me {
            return;
        }
        let pair = self.pair(from);
        let mut state = pair.lock();
        match &mut *state {
            State::Welcoming => pair.change(state, State::Joined(Arc::clone(connection))),
            State::Dialling { theirs } => {
                *theirs = Some(Arc::clone(connection));
                pair.changed.notify_all();
            }
            State::Apart | State::Joined(_) => {}
        }
    }

    /// `from` went away before the answer was sent.
    pub fn forget(&self, from: Pe) {
        let pair = self.pair(from);
        let state = pair.lock();
        if matches!(*state, State::Welcoming) {
            pair.change(state, State::Apart);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{connection::Opened, poller::Poller};
    use ferrite_engine::Error;
    use ferrite_os::guarded_fd::GuardedFd;
    use std::net::{TcpListener, TcpStream};

    const LOWER: Pe = Pe(3);
    const HIGHER: Pe = Pe(5);
    const GENEROUS: Duration = Duration::from_secs(60);

    fn connection(peer: Pe) -> Arc<Connection> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = GuardedFd::new(socket.into()).unwrap();
        Arc::new(Connection::new(peer, 0, Opened { socket, keys: None }, &Arc::new(Poller::new().unwrap())))
    }

    fn is_joined(pairs: &Pairs, peer: Pe, to: &Arc<Connection>) {
        let never = || -> Result<((), Admission)> { panic!("it has a connection") };
        assert!(Arc::ptr_eq(&pairs.join(peer, never, |()| panic!("it has a connection")).unwrap(), to));
    }

    #[test]
    fn a_newcomer_is_the_connection_of_both() {
        for (me, from) in [(LOWER, HIGHER), (HIGHER, LOWER)] {
            let (host, guest) = (Pairs::new(me, GENEROUS), Pairs::new(from, GENEROUS));
            let (there, here) = (connection(me), connection(from));
            let dialled = guest.join(me, || Ok(((), host.judge(from))), |()| Ok(Arc::clone(&there))).unwrap();
            assert!(Arc::ptr_eq(&dialled, &there));
            host.admit(from, &here);
            is_joined(&host, from, &here);
            is_joined(&guest, me, &there);
        }
    }

    #[test]
    fn of_two_that_cross_the_lower_pes_is_used_by_both() {
        // The lower PE is done, or still dials, when the higher one connects.
        for done in [false, true] {
            let (lower, higher) = (Pairs::new(LOWER, GENEROUS), Pairs::new(HIGHER, GENEROUS));
            // The two ends of the connection that the lower one dials, and the lower one's end of the other.
            let (near, far, other) = (connection(HIGHER), connection(LOWER), connection(HIGHER));
            let arrive = || {
                let admission = higher.judge(LOWER);
                assert_eq!(admission, Admission::Welcome);
                admission
            };
            let dial = |answer: Admission| {
                lower.join(HIGHER, || Ok(((), answer)), |()| Ok(Arc::clone(&near))).unwrap();
            };
            let from_above = || {
                let mut told = Admission::Welcome;
                if done {
                    dial(arrive());
                    told = lower.judge(HIGHER);
                    lower.admit(HIGHER, &other);
                } else {
                    let both = || {
                        told = lower.judge(HIGHER);
                        lower.admit(HIGHER, &other);
                        Ok(((), arrive()))
                    };
                    lower.join(HIGHER, both, |()| Ok(Arc::clone(&near))).unwrap();
                }
                assert_eq!(told, Admission::Crossing);
                // The lower PE's connection arrives while the higher one is waiting already, or just before.
                std::thread::scope(|scope| drop(scope.spawn(|| higher.admit(LOWER, &far))));
                Ok(((), told))
            };
            let used = higher.join(LOWER, from_above, |()| panic!("the other one is used")).unwrap();
            assert!(Arc::ptr_eq(&used, &far), "lower one done: {done}");
            is_joined(&lower, HIGHER, &near);
        }
    }

    #[test]
    fn a_connection_that_never_comes_is_not_waited_for_after_the_fabric_has_failed() {
        let higher = Pairs::new(HIGHER, GENEROUS);
        std::thread::scope(|scope| {
            let waiting =
                scope.spawn(|| higher.join(LOWER, || Ok(((), Admission::Crossing)), |()| Err(Error::new("mine"))));
            higher.give_up();
            assert_eq!(waiting.join().unwrap().err().unwrap().to_string(), "mine");
        });
    }

    #[test]
    fn a_connection_that_never_comes_is_not_waited_for_forever() {
        let higher = Pairs::new(HIGHER, Duration::from_millis(20));
        let own = connection(LOWER);
        let used = higher.join(LOWER, || Ok(((), Admission::Crossing)), |()| Ok(Arc::clone(&own))).unwrap();
        assert!(Arc::ptr_eq(&used, &own));
    }

    #[test]
    fn who_cannot_reach_a_peer_uses_the_peers_connection() {
        let lower = Pairs::new(LOWER, GENEROUS);
        let theirs = connection(HIGHER);
        let unreachable = || -> Result<((), Admission)> {
            assert_eq!(lower.judge(HIGHER), Admission::Crossing);
            lower.admit(HIGHER, &theirs);
            Err(Error::new("no route"))
        };
        let used = lower.join(HIGHER, unreachable, |()| panic!("it was not reached")).unwrap();
        assert!(Arc::ptr_eq(&used, &theirs));
    }

    #[test]
    fn who_went_away_is_forgotten() {
        let host = Pairs::new(LOWER, GENEROUS);
        assert_eq!(host.judge(HIGHER), Admission::Welcome);
        host.forget(HIGHER);
        let own = connection(HIGHER);
        let used = host.join(HIGHER, || Ok(((), Admission::Welcome)), |()| Ok(Arc::clone(&own))).unwrap();
        assert!(Arc::ptr_eq(&used, &own));
    }

    #[test]
    fn both_ends_of_a_connection_to_oneself_are_apart() {
        let me = Pairs::new(LOWER, GENEROUS);
        let (asks, serves) = (connection(LOWER), connection(LOWER));
        let dial = || {
            let admission = me.judge(LOWER);
            me.admit(LOWER, &serves);
            Ok(((), admission))
        };
        let used = me.join(LOWER, dial, |()| Ok(Arc::clone(&asks))).unwrap();
        assert!(Arc::ptr_eq(&used, &asks));
    }
}
