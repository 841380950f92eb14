//! A program that was started without a launcher: PE 0 of 1.

use crate::values::KeyValueStore;
use crate::{Boot, NodeMap, Seat, Secret, end};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::sync::Mutex;

/// A job of one PE, without peers and without a launcher.
pub struct Alone {
    seat: Seat,
    store: Mutex<KeyValueStore>,
}

impl Alone {
    /// The result of [`Boot::launcher`] for such a job.
    pub const LAUNCHER: &str = "alone";

    /// A new job of one PE.
    pub fn new() -> Result<Self> {
        let seat = Seat::new(Pe(0), NodeMap::one(1), Secret::draw()?);
        Ok(Alone { seat, store: Mutex::new(KeyValueStore::new(1)) })
    }
}

impl Boot for Alone {
    fn seat(&self) -> &Seat {
        &self.seat
    }

    fn launcher(&self) -> &str {
        Alone::LAUNCHER
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        mutex::lock(&self.store).publish_one(Pe(0), key, value)
    }

    fn exchange(&self) -> Result<()> {
        mutex::lock(&self.store).release();
        Ok(())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        if pe != Pe(0) {
            return Err(Error::new(format!("looking up `{key}` of {pe}: this job has one PE, PE 0")));
        }
        mutex::lock(&self.store).find(pe, key)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_is_seen_after_the_exchange_and_not_before() {
        let boot = Alone::new().unwrap();
        boot.publish("heap", b"17").unwrap();
        assert!(boot.lookup(Pe(0), "heap").is_err());
        boot.exchange().unwrap();
        assert_eq!(boot.lookup(Pe(0), "heap").unwrap(), b"17");
        assert!(boot.lookup(Pe(1), "heap").unwrap_err().to_string().contains("one PE"));
        assert_ne!(boot.secret(), Alone::new().unwrap().secret());
    }
}
