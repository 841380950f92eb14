//! UCX's context: the library, its configuration as the user wrote it, and the transports that it may use.

use crate::{By, Options};
use ferrite_fabric::{Error, Result, locked};
use std::{
    ffi::{CStr, CString, c_char, c_void},
    ptr,
};
use ucx_sys::*;

/// Transports that only processors move: what UCX offers over them beside messages it makes of messages.
const SOFTWARE: &[&str] = &["self", "posix", "sysv", "xpmem", "cma", "knem", "tcp"];
/// Transports inside a machine. UCX can watch none of them for a peer that dies.
const LOCAL: &[&str] = &["self", "posix", "sysv", "xpmem", "cma", "knem"];

/// Transports between the memories of one process and of GPUs, which are listed wherever UCX was built with them.
const COPIES: &[&str] =
    &["cuda_copy", "cuda_ipc", "gdr_copy", "rocm_copy", "rocm_ipc", "rocm_gdr", "ze_copy", "ze_ipc", "ze_gdr"];

/// No data behind a message's head.
pub const NO_DATA: (*const c_void, usize) = (ptr::null(), 0);

/// A context and the library that it is of.
pub struct Context {
    pub ucx: Ucx,
    pub handle: ucp_context_h,
    /// What it may use, as `tcp/eth0`.
    pub resources: Vec<String>,
    software: bool,
    /// Processors move everything, some of it through sockets.
    pub sockets: bool,
    local: bool,
    watches: bool,
    /// A worker's descriptor tells of its events, so that a thread may sleep on it. Not where nobody is to sleep; nor where one of the
    /// transports, EFA's, has no events, and the descriptor keeps silent about it.
    pub wakes: bool,
}

// SAFETY: the context was made for workers of several threads (`mt_workers_shared`, and the answer was checked), so
// the library locks it. The rest is constant.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Load the library and make a context of it. The environment's `UCX_*` say what they say. A hint at devices that UCX
    /// cannot use is none: to UCX it is a filter, which would leave no way to the peers.
    pub fn new(options: &Options) -> Result<Self> {
        let context = Context::open(options, options.devices.as_deref())?;
        match &options.devices {
            Some(devices) if !context.has_any(devices) => {
                tracing::warn!(%devices, resources = ?context.resources, "UCX cannot use the nearest NICs: left to choose");
                Context::open(options, None)
            }
            _ => Ok(context),
        }
    }

    fn open(options: &Options, devices: Option<&str>) -> Result<Self> {
        let ucx = open(options.library.as_deref()).map_err(|e| Error::because("UCX cannot be used", e))?;
        let mut handle = ptr::null_mut();
        let mut config = ptr::null_mut();
        // SAFETY: the names end with a zero or are null, which means none.
        let status = unsafe { (ucx.call.ucp_config_read)(ptr::null(), ptr::null(), &raw mut config) };
        check(&ucx, "reading UCX's configuration (UCX_*)", status)?;
        let made = hint(&ucx, config, devices).and_then(|()| {
            let params = params(options);
            // SAFETY: the parameters say by their mask what is set; the configuration was just read.
            let status = unsafe { ucx.ucp_init(&raw const params, config, &raw mut handle) };
            check(&ucx, "opening UCX; UCX_TLS and UCX_NET_DEVICES say what it may use", status)
        });
        // SAFETY: read above, and used no more.
        unsafe { (ucx.call.ucp_config_release)(config) };
        made?;
        let mut context = Context {
            ucx,
            handle,
            resources: Vec::new(),
            software: false,
            sockets: false,
            local: false,
            watches: false,
            wakes: false,
        };
        context.resources = context.list();
        context.software = has_only(&context.resources, SOFTWARE);
        context.local = has_only(&context.resources, LOCAL);
        context.sockets = context.software && context.resources.iter().any(|resource| resource.starts_with("tcp/"));
        context.wakes = options.sleeps() && !has_deaf(&context.resources);
        let can_watch = options.atomics == By::Target || context.has_watched_atomics();
        context.watches = can_watch && !context.local;
        if !context.has_threads()? {
            return Err(Error::new(format!(
                "{} was built for one thread (without --enable-mt): it cannot serve peers while the program computes",
                context.ucx.file.display()
            )));
        }
        Ok(context)
    }

    /// Whether one of the devices, as UCX writes them, is among the resources.
    fn has_any(&self, devices: &str) -> bool {
        let device = |resource: &String| resource.split_once('/').map(|(_, device)| device.to_owned());
        self.resources.iter().filter_map(device).any(|found| devices.split(',').any(|wanted| wanted == found))
    }

    /// The call, or the error in the library's words.
    pub fn check(&self, what: &str, status: ucs_status_t) -> Result<()> {
        check(&self.ucx, what, status)
    }

    /// Whether endpoints are to tell that a peer died. Not if all peers are reached inside this machine: asking for it
    /// would exclude its transports. And not if UCX is to execute atomics, where it has none for endpoints that do: it would
    /// keep those that are asked for without end.
    pub fn watches(&self) -> bool {
        self.watches
    }

    /// Whether atomics and the handling of errors go together. With the protocols that UCX has from 1.16 on they do not;
    /// before, its TCP uses freed memory when a peer leaves an endpoint without.
    fn has_watched_atomics(&self) -> bool {
        (self.ucx.version.0, self.ucx.version.1) < (1, 16)
    }

    /// Whether processors move everything.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Send an active message. A head alone is so short that UCX would hand it to the kernel as a list of pieces, which costs a quarter
    /// of a microsecond more over a socket than one piece; but not where the data is a list by itself, here one of nothing.
    ///
    /// # Safety
    /// The endpoint is open; head and data are readable until what UCX answers is done.
    #[inline]
    pub unsafe fn send(
        &self,
        ep: ucp_ep_h,
        id: u32,
        (head, head_len): (*const c_void, usize),
        (mut data, len): (*const c_void, usize),
        mut param: ucp_request_param_t,
    ) -> ucs_status_ptr_t {
        if len == 0 && self.sockets {
            param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
            param.datatype = UCP_DATATYPE_IOV.into();
            // Nothing is read there, but UCX minds a list that is null.
            data = head;
        }
        // SAFETY: as the caller says.
        unsafe { (self.ucx.call.ucp_am_send_nbx)(ep, id, head, head_len, data, len, &raw const param) }
    }

    /// Whether all peers are reached inside this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// Register memory; an error says what it was for, and of the limit of locked memory.
    ///
    /// # Safety
    /// It is mapped, and stays so until it is registered no more.
    pub unsafe fn register(&self, what: &str, base: *mut c_void, length: usize) -> Result<ucp_mem_h> {
        let mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
        let params = ucp_mem_map_params_t { field_mask: mask.into(), address: base, length, ..Default::default() };
        // SAFETY: as the caller says; the mask says what is set.
        unsafe { self.map(what, &params) }.map_err(locked::cured)
    }

    /// Register memory, or allocate it.
    ///
    /// # Safety
    /// The mask says what is set; memory that it names is as for [`register`](Self::register).
    pub unsafe fn map(&self, what: &str, params: &ucp_mem_map_params_t) -> Result<ucp_mem_h> {
        let mut memh = ptr::null_mut();
        // SAFETY: the context is open; the rest as the caller says.
        let status = unsafe { (self.ucx.call.ucp_mem_map)(self.handle, params, &raw mut memh) };
        self.check(what, status).map(|()| memh)
    }

    /// End a registration; what was allocated goes with it.
    ///
    /// # Safety
    /// Nobody uses it any more.
    pub unsafe fn unmap(&self, memh: ucp_mem_h) {
        // SAFETY: as the caller says.
        let status = unsafe { (self.ucx.call.ucp_mem_unmap)(self.handle, memh) };
        if let Err(error) = self.check("unregistering memory with UCX", status) {
            tracing::debug!("{error}");
        }
    }

    /// Where UCX has mapped a peer's memory here, if it has.
    pub fn mapped(&self, rkey: ucp_rkey_h, address: u64) -> Option<*mut u8> {
        let mut here = ptr::null_mut();
        // SAFETY: the key is of the memory that begins there.
        let status = unsafe { (self.ucx.call.ucp_rkey_ptr)(rkey, address, &raw mut here) };
        (status == UCS_OK && !here.is_null()).then_some(here.cast())
    }

    /// Whether `ucp_worker_fence` orders without waiting. From 1.14 on it may flush, inside the call and blocking.
    pub fn has_free_fence(&self) -> bool {
        (self.ucx.version.0, self.ucx.version.1) == (1, 13)
    }

    fn has_threads(&self) -> Result<bool> {
        let mut attr = ucp_context_attr_t { field_mask: UCP_ATTR_FIELD_THREAD_MODE.into(), ..Default::default() };
        // SAFETY: the context is open; the mask says what is asked for.
        let status = unsafe { (self.ucx.call.ucp_context_query)(self.handle, &raw mut attr) };
        self.check("asking UCX for its thread mode", status)?;
        Ok(attr.thread_mode == UCS_THREAD_MODE_MULTI)
    }

    /// Lines as `# resource 3 : md 1 dev 2 flags -- tcp/lo`: nothing but the text says this.
    fn list(&self) -> Vec<String> {
        let text = self.text();
        let of_line = |line: &str| {
            let (_, flags) = line.split_once(" flags ").filter(|_| line.contains(" resource "))?;
            flags.split_whitespace().nth(1).map(str::to_owned)
        };
        text.lines().filter_map(of_line).collect()
    }

    fn text(&self) -> String {
        let (mut text, mut len) = (ptr::null_mut::<c_char>(), 0_usize);
        // SAFETY: the stream is closed before its text is read, and the text is freed after that; where there is no
        // memory for a stream there is no text.
        unsafe {
            let stream = libc::open_memstream(&raw mut text, &raw mut len);
            if stream.is_null() {
                return String::new();
            }
            (self.ucx.call.ucp_context_print_info)(self.handle, stream);
            libc::fclose(stream);
            if text.is_null() {
                return String::new();
            }
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            libc::free(text.cast());
            copy
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: workers and registrations hold the context, so all of them are gone.
        unsafe { (self.ucx.call.ucp_cleanup)(self.handle) };
    }
}

/// Whether all ways to peers are over `known`; where nothing is listed nothing is known.
fn has_only(resources: &[String], known: &[&str]) -> bool {
    let transports = resources.iter().filter_map(|resource| resource.split('/').next());
    let mut ways = transports.filter(|transport| !COPIES.contains(transport)).peekable();
    ways.peek().is_some() && ways.all(|transport| known.contains(&transport))
}

/// Whether a transport is among them that cannot wake anybody. UCX arms a worker all the same, and leaves it out.
fn has_deaf(resources: &[String]) -> bool {
    resources.iter().any(|resource| resource.starts_with("srd/"))
}

fn check(ucx: &Ucx, what: &str, status: ucs_status_t) -> Result<()> {
    if status == UCS_OK { Ok(()) } else { Err(Error::because(what, ucx.status_string(status))) }
}

/// The runtime's wish for devices; it has none where the user has one.
fn hint(ucx: &Ucx, config: *mut ucp_config_t, devices: Option<&str>) -> Result<()> {
    let Some(devices) = devices else { return Ok(()) };
    let value = CString::new(devices).map_err(|e| Error::because("the name of a device", e))?;
    // SAFETY: both texts end with a zero; the configuration is read.
    let status = unsafe { (ucx.call.ucp_config_modify)(config, c"NET_DEVICES".as_ptr(), value.as_ptr()) };
    check(ucx, "choosing UCX's devices", status)
}

fn params(options: &Options) -> ucp_params_t {
    let mut features = UCP_FEATURE_RMA | UCP_FEATURE_AM;
    if options.sleeps() {
        features |= UCP_FEATURE_WAKEUP;
    }
    if options.atomics == By::Library {
        features |= UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
    }
    let mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    ucp_params_t {
        field_mask: mask.into(),
        features: features.into(),
        mt_workers_shared: 1,
        estimated_num_eps: options.size as usize,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_to_gpus_is_no_way_to_a_peer() {
        let only =
            |resources: &[&str], known| has_only(&resources.iter().map(|&r| r.to_owned()).collect::<Vec<_>>(), known);
        assert!(only(&["self/memory", "tcp/eth0", "cuda_copy/cuda"], SOFTWARE));
        assert!(only(&["posix/memory", "cuda_ipc/cuda"], LOCAL));
        assert!(!only(&["tcp/eth0", "rc_mlx5/mlx5_0:1"], SOFTWARE));
        assert!(!only(&["tcp/eth0"], LOCAL));
        assert!(!only(&["cuda_copy/cuda"], SOFTWARE) && !only(&[], SOFTWARE));
    }

    #[test]
    fn a_transport_without_events_is_known() {
        let deaf = |resources: &[&str]| has_deaf(&resources.iter().map(|&r| r.to_owned()).collect::<Vec<_>>());
        assert!(deaf(&["tcp/eth0", "srd/rdmap0s6:1"]));
        assert!(!deaf(&["tcp/eth0", "rc_mlx5/mlx5_0:1", "ud_verbs/srd:1"]));
    }
}
