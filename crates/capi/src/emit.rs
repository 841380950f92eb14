//! The reader of the tables that emits exported functions.
//!
//! `emit!` takes the groups of the tables apart by the form of their names. `routine!` is the only place that knows
//! what a function looks like, so it is the only one to change when the runtime's methods change.

// Names for the argument types of the table.
#![allow(non_camel_case_types, reason = "the table speaks of C's types by C's names")]

use crate::{WORLD, border::bordered};
use core::ffi::{
    c_char, c_int, c_long, c_longlong, c_schar, c_short, c_uchar, c_uint, c_ulong, c_ulonglong, c_ushort, c_void,
};
use ferrite_runtime::{
    Agg, AggHandler, ComplexDouble, ComplexFloat, Ctx, InitAttr, LongDouble, Req, SessionConfig, Site, Team,
    TeamConfig, UniqueIdBytes,
};
use ferrite_vendors::{Ct, Gettid, Pcntr, Space, SpaceConfig};

type size_t = usize;
type ptrdiff_t = isize;

/// A function for each name of a group.
macro_rules! emit {
    (pending $($group:tt)*) => {};
    (served $($group:tt)*) => { emit! { @group "shmem_" $($group)* } };
    (extension $($group:tt)*) => { emit! { @group "shmem_" $($group)* } };
    (cray $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };
    (cray_team $($group:tt)*) => { emit! { @group "shmemx_team_" $($group)* } };
    (sos $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };
    (open_mpi $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };
    (reference $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };
    (device $($group:tt)*) => { emit! { @group "shmemg_" $($group)* } };
    (own $($group:tt)*) => { emit! { @group "shmemx_" $($group)* } };

    (@group $prefix:literal typed $context:ident [$($type:ident: $rust:ty),*] $rows:tt) => {
        $( emit! { @typed $prefix $context $type [$rust] $rows } )*
    };
    (@typed $prefix:literal $context:ident $type:ident [$rust:ty] { $(
        fn $stem:ident ($($arg:ident: $arg_type:ty),*) $(-> $result:ty)? = $method:ident $facts:tt;
    )* }) => { $(
        emit! { @row $type $stem $context
            ($prefix, stringify!($type), "_", stringify!($stem))
            ($prefix, "ctx_", stringify!($type), "_", stringify!($stem))
            [$rust] ($($arg: $arg_type),*) [$($result)?] $method }
    )* };

    (@group $prefix:literal sized $context:ident [$($size:tt: $rust:ty),*] $rows:tt) => {
        $( emit! { @sized $prefix $context $size [$rust] $rows } )*
    };
    (@sized $prefix:literal $context:ident $size:tt [$rust:ty] { $(
        fn $stem:ident * $($suffix:ident)? ($($arg:ident: $arg_type:ty),*) $(-> $result:ty)? = $method:ident $facts:tt;
    )* }) => { $(
        emit! { @row $size $stem $context
            ($prefix, stringify!($stem), stringify!($size) $(, stringify!($suffix))?)
            ($prefix, "ctx_", stringify!($stem), stringify!($size) $(, stringify!($suffix))?)
            [$rust] ($($arg: $arg_type),*) [$($result)?] $method }
    )* };

    (@group $prefix:literal plain twin [$($none:tt)*] { $(
        fn $stem:ident ($($arg:ident: $arg_type:ty),*) $(-> $result:ty)? = $method:ident $facts:tt;
    )* }) => { $(
        emit! { @row plain $stem twin
            ($prefix, stringify!($stem)) ($prefix, "ctx_", stringify!($stem))
            [()] ($($arg: $arg_type),*) [$($result)?] $method }
    )* };
    (@group $prefix:literal plain $context:ident [$($none:tt)*] { $(
        fn $name:ident ($($arg:ident: $arg_type:ty),*) $(-> $result:ty)? = $method:ident $facts:tt;
    )* }) => { $(
        emit! { @row plain $name $context
            (stringify!($name)) () [()] ($($arg: $arg_type),*) [$($result)?] $method }
    )* };

    // `long double` by value: see wide.rs.
    (@row longdouble p $($rest:tt)*) => {};
    (@row longdouble g $($rest:tt)*) => {};

    (@row $instance:tt $stem:ident bare $name:tt $twin:tt
        [$rust:ty] ($($arg:ident: $arg_type:ty),*) [$($result:ty)?] $method:ident) => {
        routine! { $name [$rust] ($($arg: $arg_type),*) [$($result)?] $method($($arg),*) }
    };
    (@row $instance:tt $stem:ident default $name:tt $twin:tt
        [$rust:ty] ($($arg:ident: $arg_type:ty),*) [$($result:ty)?] $method:ident) => {
        routine! { $name [$rust] ($($arg: $arg_type),*) [$($result)?] $method(Ctx::DEFAULT, $($arg),*) }
    };
    (@row $instance:tt $stem:ident twin $name:tt $twin:tt
        [$rust:ty] ($($arg:ident: $arg_type:ty),*) [$($result:ty)?] $method:ident) => {
        routine! { $name [$rust] ($($arg: $arg_type),*) [$($result)?] $method(Ctx::DEFAULT, $($arg),*) }
        routine! { $twin [$rust] (ctx: Ctx, $($arg: $arg_type),*) [$($result)?] $method(ctx, $($arg),*) }
    };
    (@row $instance:tt $stem:ident nothing ($($name:tt)*) $twin:tt
        [$rust:ty] ($($arg:ident: $arg_type:ty),*) [] $method:ident) => {
        const _: () = {
            #[unsafe(export_name = concat!("p", $($name)*))]
            extern "C" fn routine($(_: $arg_type),*) {}
        };
    };
}

/// An exported function that hands its arguments to a method of the world. No call unwinds out of it; it is a "C-unwind" function because a
/// function that refuses to unwind needs a frame.
macro_rules! routine {
    // The border is in the cold path: a frame would add two instructions to four.
    ($name:tt $rust:tt () [] fence(Ctx::DEFAULT,)) => { routine! { @bordered $name fence_at_border } };
    ($name:tt $rust:tt () [] quiet(Ctx::DEFAULT,)) => { routine! { @bordered $name quiet_at_border } };
    (@bordered ($($name:tt)*) $method:ident) => {
        const _: () = {
            static SITE: Site = Site::of_c(concat!($($name)*));

            #[unsafe(export_name = concat!("p", $($name)*))]
            extern "C" fn routine() {
                WORLD.$method(&SITE);
            }
        };
    };
    // It ends the process, also after a loss.
    (($($name:tt)*) [$rust:ty] ($($arg:ident: $arg_type:ty),*) [$($result:ty)?] global_exit($($pass:expr),*)) => {
        const _: () = {
            static SITE: Site = Site::of_c(concat!($($name)*));

            #[unsafe(export_name = concat!("p", $($name)*))]
            extern "C" fn routine($($arg: $arg_type),*) $(-> $result)? {
                WORLD.global_exit(&SITE, $($pass),*)
            }
        };
    };
    (($($name:tt)*) [$rust:ty] ($($arg:ident: $arg_type:ty),* $(,)?) [$($result:ty)?] $method:ident($($pass:expr),* $(,)?)) => {
        const _: () = {
            #[allow(dead_code, reason = "plain routines have no element type")]
            type T = $rust;
            static SITE: Site = Site::of_c(concat!($($name)*));

            #[allow(unused_unsafe, reason = "some methods ask nothing")]
            #[unsafe(export_name = concat!("p", $($name)*))]
            unsafe extern "C-unwind" fn routine($($arg: $arg_type),*) $(-> $result)? {
                // SAFETY: the C caller keeps what the specification asks of it, which is what the method asks.
                bordered!($method unsafe { WORLD.$method(&SITE, $($pass),*) })
            }
        };
    };
}

ferrite_abi::openshmem_abi!(emit);
ferrite_abi::openshmemx_abi!(emit);
