//! Finds out where an address that is not symmetric belongs.
//!
//! "Not symmetric" is half an answer: an address on the stack, from malloc, in a shared library or in thread-local memory is a different
//! mistake each time, with a different cure. The functions here are for error messages and may be slow. They change nothing, and the
//! loader's lock is the only lock of the program that they take.

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::{fmt, fs, slice};

use ferrite_os::maps;
use libc::{PF_W, PF_X, PT_LOAD, PT_TLS, dl_phdr_info};

use super::range::Range;
use super::symbols::{self, Symbol};
use crate::heap::pages::page_size;

/// Kind of memory that an address is in. Its display form completes "the address is ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// Null, or so near to it that the program indexed a null pointer.
    Null,
    /// Writable data of the executable.
    Static(Option<Symbol>),
    /// Constants of the executable.
    ReadOnly(Option<Symbol>),
    /// Instructions of the executable.
    Code,
    /// Data or code of a shared library, by its file name.
    Library {
        /// Last part of the library's path.
        library: String,
        /// The object, if the library's file names it.
        symbol: Option<Symbol>,
    },
    /// A `_Thread_local`, `thread_local` or `threadprivate` variable of the calling thread.
    ThreadLocal(Option<Symbol>),
    /// The stack of the calling thread, or of the main thread.
    Stack,
    /// The `brk` heap, from which malloc allocates.
    Malloc,
    /// Other private memory without a name.
    Private,
    /// A mapped file, or shared memory that has a name.
    Mapping(String),
    /// Nothing is mapped there.
    Unmapped,
    /// The kernel does not report it.
    Unknown,
}

impl fmt::Display for AddressKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressKind::Null => write!(f, "a null pointer"),
            AddressKind::Static(symbol) => named(f, "in static data of the executable", symbol),
            AddressKind::ReadOnly(symbol) => named(f, "in read-only data of the executable", symbol),
            AddressKind::Code => write!(f, "in the code of the executable"),
            AddressKind::Library { library, symbol } => {
                named(f, &format!("in {library}"), symbol)?;
                write!(f, ": data of shared libraries are not symmetric")
            }
            AddressKind::ThreadLocal(symbol) => named(f, "thread-local", symbol),
            AddressKind::Stack => write!(f, "on the stack"),
            AddressKind::Malloc => write!(f, "in private memory (malloc)"),
            AddressKind::Private => write!(f, "in private memory (malloc, mmap or the stack of another thread)"),
            AddressKind::Mapping(name) => write!(f, "in a mapping of {name}"),
            AddressKind::Unmapped => write!(f, "not mapped"),
            AddressKind::Unknown => write!(f, "of unknown kind"),
        }
    }
}

fn named(f: &mut fmt::Formatter<'_>, place: &str, symbol: &Option<Symbol>) -> fmt::Result {
    match symbol {
        None => write!(f, "{place}"),
        Some(Symbol { name, offset: 0, .. }) => write!(f, "{place} (`{name}`)"),
        Some(Symbol { name, offset, .. }) => write!(f, "{place} ({offset} bytes into `{name}`)"),
    }
}

/// Find the kind of memory that `address` is in.
pub fn kind_of(address: usize) -> AddressKind {
    if address < page_size() {
        return AddressKind::Null;
    }
    let here = 0u8;
    if let Some(place) = in_objects(address) {
        return place;
    }
    match fs::read_to_string("/proc/self/maps") {
        Ok(maps) => in_maps(&maps, address, (&raw const here).addr()),
        Err(_) => AddressKind::Unknown,
    }
}

/// The name of the executable's static that contains `address`, for messages about symmetric statics.
pub fn static_at(address: usize) -> Option<Symbol> {
    match in_objects(address) {
        Some(AddressKind::Static(symbol) | AddressKind::ReadOnly(symbol)) => symbol,
        _ => None,
    }
}

/// State of the search among the loaded objects. The symbol of the result is looked up afterwards.
struct Search {
    address: usize,
    /// True until the first object, the executable, has been looked at.
    first: bool,
    found: Option<Found>,
}

struct Found {
    executable: bool,
    path: String,
    /// The address in the object's file, or the offset into its thread-local block.
    vaddr: u64,
    flags: u32,
    thread_local: bool,
}

/// Look for `address` in the segments and thread-local blocks of the loaded objects.
fn in_objects(address: usize) -> Option<AddressKind> {
    let mut search = Search { address, first: true, found: None };
    // SAFETY: the callback gets the pointer it is declared for, and both live through the call.
    unsafe { libc::dl_iterate_phdr(Some(each_object), (&raw mut search).cast()) };
    let found = search.found?;
    let path = if found.executable { "/proc/self/exe" } else { &found.path };
    let symbol = || symbols::object_at(&File::open(path).ok()?, found.vaddr, found.thread_local);
    Some(if found.thread_local {
        AddressKind::ThreadLocal(symbol())
    } else if !found.executable {
        let library = found.path.rsplit('/').next().unwrap_or(&found.path).to_owned();
        AddressKind::Library { library, symbol: symbol() }
    } else if found.flags & PF_X != 0 {
        AddressKind::Code
    } else if Range::of_executable().is_some_and(|range| range.contains(address)) {
        AddressKind::Static(symbol())
    } else {
        AddressKind::ReadOnly(symbol())
    })
}

unsafe extern "C" fn each_object(info: *mut dl_phdr_info, size: usize, search: *mut c_void) -> c_int {
    // SAFETY: `in_objects` passes a pointer of this type.
    let search = unsafe { &mut *search.cast::<Search>() };
    let executable = std::mem::replace(&mut search.first, false);
    // SAFETY: the loader provides a valid description for the duration of the call, of at least the fields up to `dlpi_phnum`.
    let info = unsafe { &*info };
    // SAFETY: likewise; the program headers stay mapped.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let block = if size >= size_of::<dl_phdr_info>() { info.dlpi_tls_data.addr() } else { 0 };
    for header in headers {
        let (start, thread_local) = match header.p_type {
            PT_LOAD => ((info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize), false),
            PT_TLS if block != 0 => (block, true),
            _ => continue,
        };
        let offset = search.address.wrapping_sub(start) as u64;
        if offset < header.p_memsz {
            // SAFETY: the name is a string of the loader, or null.
            let path = unsafe { info.dlpi_name.as_ref().map(|name| CStr::from_ptr(name)) };
            let path = path.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
            let vaddr = if thread_local { offset } else { header.p_vaddr + offset };
            search.found = Some(Found { executable, path, vaddr, flags: header.p_flags & (PF_W | PF_X), thread_local });
            return 1;
        }
    }
    0
}

/// [`kind_of`] over the text of a maps file, for addresses that belong to no loaded object. `here` is an address on the calling thread's
/// stack.
fn in_maps(maps: &str, address: usize, here: usize) -> AddressKind {
    let line = maps.lines().find_map(|line| {
        let range = maps::range(line)?;
        range.contains(&address).then_some((line, range))
    });
    let Some((line, range)) = line else { return AddressKind::Unmapped };
    // Skip range, permissions, offset, device and inode. The rest is the name, including blanks.
    let mut rest = line;
    for _ in 0..5 {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
    }
    match rest {
        "[stack]" => AddressKind::Stack,
        _ if range.contains(&here) => AddressKind::Stack,
        "[heap]" => AddressKind::Malloc,
        "" => AddressKind::Private,
        name if name.starts_with("[anon") => AddressKind::Private,
        name => AddressKind::Mapping(name.trim_end_matches(" (deleted)").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    static mut GRID: [u64; 16] = [1; 16];
    static TABLE: [u64; 16] = [7; 16];

    thread_local! {
        static MINE: Cell<u64> = const { Cell::new(5) };
    }

    #[test]
    fn the_kinds_of_addresses_are_told_apart() {
        let local = 5u64;
        assert_eq!(kind_of((&raw const local).addr()), AddressKind::Stack);
        assert_eq!(kind_of(0), AddressKind::Null);
        assert_eq!(kind_of(16), AddressKind::Null);
        assert_eq!(kind_of(page_size()), AddressKind::Unmapped);
        let small = Box::new(5u64);
        assert!(matches!(kind_of((&raw const *small).addr()), AddressKind::Malloc | AddressKind::Private));
        let large = vec![1u8; 64 << 20];
        assert_eq!(kind_of(large.as_ptr().addr()), AddressKind::Private);
        assert_eq!(kind_of(kind_of as *const () as usize), AddressKind::Code);
        let library = kind_of(libc::getpid as *const () as usize);
        assert!(
            matches!(&library, AddressKind::Library { library, .. } if library.starts_with("libc.so")),
            "{library:?}"
        );
        MINE.with(|mine| assert!(matches!(kind_of((&raw const *mine).addr()), AddressKind::ThreadLocal(_))));
    }

    #[test]
    fn statics_are_named() {
        let inside = (&raw const GRID).addr() + 24;
        let AddressKind::Static(Some(symbol)) = kind_of(inside) else { panic!("{:?}", kind_of(inside)) };
        assert!(symbol.name.contains("GRID") && symbol.offset == 24 && symbol.size == 128, "{symbol:?}");
        assert_eq!(static_at(inside), Some(symbol.clone()));
        assert!(AddressKind::Static(Some(symbol)).to_string().contains("(24 bytes into `"));
        assert!(
            matches!(kind_of((&raw const TABLE).addr()), AddressKind::ReadOnly(_)),
            "{:?}",
            kind_of((&raw const TABLE).addr())
        );
        assert_eq!(static_at(page_size()), None);
    }

    #[test]
    fn maps_are_read() {
        let maps = "55d0-55d2 rw-p 00000000 00:00 0                          [heap]\n\
                    7f00-7f10 rw-s 00000000 00:01 5 /memfd:some name (deleted)\n\
                    7f10-7f20 rw-p 00000000 00:00 0 \n\
                    7f20-7f30 rw-p 00000000 00:00 0\n\
                    7f30-7f40 rw-p 00000000 00:00 0 [anon:arena]\n\
                    7ff0-8000 rw-p 00000000 00:00 0                          [stack]\n";
        for (address, place) in [
            (0x55d1, AddressKind::Malloc),
            (0x7f00, AddressKind::Mapping("/memfd:some name".into())),
            (0x7f10, AddressKind::Private),
            (0x7f21, AddressKind::Stack),
            (0x7f3f, AddressKind::Private),
            (0x7f40, AddressKind::Unmapped),
            (0x7fff, AddressKind::Stack),
            (0x8000, AddressKind::Unmapped),
        ] {
            assert_eq!(in_maps(maps, address, 0x7f28), place, "{address:x}");
        }
        assert_eq!(in_maps("garbage\n\n- -\n", 5, 5), AddressKind::Unmapped);
    }

    #[test]
    fn places_complete_a_sentence() {
        let symbol = |offset| Some(Symbol { name: "grid".into(), offset, size: 40 });
        for (place, text) in [
            (AddressKind::Stack, "on the stack"),
            (AddressKind::Static(symbol(0)), "in static data of the executable (`grid`)"),
            (AddressKind::ReadOnly(symbol(8)), "in read-only data of the executable (8 bytes into `grid`)"),
            (AddressKind::ThreadLocal(None), "thread-local"),
            (
                AddressKind::Library { library: "libfoo.so".into(), symbol: None },
                "in libfoo.so: data of shared libraries are not symmetric",
            ),
        ] {
            assert_eq!(place.to_string(), text);
        }
    }
}
