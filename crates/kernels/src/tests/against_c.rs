//! `long double` and quad are compared with the results of the machine's C compiler, since C programs compute with those.

use super::{
    super::{Kernel, Max, Min, Prod, Quad, Reduces, Sum, of},
    Bits, once,
};
use crate::{Elem, LongDouble};
use std::{
    fs,
    io::{ErrorKind, Write},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
};

/// Reads pairs of values, writes sum, product, maximum and minimum of each. NaN comes out as any NaN.
const PROGRAM: &str = r"
#include <stdio.h>
#include <string.h>
static int negative(const TYPE *x) { unsigned char b[16]; memcpy(b, x, 16); return b[SIGN_AT] >> 7; }
int main(void) {
    TYPE v[2], r[4];
    while (fread(v, sizeof v, 1, stdin) == 1) {
        TYPE a = v[0], b = v[1];
        int below = a < b || (a == b && negative(&a) > negative(&b));
        r[0] = a + b;
        r[1] = a * b;
        r[2] = a != a ? b : b != b ? a : below ? b : a;
        r[3] = a != a ? b : b != b ? a : below ? a : b;
        /* A compiler need not keep what was in the padding of r. */
        unsigned char out[64] = {0};
        for (int i = 0; i < 4; i++) memcpy(out + 16 * i, r + i, SIGN_AT + 1);
        fwrite(out, sizeof out, 1, stdout);
    }
    return 0;
}
";

/// Compile the program for a type. `None`, with a printed reason, if there is no compiler or it does not know the type.
fn compile(c_type: &str, sign_at: usize) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("ferrite-kernel-{}-{sign_at}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("model.c"), PROGRAM).unwrap();
    let compiler = Command::new("cc")
        .args(["-O1", "-w", "-o", "model", "model.c", &format!("-DTYPE={c_type}"), &format!("-DSIGN_AT={sign_at}")])
        .current_dir(&folder)
        .output();
    match compiler {
        Ok(done) if done.status.success() => return Some(folder),
        Ok(done) => println!("skipped: cc does not compile {c_type}: {}", String::from_utf8_lossy(&done.stderr)),
        Err(error) if error.kind() == ErrorKind::NotFound => println!("skipped: there is no cc"),
        Err(error) => panic!("cc cannot be run: {error}"),
    }
    fs::remove_dir_all(folder).unwrap();
    None
}

/// The results of the program for the pairs.
fn answers(folder: PathBuf, pairs: &[[u128; 2]]) -> Vec<[u128; 4]> {
    let mut child = Command::new(folder.join("model")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let questions: Vec<u8> = pairs.iter().flatten().flat_map(|bits| bits.to_le_bytes()).collect();
    let mut input = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || input.write_all(&questions).unwrap());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success(), "the C program failed: {:?}", output.status);
    fs::remove_dir_all(folder).unwrap();
    let word = |at: usize| u128::from_le_bytes(output.stdout[at..at + 16].try_into().unwrap());
    assert_eq!(output.stdout.len(), pairs.len() * 64);
    (0..pairs.len()).map(|i| [0, 16, 32, 48].map(|at| word(i * 64 + at))).collect()
}

/// A format of at most 128 bits: a sign, 15 bits of exponent, and the remaining bits.
struct Format {
    c_type: &'static str,
    /// Number of bits after the exponent.
    rest: u32,
    /// The bits as the format requires them: the integer bit, if there is one, set according to the exponent.
    whole: fn(u128) -> u128,
}

impl Format {
    fn draw(&self, bits: &mut Bits) -> u128 {
        let random = u128::from(bits.word()) << 64 | u128::from(bits.word());
        let exponent = match bits.below(8) {
            0 => 0,
            1 => 0x7fff,
            2 => bits.below(0x8000) as u128,
            3 => 0x1fff + bits.below(8) as u128,
            _ => 0x3fff + bits.below(70) as u128,
        };
        // Few significant bits, so that sums are exact, cancel or are rounded from halfway; or all bits.
        let kept = [self.rest, 3, 40, 0][bits.below(4)].min(self.rest);
        let rest = random >> (128 - self.rest) >> (self.rest - kept).min(127) << (self.rest - kept).min(127);
        let sign = u128::from(bits.word() & 1) << (self.rest + 15);
        (self.whole)(sign | exponent << self.rest | rest)
    }

    /// The NaN that results have.
    fn nan(&self) -> u128 {
        let infinity = (self.whole)(0x7fff << self.rest);
        let has_integer_bit = infinity & 1 << (self.rest - 1) != 0;
        infinity | 1 << (self.rest - 1 - u32::from(has_integer_bit))
    }

    fn is_nan(&self, bits: u128) -> bool {
        bits & ((1 << (self.rest + 15)) - 1) > (self.whole)(0x7fff << self.rest)
    }
}

fn check<T: Elem>(format: &Format, make: fn(u128) -> T, read: fn(T) -> u128)
where
    Sum: Reduces<T>,
    Prod: Reduces<T>,
    Max: Reduces<T>,
    Min: Reduces<T>,
{
    let Some(folder) = compile(format.c_type, format.rest as usize / 8 + 1) else { return };
    let mut bits = Bits::new(u64::from(format.rest));
    let pairs: Vec<[u128; 2]> = (0..20_000)
        .map(|_| {
            let a = format.draw(&mut bits);
            // Sometimes the same number, or its opposite.
            [
                a,
                match bits.below(8) {
                    0 => a,
                    1 => a ^ 1 << (format.rest + 15),
                    _ => format.draw(&mut bits),
                },
            ]
        })
        .collect();
    let kernels: [(&str, Kernel); 4] = [
        ("sum", of::<T, Sum>()),
        ("product", of::<T, Prod>()),
        ("maximum", of::<T, Max>()),
        ("minimum", of::<T, Min>()),
    ];
    for ([a, b], answer) in pairs.iter().zip(answers(folder, &pairs)) {
        for ((name, kernel), wanted) in kernels.iter().zip(answer) {
            let wanted = if format.is_nan(wanted) { format.nan() } else { wanted };
            for (a, b) in [(*a, *b), (*b, *a)] {
                let got = read(once(*kernel, make(a), make(b)));
                assert_eq!(got, wanted, "{name} of {} {a:#x} and {b:#x}: {got:#x}, C has {wanted:#x}", format.c_type);
            }
        }
    }
}

#[test]
fn quad() {
    // The type that gcc calls `__float128` on x86-64 is `long double` on aarch64.
    let c_type = if cfg!(target_arch = "aarch64") { "_Float128" } else { "__float128" };
    check(&Format { c_type, rest: 112, whole: |bits| bits }, Quad, |value| value.0);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn long_double() {
    /// The integer bit is set for every exponent except 0.
    fn whole(bits: u128) -> u128 {
        let integer_bit = 1 << 63;
        if bits >> 64 & 0x7fff == 0 { bits & !integer_bit } else { bits | integer_bit }
    }
    let format = Format { c_type: "long double", rest: 64, whole };
    check(&format, |bits| LongDouble(bits.to_le_bytes()), |value| u128::from_le_bytes(value.0));
}
