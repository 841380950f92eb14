//! A PE of the doctor's job: it puts, gets, and does atomics and barriers with the PE beside it, and checks that the data arrive intact.
//!
//! It loads the shared library of the installation, which programs use too. So the test covers that file, and the commands, of which most
//! never communicate, do not contain a second copy of the runtime.

use crate::{prefix::Prefix, stderr::print_line};
use ferrite_os::error_text;
use std::{
    ffi::{CStr, CString, c_int, c_void},
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::ExitCode,
};

/// Number of words in a block: more than any transport carries in one message.
const WORDS: usize = 1 << 16;

/// SHMEM_TEAM_WORLD of shmem.h.
const TEAM_WORLD: usize = 1;

/// Name of the shared library in the library directory of the installation.
const LIBRARY: &str = "libsma.so.1";

/// Communicate, and end the job if data arrive changed. PE 0 prints a summary.
pub(in crate::info) fn run() -> ExitCode {
    let loaded = Prefix::of_this_program()
        .map_err(|error| {
            format!("cannot find out where this program is installed: {}", error_text::plain(&error.to_string()))
        })
        .and_then(|prefix| Routines::load(&prefix.libdir().join(LIBRARY)));
    let text = match loaded {
        Err(why) => {
            print_line(format_args!("oshmem_info: {why}"));
            return ExitCode::FAILURE;
        }
        Ok(routines) => communicate(&routines),
    };
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The routines of the library that the test calls, in one table.
macro_rules! routines {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Routines {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Routines {
            fn of(library: &Library) -> Result<Routines, String> {
                Ok(Routines { $($name: {
                    let address = library.symbol(concat!(stringify!($name), "\0"))?;
                    // SAFETY: the library exports the routine of shmem.h with this name, which has this signature.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) $(-> $result)?>(address) }
                },)* })
            }
        }
    };
}

routines! {
    fn shmem_init();
    fn shmem_finalize();
    fn shmem_global_exit(c_int);
    fn shmem_my_pe() -> c_int;
    fn shmem_n_pes() -> c_int;
    fn shmem_calloc(usize, usize) -> *mut c_void;
    fn shmem_putmem(*mut c_void, *const c_void, usize, c_int);
    fn shmem_getmem(*mut c_void, *const c_void, usize, c_int);
    fn shmem_uint64_atomic_fetch_add(*mut u64, u64, c_int) -> u64;
    fn shmem_uint64_atomic_fetch(*const u64, c_int) -> u64;
    fn shmem_uint64_sum_reduce(usize, *mut u64, *const u64, usize) -> c_int;
    fn shmem_barrier_all();
}

/// The loaded library. It is never unloaded: its threads run until the process ends.
struct Library {
    handle: *mut c_void,
    file: String,
}

impl Library {
    fn open(file: &Path) -> Result<Library, String> {
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: the name ends with a zero. The library's constructors run, as in each program that is linked to it.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(format!("cannot load the library of this installation: {}", last_error()));
        }
        Ok(Library { handle, file: file.display().to_string() })
    }

    /// The address of a routine. The name ends with a zero.
    fn symbol(&self, name: &str) -> Result<*mut c_void, String> {
        // SAFETY: the handle is open, and the name ends with a zero.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr().cast()) };
        let known = !address.is_null();
        known.then_some(address).ok_or_else(|| format!("{} has no {}", self.file, name.trim_end_matches('\0')))
    }
}

/// The dynamic linker's message for the last failure.
fn last_error() -> String {
    // SAFETY: the text, if any, belongs to this thread and is copied before the next call of the linker.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the dynamic linker gave no reason".to_owned();
    }
    // SAFETY: as above; the text ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Routines {
    fn load(file: &Path) -> Result<Routines, String> {
        Routines::of(&Library::open(file)?)
    }

    /// Allocate `len` words of zeros on all PEs.
    fn block(&self, len: usize) -> &'static mut [u64] {
        // SAFETY: all PEs make this call after shmem_init, with the same sizes.
        let block = unsafe { (self.shmem_calloc)(len, size_of::<u64>()) }.cast::<u64>();
        if block.is_null() {
            self.fail(&format!("the symmetric heap has no room for {} bytes", len * size_of::<u64>()));
        }
        // SAFETY: the block has room for these words, is initialised, and is never freed.
        unsafe { std::slice::from_raw_parts_mut(block, len) }
    }

    /// End the job: the received data differ from the sent data, or memory is short.
    fn fail(&self, why: &str) -> ! {
        // SAFETY: the library is initialised.
        let me = unsafe { (self.shmem_my_pe)() };
        print_line(format_args!("oshmem_info: PE {me}: {why}"));
        // SAFETY: as above. The routine does not return.
        unsafe { (self.shmem_global_exit)(1) };
        std::process::abort()
    }

    fn expect(&self, what: &str, came: &[u64], sent: &[u64]) {
        assert_eq!(came.len(), sent.len());
        if let Some(at) = came.iter().zip(sent).position(|(came, sent)| came != sent) {
            self.fail(&format!("{what} brought {:#x} in place of {:#x}, in word {at}", came[at], sent[at]));
        }
    }
}

/// Test all kinds of communication. Returns the summary, empty on other PEs than the first.
fn communicate(library: &Routines) -> String {
    // SAFETY: the first call of the library in this process.
    unsafe { (library.shmem_init)() };
    // SAFETY: the library is initialised.
    let (me, size) = unsafe { ((library.shmem_my_pe)(), (library.shmem_n_pes)()) };
    let (right, left) = ((me + 1) % size, (me + size - 1) % size);
    let (inbox, outbox) = (library.block(WORDS), library.block(WORDS));
    let (counter, sums) = (library.block(1), library.block(2));
    let bytes = size_of::<u64>() * WORDS;

    outbox.copy_from_slice(&pattern(me));
    let mut got = vec![0; WORDS];
    // SAFETY: the blocks have this size on all PEs. Before the barrier only the left PE writes the inbox; outboxes no longer change.
    unsafe {
        (library.shmem_putmem)(inbox.as_mut_ptr().cast(), pattern(me).as_ptr().cast(), bytes, right);
        (library.shmem_barrier_all)();
        (library.shmem_getmem)(got.as_mut_ptr().cast(), outbox.as_ptr().cast(), bytes, right);
    }
    library.expect("put", inbox, &pattern(left));
    library.expect("get", &got, &pattern(right));

    let mine = me as u64 + 1;
    let wanted = size as u64 * (size as u64 + 1) / 2;
    for pe in 0..size {
        // SAFETY: the word exists on all PEs, and only atomics use it until the barrier.
        unsafe { (library.shmem_uint64_atomic_fetch_add)(counter.as_mut_ptr(), mine, pe) };
    }
    // SAFETY: as above.
    let counted = unsafe {
        (library.shmem_barrier_all)();
        (library.shmem_uint64_atomic_fetch)(counter.as_ptr(), me)
    };
    library.expect("an atomic", &[counted], &[wanted]);

    sums[0] = mine;
    let (source, dest) = sums.split_at_mut(1);
    // SAFETY: both words exist on all PEs, which all make this call.
    let refused = unsafe { (library.shmem_uint64_sum_reduce)(TEAM_WORLD, dest.as_mut_ptr(), source.as_ptr(), 1) };
    if refused != 0 {
        library.fail("the reduction was refused");
    }
    library.expect("a reduction", dest, &[wanted]);
    // SAFETY: the last call of the library in this process.
    unsafe { (library.shmem_finalize)() };
    if me == 0 { format!("put, get, atomic, barrier and reduction between {size} PEs\n") } else { String::new() }
}

/// Words that encode their PE and their index.
fn pattern(pe: c_int) -> Vec<u64> {
    (0..WORDS as u64).map(|at| (pe as u64) << 32 | at).collect()
}
