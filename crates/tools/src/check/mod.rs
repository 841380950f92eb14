//! `SHMEM_CHECK`: finds mistakes of the program and reports their source lines.
//!
//! An observer (`ferrite_runtime::observe`) that compares every call with the recorded state: the blocks of the heap, handles, locks, the
//! calls of the other members of a team. `ferrite-check` records accesses and the happens-before order. This module reports to it the
//! accesses of calls (`accesses`, `collectives`) and, in programs that were compiled for it, loads and stores (`hooks`).
//!
//! | file | job |
//! |---|---|
//! | `calls` | each call, when it begins and when it returns |
//! | `arguments` | arguments that are wrong although the library would accept them |
//! | `accesses` | memory accesses of a call |
//! | `collectives` | whether members call the same, and the order that a collective establishes between them |
//! | `delays` | operations that are held back, if the user asks for it |
//! | `blocks` | the blocks of the heap, overruns and leaks |
//! | `books` | contexts, teams, sessions and locks, and their owners |
//! | `sets` | collectives of active sets: their work array, and whether members name the same set |
//! | `turns` | library and contexts that threads must use one after the other |
//! | `places` | object and name for an address |
//! | `sites` | places in the program's source |
//! | `lenient` | mistakes that the library tolerates |
//! | `findings` | how a mistake is reported |
//! | `hooks` | entry points that instrumented programs call |
//!
//! # Memory
//!
//! The area that the PEs of a host share lies at the end of the host's memory file and is mapped separately (`NodeMemory::map_check_area`).
//! It stays mapped when the world ends, because threads may still be exiting; so references to it are valid as long as the process lives.
//!
//! # Coverage
//!
//! PEs of other hosts are not in the host's file. Their operations may order accesses of the PEs of this host, so races are not searched
//! for at all in a job over several hosts; PE 0 reports this at the start. All other checks are done.

mod accesses;
mod arguments;
mod blocks;
mod books;
mod calls;
mod collectives;
mod delays;
mod findings;
pub mod hooks;
mod lenient;
mod places;
mod sets;
mod sites;
mod turns;

use blocks::{Blocks, GUARD};
use books::Books;
use core::{
    cell::RefCell,
    sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed},
};
use delays::HeldBack;
use ferrite_abi::constants::SHMEM_THREAD_SINGLE;
use ferrite_check::{Area, Races, Thread};
use ferrite_fabric::{Error, Result};
use ferrite_runtime::{
    Site, World, is_last_thread,
    observe::{Attachment, Call, Delays, Event, Observer, Start, Tool, View, Wishes},
};
use ferrite_settings::{CheckMode, Settings};
use findings::Suppressions;
use sites::Sites;
use std::{
    io::Write,
    sync::{Arc, Mutex},
};
use turns::Turns;

/// Attaches the checker to worlds in which mistakes are looked for.
pub struct Checker;

impl Tool for Checker {
    fn needs_check_area(&self, settings: &Settings) -> bool {
        settings.check.map_or_else(hooks::program_is_seen, |mode| mode.on)
    }

    fn attach(&self, start: &Start<'_>) -> Result<Option<Attachment>> {
        let Some(check) = Check::start(start)?.map(Arc::new) else { return Ok(None) };
        hooks::serve(&check);
        let delays = check.delays.clone().map(|delays| delays as Arc<dyn Delays>);
        let wishes = Wishes { guard_bytes: GUARD, delays, compares_collectives: true };
        Ok(Some(Attachment { observer: check, wishes }))
    }
}

/// Looks for mistakes of one PE's program.
struct Check {
    /// Number of this object in the process. A thread whose state has another number has last seen another world.
    number: u64,
    mode: CheckMode,
    me: u32,
    /// Number of PEs of this host.
    on_host: u32,
    /// Whether the job runs on other hosts too.
    has_more_hosts: bool,
    races: Races<'static>,
    /// True while everything that orders accesses can be observed. Otherwise races are not searched for.
    sees_all: AtomicBool,
    sites: Sites,
    blocks: Mutex<Blocks>,
    books: Mutex<Books>,
    turns: Mutex<Turns>,
    suppressions: Suppressions,
    /// Operations that are held back, with `--check=order`.
    delays: Option<Arc<HeldBack>>,
    /// True for a program in Rust: there dropping releases everything, and finalize is the end of the world.
    is_rust: AtomicBool,
    /// Thread level that was granted to the program.
    level: AtomicI32,
    /// The thread that initialised the library.
    first_thread: std::thread::ThreadId,
}

/// Key of the warning about a thread whose start was not observed, which is printed once.
const STRANGER: u64 = 0x7374_7261_6e67_6572;

thread_local! {
    /// Number of the `Check` that this thread has last seen, and the thread's race detection state in it.
    static THREAD: RefCell<Option<(u64, Option<Thread>)>> = const { RefCell::new(None) };
}

impl Check {
    /// The checker of this PE, if the PEs of this host are checked.
    fn start(&Start { settings, node, boot }: &Start<'_>) -> Result<Option<Check>> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let Some(base) = node.map_check_area()? else { return Ok(None) };
        // SAFETY: the area is mapped until the process ends, is the file's own and begins as zeros.
        let area: Area<'static> = unsafe { Area::new(base, node.layout().total()?) };
        let (me, pes) = (boot.me().0, node.layout().pes);
        Ok(Some(Check {
            number: NUMBERS.fetch_add(1, Relaxed),
            mode: settings.check.unwrap_or(CheckMode { on: true, ..CheckMode::default() }),
            me,
            on_host: pes as u32,
            has_more_hosts: boot.nodes().nodes() > 1,
            races: Races::new(area, me),
            sees_all: AtomicBool::new(pes == boot.size() as usize),
            sites: Sites::default(),
            blocks: Mutex::default(),
            books: Mutex::default(),
            turns: Mutex::default(),
            suppressions: Suppressions::read(settings.check_suppressions.as_deref())?,
            delays: match settings.check.and_then(|mode| mode.order) {
                Some(seed) => Some(
                    HeldBack::start(seed, me, area)
                        .map_err(|cause| Error::because("SHMEM_CHECK: starting a thread", cause))?,
                ),
                None => None,
            },
            is_rust: AtomicBool::new(false),
            level: AtomicI32::new(SHMEM_THREAD_SINGLE),
            first_thread: std::thread::current().id(),
        }))
    }

    /// Print the seed of delayed operations, and the checks that are not possible in this job.
    fn introduce(&self) {
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
                b"ferrite: check: races are not checked, since not all PEs share memory; all other checks run\n",
            );
        }
    }

    /// True if races are searched for.
    #[inline]
    fn sees_all(&self) -> bool {
        self.sees_all.load(Relaxed)
    }

    /// Run `act` on this thread's race detection state. Return `None` without running it if there are too many threads.
    fn with_thread<R>(&self, act: impl FnOnce(&mut Thread) -> R) -> Option<R> {
        self.with_thread_of(|| self.meet_stranger(), act)
    }

    /// Stop the search for races at a thread whose start was not observed. The order with other threads that its start and its end
    /// establish is unknown, so races would be reported that do not exist.
    fn meet_stranger(&self) {
        if std::thread::current().id() != self.first_thread
            && self.sees_all.swap(false, Relaxed)
            && !is_last_thread()
            && self.races.area().first_time(STRANGER)
        {
            let _ = std::io::stderr().write_all(
                b"ferrite: check: races are no longer checked: a thread was started by other means than \
                  pthread_create, or than gcc's OpenMP, in a program compiled with oshcc --check\n",
            );
        }
    }

    fn with_thread_of<R>(&self, is_new: impl FnOnce(), act: impl FnOnce(&mut Thread) -> R) -> Option<R> {
        let in_thread = |mine: &RefCell<Option<(u64, Option<Thread>)>>| {
            // The borrow fails only in a signal handler that interrupted this function: ignore its access.
            let mut mine = mine.try_borrow_mut().ok()?;
            if mine.as_ref().is_none_or(|(number, _)| *number != self.number) {
                is_new();
                *mine = Some((self.number, self.races.thread()));
            }
            let result = mine.as_mut()?.1.as_mut().map(act);
            self.watch_private();
            result
        };
        // The thread-local is gone in a thread that is exiting.
        THREAD.try_with(in_thread).ok().flatten()
    }
}

impl Observer for Check {
    fn before(&self, view: View<'_>, call: &Call) {
        self.call_begins(view, call);
    }

    fn after(&self, view: View<'_>, call: &Call) {
        self.call_returns(view, call);
    }

    fn event(&self, view: View<'_>, event: &Event<'_>) {
        match *event {
            Event::Level(level) => self.level.store(level, Relaxed),
            Event::Started => {
                self.introduce();
                self.watch(view);
            }
            Event::Block { offset, bytes, guard } => self.block_comes(view, offset, bytes, guard > 0),
            Event::Team(team) => self.team_is_there(team),
            Event::SessionStart(site, ctx) => self.session_starts(site.name, ctx),
            Event::SessionStop(ctx) => self.session_stops(ctx),
            Event::ActiveSet { site, triple, psync } => self.set_begins(view, site, triple, psync as usize),
            Event::Misuse(site, complaint) => self.misused(&view, site.name, complaint),
            Event::Exit => self.pass_verdict(&view),
        }
    }

    fn finalized_again(&self, world: &World, site: &'static Site) {
        self.finalized_once_more(world, site.name);
    }

    fn finish(&self, view: View<'_>) {
        self.delays.iter().for_each(|delays| delays.end());
        self.unwatch();
        self.find_leaks(view);
        self.program_ends();
        self.pass_verdict(&view);
    }

    fn conclude(&self) {
        self.report_failure();
    }
}
