//! Unique ids as text, which tests pass between processes.

use ferrite::UniqueId;

pub fn id_of(hex: &str) -> UniqueId {
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    UniqueId::from_bytes(&bytes.try_into().unwrap()).unwrap()
}

pub fn hex(id: &UniqueId) -> String {
    id.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
