use super::*;
use crate::{StartOptions, life::phase::Extent};
use ferrite_bootstrap::{NodeMap, OnLoss, Seat, threads_on};
use ferrite_fabric::{Pe, Result};
use ferrite_settings::{Settings, Transport};

/// A PE of threads in a job in which losses return. If `dies`, its peer dies before it comes to an exchange.
struct Fragile {
    inner: Arc<dyn Boot>,
    dies: bool,
    on_loss: Mutex<Option<OnLoss>>,
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
        if !self.dies {
            return self.inner.exchange();
        }
        mutex::lock(&self.on_loss).iter().for_each(|on_loss| on_loss(Some(Pe(1)), "PE 1 has died"));
        Err(Error::new("PE 1 does not come"))
    }
    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.inner.lookup(pe, key)
    }
    fn join(&self) -> Result<()> {
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

/// Start a world that fails. Returns the reason, and the steps after whose failure it waited for the root's word.
fn fail(inner: Arc<dyn Boot>, dies: bool, settings: Settings) -> (String, Vec<&'static str>) {
    let boot: Arc<dyn Boot> = Arc::new(Fragile { inner, dies, on_loss: Mutex::default() });
    let losses = Losses::of(&*boot);
    let known = losses.clone().unwrap();
    let world = World::new();
    let started = world.start(StartOptions { boot, settings, extent: Extent::Thread, network: None, losses });
    let why = started.expect_err("the start fails").to_string();
    assert_eq!(world.is_broken(), dies);
    let awaited_after = mutex::lock(&known.known).awaited_after.clone();
    (why, awaited_after)
}

#[test]
fn an_init_that_fails_by_itself_does_not_wait_for_word_of_a_loss() {
    let transport = Transport::parse("shm").unwrap();
    let pes = threads_on(NodeMap::of([0, 1]));
    thread::scope(|scope| {
        for pe in pes {
            scope.spawn(move || {
                let (why, awaited_after) = fail(pe, false, Settings { transport, ..Settings::default() });
                assert!(why.contains("SHMEM_TRANSPORT=shm reaches only"), "{why}");
                assert_eq!(awaited_after, [] as [&str; 0]);
            });
        }
    });
}

#[test]
fn an_init_that_fails_for_want_of_a_peer_waits_for_word_of_its_loss() {
    let pe = threads_on(NodeMap::one(2)).remove(0);
    let (why, awaited_after) = fail(pe, true, Settings::default());
    assert!(why.contains("PE 1 does not come"), "{why}");
    assert_eq!(awaited_after, ["share memory"]);
}
