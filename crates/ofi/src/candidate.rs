//! The offers that were considered, and the reason for or against each: for people.

use std::fmt;

/// Verdict on an offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The offer is used.
    Chosen,
    /// The offer is usable, but another one comes first.
    Spare,
    /// The offer is not used, for this reason.
    Refused(String),
}

/// One offer of libfabric: a provider on a NIC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Name of the provider.
    pub name: String,
    /// Name of the domain: a NIC.
    pub domain: String,
    /// Name of the fabric: a network.
    pub fabric: String,
    /// Whether the offer is used, and if not, why.
    pub verdict: Verdict,
}

/// Providers that have no hardware.
const SOFTWARE: &[&str] = &["tcp", "net", "udp", "sockets", "shm", "sm2"];

/// Providers whose NICs execute atomics.
const NIC_ATOMICS: &[&str] = &["cxi"];

/// Whether the NICs of the provider of this name may execute atomics.
pub(crate) fn may_have_atomics(name: &str) -> bool {
    NIC_ATOMICS.contains(&name.split(';').next().unwrap_or(name))
}

/// Whether the provider of this name, which may have layers above it (`verbs;ofi_rxm`), has hardware.
pub(crate) fn drives_nic(name: &str) -> bool {
    !SOFTWARE.contains(&name.split(';').next().unwrap_or(name))
}

impl Candidate {
    /// Whether a NIC moves its data.
    pub fn drives_nic(&self) -> bool {
        drives_nic(&self.name)
    }

    /// Whether a NIC may execute its atomics.
    pub fn may_have_atomics(&self) -> bool {
        may_have_atomics(&self.name)
    }
}

/// Survey of libfabric on this machine, for people.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Version of the library: major and minor number.
    pub version: (u32, u32),
    /// All offers, each with the reason for or against it.
    pub candidates: Vec<Candidate>,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {} ({}): ", self.name, self.domain, self.fabric)?;
        match &self.verdict {
            Verdict::Chosen => f.write_str("chosen"),
            Verdict::Spare => f.write_str("usable, but another is preferred"),
            Verdict::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}
