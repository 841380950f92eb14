//! Parser of `SHMEM_SYMMETRIC_SIZE`.
//!
//! OpenSHMEM 1.6 allows "a non-negative integer or floating-point value with an optional character suffix" k, m, g or t, upper or lower
//! case, for 2^10 to 2^40. The product is rounded up to a whole number of bytes. One suffix is recognised and the text after it is ignored:
//! `20kk` is `20k`, `512MB` is `512m`. Numbers have the format of C's `strtod`: `.5m`, `1e3`, `0x1p20`. Ferrite adds a share of the node's
//! memory: `80%`.

use std::fmt;

/// A size as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// This many bytes for each PE.
    Bytes(u64),
    /// This share of the node's memory, in percent, for all PEs of the node together.
    Percent(f64),
}

impl Size {
    /// The bytes for each of the `local` PEs of a node with `memory` bytes.
    pub fn bytes(self, memory: u64, local: u64) -> u64 {
        match self {
            Size::Bytes(bytes) => bytes,
            // A float holds 53 bits: off by a few bytes at most on any machine, and a share need not be exact.
            Size::Percent(share) => (memory as f64 * (share / 100.0)) as u64 / local.max(1),
        }
    }
}

/// Error: the text is not a size. The message quotes the text and gives the accepted grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSize {
    text: String,
    why: &'static str,
}

impl fmt::Display for BadSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadSize { text, why } = self;
        write!(
            f,
            "{text:?} {why}; give bytes per PE as a number with an optional suffix k, m, g or t (20971520, 512m, 1.5g, 1e9), \
             or a share of the host's memory, which its PEs divide (80%)"
        )
    }
}

impl std::error::Error for BadSize {}

/// Parse the text of a size.
pub fn parse(text: &str) -> Result<Size, BadSize> {
    read(text.trim_matches([' ', '\t', '\n', '\r'])).map_err(|why| BadSize { text: text.to_owned(), why })
}

fn read(text: &str) -> Result<Size, &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.starts_with('-') {
        return Err("is negative");
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let (number, rest) = Number::split(unsigned).ok_or("is not a size")?;
    let shift = match rest.bytes().next().map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some(b'k') => 10,
        Some(b'm') => 20,
        Some(b'g') => 30,
        Some(b't') => 40,
        Some(b'%') if rest.len() == 1 => return percent(number),
        Some(b'%') => return Err("has characters after its %"),
        Some(_) => return Err("has an unknown suffix"),
    };
    number.scaled(shift).map(Size::Bytes).ok_or("is more than any memory")
}

fn percent(number: Number<'_>) -> Result<Size, &'static str> {
    let share = number.value();
    if share > 100.0 { Err("is more than the host's memory") } else { Ok(Size::Percent(share)) }
}

/// The number at the start of a text, mostly still as text.
enum Number<'a> {
    /// Digits only: exact in 64 bits, unlike a float.
    Integer(&'a str),
    Decimal(&'a str),
    /// Hexadecimal: the mantissa (rounded to 53 bits, as a float is) and its power of two.
    Hex {
        mantissa: f64,
        exponent: i32,
    },
}

impl<'a> Number<'a> {
    /// Split `text` into the longest prefix that `strtod` would read and the rest. Infinities and NaNs are not sizes.
    fn split(text: &'a str) -> Option<(Self, &'a str)> {
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
            && let Some(found) = Self::split_hex(hex)
        {
            return Some(found);
        }
        let whole = digits(text);
        let fraction = text[whole..].strip_prefix('.').map(digits);
        if whole + fraction.unwrap_or(0) == 0 {
            return None;
        }
        let mantissa = whole + fraction.map_or(0, |count| count + 1);
        let end = mantissa + exponent_len(&text[mantissa..], 'e');
        let number = if end == whole { Number::Integer(&text[..end]) } else { Number::Decimal(&text[..end]) };
        Some((number, &text[end..]))
    }

    /// `text` follows the `0x`. Returns `None` if no hexadecimal digit follows: then `strtod` reads the `0` alone.
    fn split_hex(text: &'a str) -> Option<(Self, &'a str)> {
        let whole = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        let fraction =
            text[whole..].strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count());
        if whole + fraction == 0 {
            return None;
        }
        let point = if text[whole..].starts_with('.') { 1 } else { 0 };
        let end = whole + point + fraction;
        let value = |digits: &str| {
            digits.chars().filter_map(|digit| digit.to_digit(16)).fold(0.0, |sum, digit| sum * 16.0 + f64::from(digit))
        };
        let power = exponent_len(&text[end..], 'p');
        // An exponent outside of an i32 is outside of any float too, so it is cut off there.
        let exponent = match text[end..end + power].get(1..) {
            Some(digits) if power > 0 => {
                digits.parse::<i32>().unwrap_or(if digits.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 })
            }
            _ => 0,
        };
        let scale = exponent.saturating_sub(i32::try_from(4 * fraction).unwrap_or(i32::MAX));
        Some((Number::Hex { mantissa: value(&text[..end]), exponent: scale }, &text[end + power..]))
    }

    fn value(&self) -> f64 {
        match *self {
            // Rust's parser reads both formats and returns infinity for numbers that are too large.
            Number::Integer(text) | Number::Decimal(text) => text.parse().unwrap_or(f64::INFINITY),
            Number::Hex { mantissa: 0.0, .. } => 0.0,
            Number::Hex { mantissa, exponent } => mantissa * 2f64.powi(exponent),
        }
    }

    /// The number times 2^`shift`, rounded up; `None` beyond 64 bits.
    fn scaled(&self, shift: u32) -> Option<u64> {
        if let Number::Integer(text) = self {
            return text.parse::<u64>().ok()?.checked_mul(1 << shift);
        }
        // Multiplication by a power of two is exact. 2^64 is exact too, and below it the cast does not saturate.
        let product = (self.value() * (1u64 << shift) as f64).ceil();
        (product < 18_446_744_073_709_551_616.0).then_some(product as u64)
    }
}

/// Number of decimal digits at the start of `text`.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Length of the exponent (`e10`, `E+5`, `p-3`) at the start of `text`; zero if there is no complete one.
fn exponent_len(text: &str, letter: char) -> usize {
    let mut chars = text.chars();
    if !chars.next().is_some_and(|first| first.eq_ignore_ascii_case(&letter)) {
        return 0;
    }
    let sign = usize::from(chars.next().is_some_and(|second| second == '+' || second == '-'));
    match digits(&text[1 + sign..]) {
        0 => 0,
        count => 1 + sign + count,
    }
}
