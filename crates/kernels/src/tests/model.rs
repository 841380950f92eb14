//! Every type and operation, over random values, against a scalar model: lengths, alignments, the three forms.

use super::{
    super::{And, ComplexDouble, ComplexFloat, Kernel, Max, Min, Or, Prod, Quad, Reduces, Sum, Xor},
    Bits, both, bytes_of,
};
use crate::{Elem, LongDouble};

/// Destination of the result.
#[derive(Clone, Copy, Debug)]
enum Form {
    OntoA,
    OntoB,
    Apart,
}

/// The value of the bytes around the rows, which must not change.
const GUARD: u8 = 0xa5;
const MARGIN: usize = 80;

/// A row at some distance from an aligned address, with guards around it.
struct Row {
    room: Vec<u8>,
    start: usize,
    len: usize,
}

impl Row {
    fn new(content: &[u8], skew: usize) -> Row {
        let mut room = vec![GUARD; content.len() + 2 * MARGIN];
        let start = room.as_ptr().align_offset(16) + skew;
        room[start..start + content.len()].copy_from_slice(content);
        Row { room, start, len: content.len() }
    }

    fn content(&self) -> &[u8] {
        &self.room[self.start..self.start + self.len]
    }

    fn pointer(&mut self) -> *mut u8 {
        self.room[self.start..].as_mut_ptr()
    }

    fn is_guarded(&self) -> bool {
        let (before, after) = (&self.room[..self.start], &self.room[self.start + self.len..]);
        before.iter().chain(after).all(|&byte| byte == GUARD)
    }
}

/// Run the kernel in this form, and check that nothing else was written. Returns the result.
fn run(kernel: Kernel, form: Form, skews: [usize; 3], a: &[u8], b: &[u8]) -> Vec<u8> {
    let (mut row_a, mut row_b) = (Row::new(a, skews[0]), Row::new(b, skews[1]));
    let mut apart = Row::new(&vec![0; a.len()], skews[2]);
    let (from_a, from_b) = (row_a.pointer(), row_b.pointer());
    let into = match form {
        Form::OntoA => from_a,
        Form::OntoB => from_b,
        Form::Apart => apart.pointer(),
    };
    // SAFETY: three rows of the same length; `into` is one of them.
    unsafe { kernel(into, from_a, from_b, a.len()) };
    assert!([&row_a, &row_b, &apart].iter().all(|row| row.is_guarded()), "written beside the row");
    let (result, kept) = match form {
        Form::OntoA => (row_a.content(), row_b.content() == b),
        Form::OntoB => (row_b.content(), row_a.content() == a),
        Form::Apart => (apart.content(), row_a.content() == a && row_b.content() == b),
    };
    assert!(kept, "an operand was overwritten");
    result.to_vec()
}

/// Compare the kernels of `Op` for `T` with the model, over values that `draw` makes, in both orders of operands.
fn check<T: Elem, Op: Reduces<T>>(name: &str, draw: impl Fn(&mut Bits) -> T, model: impl Fn(T, T) -> T) {
    let mut bits = Bits::new(name.bytes().fold(1_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into())));
    for len in 0..=130 {
        let row: Vec<(T, T)> = (0..len).map(|_| (draw(&mut bits), draw(&mut bits))).collect();
        let a: Vec<u8> = row.iter().flat_map(|&(a, _)| bytes_of(a)).collect();
        let b: Vec<u8> = row.iter().flat_map(|&(_, b)| bytes_of(b)).collect();
        let wanted: Vec<u8> = row.iter().flat_map(|&(a, b)| bytes_of(model(a, b))).collect();
        let crooked = [bits.below(16), bits.below(16), bits.below(16)];
        for (which, kernel) in both::<T, Op>() {
            let swapped = run(kernel, Form::Apart, crooked, &b, &a);
            assert_eq!(swapped, wanted, "{name}, {which}, {len} elements, operands swapped");
            for form in [Form::OntoA, Form::OntoB, Form::Apart] {
                for skews in [[0; 3], crooked] {
                    let got = run(kernel, form, skews, &a, &b);
                    assert_eq!(got, wanted, "{name}, {which}, {form:?}, {len} elements, skews {skews:?}");
                }
            }
        }
    }
}

/// A random value of a type in which every pattern is a value.
fn any<T: Elem>(bits: &mut Bits) -> T {
    let mut value = [0_u8; 16];
    value.chunks_mut(8).for_each(|half| half.copy_from_slice(&bits.word().to_ne_bytes()));
    // SAFETY: `T` is at most 16 bytes, and every pattern is a value.
    unsafe { value.as_ptr().cast::<T>().read_unaligned() }
}

macro_rules! integers {
    ($($test:ident: $t:ty;)*) => { $(
        #[test]
        fn $test() {
            let narrow = |wide: i128| wide as $t;
            let name = |op: &str| format!("{op} of {}", stringify!($t));
            check::<$t, Sum>(&name("sum"), any, |a, b| narrow(i128::from(a as i64) + i128::from(b as i64)));
            check::<$t, Prod>(&name("product"), any, |a, b| narrow(i128::from(a as i64) * i128::from(b as i64)));
            check::<$t, Max>(&name("maximum"), any, |a, b| if a > b { a } else { b });
            check::<$t, Min>(&name("minimum"), any, |a, b| if a < b { a } else { b });
            check::<$t, And>(&name("and"), any, |a, b| !(!a | !b));
            check::<$t, Or>(&name("or"), any, |a, b| !(!a & !b));
            check::<$t, Xor>(&name("exclusive or"), any, |a, b| (a | b) & !(a & b));
        }
    )* };
}
integers! {
    bytes: u8;
    signed_bytes: i8;
    shorts: u16;
    signed_shorts: i16;
    words: u32;
    signed_words: i32;
    longs: u64;
    signed_longs: i64;
    sizes: usize;
    differences: isize;
}

macro_rules! floats {
    ($($test:ident: $t:ident, $complex:ident;)*) => { $(
        #[test]
        fn $test() {
            // The highest bit of the fraction.
            const QUIET: $t = $t::from_bits($t::INFINITY.to_bits() >> 1 & !$t::INFINITY.to_bits());
            const NAN: $t = $t::from_bits($t::INFINITY.to_bits() | QUIET.to_bits());
            let settled = |value: $t| if value.is_nan() { NAN } else { value };
            // One value in four is special. The others have random bits, or lie near one, where sums are rounded.
            let draw = |bits: &mut Bits| -> $t {
                let special = [0.0, -0.0, $t::INFINITY, -$t::INFINITY, NAN, -NAN, $t::MIN_POSITIVE / 2.0, $t::MAX, 1.0];
                match bits.below(4) {
                    0 => special[bits.below(special.len())],
                    1 => any(bits),
                    _ => (bits.word() as i64) as $t / 3e18,
                }
            };
            // The order of IEEE 754's totalOrder, among numbers.
            let larger = |a: $t, b: $t| match (a.is_nan(), b.is_nan()) {
                (true, true) => NAN,
                (true, false) => b,
                (false, true) => a,
                (false, false) => if a.total_cmp(&b).is_gt() { a } else { b },
            };
            let name = |op: &str| format!("{op} of {}", stringify!($t));
            check::<$t, Sum>(&name("sum"), draw, |a, b| settled(a + b));
            check::<$t, Prod>(&name("product"), draw, |a, b| settled(a * b));
            check::<$t, Max>(&name("maximum"), draw, larger);
            check::<$t, Min>(&name("minimum"), draw, |a, b| {
                let negated = larger(-a, -b);
                if negated.is_nan() { NAN } else { -negated }
            });
            let pair = |bits: &mut Bits| $complex { re: draw(bits), im: draw(bits) };
            check::<$complex, Sum>(&name("complex sum"), pair, |a, b| {
                $complex { re: settled(a.re + b.re), im: settled(a.im + b.im) }
            });
            check::<$complex, Prod>(&name("complex product"), pair, |a, b| {
                $complex { re: settled(a.re * b.re - a.im * b.im), im: settled(a.re * b.im + a.im * b.re) }
            });
        }
    )* };
}
floats! {
    singles: f32, ComplexFloat;
    doubles: f64, ComplexDouble;
}

/// Small integers, which all formats sum and multiply exactly, made by a conversion and read back by its inverse.
fn check_wide<T: Elem>(name: &str, make: impl Fn(i64) -> T, read: impl Fn(T) -> i64)
where
    Sum: Reduces<T>,
    Prod: Reduces<T>,
    Max: Reduces<T>,
    Min: Reduces<T>,
{
    let draw = |bits: &mut Bits| make((bits.word() as i32 >> bits.below(31)).into());
    check::<T, Sum>(&format!("sum of {name}"), draw, |a, b| make(read(a) + read(b)));
    check::<T, Max>(&format!("maximum of {name}"), draw, |a, b| make(read(a).max(read(b))));
    check::<T, Min>(&format!("minimum of {name}"), draw, |a, b| make(read(a).min(read(b))));
    // Factors of zero are left out, since the model does not support negative zeros.
    let nonzero = |bits: &mut Bits| make(i64::from(bits.word() as i32 >> bits.below(31)) | 1);
    check::<T, Prod>(&format!("product of {name}"), nonzero, |a, b| make(read(a) * read(b)));
}

/// The bits of an integer in quad precision.
fn quad(value: i64) -> u128 {
    let Some(highest) = value.unsigned_abs().checked_ilog2() else { return 0 };
    let fraction = (u128::from(value.unsigned_abs()) << (112 - highest)) & ((1 << 112) - 1);
    u128::from(value < 0) << 127 | u128::from(16383 + highest) << 112 | fraction
}

fn integer_of_quad(bits: u128) -> i64 {
    if bits << 1 == 0 {
        return 0;
    }
    let highest = (bits >> 112 & 0x7fff) as u32 - 16383;
    let magnitude = ((bits & ((1 << 112) - 1) | 1 << 112) >> (112 - highest)) as i64;
    if bits >> 127 == 1 { -magnitude } else { magnitude }
}

#[test]
fn quads() {
    check_wide("quad", |value| Quad(quad(value)), |value| integer_of_quad(value.0));
}

#[test]
#[cfg(target_arch = "aarch64")]
fn long_doubles() {
    let read = |value: LongDouble| integer_of_quad(u128::from_le_bytes(value.0));
    check_wide("long double", |value| LongDouble(quad(value).to_le_bytes()), read);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn long_doubles() {
    let make = |value: i64| {
        let Some(highest) = value.unsigned_abs().checked_ilog2() else { return LongDouble([0; 16]) };
        let head = u128::from(value < 0) << 15 | u128::from(16383 + highest);
        LongDouble((head << 64 | u128::from(value.unsigned_abs()) << (63 - highest)).to_le_bytes())
    };
    let read = |value: LongDouble| {
        let bits = u128::from_le_bytes(value.0);
        if bits == 0 {
            return 0;
        }
        let magnitude = (bits as u64 >> (63 - ((bits >> 64 & 0x7fff) as u32 - 16383))) as i64;
        if bits >> 79 & 1 == 1 { -magnitude } else { magnitude }
    };
    check_wide("long double", make, read);
}
