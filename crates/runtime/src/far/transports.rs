//! The choice of the transport that reaches PEs whose memory is not mapped. Only this file opens transports.
//!
//! `auto` takes the first transport for which this host has hardware, and TCP if there is none: TCP needs no hardware or libraries, and
//! loading the libraries of fabrics costs a process up to 200 ms. All PEs of a job must choose the same transport. If they do not, the
//! first use of a peer ends the job with a line that says so.

use crate::{
    far::locality::Locality,
    settings::{Carrier, Settings},
};
use ferrite_bootstrap::Boot;
use ferrite_engine::Links;
use ferrite_fabric::{Error, Fabric, Pe, Result};
use ferrite_topology as topology;
use std::{fs, path::Path};

/// Purpose for which the job's number is derived from its secret. Peers send the number in clear; it reveals nothing about the secret.
const JOB: &str = "the job's number";

/// The PEs whose memory this PE maps: those of its host, unless the user wants a transport to carry everything.
pub(crate) fn mapped(settings: &Settings, boot: &dyn Boot) -> Vec<Pe> {
    if settings.transport.maps_hosts { boot.local().to_vec() } else { vec![boot.me()] }
}

/// The properties of a PE's place on its host that matter to transports.
pub(crate) struct HostView<'a> {
    /// The NICs near to the PE.
    pub near: &'a Locality,
    /// True if the PEs of the host share cores.
    pub crowded: bool,
}

/// Open the fabric that reaches the PEs that are not mapped.
pub(crate) fn open(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    match settings.transport.carrier {
        Carrier::Shm => Err(Error::new(format!(
            "SHMEM_TRANSPORT is shm, and {} of {} PEs are on this host; auto lets a transport reach the others",
            boot.local().len(),
            boot.size()
        ))),
        Carrier::Tcp => tcp(settings, boot),
        Carrier::Libfabric | Carrier::Ucx if settings.tcp_seal => Err(Error::new(format!(
            "SHMEM_TCP_SEAL is on, and SHMEM_TRANSPORT={} seals nothing: tcp does, and auto takes it then",
            settings.transport
        ))),
        Carrier::Auto if settings.tcp_seal => tcp(settings, boot),
        Carrier::Libfabric => libfabric(settings, boot, place),
        Carrier::Ucx => ucx(settings, boot, place),
        Carrier::Auto => best(settings, boot, place),
    }
}

/// Function that opens a transport.
type Open = fn(&Settings, &dyn Boot, &HostView<'_>) -> Result<Box<dyn Fabric>>;

/// A class of devices in the kernel, and the transport to use for them.
pub struct Home {
    /// Directory in which the kernel lists the devices.
    pub class: &'static str,
    /// Driver of the devices; `None` means all devices of the class.
    pub driver: Option<&'static str>,
    /// The transport for these devices.
    pub transport: Carrier,
    open: Open,
}

/// In order of preference: libfabric for Slingshot, Omni-Path and EFA; UCX for InfiniBand and RoCE, or libfabric if UCX is not installed.
/// UCX cannot sleep on EFA's transport.
pub const HOMES: [Home; 5] = [
    Home { class: "/sys/class/cxi", driver: None, transport: Carrier::Libfabric, open: libfabric },
    Home { class: "/sys/class/hfi1", driver: None, transport: Carrier::Libfabric, open: libfabric },
    Home {
        class: "/sys/class/infiniband",
        driver: Some(topology::EFA),
        transport: Carrier::Libfabric,
        open: libfabric,
    },
    Home { class: "/sys/class/infiniband", driver: None, transport: Carrier::Ucx, open: ucx },
    Home { class: "/sys/class/infiniband", driver: None, transport: Carrier::Libfabric, open: libfabric },
];

impl Home {
    /// Whether this host has devices of this class and driver.
    pub fn has_devices(&self) -> bool {
        self.has_devices_in(Path::new(self.class))
    }

    fn has_devices_in(&self, class: &Path) -> bool {
        let is_meant = |device: &Path| {
            self.driver.is_none_or(|name| topology::driver(device).is_some_and(|driver| driver == name))
        };
        fs::read_dir(class).is_ok_and(|entries| entries.flatten().any(|entry| is_meant(&entry.path())))
    }
}

fn best(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    match first(HOMES.iter().filter(|home| home.has_devices()), settings, boot, place) {
        Some(fabric) => Ok(fabric),
        None => tcp(settings, boot),
    }
}

/// Open the first transport that drives its devices. A library that cannot use them falls back to sockets without a message. Ferrite's own
/// TCP is faster than that, and authenticates peers. So such a library is skipped, unless the user has configured what it should use.
fn first<'h>(
    homes: impl Iterator<Item = &'h Home>,
    settings: &Settings,
    boot: &dyn Boot,
    place: &HostView<'_>,
) -> Option<Box<dyn Fabric>> {
    let is_told = |transport| match transport {
        Carrier::Ucx => settings.tells_ucx(),
        Carrier::Libfabric => settings.tells_libfabric(),
        Carrier::Tcp | Carrier::Shm | Carrier::Auto => false,
    };
    let open = |home: &Home| {
        let fabric = (home.open)(settings, boot, place)?;
        if fabric.caps().drives_nic || is_told(home.transport) {
            return Ok(fabric);
        }
        Err(Error::new(format!("{} finds no way to them and would go without", home.transport)))
    };
    let mut failed = Vec::new();
    for home in homes {
        // A library opens whatever devices it finds, so a second attempt would fail too.
        if failed.contains(&home.transport) {
            continue;
        }
        match open(home) {
            Ok(fabric) => return Some(fabric),
            Err(error) => {
                failed.push(home.transport);
                tracing::warn!(class = home.class, %error, "this host has devices that cannot be used");
            }
        }
    }
    None
}

fn is_of_one_host(boot: &dyn Boot) -> bool {
    boot.nodes().nodes() == 1
}

fn tcp(settings: &Settings, boot: &dyn Boot) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_tcp::Options::new(boot.me(), boot.size(), boot.secret().derive("TCP"));
    options.interface = settings.tcp_interface.clone();
    options.one_host = is_of_one_host(boot);
    options.silence = settings.host_timeout.unwrap_or(options.silence);
    options.terms.sealed = settings.tcp_seal;
    options.patience = settings.lost_timeout.unwrap_or(options.patience);
    ferrite_tcp::open(options).map_err(|cause| Error::because("opening the TCP transport", cause))
}

fn libfabric(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_ofi::Options::new(boot.me(), boot.size(), boot.secret().number(JOB));
    options.provider = settings.ofi_provider.clone();
    options.fabric = settings.ofi_fabric.clone();
    options.domain = settings.ofi_domain.clone();
    options.nearest = place.near.nics.clone();
    options.progress = settings.progress;
    options.one_host = is_of_one_host(boot);
    options.crowded = place.crowded;
    options.silence = settings.lost_timeout.or(options.silence);
    ferrite_ofi::open(options).map_err(|cause| Error::because("opening libfabric", cause))
}

fn ucx(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_ucx::Options::new(boot.me(), boot.size(), boot.secret().number(JOB));
    options.devices = place.near.ucx_devices.clone().filter(|_| !settings.ucx_has_devices);
    options.silence = settings.lost_timeout.or(options.silence);
    options.progress = settings.progress;
    options.one_host = is_of_one_host(boot);
    options.crowded = place.crowded;
    if !is_of_one_host(boot) {
        let named = options.devices.as_ref().map(|devices| Links::named(&devices.split(',').collect::<Vec<_>>()));
        options.links = named.unwrap_or_else(Links::all);
    }
    ferrite_ucx::open(options).map_err(|cause| Error::because("opening UCX", cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_go_by_sockets_is_passed_over_unless_it_was_told_so() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let home = |transport, open| Home { class: "/sys/class/infiniband", driver: None, transport, open };
        let broken = home(Carrier::Libfabric, |_, _, _| Err(Error::new("no such library")));
        let by_sockets = home(Carrier::Ucx, |settings, boot, _| tcp(settings, boot));
        let named = |settings: &Settings| {
            first([&broken, &by_sockets].into_iter(), settings, &*boot, &place).map(|fabric| fabric.name())
        };
        assert_eq!(named(&Settings::default()), None);
        assert_eq!(named(&Settings { ofi_provider: Some("tcp".into()), ..Settings::default() }), None);
        assert_eq!(named(&Settings { ucx_has_transports: true, ..Settings::default() }), Some("tcp"));
    }

    #[test]
    fn what_is_to_be_sealed_goes_by_nothing_that_seals_nothing() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let name = |word: &str, tcp_seal| {
            let transport = crate::settings::Transport::parse(word).unwrap();
            let settings = Settings { transport, tcp_seal, ..Settings::default() };
            open(&settings, &*boot, &place).map(|fabric| fabric.name()).map_err(|error| error.to_string())
        };
        assert_eq!(name("tcp", false), Ok("tcp"));
        for word in ["tcp", "auto", "shm,tcp"] {
            assert_eq!(name(word, true), Ok("sealed tcp"), "{word}");
        }
        for word in ["ucx", "libfabric", "shm,ucx"] {
            let refused = name(word, true).unwrap_err();
            assert!(refused.contains(&format!("SHMEM_TCP_SEAL is on, and SHMEM_TRANSPORT={word} seals")), "{refused}");
        }
    }

    #[test]
    fn devices_are_told_apart_by_their_driver() {
        let class = std::env::temp_dir().join(format!("ferrite-class-{}", std::process::id()));
        let home = |driver| Home { class: "", driver, transport: Carrier::Libfabric, open: libfabric };
        let (all, efa) = (home(None), home(Some("efa")));
        let has = || [all.has_devices_in(&class), efa.has_devices_in(&class)];
        assert_eq!(has(), [false, false], "there is no such class");
        for (name, driver, expected) in [("mlx5_0", "mlx5_core", [true, false]), ("rdmap0s6", "efa", [true, true])] {
            fs::create_dir_all(class.join(name).join("device")).unwrap();
            let link = class.join(name).join("device/driver");
            std::os::unix::fs::symlink(Path::new("../../bus/drivers").join(driver), link).unwrap();
            assert_eq!(has(), expected, "{name}");
        }
        fs::remove_dir_all(class).unwrap();
    }
}
