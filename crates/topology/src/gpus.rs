//! GPUs: read from sysfs, and distributed over PEs.

use std::{
    cell::LazyCell,
    ffi::OsString,
    fmt,
    fs::File,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::{CpuSet, Error, Machine, Nic, NicKind, Result};
use ferrite_os::sysfs::{names, number, text};

/// A GPU that a driver for computing serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its PCI address, such as `0000:3b:00.0`.
    pub pci: String,
    /// The maker of the GPU.
    pub maker: GpuMaker,
    /// The NUMA node that it is attached to, if the kernel knows it.
    pub numa: Option<u32>,
    /// The names of the NICs that are nearest to it on the PCI tree, else in its NUMA node.
    pub nics: Vec<String>,
    /// True if this process cannot open the device: a container or a batch system gives a job only some of a host's GPUs.
    pub closed: bool,
}

/// The maker of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuMaker {
    /// NVIDIA: its driver is CUDA's.
    Nvidia,
    /// AMD: its driver is ROCm's.
    Amd,
}

impl GpuMaker {
    /// The maker's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            GpuMaker::Nvidia => "nvidia",
            GpuMaker::Amd => "amd",
        }
    }

    pub(crate) fn named(name: &str) -> Option<GpuMaker> {
        [GpuMaker::Nvidia, GpuMaker::Amd].into_iter().find(|maker| maker.name() == name)
    }
}

/// The drivers for computing, and the vendor numbers of their devices.
const DRIVERS: [(&str, &str, GpuMaker); 2] =
    [("nvidia", "0x10de", GpuMaker::Nvidia), ("amdgpu", "0x1002", GpuMaker::Amd)];

/// The directories in which GPUs are found.
pub(crate) struct Directories<'a> {
    /// `sys/bus/pci/drivers`. Only devices with a driver are listed: CUDA does not see the others. A host without these drivers costs one
    /// refused call for each.
    pub drivers: &'a Path,
    /// `sys/class`, for NICs.
    pub classes: &'a Path,
    /// `proc/driver/nvidia/gpus`, which has the number of a device's file.
    pub nvidia: &'a Path,
    /// The device files, if this process would open devices.
    pub files: Option<&'a Path>,
}

/// The GPUs, by PCI address: the order of CUDA's numbers with `CUDA_DEVICE_ORDER=PCI_BUS_ID`.
pub(crate) fn read(at: &Directories<'_>, nics: &[Nic]) -> Vec<Gpu> {
    let mut gpus = Vec::new();
    // Only hosts with GPUs resolve the paths of their NICs.
    let fabric = LazyCell::new(|| fabric_nics(at.classes, nics));
    for (driver, vendor, maker) in DRIVERS {
        let directory = at.drivers.join(driver);
        for pci in names(&directory).into_iter().filter(|name| name.contains(':')) {
            let about = directory.join(&pci);
            // Display controllers: VGA (0x0300), 3D (0x0302), others (0x0380). The driver may serve further functions of a card.
            let is_display = text(&about.join("class")).is_some_and(|class| class.starts_with("0x03"));
            if !is_display || text(&about.join("vendor")).as_deref() != Some(vendor) {
                continue;
            }
            let numa = number(&about.join("numa_node")).and_then(|id| u32::try_from(id).ok());
            let closed = maker == GpuMaker::Nvidia && at.files.is_some_and(|files| !opens(at.nvidia, &pci, files));
            let nics = nearest(&about, numa, &fabric);
            gpus.push(Gpu { pci, maker, numa, nics, closed });
        }
    }
    gpus.sort_by(|a, b| a.pci.cmp(&b.pci));
    gpus
}

/// True if this process can open the file of NVIDIA's device, or if the driver does not give the file's number. In a container the driver's
/// directory has only the container's devices, whereas sysfs shows all of the host's.
fn opens(nvidia: &Path, pci: &str, files: &Path) -> bool {
    let about = nvidia.join(pci);
    if nvidia.is_dir() && !about.exists() {
        return false;
    }
    let information = text(&about.join("information")).unwrap_or_default();
    let minor = information.lines().find_map(|line| line.strip_prefix("Device Minor:")?.trim().parse::<u32>().ok());
    minor.is_none_or(|minor| File::options().read(true).write(true).open(files.join(format!("nvidia{minor}"))).is_ok())
}

/// The usable NICs with their paths through the PCI tree, without plain network interfaces.
fn fabric_nics<'n>(classes: &Path, nics: &'n [Nic]) -> Vec<(&'n Nic, Vec<OsString>)> {
    let usable = nics.iter().filter(|nic| nic.kind != NicKind::Net && nic.is_usable());
    let path = |nic: &Nic| {
        let class = if nic.kind == NicKind::Cxi { "cxi" } else { "infiniband" };
        steps(&classes.join(class).join(&nic.name).join("device"))
    };
    usable.map(|nic| (nic, path(nic))).collect()
}

/// The NICs that share the longest part of the GPU's path through the PCI tree; if none is below the same root, the NICs of the GPU's NUMA
/// node.
fn nearest(gpu: &Path, numa: Option<u32>, nics: &[(&Nic, Vec<OsString>)]) -> Vec<String> {
    let path = steps(gpu);
    let shared = |other: &[OsString]| path.iter().zip(other).take_while(|(a, b)| a == b).count();
    let counted: Vec<(usize, &Nic)> = nics.iter().map(|(nic, other)| (shared(other), *nic)).collect();
    let most = counted.iter().map(|(steps, _)| *steps).max().unwrap_or(0);
    let is_near = |steps: usize, nic: &Nic| if most > 0 { steps == most } else { numa.is_some() && nic.numa == numa };
    counted.into_iter().filter(|&(steps, nic)| is_near(steps, nic)).map(|(_, nic)| nic.name.clone()).collect()
}

/// The steps of a device's path from its PCI root: `pci0000:3a`, then bridges, then the device. None outside of a PCI tree.
fn steps(device: &Path) -> Vec<OsString> {
    let path: PathBuf = device.canonicalize().unwrap_or_default();
    let steps = path.iter().skip_while(|step| !step.as_encoded_bytes().starts_with(b"pci"));
    steps.map(|step| step.to_os_string()).collect()
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = if self.nics.is_empty() { String::new() } else { format!(", near {}", self.nics.join(" ")) };
        let closed = if self.closed { ", cannot be opened here" } else { "" };
        write!(f, "gpu {} ({}{near}{closed})", self.pci, self.maker.name())
    }
}

/// The GPUs that each PE gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuWish {
    /// One, near its cpus if possible. PEs share GPUs evenly if there are more PEs.
    Nearest,
    /// This many of its own, near its cpus if possible.
    Each(u32),
}

impl FromStr for GpuWish {
    type Err = Error;

    fn from_str(text: &str) -> Result<GpuWish> {
        match (text, text.parse::<u32>()) {
            ("nearest", _) => Ok(GpuWish::Nearest),
            (_, Ok(count @ 1..)) => Ok(GpuWish::Each(count)),
            _ => Err(Error::new(format!("cannot give each PE '{text}' GPUs: expected nearest, or a number such as 1"))),
        }
    }
}

impl fmt::Display for GpuWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuWish::Nearest => f.write_str("nearest"),
            GpuWish::Each(count) => write!(f, "{count}"),
        }
    }
}

/// A GPU that a PE gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenGpu {
    /// Its word in `CUDA_VISIBLE_DEVICES`.
    pub word: String,
    /// Its PCI address, if it is known.
    pub pci: Option<String>,
    numa: Option<u32>,
}

impl Machine {
    /// Distribute NVIDIA's GPUs over the PEs of this machine. `cpus` has the cpus of each PE, `None` if it is not bound. `visible` is the
    /// value of `CUDA_VISIBLE_DEVICES`, if a batch system or the user has set it: only these GPUs are used then.
    pub fn distribute_gpus(
        &self,
        cpus: &[Option<CpuSet>],
        wish: GpuWish,
        visible: Option<&str>,
    ) -> Result<Vec<Vec<GivenGpu>>> {
        let all = self.given_gpus(visible);
        if all.is_empty() {
            let why = match visible {
                Some(text) => format!("CUDA_VISIBLE_DEVICES is '{text}', which names none"),
                None => "the kernel lists none with NVIDIA's driver that this process can open".to_owned(),
            };
            return Err(Error::new(format!("there is no GPU: {why}")));
        }
        let (each, users) = match wish {
            GpuWish::Nearest => (1, cpus.len().div_ceil(all.len())),
            GpuWish::Each(count) => (count as usize, 1),
        };
        if each.saturating_mul(cpus.len()) > all.len() * users {
            let (pes, there) = (cpus.len(), all.len());
            return Err(Error::new(format!("{pes} PEs with {each} GPUs each need {}: {there} are there", pes * each)));
        }
        let mut room = vec![users; all.len()];
        let give = |cpus: &Option<CpuSet>| {
            let homes = cpus.as_ref().map(|cpus| self.homes(cpus)).unwrap_or_default();
            let is_far = |gpu: usize| !all[gpu].numa.is_some_and(|numa| homes.contains(&numa));
            let mut free: Vec<usize> = (0..all.len()).filter(|&gpu| room[gpu] > 0).collect();
            // Of GPUs at the same distance, those with fewest PEs.
            free.sort_by_key(|&gpu| (is_far(gpu), users - room[gpu], gpu));
            free.truncate(each);
            free.sort_unstable();
            free.iter().for_each(|&gpu| room[gpu] -= 1);
            free.into_iter().map(|gpu| all[gpu].clone()).collect()
        };
        Ok(cpus.iter().map(give).collect())
    }

    /// The GPUs that CUDA would show this process, in its order.
    fn given_gpus(&self, visible: Option<&str>) -> Vec<GivenGpu> {
        let usable = self.gpus.iter().filter(|gpu| gpu.maker == GpuMaker::Nvidia && !gpu.closed);
        let usable: Vec<&Gpu> = usable.collect();
        let given = |word: String, gpu: Option<&&Gpu>| GivenGpu {
            word,
            pci: gpu.map(|gpu| gpu.pci.clone()),
            numa: gpu.and_then(|gpu| gpu.numa),
        };
        let Some(text) = visible else {
            return usable.iter().enumerate().map(|(number, gpu)| given(number.to_string(), Some(gpu))).collect();
        };
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        // A word may be a number, or the name of a GPU or of a part of one. CUDA ignores everything from the first invalid number on. The
        // numbers that are valid are unknown if the kernel lists no GPU.
        let is_invalid = |word: &&str| {
            let number = word.parse::<i64>().ok();
            number.is_some_and(|number| number < 0 || !usable.is_empty() && number >= usable.len() as i64)
        };
        let words = words.take_while(|word| !word.starts_with('-') && !is_invalid(word));
        words.map(|word| given(word.to_owned(), word.parse().ok().and_then(|at: usize| usable.get(at)))).collect()
    }
}
