//! The Fortran interface: one exported procedure for each name of the Fortran table.
//!
//! A procedure takes all arguments by reference, and passes their values to the method of the world that its row names,
//! as the C interface does. It is exported as `pX_`, which is gfortran's name of the profiling interface. `cargo xtask
//! dist` adds the weak `X_`, and the names of other compilers, at the same address.
//!
//! - INTEGER has 32 bits. A negative count becomes a count that is too large for any object, and is refused as such. Cray's
//!   sizes and signals are INTEGER(8).
//! - A `pSync` array is INTEGER here and long in C. No method reads one.
//! - LOGICAL has 32 bits, and `.true.` is 1, which every compiler accepts as true.
//! - A function that returns INTEGER or LOGICAL returns 64 bits, for programs compiled with wider default types: see
//!   `returned!`.
//! - Procedures with CHARACTER arguments receive the lengths after all other arguments. `shmem_character_put` has a count of
//!   characters and ignores the lengths, as specified.
//!
//! - `memory.rs`: `shpalloc` and related routines, which report errors by number;
//! - `lock.rs`: locks of 32 bits;
//! - `name.rs`: the name of the library;
//! - `join.rs`: starts by unique id, whose types are arrays of INTEGER.

mod join;
mod lock;
mod memory;
mod name;

use crate::{WORLD, border::bordered};
use core::ffi::{c_char, c_int, c_long, c_void};
use ferrite_runtime::{ComplexDouble, ComplexFloat, Ctx, Quad, Site, Team, at_border};
use join::{get_uniqueid, init_attr, lost_pes, set_attr_uniqueid_args};
use lock::{clear_lock, set_lock, test_lock};
use memory::{shpalloc, shpclmove, shpdeallc};
use name::info_get_name;

/// A procedure for each name of a group.
macro_rules! emit {
    (pending $($group:tt)*) => {};
    (served $($group:tt)*) => { emit! { @group "shmem_" $($group)* } };
    (extension $($group:tt)*) => { emit! { @group "shmem_" $($group)* } };
    (cray $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };
    (@group $prefix:literal $shape:ident $how:ident [$($type:tt: $rust:ty),*] $rows:tt) => {
        $( emit! { @rows $prefix $shape $how $type [$rust] $rows } )*
    };
    (@rows $prefix:literal typed $how:ident $type:tt [$rust:ty] { $(
        $stem:ident ($($arg:ident: $role:ident),*) $(-> $returned:ident)? = $method:ident;
    )* }) => { $(
        emit! { @row $how ($prefix, stringify!($type), "_", stringify!($stem))
            [$rust] ($($arg: $role),*) [$($returned)?] $method }
    )* };
    (@rows $prefix:literal sized $how:ident $size:tt [$rust:ty] { $(
        $stem:ident * $($suffix:ident)? ($($arg:ident: $role:ident),*) $(-> $returned:ident)? = $method:ident;
    )* }) => { $(
        emit! { @row $how ($prefix, stringify!($stem), stringify!($size) $(, stringify!($suffix))?)
            [$rust] ($($arg: $role),*) [$($returned)?] $method }
    )* };
    (@rows $prefix:literal plain $how:ident $type:tt [$rust:ty] { $(
        $name:ident ($($arg:ident: $role:ident),*) $(-> $returned:ident)? = $method:ident;
    )* }) => { $(
        emit! { @row $how (stringify!($name)) [$rust] ($($arg: $role),*) [$($returned)?] $method }
    )* };

    (@row plane $name:tt [$rust:ty] ($($arg:ident: $role:ident),*) $returned:tt $method:ident) => {
        procedure! { $name [$rust] ($($arg: $role),*) $returned $method
            WORLD.$method(&SITE, Ctx::DEFAULT, $(pass!($role $arg)),*) }
    };
    (@row bare $name:tt [$rust:ty] ($($arg:ident: $role:ident),*) $returned:tt $method:ident) => {
        procedure! { $name [$rust] ($($arg: $role),*) $returned $method
            WORLD.$method(&SITE, $(pass!($role $arg)),*) }
    };
    // The length of a CHARACTER comes last, by value.
    (@row own ($($name:tt)*) [$rust:ty] ($arg:ident: text) [] $function:ident) => {
        const _: () = {
            static SITE: Site = Site::of_fortran(concat!($($name)*));

            #[unsafe(export_name = concat!("p", $($name)*, "_"))]
            unsafe extern "C" fn procedure($arg: *mut c_char, len: usize) {
                // SAFETY: the compiler passes the variable's own length.
                at_border(|| unsafe { $function(&SITE, $arg, len) }, ())
            }
        };
    };
    (@row own $name:tt [$rust:ty] ($($arg:ident: $role:ident),*) $returned:tt $function:ident) => {
        procedure! { $name [$rust] ($($arg: $role),*) $returned $function $function(&SITE, $(pass!($role $arg)),*) }
    };
    (@row nothing ($($name:tt)*) [$rust:ty] ($($arg:ident: $role:ident),*) [] $method:ident) => {
        const _: () = {
            #[unsafe(export_name = concat!("p", $($name)*, "_"))]
            extern "C" fn procedure($(_: role!($role $rust)),*) {}
        };
    };
}

/// An exported procedure that evaluates an expression of its arguments.
macro_rules! procedure {
    // It ends the process, also after a loss.
    (($($name:tt)*) [$rust:ty] ($arg:ident: $role:ident) [] global_exit $call:expr) => {
        const _: () = {
            static SITE: Site = Site::of_fortran(concat!($($name)*));

            #[unsafe(export_name = concat!("p", $($name)*, "_"))]
            unsafe extern "C" fn procedure($arg: role!($role $rust)) {
                // SAFETY: the compiler passes a reference to a variable of this type.
                unsafe { $call }
            }
        };
    };
    (($($name:tt)*) [$rust:ty] ($($arg:ident: $role:ident),*) [$($returned:ident)?] $method:ident $call:expr) => {
        const _: () = {
            #[allow(dead_code, reason = "some procedures have no argument of their type")]
            type T = $rust;
            static SITE: Site = Site::of_fortran(concat!($($name)*));

            #[allow(unused_unsafe, reason = "some methods ask nothing")]
            #[unsafe(export_name = concat!("p", $($name)*, "_"))]
            unsafe extern "C-unwind" fn procedure($($arg: role!($role T)),*) $(-> returned!($returned T))? {
                // SAFETY: the compiler passes references to variables of these types; the rest is what the
                // specification asks of the caller, and the method of its own.
                bordered!($method unsafe { returned!(@value [$($returned)?] $call) })
            }
        };
    };
}

/// Type in which an argument is passed.
macro_rules! role {
    (choice $t:ty) => { *mut $t };
    (object $t:ty) => { *mut $t };
    (value $t:ty) => { *const $t };
    (integer $t:ty) => { *const c_int };
    (count $t:ty) => { *const c_int };
    (stride $t:ty) => { *const c_int };
    (out $t:ty) => { *mut c_int };
    (pointer $t:ty) => { *mut *mut c_void };
    (psync $t:ty) => { *mut c_int };
    (lock $t:ty) => { *mut c_int };
    (long $t:ty) => { *const u64 };
    (long_out $t:ty) => { *mut usize };
    (longs $t:ty) => { *mut usize };
    (signal $t:ty) => { *mut u64 };
    (team $t:ty) => { *const Team };
    (new_team $t:ty) => { *mut Team };
}

/// Value that the method receives for an argument.
macro_rules! pass {
    (value $arg:ident) => {
        *$arg
    };
    (integer $arg:ident) => {
        *$arg
    };
    (count $arg:ident) => {
        *$arg as usize
    };
    (stride $arg:ident) => {
        *$arg as isize
    };
    (team $arg:ident) => {
        *$arg
    };
    // Converts from 64 bits, the width of a number of bytes.
    (long $arg:ident) => {
        *$arg as _
    };
    (psync $arg:ident) => {
        $arg.cast::<c_long>()
    };
    ($as_it_is:ident $arg:ident) => {
        $arg
    };
}

/// Result of a function: its type, and the conversion of the method's result to it.
///
/// INTEGER and LOGICAL fill the whole result register, with their sign. A program that was compiled with defaults of 8 bytes
/// (`-fdefault-integer-8`, `-i8`) reads all of it, and would otherwise find -1 to be 4294967295 or worse. A program with defaults of 4
/// bytes reads the lower half of the same register: eax of rax on x86-64, w0 of x0 on aarch64, where both ABIs leave the upper half to the
/// function.
macro_rules! returned {
    (integer $t:ty) => {
        i64
    };
    (logical $t:ty) => {
        i64
    };
    (address $t:ty) => {
        i64
    };
    (long $t:ty) => {
        i64
    };
    (double $t:ty) => {
        f64
    };
    (value $t:ty) => {
        $t
    };
    (@value [integer] $call:expr) => {
        i64::from($call)
    };
    (@value [logical] $call:expr) => {
        i64::from($call != 0)
    };
    (@value [address] $call:expr) => {
        $call as i64
    };
    (@value [long] $call:expr) => {
        $call as i64
    };
    (@value [$($returned:ident)?] $call:expr) => {
        $call
    };
}

ferrite_abi::openshmem_fortran!(emit);
