//! Worlds whose PEs are threads of this process.
//!
//! # How such a world ends
//!
//! A PE that panics, or whose process the runtime would end, unwinds. As it unwinds it sets a flag that the world is over, and interrupts
//! the other PEs: their waits and refused calls check the flag, and unwind too, without a message. `local` then unwinds with the number and
//! the message of the first PE. The flag is only ever set, never cleared; a mutex decides which PE was first, and the flag orders nothing
//! else.

use crate::{
    World,
    panics::{self, Voice},
    sim::{SimFabric, Turns},
    world::Inner,
};
use core::{
    any::Any,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_bootstrap::{Boot, NodeMap, Seat};
use ferrite_fabric::{Fabric, Pe, Result};
use ferrite_os::mutex;
use ferrite_runtime::Extent;
use ferrite_settings::{Settings, Waiting};
use std::{
    panic,
    sync::{Arc, Mutex, Weak},
    thread,
};

/// Run `body` on `pes` PEs that are threads of this process, and return their results in the order of their numbers. No launcher is needed:
/// this is for tests, examples and debuggers.
///
/// # Panics
/// If a PE panics. The panic has that PE's number and message, and the other PEs are ended. It is reported where it happens, on a thread
/// with the name of the PE, by the program's panic hook, and not again: if that hook is silent, so is the panic of `local`.
///
/// ```
/// use ferrite::Group;
/// let sums = ferrite::local(4, |world| world.sum(world.my_pe()));
/// assert_eq!(sums, [6; 4]);
/// ```
///
/// ```should_panic
/// ferrite::local(3, |world| {
///     use ferrite::Group;
///     assert_ne!(world.my_pe(), 1, "PE 1 panics");
///     world.barrier(); // The others do not wait for ever.
/// });
/// ```
#[track_caller]
pub fn local<R: Send>(pes: u32, body: impl Fn(&World) -> R + Sync) -> Vec<R> {
    // The hook has reported the panic of the PE already.
    run(pes, &body, None, Voice::Loud).unwrap_or_else(|why| panic::resume_unwind(Box::new(why)))
}

/// Run `body` on PEs that are threads, over a simulated network if `turns` is given. Returns their results, or the number and message of
/// the PE that panicked first.
pub(crate) fn run<R: Send>(
    pes: u32,
    body: &(impl Fn(&World) -> R + Sync),
    turns: Option<&Arc<Turns>>,
    voice: Voice,
) -> core::result::Result<Vec<R>, String> {
    assert!(pes > 0, "a world has at least one PE");
    let boots = match turns {
        None => ferrite_bootstrap::threads(pes),
        // Each PE is on a host of its own.
        Some(_) => ferrite_bootstrap::threads_on(NodeMap::of(0..pes)),
    };
    let ensemble = Arc::new(Ensemble { turns: turns.cloned(), ..Ensemble::default() });
    let ends: Vec<thread::Result<R>> = thread::scope(|scope| {
        let spawn = |inner: Arc<dyn Boot>| {
            let (pe, ensemble) = (inner.me(), &ensemble);
            let boot = Arc::new(LocalBoot { inner, ensemble: ensemble.clone() });
            let thread = thread::Builder::new().name(pe.to_string());
            let as_pe = move || {
                panics::of_this_thread(voice);
                as_pe(ensemble, pe, boot, body)
            };
            thread.spawn_scoped(scope, as_pe).expect("a thread can be made")
        };
        let threads: Vec<_> = boots.into_iter().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let first = mutex::lock(&ensemble.first).take();
    let mut results = Vec::with_capacity(ends.len());
    for (pe, end) in ends.into_iter().enumerate() {
        match end {
            Ok(result) => results.push(result),
            Err(why) if first.is_none_or(|first| first == pe as u32) => {
                return Err(format!("PE {pe} panicked: {}", said(&*why)));
            }
            Err(_) => {}
        }
    }
    Ok(results)
}

/// The body of a PE's thread.
fn as_pe<R>(ensemble: &Arc<Ensemble>, pe: Pe, boot: Arc<LocalBoot>, body: impl Fn(&World) -> R) -> R {
    // Worlds of threads are for tests and examples. Several may run at once, so no PE has a core for itself.
    let settings = Settings { wait: Waiting::Yield, ..Settings::default() };
    let network = ensemble.turns.clone().map(|turns| Box::new(SimFabric::new(turns, pe.0)) as Box<dyn Fabric>);
    let world = World::start(boot, settings, network, Extent::Thread, None)
        .unwrap_or_else(|error| panic!("starting a world of threads: {error}"));
    // Created after the world, so that it is dropped before it. Otherwise peers would report that they lost this PE.
    let guard = EndOthers { ensemble, pe };
    mutex::lock(&ensemble.worlds).push(Arc::downgrade(world.inner()));
    if ensemble.over.load(Relaxed) {
        end_quietly();
    }
    ensemble.turns.iter().for_each(|turns| turns.enter(pe.0));
    let result = body(&world);
    drop(world);
    drop(guard);
    result
}

/// The PEs of one world.
#[derive(Default)]
struct Ensemble {
    over: Arc<AtomicBool>,
    /// The PE whose panic ended the world.
    first: Mutex<Option<u32>>,
    worlds: Mutex<Vec<Weak<Inner>>>,
    /// The scheduler of the PEs, if the network is simulated.
    turns: Option<Arc<Turns>>,
}

struct EndOthers<'e> {
    ensemble: &'e Ensemble,
    pe: Pe,
}

impl Drop for EndOthers<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            mutex::lock(&self.ensemble.first).get_or_insert(self.pe.0);
            self.ensemble.over.store(true, Relaxed);
            self.ensemble.turns.iter().for_each(|turns| turns.end());
            let worlds: Vec<_> = mutex::lock(&self.ensemble.worlds).iter().filter_map(Weak::upgrade).collect();
            worlds.iter().for_each(|world| world.rt.interrupt());
        }
        self.ensemble.turns.iter().for_each(|turns| turns.leave(self.pe.0));
    }
}

/// The panic of a PE that ends because another PE panicked.
struct Ended;

fn end_quietly() -> ! {
    panic::resume_unwind(Box::new(Ended))
}

/// The message of a panic.
fn said(why: &(dyn Any + Send)) -> &str {
    match panics::text(why) {
        Some(text) => text,
        None if why.is::<Ended>() => "the others have ended",
        None => "with a value that is no text",
    }
}

/// The launcher of a PE that is a thread. An event that would end the process unwinds the thread instead.
struct LocalBoot {
    inner: Arc<dyn Boot>,
    ensemble: Arc<Ensemble>,
}

impl Boot for LocalBoot {
    fn seat(&self) -> &Seat {
        self.inner.seat()
    }

    fn launcher(&self) -> &str {
        self.inner.launcher()
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        self.inner.publish(key, value)
    }

    fn exchange(&self) -> Result<()> {
        self.inner.exchange()
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

    fn announce(&self, code: i32, why: &str) {
        let over = self.ensemble.over.load(Relaxed);
        match why.strip_prefix("ferrite: ").unwrap_or(why) {
            // This PE unwinds already.
            "" if thread::panicking() => {}
            "" if over => end_quietly(),
            "" => panic!("the program has ended the job with status {code}"),
            why => panic!("{why}"),
        }
    }

    fn over(&self) -> Option<Arc<AtomicBool>> {
        Some(self.ensemble.over.clone())
    }
}

/// Body of a `#[ferrite::test]`: run it, and panic if a PE returned an error.
#[doc(hidden)]
pub fn test<R: Outcome + Send>(pes: u32, body: fn(&World) -> R) {
    local(pes, |world| body(world).or_panic(world.my_pe()));
}

/// The return type of a test or a main function: nothing, or a result.
#[doc(hidden)]
pub trait Outcome {
    /// The error, if there is one.
    fn error(self) -> Option<String>;

    /// Panic if there is an error.
    fn or_panic(self, pe: u32)
    where
        Self: Sized,
    {
        if let Some(error) = self.error() {
            panic!("PE {pe} returned an error: {error}");
        }
    }
}

impl Outcome for () {
    fn error(self) -> Option<String> {
        None
    }
}

impl<E: core::fmt::Display> Outcome for core::result::Result<(), E> {
    fn error(self) -> Option<String> {
        // Errors of some crates show their causes in this form.
        self.err().map(|error| format!("{error:#}"))
    }
}
