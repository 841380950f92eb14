//! Statics of a Rust executable are moved and moved back. Prints "rust ok".

use std::fs::File;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[link(name = "statics_probe")]
unsafe extern "C" {
    fn probe_base() -> *mut u8;
    fn probe_len() -> usize;
    fn probe_share(file: i32, at: u64) -> i64;
    fn probe_unshare() -> i64;
    fn memfd_create(name: *const std::ffi::c_char, flags: u32) -> i32;
}

static WORD: AtomicU64 = AtomicU64::new(7);
static LIST: Mutex<Vec<u64>> = Mutex::new(Vec::new());
static mut PLAIN: [u32; 100_000] = [0; 100_000];

fn main() {
    LIST.lock().unwrap().push(1);
    let file = unsafe { File::from_raw_fd(memfd_create(c"rust".as_ptr(), 0)) };
    file.set_len(unsafe { probe_len() } as u64).unwrap();
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file);
    assert_eq!(unsafe { probe_share(descriptor, 0) }, 0);
    WORD.store(99, Ordering::SeqCst);
    LIST.lock().unwrap().push(2);
    unsafe { (&raw mut PLAIN).cast::<u32>().add(77_777).write(5) };
    let mut seen = [0; 8];
    let offset = (&raw const WORD).addr() - unsafe { probe_base() }.addr();
    file.read_exact_at(&mut seen, offset as u64).unwrap();
    assert_eq!(u64::from_ne_bytes(seen), 99, "what this program stores is where a peer would find it");
    file.write_all_at(&100u64.to_ne_bytes(), offset as u64).unwrap();
    assert_eq!(WORD.load(Ordering::SeqCst), 100, "and the other way round");
    assert_eq!(unsafe { probe_unshare() }, 0);
    assert_eq!(WORD.load(Ordering::SeqCst), 100);
    assert_eq!(*LIST.lock().unwrap(), [1, 2]);
    assert_eq!(unsafe { (&raw const PLAIN).cast::<u32>().add(77_777).read() }, 5);
    println!("rust ok");
}
