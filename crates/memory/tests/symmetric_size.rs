//! The grammar of `SHMEM_SYMMETRIC_SIZE`, row by row.

use ferrite_memory::heap::size::{Size, parse};
use proptest::prelude::*;

#[test]
fn sizes_in_bytes() {
    for (text, bytes) in [
        ("0", 0),
        ("0.0", 0),
        ("1", 1),
        ("20971520", 20 << 20),
        ("20m", 20 << 20),
        ("20M", 20 << 20),
        ("20k", 20 << 10),
        ("20kk", 20 << 10),
        ("20km", 20 << 10),
        ("20kxyz 9", 20 << 10),
        ("512MB", 512 << 20),
        ("2GiB", 2 << 30),
        ("3t", 3 << 40),
        ("3T", 3 << 40),
        ("3.1M", 3_250_586),
        (".5m", 1 << 19),
        ("0.5m", 1 << 19),
        ("5.m", 5 << 20),
        ("5.", 5),
        ("1.0000000001", 2),
        ("0.1", 1),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e+3k", 1_024_000),
        ("1.5e-1k", 154),
        ("1e-400", 0),
        ("+7", 7),
        ("007", 7),
        (" 7 ", 7),
        ("\t7k\n", 7 << 10),
        ("0x10", 16),
        ("0X1Fk", 31 << 10),
        ("0x1p20", 1 << 20),
        ("0x1.8p1k", 3 << 10),
        ("0x.8p-1m", 1 << 18),
        ("0x0p99999999999", 0),
        ("9007199254740993", 9_007_199_254_740_993),
        ("18446744073709551615", u64::MAX),
        ("16777215t", 16_777_215 << 40),
    ] {
        assert_eq!(parse(text), Ok(Size::Bytes(bytes)), "{text:?}");
    }
}

#[test]
fn shares_of_the_node() {
    for (text, share) in [("80%", 80.0), ("12.5%", 12.5), ("0%", 0.0), ("100%", 100.0), (" 1e1% ", 10.0)] {
        assert_eq!(parse(text), Ok(Size::Percent(share)), "{text:?}");
    }
    assert_eq!(Size::Percent(50.0).bytes(1 << 30, 1), 1 << 29);
    assert_eq!(Size::Percent(50.0).bytes(1 << 30, 4), 1 << 27, "the PEs of a node share it");
    assert_eq!(Size::Percent(100.0).bytes(u64::MAX, 0), u64::MAX, "a node without PEs divides nothing by zero");
    assert_eq!(Size::Bytes(7).bytes(1 << 30, 4), 7);
}

#[test]
fn malformed_sizes_are_refused() {
    for (text, why) in [
        ("", "is empty"),
        ("  ", "is empty"),
        ("-1", "is negative"),
        ("-1m", "is negative"),
        ("-", "is negative"),
        ("abc", "is not a size"),
        ("m", "is not a size"),
        (".", "is not a size"),
        (".m", "is not a size"),
        ("+", "is not a size"),
        ("++1", "is not a size"),
        ("inf", "is not a size"),
        ("nan", "is not a size"),
        ("e5", "is not a size"),
        ("%", "is not a size"),
        ("5x", "has an unknown suffix"),
        ("5 m", "has an unknown suffix"),
        ("1.2.3", "has an unknown suffix"),
        ("1e", "has an unknown suffix"),
        ("0x", "has an unknown suffix"),
        ("1,5g", "has an unknown suffix"),
        ("5p", "has an unknown suffix"),
        ("80%x", "has characters after its %"),
        ("101%", "is more than the host's memory"),
        ("1e999%", "is more than the host's memory"),
        ("18446744073709551616", "is more than any memory"),
        ("16777216t", "is more than any memory"),
        ("1e30", "is more than any memory"),
        ("1e999", "is more than any memory"),
        ("0x1p64", "is more than any memory"),
        ("0x1p99999999999", "is more than any memory"),
        ("5\u{fc}", "has an unknown suffix"),
        ("\u{663}", "is not a size"),
    ] {
        let message = parse(text).expect_err(text).to_string();
        assert!(message.starts_with(&format!("{text:?} {why};")), "{message}");
        assert!(message.contains("k, m, g or t") && message.contains('%'), "the grammar is named: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn garbage_never_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn near_sizes_never_panic(text in "[-+ ]{0,2}(0x)?[0-9a-f.]{0,25}([ep][-+]?[0-9]{0,12})?[kmgtKMGT% x\u{e9}]{0,3}") {
        let _ = parse(&text);
    }

    #[test]
    fn every_integer_is_exact(bytes in any::<u64>()) {
        prop_assert_eq!(parse(&bytes.to_string()), Ok(Size::Bytes(bytes)));
    }

    /// Compares thousandths of a mebibyte, computed with integers, with the parser's floats.
    #[test]
    fn fractions_round_up(thousandths in 0..100_000_000u64) {
        let text = format!("{}.{:03}m", thousandths / 1000, thousandths % 1000);
        prop_assert_eq!(parse(&text), Ok(Size::Bytes((thousandths << 20).div_ceil(1000))));
    }
}
