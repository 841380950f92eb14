//! The values that a PE has received, and its questions to the process that keeps all of them (the server).
//!
//! Threads may ask at the same time: one is in an exchange, in which it waits for all PEs, and another looks up the address of a peer that has
//! contacted this PE for the first time. The peer may wait for the answer before it comes to the exchange, so the lookup must not wait for
//! the exchange. The server answers a lookup at once, also during an exchange.
//!
//! One thread at a time reads the connection, for all that wait. It stores the values of each answer in the order of the stream, and wakes the
//! others. Answers have no numbers: there is at most one exchange and one lookup, and their answers differ in kind. A lookup may have a time
//! limit. Its answer may come after that, before the answer to the next: the number of such answers is kept, and they only add their values.

use crate::values::{Values, missing};
use crate::wire::{Entry, ToLauncher, ToPe};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// See the module's documentation. `C` is the connection, as the reader needs it.
pub struct Received<C> {
    server: &'static str,
    exchanging: Mutex<()>,
    state: Mutex<State<C>>,
    changed: Condvar,
}

struct State<C> {
    values: Values,
    /// The connection, unless a thread reads it.
    connection: Option<C>,
    /// An exchange was answered, and its thread has not seen it.
    is_released: bool,
    /// A thread has asked for a value, and waits.
    is_looking: bool,
    /// The answer to its lookup.
    found: Option<Vec<Entry>>,
    /// Number of answers to come for lookups whose time has passed.
    late: usize,
    /// Why no more answers come.
    failure: Option<String>,
}

impl<C> Received<C> {
    /// Nothing is received yet from `server`, as messages name it.
    pub fn new(server: &'static str, connection: C) -> Received<C> {
        let state = State {
            values: Values::default(),
            connection: Some(connection),
            is_released: false,
            is_looking: false,
            found: None,
            late: 0,
            failure: None,
        };
        Received { server, exchanging: Mutex::default(), state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Take part in an exchange: `ask` sends the question, `read` returns the next answer. Returns when all PEs have asked.
    pub fn exchange(&self, ask: impl FnOnce() -> Result<()>, read: impl Fn(&mut C) -> Result<ToPe>) -> Result<()> {
        let _turn = mutex::lock(&self.exchanging);
        ask()?;
        let take = |state: &mut State<C>| std::mem::take(&mut state.is_released).then_some(());
        let (state, released) = self.wait(mutex::lock(&self.state), None, |from| read(from).map(Some), take);
        drop(state);
        released.map(|released| released.expect("a wait without an end has a result"))
    }

    /// The value that `pe` last published under `key`. If it is not here, the server looks it up.
    pub fn look_up(
        &self,
        pe: Pe,
        key: &str,
        ask: impl FnOnce(ToLauncher) -> Result<()>,
        read: impl Fn(&mut C) -> Result<ToPe>,
    ) -> Result<Vec<u8>> {
        let ask = |question| ask(question).map(|()| true);
        let found = self.look_up_until(None, pe, key, ask, |from| read(from).map(Some));
        found.map(|found| found.expect("a lookup without an end has a result"))
    }

    /// The same, or `None` if the server has not answered before `end`. `read` returns `None` then, and `ask` false if there was no room for
    /// the question before.
    pub fn look_up_until(
        &self,
        end: Option<Instant>,
        pe: Pe,
        key: &str,
        ask: impl FnOnce(ToLauncher) -> Result<bool>,
        read: impl Fn(&mut C) -> Result<Option<ToPe>>,
    ) -> Result<Option<Vec<u8>>> {
        let mut state = mutex::lock(&self.state);
        // The thread that asks now may receive this value too.
        loop {
            if let Some(known) = state.known(pe, key) {
                return known.map(Some);
            }
            if !state.is_looking {
                break;
            }
            let Some(woken) = self.sleep(state, end) else { return Ok(None) };
            state = woken;
        }
        state.is_looking = true;
        drop(state);
        let asked = ask(ToLauncher::Lookup { pe, key: key.to_owned() });
        let is_asked = matches!(asked, Ok(true));
        let state = mutex::lock(&self.state);
        let (mut state, answer) = match asked {
            Ok(true) => self.wait(state, end, read, |state| state.found.take()),
            Ok(false) => (state, Ok(None)),
            Err(error) => (state, Err(error)),
        };
        state.is_looking = false;
        self.changed.notify_all();
        let Some(entries) = answer? else {
            state.late += usize::from(is_asked);
            return Ok(None);
        };
        let found = entries.into_iter().find(|entry| entry.pe == pe && entry.key == key);
        found.map(|entry| Some(entry.value)).ok_or_else(|| missing(pe, key))
    }

    /// Wait until `take` finds its answer, or until `end`. This thread reads while no other does.
    fn wait<'a, T>(
        &'a self,
        mut state: MutexGuard<'a, State<C>>,
        end: Option<Instant>,
        read: impl Fn(&mut C) -> Result<Option<ToPe>>,
        take: impl Fn(&mut State<C>) -> Option<T>,
    ) -> (MutexGuard<'a, State<C>>, Result<Option<T>>) {
        loop {
            if let Some(answer) = take(&mut state) {
                return (state, Ok(Some(answer)));
            }
            if let Some(why) = &state.failure {
                let error = Error::new(why);
                return (state, Err(error));
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return (state, Ok(None));
            }
            let Some(mut connection) = state.connection.take() else {
                state = self.sleep(state, end).unwrap_or_else(|| mutex::lock(&self.state));
                continue;
            };
            drop(state);
            let answer = read(&mut connection);
            state = mutex::lock(&self.state);
            state.connection = Some(connection);
            if let Some(answer) = answer.transpose() {
                state.enter(answer, self.server);
            }
            // Another thread may have to read from now on.
            self.changed.notify_all();
        }
    }

    /// Sleep until something has changed. `None` if `end` has passed before.
    fn sleep<'a>(&self, state: MutexGuard<'a, State<C>>, end: Option<Instant>) -> Option<MutexGuard<'a, State<C>>> {
        let Some(end) = end else { return Some(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)) };
        let left = end.checked_duration_since(Instant::now())?;
        Some(self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl<C> State<C> {
    /// The result of a lookup, unless the server has to be asked.
    fn known(&self, pe: Pe, key: &str) -> Option<Result<Vec<u8>>> {
        let values = &self.values;
        (!values.is_partial() || values.get(pe, key).is_some()).then(|| values.find(pe, key))
    }

    fn enter(&mut self, answer: Result<ToPe>, server: &str) {
        match answer {
            Ok(ToPe::Released { entries }) => {
                self.values.release(entries);
                self.is_released = true;
            }
            Ok(ToPe::Found { entries }) => {
                self.values.release(Some(entries.clone()));
                match self.late.checked_sub(1) {
                    Some(late) => self.late = late,
                    None => self.found = Some(entries),
                }
            }
            Ok(other) => {
                self.failure = Some(format!("{server} answered a question about values with {}", other.name()))
            }
            Err(error) => self.failure = Some(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;
    use std::time::Duration;

    type Answers = Receiver<ToPe>;

    fn entry(pe: u32, value: u8) -> Entry {
        Entry { pe: Pe(pe), key: "k".into(), value: vec![value] }
    }

    fn read(answers: &mut Answers) -> Result<ToPe> {
        answers.recv_timeout(Duration::from_secs(60)).map_err(|error| Error::new(error.to_string()))
    }

    /// A PE that has received these values of an exchange, and the other end of its connection. `None`: no values were sent.
    fn received(entries: Option<Vec<Entry>>) -> (Received<Answers>, Sender<ToPe>) {
        let (server, answers) = channel();
        let received = Received::new("oshrun", answers);
        server.send(ToPe::Released { entries }).unwrap();
        received.exchange(|| Ok(()), read).unwrap();
        (received, server)
    }

    /// Run `work` while another thread is in an exchange, which `work` ends.
    fn during_an_exchange(received: &Received<Answers>, work: impl FnOnce()) {
        let (asked, has_asked) = channel();
        thread::scope(|scope| {
            let exchange = scope.spawn(move || received.exchange(|| asked.send(()).map_err(|_| Error::new("")), read));
            has_asked.recv().unwrap();
            work();
            exchange.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_value_that_is_here_is_found_during_an_exchange() {
        let (received, server) = received(Some(vec![entry(1, 1)]));
        let look_up = || received.look_up(Pe(1), "k", |_| panic!("the value is here"), read).unwrap();
        during_an_exchange(&received, || {
            assert_eq!(look_up(), [1]);
            server.send(ToPe::Released { entries: Some(vec![entry(1, 2)]) }).unwrap();
        });
        assert_eq!(look_up(), [2]);
        assert!(received.look_up(Pe(2), "k", |_| panic!("all values are here"), read).is_err());
    }

    #[test]
    fn a_value_is_looked_up_during_an_exchange() {
        let (received, server) = received(None);
        let look_up = |entries: Vec<Entry>| {
            let ask = |_| server.send(ToPe::Found { entries }).map_err(|_| Error::new(""));
            received.look_up(Pe(1), "k", ask, read)
        };
        during_an_exchange(&received, || {
            assert_eq!(look_up(vec![entry(1, 1), entry(2, 2)]).unwrap(), [1]);
            server.send(ToPe::Released { entries: None }).unwrap();
        });
        // Values that were looked up before the exchange are stale.
        assert_eq!(look_up(vec![entry(1, 3)]).unwrap(), [3]);
        assert_eq!(received.look_up(Pe(1), "k", |_| panic!("the value is here"), read).unwrap(), [3]);
    }

    /// The next answer, if there is one now.
    fn read_now(answers: &mut Answers) -> Result<Option<ToPe>> {
        Ok(answers.try_recv().ok())
    }

    #[test]
    fn a_lookup_with_an_end_returns_without_an_answer() {
        let (received, server) = received(None);
        let look_up = |pe: u32, end: Instant, ask: &dyn Fn()| {
            let ask = |_| {
                ask();
                Ok(true)
            };
            received.look_up_until(Some(end), Pe(pe), "k", ask, read_now)
        };
        let soon = || Instant::now() + Duration::from_millis(10);
        assert_eq!(look_up(1, soon(), &|| ()).unwrap(), None);
        // Another thread is in an exchange, and reads.
        during_an_exchange(&received, || {
            assert_eq!(look_up(2, soon(), &|| ()).unwrap(), None);
            server.send(ToPe::Released { entries: None }).unwrap();
        });
        // A question that was not asked has no answer.
        assert_eq!(received.look_up_until(Some(soon()), Pe(4), "k", |_| Ok(false), read_now).unwrap(), None);
        // Both late answers come before the one that is awaited. They are not taken for it, and their values are used.
        let answer = |pe: u32| server.send(ToPe::Found { entries: vec![entry(pe, pe as u8)] }).unwrap();
        let far = Instant::now() + Duration::from_secs(60);
        assert_eq!(look_up(3, far, &|| [1, 2, 3].into_iter().for_each(answer)).unwrap().unwrap(), [3]);
        assert_eq!(look_up(1, far, &|| panic!("the value is here")).unwrap().unwrap(), [1]);
    }

    #[test]
    fn a_lookup_whose_time_passes_leaves_the_connection_to_an_exchange() {
        // On a busy machine the lookup may begin after its end.
        let limits = [100, 1000, 10_000, 100_000].map(Duration::from_millis);
        assert!(limits.into_iter().any(an_exchange_takes_over_from_a_lookup));
    }

    /// False if the lookup has not read before its end.
    fn an_exchange_takes_over_from_a_lookup(limit: Duration) -> bool {
        let (received, server) = received(None);
        let (is_reading, reads) = channel();
        thread::scope(|scope| {
            let received = &received;
            let lookup = scope.spawn(move || {
                let end = Instant::now() + limit;
                let read = |_: &mut Answers| {
                    is_reading.send(()).unwrap();
                    thread::sleep(end.saturating_duration_since(Instant::now()));
                    Ok(None)
                };
                received.look_up_until(Some(end), Pe(1), "k", |_| Ok(true), read)
            });
            let has_read = reads.recv().is_ok();
            let exchange = scope.spawn(move || received.exchange(|| Ok(()), read));
            assert_eq!(lookup.join().unwrap().unwrap(), None);
            server.send(ToPe::Released { entries: None }).unwrap();
            exchange.join().unwrap().unwrap();
            has_read
        })
    }

    #[test]
    fn a_value_that_nothing_published_is_missing() {
        let (received, server) = received(None);
        let ask = |_| server.send(ToPe::Found { entries: vec![] }).map_err(|_| Error::new(""));
        let error = received.look_up(Pe(1), "k", ask, read).unwrap_err().to_string();
        assert_eq!(error, "PE 1 has published nothing under `k`");
    }

    #[test]
    fn the_end_of_the_connection_ends_all_waits() {
        let (received, server) = received(None);
        drop(server);
        assert!(received.exchange(|| Ok(()), read).is_err());
        assert!(received.look_up(Pe(1), "k", |_| Ok(()), read).is_err());
    }
}
