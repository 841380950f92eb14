//! UCX's context: the library, its configuration as the user set it, and the transports that it may use.

use crate::Options;
use ferrite_engine::memlock;
use ferrite_fabric::{Error, Result};
use std::{
    ffi::{CStr, CString, c_char, c_void},
    ptr,
};
use ucx_sys::*;

/// Transports over which only processors move data. Over these, UCX builds all other operations from messages.
const SOFTWARE: &[&str] = &["self", "posix", "sysv", "xpmem", "cma", "knem", "tcp"];
/// Transports inside a machine. UCX cannot watch any of them for a peer that dies.
const LOCAL: &[&str] = &["self", "posix", "sysv", "xpmem", "cma", "knem"];

/// Transports that copy between the memories of one process and of GPUs. They are listed wherever UCX was built with them.
const COPIES: &[&str] =
    &["cuda_copy", "cuda_ipc", "gdr_copy", "rocm_copy", "rocm_ipc", "rocm_gdr", "ze_copy", "ze_ipc", "ze_gdr"];

/// A context and its library.
pub struct Context {
    pub ucx: Ucx,
    pub handle: ucp_context_h,
    /// Transports and devices that it may use, as `tcp/eth0`.
    pub resources: Vec<String>,
    /// Processors move all data.
    pub is_software: bool,
    /// Endpoints report that a peer died. False if all peers are reached inside this machine: asking for such reports would exclude its
    /// transports.
    pub watches: bool,
    /// Gets are Ferrite's own messages: processors move all data, and peers may die while this PE goes on.
    pub gets_by_message: bool,
    /// A worker's descriptor shows its events, so that a thread may sleep on it. False if no thread is to sleep, or if one of the
    /// transports, EFA's, has no events: the descriptor does not reveal that it lacks them.
    pub wakes: bool,
}

// SAFETY: the context was made for workers of several threads (`mt_workers_shared`, and the answer was checked), so
// the library locks it. The rest is constant.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Load the library and open a context. The `UCX_*` variables of the environment apply unchanged. The devices in `options` are a hint:
    /// if UCX can use none of them, they are ignored. To UCX they are a filter, which would leave no way to the peers. `sleeps`: threads
    /// sleep on workers.
    pub fn new(options: &Options, sleeps: bool) -> Result<Self> {
        let context = Context::open(options, options.devices.as_deref(), sleeps)?;
        match &options.devices {
            Some(devices) if !context.has_any(devices) => {
                if options.needs_devices {
                    return Err(none_of(devices, &Context::open(options, None, sleeps)?.resources));
                }
                tracing::warn!(%devices, resources = context.resources.join(", "), "UCX cannot use the nearest NICs; it chooses itself");
                Context::open(options, None, sleeps)
            }
            _ => Ok(context),
        }
    }

    fn open(options: &Options, devices: Option<&str>, sleeps: bool) -> Result<Self> {
        let ucx = open(options.library.as_deref()).map_err(|e| Error::because("loading UCX", e))?;
        let mut handle = ptr::null_mut();
        let mut config = ptr::null_mut();
        // SAFETY: the names end with a zero or are null, which means none.
        let status = unsafe { (ucx.call.ucp_config_read)(ptr::null(), ptr::null(), &raw mut config) };
        check(&ucx, "reading UCX's configuration (UCX_*)", status)?;
        let made = modify(&ucx, config, devices, options.rails).and_then(|()| {
            let params = params(options.size, sleeps);
            // SAFETY: the mask of the parameters names the fields that are set; the configuration was just read.
            let status = unsafe { ucx.ucp_init(&raw const params, config, &raw mut handle) };
            // Else Ferrite's own choice of devices may be the reason.
            if status == UCS_ERR_NO_DEVICE && devices.is_none() && !options.told.is_empty() {
                let told = &options.told;
                return Err(Error::new(format!(
                    "{told} leaves UCX no transport or device of this host; ucx_info -d lists them"
                )));
            }
            check(&ucx, "initialising UCX (UCX_TLS and UCX_NET_DEVICES set which devices it may use)", status)
        });
        // SAFETY: the configuration was read above, and is used no more.
        unsafe { (ucx.call.ucp_config_release)(config) };
        made?;
        let mut context = Context {
            ucx,
            handle,
            resources: Vec::new(),
            is_software: false,
            watches: false,
            gets_by_message: false,
            wakes: false,
        };
        context.resources = context.list();
        context.is_software = has_only(&context.resources, SOFTWARE);
        context.watches = !has_only(&context.resources, LOCAL);
        context.gets_by_message = context.is_software && context.watches;
        context.wakes = sleeps && !has_deaf(&context.resources);
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

    /// Turn the status of a call into a result, with an error in the library's words.
    pub fn check(&self, what: &str, status: ucs_status_t) -> Result<()> {
        check(&self.ucx, what, status)
    }

    /// Register memory. An error contains `what`, and mentions the limit of locked memory.
    ///
    /// # Safety
    /// The memory is mapped, and stays so until it is unregistered.
    pub unsafe fn register(&self, what: &str, base: *mut c_void, length: usize) -> Result<ucp_mem_h> {
        let mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
        let params = ucp_mem_map_params_t { field_mask: mask.into(), address: base, length, ..Default::default() };
        let mut memh = ptr::null_mut();
        // SAFETY: the context is open; the mask names the fields that are set; the rest as the caller says.
        let status = unsafe { (self.ucx.call.ucp_mem_map)(self.handle, &raw const params, &raw mut memh) };
        self.check(what, status).map(|()| memh).map_err(memlock::cured)
    }

    /// End a registration.
    ///
    /// # Safety
    /// The registration is used no more.
    pub unsafe fn unmap(&self, memh: ucp_mem_h) {
        // SAFETY: as the caller says.
        let status = unsafe { (self.ucx.call.ucp_mem_unmap)(self.handle, memh) };
        if let Err(error) = self.check("unregistering memory with UCX", status) {
            tracing::debug!("{error}");
        }
    }

    fn has_threads(&self) -> Result<bool> {
        let mut attr = ucp_context_attr_t { field_mask: UCP_ATTR_FIELD_THREAD_MODE.into(), ..Default::default() };
        // SAFETY: the context is open; the mask names the field that is asked for.
        let status = unsafe { (self.ucx.call.ucp_context_query)(self.handle, &raw mut attr) };
        self.check("asking UCX for its thread mode", status)?;
        Ok(attr.thread_mode == UCS_THREAD_MODE_MULTI)
    }

    /// Parse lines such as `# resource 3 : md 1 dev 2 flags -- tcp/lo`: UCX reports its resources only in this text.
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
        // SAFETY: the stream is closed before its text is read, and the text is freed after that; if there is no memory for a stream there
        // is no text.
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
        // SAFETY: workers and registrations keep the context alive, so all of them are gone.
        unsafe { (self.ucx.call.ucp_cleanup)(self.handle) };
    }
}

/// The error of a user's choice of devices of which UCX can use none: `resources` are those without the choice.
fn none_of(devices: &str, resources: &[String]) -> Error {
    let network = resources
        .iter()
        .filter_map(|resource| resource.split_once('/'))
        .filter(|(transport, _)| !COPIES.contains(transport) && !LOCAL.contains(transport));
    let mut usable: Vec<&str> = network.map(|(_, device)| device).collect();
    usable.sort_unstable();
    usable.dedup();
    let usable = if usable.is_empty() { "none".to_owned() } else { usable.join(", ") };
    let devices = devices.replace(',', ", ");
    Error::new(format!(
        "SHMEM_NICS names {devices}, and UCX can use none of them; the devices that it can use are {usable}"
    ))
}

/// Whether all transports to peers are in `known`. False if none is listed, because then nothing is known.
fn has_only(resources: &[String], known: &[&str]) -> bool {
    let transports = resources.iter().filter_map(|resource| resource.split('/').next());
    let mut ways = transports.filter(|transport| !COPIES.contains(transport)).peekable();
    ways.peek().is_some() && ways.all(|transport| known.contains(&transport))
}

/// Whether one of the transports cannot wake a thread. UCX arms a worker all the same, and leaves that transport out.
fn has_deaf(resources: &[String]) -> bool {
    resources.iter().any(|resource| resource.starts_with("srd/"))
}

fn check(ucx: &Ucx, what: &str, status: ucs_status_t) -> Result<()> {
    if status == UCS_OK { Ok(()) } else { Err(Error::because(what, ucx.status_string(status))) }
}

/// First version with several devices for puts and gets (UCX's NEWS), which it uses unless UCX_PROTO_ENABLE=n, the default before 1.16.
/// Earlier versions warn of the variable.
const HAS_RMA_RAILS: (u32, u32, u32) = (1, 14, 0);

/// Apply the settings that must hold whatever UCX's environment says, and the runtime's choice of devices. The runtime makes no choice if
/// the user has made one.
fn modify(ucx: &Ucx, config: *mut ucp_config_t, devices: Option<&str>, rails: usize) -> Result<()> {
    let set = |name: &CStr, value: &CStr| {
        // SAFETY: both texts end with a zero; the configuration is read.
        unsafe { (ucx.call.ucp_config_modify)(config, name.as_ptr(), value.as_ptr()) }
    };
    // UCX counts each round of its keepalive, every 20 s, as an event, whether a peer answers or not. So the engine's watchdog would never
    // find a peer silent for longer. Versions before 1.11 have no keepalive.
    let _ = set(c"KEEPALIVE_INTERVAL", c"inf");
    if rails > 1 && ucx.version >= HAS_RMA_RAILS {
        // By default, UCX uses one device for puts and gets.
        let _ = set(c"MAX_RMA_RAILS", &CString::new(rails.to_string()).unwrap_or_default());
    }
    let Some(devices) = devices else { return Ok(()) };
    let value = CString::new(devices).map_err(|e| Error::because("the name of a device", e))?;
    check(ucx, "choosing UCX's devices", set(c"NET_DEVICES", &value))
}

fn params(size: u32, sleeps: bool) -> ucp_params_t {
    let mut features = UCP_FEATURE_RMA | UCP_FEATURE_AM;
    if sleeps {
        // Support for wake-ups costs some time for each message.
        features |= UCP_FEATURE_WAKEUP;
    }
    let mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    ucp_params_t {
        field_mask: mask.into(),
        features: features.into(),
        mt_workers_shared: 1,
        estimated_num_eps: size as usize,
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
    fn devices_that_exist_are_named_if_the_chosen_ones_do_not() {
        let resources = ["self/memory", "tcp/lo", "tcp/eth0", "rc_mlx5/mlx5_0:1", "ud/mlx5_0:1", "cuda_copy/cuda"];
        let error = |resources: &[&str]| {
            none_of("mlx5_9:1,ib7", &resources.iter().map(|&r| r.to_owned()).collect::<Vec<_>>()).to_string()
        };
        assert_eq!(
            error(&resources),
            "SHMEM_NICS names mlx5_9:1, ib7, and UCX can use none of them; the devices that it can use are eth0, lo, mlx5_0:1"
        );
        assert!(error(&["self/memory"]).ends_with("can use are none"));
    }

    #[test]
    fn a_transport_without_events_is_known() {
        let deaf = |resources: &[&str]| has_deaf(&resources.iter().map(|&r| r.to_owned()).collect::<Vec<_>>());
        assert!(deaf(&["tcp/eth0", "srd/rdmap0s6:1"]));
        assert!(!deaf(&["tcp/eth0", "rc_mlx5/mlx5_0:1", "ud_verbs/srd:1"]));
    }
}
