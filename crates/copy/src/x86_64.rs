//! Moves of x86-64, in assembly.

use core::{
    arch::{asm, naked_asm},
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};
use std::arch::is_x86_feature_detected;

/// A value that one instruction loads and stores, at any address.
pub trait Scalar: Copy {
    /// # Safety
    /// `from` is valid for reads of the value's size.
    unsafe fn load(from: *const u8) -> Self;
    /// # Safety
    /// `from` + `distance` is valid for reads of the value's size.
    unsafe fn load_apart(from: *const u8, distance: isize) -> Self;
    /// # Safety
    /// `to` is valid for writes of the value's size.
    unsafe fn store(self, to: *mut u8);
    /// # Safety
    /// `to` + `distance` is valid for writes of the value's size.
    unsafe fn store_apart(self, to: *mut u8, distance: isize);
}

// No move is `nomem`, so the compiler moves no access across it.
macro_rules! scalars {
    ($($word:ty, $loaded:ty, $from:ident, $to:ident, $load:literal, $store:literal, $size:literal, $name:literal;)*) => { $(
        impl Scalar for $word {
            #[inline(always)]
            unsafe fn load(from: *const u8) -> $word {
                let value: $loaded;
                // SAFETY: reads what the caller has promised.
                unsafe {
                    asm!(concat!($load, ", ", $size, " ptr [{from}]"), value = lateout($from) value, from = in(reg) from,
                        options(nostack, preserves_flags, readonly));
                }
                value as $word
            }
            #[inline(always)]
            unsafe fn load_apart(from: *const u8, distance: isize) -> $word {
                let value: $loaded;
                // SAFETY: reads what the caller has promised.
                unsafe {
                    asm!(concat!($load, ", ", $size, " ptr [{from} + {distance}]"), value = lateout($from) value,
                        from = in(reg) from, distance = in(reg) distance, options(nostack, preserves_flags, readonly));
                }
                value as $word
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: writes what the caller has promised.
                unsafe {
                    asm!(concat!($store, " ", $size, " ptr [{to}], ", $name), value = in($to) self, to = in(reg) to,
                        options(nostack, preserves_flags));
                }
            }
            #[inline(always)]
            unsafe fn store_apart(self, to: *mut u8, distance: isize) {
                // SAFETY: writes what the caller has promised.
                unsafe {
                    asm!(concat!($store, " ", $size, " ptr [{to} + {distance}], ", $name), value = in($to) self,
                        to = in(reg) to, distance = in(reg) distance, options(nostack, preserves_flags));
                }
            }
        }
    )* };
}

scalars! {
    u8, u32, reg, reg_byte, "movzx {value:e}", "mov", "byte", "{value}";
    u16, u16, reg, reg, "movzx {value:e}", "mov", "word", "{value:x}";
    u32, u32, reg, reg, "mov {value:e}", "mov", "dword", "{value:e}";
    u64, u64, reg, reg, "mov {value:r}", "mov", "qword", "{value:r}";
    f32, f32, xmm_reg, xmm_reg, "movss {value}", "movss", "dword", "{value}";
    f64, f64, xmm_reg, xmm_reg, "movsd {value}", "movsd", "qword", "{value}";
}

word_moves!();

/// Length from which `rep movs` is worth its start-up time (10 ns), on processors that report it as fast.
const STRING_MIN: usize = 4096;

/// Whether the processor has registers of 32 bytes: [`UNKNOWN`] until the first copy that could use them.
static WIDE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const HAS_WIDE: u8 = 1;
const HAS_NO_WIDE: u8 = 2;

/// If [rdi, rdi + rdx) and [rsi, rsi + rdx) overlap, jump to the copy that handles overlap. Changes rax and rcx; rdx is not 0.
///
/// They overlap if -rdx < rdi - rsi < rdx. Both sides plus rdx - 1 make one unsigned comparison. Ranges that touch do not overlap: arrays that
/// were allocated one after the other do touch, and copying them by words takes three times as long.
macro_rules! leave_if_overlapping {
    () => {
        concat!(
            "lea rax, [rdi + rdx - 1]\n",
            "sub rax, rsi\n",
            "lea rcx, [rdx + rdx - 1]\n",
            "cmp rax, rcx\n",
            "jb {by_words}"
        )
    };
}

/// Move a word of the register `rax` and advance.
macro_rules! step {
    (1) => {
        concat!("movzx eax, byte ptr [rsi]\n", "mov [rdi], al\n", "inc rsi\n", "inc rdi\n", "dec rdx")
    };
    (2) => {
        concat!("movzx eax, word ptr [rsi]\n", "mov [rdi], ax\n", "add rsi, 2\n", "add rdi, 2\n", "sub rdx, 2")
    };
    (4) => {
        concat!("mov eax, [rsi]\n", "mov [rdi], eax\n", "add rsi, 4\n", "add rdi, 4\n", "sub rdx, 4")
    };
    (8) => {
        concat!("mov rax, [rsi]\n", "mov [rdi], rax\n", "add rsi, 8\n", "add rdi, 8\n", "sub rdx, 8")
    };
    (16) => {
        concat!("movups xmm0, [rsi]\n", "movups [rdi], xmm0\n", "add rsi, 16\n", "add rdi, 16\n", "sub rdx, 16")
    };
}

/// Copy `len` bytes. The ranges may overlap.
///
/// The number of branches bounds the time of a short copy, so a copy of 16 to 256 bytes jumps into a row of moves, at the distance from its
/// end that the length gives.
///
/// # Safety
/// As for [`copy_elements`](super::copy_elements).
#[unsafe(naked)]
pub unsafe extern "C" fn copy(to: *mut u8, from: *const u8, len: usize) {
    naked_asm!(
        // The stack pointer never moves, so a crash is unwound from any instruction.
        ".cfi_startproc",
        "lea rax, [rdx - 16]",
        "cmp rax, 240",
        "ja 50f",
        leave_if_overlapping!(),
        "mov eax, edi",
        "or eax, edx",
        "test al, 7",
        "jne 30f",
        // The destination is aligned to eight, and the length a multiple of eight up to 256.
        "20:",
        "test dl, 8",
        "jne 22f",
        "21:",
        "add rsi, rdx",
        "add rdi, rdx",
        "shr edx, 4",
        "lea rcx, [rip + 99f]",
        "movsxd rax, dword ptr [rcx + 4 * rdx]",
        "add rax, rcx",
        "notrack jmp rax",
        "22:",
        step!(8),
        "jmp 21b",
        "116:",
        "movups xmm0, [rsi - 256]",
        "movups [rdi - 256], xmm0",
        "115:",
        "movups xmm0, [rsi - 240]",
        "movups [rdi - 240], xmm0",
        "114:",
        "movups xmm0, [rsi - 224]",
        "movups [rdi - 224], xmm0",
        "113:",
        "movups xmm0, [rsi - 208]",
        "movups [rdi - 208], xmm0",
        "112:",
        "movups xmm0, [rsi - 192]",
        "movups [rdi - 192], xmm0",
        "111:",
        "movups xmm0, [rsi - 176]",
        "movups [rdi - 176], xmm0",
        "110:",
        "movups xmm0, [rsi - 160]",
        "movups [rdi - 160], xmm0",
        "109:",
        "movups xmm0, [rsi - 144]",
        "movups [rdi - 144], xmm0",
        "108:",
        "movups xmm0, [rsi - 128]",
        "movups [rdi - 128], xmm0",
        "107:",
        "movups xmm0, [rsi - 112]",
        "movups [rdi - 112], xmm0",
        "106:",
        "movups xmm0, [rsi - 96]",
        "movups [rdi - 96], xmm0",
        "105:",
        "movups xmm0, [rsi - 80]",
        "movups [rdi - 80], xmm0",
        "104:",
        "movups xmm0, [rsi - 64]",
        "movups [rdi - 64], xmm0",
        "103:",
        "movups xmm0, [rsi - 48]",
        "movups [rdi - 48], xmm0",
        "102:",
        "movups xmm0, [rsi - 32]",
        "movups [rdi - 32], xmm0",
        "101:",
        "movups xmm0, [rsi - 16]",
        "movups [rdi - 16], xmm0",
        "100:",
        "ret",
        // Align the destination to eight: at least 16 bytes are left.
        "30:",
        "test edi, 3",
        "je 32f",
        "test edi, 1",
        "je 31f",
        step!(1),
        "31:",
        "test edi, 2",
        "je 32f",
        step!(2),
        "32:",
        "test edi, 4",
        "je 33f",
        step!(4),
        // Move what is behind the last multiple of eight.
        "33:",
        "mov eax, edx",
        "and eax, -8",
        "test dl, 4",
        "je 34f",
        "mov ecx, [rsi + rax]",
        "mov [rdi + rax], ecx",
        "add eax, 4",
        "34:",
        "test dl, 3",
        "je 37f",
        "test dl, 2",
        "je 35f",
        "movzx ecx, word ptr [rsi + rax]",
        "mov [rdi + rax], cx",
        "add eax, 2",
        "35:",
        "test dl, 1",
        "je 37f",
        "movzx ecx, byte ptr [rsi + rax]",
        "mov [rdi + rax], cl",
        "37:",
        "and edx, -8",
        "jmp 20b",
        "50:",
        "cmp rdx, 16",
        "jae 70f",
        // Less than 16 bytes. 1, 2, 4 and 8 are one move, wherever they are.
        "cmp edx, 8",
        "je 58f",
        "cmp edx, 4",
        "je 54f",
        "cmp edx, 2",
        "jbe 52f",
        leave_if_overlapping!(),
        "test edi, 7",
        "je 63f",
        "test edi, 1",
        "je 61f",
        step!(1),
        "61:",
        "test edi, 2",
        "je 62f",
        "cmp edx, 2",
        "jb 62f",
        step!(2),
        "62:",
        "test edi, 4",
        "je 63f",
        "cmp edx, 4",
        "jb 63f",
        step!(4),
        "63:",
        "test edx, 8",
        "je 53f",
        step!(8),
        "53:",
        "test edx, 4",
        "je 52f",
        step!(4),
        "52:",
        "test edx, 2",
        "je 51f",
        step!(2),
        "51:",
        "test edx, edx",
        "je 55f",
        "movzx eax, byte ptr [rsi]",
        "mov [rdi], al",
        "55:",
        "ret",
        "54:",
        "mov eax, [rsi]",
        "mov [rdi], eax",
        "ret",
        "58:",
        "mov rax, [rsi]",
        "mov [rdi], rax",
        "ret",
        // More than 256 bytes.
        "70:",
        leave_if_overlapping!(),
        "cmp byte ptr [rip + {wide}], {has_wide}",
        "jne {long}",
        "cmp rdx, {string_min}",
        "jae {long}",
        "test edi, 31",
        "jne 80f",
        "71:",
        "vmovups ymm0, [rsi]",
        "vmovups ymm1, [rsi + 32]",
        "vmovups ymm2, [rsi + 64]",
        "vmovups ymm3, [rsi + 96]",
        "vmovups [rdi], ymm0",
        "vmovups [rdi + 32], ymm1",
        "vmovups [rdi + 64], ymm2",
        "vmovups [rdi + 96], ymm3",
        "sub rsi, -128",
        "sub rdi, -128",
        "add rdx, -128",
        "cmp rdx, 128",
        "jae 71b",
        "vzeroupper",
        "test edx, edx",
        "je 55b",
        "test dl, 7",
        "je 20b",
        "jmp 33b",
        // Align the destination to 32.
        "80:",
        "test edi, 7",
        "je 84f",
        "test edi, 1",
        "je 82f",
        step!(1),
        "82:",
        "test edi, 2",
        "je 83f",
        step!(2),
        "83:",
        "test edi, 4",
        "je 84f",
        step!(4),
        "84:",
        "test edi, 8",
        "je 85f",
        step!(8),
        "85:",
        "test edi, 16",
        "je 71b",
        step!(16),
        "jmp 71b",
        // The entry into the row of moves for each number of 16 bytes.
        ".p2align 2",
        "99:",
        ".long 100b - 99b",
        ".long 101b - 99b",
        ".long 102b - 99b",
        ".long 103b - 99b",
        ".long 104b - 99b",
        ".long 105b - 99b",
        ".long 106b - 99b",
        ".long 107b - 99b",
        ".long 108b - 99b",
        ".long 109b - 99b",
        ".long 110b - 99b",
        ".long 111b - 99b",
        ".long 112b - 99b",
        ".long 113b - 99b",
        ".long 114b - 99b",
        ".long 115b - 99b",
        ".long 116b - 99b",
        ".cfi_endproc",
        by_words = sym super::copy_by_words,
        long = sym long,
        wide = sym WIDE,
        has_wide = const HAS_WIDE,
        string_min = const STRING_MIN,
    )
}

/// Copy the lengths that the assembly passes on: before the width of registers is known, without wide registers, or by `rep movs`.
///
/// # Safety
/// As for [`copy`]; `len` is more than 64, and the ranges do not overlap.
unsafe extern "C" fn long(mut to: *mut u8, mut from: *const u8, mut len: usize) {
    let has_wide = is_x86_feature_detected!("avx");
    // Relaxed: a thread that still reads UNKNOWN comes here once more.
    WIDE.store(if has_wide { HAS_WIDE } else { HAS_NO_WIDE }, Relaxed);
    let is_string = len >= STRING_MIN && is_x86_feature_detected!("ermsb");
    // Pieces that the assembly copies without coming back here. The first aligns the destination to 64, where `rep movs` is fast.
    let piece_max = if has_wide { STRING_MIN / 2 } else { 256 };
    let mut piece = to.addr().wrapping_neg() % 64;
    while len > 0 {
        // SAFETY: `piece` bytes are left.
        unsafe { copy(to, from, piece) };
        (to, from, len) = (to.wrapping_add(piece), from.wrapping_add(piece), len - piece);
        if is_string {
            // SAFETY: the caller's promise.
            return unsafe { string(to, from, len) };
        }
        piece = len.min(piece_max);
    }
}

/// Copy by `rep movs`, whose elements are as wide as both ends are aligned.
///
/// # Safety
/// As for [`long`], and `to` is aligned to 64.
unsafe fn string(mut to: *mut u8, mut from: *const u8, len: usize) {
    macro_rules! string {
        ($instruction:literal, $width:literal) => {{
            // SAFETY: `len / width` elements are within both ranges. The direction flag is clear between functions.
            unsafe {
                asm!($instruction, inout("rdi") to, inout("rsi") from, inout("rcx") len / $width => _,
                    options(nostack, preserves_flags));
            }
            $width
        }};
    }
    let width: usize = match from.addr() % 8 {
        0 => string!("rep movsq", 8),
        4 => string!("rep movsd", 4),
        2 | 6 => string!("rep movsw", 2),
        _ => string!("rep movsb", 1),
    };
    // SAFETY: fewer bytes than an element has are left.
    unsafe { copy(to, from, len % width) }
}
