//! Options of Fortran compilers that widen a program's default types. The library's procedures do not follow: the
//! elements that SHMEM_INTEGER_PUT moves always have 4 bytes.

/// Options that widen default INTEGER, LOGICAL, REAL or COMPLEX: of gfortran and LLVM, then of other compilers.
const OPTIONS: &[&str] = &[
    "-fdefault-integer-8",
    "-fdefault-real-8",
    "-fdefault-real-10",
    "-fdefault-real-16",
    "-finteger-4-integer-8",
    "-freal-4-real-8",
    "-freal-4-real-10",
    "-freal-4-real-16",
    "-i8",
    "-r8",
    "-r16",
    "-autodouble",
    "-Mi8",
    "-Mr8",
    "-sdefault64",
    "-sinteger64",
    "-sreal64",
    "-CcdII8",
    "-CcdRR8",
    "-qintsize=8",
    "-qrealsize=8",
];

/// Options whose next word is the width, and the words that mean more than 4 bytes.
const OPTIONS_IN_TWO_WORDS: &[(&str, &[&str])] = &[
    ("-s", &["default64", "integer64", "real64"]),
    ("-integer-size", &["64"]),
    ("-real-size", &["64", "128"]),
    ("-integer_size", &["64"]),
    ("-real_size", &["64", "128"]),
];

/// The option that widens default types, if `word`, or `last` and `word` together, is one.
pub(super) fn by(last: &str, word: &str) -> Option<&'static str> {
    let in_two = OPTIONS_IN_TWO_WORDS.iter().find(|(option, widths)| *option == last && widths.contains(&word));
    OPTIONS.iter().find(|option| **option == word).copied().or(in_two.map(|(option, _)| *option))
}

/// The warning about such an option.
pub(super) fn warning(option: &str) -> String {
    format!(
        "{option}: the SHMEM procedures for INTEGER, LOGICAL, REAL and COMPLEX still move 4-byte elements (of a \
         COMPLEX, two), those for DOUBLE 8-byte elements; for wider variables call those for INT8 and REAL8, or PUT8, \
         PUT64, GET64 and the like; if you use the module, compile shmem.f90 (beside shmem.fh) with the same option"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_widening_options_are_found() {
        let rows = [
            ("", "-fdefault-integer-8", Some("-fdefault-integer-8")),
            ("-c", "-r8", Some("-r8")),
            ("-s", "default64", Some("-s")),
            ("-integer-size", "64", Some("-integer-size")),
            ("-integer-size", "32", None),
            ("-o", "default64", None),
            // Alone, the option gives DOUBLE PRECISION the width that it already has.
            ("", "-fdefault-double-8", None),
            ("", "-i4", None),
            ("", "-s", None),
        ];
        for (last, word, expected) in rows {
            assert_eq!(by(last, word), expected, "{last} {word}");
        }
    }
}
