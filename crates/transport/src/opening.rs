//! The arguments with which a process joins a group: the id, and the choice of the network.

use crate::{
    Result,
    error::{argument, start},
};
use ferrite_bootstrap::{Boot, join};
use ferrite_fabric::Fabric;
use std::time::Duration;

/// Purpose for which the number of a group is derived from its secret. libfabric and UCX send the number in clear.
#[cfg(any(feature = "ofi", feature = "ucx"))]
const NUMBER: &str = "the number of a group";

/// Identifies one start of a group, and admits to it: a process that has the id may join.
///
/// The process that draws it has the root of the start, to which all members connect; it need not be a member of rank 0. The bytes contain a
/// secret. Each group needs a new id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Id(join::UniqueId);

impl Id {
    /// Number of bytes.
    pub const BYTES: usize = join::UniqueId::BYTES;

    /// Draw an id, and listen for the members in a thread of this process. All must come within 5 minutes of the first.
    pub fn draw() -> Result<Id> {
        join::draw_id(join::LIMIT).map(Id).map_err(start)
    }

    /// The bytes, for the other processes.
    pub fn to_bytes(&self) -> [u8; Id::BYTES] {
        self.0.encode()
    }

    /// The id with these bytes, which another process has drawn.
    pub fn from_bytes(bytes: &[u8; Id::BYTES]) -> Result<Id> {
        join::UniqueId::decode(bytes).map(Id).map_err(argument)
    }

    pub(crate) fn inner(&self) -> &join::UniqueId {
        &self.0
    }
}

/// The network of a group. All members choose the same.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Over {
    /// TCP. Needs nothing installed. Members prove that they have the id before anything else is read.
    #[default]
    Tcp,
    /// libfabric, by the provider of this name (`verbs`, `cxi`, `tcp`, ...), or by the fastest one. Needs the feature `ofi`.
    Libfabric {
        /// Name of the provider.
        provider: Option<String>,
    },
    /// UCX, which reads its own variables `UCX_*`. Needs the feature `ucx`.
    Ucx,
}

/// How a process takes part in a group.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The network.
    pub over: Over,
    /// Over TCP: use only this interface, given as a name, an address, or a network as `10.1.0.0/16`.
    pub interface: Option<String>,
    /// Time limit for the start, to reach a member that is used for the first time, and for the process that drew the id to answer.
    pub limit: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { over: Over::Tcp, interface: None, limit: Duration::from_secs(60) }
    }
}

impl Options {
    /// The defaults, over this network.
    pub fn over(over: Over) -> Options {
        Options { over, ..Options::default() }
    }
}

/// Open the network for a member.
pub(crate) fn open(options: &Options, boot: &dyn Boot) -> Result<Box<dyn Fabric>> {
    let opened = match &options.over {
        Over::Tcp => tcp(options, boot),
        Over::Libfabric { provider } => libfabric(provider.as_deref(), options, boot),
        Over::Ucx => ucx(options, boot),
    };
    opened.map_err(start)
}

fn is_of_one_host(boot: &dyn Boot) -> bool {
    boot.nodes().nodes() == 1
}

fn tcp(options: &Options, boot: &dyn Boot) -> ferrite_fabric::Result<Box<dyn Fabric>> {
    let mut wished = ferrite_tcp::Options::new(boot.me(), boot.size(), boot.secret().derive("TCP"));
    wished.interface = options.interface.clone();
    wished.one_host = is_of_one_host(boot);
    wished.patience = options.limit;
    ferrite_tcp::open(wished)
}

#[cfg(feature = "ofi")]
fn libfabric(provider: Option<&str>, options: &Options, boot: &dyn Boot) -> ferrite_fabric::Result<Box<dyn Fabric>> {
    let mut wished = ferrite_ofi::Options::new(boot.me(), boot.size(), boot.secret().number(NUMBER));
    wished.provider = provider.map(str::to_owned);
    wished.one_host = is_of_one_host(boot);
    wished.pes_on_host = boot.local().len();
    // A waiting member sleeps, since members are any programs of a host.
    wished.crowded = true;
    // Local words are updated by the processor's atomics.
    wished.nic_atomics = false;
    wished.silence = Some(options.limit);
    ferrite_ofi::open(wished)
}

#[cfg(feature = "ucx")]
fn ucx(options: &Options, boot: &dyn Boot) -> ferrite_fabric::Result<Box<dyn Fabric>> {
    let mut wished = ferrite_ucx::Options::new(boot.me(), boot.size(), boot.secret().number(NUMBER));
    wished.one_host = is_of_one_host(boot);
    // A waiting member sleeps, as over libfabric.
    wished.crowded = true;
    wished.silence = Some(options.limit);
    ferrite_ucx::open(wished)
}

#[cfg(not(feature = "ofi"))]
fn libfabric(_: Option<&str>, _: &Options, _: &dyn Boot) -> ferrite_fabric::Result<Box<dyn Fabric>> {
    Err(left_out("libfabric", "ofi"))
}

#[cfg(not(feature = "ucx"))]
fn ucx(_: &Options, _: &dyn Boot) -> ferrite_fabric::Result<Box<dyn Fabric>> {
    Err(left_out("UCX", "ucx"))
}

#[cfg(not(all(feature = "ofi", feature = "ucx")))]
fn left_out(library: &str, feature: &str) -> ferrite_fabric::Error {
    ferrite_fabric::Error::new(format!(
        "this program is built without {library}: add `features = [\"{feature}\"]` to the dependency ferrite-transport"
    ))
}
