//! Things that are too expensive for each lane to have one of its own.

use crate::Result;
use ferrite_os::mutex;
use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard},
};

/// While there are few lanes, each has a thing of its own; more lanes share them. A thing that a lane leaves stays for the next lane.
#[derive(Debug)]
pub struct Pool<T>(Mutex<Vec<Seat<T>>>);

#[derive(Debug)]
struct Seat<T> {
    thing: Arc<T>,
    users: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::default())
    }
}

impl<T> Pool<T> {
    fn seats(&self) -> MutexGuard<'_, Vec<Seat<T>>> {
        mutex::lock(&self.0)
    }

    /// Return a thing for another lane: an unused one, a new one while there are fewer than `max` and more can be made, or the one that the
    /// fewest lanes share. `make` gets the number of the new thing.
    pub fn join(&self, max: usize, make: impl FnOnce(usize) -> Result<T>) -> Result<Arc<T>> {
        let mut seats = self.seats();
        let number = seats.len();
        let least = seats.iter().enumerate().min_by_key(|(_, seat)| seat.users);
        let seat = match least.map(|(least, seat)| (least, seat.users)) {
            Some((least, users)) if number >= max || users == 0 => least,
            least => match (make(number), least) {
                (Ok(thing), _) => {
                    seats.push(Seat { thing: Arc::new(thing), users: 0 });
                    number
                }
                // A NIC has a limited number of them for all PEs of a node.
                (Err(_), Some((least, _))) => least,
                (Err(error), None) => return Err(error),
            },
        };
        seats[seat].users += 1;
        Ok(Arc::clone(&seats[seat].thing))
    }

    /// Record that one lane less uses `thing`.
    pub fn leave(&self, thing: &Arc<T>) {
        if let Some(seat) = self.seats().iter_mut().find(|seat| Arc::ptr_eq(&seat.thing, thing)) {
            seat.users -= 1;
        }
    }

    /// All things that lanes share, with or without users.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.seats().iter().map(|seat| Arc::clone(&seat.thing)).collect()
    }

    /// All things except `than`.
    pub fn others(&self, than: &Arc<T>) -> Vec<Arc<T>> {
        let seats = self.seats();
        let others = seats.iter().filter(|seat| !Arc::ptr_eq(&seat.thing, than));
        others.map(|seat| Arc::clone(&seat.thing)).collect()
    }

    /// Remove and return all things, so that they can be ended.
    pub fn take(&self) -> Vec<Arc<T>> {
        mem::take(&mut *self.seats()).into_iter().map(|seat| seat.thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn lanes_share_beyond_the_most_and_leave_for_the_next() {
        let pool = Pool::default();
        let join = || pool.join(2, Ok).unwrap();
        let (one, other) = (join(), join());
        assert_eq!((*one, *other), (0, 1));
        let third = join();
        assert_eq!(*third, 0, "the fewest share");
        assert_eq!(*join(), 1);
        pool.leave(&one);
        pool.leave(&third);
        assert_eq!(*join(), 0, "nobody uses it");
        assert_eq!(pool.all().iter().map(|one| **one).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(pool.others(&one).iter().map(|other| **other).collect::<Vec<_>>(), [1]);
        assert_eq!(pool.take().len(), 2);
        pool.leave(&other);
        assert!(pool.all().is_empty());
    }

    #[test]
    fn one_that_cannot_be_made_takes_no_place() {
        let pool = Pool::default();
        pool.join(2, |_| Err::<usize, _>(Error::new("no memory"))).unwrap_err();
        assert_eq!(*pool.join(2, Ok).unwrap(), 0);
        assert_eq!(*pool.join(2, |_| Err(Error::new("no more of them"))).unwrap(), 0, "then they share");
        assert_eq!(*pool.join(2, Ok).unwrap(), 1);
    }
}
