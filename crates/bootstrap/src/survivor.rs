//! A PE of our own launcher in a job whose losses return (`oshrun --on-loss return`).
//!
//! oshrun says who the PEs are, and passes the unique id that PE 0 draws to the others. By it they meet as in a start without a launcher
//! ([`crate::join`]), whose root then tells them of losses; oshrun leaves the survivors alone. Each init draws an id of its own.

use crate::join::{self, Member, UniqueId};
use crate::{Boot, Launched, OnEnd, OnLoss, Seat};
use ferrite_fabric::{Error, Pe, Result};
use std::sync::Arc;

/// The key of the id among PE 0's values.
const ID: &str = "id";

/// A PE that survives the loss of others (see the module).
pub(crate) struct Survivor {
    launched: Arc<Launched>,
    member: Member,
}

impl Survivor {
    /// Meet the other PEs of the launcher's job.
    pub fn meet(launched: Arc<Launched>) -> Result<Self> {
        if launched.me() == Pe(0) {
            launched.publish(ID, &UniqueId::draw()?.encode())?;
        }
        launched.exchange()?;
        let id = launched.lookup(Pe(0), ID)?.try_into();
        let id = UniqueId::decode(&id.map_err(|_| Error::new("PE 0 has published no unique id"))?)?;
        let member = join::join_by("oshrun", &id, launched.me().0, launched.size(), join::limit()?, true)?;
        Ok(Survivor { launched, member })
    }
}

impl Boot for Survivor {
    fn seat(&self) -> &Seat {
        self.member.seat()
    }

    fn launcher(&self) -> &str {
        self.launched.launcher()
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        self.member.publish(key, value)
    }

    fn exchange(&self) -> Result<()> {
        self.member.exchange()
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.member.lookup(pe, key)
    }

    fn join(&self) -> Result<()> {
        self.launched.join()?;
        self.member.join()
    }

    fn leave(&self) -> Result<()> {
        self.member.leave()?;
        self.launched.leave()
    }

    /// The launcher ends the job on all hosts.
    fn announce(&self, code: i32, why: &str) {
        self.launched.announce(code, why);
    }

    fn has_ended(&self) -> bool {
        self.launched.has_ended()
    }

    fn end_the_rest(&self) {
        self.launched.end_the_rest();
    }

    fn watch(&self, on_end: OnEnd) {
        self.member.watch(on_end);
    }

    fn loss_returns(&self) -> bool {
        true
    }

    fn watch_losses(&self, on_loss: OnLoss) {
        self.member.watch_losses(on_loss);
    }

    fn has_lost(&self) -> bool {
        self.member.has_lost()
    }

    fn abandon(&self) {
        self.member.abandon();
        // It owes its peers nothing any more. A launcher that has ended knows without this.
        let _ = self.launched.leave();
    }
}
