//! Devices of the stand-in for CUDA's driver. Each test runs in a process of its own, with the environment that the stand-in reads.

#[path = "standin/alone.rs"]
mod alone;
#[path = "standin/contexts.rs"]
mod contexts;
#[path = "standin/contract.rs"]
mod contract;
#[path = "standin/copies.rs"]
mod copies;
#[path = "standin/failures.rs"]
mod failures;
#[path = "standin/memory.rs"]
mod memory;

#[test]
fn contract_holds_on_the_stand_in() {
    alone::alone(&[], || {
        let device = alone::open();
        contract::holds(&device);
        contract::measure(&device);
    });
}
