//! An offer of libfabric as plain values, to which the rules of this crate are applied.

use crate::info::Info;
use libc::c_int;
use libfabric_sys::*;
use std::ffi::{CStr, c_char};

/// One `fi_info` as plain values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// The provider, with the layers above it: `tcp;ofi_rxm`.
    pub name: String,
    /// Name of the domain.
    pub domain: String,
    /// Name of the fabric.
    pub fabric: String,
    pub caps: u64,
    /// Modes that the provider requires of its user, apart from memory registration.
    pub mode: u64,
    /// Modes that it requires of registered memory.
    pub mr_mode: c_int,
    /// It has reliable endpoints without connections.
    pub reliable: bool,
    /// It can report when data has been delivered.
    pub delivery: bool,
    /// Size up to which it copies the data that is sent.
    pub inject: usize,
    /// Length of the longest operation.
    pub message_max: usize,
    /// Number of operations that may be under way on an endpoint.
    pub depth: usize,
    /// The orders that it keeps.
    pub orders: u64,
    /// Size up to which a write's data is in place before a later write's.
    pub waw: usize,
    /// Size up to which a read sees an earlier write.
    pub raw: usize,
    /// Size of a key, in bytes.
    pub key_bytes: usize,
    /// Number of counters that a domain supports well; 0 if the provider does not say.
    pub counters: usize,
}

/// The modes of before libfabric 1.5, FI_MR_BASIC and FI_MR_SCALABLE: fi_mr(3), "Memory Registration Modes".
const BASIC: c_int = 1 << 0;
const SCALABLE: c_int = 1 << 1;

/// Registration modes in the bits of today. A provider may answer with one of the two modes of old, as `opx` does (OPX_MR in
/// prov/opx/configure.m4, up to 2.5 whatever it is asked): FI_MR_BASIC means three bits, and FI_MR_SCALABLE none. A provider with both
/// leaves the choice. FI_MR_HMEM binds only programs that register memory of devices (fi_mr(3)), which this crate does not.
fn registration_modes(asked: c_int) -> c_int {
    let basic =
        if asked & (BASIC | SCALABLE) == BASIC { FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY } else { 0 };
    asked & !(BASIC | SCALABLE | FI_MR_HMEM) | basic
}

fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: names in an `fi_info` are null or end with a zero.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

impl Offer {
    /// Whether this is the NIC that the kernel calls `nic`. EFA's domains are named after the device and a kind of endpoint: rdmap0s6-rdm.
    pub fn is_of(&self, nic: &str) -> bool {
        self.domain.strip_prefix(nic).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// Read an `fi_info`. `delivery` is the value of the field of this name.
    pub fn of(info: &Info, delivery: bool) -> Self {
        // SAFETY: an `Info` is complete: all its attributes exist, and no thread changes them.
        unsafe {
            let raw = &*info.as_ptr();
            let (tx, ep) = (&*raw.tx_attr, &*raw.ep_attr);
            let (domain, fabric) = (&*raw.domain_attr, &*raw.fabric_attr);
            Offer {
                name: text(fabric.prov_name),
                domain: text(domain.name),
                fabric: text(fabric.name),
                caps: raw.caps,
                mode: raw.mode,
                mr_mode: registration_modes(domain.mr_mode),
                reliable: ep.type_ == FI_EP_RDM,
                delivery,
                inject: tx.inject_size,
                message_max: ep.max_msg_size,
                depth: tx.size,
                orders: tx.msg_order,
                waw: ep.max_order_waw_size,
                raw: ep.max_order_raw_size,
                key_bytes: domain.mr_key_size,
                counters: domain.cntr_cnt,
            }
        }
    }

    /// Whether two offers are of one provider on one NIC and network.
    pub fn is_same(&self, other: &Offer) -> bool {
        (&self.name, &self.domain, &self.fabric) == (&other.name, &other.domain, &other.fabric)
    }

    /// The provider below all layers: `tcp` of `tcp;ofi_rxm`.
    pub fn core(&self) -> &str {
        self.name.split(';').next().unwrap_or_default()
    }

    /// Whether it reaches only this host.
    pub fn is_loopback(&self) -> bool {
        self.domain == "lo" || self.fabric.starts_with("127.") || self.fabric.starts_with("::1/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registration_modes_of_old_are_read_as_bits() {
        for (asked, bits) in [
            (0, 0),
            (BASIC, FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY),
            (SCALABLE, 0),
            (SCALABLE | BASIC, 0),
            (SCALABLE | FI_MR_HMEM, 0),
            (FI_MR_HMEM | FI_MR_LOCAL, FI_MR_LOCAL),
            (FI_MR_ENDPOINT | FI_MR_PROV_KEY, FI_MR_ENDPOINT | FI_MR_PROV_KEY),
            (FI_MR_RAW, FI_MR_RAW),
        ] {
            assert_eq!(registration_modes(asked), bits, "{asked:#x}");
        }
    }
}
