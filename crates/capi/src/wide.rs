//! `long double` by value.
//!
//! Rust has no type that is passed and returned as C's `long double` is. So the four routines that do so are assembly
//! shims: each converts the value to a pointer, or back, and calls a body in Rust. Everywhere else a `long double` is
//! sixteen bytes behind a pointer.
//!
//! | target | format | argument | result |
//! |---|---|---|---|
//! | x86-64 | x87's 80 bits, 16 bytes apart | on the stack, above the return address | in st(0) |
//! | aarch64 | IEEE quad | in q0 | in q0 |

use crate::WORLD;
use core::{arch::naked_asm, ffi::c_int};
use ferrite_runtime::{Ctx, LongDouble, Site};

static P: Site = Site::of_c("shmem_longdouble_p");
static CTX_P: Site = Site::of_c("shmem_ctx_longdouble_p");
static G: Site = Site::of_c("shmem_longdouble_g");
static CTX_G: Site = Site::of_c("shmem_ctx_longdouble_g");

unsafe extern "C-unwind" fn p(dest: *mut LongDouble, value: *const LongDouble, pe: c_int) {
    // SAFETY: the shim passes the address of the caller's value; the rest is the caller's promise to the method.
    unsafe { WORLD.p(&P, Ctx::DEFAULT, dest, *value, pe) }
}

unsafe extern "C-unwind" fn ctx_p(ctx: Ctx, dest: *mut LongDouble, value: *const LongDouble, pe: c_int) {
    // SAFETY: as in `p`.
    unsafe { WORLD.p(&CTX_P, ctx, dest, *value, pe) }
}

unsafe extern "C-unwind" fn g(out: *mut LongDouble, source: *const LongDouble, pe: c_int) {
    // SAFETY: the shim passes room on its own stack; the rest is the caller's promise to the method.
    unsafe { *out = WORLD.g(&G, Ctx::DEFAULT, source, pe) }
}

unsafe extern "C-unwind" fn ctx_g(out: *mut LongDouble, ctx: Ctx, source: *const LongDouble, pe: c_int) {
    // SAFETY: as in `g`.
    unsafe { *out = WORLD.g(&CTX_G, ctx, source, pe) }
}

#[cfg(target_arch = "x86_64")]
mod shims {
    use super::*;

    // (dest: rdi, pe: esi, value: [rsp + 8])
    #[unsafe(export_name = "pshmem_longdouble_p")]
    #[unsafe(naked)]
    extern "C" fn shim_p() {
        naked_asm!("mov edx, esi", "lea rsi, [rsp + 8]", "jmp {body}", body = sym p)
    }

    // (ctx: rdi, dest: rsi, pe: edx, value: [rsp + 8])
    #[unsafe(export_name = "pshmem_ctx_longdouble_p")]
    #[unsafe(naked)]
    extern "C" fn shim_ctx_p() {
        naked_asm!("mov ecx, edx", "lea rdx, [rsp + 8]", "jmp {body}", body = sym ctx_p)
    }

    // (source: rdi, pe: esi) -> st(0)
    #[unsafe(export_name = "pshmem_longdouble_g")]
    #[unsafe(naked)]
    extern "C" fn shim_g() {
        naked_asm!(
            ".cfi_startproc",
            "sub rsp, 24",
            ".cfi_adjust_cfa_offset 24",
            "mov edx, esi",
            "mov rsi, rdi",
            "mov rdi, rsp",
            "call {body}",
            "fld tbyte ptr [rsp]",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            body = sym g
        )
    }

    // (ctx: rdi, source: rsi, pe: edx) -> st(0)
    #[unsafe(export_name = "pshmem_ctx_longdouble_g")]
    #[unsafe(naked)]
    extern "C" fn shim_ctx_g() {
        naked_asm!(
            ".cfi_startproc",
            "sub rsp, 24",
            ".cfi_adjust_cfa_offset 24",
            "mov ecx, edx",
            "mov rdx, rsi",
            "mov rsi, rdi",
            "mov rdi, rsp",
            "call {body}",
            "fld tbyte ptr [rsp]",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            body = sym ctx_g
        )
    }
}

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod shims {
    use super::*;

    // (dest: x0, value: q0, pe: w1). The value must outlive the body, so that this is a call and not a jump.
    #[unsafe(export_name = "pshmem_longdouble_p")]
    #[unsafe(naked)]
    extern "C" fn shim_p() {
        naked_asm!(
            ".cfi_startproc",
            "stp x29, x30, [sp, #-32]!",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            "str q0, [sp, #16]",
            "mov w2, w1",
            "add x1, sp, #16",
            "bl {body}",
            "ldp x29, x30, [sp], #32",
            "ret",
            ".cfi_endproc",
            body = sym p
        )
    }

    // (ctx: x0, dest: x1, value: q0, pe: w2)
    #[unsafe(export_name = "pshmem_ctx_longdouble_p")]
    #[unsafe(naked)]
    extern "C" fn shim_ctx_p() {
        naked_asm!(
            ".cfi_startproc",
            "stp x29, x30, [sp, #-32]!",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            "str q0, [sp, #16]",
            "mov w3, w2",
            "add x2, sp, #16",
            "bl {body}",
            "ldp x29, x30, [sp], #32",
            "ret",
            ".cfi_endproc",
            body = sym ctx_p
        )
    }

    // (source: x0, pe: w1) -> q0
    #[unsafe(export_name = "pshmem_longdouble_g")]
    #[unsafe(naked)]
    extern "C" fn shim_g() {
        naked_asm!(
            ".cfi_startproc",
            "stp x29, x30, [sp, #-32]!",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            "mov w2, w1",
            "mov x1, x0",
            "add x0, sp, #16",
            "bl {body}",
            "ldr q0, [sp, #16]",
            "ldp x29, x30, [sp], #32",
            "ret",
            ".cfi_endproc",
            body = sym g
        )
    }

    // (ctx: x0, source: x1, pe: w2) -> q0
    #[unsafe(export_name = "pshmem_ctx_longdouble_g")]
    #[unsafe(naked)]
    extern "C" fn shim_ctx_g() {
        naked_asm!(
            ".cfi_startproc",
            "stp x29, x30, [sp, #-32]!",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset x29, -32",
            ".cfi_offset x30, -24",
            "mov x29, sp",
            "mov w3, w2",
            "mov x2, x1",
            "mov x1, x0",
            "add x0, sp, #16",
            "bl {body}",
            "ldr q0, [sp, #16]",
            "ldp x29, x30, [sp], #32",
            "ret",
            ".cfi_endproc",
            body = sym ctx_g
        )
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))))]
compile_error!("this target's way to pass `long double` by value is not known here: add its shims to wide.rs");
