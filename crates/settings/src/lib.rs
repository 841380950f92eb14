//! The environment: a table with one row for each variable, which feeds the parser, `oshmem_info` and the manual.
//!
//! Only this crate reads environment variables. A new variable is a row of [`SETTINGS`] (`table`) and a field
//! of [`Settings`].

pub use check::CheckMode;
use ferrite_collectives::select::Tuning;
use ferrite_fabric::{Error, Progress, Result, Slingshot};
use ferrite_memory::heap::{
    pools::LargePages,
    size::{self, Size},
};
use ferrite_os::clock::parse_seconds as seconds;
pub use nics::Nics;
pub use report::{describe_all, misspelt, of_others, remark};
use std::{ops::RangeInclusive, time::Duration};
pub use table::{SETTINGS, Setting};
pub use transport::{CARRIERS, Carrier, Transport};
use tuning::Choices;
use words::{
    backtrace, boolean, count, depth, device_size, executor, is_chosen, name, on_stall, ports, progress, radix, record,
    waiting,
};

mod check;
pub mod logging;
mod nics;
mod report;
mod table;
mod transport;
pub mod tuning;
mod words;

/// The default of SHMEM_DEVICE_SYMMETRIC_SIZE.
const DEVICE_SIZE: u64 = 1 << 30;
/// The default of SHMEM_STALL_TIMEOUT.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// The reaction to a job that cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnStall {
    /// Report it and leave the job running, for a debugger or the user.
    Report,
    /// Report it and end the job.
    Abort,
}

/// Executor of the job's atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Executor {
    /// The NIC if it has all of them, otherwise processors.
    Auto,
    /// The NIC, which ends the job if it lacks one.
    Nic,
    /// The processor of the target.
    Processor,
}

/// How a waiting PE passes its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// By the number of PEs and cores.
    Auto,
    /// It spins.
    Spin,
    /// It yields its core.
    Yield,
    /// By the number of PEs and cores. PEs that share a core also interrupt each other's programs.
    Turns,
}

/// The settings of a world.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The heap's ceiling, if one was asked for.
    pub symmetric_size: Option<Size>,
    /// The size of the device heap in bytes.
    pub device_size: u64,
    /// Whether there is a device heap also if the program does not request it.
    pub gpu_support: bool,
    /// Print the version at the start.
    pub version: bool,
    /// Print the settings at the start.
    pub info: bool,
    /// Log the library's decisions.
    pub debug: bool,
    /// Filter of the log.
    pub log: Option<String>,
    /// The transport between PEs.
    pub transport: Transport,
    /// Each PE reports its transport.
    pub report_transport: bool,
    /// Interface on which the tcp transport listens.
    pub tcp_interface: Option<String>,
    /// Ports on which the tcp transport may listen.
    pub tcp_ports: Option<RangeInclusive<u16>>,
    /// Whether the tcp transport encrypts and authenticates its connections.
    pub tcp_seal: bool,
    /// Time after which a silent host is lost.
    pub host_timeout: Option<Duration>,
    /// Time after which a silent peer is lost.
    pub lost_timeout: Option<Duration>,
    /// Provider of libfabric.
    pub ofi_provider: Option<String>,
    /// Network (fabric) of libfabric.
    pub ofi_fabric: Option<String>,
    /// NIC (domain) of libfabric.
    pub ofi_domain: Option<String>,
    /// NICs to use or not to use.
    pub nics: Option<Nics>,
    /// Credentials for Slingshot that the launcher passed.
    pub slingshot: Slingshot,
    /// Executor of atomics.
    pub atomics: Executor,
    /// Maximum number of puts under way on an endpoint of libfabric.
    pub ofi_put_depth: Option<usize>,
    /// Maximum number of a NIC's atomics under way on an endpoint of libfabric.
    pub ofi_atomic_depth: Option<usize>,
    /// UCX's own variable for devices, if the user has set it.
    pub ucx_devices: Option<String>,
    /// The user has told UCX over how many devices it cuts puts and gets.
    pub ucx_has_rails: bool,
    /// UCX's own variable for transports, if the user has set it.
    pub ucx_transports: Option<String>,
    /// How PEs make progress over libfabric and UCX.
    pub progress: Progress,
    /// How waiting PEs pass their time.
    pub wait: Waiting,
    /// Algorithms of collectives.
    pub collectives: Choices,
    /// The pages of the symmetric heap.
    pub large_pages: LargePages,
    /// `SHMEM_TEAM_SHARED` has only the calling PE.
    pub shared_only_self: bool,
    /// Flush streams in barriers.
    pub barriers_flush: bool,
    /// Report memory at the end.
    pub meminfo: bool,
    /// Count operations from the start.
    pub counters: bool,
    /// How to look for mistakes of the program. `None`: look for them only if the program was compiled with `oshcc --check`.
    pub check: Option<CheckMode>,
    /// File of the findings that are not reported.
    pub check_suppressions: Option<String>,
    /// File for the profile.
    pub profile: Option<String>,
    /// File for the trace.
    pub trace: Option<String>,
    /// Print a backtrace on errors.
    pub backtrace: bool,
    /// The reaction to a job that cannot go on.
    pub on_stall: OnStall,
    /// Time without progress after which a job is reported as stalled; `None` means never.
    pub stall_timeout: Option<Duration>,
    /// Whether the user has set that time. If so, a PE that has waited for it is reported even if others make progress.
    pub stall_timeout_is_set: bool,
    /// Report a PE that dies by a signal.
    pub crash_report: bool,
    /// Whether the calls of the near path are recorded, too.
    pub record_all: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::from_lookup(|_| None).expect("no variable set is no variable wrong")
    }
}

impl Settings {
    /// Whether the user has configured UCX. If so, UCX is used even without hardware of its own.
    pub fn tells_ucx(&self) -> bool {
        self.ucx_transports.is_some() || self.ucx_devices.is_some()
    }

    /// Whether the user has chosen a provider of libfabric.
    pub fn tells_libfabric(&self) -> bool {
        self.ofi_provider.is_some()
    }

    /// The VNI that PEs on Slingshot need in common, if these settings let a NIC of Slingshot carry the job.
    pub fn common_vni(&self) -> Option<u16> {
        let by_libfabric = matches!(self.transport.carrier, Carrier::Auto | Carrier::Hardware | Carrier::Libfabric);
        let by_cxi = self.ofi_provider.as_deref().is_none_or(|provider| provider == "cxi");
        self.slingshot.vni().filter(|_| by_libfabric && by_cxi && !self.tcp_seal)
    }

    /// The settings of the environment.
    pub fn from_environment() -> Result<Settings> {
        Settings::from_lookup(variable)
    }

    /// The settings for the values that `lookup` returns.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Settings> {
        let env = Reader { lookup };
        Ok(Settings {
            symmetric_size: env.parsed("SHMEM_SYMMETRIC_SIZE", |text| size::parse(text).ok())?,
            device_size: env.parsed("SHMEM_DEVICE_SYMMETRIC_SIZE", device_size)?.unwrap_or(DEVICE_SIZE),
            gpu_support: env.parsed("SHMEM_GPU_SUPPORT_ENABLED", boolean)?.unwrap_or(false),
            version: env.present("SHMEM_VERSION"),
            info: env.present("SHMEM_INFO"),
            debug: env.present("SHMEM_DEBUG"),
            log: env.parsed("FERRITE_LOG", |text| logging::parse(text).map(|_| text.to_owned()))?,
            transport: env.parsed("SHMEM_TRANSPORT", Transport::parse)?.unwrap_or_default(),
            report_transport: env.parsed("FERRITE_REPORT_TRANSPORT", boolean)?.unwrap_or(false),
            tcp_interface: env.parsed("SHMEM_TCP_IFACE", name)?,
            tcp_ports: env.parsed("SHMEM_TCP_PORTS", ports)?,
            tcp_seal: env.parsed("SHMEM_TCP_SEAL", boolean)?.unwrap_or(false),
            host_timeout: env.parsed("FERRITE_HOST_TIMEOUT", seconds)?,
            lost_timeout: env.parsed("FERRITE_LOST_TIMEOUT", seconds)?,
            ofi_provider: env.parsed("SHMEM_OFI_PROVIDER", name)?.filter(is_chosen),
            ofi_fabric: env.parsed("SHMEM_OFI_FABRIC", name)?.filter(is_chosen),
            ofi_domain: env.parsed("SHMEM_OFI_DOMAIN", name)?.filter(is_chosen),
            nics: env.parsed("SHMEM_NICS", Nics::parse)?,
            slingshot: {
                let [vnis, devices, services] =
                    ["SLINGSHOT_VNIS", "SLINGSHOT_DEVICES", "SLINGSHOT_SVC_IDS"].map(|name| (env.lookup)(name));
                Slingshot::parse(vnis.as_deref(), devices.as_deref(), services.as_deref())
            },
            atomics: env.parsed("SHMEM_ATOMICS", executor)?.unwrap_or(Executor::Auto),
            ofi_put_depth: env.parsed("SHMEM_OFI_PUT_PIPELINE_DEPTH", depth)?,
            ofi_atomic_depth: env.parsed("SHMEM_OFI_AMO_PIPELINE_DEPTH", count)?,
            ucx_devices: (env.lookup)("UCX_NET_DEVICES"),
            ucx_has_rails: (env.lookup)("UCX_MAX_RMA_RAILS").is_some(),
            ucx_transports: (env.lookup)("UCX_TLS"),
            progress: env.parsed("FERRITE_PROGRESS", progress)?.unwrap_or_default(),
            wait: env.parsed("FERRITE_WAIT", waiting)?.unwrap_or(Waiting::Auto),
            collectives: env.collectives()?,
            large_pages: env.large_pages()?,
            shared_only_self: env.parsed("SHMEM_TEAM_SHARED_ONLY_SELF", boolean)?.unwrap_or(false),
            barriers_flush: env.parsed("SHMEM_BARRIERS_FLUSH", boolean)?.unwrap_or(false),
            meminfo: env.parsed("SHMEM_MEMINFO_DISPLAY", boolean)?.unwrap_or(false),
            counters: env.parsed("FERRITE_COUNTERS", boolean)?.unwrap_or(false),
            check: env.parsed("SHMEM_CHECK", CheckMode::parse)?,
            check_suppressions: env.parsed("SHMEM_CHECK_SUPPRESSIONS", name)?,
            profile: env.parsed("SHMEM_PROFILE", name)?,
            trace: env.parsed("SHMEM_TRACE", name)?,
            backtrace: env.parsed("SHMEM_BACKTRACE", backtrace)?.unwrap_or(false),
            stall_timeout: env
                .parsed("SHMEM_STALL_TIMEOUT", |text| if text == "0" { Some(None) } else { seconds(text).map(Some) })?
                .unwrap_or(Some(STALL_TIMEOUT)),
            stall_timeout_is_set: env.present("SHMEM_STALL_TIMEOUT"),
            crash_report: env.parsed("SHMEM_CRASH_REPORT", boolean)?.unwrap_or(true),
            record_all: env.parsed("SHMEM_RECORD", record)?.unwrap_or(false),
            on_stall: env.parsed("SHMEM_ON_STALL", on_stall)?.unwrap_or(OnStall::Report),
        })
    }
}

/// The current value of a setting, and the name of the variable that has it.
pub fn current(setting: &Setting) -> Option<(&'static str, String)> {
    Reader { lookup: variable }.find(setting)
}

struct Reader<F> {
    lookup: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    /// The first name that has a value. An empty value counts as none.
    fn find(&self, setting: &Setting) -> Option<(&'static str, String)> {
        let names = core::iter::once(&setting.name).chain(setting.aliases);
        let value = |name| (self.lookup)(name).filter(|value| !value.is_empty());
        names.into_iter().find_map(|&name| value(name).map(|value| (name, value)))
    }

    fn value(&self, name: &str) -> Option<(&'static str, String)> {
        self.find(row(name))
    }

    fn collectives(&self) -> Result<Choices> {
        let bytes = |text: &str| match size::parse(text) {
            Ok(Size::Bytes(bytes)) => usize::try_from(bytes).ok(),
            _ => None,
        };
        let default = Tuning::DEFAULT;
        let tuning = Tuning {
            radix: self.parsed("SHMEM_COLL_RADIX", radix)?.unwrap_or(default.radix),
            few: self.parsed("SHMEM_COLL_CROSSOVER", |text| text.parse().ok())?.unwrap_or(default.few),
            long: self.parsed("SHMEM_COLL_SIZE_CROSSOVER", bytes)?.unwrap_or(default.long),
            long_near: default.long_near,
        };
        Choices::read(|name| self.value(name), tuning)
    }

    /// The pages of the heap: the variable of Sandia and Cray holds if ours is not set.
    fn large_pages(&self) -> Result<LargePages> {
        let theirs = self.parsed("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", boolean)?;
        let theirs = theirs.map(|on| if on { LargePages::Mib2 } else { LargePages::Off });
        Ok(self.parsed("SHMEM_HUGEPAGES", LargePages::parse)?.or(theirs).unwrap_or_default())
    }

    fn present(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        let Some((found, text)) = self.value(name) else { return Ok(None) };
        match parse(&text) {
            Some(value) => Ok(Some(value)),
            None => Err(Error::new(format!("{found} is {text:?}; it must be {}", row(name).grammar))),
        }
    }
}

fn row(name: &str) -> &'static Setting {
    SETTINGS.iter().find(|setting| setting.name == name).expect("every field of Settings has a row")
}

#[expect(clippy::disallowed_methods, reason = "this is the home of settings")]
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(set: &'static [(&'static str, &'static str)]) -> Result<Settings> {
        Settings::from_lookup(|name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
    }

    #[test]
    fn the_standard_name_beats_its_aliases() {
        let settings = with(&[("SMA_SYMMETRIC_SIZE", "1m"), ("SHMEM_SYMMETRIC_SIZE", "2m")]).unwrap();
        assert_eq!(settings.symmetric_size, with(&[("SHMEM_SYMMETRIC_SIZE", "2m")]).unwrap().symmetric_size);
        assert!(with(&[("SMA_DEBUG", "0")]).unwrap().debug);
    }

    #[test]
    fn an_empty_value_counts_as_none() {
        for name in SETTINGS.iter().flat_map(|setting| core::iter::once(&setting.name).chain(setting.aliases)) {
            let settings = Settings::from_lookup(|n| (n == *name).then(String::new)).unwrap();
            assert_eq!(settings, Settings::default(), "{name}");
        }
        let settings = with(&[("SHMEM_SYMMETRIC_SIZE", ""), ("SMA_SYMMETRIC_SIZE", "1m")]).unwrap();
        assert_eq!(settings.symmetric_size, with(&[("SHMEM_SYMMETRIC_SIZE", "1m")]).unwrap().symmetric_size);
    }

    #[test]
    fn ways_to_a_backtrace_of_another_library_mean_a_backtrace() {
        for value in ["gdb", "execinfo", "auto", "1"] {
            assert!(Settings::from_lookup(|n| (n == "SHMEM_BACKTRACE").then(|| value.into())).unwrap().backtrace);
        }
    }

    #[test]
    fn auto_of_another_library_chooses_nothing() {
        let names = ["SHMEM_OFI_PROVIDER", "SHMEM_OFI_FABRIC", "SHMEM_OFI_DOMAIN"];
        let settings = Settings::from_lookup(|name| names.contains(&name).then(|| "auto".into())).unwrap();
        assert_eq!([settings.ofi_provider, settings.ofi_fabric, settings.ofi_domain], [None, None, None]);
    }

    #[test]
    fn bad_values_are_refused_by_name_with_the_grammar() {
        let cases = [
            ("SHMEM_SYMMETRIC_SIZE", "abc"),
            ("SHMEM_SYMMETRIC_HEAP_SIZE", "-1"),
            ("FERRITE_PROGRESS", "off"),
            ("FERRITE_WAIT", "sleep"),
            ("SHMEM_TRANSPORT", "pigeon"),
            ("SHMEM_BACKTRACE", "maybe"),
            ("SHMEM_ON_STALL", "panic"),
            ("SHMEM_STALL_TIMEOUT", "never"),
            ("FERRITE_HOST_TIMEOUT", "-1"),
            ("FERRITE_LOST_TIMEOUT", "soon"),
            ("SHMEM_BARRIER_ALGORITHM", "magic"),
            ("SHMEM_REDUCE_ALGO", "magic"),
            ("SHMEM_CHECK", "loud"),
            ("SHMEM_TCP_PORTS", "5100-5000"),
            ("SHMEM_TCP_PORTS", "0-9"),
            ("SHMEM_ATOMICS", "gpu"),
            ("SHMEM_NICS", "mlx5_0,"),
            ("SHMEM_HUGEPAGES", "4k"),
            ("SHMEM_OFI_PUT_PIPELINE_DEPTH", "-1"),
            ("SHMEM_COLL_RADIX", "1"),
            ("SHMEM_COLL_RADIX", "wide"),
            ("SHMEM_OFI_AMO_PIPELINE_DEPTH", "deep"),
        ];
        for (name, value) in cases {
            let error = Settings::from_lookup(|n| (n == name).then(|| value.to_string())).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value) && error.contains("must be"), "{error}");
        }
    }

    #[test]
    fn a_vni_matters_where_slingshot_may_carry_the_job() {
        let vnis = ("SLINGSHOT_VNIS", "1030,1024");
        assert_eq!(with(&[("SLINGSHOT_VNIS", "1030,1024")]).unwrap().common_vni(), Some(1024));
        assert_eq!(with(&[]).unwrap().common_vni(), None);
        for (name, value, vni) in [
            ("SHMEM_TRANSPORT", "hardware", Some(1024)),
            ("SHMEM_TRANSPORT", "shm,libfabric", Some(1024)),
            ("SHMEM_TRANSPORT", "shm,tcp", None),
            ("SHMEM_TRANSPORT", "ucx", None),
            ("SHMEM_OFI_PROVIDER", "cxi", Some(1024)),
            ("SHMEM_OFI_PROVIDER", "tcp", None),
            ("SHMEM_TCP_SEAL", "on", None),
        ] {
            let set = [vnis, (name, value)];
            let lookup = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(Settings::from_lookup(lookup).unwrap().common_vni(), vni, "{name}={value}");
        }
    }

    #[test]
    fn page_sizes_beat_the_switch_of_other_libraries() {
        for (set, pages) in [
            (&[][..], LargePages::Auto),
            (&[("SHMEM_HUGEPAGES", "1g")], LargePages::Gib1),
            (&[("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "1")], LargePages::Mib2),
            (&[("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "0")], LargePages::Off),
            (&[("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "1"), ("SHMEM_HUGEPAGES", "off")], LargePages::Off),
            (&[("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "0"), ("SHMEM_HUGEPAGES", "auto")], LargePages::Auto),
        ] {
            assert_eq!(with(set).unwrap().large_pages, pages, "{set:?}");
        }
    }

    #[test]
    fn rows_are_unique() {
        let mut names: Vec<_> = SETTINGS.iter().flat_map(|s| core::iter::once(&s.name).chain(s.aliases)).collect();
        names.sort();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
    }
}
