//! The choice of the transport that reaches PEs whose memory is not mapped. Only this file opens transports.
//!
//! `auto` takes the first transport for which this host has hardware, and TCP if there is none: TCP needs no hardware or libraries, and
//! loading the libraries of fabrics costs a process up to 200 ms. All PEs of a job must choose the same transport. If they do not, the
//! first use of a peer ends the job with a line that says so.

use crate::locality::Locality;
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Fabric, Pe, Result};
use ferrite_settings::{Carrier, Executor, Settings};
use ferrite_topology as topology;
use std::{fs, path::Path};

/// Purpose for which the job's number is derived from its secret. Peers send the number in clear; it reveals nothing about the secret.
#[cfg(any(feature = "ofi", feature = "ucx"))]
const JOB: &str = "the job's number";

/// The PEs whose memory this PE maps: the PEs of its host, unless the user wants a transport to carry everything.
pub fn mapped(settings: &Settings, boot: &dyn Boot) -> Vec<Pe> {
    if settings.transport.maps_hosts { boot.local().to_vec() } else { vec![boot.me()] }
}

/// The properties of a PE's place on its host that matter to transports.
pub struct HostView<'a> {
    /// The NICs near to the PE.
    pub near: &'a Locality,
    /// True if the PEs of the host share cores.
    pub crowded: bool,
}

pub struct Opened {
    pub fabric: Box<dyn Fabric>,
    /// Line for the user: TCP was taken on a host that has hardware for a faster transport.
    pub remark: Option<String>,
}

impl From<Box<dyn Fabric>> for Opened {
    fn from(fabric: Box<dyn Fabric>) -> Opened {
        Opened { fabric, remark: None }
    }
}

/// Open the fabric that reaches the PEs that are not mapped.
pub fn open(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Opened> {
    let opened = choose(settings, boot, place)?;
    if settings.atomics == Executor::Nic && !opened.fabric.caps().nic_atomics {
        return Err(Error::new(format!(
            "SHMEM_ATOMICS is nic, and no NIC executes all atomics over {}; auto leaves them to processors then",
            opened.fabric.about().by
        )));
    }
    Ok(opened)
}

fn choose(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Opened> {
    let told = match settings.transport.carrier {
        Carrier::Shm => Err(Error::new(format!(
            "SHMEM_TRANSPORT=shm reaches only the {} of {} PEs that are on this host; set SHMEM_TRANSPORT=auto",
            boot.local().len(),
            boot.size()
        ))),
        Carrier::Tcp => tcp(settings, boot),
        Carrier::Libfabric | Carrier::Ucx | Carrier::Hardware if settings.tcp_seal => Err(Error::new(format!(
            "SHMEM_TCP_SEAL is on, but SHMEM_TRANSPORT={} cannot encrypt; set SHMEM_TRANSPORT to tcp or auto",
            settings.transport
        ))),
        Carrier::Auto if settings.tcp_seal => tcp(settings, boot),
        Carrier::Libfabric => libfabric(settings, boot, place),
        Carrier::Ucx => ucx(settings, boot, place),
        Carrier::Auto | Carrier::Hardware => {
            let homes = HOMES.iter().filter(|home| home.has_devices());
            return best(homes.map(|home| (home, opener(home.transport))), settings, boot, place);
        }
    };
    told.map(Opened::from)
}

/// Function that opens a transport.
type Open = fn(&Settings, &dyn Boot, &HostView<'_>) -> Result<Box<dyn Fabric>>;

/// The function that opens the transport of a home. It is not a field: `oshmem_info` lists the homes, and would contain all transports.
fn opener(transport: Carrier) -> Open {
    match transport {
        Carrier::Libfabric => libfabric,
        Carrier::Ucx => ucx,
        Carrier::Tcp | Carrier::Shm | Carrier::Auto | Carrier::Hardware => |settings, boot, _| tcp(settings, boot),
    }
}

/// A class of devices in the kernel, and the transport to use for them.
pub struct Home {
    /// Directory in which the kernel lists the devices.
    pub class: &'static str,
    /// Driver of the devices; `None` means all devices of the class.
    pub driver: Option<&'static str>,
    /// The transport for these devices.
    pub transport: Carrier,
    /// Advice for the user if the transport refuses the devices.
    pub cure: &'static str,
}

/// A process gets its VNI from the launcher of its step, and none from ssh (fi_cxi(7), "Authorization Keys").
const CURE_CXI: &str = "all PEs need the VNI of one step: srun --mpi=pmi2 under Slurm, mpiexec --pmi=pmix under PALS";
/// libfabric's opx drives Omni-Path 100 and CN5000 (fi_opx(7)); psm2 drives Omni-Path 100 alone (fi_psm2(7)).
const CURE_HFI1: &str = "libfabric needs its provider opx or psm2, and PEs need access to /dev/hfi1_*";
/// AWS installs its own libfabric there (the manual of its EFA installer).
const CURE_EFA: &str =
    "libfabric needs its provider efa (LD_LIBRARY_PATH=/opt/amazon/efa/lib64), and ulimit -l unlimited";
/// UCX's package without these modules has TCP and shared memory alone (UCX's FAQ, "no transports").
const CURE_VERBS: &str = "UCX needs its verbs modules (packages ucx-ib, libucx0), and ulimit -l unlimited";

/// In order of preference: libfabric for Slingshot, Omni-Path and EFA; UCX for InfiniBand and RoCE, or libfabric if UCX is not installed.
/// UCX cannot sleep on EFA's transport.
pub const HOMES: [Home; 5] = [
    Home::SLINGSHOT,
    Home { class: "/sys/class/hfi1", driver: None, transport: Carrier::Libfabric, cure: CURE_HFI1 },
    Home { class: "/sys/class/infiniband", driver: Some(topology::EFA), transport: Carrier::Libfabric, cure: CURE_EFA },
    Home { class: "/sys/class/infiniband", driver: None, transport: Carrier::Ucx, cure: CURE_VERBS },
    Home { class: "/sys/class/infiniband", driver: None, transport: Carrier::Libfabric, cure: CURE_VERBS },
];

impl Home {
    /// Slingshot's NICs.
    pub const SLINGSHOT: Home =
        Home { class: "/sys/class/cxi", driver: None, transport: Carrier::Libfabric, cure: CURE_CXI };

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

/// A transport that could not use the devices it is meant for.
struct Refused<'h> {
    home: &'h Home,
    why: Error,
}

/// Open the first transport that drives the devices of its home. If there is none, open TCP, or fail if the user wants hardware.
fn best<'h>(
    homes: impl Iterator<Item = (&'h Home, Open)>,
    settings: &Settings,
    boot: &dyn Boot,
    place: &HostView<'_>,
) -> Result<Opened> {
    let refused = match first(homes, settings, boot, place) {
        Ok(fabric) => return Ok(fabric.into()),
        Err(refused) => refused,
    };
    if settings.transport.carrier == Carrier::Hardware {
        return Err(Error::new(format!("SHMEM_TRANSPORT is hardware: {}", no_hardware(&refused))));
    }
    let remark = (!refused.is_empty()).then(|| {
        format!(
            "TCP carries this job between hosts: {}. SHMEM_TRANSPORT=hardware refuses TCP, shm,tcp asks for it",
            no_hardware(&refused)
        )
    });
    Ok(Opened { fabric: tcp(settings, boot)?, remark })
}

/// The reason why no NIC carries the job, and the remedy, in one line.
fn no_hardware(refused: &[Refused<'_>]) -> String {
    let Some(first) = refused.first() else {
        let mut classes: Vec<&str> = HOMES.iter().map(|home| home.class).collect();
        classes.dedup();
        return format!("this host has no devices in {}", classes.join(", "));
    };
    let reasons = refused.iter().map(|one| format!("{} was refused: {}", one.home.transport, one.why));
    let reasons: Vec<String> = reasons.map(|text| text.replace('\n', " ")).collect();
    format!(
        "this host has devices in {}, but {}; {}; oshmem_info --transports tells more",
        first.home.class,
        reasons.join("; "),
        first.home.cure
    )
}

/// Open the first transport that drives its devices. A library that cannot use them falls back to sockets without a message. Ferrite's own
/// TCP is faster than that, and authenticates peers. So such a library is skipped, unless the user has configured what it should use.
fn first<'h>(
    homes: impl Iterator<Item = (&'h Home, Open)>,
    settings: &Settings,
    boot: &dyn Boot,
    place: &HostView<'_>,
) -> Result<Box<dyn Fabric>, Vec<Refused<'h>>> {
    let is_told = |transport| match transport {
        Carrier::Ucx => settings.tells_ucx(),
        Carrier::Libfabric => settings.tells_libfabric(),
        Carrier::Tcp | Carrier::Shm | Carrier::Auto | Carrier::Hardware => false,
    };
    let attempt = |home: &Home, open: Open| {
        let fabric = open(settings, boot, place)?;
        if fabric.caps().drives_nic || is_told(home.transport) {
            return Ok(fabric);
        }
        let by = fabric.about().by;
        Err(Error::new(format!("{by}, cannot use them, and would use sockets or shared memory")))
    };
    let mut refused: Vec<Refused<'h>> = Vec::new();
    for (home, open) in homes {
        // A library opens whatever devices it finds, so a second attempt would fail too.
        if refused.iter().any(|one| one.home.transport == home.transport) {
            continue;
        }
        match attempt(home, open) {
            Ok(fabric) => return Ok(fabric),
            Err(why) => {
                tracing::warn!(class = home.class, %why, "this host has devices that cannot be used");
                refused.push(Refused { home, why });
            }
        }
    }
    Err(refused)
}

fn is_of_one_host(boot: &dyn Boot) -> bool {
    boot.nodes().nodes() == 1
}

fn tcp(settings: &Settings, boot: &dyn Boot) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_tcp::Options::new(boot.me(), boot.size(), boot.secret().derive("TCP"));
    options.interface = settings.tcp_interface.clone();
    if let Some(range) = &settings.tcp_ports {
        let start = boot.local().iter().position(|&pe| pe == boot.me()).unwrap_or(0) as u32;
        options.ports = ferrite_tcp::Ports::Within { range: range.clone(), start };
    }
    options.one_host = is_of_one_host(boot);
    options.silence = settings.host_timeout.unwrap_or(options.silence);
    options.terms.sealed = settings.tcp_seal;
    options.patience = settings.lost_timeout.unwrap_or(options.patience);
    ferrite_tcp::open(options).map_err(|cause| Error::because("cannot use TCP", cause))
}

#[cfg(not(feature = "ofi"))]
fn libfabric(_: &Settings, _: &dyn Boot, _: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    Err(left_out("libfabric", "ofi"))
}

#[cfg(not(feature = "ucx"))]
fn ucx(_: &Settings, _: &dyn Boot, _: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    Err(left_out("UCX", "ucx"))
}

#[cfg(not(all(feature = "ofi", feature = "ucx")))]
fn left_out(library: &str, feature: &str) -> Error {
    Error::new(format!(
        "this program is built without {library}: add `features = [\"{feature}\"]` to the dependency ferrite-shmem, or use TCP \
         (SHMEM_TRANSPORT=tcp)"
    ))
}

#[cfg(feature = "ofi")]
fn libfabric(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_ofi::Options::new(boot.me(), boot.size(), boot.secret().number(JOB));
    options.provider = settings.ofi_provider.clone();
    options.fabric = settings.ofi_fabric.clone();
    options.domain = settings.ofi_domain.clone();
    options.nearest = place.near.nics.clone();
    if settings.ofi_domain.is_none() {
        options.unwanted = place.near.unwanted.clone();
        options.rails = place.near.nics[..place.near.own].to_vec();
        options.needs_rails = settings.nics.as_ref().is_some_and(|nics| !nics.named().is_empty());
    }
    options.progress = settings.progress;
    options.one_host = is_of_one_host(boot);
    options.crowded = place.crowded;
    options.maps_host = settings.transport.maps_hosts;
    options.pes_on_host = boot.local().len();
    options.nic_atomics = settings.atomics != Executor::Processor;
    options.slingshot = settings.slingshot.clone();
    options.put_depth = settings.ofi_put_depth;
    options.atomic_depth = settings.ofi_atomic_depth;
    options.silence = settings.lost_timeout.or(options.silence);
    ferrite_ofi::open(options).map_err(|cause| Error::because("cannot use libfabric", cause))
}

#[cfg(feature = "ucx")]
fn ucx(settings: &Settings, boot: &dyn Boot, place: &HostView<'_>) -> Result<Box<dyn Fabric>> {
    let mut options = ferrite_ucx::Options::new(boot.me(), boot.size(), boot.secret().number(JOB));
    options.devices = place.near.ucx_devices.clone().filter(|_| settings.ucx_devices.is_none());
    let told = [("UCX_TLS", &settings.ucx_transports), ("UCX_NET_DEVICES", &settings.ucx_devices)];
    let told = told.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)));
    options.told = told.collect::<Vec<_>>().join(" ");
    if settings.ucx_devices.is_none() {
        if options.devices.is_none() && !place.near.unwanted.is_empty() {
            return Err(Error::new(format!(
                "SHMEM_NICS excludes {}, and leaves no device of InfiniBand or Ethernet for UCX; UCX_NET_DEVICES names others",
                place.near.unwanted.join(", ")
            )));
        }
        options.needs_devices = settings.nics.as_ref().is_some_and(|nics| !nics.named().is_empty());
        options.rails = if settings.ucx_has_rails { 1 } else { place.near.ucx_rails };
    }
    options.silence = settings.lost_timeout.or(options.silence);
    options.progress = settings.progress;
    options.one_host = is_of_one_host(boot);
    options.crowded = place.crowded;
    if !is_of_one_host(boot) {
        let named = options
            .devices
            .as_ref()
            .map(|devices| ferrite_engine::Links::named(&devices.split(',').collect::<Vec<_>>()));
        options.links = named.unwrap_or_else(ferrite_engine::Links::all);
    }
    ferrite_ucx::open(options).map_err(|cause| Error::because("cannot use UCX", cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_go_by_sockets_is_passed_over_unless_it_was_told_so() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let home = |transport| Home { class: "/sys/class/infiniband", driver: None, transport, cure: "" };
        let (broken, by_sockets) = (home(Carrier::Libfabric), home(Carrier::Ucx));
        let homes: [(&Home, Open); 2] = [
            (&broken, |_, _, _| Err(Error::new("no such library"))),
            (&by_sockets, |settings, boot, _| tcp(settings, boot)),
        ];
        let named =
            |settings: &Settings| first(homes.into_iter(), settings, &*boot, &place).ok().map(|fabric| fabric.name());
        assert_eq!(named(&Settings::default()), None);
        assert_eq!(named(&Settings { ofi_provider: Some("tcp".into()), ..Settings::default() }), None);
        assert_eq!(named(&Settings { ucx_transports: Some("tcp".into()), ..Settings::default() }), Some("tcp"));
    }

    #[test]
    fn tcp_beside_unused_devices_is_reported_with_reasons_and_cure() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let home = |transport, cure| Home { class: "/sys/class/cxi", driver: None, transport, cure };
        let (refused, by_sockets) = (home(Carrier::Libfabric, "give it a VNI"), home(Carrier::Ucx, ""));
        let homes: [(&Home, Open); 2] = [
            (&refused, |_, _, _| Err(Error::new("the domain of cxi:\nError -38"))),
            (&by_sockets, |settings, boot, _| tcp(settings, boot)),
        ];
        let with = |word: &str, homes: &[(&Home, Open)]| {
            let transport = ferrite_settings::Transport::parse(word).unwrap();
            best(homes.iter().copied(), &Settings { transport, ..Settings::default() }, &*boot, &place)
        };
        let opened = with("auto", &homes).unwrap();
        assert_eq!(opened.fabric.name(), "tcp");
        let remark = opened.remark.unwrap();
        assert_eq!(
            remark,
            "TCP carries this job between hosts: this host has devices in /sys/class/cxi, but libfabric was refused: the domain of \
             cxi: Error -38; ucx was refused: tcp, cannot use them, and would use sockets or shared memory; give it a VNI; \
             oshmem_info --transports tells more. SHMEM_TRANSPORT=hardware refuses TCP, shm,tcp asks for it"
        );
        assert_eq!(with("auto", &[]).unwrap().remark, None, "there is nothing better on this host");
        let refused = |homes| with("hardware", homes).err().map(|error| error.to_string()).unwrap();
        assert!(
            refused(&homes).starts_with("SHMEM_TRANSPORT is hardware: this host has devices in /sys/class/cxi, but")
        );
        assert!(
            refused(&[]).starts_with("SHMEM_TRANSPORT is hardware: this host has no devices in /sys/class/cxi, /sys")
        );
    }

    #[test]
    fn a_transport_without_atomics_is_refused_where_the_nic_is_to_execute_them() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let transport = ferrite_settings::Transport::parse("tcp").unwrap();
        let refused = |atomics| {
            let settings = Settings { transport, atomics, ..Settings::default() };
            open(&settings, &*boot, &place).err().map(|error| error.to_string())
        };
        assert_eq!((refused(Executor::Auto), refused(Executor::Processor)), (None, None));
        assert!(
            refused(Executor::Nic)
                .unwrap()
                .starts_with("SHMEM_ATOMICS is nic, and no NIC executes all atomics over tcp;")
        );
    }

    #[test]
    fn what_is_to_be_sealed_goes_by_nothing_that_seals_nothing() {
        let boot = ferrite_bootstrap::threads(1).remove(0);
        let place = HostView { near: &Locality::default(), crowded: false };
        let name = |word: &str, tcp_seal| {
            let transport = ferrite_settings::Transport::parse(word).unwrap();
            let settings = Settings { transport, tcp_seal, ..Settings::default() };
            open(&settings, &*boot, &place).map(|opened| opened.fabric.name()).map_err(|error| error.to_string())
        };
        assert_eq!(name("tcp", false), Ok("tcp"));
        for word in ["tcp", "auto", "shm,tcp"] {
            assert_eq!(name(word, true), Ok("sealed tcp"), "{word}");
        }
        for word in ["ucx", "libfabric", "shm,ucx", "hardware"] {
            let refused = name(word, true).unwrap_err();
            assert!(
                refused.contains(&format!("SHMEM_TCP_SEAL is on, but SHMEM_TRANSPORT={word} cannot encrypt")),
                "{refused}"
            );
        }
    }

    #[test]
    fn devices_are_told_apart_by_their_driver() {
        let class = std::env::temp_dir().join(format!("ferrite-class-{}", std::process::id()));
        // An earlier process of this number may have left one.
        let _ = fs::remove_dir_all(&class);
        let home = |driver| Home { class: "", driver, transport: Carrier::Libfabric, cure: "" };
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
