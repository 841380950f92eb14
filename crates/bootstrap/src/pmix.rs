//! PMIx, through its library, which is loaded at run time: the library that the launcher was built with, or another of releases 3 to 5.
//!
//! Values can have any length, and belong to a process. The library runs a thread, and is never unloaded.

use crate::kvs::{Served, Store};
use ferrite_fabric::{Error, Pe, Result};
use pmix_sys::{
    FILE, PMIX_COLLECT_DATA, PMIX_GLOBAL, PMIX_JOB_SIZE, PMIX_RANK_WILDCARD, PMIX_SUCCESS, Pmix, PmixInfo, PmixProc,
    PmixValue,
};
use std::ffi::{CString, c_int};
use std::path::Path;
use std::ptr;

/// A PE's end of a PMIx connection.
struct Client {
    call: Pmix,
    name: String,
    me: PmixProc,
    size: u32,
}

/// Load the library: by the dynamic linker, or from the installation that `prefix` names (Open MPI's own copy).
pub(crate) fn load(prefix: Option<&str>) -> Result<Pmix> {
    let found = pmix_sys::open(None).or_else(|error| {
        let own = prefix.map(|prefix| Path::new(prefix).join("lib").join(FILE));
        own.and_then(|file| pmix_sys::open(Some(&file)).ok()).ok_or(error)
    });
    found.map_err(|error| Error::new(error.to_string()))
}

/// Connect to the server that the environment names. Collective over the job.
pub(crate) fn connect(call: Pmix, launcher: &str) -> Result<Served> {
    let mut me = PmixProc::EMPTY;
    // SAFETY: `me` is writable, and no directives are passed.
    check(&call, "PMIx_Init", unsafe { (call.init)(&raw mut me, ptr::null_mut(), 0) })?;
    let told = call
        .value_of(&me.peer(PMIX_RANK_WILDCARD), PMIX_JOB_SIZE)
        .map_err(|error| Error::because(format!("asking {launcher} for the size of the job"), error))?;
    let size = told.try_into().map(u32::from_ne_bytes);
    let size = size.map_err(|_| Error::new(format!("{launcher} gives the size of the job as something else")))?;
    tracing::debug!(library = call.version_text(), rank = me.rank, size, "connected to a PMIx server");
    Served::over(Box::new(Client { call, name: format!("{launcher}, PMIx"), me, size }))
}

fn check(call: &Pmix, what: &str, status: c_int) -> Result<()> {
    match status {
        PMIX_SUCCESS => Ok(()),
        status => Err(Error::new(format!("{what}: {}", call.status(status)))),
    }
}

fn c_key(key: &str) -> Result<CString> {
    CString::new(key).map_err(|error| Error::because(format!("the key {key:?}"), error))
}

impl Store for Client {
    fn launcher(&self) -> &str {
        &self.name
    }

    fn place(&self) -> (Pe, u32) {
        (Pe(self.me.rank), self.size)
    }

    fn value_max(&self) -> usize {
        usize::MAX
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        let key = c_key(key)?;
        let mut value = PmixValue::bytes(value);
        // SAFETY: the library copies the key and the bytes, and writes to neither.
        let status = unsafe { (self.call.put)(PMIX_GLOBAL, key.as_ptr(), &raw mut value) };
        check(&self.call, "PMIx_Put", status)
    }

    fn fence(&self) -> Result<()> {
        // SAFETY: no arguments.
        check(&self.call, "PMIx_Commit", unsafe { (self.call.commit)() })?;
        let all = self.me.peer(PMIX_RANK_WILDCARD);
        let collect = PmixInfo::new(PMIX_COLLECT_DATA, PmixValue::flag(true));
        // SAFETY: one process and one directive, both valid until it returns.
        check(&self.call, "PMIx_Fence", unsafe { (self.call.fence)(&raw const all, 1, &raw const collect, 1) })
    }

    fn get(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        let value = self.call.value_of(&self.me.peer(pe.0), &c_key(key)?);
        value.map_err(|error| Error::because("PMIx_Get", error))
    }

    /// A fence holds no lock of the library while it waits for the other PEs, and `PMIx_Get` does its work on the library's own thread
    /// (OpenPMIx, `src/client/pmix_client_fence.c` and `PMIX_THREADSHIFT` in `pmix_client_get.c`).
    fn gets_meanwhile(&self) -> bool {
        true
    }

    fn abort(&self, code: i32) {
        // SAFETY: naming no process stands for the whole job. The message is empty, because the caller has printed the reason.
        unsafe { (self.call.abort)(code, c"".as_ptr(), ptr::null_mut(), 0) };
    }

    fn goodbye(&self) -> Result<()> {
        // SAFETY: no directives are passed; no other function is called after it.
        check(&self.call, "PMIx_Finalize", unsafe { (self.call.finalize)(ptr::null(), 0) })
    }
}
