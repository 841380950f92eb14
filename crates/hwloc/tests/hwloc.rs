//! The hwloc probe, compared with sysfs on this machine, and with the topologies of other machines in hwloc's XML.

#[cfg(hwloc_found)]
#[path = "../../topology/tests/boards/mod.rs"]
mod boards;

#[cfg(not(hwloc_found))]
#[test]
fn hwloc_is_missing() {
    println!("skipped: this build found no hwloc (install libhwloc-dev and rebuild)");
    let told = std::process::Command::new(env!("CARGO_BIN_EXE_ferrite-hwloc")).output().unwrap();
    assert!(!told.status.success() && String::from_utf8_lossy(&told.stderr).contains("libhwloc-dev"), "{told:?}");
}

#[cfg(hwloc_found)]
mod found {
    use std::{
        env,
        fmt::Write,
        fs,
        path::{Path, PathBuf},
        process::{self, Command, Output},
    };

    use ferrite_hwloc::Hwloc;
    use ferrite_topology::{CpuSet, Machine, Nic, NicKind, Numa, Package, Probe, Sysfs};
    use proptest::prelude::*;

    use super::boards;

    /// A temporary file, removed at the end.
    struct File(PathBuf);

    impl File {
        fn new(name: &str, text: impl AsRef<[u8]>) -> File {
            let path = env::temp_dir().join(format!("ferrite-hwloc-{}-{name}", process::id()));
            fs::write(&path, text).unwrap();
            File(path)
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn both_probes_agree_on_this_machine() {
        let (sysfs, hwloc) = (Sysfs::here().probe().unwrap(), Hwloc::here().probe().unwrap());
        assert_eq!(shapes(&hwloc), shapes(&sysfs));
        // A virtual machine may gain and lose memory while it runs, so compare only which nodes have some.
        let memories = |machine: &Machine| {
            let all = machine.numas().chain(&machine.memory_only);
            all.map(|numa| (numa.id, numa.memory_bytes.is_some_and(|bytes| bytes > 0))).collect::<Vec<_>>()
        };
        assert_eq!(memories(&hwloc), memories(&sysfs));
        assert_eq!(hwloc.usable, sysfs.usable);
        let names = |machine: &Machine| machine.nics.iter().map(|nic| nic.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&hwloc), names(&sysfs));
        for (ours, theirs) in sysfs.nics.iter().zip(&hwloc.nics) {
            // hwloc may know the node of a device that the kernel does not know, but it must not contradict the kernel.
            assert!(ours.numa.is_none() || ours.numa == theirs.numa, "{ours:?} {theirs:?}");
        }
    }

    #[test]
    fn the_machine_that_lstopo_exports_is_this_one() {
        let exported = Command::new("lstopo-no-graphics").args(["--of", "xml"]).output();
        let Ok(exported) = exported.and_then(|out| if out.status.success() { Ok(out) } else { Err(io_error()) }) else {
            println!("skipped: there is no lstopo-no-graphics here");
            return;
        };
        let file = File::new("here.xml", exported.stdout);
        let (machine, version) = Hwloc::xml(&file.0).read().unwrap();
        let here = Hwloc::here().probe().unwrap();
        assert_eq!(shapes(&machine), shapes(&here));
        assert!(version.starts_with('2'), "{version}");
    }

    fn io_error() -> std::io::Error {
        std::io::Error::other("refused")
    }

    /// The cores of each node, without its memory: a running machine has less and less of that.
    fn shapes(machine: &Machine) -> Vec<(u32, u32, String)> {
        let of = |package: &Package| {
            let numa = |numa: &Numa| (package.id, numa.id, format!("{:?}", numa.cores));
            package.numas.iter().map(numa).collect::<Vec<_>>()
        };
        machine.packages.iter().flat_map(of).collect()
    }

    /// A set as hwloc writes it: the highest 32 bits first.
    fn mask(set: &CpuSet) -> String {
        let groups = set.iter().last().unwrap_or(0) / 32;
        let group =
            |group: u32| (0..32).filter(|bit| set.contains(group * 32 + bit)).fold(0u32, |all, bit| all | 1 << bit);
        (0..=groups).rev().map(|at| format!("0x{:08x}", group(at))).collect::<Vec<_>>().join(",")
    }

    fn of_cores(numas: &[Numa]) -> CpuSet {
        numas.iter().flat_map(|numa| &numa.cores).flat_map(|core| core.threads.iter().copied()).collect()
    }

    fn open(text: &mut String, kind: &str, number: u32, cpus: &CpuSet, nodes: &CpuSet, more: &str) {
        let (cpus, nodes) = (mask(cpus), mask(nodes));
        let _ = writeln!(
            text,
            "<object type=\"{kind}\" os_index=\"{number}\" cpuset=\"{cpus}\" complete_cpuset=\"{cpus}\" \
             nodeset=\"{nodes}\" complete_nodeset=\"{nodes}\"{more}>"
        );
    }

    /// The machine in hwloc's XML, as hwloc itself exports it: memory beside the cpus that it serves, devices on a bus of their node.
    fn xml(machine: &Machine) -> String {
        let mut text =
            "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
                .to_owned();
        let served = |numa: &&Numa| numa.memory_bytes.is_some();
        let nodes: CpuSet = machine.numas().filter(served).chain(&machine.memory_only).map(|numa| numa.id).collect();
        let all = machine.cpus();
        let allowed = format!(" allowed_cpuset=\"{}\" allowed_nodeset=\"{}\"", mask(&machine.usable), mask(&nodes));
        open(&mut text, "Machine", 0, &all, &nodes, &allowed);
        // The n-th node of memory alone belongs beside the n-th NUMA node if there are as many of both, else beside the whole machine.
        let beside = |id: u32| {
            machine
                .memory_only
                .iter()
                .enumerate()
                .find(|&(at, _)| machine.numas().nth(at).is_some_and(|numa| numa.id == id))
        };
        let spread = machine.memory_only.len() == machine.numas().count();
        if !spread {
            machine.memory_only.iter().for_each(|numa| memory(&mut text, numa, &all, ""));
        }
        for package in &machine.packages {
            let near: CpuSet = package.numas.iter().filter(served).map(|numa| numa.id).collect();
            open(&mut text, "Package", package.id, &of_cores(&package.numas), &near, "");
            for numa in &package.numas {
                let extra = beside(numa.id).filter(|_| spread).map(|(_, extra)| extra);
                node(&mut text, machine, numa, extra);
            }
            text += "</object>\n";
        }
        text + "</object>\n</topology>\n"
    }

    fn memory(text: &mut String, numa: &Numa, cpus: &CpuSet, more: &str) {
        let bytes = numa.memory_bytes.unwrap_or(0);
        let nodes: CpuSet = [numa.id].into_iter().collect();
        open(text, "NUMANode", numa.id, cpus, &nodes, &format!(" local_memory=\"{bytes}\"{more}"));
        *text += "</object>\n";
    }

    fn node(text: &mut String, machine: &Machine, numa: &Numa, extra: Option<&Numa>) {
        let cpus = of_cores(std::slice::from_ref(numa));
        let near: CpuSet =
            [Some(numa), extra].into_iter().flatten().filter(|n| n.memory_bytes.is_some()).map(|n| n.id).collect();
        open(text, "Group", numa.id, &cpus, &near, " kind=\"0\" subkind=\"0\" dont_merge=\"1\"");
        if numa.memory_bytes.is_some() {
            memory(text, numa, &cpus, "");
        }
        if let Some(extra) = extra {
            memory(text, extra, &cpus, " subtype=\"MCDRAM\"");
        }
        for core in &numa.cores {
            let threads: CpuSet = core.threads.iter().copied().collect();
            open(text, "Core", core.threads[0], &threads, &near, "");
            for &cpu in &core.threads {
                open(text, "PU", cpu, &[cpu].into_iter().collect(), &near, "");
                *text += "</object>\n";
            }
            *text += "</object>\n";
        }
        let here = |nic: &&Nic| nic.numa == Some(numa.id);
        for (at, nic) in machine.nics.iter().enumerate().filter(|(_, nic)| here(nic)) {
            device(text, at, nic);
        }
        *text += "</object>\n";
    }

    fn device(text: &mut String, at: usize, nic: &Nic) {
        let (low, high) = (at * 2 + 16, at * 2 + 17);
        let _ = writeln!(
            text,
            "<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[{low:02x}-{high:02x}]\">\n\
             <object type=\"PCIDev\" pci_busid=\"0000:{low:02x}:00.0\" pci_type=\"0207 [15b3:101b] [15b3:0007] 00\" \
             pci_link_speed=\"31.5\">"
        );
        let (kind, name, more) = match nic.kind {
            // hwloc before 2.10 lists such a NIC only as an Ethernet device.
            NicKind::Cxi => (2, nic.name.replace("cxi", "hsn"), " subtype=\"Slingshot\""),
            NicKind::Net => (2, nic.name.clone(), ""),
            _ => (3, nic.name.clone(), ""),
        };
        let _ = writeln!(text, "<object type=\"OSDev\" name=\"{name}\" osdev_type=\"{kind}\"{more}>");
        if let Some(network) = nic.network.as_deref().and_then(|network| network.strip_prefix("InfiniBand ")) {
            for (name, value) in [("State", "4"), ("LID", "0x1a"), ("GID0", &format!("{network}:506b:4b03:00fb:c55a"))]
            {
                let _ = writeln!(text, "<info name=\"Port1{name}\" value=\"{value}\"/>");
            }
        }
        *text += "</object>\n</object>\n</object>\n";
    }

    #[test]
    fn machines_that_exist_come_back_from_xml() {
        for (name, mut machine) in boards::all() {
            let file = File::new(&format!("{name}.xml"), xml(&machine));
            let found = Hwloc::xml(&file.0).probe().unwrap_or_else(|error| panic!("{name}: {error}"));
            // Exports do not contain the state of an Ethernet link.
            machine.nics.iter_mut().filter(|nic| nic.kind == NicKind::Net).for_each(|nic| nic.up = None);
            assert_eq!(found.listing(), machine.listing(), "{name}");
            assert_eq!(Machine::from_listing(&found.listing()).unwrap(), found, "{name}");
        }
    }

    fn ask(file: &Path) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ferrite-hwloc")).arg(file).output().unwrap()
    }

    #[test]
    fn what_is_no_map_is_refused_by_its_name() {
        let whole = xml(&boards::xeon_cod());
        let empty = "<topology version=\"2.0\"></topology>";
        let rows: [(&str, &[u8], &str); 7] = [
            ("empty.xml", b"", "is not hwloc's XML"),
            ("text.xml", b"packages and cores", "is not hwloc's XML"),
            ("zero.xml", b"<topology>\0</topology>", "zero"),
            ("other.xml", b"<html><body/></html>", "is not hwloc's XML"),
            ("hollow.xml", empty.as_bytes(), "is not hwloc's XML"),
            ("half.xml", &whole.as_bytes()[..whole.len() / 2], "is not hwloc's XML"),
            ("three.xml", b"<?xml version=\"1.0\"?>\n<topology version=\"3.0\">\n</topology>", "--export-xml-flags v2"),
        ];
        for (name, text, words) in rows {
            let file = File::new(name, text);
            let error = Hwloc::xml(&file.0).probe().unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(words), "{error}");
            let told = ask(&file.0);
            assert_eq!((told.status.code(), told.stdout.len()), (Some(1), 0), "{told:?}");
            assert!(String::from_utf8_lossy(&told.stderr).contains(name), "{told:?}");
        }
        for place in ["/nowhere/at/all.xml", "/dev/zero", "/"] {
            let error = Hwloc::xml(place).probe().unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }

    #[test]
    fn what_a_file_says_is_text_that_no_terminal_obeys() {
        let machine = |name: &str, gid: &str| {
            let mut machine = boards::xeon_snc2();
            machine.nics[0].name = name.to_owned();
            machine.nics[0].network = Some(format!("InfiniBand {gid}"));
            let version = "<info name=\"hwlocVersion\" value=\"2.9&#10;usable 0\u{9b}31m\"/>\n<object type=\"Package\"";
            let file = File::new("strange.xml", xml(&machine).replacen("<object type=\"Package\"", version, 1));
            let told = ask(&file.0);
            assert!(told.status.success(), "{told:?}");
            let text = String::from_utf8(told.stdout).unwrap();
            assert!(text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()), "{text:?}");
            let (version, listing) = text.split_once('\n').unwrap();
            assert_eq!(version, "2.9?usable 0??31m");
            Machine::from_listing(listing).unwrap()
        };
        let strange = machine("mlx&#10;\u{9b}31m x\u{202e}", "fe80&#10;\u{7f}00:0000:0000:00");
        assert_eq!(strange.nics[0].name, "mlx???31m_x???");
        assert_eq!(strange.nics[0].network.as_deref(), Some("InfiniBand fe80??00:0000:0000:"));
        // A NIC without a name is left out.
        let nameless = machine("  ", "fe80:0000:0000:0000").nics;
        assert_eq!(nameless.iter().map(|nic| &*nic.name).collect::<Vec<_>>(), ["mlx5_1"]);
    }

    #[test]
    fn the_command_says_the_version_and_the_map() {
        let file = File::new("command.xml", xml(&boards::frontier()));
        let told = String::from_utf8(ask(&file.0).stdout).unwrap();
        let (version, listing) = told.split_once('\n').unwrap();
        assert_eq!(version, "2");
        assert_eq!(Machine::from_listing(listing).unwrap(), boards::frontier());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // Damaged files, read by the command. Whatever C's parser makes of them, nothing else is affected, and a map that is read is valid.
        #[test]
        fn no_damage_to_a_file_makes_a_map_that_is_none(
            at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
            cuts in any::<bool>(),
        ) {
            let mut text = xml(&boards::westmere()).into_bytes();
            at.iter().for_each(|(at, byte)| { let at = at.index(text.len()); text[at] = *byte; });
            if cuts { text.truncate(cut.index(text.len())); }
            let file = File::new("damaged.xml", &text);
            let told = ask(&file.0);
            if told.status.success() {
                let text = String::from_utf8(told.stdout).unwrap();
                let machine = Machine::from_listing(text.split_once('\n').unwrap().1);
                prop_assert!(machine.is_ok(), "{}", text);
            }
        }
    }
}
