//! The environment: a table with one row for each variable, which feeds the parser, `oshmem_info` and the manual.
//!
//! Only this room reads environment variables. A new variable is a row of [`SETTINGS`] and a field
//! of [`Settings`].

use crate::{
    coll::tuning::Choices,
    life::logging,
    memory::heap::size::{self, Size},
};
use ferrite_collectives::{pattern::knomial::RADIX_MAX, select::Tuning};
use ferrite_fabric::{Error, Progress, Result};
pub use report::{describe_all, misspelt, remark};
use std::time::Duration;
pub use transport::{CARRIERS, Carrier, Transport};
use words::{boolean, name, progress, seconds, waiting};

mod report;
mod transport;
mod words;

/// One environment variable.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Other libraries' names for it, honoured where the name itself is not set, in this order.
    pub aliases: &'static [&'static str],
    /// What holds when it is not set, in words or as a value.
    pub default: &'static str,
    /// What it may be set to.
    pub grammar: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

const ANY: &str = "any value";
const BOOLEAN: &str = "1, yes, on, true, y or 0, no, off, false, n";

/// All of them.
pub static SETTINGS: &[Setting] = &[
    Setting {
        name: "SHMEM_SYMMETRIC_SIZE",
        aliases: &["SMA_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE"],
        default: "as much as the node has",
        grammar: "bytes per PE, a number with an optional suffix k, m, g or t, after which nothing counts (20971520, 512m, 512MB, 1.5g, 1e9), or a share of the node's memory (80%)",
        meaning: "the most that the symmetric heap of a PE may grow to; memory is taken only as it is used",
    },
    Setting {
        name: "SHMEM_VERSION",
        aliases: &["SMA_VERSION", "SHMEM_VERSION_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "PE 0 prints the library's version at start-up",
    },
    Setting {
        name: "SHMEM_INFO",
        aliases: &["SMA_INFO", "SHMEM_ENV_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "PE 0 prints these settings, their values and meaning at start-up",
    },
    Setting {
        name: "SHMEM_DEBUG",
        aliases: &["SMA_DEBUG"],
        default: "off",
        grammar: ANY,
        meaning: "report on standard error what the library does and why (start-up, memory, waiting, errors)",
    },
    Setting {
        name: "FERRITE_LOG",
        aliases: &[],
        default: "off, or debug with SHMEM_DEBUG",
        grammar: "error, warn, info, debug or trace, or part=level such as ferrite_runtime::life=debug, separated by commas",
        meaning: "what is reported on standard error, by part and level",
    },
    Setting {
        name: "SHMEM_TRANSPORT",
        aliases: &[],
        default: "auto",
        grammar: "auto, shm, tcp, libfabric (or ofi) or ucx; or shm and one of these, as shm,ucx",
        meaning: "what carries communication: auto is shared memory within a host and the best transport between hosts; shm \
                  refuses other hosts; shm,ucx is shared memory within a host and UCX between hosts, as are shm,libfabric and \
                  shm,tcp; tcp, libfabric and ucx alone carry everything, between the PEs of one host too",
    },
    Setting {
        name: "SHMEM_TCP_IFACE",
        aliases: &[],
        default: "what reaches the peers, real devices first",
        grammar: "an interface's name (eth0), an address, or a network (10.1.0.0/16)",
        meaning: "where the tcp transport listens",
    },
    Setting {
        name: "SHMEM_TCP_SEAL",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "encrypt and authenticate all that the tcp transport sends after a connection is open, the same for all PEs; auto is \
                  then tcp between hosts, and libfabric and ucx, which seal nothing, are refused",
    },
    Setting {
        name: "FERRITE_HOST_TIMEOUT",
        aliases: &[],
        default: "5",
        grammar: "seconds, as 2.5",
        meaning: "after how long without an answer of its host's kernel a peer counts as lost, over the tcp transport; \
                  the PEs of oshrun --host-timeout are told the same",
    },
    Setting {
        name: "FERRITE_LOST_TIMEOUT",
        aliases: &[],
        default: "60",
        grammar: "seconds, as 2.5",
        meaning: "how long a peer is tried to be reached over tcp; after how long without a sign of life one that is \
                  waited for counts as lost over libfabric and ucx, which cannot tell a host from a process that stands \
                  still (never with FERRITE_PROGRESS=program); the PEs of oshrun --lost-timeout are told the same",
    },
    Setting {
        name: "SHMEM_OFI_PROVIDER",
        aliases: &["SMA_OFI_PROVIDER"],
        default: "the best that this host has",
        grammar: "a provider as fi_info lists it (cxi, verbs, tcp, or exactly tcp;ofi_rxm)",
        meaning: "which provider of libfabric carries communication, where libfabric does",
    },
    Setting {
        name: "SHMEM_OFI_FABRIC",
        aliases: &["SMA_OFI_FABRIC"],
        default: "any",
        grammar: "a network as fi_info names it",
        meaning: "which network libfabric uses",
    },
    Setting {
        name: "SHMEM_OFI_DOMAIN",
        aliases: &["SMA_OFI_DOMAIN"],
        default: "any",
        grammar: "a NIC as fi_info names it",
        meaning: "which NIC libfabric uses",
    },
    Setting {
        name: "FERRITE_PROGRESS",
        aliases: &[],
        default: "auto",
        grammar: "auto, thread or program",
        meaning: "who serves the peers of a PE over libfabric and ucx: auto is the program while it is inside the library, and \
                  otherwise a thread, unless a NIC does it all; program is the program alone, which makes small operations \
                  faster, but peers wait for a PE that computes, or waits by other means than the library's, maybe for ever \
                  (ferrite(7) tells when), and none counts as lost because it is silent; thread is a thread beside a NIC too; the tcp transport always has its thread",
    },
    Setting {
        name: "FERRITE_WAIT",
        aliases: &[],
        default: "auto",
        grammar: "auto, spin, yield or turns",
        meaning: "how a waiting PE passes its time: auto spins where every PE of the node has a core; otherwise, and with yield, it gives its core away, and sleeps beside others that compute; \
                  auto counts PEs, not their threads: where several threads of a PE wait on few cores, yield is right; \
                  turns is auto, and has PEs that share a core take turns there for programs that poll memory in loops of their own (ferrite(7))",
    },
    Setting {
        name: "SHMEM_BARRIER_ALGORITHM",
        aliases: &["SHMEM_BARRIER_ALGO"],
        default: "auto",
        grammar: "auto, dissem (dissemination), central, tree, linear",
        meaning: "the algorithm of the barriers; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_BCAST_ALGORITHM",
        aliases: &["SHMEM_BROADCAST_ALGO"],
        default: "auto",
        grammar: "auto, knomial, tree, pull, scatter-allgather, binomial, linear",
        meaning: "the algorithm of broadcasts; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_REDUCE_ALGORITHM",
        aliases: &["SHMEM_REDUCE_ALGO"],
        default: "auto",
        grammar: "auto, recdbl (doubling), board, direct, whole, rabenseifner, relay, ring, tree, linear",
        meaning: "the algorithm of reductions; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_SCAN_ALGORITHM",
        aliases: &[],
        default: "auto",
        grammar: "auto, recdbl (doubling), chain, linear, ring",
        meaning: "the algorithm of scans; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_COLLECT_ALGORITHM",
        aliases: &["SHMEM_COLLECT_ALGO"],
        default: "auto",
        grammar: "auto, linear, bruck, tree",
        meaning: "the algorithm of collect; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_FCOLLECT_ALGORITHM",
        aliases: &["SHMEM_FCOLLECT_ALGO"],
        default: "auto",
        grammar: "auto, board, linear, ring, bruck, recdbl (doubling)",
        meaning: "the algorithm of fcollect; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_ALLTOALL_ALGORITHM",
        aliases: &["SHMEM_ALLTOALL_ALGO"],
        default: "auto",
        grammar: "auto, cells, bruck, pairwise, linear",
        meaning: "the algorithm of all-to-alls; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_COLL_RADIX",
        aliases: &[],
        default: "4",
        grammar: "2 to 8",
        meaning: "children of a node in the trees of collectives; where PEs outnumber cores, 4 means 8",
    },
    Setting {
        name: "SHMEM_COLL_CROSSOVER",
        aliases: &[],
        default: "4",
        grammar: "a number of PEs",
        meaning: "up to how many members collectives prefer linear forms",
    },
    Setting {
        name: "SHMEM_COLL_SIZE_CROSSOVER",
        aliases: &[],
        default: "16k",
        grammar: "a number of bytes, as for SHMEM_SYMMETRIC_SIZE",
        meaning: "from which size bandwidth counts for more than rounds in collectives",
    },
    Setting {
        name: "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES",
        aliases: &[],
        default: "on where the kernel offers them",
        grammar: BOOLEAN,
        meaning: "ask for huge pages for the symmetric heap; on says so if none can be had",
    },
    Setting {
        name: "SHMEM_TEAM_SHARED_ONLY_SELF",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "SHMEM_TEAM_SHARED holds this PE alone",
    },
    Setting {
        name: "SHMEM_BARRIERS_FLUSH",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "flush standard output and error in every shmem_barrier_all",
    },
    Setting {
        name: "SHMEM_MEMINFO_DISPLAY",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "each PE prints at finalize how much of the symmetric heap it used",
    },
    Setting {
        name: "FERRITE_COUNTERS",
        aliases: &[],
        default: "from the first call of a shmemx_pcntr_ routine",
        grammar: BOOLEAN,
        meaning: "count operations from shmem_init on, so that every PE counts and none is missed; it makes every put, get and atomic slower",
    },
    Setting {
        name: "SHMEM_BACKTRACE",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "print where the program was when the library ends the job because of an error",
    },
];

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
    /// Print a backtrace on errors.
    pub backtrace: bool,
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
            backtrace: env.parsed("SHMEM_BACKTRACE", boolean)?.unwrap_or(false),
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
            ("FERRITE_HOST_TIMEOUT", "-1"),
            ("FERRITE_LOST_TIMEOUT", "soon"),
            ("SHMEM_BARRIER_ALGORITHM", "magic"),
            ("SHMEM_REDUCE_ALGO", "magic"),
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
