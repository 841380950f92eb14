//! Texts of errors for users.

/// The text of an error without the numbers that Rust's standard library adds: `No such file or directory (os error 2)` loses its last
/// three words.
pub fn plain(text: &str) -> String {
    const MARK: &str = " (os error ";
    let mut parts = text.split(MARK);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
        match rest.strip_prefix(')') {
            Some(rest) if rest.len() + 1 < part.len() => plain.push_str(rest),
            _ => plain.extend([MARK, part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain;
    use std::io;

    #[test]
    fn numbers_of_the_operating_system_are_dropped() {
        let error = io::Error::from_raw_os_error(2).to_string();
        assert_eq!(
            plain(&format!("a: {error}; b: {error}")),
            "a: No such file or directory; b: No such file or directory"
        );
        for text in ["", "no error", "(os error 2)", "a (os error )", "a (os error 2"] {
            assert_eq!(plain(text), text);
        }
    }
}
