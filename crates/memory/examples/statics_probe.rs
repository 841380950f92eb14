//! The statics module behind four C functions, for the programs in `tests/statics`: they are executables of other
//! languages and links, into which no Rust test can put itself.

use std::os::fd::BorrowedFd;
use std::sync::Mutex;

use ferrite_memory::statics::{Care, Range, Statics};

static MOVED: Mutex<Option<Statics>> = Mutex::new(None);

/// The start of the executable's data, or NULL.
#[unsafe(no_mangle)]
pub extern "C" fn probe_base() -> *mut u8 {
    Range::of_executable().map_or(std::ptr::null_mut(), |range| range.base() as *mut u8)
}

/// Length of the executable's data in bytes, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn probe_len() -> usize {
    Range::of_executable().map_or(0, |range| range.len())
}

/// The digest that names the executable.
#[unsafe(no_mangle)]
pub extern "C" fn probe_identity() -> u64 {
    Range::of_executable().map_or(0, |range| range.identity())
}

fn care_code(care: Care) -> i64 {
    match care {
        Care::Alone => 0,
        Care::Held => 1,
        Care::Unprotected { .. } => 2,
    }
}

/// Moves the data into `file`. Returns how much care it took (0 alone, 1 held, 2 unprotected), or minus an errno.
///
/// # Safety
/// The file is open and its bytes from `at` on are the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_share(file: i32, at: u64) -> i64 {
    let Some(range) = Range::of_executable() else { return -i64::from(libc::ENOEXEC) };
    // SAFETY: the caller's contract.
    match unsafe { Statics::share(range, BorrowedFd::borrow_raw(file), at) } {
        Ok(statics) => {
            let care = care_code(statics.care());
            *MOVED.lock().expect("no test panics") = Some(statics);
            care
        }
        Err(error) => -i64::from(error.raw_os_error().unwrap_or(libc::EINVAL)),
    }
}

/// The bytes that the last move copied.
#[unsafe(no_mangle)]
pub extern "C" fn probe_copied() -> u64 {
    MOVED.lock().expect("no test panics").as_ref().map_or(0, Statics::copied)
}

/// Moves the data back; returns like `probe_share`.
#[unsafe(no_mangle)]
pub extern "C" fn probe_unshare() -> i64 {
    let Some(statics) = MOVED.lock().expect("no test panics").take() else { return -i64::from(libc::ENOENT) };
    match statics.unshare() {
        Ok(care) => care_code(care),
        Err(error) => -i64::from(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}
