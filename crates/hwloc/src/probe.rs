//! The probe: this machine, or one that a file describes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{library::Topology, read};
use ferrite_topology::{Error, Machine, Probe, Result, Sysfs, allowed, quota};

/// The largest file that is read: an exported map of a thousand cpus is two megabytes.
const XML_BYTES_MAX: u64 = 64 << 20;

/// The probe by hwloc.
#[derive(Clone, Debug)]
pub struct Hwloc {
    /// The exported map; `None` for this machine.
    xml: Option<PathBuf>,
}

impl Hwloc {
    /// This machine, as far as this process may use it.
    pub fn here() -> Hwloc {
        Hwloc { xml: None }
    }

    /// The machine that a file in hwloc's XML describes.
    pub fn xml(file: impl Into<PathBuf>) -> Hwloc {
        Hwloc { xml: Some(file.into()) }
    }

    /// The map, and the version of the library that read the machine.
    pub fn read(&self) -> Result<(Machine, String)> {
        let (machine, topology) = match &self.xml {
            None => here(),
            Some(file) => import(file).map_err(|error| Error::new(format!("{}: {error}", file.display()))),
        }?;
        Ok((machine, read::version(&topology).unwrap_or_else(|| "2".to_owned())))
    }
}

impl Probe for Hwloc {
    fn probe(&self) -> Result<Machine> {
        self.read().map(|(machine, _)| machine)
    }
}

fn here() -> Result<(Machine, Topology)> {
    let topology = Topology::here()?;
    let mut devices = Sysfs::here().nics();
    let gpus = Sysfs::here().gpus(&devices);
    let found = read::nics(&topology);
    for nic in &mut devices {
        // If both know the node, hwloc's answer is used: hwloc knows the firmware errors of boards.
        if let Some(known) = found.iter().find(|other| other.name == nic.name) {
            nic.numa = known.numa.or(nic.numa);
        }
    }
    let machine = Machine { nics: devices, gpus, quota: quota(), ..read::machine(&topology)? };
    Ok((machine.restricted_to(&allowed()), topology))
}

fn import(file: &Path) -> Result<(Machine, Topology)> {
    let unread = |error| Error::because("cannot be read", error);
    let about = fs::metadata(file).map_err(unread)?;
    if !about.is_file() || about.len() > XML_BYTES_MAX {
        return Err(Error::new(format!("is no file of at most {} MiB", XML_BYTES_MAX >> 20)));
    }
    let topology = Topology::xml(fs::read(file).map_err(unread)?)?;
    let machine = Machine { nics: read::nics(&topology), ..read::machine(&topology)? };
    Ok((machine.restricted_to(&topology.allowed()), topology))
}
