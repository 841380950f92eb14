//! The kind of memory that an address is in, for messages.

use ferrite_device::Place;
use ferrite_memory::statics::locate::kind_of;

/// Complete the sentence "the address is ...". Asks the driver of the devices, if the program has loaded one.
pub(crate) fn kind_at(address: usize) -> String {
    match ferrite_device::cuda::classify_if_loaded(address) {
        Some(Place::Device { ordinal, .. }) => format!("device memory of GPU {ordinal}"),
        _ => kind_of(address).to_string(),
    }
}
