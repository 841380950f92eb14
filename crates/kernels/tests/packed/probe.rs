//! The kernels alone, as a crate without the crates around them. `tests/packed.rs` compiles it and reads the assembly.
#![allow(dead_code, unused_imports)]

#[path = "../../../copy/src/lib.rs"]
mod copy;
#[path = "../../src/lib.rs"]
mod kernel;

// The modules import from a crate `ferrite_copy`; here it is this crate.
extern crate self as ferrite_copy;
pub use copy::*;
use kernel::{Elem, LongDouble};

/// Uses of the kernels, so that the compiler emits their code.
#[unsafe(no_mangle)]
pub static SHOWN: [kernel::Kernel; 9] = [
    kernel::of::<i8, kernel::Prod>(),
    kernel::of::<i16, kernel::Max>(),
    kernel::of::<i32, kernel::Max>(),
    kernel::of::<i64, kernel::Sum>(),
    kernel::of::<i64, kernel::Max>(),
    kernel::of::<f32, kernel::Sum>(),
    kernel::of::<f64, kernel::Sum>(),
    kernel::of::<f64, kernel::Max>(),
    kernel::of::<kernel::ComplexFloat, kernel::Prod>(),
];
