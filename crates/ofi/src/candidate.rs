//! What was considered, and why it was taken or not: for people.

use std::fmt;

/// What became of an offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is used.
    Chosen,
    /// It would do, but others come first.
    Spare,
    /// It is not used, for this reason.
    Refused(String),
}

/// One offer of libfabric: a provider on a NIC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The provider.
    pub name: String,
    /// The domain: a NIC.
    pub domain: String,
    /// The fabric: a network.
    pub fabric: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// Providers that have no hardware.
const SOFTWARE: &[&str] = &["tcp", "net", "udp", "sockets", "shm", "sm2"];

/// Whether the provider of this name, which may have layers above it (`verbs;ofi_rxm`), has hardware.
pub(crate) fn drives_nic(name: &str) -> bool {
    !SOFTWARE.contains(&name.split(';').next().unwrap_or(name))
}

impl Candidate {
    /// Whether a NIC moves its data.
    pub fn drives_nic(&self) -> bool {
        drives_nic(&self.name)
    }
}

/// What libfabric is here, for people.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The library's version: it tells two numbers.
    pub version: (u32, u32),
    /// What it offers, each with the reason for or against it.
    pub candidates: Vec<Candidate>,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} ({}): ", self.name, self.domain, self.fabric)?;
        match &self.verdict {
            Verdict::Chosen => f.write_str("chosen"),
            Verdict::Spare => f.write_str("usable, but another comes first"),
            Verdict::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}
