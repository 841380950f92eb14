//! GPUs: trees of sysfs of other machines, and their distribution over PEs.

use ferrite_topology::{CpuSet, Gpu, GpuMaker, GpuWish, Machine, Probe, Sysfs};
use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process,
};

/// A directory of its own, removed at the end.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Tree {
        let root = env::temp_dir().join(format!("ferrite-gpus-{name}-{}", process::id()));
        // An earlier process of this number may have left one.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let tree = Tree(root);
        tree.file("sys/devices/system/cpu/online", "0-1");
        tree
    }

    fn file(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// A PCI device at a path below `sys/devices`, and a link to it.
    fn device(&self, path: &str, link: &str, facts: [&str; 3]) {
        let device = self.0.join("sys/devices").join(path);
        for (name, text) in ["class", "vendor", "numa_node"].iter().zip(facts) {
            self.file(device.join(name), text);
        }
        let link = self.0.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(device, link).unwrap();
    }

    fn gpu(&self, path: &str, driver: &str, facts: [&str; 3]) {
        let pci = path.rsplit('/').next().unwrap();
        self.device(path, &format!("sys/bus/pci/drivers/{driver}/{pci}"), facts);
    }

    fn nic(&self, path: &str, name: &str, numa: &str) {
        self.device(path, &format!("sys/class/infiniband/{name}/device"), ["0x020700", "0x15b3", numa]);
    }

    fn probe(&self) -> Vec<Gpu> {
        Sysfs::below(&self.0, CpuSet::new()).probe().unwrap().gpus
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn gpu(pci: &str, maker: GpuMaker, numa: Option<u32>, nics: &[&str]) -> Gpu {
    Gpu { pci: pci.to_owned(), maker, numa, nics: nics.iter().map(|&nic| nic.to_owned()).collect(), closed: false }
}

#[test]
fn gpus_have_the_nics_of_their_switch_and_are_in_pci_order() {
    let tree = Tree::new("switch");
    // Two switches below one root, each with a GPU and a NIC; a third GPU below a root of its own.
    tree.gpu("pci0000:80/0000:80:01.0/0000:85:00.0", "nvidia", ["0x030200", "0x10de", "1"]);
    tree.gpu("pci0000:3a/0000:3a:00.0/0000:3c:00.0", "nvidia", ["0x030000", "0x10de", "0"]);
    tree.gpu("pci0000:3a/0000:3a:01.0/0000:3e:00.0", "nvidia", ["0x030200", "0x10de", "0"]);
    tree.nic("pci0000:3a/0000:3a:00.0/0000:3b:00.0", "mlx5_0", "0");
    tree.nic("pci0000:3a/0000:3a:01.0/0000:3d:00.0", "mlx5_1", "0");
    tree.nic("pci0000:90/0000:91:00.0", "mlx5_2", "1");
    let expected = [
        gpu("0000:3c:00.0", GpuMaker::Nvidia, Some(0), &["mlx5_0"]),
        gpu("0000:3e:00.0", GpuMaker::Nvidia, Some(0), &["mlx5_1"]),
        // No NIC below its root: the one of its NUMA node.
        gpu("0000:85:00.0", GpuMaker::Nvidia, Some(1), &["mlx5_2"]),
    ];
    assert_eq!(tree.probe(), expected);
}

#[test]
fn other_functions_of_a_card_and_unknown_nodes() {
    let tree = Tree::new("functions");
    tree.gpu("pci0000:00/0000:01:00.0", "amdgpu", ["0x038000", "0x1002", "-1"]);
    tree.gpu("pci0000:00/0000:01:00.1", "nvidia", ["0x040300", "0x10de", "0"]);
    tree.gpu("pci0000:00/0000:02:00.0", "nvidia", ["0x030000", "0x1a03", "0"]);
    // A driver's directory also has files and links that are no devices.
    tree.file("sys/bus/pci/drivers/nvidia/bind", "");
    assert_eq!(tree.probe(), [gpu("0000:01:00.0", GpuMaker::Amd, None, &[])]);
    assert_eq!(Tree::new("none").probe(), []);
}

#[test]
fn gpus_that_a_container_does_not_have_are_closed() {
    let tree = Tree::new("elsewhere");
    for pci in ["0000:01:00.0", "0000:02:00.0", "0000:03:00.0"] {
        tree.gpu(&format!("pci0000:00/{pci}"), "nvidia", ["0x030200", "0x10de", "0"]);
    }
    let closed = || {
        let machine = Sysfs::below(&tree.0, CpuSet::new()).opening(tree.0.join("dev")).probe().unwrap();
        machine.gpus.iter().map(|gpu| gpu.closed).collect::<Vec<_>>()
    };
    assert_eq!(closed(), [false; 3], "the driver lists no GPUs");
    tree.file("proc/driver/nvidia/gpus/0000:02:00.0/information", "Device Minor: \t 1");
    tree.file("dev/nvidia1", "");
    assert_eq!(closed(), [true, false, true]);
}

#[test]
fn a_gpu_whose_file_cannot_be_opened_is_closed() {
    let tree = Tree::new("closed");
    for (pci, minor) in [("0000:01:00.0", 0), ("0000:02:00.0", 1)] {
        tree.gpu(&format!("pci0000:00/{pci}"), "nvidia", ["0x030200", "0x10de", "0"]);
        let about = format!("Model: \t NVIDIA A100\nDevice Minor: \t {minor}");
        tree.file(format!("proc/driver/nvidia/gpus/{pci}/information"), &about);
    }
    tree.file("dev/nvidia1", "");
    let machine = Sysfs::below(&tree.0, CpuSet::new()).opening(tree.0.join("dev")).probe().unwrap();
    assert_eq!(machine.gpus.iter().map(|gpu| gpu.closed).collect::<Vec<_>>(), [true, false]);
    let given = machine.distribute_gpus(&[None], GpuWish::Nearest, None).unwrap();
    assert_eq!((given[0][0].word.as_str(), given[0][0].pci.as_deref()), ("0", Some("0000:02:00.0")));
}

/// Two NUMA nodes of four cores with the given numbers of GPUs.
fn board(gpus: [u32; 2]) -> Machine {
    let mut machine = Machine::synthetic("2x[1x4]").unwrap();
    let nodes = (0..2).flat_map(|node| (0..gpus[node as usize]).map(move |_| node));
    let number = |(at, node)| gpu(&format!("0000:{:02x}:00.0", at + 1), GpuMaker::Nvidia, Some(node), &[]);
    machine.gpus = nodes.enumerate().map(number).collect();
    machine
}

/// The words of each PE, for PEs that are bound to one of these cpus each; an empty list is one that is not bound.
fn words(machine: &Machine, cpus: &[&str], wish: &str, visible: Option<&str>) -> Result<String, String> {
    let cpus: Vec<Option<CpuSet>> = cpus.iter().map(|list| (!list.is_empty()).then(|| list.parse().unwrap())).collect();
    let given = machine.distribute_gpus(&cpus, wish.parse().unwrap(), visible).map_err(|error| error.to_string())?;
    let word =
        |gpus: &Vec<ferrite_topology::GivenGpu>| gpus.iter().map(|gpu| gpu.word.clone()).collect::<Vec<_>>().join(",");
    Ok(given.iter().map(word).collect::<Vec<_>>().join(" "))
}

#[test]
fn pes_get_the_gpus_of_their_node_and_share_evenly() {
    let rows: [([u32; 2], &[&str], &str, &str); 10] = [
        ([2, 2], &["0", "4", "1", "5"], "nearest", "0 2 1 3"),
        ([2, 2], &["4"], "nearest", "2"),
        ([1, 1], &["0", "1", "4", "5"], "nearest", "0 0 1 1"),
        // Four PEs of one node use the GPUs of both: an idle GPU would be worse than a far one.
        ([1, 1], &["0", "1", "2", "3"], "nearest", "0 0 1 1"),
        ([2, 2], &["0", "1", "2", "4", "5"], "nearest", "0 1 0 2 3"),
        // PEs that are not bound are as near to all.
        ([1, 2], &["", "", ""], "nearest", "0 1 2"),
        ([2, 2], &["0-7", "0-7"], "1", "0 1"),
        ([2, 2], &["4", "0"], "2", "2,3 0,1"),
        ([1, 3], &["0", "4"], "2", "0,1 2,3"),
        ([0, 3], &["0"], "3", "0,1,2"),
    ];
    for (gpus, cpus, wish, expected) in rows {
        assert_eq!(words(&board(gpus), cpus, wish, None).as_deref(), Ok(expected), "{gpus:?} {cpus:?} {wish}");
    }
}

#[test]
fn only_visible_gpus_are_given() {
    let machine = board([2, 2]);
    let rows: [(&[&str], &str, &str, &str); 4] = [
        (&["0", "4"], "nearest", "3,0", "0 3"),
        (&["0", "4"], "nearest", "1", "1 1"),
        (&["0", "4"], "1", " GPU-5a , GPU-5b", "GPU-5a GPU-5b"),
        (&["4"], "nearest", "0,-1,2", "0"),
    ];
    for (cpus, wish, visible, expected) in rows {
        assert_eq!(words(&machine, cpus, wish, Some(visible)).as_deref(), Ok(expected), "{visible}");
    }
}

/// GPUs of both nodes, CPUs of each PE, the wish, `CUDA_VISIBLE_DEVICES`, and the message.
type Refused = ([u32; 2], &'static [&'static str], &'static str, Option<&'static str>, &'static str);

#[test]
fn too_few_gpus_are_refused() {
    let rows: [Refused; 4] = [
        ([2, 2], &["0", "1", "2"], "2", None, "3 PEs with 2 GPUs each need 6: 4 are there"),
        (
            [0, 0],
            &["0"],
            "nearest",
            None,
            "there is no GPU: the kernel lists none with NVIDIA's driver that this process can open",
        ),
        ([2, 2], &["0"], "1", Some(""), "there is no GPU: CUDA_VISIBLE_DEVICES is '', which names none"),
        ([2, 2], &["0"], "nearest", Some("7"), "there is no GPU: CUDA_VISIBLE_DEVICES is '7', which names none"),
    ];
    for (gpus, cpus, wish, visible, expected) in rows {
        assert_eq!(words(&board(gpus), cpus, wish, visible).unwrap_err(), expected);
    }
    for text in ["", "0", "near", "-1", "1.5"] {
        let error = text.parse::<GpuWish>().unwrap_err().to_string();
        assert_eq!(error, format!("cannot give each PE '{text}' GPUs: expected nearest, or a number such as 1"));
    }
    assert_eq!(["nearest", "4"].map(|text| text.parse::<GpuWish>().unwrap().to_string()), ["nearest", "4"]);
}

#[test]
fn gpus_are_drawn_with_their_node() {
    let mut machine = board([1, 0]);
    machine.gpus[0].nics = vec!["mlx5_0".to_owned()];
    machine.gpus.push(gpu("0000:99:00.0", GpuMaker::Amd, None, &[]));
    let text = machine.to_string();
    assert!(text.contains("  numa 0  4 cores  CPUs 0-3\n    gpu 0000:01:00.0 (nvidia, near mlx5_0)\n"), "{text}");
    assert!(text.ends_with("\ngpu 0000:99:00.0 (amd)\n"), "{text}");
    let picture = machine.picture(&[]);
    assert!(picture.contains("└ gpu 0000:01:00.0 (nvidia, near mlx5_0)\n"), "{picture}");
    assert!(picture.contains("gpu 0000:99:00.0 (amd), on an unknown node\n"), "{picture}");
}

/// CUDA shows no GPU from the first invalid number in `CUDA_VISIBLE_DEVICES` on.
#[test]
fn an_invalid_number_hides_the_gpus_behind_it() {
    for (visible, expected) in [("1,-1,0", "1"), ("1,2,0", "1"), ("1, 0,7", "1 0"), ("GPU-a,9,GPU-b", "GPU-a")] {
        let count = expected.split(' ').count().to_string();
        let given = board([1, 1]).distribute_gpus(&[None], count.parse().unwrap(), Some(visible)).unwrap();
        let words: Vec<&str> = given[0].iter().map(|gpu| gpu.word.as_str()).collect();
        assert_eq!(words.join(" "), expected, "{visible}");
        let one_more = GpuWish::Each(words.len() as u32 + 1);
        assert!(board([1, 1]).distribute_gpus(&[None], one_more, Some(visible)).is_err(), "{visible}");
    }
    // The kernel of some containers lists no GPU: the numbers cannot be judged.
    let given = board([0, 0]).distribute_gpus(&[None], GpuWish::Each(2), Some("5,6")).unwrap();
    assert_eq!(given[0].iter().map(|gpu| gpu.word.as_str()).collect::<Vec<_>>(), ["5", "6"]);
}
