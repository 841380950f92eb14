//! Structures and constants of the PMIx standard.

use libc::{c_char, c_int, c_void};
use std::ffi::CStr;

/// The longest name of a job, in bytes, without its zero.
pub const PMIX_MAX_NSLEN: usize = 255;
/// The longest key, in bytes, without its zero.
pub const PMIX_MAX_KEYLEN: usize = 511;
/// All processes of a job. Values of the job as a whole are requested from this rank.
pub const PMIX_RANK_WILDCARD: u32 = u32::MAX - 1;
/// The only status that counts as success here.
pub const PMIX_SUCCESS: c_int = 0;
/// Seen by all processes of the job.
pub const PMIX_GLOBAL: u8 = 3;
/// The type of [`PmixData::flag`].
pub const PMIX_BOOL: u16 = 1;
/// The type of [`PmixData::uint32`].
pub const PMIX_UINT32: u16 = 14;
/// The type of [`PmixData::bytes`].
pub const PMIX_BYTE_OBJECT: u16 = 27;
/// How many processes the job has: a `PMIX_UINT32`.
pub const PMIX_JOB_SIZE: &CStr = c"pmix.job.size";
/// For a fence: also collect the values that the processes put. A `PMIX_BOOL`.
pub const PMIX_COLLECT_DATA: &CStr = c"pmix.collect";

/// `pmix_proc_t`: a process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PmixProc {
    /// Its job, ended by a zero.
    pub nspace: [c_char; PMIX_MAX_NSLEN + 1],
    /// Its number in the job.
    pub rank: u32,
}

impl PmixProc {
    /// A process of no job.
    pub const EMPTY: Self = PmixProc { nspace: [0; PMIX_MAX_NSLEN + 1], rank: 0 };

    /// Process `rank` of the same job.
    pub fn peer(&self, rank: u32) -> Self {
        PmixProc { nspace: self.nspace, rank }
    }
}

/// `pmix_byte_object_t`: bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PmixBytes {
    /// Address of the bytes.
    pub bytes: *mut c_char,
    /// Number of bytes.
    pub size: usize,
}

/// The union of `pmix_value_t`, as far as it is used here, with the size of its largest member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union PmixData {
    /// The value of a `PMIX_BOOL`.
    pub flag: bool,
    /// The value of a `PMIX_UINT32`.
    pub uint32: u32,
    /// The value of a `PMIX_BYTE_OBJECT`.
    pub bytes: PmixBytes,
    /// All bytes of the union, which is as long as three pointers.
    pub whole: [*mut c_void; 3],
}

/// `pmix_value_t`: a value and its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PmixValue {
    /// The type, which says which member of `data` is valid.
    pub kind: u16,
    /// The value.
    pub data: PmixData,
}

impl PmixValue {
    fn nothing(kind: u16) -> Self {
        PmixValue { kind, data: PmixData { whole: [std::ptr::null_mut(); 3] } }
    }

    /// A boolean value.
    pub fn flag(flag: bool) -> Self {
        let mut value = Self::nothing(PMIX_BOOL);
        value.data.flag = flag;
        value
    }

    /// Bytes that stay the caller's: `PMIx_Put` copies them.
    pub fn bytes(bytes: &[u8]) -> Self {
        let mut value = Self::nothing(PMIX_BYTE_OBJECT);
        value.data.bytes = PmixBytes { bytes: bytes.as_ptr().cast_mut().cast(), size: bytes.len() };
        value
    }
}

/// `pmix_info_t`: a named value that directs a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PmixInfo {
    /// Its name, ended by a zero.
    pub key: [c_char; PMIX_MAX_KEYLEN + 1],
    /// Whether it must be understood; 0 is optional.
    pub flags: u32,
    /// What it is set to.
    pub value: PmixValue,
}

impl PmixInfo {
    /// A direction that the library may ignore if it does not know it.
    pub fn new(name: &CStr, value: PmixValue) -> Self {
        let mut key = [0; PMIX_MAX_KEYLEN + 1];
        for (to, from) in key.iter_mut().zip(name.to_bytes().iter().take(PMIX_MAX_KEYLEN)) {
            *to = *from as c_char;
        }
        PmixInfo { key, flags: 0, value }
    }
}
