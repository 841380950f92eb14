//! The loss of a member, from the two sources that report one: the start's root, and the network.

use crate::Error;
use ferrite_os::mutex;
use std::{
    sync::{Condvar, Mutex, OnceLock},
    time::Duration,
};

/// How long a member whose network has failed waits for the root's word which member was lost: a member that has heard of another's loss
/// closes its connections, and looks lost itself. The word about a process that ended always comes. Only a loss that the network alone can
/// see, as of a cable, takes this long.
const ROOTS_WORD: Duration = Duration::from_secs(5);

/// The first loss of a group. Later ones are its consequences, and are not kept.
#[derive(Default)]
pub(crate) struct Losses {
    first: OnceLock<Lost>,
    turn: Mutex<()>,
    noted: Condvar,
}

struct Lost {
    rank: Option<u32>,
    why: String,
}

impl Losses {
    /// Note a loss, unless there was one before.
    pub fn note(&self, rank: Option<u32>, why: String) {
        // Under the lock, so that a thread in `await_word` either finds the loss or is woken.
        let _turn = mutex::lock(&self.turn);
        let _ = self.first.set(Lost { rank, why });
        self.noted.notify_all();
    }

    /// The error of calls, if a member is lost.
    pub fn error(&self) -> Option<Error> {
        self.first.get().map(|Lost { rank, why }| Error::Lost { rank: *rank, why: why.clone() })
    }

    /// Wait until a loss is noted, for [`ROOTS_WORD`] at most.
    pub fn await_word(&self) {
        let turn = mutex::lock(&self.turn);
        drop(self.noted.wait_timeout_while(turn, ROOTS_WORD, |()| self.first.get().is_none()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_loss_is_kept_and_ends_a_wait_for_it() {
        let losses = Losses::default();
        assert_eq!(losses.error(), None);
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| losses.await_word());
            losses.note(Some(2), "first".to_owned());
            waiting.join().unwrap();
        });
        losses.note(Some(1), "second".to_owned());
        losses.await_word();
        assert_eq!(losses.error(), Some(Error::Lost { rank: Some(2), why: "first".to_owned() }));
    }
}
