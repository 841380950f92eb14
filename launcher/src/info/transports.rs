//! The section about transports: the transports of this machine, the one that would be used between hosts, and why the others would not.
//!
//! It loads libfabric and UCX to query them. That is slow, and no other command does it without an explicit request.

use ferrite_carriers::{HOMES, Home};
use ferrite_fabric::Pe;
use ferrite_ofi::{Candidate, Verdict};
use ferrite_settings::{Carrier, Settings};

use ferrite_topology::{Machine, Nic};

use super::{
    loader::{self, Found},
    memory,
    report::{Row, Section},
};

/// A library that this machine may have.
struct Library {
    name: &'static str,
    soname: &'static str,
    package: &'static str,
}

const LIBFABRIC: Library = Library { name: "libfabric", soname: "libfabric.so.1", package: "libfabric" };
const UCX: Library = Library { name: "ucx", soname: "libucp.so.0", package: "ucx" };
const PMIX: Library = Library { name: "pmix", soname: "libpmix.so.2", package: "pmix" };

/// The result of querying a library: whether it can be used for the devices of this host, and its row.
struct Asked {
    usable: bool,
    row: Row,
}

/// The transports that were found, and why each would be used or not.
pub(super) fn section(machine: &ferrite_topology::Result<Machine>) -> Section {
    let settings = Settings::from_environment();
    let (tcp, libfabric, ucx) = (tcp(&settings), libfabric(&settings), ucx(&settings));
    let usable = |transport: Carrier| match transport {
        Carrier::Ucx => ucx.usable,
        Carrier::Libfabric => libfabric.usable,
        Carrier::Tcp | Carrier::Shm | Carrier::Auto | Carrier::Hardware => true,
    };
    let nics = match machine {
        Ok(machine) => nics(&machine.nics),
        Err(error) => format!("not known: {error}"),
    };
    let (between, nics) = (between(&settings, usable), Row::new("nics", nics));
    let rows = vec![shared_memory(), between, nics, tcp, libfabric.row, ucx.row, process_manager()];
    Section { key: "transport", title: "Transports", rows }
}

/// The NICs of this host with their NUMA nodes.
fn nics(nics: &[Nic]) -> String {
    let nic = |nic: &Nic| match nic.numa {
        Some(node) => format!("{} (NUMA node {node})", nic.name),
        None => nic.name.clone(),
    };
    if nics.is_empty() { "none".to_owned() } else { nics.iter().map(nic).collect::<Vec<_>>().join(", ") }
}

fn shared_memory() -> Row {
    Row::new(
        "shm",
        match memory::shares_memory() {
            Ok(()) => "used: the PEs of a host map each other's memory".to_owned(),
            Err(why) => format!("cannot be used: {why}"),
        },
    )
}

/// The transport between hosts, as the runtime chooses it.
fn between(settings: &Result<Settings, impl std::fmt::Display>, usable: impl Fn(Carrier) -> bool) -> Row {
    let text = match settings {
        Err(error) => format!("unknown: {error}"),
        Ok(settings) if !matches!(settings.transport.carrier, Carrier::Auto | Carrier::Hardware) => {
            format!("{}, by SHMEM_TRANSPORT", settings.transport)
        }
        Ok(settings) if settings.tcp_seal => "sealed tcp, by SHMEM_TCP_SEAL".to_owned(),
        Ok(settings) => {
            let (carrier, why) = chosen(&HOMES, Home::has_devices, usable);
            let instead = match (settings.transport.carrier, carrier) {
                (Carrier::Hardware, Carrier::Tcp) => "none, by SHMEM_TRANSPORT=hardware, instead of ",
                _ => "",
            };
            format!("{instead}{carrier}, {why}")
        }
    };
    Row::new("between-hosts", text)
}

/// The first usable transport that has devices here, and why.
fn chosen(homes: &[Home], has_devices: impl Fn(&Home) -> bool, usable: impl Fn(Carrier) -> bool) -> (Carrier, String) {
    let present: Vec<&Home> = homes.iter().filter(|home| has_devices(home)).collect();
    match present.iter().find(|home| usable(home.transport)) {
        Some(home) => (home.transport, format!("for the devices of {}", home.class)),
        None if present.is_empty() => {
            let mut classes: Vec<&str> = homes.iter().map(|home| home.class).collect();
            classes.dedup();
            (Carrier::Tcp, format!("since this host has no devices in {}", classes.join(", ")))
        }
        None => {
            let mut tried: Vec<String> = Vec::new();
            for transport in present.iter().map(|home| home.transport.to_string()) {
                if !tried.contains(&transport) {
                    tried.push(transport);
                }
            }
            let class = present[0].class;
            (Carrier::Tcp, format!("since {} cannot be used for the devices of {class}", tried.join(" and ")))
        }
    }
}

fn tcp(settings: &Result<Settings, impl std::fmt::Display>) -> Row {
    let wish = settings.as_ref().ok().and_then(|settings| settings.tcp_interface.clone());
    let text = match ferrite_tcp::survey(wish.as_deref()) {
        Err(error) => format!("cannot be used: {error}"),
        Ok(addresses) => {
            let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            format!("usable; peers would connect to {}", addresses.join(", "))
        }
    };
    Row::new("tcp", text)
}

fn libfabric(settings: &Result<Settings, impl std::fmt::Display>) -> Asked {
    let mut options = ferrite_ofi::Options::new(Pe(0), 1, 0);
    if let Ok(settings) = settings {
        options.provider = settings.ofi_provider.clone();
        options.fabric = settings.ofi_fabric.clone();
        options.domain = settings.ofi_domain.clone();
    }
    let found = loader::find(LIBFABRIC.soname, LIBFABRIC.package);
    let (version, candidates) = match ferrite_ofi::survey(&options) {
        Ok(survey) => (survey.version, survey.candidates),
        Err(error) => return Asked { usable: false, row: row(&LIBFABRIC, found, &format!("cannot be used: {error}")) },
    };
    let found = found.map(|found| of_library(found, &format!("{}.{}", version.0, version.1)));
    let chosen = candidates.iter().find(|candidate| candidate.verdict == Verdict::Chosen);
    let verdict = match chosen {
        Some(one) => {
            let executor = if one.may_have_atomics() { "the NIC" } else { "the target's processor" };
            format!("usable: {} on {} ({}); atomics by {executor}", one.name, one.domain, one.fabric)
        }
        None => "none of its offers can be used".to_owned(),
    };
    let mut lines: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    lines.dedup();
    let row = lines.into_iter().fold(row(&LIBFABRIC, found, &verdict), |row, line| row.with("offer", line));
    Asked {
        usable: chosen.is_some_and(|one| one.drives_nic() || settings.as_ref().is_ok_and(Settings::tells_libfabric)),
        row,
    }
}

fn ucx(settings: &Result<Settings, impl std::fmt::Display>) -> Asked {
    let is_told = settings.as_ref().is_ok_and(Settings::tells_ucx);
    let found = loader::find(UCX.soname, UCX.package);
    match ferrite_ucx::survey(&ferrite_ucx::Options::new(Pe(0), 1, 0)) {
        Err(error) => Asked { usable: false, row: row(&UCX, found, &format!("cannot be used: {error}")) },
        Ok(survey) => {
            let (major, minor, release) = survey.version;
            let found = found.map(|found| of_library(found, &format!("{major}.{minor}.{release}")));
            let row = row(&UCX, found, "usable").with("resources", survey.resources.join(", "));
            Asked { usable: survey.drives_nic || is_told, row }
        }
    }
}

/// The library that the loader finds, with the version that the loaded library reports. A package version that begins with that version is
/// kept, since it has more digits.
fn of_library(found: Found, version: &str) -> Found {
    let says_more = found.version.as_ref().is_some_and(|more| more.starts_with(&format!("{version}.")));
    if says_more { found } else { Found { version: Some(version.to_owned()), ..found } }
}

/// A library, where it was found, and a note about it.
fn row(library: &Library, found: Option<Found>, verdict: &str) -> Row {
    match found {
        // If the loader did not find the library, the verdict says so.
        None => Row::new(library.name, verdict),
        Some(found) => {
            let version = found.version.as_ref().map(|version| format!("{version} ")).unwrap_or_default();
            Row::new(library.name, format!("{version}{verdict}"))
                .with("path", found.path.display().to_string())
                .with("file", found.file.display().to_string())
        }
    }
}

/// PMIx's library and its package.
pub(super) const PMIX_LIBRARY: (&str, &str) = (PMIX.soname, PMIX.package);

/// A way to communicate over a library, and the settings that select it alone.
pub(super) struct Offer {
    /// The text after the library's name.
    pub(super) name: String,
    pub(super) settings: Vec<(&'static str, String)>,
}

/// The providers and NICs that libfabric can use here: its own choice, and each further NIC that it drives. An error if there is none.
pub(super) fn libfabric_offers() -> Result<Vec<Offer>, String> {
    let survey = ferrite_ofi::survey(&ferrite_ofi::Options::new(Pe(0), 1, 0)).map_err(|error| error.to_string())?;
    let is_usable =
        |one: &&Candidate| one.verdict == Verdict::Chosen || one.verdict == Verdict::Spare && one.drives_nic();
    let mut offers: Vec<Offer> = Vec::new();
    for one in survey.candidates.iter().filter(is_usable) {
        let name = format!(", {} on {}", one.name, one.domain);
        if offers.iter().all(|offer| offer.name != name) {
            let settings = vec![("SHMEM_OFI_PROVIDER", one.name.clone()), ("SHMEM_OFI_DOMAIN", one.domain.clone())];
            offers.push(Offer { name, settings });
        }
    }
    if offers.is_empty() { Err("none of its offers can be used".to_owned()) } else { Ok(offers) }
}

/// UCX's own choice, and each NIC that it drives. An error if UCX cannot be used.
pub(super) fn ucx_offers() -> Result<Vec<Offer>, String> {
    let survey = ferrite_ucx::survey(&ferrite_ucx::Options::new(Pe(0), 1, 0)).map_err(|error| error.to_string())?;
    let mut offers = vec![Offer { name: String::new(), settings: Vec::new() }];
    if survey.drives_nic {
        let devices =
            survey.resources.iter().filter(|resource| resource.starts_with("rc_") || resource.starts_with("dc_"));
        let mut devices: Vec<&str> = devices.filter_map(|resource| Some(resource.split_once('/')?.1)).collect();
        devices.sort_unstable();
        devices.dedup();
        offers.extend(devices.into_iter().map(|device| Offer {
            name: format!(", {device}"),
            settings: vec![("UCX_NET_DEVICES", device.to_owned())],
        }));
    }
    Ok(offers)
}

fn process_manager() -> Row {
    match loader::find(PMIX.soname, PMIX.package) {
        None => Row::new(PMIX.name, format!("{} not found: jobs under mpirun or srun --mpi=pmix need it", PMIX.soname)),
        found => row(&PMIX, found, "usable, loaded where a launcher speaks PMIx"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Carrier::{Libfabric, Ucx};

    #[test]
    fn nics_have_their_numa_nodes() {
        let mut machine = Machine::synthetic("2x[1x2]+2nic").unwrap();
        machine.nics[1].numa = None;
        assert_eq!(nics(&machine.nics), "nic0 (NUMA node 0), nic1");
        assert_eq!(nics(&[]), "none");
    }

    #[test]
    fn the_ladder_between_hosts() {
        let rows: [(&[&str], &[Carrier], &str); 8] = [
            (&[], &[Libfabric, Ucx], "tcp, since this host has no devices in"),
            (
                &["/sys/class/cxi", "/sys/class/infiniband"],
                &[Libfabric, Ucx],
                "libfabric, for the devices of /sys/class/cxi",
            ),
            (&["/sys/class/infiniband"], &[Libfabric, Ucx], "ucx, for the devices"),
            (&["/sys/class/infiniband"], &[Libfabric], "libfabric, for the devices"),
            (&["/sys/class/infiniband", "efa"], &[Libfabric, Ucx], "libfabric, for the devices"),
            (&["/sys/class/infiniband", "efa"], &[Ucx], "ucx, for the devices"),
            (&["/sys/class/infiniband", "efa"], &[], "tcp, since libfabric and ucx cannot be used"),
            (&["/sys/class/infiniband"], &[], "tcp, since ucx and libfabric cannot be used"),
        ];
        for (devices, usable, words) in rows {
            let has = |home: &Home| {
                devices.contains(&home.class) && home.driver.is_none_or(|driver| devices.contains(&driver))
            };
            let (carrier, why) = chosen(&HOMES, has, |transport| usable.contains(&transport));
            let text = format!("{carrier}, {why}");
            assert!(text.starts_with(words), "{devices:?}, {usable:?}: {text}");
        }
    }
}
