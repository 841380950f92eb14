//! Worlds whose PEs are threads of this process.
//!
//! # How such a world ends
//!
//! A PE that panics, or that the runtime would end the process for, unwinds. On its way it notes that the world is over, and
//! interrupts the others: waits and refused calls of theirs look at the note, and unwind too, without a word. `local` then panics with
//! the name of the first and what it said. The note is a flag that only rises; who rises it first is decided by a mutex, and nothing
//! else is ordered by it.

use crate::{
    World,
    sim::{SimFabric, Turns},
    world::Inner,
};
use core::{
    any::Any,
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use ferrite_bootstrap::{Boot, NodeMap, Secret};
use ferrite_fabric::{Fabric, Pe, Result};
use ferrite_os::mutex;
use ferrite_runtime::settings::{Settings, Waiting};
use std::{
    panic,
    sync::{Arc, Mutex, Once, Weak},
    thread,
};

/// Run `body` on `pes` PEs that are threads of this process, and give what they returned, in the order of their numbers. No launcher is
/// needed: this is for tests, examples and debuggers.
///
/// # Panics
/// If a PE panics: its message, with its number, is the panic's, and the other PEs are ended.
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
    run(pes, &body, None, Voice::Loud).unwrap_or_else(|why| panic!("{why}"))
}

/// Whether panics are told as they happen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Loud,
    Silent,
}

/// Run `body` on PEs that are threads; over a simulated network if there are `turns`. Gives what they returned, or which PE panicked
/// first, and what it said.
pub(crate) fn run<R: Send>(
    pes: u32,
    body: &(impl Fn(&World) -> R + Sync),
    turns: Option<&Arc<Turns>>,
    voice: Voice,
) -> core::result::Result<Vec<R>, String> {
    assert!(pes > 0, "a world has at least one PE");
    if voice == Voice::Silent {
        hear_no_silent_panics();
    }
    let boots = match turns {
        None => ferrite_bootstrap::threads(pes),
        // Each on a host of its own.
        Some(_) => ferrite_bootstrap::threads_on(NodeMap::of(0..pes)),
    };
    let ensemble = Arc::new(Ensemble { turns: turns.cloned(), ..Ensemble::default() });
    let ends: Vec<thread::Result<R>> = thread::scope(|scope| {
        let spawn = |inner: Arc<dyn Boot>| {
            let (pe, ensemble) = (inner.me(), &ensemble);
            let boot = Arc::new(LocalBoot { inner, ensemble: ensemble.clone() });
            let thread = thread::Builder::new().name(pe.to_string());
            let as_pe = move || {
                SILENT.set(voice == Voice::Silent);
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

thread_local! {
    /// Panics of this thread are told by nobody: it runs a schedule that has failed before.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

fn hear_no_silent_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !SILENT.get() {
                before(panic);
            }
        }));
    });
}

/// What a PE's thread does.
fn as_pe<R>(ensemble: &Arc<Ensemble>, pe: Pe, boot: Arc<LocalBoot>, body: impl Fn(&World) -> R) -> R {
    // The PEs are tests' and examples', of which several worlds may run at once: none has a core for itself.
    let settings = Settings { wait: Waiting::Yield, ..Settings::default() };
    let network = ensemble.turns.clone().map(|turns| Box::new(SimFabric::new(turns, pe.0)) as Box<dyn Fabric>);
    let world = World::start(boot, settings, network, false)
        .unwrap_or_else(|error| panic!("starting a world of threads: {error}"));
    // Before the world goes, without which peers would say that they have lost this one.
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
    /// The PE that ended it.
    first: Mutex<Option<u32>>,
    worlds: Mutex<Vec<Weak<Inner>>>,
    /// Who goes on, where the network is simulated.
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

/// The panic of a PE that ends because another has.
struct Ended;

fn end_quietly() -> ! {
    panic::resume_unwind(Box::new(Ended))
}

/// What a panic said.
fn said(why: &(dyn Any + Send)) -> &str {
    match (why.downcast_ref::<&str>(), why.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ if why.is::<Ended>() => "the others have ended",
        _ => "with a value that is no text",
    }
}

/// The launcher of a PE that is a thread: what would end the process unwinds.
struct LocalBoot {
    inner: Arc<dyn Boot>,
    ensemble: Arc<Ensemble>,
}

impl Boot for LocalBoot {
    fn me(&self) -> Pe {
        self.inner.me()
    }

    fn size(&self) -> u32 {
        self.inner.size()
    }

    fn nodes(&self) -> &NodeMap {
        self.inner.nodes()
    }

    fn local(&self) -> &[Pe] {
        self.inner.local()
    }

    fn secret(&self) -> Secret {
        self.inner.secret()
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
            // Already on its way.
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

/// What an attribute's test asks of it: that no PE returned an error.
#[doc(hidden)]
pub fn test<R: Outcome + Send>(pes: u32, body: fn(&World) -> R) {
    local(pes, |world| body(world).or_panic(world.my_pe()));
}

/// What a test or a main function returns: nothing, or a result.
#[doc(hidden)]
pub trait Outcome {
    /// The error, if there is one.
    fn error(self) -> Option<String>;

    /// Panic if there is one.
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

impl<E: core::fmt::Debug> Outcome for core::result::Result<(), E> {
    fn error(self) -> Option<String> {
        self.err().map(|error| format!("{error:?}"))
    }
}
