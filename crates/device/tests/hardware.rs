//! The contract on a GPU. Without one, each test prints why it is skipped. `ci/gpu` runs this.

#[path = "standin/contract.rs"]
mod contract;

use ferrite_device::{Device, Kind, cuda};
use std::sync::{Arc, Mutex, PoisonError};

/// Tests measure, so they run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn on_a_gpu(test: impl FnOnce(&Arc<dyn Device>)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    match cuda::open(None) {
        Ok(device) => test(&device),
        Err(error) if error.kind() == Kind::Absent => println!("skipped: no GPU: {error}"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn contract_holds_on_a_gpu() {
    on_a_gpu(contract::holds);
}

#[test]
fn copies_of_a_gpu_are_measured() {
    on_a_gpu(contract::measure);
}
