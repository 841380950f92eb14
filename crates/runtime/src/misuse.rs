//! Misuse: the report to a program that passes a wrong argument. One line names the PE, routine, argument and value, and says which value
//! would be valid; then the job ends.
//!
//! None of this is on the near path, except that collectives call [`World::team`]. The guard refuses without a reason, and these functions
//! find the reason.

use crate::{
    Language, Site, Team, World, border::Lost, end::EXIT_CODE, fork::is_child, live::Live, observe::Event,
    teams::TeamState,
};
use core::{
    ffi::{c_int, c_void},
    fmt,
};
use ferrite_callstack::caller::{self, Source};
use ferrite_device::Place;
use ferrite_memory::statics::locate::kind_of;

impl World {
    /// End the job because the program misused the routine `site`.
    #[cold]
    #[inline(never)]
    pub fn misuse(&self, site: &Site, complaint: fmt::Arguments<'_>) -> ! {
        let who = match self.live() {
            Some(live) => format!("PE {}", live.me),
            None => format!("process {}", std::process::id()),
        };
        let complaint = complaint.to_string();
        self.tell(&Event::Misuse(site, &complaint));
        self.die(EXIT_CODE, &format!("{who}: {}: {complaint}{}", site.name, place()))
    }

    /// End the job unless the library is initialised.
    #[inline]
    pub(crate) fn require_live(&self, site: &Site) -> &Live {
        match self.live() {
            Some(live) => live,
            None => self.refuse_call(site),
        }
    }

    /// End the process because `site` must not be called now, or not by this process.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse_call(&self, site: &Site) -> ! {
        if is_child() {
            let pe = self.boot().map_or("a PE".to_owned(), |boot| format!("PE {}", boot.me().0));
            self.misuse(
                site,
                format_args!(
                    "called in a child of fork, which is not a PE; call the library in {pe} alone, and only exec or \
                     _exit in its \
                     children"
                ),
            )
        }
        if self.is_start_lost() {
            Lost::begin();
        }
        if self.has_been_finalized() {
            self.misuse(site, format_args!("called after shmem_finalize; move the call before it"))
        }
        self.misuse(site, format_args!("called before shmem_init; call shmem_init or shmem_init_thread first"))
    }

    /// The team behind a handle; `None` for the invalid team. A handle that is not a team ends the job.
    #[inline(always)]
    pub(crate) fn team<'l>(&self, site: &'static Site, live: &'l Live, team: Team) -> Option<&'l TeamState> {
        match live.teams.get(team) {
            None if team != Team::INVALID => self.no_team(site, team),
            state => state,
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn no_team(&self, site: &'static Site, team: Team) -> ! {
        self.misuse(site, format_args!("team {:#x} is not a team, or was destroyed before", team.0))
    }

    /// End the job if memory of the program's own is NULL although bytes are to be moved there. The near path does not look: there the
    /// report of the crash says it.
    #[inline]
    pub(crate) fn must_not_be_null(&self, site: &Site, what: &str, address: *const c_void, len: usize) {
        if address.is_null() && len > 0 {
            self.misuse(site, format_args!("{what} is NULL, but the length is {len} bytes"));
        }
    }

    /// End the job if the pointer for an answer is null.
    pub fn must_be_somewhere<T>(&self, site: &'static Site, what: &str, answer: *mut T) {
        if answer.is_null() {
            self.misuse(site, format_args!("{what} is NULL; pass the address of a variable for the answer"));
        }
    }

    /// End the job because an atomic's address does not have the alignment of its type.
    #[cold]
    pub(crate) fn unaligned(&self, site: &Site, what: &str, address: usize, size: usize) -> ! {
        self.misuse(
            site,
            format_args!("{what} {address:#x} is not aligned; an atomic of {size} bytes needs a multiple of {size}"),
        )
    }
}

/// The line of the program that called the library, in parentheses; empty if there is no debug information. A child of fork may not look:
/// another thread may have held a lock at the fork.
pub(crate) fn place() -> String {
    let source = if is_child() { Source::default() } else { caller::find().source() };
    if source.line.is_some() { format!(" ({source})") } else { String::new() }
}

/// The kind of memory that an address is in, as the end of the sentence "the address is ...". Asks the driver of the devices, if the
/// program has loaded one.
pub(crate) fn address_kind(address: usize) -> String {
    match ferrite_device::cuda::classify_if_loaded(address) {
        Some(Place::Device { ordinal, .. }) => format!("device memory of GPU {ordinal}"),
        _ => kind_of(address).to_string(),
    }
}

/// A number of a PE as the program passed it: in Rust it is unsigned.
pub(crate) fn as_written(site: &Site, pe: c_int) -> i64 {
    if site.language == Language::Rust { i64::from(pe as u32) } else { pe.into() }
}

/// What an allocation returns that fails, in the program's language.
pub(crate) fn no_memory(site: &Site) -> &'static str {
    if site.language == Language::Rust { "an AllocError" } else { "NULL" }
}

/// The routine that allocates symmetric memory, in the program's language.
pub(crate) fn allocator(site: &Site) -> &'static str {
    match site.language {
        Language::C => "shmem_malloc",
        Language::Fortran => "SHPALLOC",
        Language::Rust => "World::alloc",
    }
}

/// Advice on valid addresses for a program that passed an address that is not symmetric. A Fortran program may have passed a symmetric
/// section: if a section is not contiguous, the compiler copies it to private memory, passes the copy, and copies the result back after the
/// call.
pub(crate) fn advice(site: &Site) -> &'static str {
    match site.language {
        Language::C => {
            "pass an address from shmem_malloc or of a global or static variable of the executable that may be written to"
        }
        Language::Rust => {
            "pass a place of a handle of this World: places of another PE or World are at other addresses"
        }
        Language::Fortran => {
            "pass a variable with SAVE, in COMMON or of a module, or memory from SHPALLOC; do not pass a \
             non-contiguous section, since compilers pass a copy of it"
        }
    }
}
