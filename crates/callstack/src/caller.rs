//! The place from which the program has called the library.
//!
//! The stack is walked with the unwind tables of exceptions, which compilers of all languages emit unasked (`.eh_frame`), so no frame
//! pointers are needed. The first frame that is not the library's own is the call site. If the library is a shared object of its own, a
//! frame's address decides whether it is the library's. If the library is part of the program (a static program, one in Rust), the
//! function's name decides, and each address is looked up once.
//!
//! A walk takes some microseconds, unless it is the same as one before (`Walk`), and the first look-up of a name reads the program's debug
//! information: for cold code only.

use core::{
    cell::RefCell,
    ffi::{CStr, c_char, c_int, c_void},
    fmt, mem,
    ops::Range,
    ptr,
};
use ferrite_os::mutex;
use std::{
    collections::HashMap,
    ffi::{CString, OsStr},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
};

/// Maximum number of frames in a walk: no routine of ours is that deep.
const FRAMES_MAX: usize = 64;

/// An instruction of the program: the call, or the instruction that has crashed. A return address lies behind its call; one less lies
/// within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallSite(pub usize);

/// Description of a call site in the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// The function, if it has a name.
    pub function: Option<String>,
    /// The file and the line, if there is debug information.
    pub line: Option<(PathBuf, u32)>,
    /// The object file that contains it, and its address in that file, in the form that addr2line expects.
    pub object: Option<(PathBuf, usize)>,
}

impl CallSite {
    /// No call site could be found.
    pub const UNKNOWN: CallSite = CallSite(0);

    /// The object that contains it, and its address there.
    pub fn object(self) -> Option<(PathBuf, usize)> {
        object_of(self.0)
    }

    /// Look up its description in the source.
    pub fn source(self) -> Source {
        if self == CallSite::UNKNOWN {
            return Source::default();
        }
        let mut source = Source { object: object_of(self.0), ..Source::default() };
        let mut found = false;
        // From the innermost inlined function outwards: take the first that is neither ours nor a template of the system's, if there is
        // one.
        resolve(self.0, |symbol| {
            if found && !source.is_of_system() || is_ours_by_symbol(symbol) {
                return;
            }
            found = true;
            source.function = symbol.name().map(name_of);
            source.line = symbol.filename().map(PathBuf::from).zip(symbol.lineno());
        });
        source
    }
}

impl Source {
    /// Whether it is in a header of the system, as the templates of C++'s library are.
    pub fn is_of_system(&self) -> bool {
        self.line.as_ref().is_some_and(|(file, _)| file.starts_with("/usr/include"))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.line, &self.function, &self.object) {
            (Some((file, line)), _, _) => {
                let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
                write!(f, "{name}:{line}")
            }
            (None, Some(function), Some((object, at))) => {
                let object = object.file_name().unwrap_or_default().to_string_lossy();
                write!(f, "{function} ({object}+{at:#x})")
            }
            (None, None, Some((object, at))) => {
                write!(f, "{}+{at:#x}", object.file_name().unwrap_or_default().to_string_lossy())
            }
            _ => write!(f, "unknown"),
        }
    }
}

/// Look an instruction up in the debug information: the functions that are inlined there, from the innermost outwards.
pub(crate) fn resolve(at: usize, look: impl FnMut(&backtrace::Symbol)) {
    // `backtrace::resolve` expects a return address, and looks up the byte before it.
    backtrace::resolve(ptr::with_exposed_provenance_mut(at.wrapping_add(1)), look);
}

/// A function's name as the program has it. Names of C++ are read by the function that the C++ library has for that. A small program in C++
/// may not be linked to that library, since it uses nothing of it; then it is loaded.
pub(crate) fn name_of(name: backtrace::SymbolName<'_>) -> String {
    let text = format!("{name:#}");
    if text.starts_with("_Z") { of_cxx(&text).unwrap_or(text) } else { text }
}

fn of_cxx(mangled: &str) -> Option<String> {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    let mangled = CString::new(mangled).ok()?;
    // SAFETY: the function has this type in every C++ library (Itanium C++ ABI). Without a buffer it returns memory from malloc, or null.
    unsafe {
        let mut found = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr());
        if found.is_null() {
            // In a static program, the C library would load a second C library with it.
            if libc::getauxval(libc::AT_BASE) == 0 {
                return None;
            }
            // It stays loaded for the next name.
            let library = libc::dlopen(c"libstdc++.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL);
            found = if library.is_null() { library } else { libc::dlsym(library, c"__cxa_demangle".as_ptr()) };
        }
        let demangle = mem::transmute::<*mut c_void, Option<Demangle>>(found)?;
        let text = demangle(mangled.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let name = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
        libc::free(text.cast());
        name
    }
}

/// The program's frame that is nearest to this call.
#[inline(never)]
pub fn find() -> CallSite {
    let here = 0_u8;
    let base = (&raw const *core::hint::black_box(&here)).expose_provenance();
    WALKS
        .try_with(|walks| walks.try_borrow().ok()?.iter().find_map(|walk| walk.again(base)))
        .ok()
        .flatten()
        .unwrap_or_else(|| {
            let (found, walk) = walk_from(base);
            // This fails in a signal handler that has interrupted another walk, and in a thread that is exiting.
            let _ = WALKS.try_with(|walks| {
                if let (Some(walk), Ok(mut walks)) = (walk, walks.try_borrow_mut()) {
                    walks.truncate(WALKS_MAX - 1);
                    walks.insert(0, walk);
                }
            });
            found
        })
}

/// Number of walks that a thread remembers. A loop of the program takes few paths through the library.
const WALKS_MAX: usize = 16;

thread_local! {
    static WALKS: RefCell<Vec<Walk>> = const { RefCell::new(Vec::new()) };
}

/// A walk through the library's frames, from [`find`]'s own frame on: the offsets of their return addresses on the stack, and the
/// addresses.
///
/// Only slots of the stack that exist are read. The first one does. If a slot holds the remembered return address, the frame behind it belongs
/// to the same function at the same call, so the next slot is at the remembered offset. The walk stops at the first difference. The
/// last slot holds the program's return address: no exported function aligns its frame by more than the ABI does, so it is at a fixed
/// distance.
struct Walk {
    own: Vec<(usize, usize)>,
    program: usize,
}

impl Walk {
    /// Repeat the walk from the frame of `base`. Return the call site that it reaches if the return addresses are the same.
    #[cfg(target_arch = "x86_64")]
    fn again(&self, base: usize) -> Option<CallSite> {
        let read = |offset: usize| {
            let slot: *const usize = ptr::with_exposed_provenance(base + offset);
            // SAFETY: a return address on this thread's stack, as the type says; whatever is there, it is a number.
            unsafe { slot.read_volatile() }
        };
        let is_same = self.own.iter().all(|&(offset, address)| read(offset) == address);
        let at = if is_same { read(self.program).wrapping_sub(1) } else { 0 };
        (at != 0 && !is_ours(at)).then_some(CallSite(at))
    }

    /// The places of return addresses are known for some processors only.
    #[cfg(not(target_arch = "x86_64"))]
    fn again(&self, _base: usize) -> Option<CallSite> {
        let _ = (&self.own, self.program);
        None
    }
}

/// Walk with the unwind tables. Also return the walk, to be remembered, if return addresses lie where they are expected.
fn walk_from(base: usize) -> (CallSite, Option<Walk>) {
    let mut found = CallSite::UNKNOWN;
    let mut left = FRAMES_MAX;
    let mut walk = Some(Walk { own: Vec::new(), program: 0 });
    // SAFETY: no other thread needs to wait: walking the stack takes no lock of the crate's, and names are looked up by `is_ours`,
    // which takes the lock.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            // The return address; one less lies within the call.
            let address = frame.ip() as usize;
            let at = address.saturating_sub(1);
            left -= 1;
            if at == 0 || left == 0 {
                return false;
            }
            // The call has pushed the return address.
            let slot = (frame.sp() as usize).wrapping_sub(size_of::<usize>());
            if slot > base {
                let offset = slot - base;
                let is_there = cfg!(target_arch = "x86_64")
                    && offset < FRAMES_BYTES_MAX
                    && ptr::with_exposed_provenance::<usize>(slot).read_volatile() == address;
                match &mut walk {
                    Some(_) if !is_there => walk = None,
                    Some(walk) => walk.own.push((offset, address)),
                    None => {}
                }
            }
            if is_ours(at) {
                return true;
            }
            found = CallSite(at);
            false
        });
    }
    let walk = walk.filter(|_| found != CallSite::UNKNOWN).and_then(|mut walk| {
        (walk.program, _) = walk.own.pop()?;
        (!walk.own.is_empty()).then_some(walk)
    });
    (found, walk)
}

/// Maximum size of the library's frames in a remembered walk, in bytes.
const FRAMES_BYTES_MAX: usize = 1 << 16;

/// Whether an instruction is the library's.
pub(crate) fn is_ours(at: usize) -> bool {
    static OWN: OnceLock<Option<Range<usize>>> = OnceLock::new();
    static KNOWN: Mutex<Option<HashMap<usize, bool>>> = Mutex::new(None);
    if let Some(own) = OWN.get_or_init(own_object) {
        return own.contains(&at);
    }
    if let Some(&known) = mutex::lock(&KNOWN).get_or_insert_default().get(&at) {
        return known;
    }
    let mut ours = false;
    // The last is the function that the others were inlined into.
    resolve(at, |symbol| ours = is_ours_by_symbol(symbol));
    mutex::lock(&KNOWN).get_or_insert_default().insert(at, ours);
    ours
}

/// Whether a function is the library's. Debug information may name generic functions without their paths; then the file decides.
fn is_ours_by_symbol(symbol: &backtrace::Symbol) -> bool {
    let name = symbol.name().map(|name| format!("{name:#}"));
    name.as_deref().is_some_and(is_ours_by_name) || symbol.filename().is_some_and(is_ours_by_file)
}

/// Whether a source file is the library's, or belongs to a library that it is made of.
fn is_ours_by_file(file: &Path) -> bool {
    const RUST: [&str; 5] =
        ["/rustc/", "/library/core/src/", "/library/std/src/", "/library/alloc/src/", "/backtrace-"];
    let text = file.to_string_lossy();
    if RUST.iter().any(|part| text.contains(part)) {
        return true;
    }
    // All crates of the library are in one directory: `crates` of the source tree, where tests and examples are not part of the library, or
    // the directory where Cargo keeps all crates.
    let Some(crates) = Path::new(env!("CARGO_MANIFEST_DIR")).parent() else { return false };
    let Ok(inside) = file.strip_prefix(crates) else { return false };
    let mut parts = inside.components().map(|part| part.as_os_str().to_string_lossy());
    let name = parts.next().unwrap_or_default();
    (crates.ends_with("crates") || name.starts_with("ferrite")) && parts.next().is_some_and(|part| part == "src")
}

/// Whether a function is the library's by its name: a routine, or a function of our crates or of Rust's own library.
fn is_ours_by_name(name: &str) -> bool {
    const CRATES: [&str; 12] = [
        "ferrite",
        "core",
        "std",
        "alloc",
        "backtrace",
        "ferrite_callstack",
        "ferrite_program",
        "ferrite_runtime",
        "ferrite_tools",
        "ferrite_vendors",
        "ferrite_capi",
        "ferrite_os",
    ];
    // Overloads in C++ have the length of the name before it.
    let overload = name.strip_prefix("_Z").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let overload = overload.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let path = overload.unwrap_or_else(|| name.trim_start_matches(['<', '&', '*', '_']));
    let first = path.split("::").next().filter(|first| first.len() < path.len());
    let lower = path.to_ascii_lowercase();
    let routine = ["shmem_", "shmemx_", "pshmem_", "pshmemx_"].iter().any(|prefix| lower.starts_with(prefix));
    // The compiler's own functions have no path and no debug information, as that which catches a panic.
    routine || name.starts_with("__rust_") || first.is_some_and(|first| CRATES.contains(&first))
}

/// Addresses of the shared object that contains the library; `None` if the library is part of the program.
fn own_object() -> Option<Range<usize>> {
    let own = object_around(own_object as *const () as usize)?;
    // SAFETY: asks for a number that the kernel gave the process.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) } as usize;
    (!own.contains(&entry)).then_some(own)
}

/// Addresses of the object that contains `at`. `dladdr` would search all of its symbols, each time.
fn object_around(at: usize) -> Option<Range<usize>> {
    struct Search {
        at: usize,
        found: Option<Range<usize>>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> i32 {
        // SAFETY: the loader's description of an object, which is valid while this runs, and the caller's search.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the loader gives `dlpi_phnum` headers.
        let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let begin = loaded().map(|header| header.p_vaddr as usize).min().unwrap_or(0);
        let end = loaded().map(|header| (header.p_vaddr + header.p_memsz) as usize).max().unwrap_or(0);
        let base = info.dlpi_addr as usize;
        let range = base.wrapping_add(begin)..base.wrapping_add(end);
        if range.contains(&search.at) {
            search.found = Some(range);
        }
        i32::from(search.found.is_some())
    }
    let mut search = Search { at, found: None };
    // SAFETY: the function is as the loader calls it, and the search outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

fn object_of(at: usize) -> Option<(PathBuf, usize)> {
    let info = info(at)?;
    // SAFETY: dladdr gives a string that stays while the object is loaded.
    let name = unsafe { CStr::from_ptr((!info.dli_fname.is_null()).then_some(info.dli_fname.cast::<c_char>())?) };
    Some((PathBuf::from(OsStr::from_bytes(name.to_bytes())), at - info.dli_fbase as usize))
}

/// The exported symbol that an address is in, if the dynamic linker knows one.
pub(crate) fn symbol_of(at: usize) -> Option<String> {
    let info = info(at)?;
    // SAFETY: dladdr gives a string that stays while the object is loaded.
    let name = unsafe { CStr::from_ptr((!info.dli_sname.is_null()).then_some(info.dli_sname.cast::<c_char>())?) };
    Some(name.to_string_lossy().into_owned())
}

fn info(at: usize) -> Option<libc::Dl_info> {
    // SAFETY: all zeros are a valid value, and dladdr fills it in where it finds the address.
    unsafe {
        let mut info: libc::Dl_info = mem::zeroed();
        (libc::dladdr(ptr::with_exposed_provenance(at), &raw mut info) != 0).then_some(info)
    }
}

#[cfg(test)]
mod tests {
    use super::{WALKS, is_ours_by_file, is_ours_by_name, name_of, of_cxx, walk_from};
    use std::path::Path;

    #[test]
    fn files_of_the_library_are_no_programs() {
        assert!(is_ours_by_file(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs"))));
        assert!(is_ours_by_file(Path::new("/rustc/5980/library/core/src/ops/function.rs")));
        for program in [concat!(env!("CARGO_MANIFEST_DIR"), "/examples/lib.rs"), "heat/src/main.rs", "heat.c"] {
            assert!(!is_ours_by_file(Path::new(program)), "{program}");
        }
    }

    #[test]
    fn names_of_rust_and_cxx_are_readable() {
        let read = |mangled: &str| name_of(backtrace::SymbolName::new(mangled.as_bytes()));
        assert_eq!(read("_ZN4heat4grid5relax17h0123456789abcdefE"), "heat::grid::relax");
        assert_eq!(read("_RNvNtCs1234_4heat4grid5relax"), "heat::grid::relax");
        assert_eq!(read("relax_"), "relax_");
        match of_cxx("_ZN7stencil4GridIdE5relaxEi") {
            Some(name) => assert_eq!(name, "stencil::Grid<double>::relax(int)"),
            None => println!("skipped: the C++ library is not here"),
        }
        assert_eq!(of_cxx("_Zwrong"), None);
    }

    #[test]
    fn a_walk_that_is_the_same_again_comes_to_the_same_place() {
        let places: Vec<_> = (0..3).map(|_| super::find()).collect();
        let (walked, _) = walk_from(0);
        assert_eq!(places, [walked; 3]);
        let remembered = WALKS.with_borrow(|walks| walks.len());
        assert_eq!(remembered > 0, cfg!(target_arch = "x86_64"));
    }

    #[test]
    fn functions_of_the_library_are_known_by_their_names() {
        let ours = [
            "pshmem_int_put",
            "shmem_barrier_all_",
            "SHMEM_BARRIER_ALL",
            "_Z16shmem_sum_reduceP13_SHMEM_teamPlPKlm",
            "<ferrite_runtime::world::World>::barrier_all",
            "<&ferrite::world::World as core::fmt::Debug>::fmt",
            "core::ops::function::FnOnce::call_once",
            "__rust_try",
        ];
        let not = [
            "main",
            "heat::main",
            "my_shmem_put",
            "_Z12my_shmem_putv",
            "Zshmem_put",
            "coreutils::cat",
            "ferrites::main",
            "core",
            "MAIN__",
            "_start",
        ];
        assert!(ours.into_iter().all(is_ours_by_name) && !not.into_iter().any(is_ours_by_name));
    }
}
