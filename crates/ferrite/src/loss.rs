//! Worlds whose end by the loss of a peer is an error of the function that has them.

use crate::{
    JoinError, UniqueId, World,
    process::{self, Meeting},
};
use core::fmt;
use ferrite_bootstrap::Boot;
use ferrite_runtime::{self as rt, Losses};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

/// A peer was lost, and the job with it. This process goes on, and may join another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    pes: Vec<u32>,
    why: String,
}

impl Loss {
    /// The PEs that are known to be lost, in the order in which this became known. Empty if only the process is lost that had the root of
    /// the start, and is no PE, or if the network has failed without naming a PE.
    pub fn pes(&self) -> &[u32] {
        &self.pes
    }

    fn of(losses: &Losses) -> Loss {
        Loss { pes: losses.pes(), why: losses.why() }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Loss {}

/// Why [`World::join_with`] has no result.
#[derive(Debug)]
pub enum WorldError {
    /// The processes did not meet.
    Join(JoinError),
    /// A peer was lost.
    Lost(Loss),
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldError::Join(error) => error.fmt(f),
            WorldError::Lost(loss) => loss.fmt(f),
        }
    }
}

impl std::error::Error for WorldError {}

impl World {
    /// As [`World::join`], for the time of `body`, and the loss of a peer does not end this process. All members call this function.
    ///
    /// When a peer dies, each call of the library that needs the others ends `body` by unwinding, on every thread that makes one, and this
    /// returns [`WorldError::Lost`]. Nothing is printed. Values that `body` owns are dropped. Symmetric memory whose handles are
    /// outside of `body` stays readable. The members that are left may then meet again, by a new id.
    ///
    /// A call of `body` that does not need the others, or that only looks for what has come, does not end it.
    ///
    /// ```
    /// use ferrite::{Group, UniqueId, World};
    ///
    /// let id = UniqueId::draw()?;
    /// match World::join_with(&id, 0, 1, |world| world.sum(1_u32)) {
    ///     Ok(pes) => assert_eq!(pes, 1),
    ///     Err(lost) => println!("{lost}: agree with those that are left on another id, and join again"),
    /// }
    /// # Ok::<(), ferrite::JoinError>(())
    /// ```
    ///
    /// # Panics
    /// If this process has a world already. A panic of `body` ends the job, as everywhere. In a program that is compiled with
    /// `panic = "abort"` a loss ends the process.
    #[track_caller]
    pub fn join_with<R>(id: &UniqueId, rank: u32, size: u32, body: impl FnOnce(&World) -> R) -> Result<R, WorldError> {
        let boot = process::meet(Meeting { id, rank, size, loss_returns: true }).map_err(WorldError::Join)?;
        run(boot, body).map_err(WorldError::Lost)
    }
}

/// As [`init`](crate::init), for the time of `body`. In a start by environment with `SHMEM_ON_LOSS=return`, and under `oshrun --on-loss return`, a loss
/// is the error; else it ends the job. [`World::join_with`] tells more.
///
/// ```
/// let pes = ferrite::with_world(|world| world.n_pes())?;
/// assert_eq!(pes, 1);
/// # Ok::<(), ferrite::Loss>(())
/// ```
///
/// # Panics
/// As [`World::join_with`].
#[track_caller]
pub fn with_world<R>(body: impl FnOnce(&World) -> R) -> Result<R, Loss> {
    run(process::take(), body)
}

fn run<R>(boot: Arc<dyn Boot>, body: impl FnOnce(&World) -> R) -> Result<R, Loss> {
    let losses = Losses::of(&*boot);
    let loss = || losses.as_ref().map(|losses| Loss::of(losses)).expect("only a job in which losses return has one");
    let is_broken = || losses.as_ref().is_some_and(|losses| losses.any());
    let mut world = rt::catch_loss(|| process::start(boot.clone(), losses.clone())).map_err(|_| {
        boot.abandon();
        process::left();
        loss()
    })?;
    match panic::catch_unwind(AssertUnwindSafe(|| body(&world))) {
        Ok(result) => match rt::catch_loss(|| world.close()) {
            Ok(()) => return Ok(result),
            Err(_) => world.abandon(),
        },
        // A thread of the program that was unwound looks like a panic to the thread that joins it.
        Err(payload) if rt::is_loss(&*payload) || is_broken() => world.abandon(),
        Err(payload) => world.panicked(Some(&*payload)),
    }
    Err(loss())
}
