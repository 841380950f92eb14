//! The environment: a table with one row for each variable, which feeds the parser, `oshmem_info` and the manual.
//!
//! Only this room reads environment variables. A new variable is a row of [`SETTINGS`] (`table`) and a field
//! of [`Settings`].

use crate::{
    coll::tuning::Choices,
    life::logging,
    memory::heap::size::{self, Size},
};
pub use check::CheckMode;
use ferrite_collectives::{pattern::knomial::RADIX_MAX, select::Tuning};
use ferrite_fabric::{Error, Progress, Result};
pub use report::{describe_all, misspelt, remark};
use std::time::Duration;
pub use table::{SETTINGS, Setting};
pub use transport::{CARRIERS, Carrier, Transport};
use words::{boolean, name, on_stall, progress, record, seconds, waiting};

mod check;
mod report;
mod table;
mod transport;
mod words;

/// The default of SHMEM_STALL_TIMEOUT.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// What becomes of a job that cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnStall {
    /// It is told, and the job waits: for a debugger, or the user.
    Report,
    /// It is told, and the job ends.
    Abort,
}

/// How a waiting PE passes its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// By the number of PEs and cores.
    Auto,
    /// Spin.
    Spin,
    /// Yield the core.
    Yield,
    /// By the number of PEs and cores; and what the program does is interrupted for others.
    Turns,
}

/// The settings of a world.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The heap's ceiling, if one was asked for.
    pub symmetric_size: Option<Size>,
    /// Print the version.
    pub version: bool,
    /// Print the settings.
    pub info: bool,
    /// Report what is done.
    pub debug: bool,
    /// The filter of reports.
    pub log: Option<String>,
    /// What carries communication.
    pub transport: Transport,
    /// Where the tcp transport listens.
    pub tcp_interface: Option<String>,
    /// Whether it seals what it sends.
    pub tcp_seal: bool,
    /// How long a host may be silent.
    pub host_timeout: Option<Duration>,
    /// How long a process may be silent.
    pub lost_timeout: Option<Duration>,
    /// Which provider of libfabric to use.
    pub ofi_provider: Option<String>,
    /// Which network of libfabric.
    pub ofi_fabric: Option<String>,
    /// Which NIC of libfabric.
    pub ofi_domain: Option<String>,
    /// Whether the user has told UCX which devices to use, by UCX's own variable.
    pub ucx_has_devices: bool,
    /// The user has told UCX which transports to use.
    pub ucx_has_transports: bool,
    /// Who serves peers over libfabric and UCX.
    pub progress: Progress,
    /// How to wait.
    pub wait: Waiting,
    /// How to do collectives.
    pub collectives: Choices,
    /// Ask for huge pages; `None` is: where offered.
    pub huge_pages: Option<bool>,
    /// No shared team.
    pub shared_only_self: bool,
    /// Flush streams in barriers.
    pub barriers_flush: bool,
    /// Report memory at the end.
    pub meminfo: bool,
    /// Count operations from the start.
    pub counters: bool,
    /// Whether mistakes of the program are looked for; `None` is: in programs that were made for it.
    pub check: Option<CheckMode>,
    /// The file that says which of them are not told.
    pub check_suppressions: Option<String>,
    /// Where the profile goes.
    pub profile: Option<String>,
    /// Where the trace goes.
    pub trace: Option<String>,
    /// Print a backtrace on errors.
    pub backtrace: bool,
    /// What becomes of a job that cannot go on.
    pub on_stall: OnStall,
    /// After how long a job in which nothing moves is told of; `None`: never.
    pub stall_timeout: Option<Duration>,
    /// Tell of a PE that dies by a signal.
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
    /// Whether the user has told UCX what to use: then it is used, whatever it drives.
    pub fn tells_ucx(&self) -> bool {
        self.ucx_has_transports || self.ucx_has_devices
    }

    /// The same of libfabric.
    pub fn tells_libfabric(&self) -> bool {
        self.ofi_provider.is_some()
    }

    /// What the environment says.
    pub fn from_environment() -> Result<Settings> {
        Settings::from_lookup(variable)
    }

    /// What `lookup` says of each variable.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Settings> {
        let env = Reader { lookup };
        Ok(Settings {
            symmetric_size: env.parsed("SHMEM_SYMMETRIC_SIZE", |text| size::parse(text).ok())?,
            version: env.present("SHMEM_VERSION"),
            info: env.present("SHMEM_INFO"),
            debug: env.present("SHMEM_DEBUG"),
            log: env.parsed("FERRITE_LOG", |text| logging::parse(text).map(|_| text.to_owned()))?,
            transport: env.parsed("SHMEM_TRANSPORT", Transport::parse)?.unwrap_or_default(),
            tcp_interface: env.parsed("SHMEM_TCP_IFACE", name)?,
            tcp_seal: env.parsed("SHMEM_TCP_SEAL", boolean)?.unwrap_or(false),
            host_timeout: env.parsed("FERRITE_HOST_TIMEOUT", seconds)?,
            lost_timeout: env.parsed("FERRITE_LOST_TIMEOUT", seconds)?,
            ofi_provider: env.parsed("SHMEM_OFI_PROVIDER", name)?,
            ofi_fabric: env.parsed("SHMEM_OFI_FABRIC", name)?,
            ofi_domain: env.parsed("SHMEM_OFI_DOMAIN", name)?,
            ucx_has_devices: (env.lookup)("UCX_NET_DEVICES").is_some(),
            ucx_has_transports: (env.lookup)("UCX_TLS").is_some(),
            progress: env.parsed("FERRITE_PROGRESS", progress)?.unwrap_or_default(),
            wait: env.parsed("FERRITE_WAIT", waiting)?.unwrap_or(Waiting::Auto),
            collectives: env.collectives()?,
            huge_pages: env.parsed("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", boolean)?,
            shared_only_self: env.parsed("SHMEM_TEAM_SHARED_ONLY_SELF", boolean)?.unwrap_or(false),
            barriers_flush: env.parsed("SHMEM_BARRIERS_FLUSH", boolean)?.unwrap_or(false),
            meminfo: env.parsed("SHMEM_MEMINFO_DISPLAY", boolean)?.unwrap_or(false),
            counters: env.parsed("FERRITE_COUNTERS", boolean)?.unwrap_or(false),
            check: env.parsed("SHMEM_CHECK", CheckMode::parse)?,
            check_suppressions: env.parsed("SHMEM_CHECK_SUPPRESSIONS", name)?,
            profile: env.parsed("SHMEM_PROFILE", name)?,
            trace: env.parsed("SHMEM_TRACE", name)?,
            backtrace: env.parsed("SHMEM_BACKTRACE", boolean)?.unwrap_or(false),
            stall_timeout: env
                .parsed("SHMEM_STALL_TIMEOUT", |text| if text == "0" { Some(None) } else { seconds(text).map(Some) })?
                .unwrap_or(Some(STALL_TIMEOUT)),
            crash_report: env.parsed("SHMEM_CRASH_REPORT", boolean)?.unwrap_or(true),
            record_all: env.parsed("SHMEM_RECORD", record)?.unwrap_or(false),
            on_stall: env.parsed("SHMEM_ON_STALL", on_stall)?.unwrap_or(OnStall::Report),
        })
    }
}

/// The text that holds for a setting now, and the name it was found under.
pub fn current(setting: &Setting) -> Option<(&'static str, String)> {
    Reader { lookup: variable }.find(setting)
}

struct Reader<F> {
    lookup: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    fn find(&self, setting: &Setting) -> Option<(&'static str, String)> {
        let names = core::iter::once(&setting.name).chain(setting.aliases);
        names.into_iter().find_map(|&name| (self.lookup)(name).map(|value| (name, value)))
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
            radix: self
                .parsed("SHMEM_COLL_RADIX", |text| text.parse().ok().filter(|radix| (2..=RADIX_MAX).contains(radix)))?
                .unwrap_or(default.radix),
            few: self.parsed("SHMEM_COLL_CROSSOVER", |text| text.parse().ok())?.unwrap_or(default.few),
            long: self.parsed("SHMEM_COLL_SIZE_CROSSOVER", bytes)?.unwrap_or(default.long),
            long_near: default.long_near,
        };
        Choices::read(|name| self.value(name), tuning)
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
        assert!(with(&[("SMA_DEBUG", "")]).unwrap().debug);
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
        ];
        for (name, value) in cases {
            let error = Settings::from_lookup(|n| (n == name).then(|| value.to_string())).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value) && error.contains("must be"), "{error}");
        }
    }

    #[test]
    fn rows_are_unique() {
        let mut names: Vec<_> = SETTINGS.iter().flat_map(|s| core::iter::once(&s.name).chain(s.aliases)).collect();
        names.sort();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
    }
}
