//! Places in the program's source, as numbers that all PEs of a host share.
//!
//! A number stands for an action, an object and an address in it. The line is not looked up at once: that takes milliseconds, and most
//! lines are never needed. The PE that reports a finding looks the lines up, in its own mapping of the object.

use super::Check;
use core::{
    cell::Cell,
    ffi::{CStr, c_int, c_void},
    ptr,
};
use ferrite_callstack::caller::CallSite;
use ferrite_os::mutex;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Numbers and source lines that this process has looked up.
#[derive(Default)]
pub(super) struct Sites {
    known: Mutex<HashMap<(usize, &'static str), u16>>,
    lines: Mutex<HashMap<u16, SourcePlace>>,
}

/// Description of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SourcePlace {
    /// The routine, or "load" or "store".
    pub what: String,
    /// File and line, or function and address.
    pub at: String,
}

/// Separator of the parts of a site's text.
const BREAK: char = '\t';
/// Number of letters that are kept of an object's path: its end.
const PATH_MAX: usize = 56;

/// Number of places that a thread remembers.
const NEAR_SITES: usize = 256;

/// Address of a place, its routine's name, the number of the `Check` plus 1, and the number of the site.
type NearSite = (usize, *const u8, u64, u16);

thread_local! {
    /// Numbers of the last places in the program that this thread came from.
    static NEAR: [Cell<NearSite>; NEAR_SITES] = const { [const { Cell::new((0, ptr::null(), 0, 0)) }; NEAR_SITES] };
}

impl Check {
    /// Number of the place of a call or of an access.
    #[inline]
    pub(super) fn site(&self, what: &'static str, at: CallSite) -> u16 {
        let key = (at.0, what.as_ptr(), self.number + 1);
        let of_thread = |near: &[Cell<NearSite>; NEAR_SITES]| {
            let place = &near[(at.0 ^ at.0 >> 8) % NEAR_SITES];
            let (pc, name, of, site) = place.get();
            if (pc, name, of) == key {
                return site;
            }
            let site = self.number_of(what, at);
            place.set((key.0, key.1, key.2, site));
            site
        };
        NEAR.try_with(of_thread).unwrap_or_else(|_| self.number_of(what, at))
    }

    #[cold]
    fn number_of(&self, what: &'static str, at: CallSite) -> u16 {
        let key = (at.0, what);
        if let Some(&known) = mutex::lock(&self.sites.known).get(&key) {
            return known;
        }
        let (object, offset) = at.object().unwrap_or_default();
        let object = object.to_string_lossy();
        let cut =
            (0..=object.len().saturating_sub(PATH_MAX)).rev().find(|&at| object.is_char_boundary(at)).unwrap_or(0);
        let number = self.races.area().site(&format!("{what}{BREAK}{offset:x}{BREAK}{}", &object[cut..]));
        mutex::lock(&self.sites.known).insert(key, number);
        number
    }

    /// Description of a site.
    pub(super) fn place_of(&self, site: u16) -> SourcePlace {
        if let Some(place) = mutex::lock(&self.sites.lines).get(&site) {
            return place.clone();
        }
        let place = self.find_place(site);
        mutex::lock(&self.sites.lines).insert(site, place.clone());
        place
    }

    fn find_place(&self, site: u16) -> SourcePlace {
        let unknown = || SourcePlace { what: "an access".into(), at: "an unknown place".into() };
        let Some(text) = self.races.area().text(site) else { return unknown() };
        let mut parts = text.split(BREAK);
        let (Some(what), Some(offset), Some(object)) = (parts.next(), parts.next(), parts.next()) else {
            return unknown();
        };
        let name = Path::new(object).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let base = usize::from_str_radix(offset, 16).ok().zip(base_of(object));
        let at = match base {
            Some((offset, base)) => CallSite(base + offset).source().to_string(),
            None => format!("{name}+0x{offset}"),
        };
        SourcePlace { what: what.to_owned(), at }
    }
}

/// Address in this process of the object whose path ends with `end`.
fn base_of(end: &str) -> Option<usize> {
    struct Wanted<'a> {
        end: &'a str,
        found: Option<usize>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: libc::size_t, wanted: *mut c_void) -> c_int {
        // SAFETY: the loader passes a record that is valid through the call, and the pointer from below.
        let (info, wanted) = unsafe { (&*info, &mut *wanted.cast::<Wanted<'_>>()) };
        let name = if info.dlpi_name.is_null() {
            PathBuf::new()
        } else {
            // SAFETY: a string of the loader's.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            PathBuf::from(name.to_string_lossy().into_owned())
        };
        // The first is the program, which the loader gives no name.
        let name = if name.as_os_str().is_empty() { std::env::current_exe().unwrap_or_default() } else { name };
        let matches =
            name.to_string_lossy().ends_with(wanted.end) || name.file_name() == Path::new(wanted.end).file_name();
        if matches && wanted.found.is_none() {
            // The address that dladdr calls the base: where the first segment lies.
            // SAFETY: the program headers are mapped as long as the object is.
            let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
            let first = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(|header| header.p_vaddr);
            wanted.found = first.min().map(|first| (info.dlpi_addr + first) as usize);
        }
        0
    }
    let mut wanted = Wanted { end, found: None };
    // SAFETY: the callback gets the pointer it is written for, and both live through the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut wanted).cast()) };
    wanted.found
}
