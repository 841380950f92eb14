//! Reads the network devices of a machine from sysfs.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
};

use crate::{Nic, NicKind};
use ferrite_os::sysfs::{names, number, numbered, text};

/// The kernel's device classes of NICs.
const CLASSES: [(&str, NicKind); 3] = [("cxi", NicKind::Cxi), ("infiniband", NicKind::Verbs), ("net", NicKind::Net)];

/// The network devices below `classes` that have hardware behind them, by kind and name. Omni-Path's class has no link to the hardware, so
/// its devices are read from InfiniBand's class, which lists them a second time.
///
/// `files` is the directory of the device files, if this process would open devices; with `None`, no device is tried.
pub(crate) fn read(classes: &Path, files: Option<&Path>) -> Vec<Nic> {
    let mut nics = Vec::new();
    for (class, kind) in CLASSES {
        let directory = classes.join(class);
        let devices = names(&directory).into_iter().filter(|name| directory.join(name).join("device").exists());
        let mut found: Vec<Nic> = devices
            .map(|name| {
                let about = directory.join(&name);
                let nic = nic(&about, name, kind);
                let closed = nic.kind == NicKind::Verbs && files.is_some_and(|files| !opens(&about, files));
                Nic { closed, ..nic }
            })
            .collect();
        leave_out_shares(&directory, &mut found);
        nics.append(&mut found);
    }
    sort(&mut nics);
    nics
}

/// True if this process can open a device of InfiniBand's class, as the transports' libraries do. Only a trial can show this: a control
/// group may refuse access that the file's mode allows.
fn opens(about: &Path, files: &Path) -> bool {
    let file = |number: &u32| files.join(format!("infiniband/uverbs{number}"));
    let numbers = numbered(&about.join("device/infiniband_verbs"), "uverbs");
    numbers.iter().any(|number| File::options().read(true).write(true).open(file(number)).is_ok())
}

/// Removes a virtual function (SR-IOV) if the physical device behind it is usable: both are the same link to the network. A container may
/// have a virtual function in place of the physical device.
fn leave_out_shares(class: &Path, nics: &mut Vec<Nic>) {
    let hardware = |nic: &Nic, link: &str| class.join(&nic.name).join(link).canonicalize().ok();
    let whole: Vec<PathBuf> =
        nics.iter().filter(|nic| nic.is_usable()).filter_map(|nic| hardware(nic, "device")).collect();
    nics.retain(|nic| hardware(nic, "device/physfn").is_none_or(|of| !whole.contains(&of)));
}

/// Puts NICs in the order of the map: by kind, then by name.
pub fn sort(nics: &mut [Nic]) {
    nics.sort_by_cached_key(|nic| (nic.kind, numbers_by_value(&nic.name)));
}

fn nic(about: &Path, name: String, class: NicKind) -> Nic {
    let kind = match class {
        NicKind::Verbs if name.starts_with("hfi1_") => NicKind::Hfi,
        other => other,
    };
    let numa = number(&about.join("device/numa_node")).and_then(|id| u32::try_from(id).ok());
    let plain = Nic { name, kind, numa, up: None, closed: false, port: None, network: None };
    match class {
        NicKind::Verbs => with_ports(about, plain),
        NicKind::Net => Nic { up: text(&about.join("operstate")).and_then(|state| link(&state)), ..plain },
        // All Slingshot NICs of a machine are on its one Slingshot.
        _ => Nic { network: Some("cxi".to_owned()), ..plain },
    }
}

/// The link state that a network interface reports.
fn link(state: &str) -> Option<bool> {
    match state {
        "up" => Some(true),
        "unknown" => None,
        _ => Some(false),
    }
}

/// A device of InfiniBand's class: the first port whose link is up, and the network behind it.
fn with_ports(about: &Path, nic: Nic) -> Nic {
    let of_port = |port: u32, file: &str| text(&about.join(format!("ports/{port}/{file}")));
    let ports = numbered(&about.join("ports"), "");
    let states: Vec<(u32, String)> =
        ports.into_iter().filter_map(|port| Some((port, of_port(port, "state")?))).collect();
    let port = states.iter().find(|(_, state)| state.contains("ACTIVE")).map(|&(port, _)| port);
    let network = port.and_then(|port| {
        if driver(about).is_some_and(|name| name == EFA) {
            return Some(EFA.to_owned());
        }
        let on_subnet = of_port(port, "link_layer")? == "InfiniBand";
        on_subnet.then(|| subnet(&of_port(port, "gids/0")?, of_port(port, "sm_lid")))?
    });
    Nic { up: (!states.is_empty()).then_some(port.is_some()), port, network, ..nic }
}

/// Driver of a cloud's own devices (EFA), and the name of their network. All EFA devices are on the cloud's one network, and the kernel has
/// no name for their link layer.
pub const EFA: &str = "efa";

/// The name of the driver of a device in one of the kernel's classes.
pub fn driver(about: &Path) -> Option<OsString> {
    Some(fs::read_link(about.join("device/driver")).ok()?.file_name()?.to_owned())
}

/// The default subnet prefix, which a subnet manager uses unless it is configured with another.
const USUAL_PREFIX: &str = "fe80:0000:0000:0000";

/// The name that distinguishes a subnet of InfiniBand or Omni-Path from others: its prefix and, if that is the default one, the number of
/// its subnet manager. sysfs does not show which of a machine's Ethernets a RoCE device is on.
fn subnet(gid: &str, manager: Option<String>) -> Option<String> {
    let prefix = gid.get(..USUAL_PREFIX.len())?;
    let manager = manager.filter(|_| prefix == USUAL_PREFIX).map(|lid| format!(" of {lid}"));
    Some(format!("InfiniBand {prefix}{}", manager.unwrap_or_default()))
}

/// Sort key that puts `mlx5_2` before `mlx5_10`.
fn numbers_by_value(name: &str) -> Vec<(String, u64)> {
    name.split_inclusive(|c: char| !c.is_ascii_digit())
        .map(|part| {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            (part[digits..].to_owned(), part[..digits].parse().unwrap_or(0))
        })
        .collect()
}
