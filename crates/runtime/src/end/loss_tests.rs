use super::*;
use crate::{StartOptions, border::catch_loss, life::phase::Extent};
use ferrite_bootstrap::{NodeMap, OnLoss, Seat, threads_on};
use ferrite_fabric::{Pe, Result};
use ferrite_settings::{Settings, Transport};

/// What becomes of the peer.
#[derive(Clone, Copy, PartialEq)]
enum Peer {
    Lives,
    /// It dies before it comes to an exchange.
    IsMissed,
    /// Its loss is told when this PE joins, and no step of init misses it.
    IsLost,
}

/// A PE of threads in a job in which losses return.
struct Fragile {
    inner: Arc<dyn Boot>,
    peer: Peer,
    on_loss: Mutex<Option<OnLoss>>,
}

impl Fragile {
    fn tell(&self) {
        mutex::lock(&self.on_loss).iter().for_each(|on_loss| on_loss(Some(Pe(1)), "PE 1 has died"));
    }
}

impl Boot for Fragile {
    fn seat(&self) -> &Seat {
        self.inner.seat()
    }
    fn launcher(&self) -> &str {
        "a test"
    }
    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        self.inner.publish(key, value)
    }
    fn exchange(&self) -> Result<()> {
        if self.peer != Peer::IsMissed {
            return self.inner.exchange();
        }
        self.tell();
        Err(Error::new("PE 1 does not come"))
    }
    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.inner.lookup(pe, key)
    }
    fn join(&self) -> Result<()> {
        if self.peer == Peer::IsLost {
            self.tell();
        }
        self.inner.join()
    }
    fn leave(&self) -> Result<()> {
        self.inner.leave()
    }
    fn announce(&self, _code: i32, _why: &str) {}
    fn loss_returns(&self) -> bool {
        true
    }
    fn watch_losses(&self, on_loss: OnLoss) {
        *mutex::lock(&self.on_loss) = Some(on_loss);
    }
}

/// How a start has failed.
struct Failed {
    why: String,
    /// The steps after whose failure it waited for the root's word.
    awaited_after: Vec<&'static str>,
    /// The program is told of a loss, not of the failure.
    returns_loss: bool,
}

/// Start a world that fails.
fn fail(inner: Arc<dyn Boot>, peer: Peer, settings: Settings) -> Failed {
    let boot: Arc<dyn Boot> = Arc::new(Fragile { inner, peer, on_loss: Mutex::default() });
    let losses = Losses::of(&*boot);
    let known = losses.clone().unwrap();
    let world = World::new();
    let started = world.start(StartOptions { boot, settings, extent: Extent::Thread, network: None, losses });
    let why = started.expect_err("the start fails").to_string();
    assert_eq!(world.is_broken(), peer != Peer::Lives);
    let awaited_after = mutex::lock(&known.known).awaited_after.clone();
    Failed { why, awaited_after, returns_loss: catch_loss(|| world.return_failed_init()).is_err() }
}

/// A start that fails by itself neither waits for word of a loss, nor blames a loss that it does not come from.
#[test]
fn an_init_that_fails_by_itself_keeps_its_reason() {
    let transport = Transport::parse("shm").unwrap();
    for peer in [Peer::Lives, Peer::IsLost] {
        let pes = threads_on(NodeMap::of([0, 1]));
        thread::scope(|scope| {
            for pe in pes {
                scope.spawn(move || {
                    let failed = fail(pe, peer, Settings { transport, ..Settings::default() });
                    assert!(failed.why.contains("SHMEM_TRANSPORT=shm reaches only"), "{}", failed.why);
                    assert_eq!(failed.awaited_after, [] as [&str; 0]);
                    assert!(!failed.returns_loss);
                });
            }
        });
    }
}

#[test]
fn an_init_that_fails_for_want_of_a_peer_waits_for_word_of_its_loss() {
    let pe = threads_on(NodeMap::one(2)).remove(0);
    let failed = fail(pe, Peer::IsMissed, Settings::default());
    assert!(failed.why.contains("PE 1 does not come"), "{}", failed.why);
    assert_eq!(failed.awaited_after, ["share memory"]);
    assert!(failed.returns_loss);
}
