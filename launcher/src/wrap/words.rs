//! Splits text into words as compilers and shells do: at blanks, with quotes and backslashes.

/// Split `text`. An unclosed quote ends with the text, as in a compiler's `@file`.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), close) if open == close => quote = None,
            // Backslashes count within single quotes too, as in compilers.
            (_, '\\') => word.get_or_insert_default().extend(letters.next()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_blanks_outside_quotes() {
        let rows: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("  gcc  -m64\n", &["gcc", "-m64"]),
            ("-DNAME=\\\"a\\ b\\\"", &["-DNAME=\"a b\""]),
            ("'a b' \"c d\"", &["a b", "c d"]),
            ("a'b c'd", &["ab cd"]),
            ("'' x", &["", "x"]),
            ("'open end", &["open end"]),
            ("end\\", &["end"]),
        ];
        for (text, words) in rows {
            assert_eq!(split(text), words, "{text:?}");
        }
    }
}
