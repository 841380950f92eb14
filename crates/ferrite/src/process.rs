//! The one world of a process.

use crate::{World, local::Outcome, panics, world::INIT};
use core::{
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_bootstrap::{Boot, join};
use ferrite_fabric::Error;
use ferrite_runtime::{self as rt, Extent};
use ferrite_settings::Settings;
use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

/// True while the process has a world.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Start the library in this process, whether `oshrun` or another launcher (through PMI or PMIx) started it, or none did. Collective: each
/// process of the job calls it. Without a launcher the world has one PE.
///
/// If the library cannot start, the job ends with one line that gives the reason. From here on, a panic on the thread that has the world
/// ends the job. Panics are reported in one line with the PE, by a hook that takes the place
/// of the program's while the process has a world; a program that wants its own sets it afterwards.
///
/// ```
/// let world = ferrite::init();
/// println!("PE {} of {}", world.my_pe(), world.n_pes());
/// ```
///
/// # Panics
/// If this process has a world already.
#[track_caller]
pub fn init() -> World {
    start(take(), None)
}

/// The launcher of this process, for its world. An error ends the job.
#[track_caller]
pub(crate) fn take() -> Arc<dyn Boot> {
    assert!(!TAKEN.swap(true, Relaxed), "ferrite::init: this process has its World already");
    ferrite_bootstrap::detect().unwrap_or_else(|error| rt::World::new().init_failed(&INIT, &error))
}

/// Start the library in this process. An error ends the job, or is a loss that is returned.
pub(crate) fn start(boot: Arc<dyn Boot>, losses: Option<Arc<rt::Losses>>) -> World {
    rt::watch_verdict();
    // The launcher reports a wrong setting once for all PEs.
    let failed = |boot: &Arc<dyn Boot>, error: Error| -> ! {
        let world = rt::World::new();
        world.set_boot(boot);
        world.init_failed(&INIT, &error)
    };
    let settings = Settings::from_environment().unwrap_or_else(|error| failed(&boot, error));
    let world = World::start(boot.clone(), settings, None, Extent::Process, losses);
    let world = world.unwrap_or_else(|error| failed(&boot, error));
    panics::of_process(world.my_pe());
    world
}

/// Identifies one start without a launcher: a process that has it may take part, by [`World::join`].
///
/// The process that draws it has the root of the start, to which all others connect. The bytes travel by any channel; they contain a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UniqueId(join::UniqueId);

impl UniqueId {
    /// Number of bytes.
    pub const BYTES: usize = join::UniqueId::BYTES;

    /// Draw an id. Each start needs a new one.
    pub fn draw() -> Result<UniqueId, JoinError> {
        join::UniqueId::draw().map(UniqueId).map_err(JoinError)
    }

    /// The bytes, for the other processes.
    pub fn to_bytes(&self) -> [u8; UniqueId::BYTES] {
        self.0.encode()
    }

    /// The id with these bytes, which another process has drawn.
    pub fn from_bytes(bytes: &[u8; UniqueId::BYTES]) -> Result<UniqueId, JoinError> {
        join::UniqueId::decode(bytes).map(UniqueId).map_err(JoinError)
    }
}

impl World {
    /// Start the library in this process without a launcher, as PE `rank` of the `size` processes that have the same id. Collective over
    /// these. An error is returned if they do not meet, for example because one of them does not come within FERRITE_START_TIMEOUT.
    ///
    /// When the world has been dropped, the process may join another one, with other members, by a new id.
    ///
    /// ```
    /// let id = ferrite::UniqueId::draw()?;
    /// let world = ferrite::World::join(&id, 0, 1)?;
    /// assert_eq!(world.n_pes(), 1);
    /// # Ok::<(), ferrite::JoinError>(())
    /// ```
    ///
    /// # Panics
    /// If this process has a world already.
    #[track_caller]
    pub fn join(id: &UniqueId, rank: u32, size: u32) -> Result<World, JoinError> {
        meet(Meeting { id, rank, size, loss_returns: false }).map(|member| start(member, None))
    }
}

/// One process of a start by unique id.
pub(crate) struct Meeting<'a> {
    pub id: &'a UniqueId,
    pub rank: u32,
    pub size: u32,
    pub loss_returns: bool,
}

/// Meet the others that have this id, for the world of this process.
#[track_caller]
pub(crate) fn meet(Meeting { id, rank, size, loss_returns }: Meeting<'_>) -> Result<Arc<dyn Boot>, JoinError> {
    assert!(!TAKEN.swap(true, Relaxed), "World::join: this process has its World already");
    let met = join::limit().and_then(|limit| join::join(&id.0, rank, size, limit, loss_returns));
    met.map(|member| Arc::new(member) as Arc<dyn Boot>).map_err(|error| {
        left();
        JoinError(error)
    })
}

/// Why processes did not meet.
#[derive(Debug)]
pub struct JoinError(Error);

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ferrite_os::error_text::plain(&self.0.to_string()))
    }
}

impl std::error::Error for JoinError {}

/// The process's world has ended; `init` may be called again.
pub(crate) fn left() {
    panics::of_no_process();
    TAKEN.store(false, Relaxed);
}

/// Entry point of `#[ferrite::main]`.
#[doc(hidden)]
#[track_caller]
pub fn run<R: Outcome>(body: fn(&World) -> R) {
    let world = init();
    match panic::catch_unwind(AssertUnwindSafe(|| body(&world).error())) {
        Ok(None) => {}
        Ok(Some(error)) => world.fail(1, &error),
        Err(payload) => world.panicked(Some(&*payload)),
    }
}
