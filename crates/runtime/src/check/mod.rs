//! `SHMEM_CHECK`: looks for mistakes of the program, and names their lines.
//!
//! An observer (`observe`) that holds every call against what is known: the blocks of the heap, handles, locks, what the other
//! members of a team call. Who touches which bytes and what happens before what is `ferrite-check`'s to know; here it is told of what
//! calls do (`accesses`, `collectives`) and, in programs that were compiled for it, of loads and stores (`hooks`).
//!
//! | file | job |
//! |---|---|
//! | `calls` | each call, when it begins and when it returns |
//! | `arguments` | arguments that are wrong though the library would do what they say |
//! | `accesses` | what a call does to memory |
//! | `collectives` | whether members call the same, and what they learn of each other |
//! | `delays` | deliveries that are held back, where that is asked for |
//! | `blocks` | the heap: which blocks there are, what was written behind them, what is never given back |
//! | `books` | contexts, teams, sessions and locks: who has them |
//! | `sets` | collectives of active sets: their work array, and whether members name the same set |
//! | `turns` | what threads must use one after the other |
//! | `places` | where an address is, and what it is called |
//! | `sites` | places in the program's source |
//! | `lenient` | what is let pass, and is a mistake nevertheless |
//! | `findings` | how a mistake is told |
//! | `hooks` | what instrumented programs call |
//!
//! # Memory
//!
//! What the PEs of a host share lies behind everything else in the host's memory file, and is mapped by itself
//! (`NodeMemory::map_check_area`). It stays mapped when the world is gone, for threads that are still on their way out, so that
//! references to it live as long as the process.
//!
//! # What it sees
//!
//! PEs of other hosts are not in the host's file. What they do may order what PEs of this host do, so that races of a job over
//! several hosts are not looked for at all, which PE 0 says at the start; all else is.

mod accesses;
mod arguments;
mod blocks;
mod books;
mod calls;
mod collectives;
mod delays;
mod findings;
mod hooks;
mod lenient;
mod places;
mod sets;
mod sites;
mod turns;

use crate::{
    World,
    life::last_thread::is_last_thread,
    live::Live,
    memory::node::NodeMemory,
    observe::{Call, Observer},
    settings::{CheckMode, Settings},
};
use blocks::Blocks;
pub(crate) use blocks::GUARD;
use books::Books;
use core::{
    cell::RefCell,
    sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed},
};
pub(crate) use delays::Delays;
use ferrite_abi::constants::SHMEM_THREAD_SINGLE;
use ferrite_check::{Area, Races, Thread};
use ferrite_fabric::{Error, Result};
pub use findings::EXIT_CODE;
use findings::Suppressions;
pub use hooks::{ATOMIC, WRITES, Watched, watched};
use sites::Sites;
use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use turns::Turns;

/// Whether the program was compiled so that its loads and stores are shown. A fact of the process.
static INSTRUMENTED: AtomicBool = AtomicBool::new(false);

/// The program was compiled for it.
pub fn program_is_instrumented() {
    INSTRUMENTED.store(true, Relaxed);
}

/// Looks for mistakes of one PE's program.
pub(crate) struct Check {
    /// Which of the process's, for threads that have seen another.
    number: u64,
    mode: CheckMode,
    me: u32,
    races: Races<'static>,
    /// Whether all that orders accesses can be seen.
    sees_all: AtomicBool,
    sites: Sites,
    blocks: Mutex<Blocks>,
    books: Mutex<Books>,
    turns: Mutex<Turns>,
    suppressions: Suppressions,
    /// What is held back, if anything is.
    pub delays: Option<Arc<Delays>>,
    /// The program is in Rust, where dropping gives all back and finalize is the end of the world.
    is_rust: AtomicBool,
    /// The thread level that the program has been given.
    pub level: AtomicI32,
    /// The thread that has initialised the library.
    first_thread: std::thread::ThreadId,
}

/// A key of what is told once.
const STRANGER: u64 = 0x7374_7261_6e67_6572;

/// What looks on, and is told of loads and stores.
pub(crate) struct Watch(pub Arc<Check>);

thread_local! {
    /// What this thread knows, and of whose world.
    static THREAD: RefCell<Option<(u64, Option<Thread>)>> = const { RefCell::new(None) };
}

/// What the settings ask for.
pub(crate) fn wanted(settings: &Settings) -> bool {
    settings.check.map_or(INSTRUMENTED.load(Relaxed), |mode| mode.on)
}

impl Check {
    /// Of PE `me`, if the PEs of this host look for mistakes.
    pub fn start(settings: &Settings, node: &NodeMemory, (me, size): (u32, u32)) -> Result<Option<Arc<Check>>> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let Some(base) = node.map_check_area()? else { return Ok(None) };
        // SAFETY: the area is mapped until the process ends, is the file's own and begins as zeros.
        let area: Area<'static> = unsafe { Area::new(base, node.layout().total()?) };
        Ok(Some(Arc::new(Check {
            number: NUMBERS.fetch_add(1, Relaxed),
            mode: settings.check.unwrap_or(CheckMode { on: true, ..CheckMode::default() }),
            me,
            races: Races::new(area, me),
            sees_all: AtomicBool::new(node.layout().pes == size as usize),
            sites: Sites::default(),
            blocks: Mutex::default(),
            books: Mutex::default(),
            turns: Mutex::default(),
            suppressions: Suppressions::read(settings.check_suppressions.as_deref())?,
            delays: match settings.check.and_then(|mode| mode.order) {
                Some(seed) => Some(
                    Delays::start(seed, me, area)
                        .map_err(|cause| Error::because("SHMEM_CHECK: starting a thread", cause))?,
                ),
                None => None,
            },
            is_rust: AtomicBool::new(false),
            level: AtomicI32::new(SHMEM_THREAD_SINGLE),
            first_thread: std::thread::current().id(),
        })))
    }

    /// Say what cannot be seen in this job.
    pub fn introduce(&self) {
        if self.me == 0
            && let Some(seed) = self.mode.order
        {
            let line = format!(
                "ferrite: check: puts, signals and atomics come late and in any order, by seed {seed} (--check=order:{seed})\n"
            );
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        if self.me == 0 && !self.sees_all() {
            let _ = std::io::stderr().write_all(
                b"ferrite: check: races are not looked for, since not all PEs share memory; all other mistakes are\n",
            );
        }
    }

    /// Whether races are looked for.
    #[inline]
    fn sees_all(&self) -> bool {
        self.sees_all.load(Relaxed)
    }

    /// Do something with what this thread knows. Nothing, where there are too many threads.
    fn with_thread<R>(&self, act: impl FnOnce(&mut Thread) -> R) -> Option<R> {
        self.with_thread_of(|| self.meet_stranger(), act)
    }

    /// A thread that nobody has announced. What it was told when it was started, and tells when it ends, is unknown: races that are
    /// none would be found.
    fn meet_stranger(&self) {
        if std::thread::current().id() != self.first_thread
            && self.sees_all.swap(false, Relaxed)
            && !is_last_thread()
            && self.races.area().first_time(STRANGER)
        {
            let _ = std::io::stderr().write_all(
                b"ferrite: check: races are not looked for any more: a thread was started that is not seen, by other means than \
                  pthread_create or gcc's OpenMP in a program of oshcc --check\n",
            );
        }
    }

    fn with_thread_of<R>(&self, is_new: impl FnOnce(), act: impl FnOnce(&mut Thread) -> R) -> Option<R> {
        let in_thread = |mine: &RefCell<Option<(u64, Option<Thread>)>>| {
            // Not twice: whoever asks again is a signal handler.
            let mut mine = mine.try_borrow_mut().ok()?;
            if mine.as_ref().is_none_or(|(number, _)| *number != self.number) {
                is_new();
                *mine = Some((self.number, self.races.thread()));
            }
            let result = mine.as_mut()?.1.as_mut().map(act);
            self.watch_private();
            result
        };
        // A thread that is at its end has forgotten.
        THREAD.try_with(in_thread).ok().flatten()
    }
}

impl Observer for Watch {
    fn before(&self, world: &World, live: &Live, call: &Call) {
        self.0.before(world, live, call);
    }

    fn after(&self, world: &World, live: &Live, call: &Call) {
        self.0.after(world, live, call);
    }

    fn finish(&self, world: &World, live: &Live) {
        self.0.delays.iter().for_each(|delays| delays.demand_all());
        self.0.unwatch();
        self.0.find_leaks(world, live);
        if self.0.has_failed() {
            world.mistaken.store(true, Relaxed);
        }
    }
}
