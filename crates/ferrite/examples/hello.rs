//! The first program: each PE prints its number.
//!
//! `cargo run --example hello`, or `oshrun -n 4 target/debug/examples/hello`.

use ferrite::prelude::*;

#[ferrite::main]
fn main(world: &World) {
    println!("hello from PE {} of {}", world.my_pe(), world.n_pes());
    let pes = world.sum(1_u32);
    assert_eq!(pes, world.n_pes());
}
