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
    /// Capabilities.
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
}

fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: names in an `fi_info` are null or end with a zero.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}

impl Offer {
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
                mr_mode: domain.mr_mode,
                reliable: ep.type_ == FI_EP_RDM,
                delivery,
                inject: tx.inject_size,
                message_max: ep.max_msg_size,
                depth: tx.size,
                orders: tx.msg_order,
                waw: ep.max_order_waw_size,
                raw: ep.max_order_raw_size,
                key_bytes: domain.mr_key_size,
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
