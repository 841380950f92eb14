//! Rust text as the floors read it: product code only.

/// The text with comments, literals and the items of tests blanked. Places stay the same.
pub fn product(text: &str) -> String {
    let mut code = text.as_bytes().to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + not_code(&text[at..]);
        blank(&mut code[at..end]);
        at = end.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    let mut code = String::from_utf8(code).expect("whole literals and comments are blanked");
    while let Some(start) = code.find(TEST) {
        let end = start + TEST.len() + item(&code[start + TEST.len()..]);
        code.replace_range(start..end, &" ".repeat(end - start));
    }
    code
}

const TEST: &str = "#[cfg(test)]";

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Length of the comment or literal at the start of `text`; 0 if there is none.
fn not_code(text: &str) -> usize {
    let after = |start: usize, end: &str| text[start..].find(end).map_or(text.len(), |at| start + at + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return after(2, "*/");
    }
    if let Some(rest) = text.strip_prefix('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if rest[hashes..].starts_with('"') {
            return after(hashes + 2, &format!("\"{}", "#".repeat(hashes)));
        }
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    // A quote that does not close after one character begins a lifetime.
    let mut inside = text.strip_prefix('\'').unwrap_or_default().chars();
    match (inside.next(), inside.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(text, '\''),
        _ => 0,
    }
}

/// Length of the literal in quotes at the start of `text`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if one == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the item, field or statement at the start of `code`.
fn item(code: &str) -> usize {
    let mut depth = 0;
    for (at, one) in code.char_indices() {
        match one {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 && one == '}' {
                    return at + 1;
                }
            }
            ';' | ',' if depth == 0 => return at + 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
    }
    code.len()
}

/// An `impl` block.
pub struct Block<'t> {
    /// The type, without its path and its parameters.
    pub subject: &'t str,
    pub is_of_trait: bool,
    /// Place of the text between its braces.
    pub body: core::ops::Range<usize>,
}

/// The `impl` blocks of product code.
pub fn blocks(code: &str) -> Vec<Block<'_>> {
    let starts = code.match_indices("impl").map(|(at, _)| at).filter(|&at| {
        let before = code[..at].trim_end();
        let before = before.strip_suffix("unsafe").unwrap_or(before).trim_end();
        matches!(before.chars().next_back(), None | Some('}' | ';' | ']' | '{'))
            && !is_word(code[at + 4..].chars().next())
    });
    starts.filter_map(|at| block(code, at)).collect()
}

fn block(code: &str, at: usize) -> Option<Block<'_>> {
    let open = at + code[at..].find('{')?;
    let header = &code[at + "impl".len()..open];
    let (is_of_trait, named) = match header.split_once(" for ") {
        Some((_, named)) => (true, named),
        None => (false, &header[parameters(header)..]),
    };
    let path = named.trim_start().split(|one: char| one != '_' && one != ':' && !one.is_alphanumeric()).next()?;
    Some(Block { subject: path.rsplit("::").next()?, is_of_trait, body: open + 1..open + closing(&code[open..]) })
}

/// Length of the parameters in angle brackets at the start of `text`.
fn parameters(text: &str) -> usize {
    let mut depth = 0;
    for (at, one) in text.char_indices() {
        match one {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + usize::from(one == '>');
        }
    }
    text.len()
}

/// Place of the bracket that closes the one at the start of `text`.
pub fn closing(text: &str) -> usize {
    let mut depth = 0;
    let end = text.char_indices().find(|&(_, one)| {
        depth += match one {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// Place of the bracket that opens the one at the end of `text`.
pub fn opening(text: &str) -> usize {
    let mut depth = 0;
    let start = text.char_indices().rev().find(|&(_, one)| {
        depth += match one {
            ')' | ']' | '}' => 1,
            '(' | '[' | '{' => -1,
            _ => 0,
        };
        depth == 0
    });
    start.map_or(0, |(at, _)| at)
}

pub fn is_word(one: Option<char>) -> bool {
    one.is_some_and(|one| one == '_' || one.is_alphanumeric())
}

/// The word at the start of `text`; empty if there is none.
pub fn first_word(text: &str) -> &str {
    let end = text.find(|one: char| !is_word(Some(one))).unwrap_or(text.len());
    &text[..end]
}

/// The word at the end of `text`; empty if there is none.
pub fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(|one: char| is_word(Some(one))).len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_literals_and_tests_are_no_product_code() {
        for (text, code) in [
            ("a // b\nc", "a \nc"),
            ("a /* b\n */ c", "a \n c"),
            (r#"a("b\"c") d"#, "a() d"),
            (r###"a(r#"b"c"#) d"###, "a() d"),
            ("f('{', '\\'', 'é') g::<'a>", "f(, , ) g::<'a>"),
            ("a\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nc", "a\n\nc"),
            ("struct S { a: A, #[cfg(test)] b: (B, C), d: D }", "struct S { a: A, d: D }"),
            ("#[cfg(test)] mod tests; c", "c"),
        ] {
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(words(&product(text)), words(code), "{text}");
            assert_eq!(product(text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn blocks_have_a_subject() {
        let code =
            "impl World { fn a() { b } }\nunsafe impl<T: Into<U>> Send for crate::Live<T> {}\nfn f(g: impl Fn()) {}";
        let found: Vec<_> =
            blocks(code).iter().map(|one| (one.subject, one.is_of_trait, &code[one.body.clone()])).collect();
        assert_eq!(found, [("World", false, " fn a() { b } "), ("Live", true, "")]);
    }
}
