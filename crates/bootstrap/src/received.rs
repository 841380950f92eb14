//! The values that a PE has received, and its questions to the process that keeps all of them (the server).
//!
//! Threads may ask at the same time: one is in an exchange, in which it waits for all PEs, and another looks up the address of a peer that has
//! contacted this PE for the first time. The peer may wait for the answer before it comes to the exchange, so the lookup must not wait for
//! the exchange. The server answers a lookup at once, also during an exchange.
//!
//! One thread at a time reads the connection, for all that wait. It stores the values of each answer in the order of the stream, and wakes the
//! others. Answers have no numbers: there is at most one exchange and one lookup, and their answers differ in kind.

use crate::values::{Values, missing};
use crate::wire::{Entry, ToLauncher, ToPe};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::sync::{Condvar, Mutex, PoisonError};

/// See the module's documentation. `C` is the connection, as the reader needs it.
pub struct Received<C> {
    server: &'static str,
    exchanging: Mutex<()>,
    looking: Mutex<()>,
    state: Mutex<State<C>>,
    changed: Condvar,
}

struct State<C> {
    values: Values,
    /// The connection, unless a thread reads it.
    connection: Option<C>,
    /// An exchange was answered, and its thread has not seen it.
    is_released: bool,
    /// The answer to the lookup.
    found: Option<Vec<Entry>>,
    /// Why no more answers come.
    failure: Option<String>,
}

impl<C> Received<C> {
    /// Nothing is received yet from `server`, as messages name it.
    pub fn new(server: &'static str, connection: C) -> Received<C> {
        let (exchanging, looking, changed) = (Mutex::default(), Mutex::default(), Condvar::new());
        let values = Values::default();
        let state = State { values, connection: Some(connection), is_released: false, found: None, failure: None };
        Received { server, exchanging, looking, state: Mutex::new(state), changed }
    }

    /// Take part in an exchange: `ask` sends the question, `read` returns the next answer. Returns when all PEs have asked.
    pub fn exchange(&self, ask: impl FnOnce() -> Result<()>, read: impl Fn(&mut C) -> Result<ToPe>) -> Result<()> {
        let _turn = mutex::lock(&self.exchanging);
        ask()?;
        self.wait(read, |state| std::mem::take(&mut state.is_released).then_some(()))
    }

    /// The value that `pe` last published under `key`. If it is not here, the server looks it up.
    pub fn look_up(
        &self,
        pe: Pe,
        key: &str,
        ask: impl FnOnce(ToLauncher) -> Result<()>,
        read: impl Fn(&mut C) -> Result<ToPe>,
    ) -> Result<Vec<u8>> {
        if let Some(known) = self.known(pe, key) {
            return known;
        }
        let _turn = mutex::lock(&self.looking);
        // The thread that asked before may have received it.
        if let Some(known) = self.known(pe, key) {
            return known;
        }
        ask(ToLauncher::Lookup { pe, key: key.to_owned() })?;
        let entries = self.wait(read, |state| state.found.take())?;
        let found = entries.into_iter().find(|entry| entry.pe == pe && entry.key == key);
        found.map(|entry| entry.value).ok_or_else(|| missing(pe, key))
    }

    /// The result of a lookup, unless the server has to be asked.
    fn known(&self, pe: Pe, key: &str) -> Option<Result<Vec<u8>>> {
        let values = &mutex::lock(&self.state).values;
        (!values.is_partial() || values.get(pe, key).is_some()).then(|| values.find(pe, key))
    }

    /// Wait until `take` finds its answer. This thread reads while no other does.
    fn wait<T>(&self, read: impl Fn(&mut C) -> Result<ToPe>, take: impl Fn(&mut State<C>) -> Option<T>) -> Result<T> {
        let mut state = mutex::lock(&self.state);
        loop {
            if let Some(answer) = take(&mut state) {
                return Ok(answer);
            }
            if let Some(why) = &state.failure {
                return Err(Error::new(why));
            }
            let Some(mut connection) = state.connection.take() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let answer = read(&mut connection);
            state = mutex::lock(&self.state);
            state.connection = Some(connection);
            state.enter(answer, self.server);
            self.changed.notify_all();
        }
    }
}

impl<C> State<C> {
    fn enter(&mut self, answer: Result<ToPe>, server: &str) {
        match answer {
            Ok(ToPe::Released { entries }) => {
                self.values.release(entries);
                self.is_released = true;
            }
            Ok(ToPe::Found { entries }) => {
                self.values.release(Some(entries.clone()));
                self.found = Some(entries);
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
