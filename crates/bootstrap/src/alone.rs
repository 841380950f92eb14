//! A program that was started without a launcher: PE 0 of 1.

use crate::{Boot, NodeMap, Secret, end};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::collections::HashMap;
use std::sync::Mutex;

/// A job of one PE, without peers and without a launcher.
pub struct Alone {
    secret: Secret,
    nodes: NodeMap,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    pending: Vec<(String, Vec<u8>)>,
    visible: HashMap<String, Vec<u8>>,
}

impl Alone {
    /// The result of [`Boot::launcher`] for such a job.
    pub const LAUNCHER: &str = "alone";

    /// A new job of one PE.
    pub fn new() -> Result<Self> {
        Ok(Alone { secret: Secret::draw()?, nodes: NodeMap::one(1), said: Mutex::default() })
    }
}

impl Boot for Alone {
    fn me(&self) -> Pe {
        Pe(0)
    }

    fn size(&self) -> u32 {
        1
    }

    fn nodes(&self) -> &NodeMap {
        &self.nodes
    }

    fn local(&self) -> &[Pe] {
        &[Pe(0)]
    }

    fn secret(&self) -> Secret {
        self.secret
    }

    fn launcher(&self) -> &str {
        Alone::LAUNCHER
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        crate::wire::check(key, value)?;
        let mut said = mutex::lock(&self.said);
        said.pending.push((key.to_owned(), value.to_vec()));
        Ok(())
    }

    fn exchange(&self) -> Result<()> {
        let mut said = mutex::lock(&self.said);
        let pending = std::mem::take(&mut said.pending);
        said.visible.extend(pending);
        Ok(())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        if pe != Pe(0) {
            return Err(Error::new(format!("looking up `{key}` of {pe}: this job has one PE, PE 0")));
        }
        let said = mutex::lock(&self.said);
        said.visible.get(key).cloned().ok_or_else(|| Error::new(format!("{pe} has published nothing under `{key}`")))
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
