//! The PEs of a world as threads of one process: for tests, and for programs that need a world without a launcher.

use crate::values::KeyValueStore;
use crate::{Boot, NodeMap, Seat, Secret, end};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A world of `n` PEs in this process. Each returned value goes to the thread of that PE.
///
/// A PE whose value is dropped (for example because its thread panicked) takes part in no further exchange: peers that wait for it get an
/// error instead of waiting for ever.
///
/// # Panics
/// If `n` is 0, or the kernel cannot provide random bytes.
pub fn threads(n: u32) -> Vec<Arc<dyn Boot>> {
    threads_on(NodeMap::one(n))
}

/// As [`threads`], but with the PEs on these nodes.
///
/// # Panics
/// As [`threads`].
pub fn threads_on(nodes: NodeMap) -> Vec<Arc<dyn Boot>> {
    assert!(nodes.size() > 0, "a world has at least one PE");
    let secret = Secret::draw().expect("the kernel has random bytes");
    let board = Board { store: KeyValueStore::new(nodes.size()), arrived: 0, turn: 0, gone: None };
    let shared = Arc::new(Shared { board: Mutex::new(board), turned: Condvar::new() });
    let thread = |me: Pe| {
        let seat = Seat::new(me, nodes.clone(), secret);
        Arc::new(Thread { seat, shared: shared.clone() }) as Arc<dyn Boot>
    };
    (0..nodes.size()).map(Pe).map(thread).collect()
}

struct Shared {
    board: Mutex<Board>,
    turned: Condvar,
}

/// The published values, which are released when the last PE arrives.
struct Board {
    store: KeyValueStore,
    arrived: u32,
    turn: u64,
    gone: Option<Pe>,
}

struct Thread {
    seat: Seat,
    shared: Arc<Shared>,
}

impl Thread {
    fn board(&self) -> MutexGuard<'_, Board> {
        mutex::lock(&self.shared.board)
    }
}

impl Boot for Thread {
    fn seat(&self) -> &Seat {
        &self.seat
    }

    fn launcher(&self) -> &str {
        "threads"
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        self.board().store.publish_one(self.seat.me, key, value)
    }

    fn exchange(&self) -> Result<()> {
        let mut board = self.board();
        let turn = board.turn;
        board.arrived += 1;
        if board.arrived == self.size() {
            board.store.release();
            board.arrived = 0;
            board.turn += 1;
            self.shared.turned.notify_all();
            return Ok(());
        }
        while board.turn == turn {
            if let Some(gone) = board.gone {
                board.arrived -= 1;
                return Err(Error::new(format!("{gone} has ended while {} waits for it in an exchange", self.seat.me)));
            }
            board = self.shared.turned.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.board().store.find(pe, key)
    }

    fn join(&self) -> Result<()> {
        Ok(())
    }

    fn leave(&self) -> Result<()> {
        Ok(())
    }

    fn announce(&self, _code: i32, why: &str) {
        end::say(why);
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.board().gone.get_or_insert(self.seat.me);
        self.shared.turned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(world: Vec<Arc<dyn Boot>>, body: impl Fn(&dyn Boot) + Sync) {
        std::thread::scope(|scope| {
            for boot in &world {
                scope.spawn(|| body(&**boot));
            }
        });
    }

    #[test]
    fn every_pe_sees_what_every_pe_said_in_each_turn() {
        for n in [1, 2, 3, 7] {
            each(threads(n), |boot| {
                for turn in 0..20_u32 {
                    boot.publish("turn", &(turn * 100 + boot.me().0).to_le_bytes()).unwrap();
                    boot.exchange().unwrap();
                    for pe in 0..n {
                        let found = boot.lookup(Pe(pe), "turn").unwrap();
                        assert_eq!(found, (turn * 100 + pe).to_le_bytes());
                    }
                    boot.exchange().unwrap();
                }
            });
        }
    }

    #[test]
    fn two_worlds_do_not_mix() {
        let (one, two) = (threads(2), threads(3));
        assert_ne!(one[0].secret(), two[0].secret());
        each(one, |boot| boot.exchange().unwrap());
        each(two, |boot| assert_eq!(boot.local().len(), 3));
    }

    #[test]
    fn threads_are_on_the_nodes_that_they_are_told() {
        let local: Vec<Vec<u32>> = threads_on(NodeMap::of([0, 1, 0]))
            .iter()
            .map(|boot| boot.local().iter().map(|pe| pe.0).collect())
            .collect();
        assert_eq!(local, [vec![0, 2], vec![1], vec![0, 2]]);
    }

    #[test]
    fn a_dropped_pe_is_an_error_to_those_who_wait() {
        let mut world = threads(3);
        let lost = world.remove(1);
        std::thread::scope(|scope| {
            let waiting: Vec<_> = world.iter().map(|boot| scope.spawn(|| boot.exchange())).collect();
            drop(lost);
            for wait in waiting {
                assert!(wait.join().unwrap().unwrap_err().to_string().contains("PE 1 has ended"));
            }
        });
    }
}
