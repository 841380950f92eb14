//! Writes JSON piece by piece: numbers, texts, lists and objects.

use std::fmt::{Display, Write};

/// A text in quotes. `<` is escaped too, so that no text can close the HTML element that contains it.
pub fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '<' | '\0'..='\u{1f}' => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// `[a,b,c]`.
pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut list = String::from("[");
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            list.push(',');
        }
        let _ = write!(list, "{item}");
    }
    list.push(']');
    list
}

/// `{"a":1,"b":2}`. The values must already be JSON.
pub fn object<T: Display>(fields: impl IntoIterator<Item = (&'static str, T)>) -> String {
    let mut object = String::from("{");
    for (at, (name, value)) in fields.into_iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(object, "{comma}\"{name}\":{value}");
    }
    object.push('}');
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_str};

    #[test]
    fn readers_get_back_what_was_written() {
        for one in ["", "plain", "\"quoted\" \\ \n\t\u{1}", "</script>", "größer → ∞"] {
            assert_eq!(from_str::<Value>(&text(one)).unwrap(), one);
            assert!(!text(one).contains('<'));
        }
        let object = object([("a", list([1, 2])), ("b", text("x"))]);
        assert_eq!(from_str::<Value>(&object).unwrap(), serde_json::json!({"a": [1, 2], "b": "x"}));
    }
}
