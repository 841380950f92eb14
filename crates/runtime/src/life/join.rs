//! Init by a unique id, as programs in C and Fortran ask for it. The id and the meeting are `ferrite_bootstrap::join`'s.
//!
//! Errors before the job has begun are returned, since the program that starts processes by its own means can do something about them. From
//! then on they end the job, as everywhere.

use crate::{Site, World, border::catch_loss, fork::is_child};
use core::ffi::{c_int, c_uint};
use ferrite_abi::constants::SHMEM_THREAD_SINGLE;
use ferrite_bootstrap::join::{self, UniqueId};
use ferrite_fabric::{Error, Result};
use ferrite_os::{error_text, mutex};
use std::{io::Write, sync::Arc};

/// The flag of `shmemx_init_attr` for a start by unique id.
const INIT_WITH_UNIQUEID: c_uint = ferrite_abi::extensions::SHMEMX_INIT_WITH_UNIQUEID as c_uint;
/// The flag of `shmemx_init_attr` for losses that return.
const LOSS_RETURNS: c_uint = ferrite_abi::extensions::SHMEMX_LOSS_RETURNS as c_uint;

/// `shmemx_uniqueid_t`, whose first four bytes C sees as an `int`.
#[repr(C, align(4))]
#[derive(Clone, Copy)]
pub struct UniqueIdBytes(pub [u8; UniqueId::BYTES]);

/// `shmemx_init_attr_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InitAttr {
    /// The version of this layout.
    pub version: c_int,
    /// The number of this PE.
    pub rank: c_int,
    /// The number of PEs.
    pub size: c_int,
    /// The id of the start.
    pub id: UniqueIdBytes,
    /// Room for what later versions need.
    pub reserved: [u8; 116],
}

const _: () = assert!(size_of::<UniqueIdBytes>() == 128 && size_of::<InitAttr>() == 256);

impl InitAttr {
    /// `SHMEMX_INIT_ATTR_INITIALIZER`.
    pub const NEW: InitAttr =
        InitAttr { version: VERSION, rank: -1, size: 0, id: UniqueIdBytes([0; UniqueId::BYTES]), reserved: [0; 116] };
}

/// The version in `SHMEMX_INIT_ATTR_INITIALIZER`.
const VERSION: c_int = 1;

impl World {
    /// Draw a unique id. This process has the root of its start. Returns 0, or 1 if that is impossible.
    ///
    /// # Safety
    /// `uid` is valid for a write.
    pub unsafe fn get_uniqueid(&self, site: &'static Site, uid: *mut UniqueIdBytes) -> c_int {
        self.must_be_somewhere(site, "uid", uid);
        answer(
            site,
            UniqueId::draw().map(|id| {
                // SAFETY: the caller's promise.
                unsafe { uid.write(UniqueIdBytes(id.encode())) }
            }),
        )
    }

    /// Say which PE of which start this process becomes. Returns 0, or 1 if there is no such PE.
    ///
    /// # Safety
    /// `uid` is valid for a read, and `attr` for a read and a write.
    pub unsafe fn set_attr_uniqueid_args(
        &self,
        site: &'static Site,
        rank: c_int,
        size: c_int,
        uid: *const UniqueIdBytes,
        attr: *mut InitAttr,
    ) -> c_int {
        self.must_be_somewhere(site, "uid", uid.cast_mut());
        self.must_be_somewhere(site, "attr", attr);
        if rank < 0 || rank >= size {
            return answer(
                site,
                Err(Error::new(format!("PE {rank} of {size}: ranks are from 0 to the number of PEs - 1"))),
            );
        }
        // SAFETY: the caller's promise.
        unsafe {
            (*attr).rank = rank;
            (*attr).size = size;
            (*attr).id = uid.read()
        };
        0
    }

    /// Initialise the library as PE of the start that `attr` describes. Returns 0, or 1 if the start fails.
    ///
    /// # Safety
    /// `attr` is valid for a read.
    pub unsafe fn init_attr(&'static self, site: &'static Site, flags: c_uint, attr: *const InitAttr) -> c_int {
        if is_child() {
            self.refuse_call(site);
        }
        self.must_be_somewhere(site, "attr", attr.cast_mut());
        let _gate = mutex::lock(&self.gate);
        if self.live().is_some() {
            let way = if self.is_broken() { "shmemx_abandon leaves" } else { "shmem_finalize ends" };
            return answer(site, Err(Error::new(format!("the library is initialised already: {way} that job"))));
        }
        // SAFETY: the caller's promise.
        match meet(flags, unsafe { &*attr }) {
            Ok(member) => match catch_loss(|| self.initialize_over(site, SHMEM_THREAD_SINGLE, || Ok(Arc::new(member))))
            {
                Ok(_) => 0,
                Err(_) => {
                    self.leave_lost_start();
                    1
                }
            },
            Err(error) => answer(site, Err(error)),
        }
    }
}

fn meet(flags: c_uint, attr: &InitAttr) -> Result<join::Member> {
    if flags & !LOSS_RETURNS != INIT_WITH_UNIQUEID {
        return Err(Error::new(format!(
            "flags are {flags:#x}: SHMEMX_INIT_WITH_UNIQUEID is right, to which SHMEMX_LOSS_RETURNS may be added"
        )));
    }
    if attr.version != VERSION {
        return Err(Error::new("attr was not initialised by SHMEMX_INIT_ATTR_INITIALIZER of this library's header"));
    }
    let (Ok(rank), Ok(size)) = (u32::try_from(attr.rank), u32::try_from(attr.size)) else {
        return Err(Error::new("attr was not filled by shmemx_set_attr_uniqueid_args"));
    };
    join::join(&UniqueId::decode(&attr.id.0)?, rank, size, join::limit()?, flags & LOSS_RETURNS != 0)
}

/// Return value of a routine: 0, or 1 after an error, which this reports.
fn answer(site: &Site, done: Result<()>) -> c_int {
    match done {
        Ok(()) => 0,
        Err(error) => {
            // One write, so that lines of several processes do not mix. A failure cannot be reported anywhere.
            let _ = std::io::stderr()
                .write_all(format!("ferrite: {}: {}\n", site.name, error_text::plain(&error.to_string())).as_bytes());
            1
        }
    }
}
