//! A short text in shared memory.
//!
//! Its words are atomics, so a reader that comes during a write sees a mixture of the two texts, without other harm. A reader that must not
//! take a mixture for a text checks a version stored beside it ([`crate::status`]).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A text of at most eight times `WORDS` bytes.
#[repr(C)]
#[derive(Debug)]
pub struct Text<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Default for Text<WORDS> {
    fn default() -> Self {
        Text([const { AtomicU64::new(0) }; WORDS])
    }
}

impl<const WORDS: usize> Text<WORDS> {
    /// Write `text`, cut to the available size. A NUL would end it.
    pub fn set(&self, text: &str) {
        let bytes = cut(text, WORDS * 8).as_bytes();
        for (at, word) in self.0.iter().enumerate() {
            let mut eight = [0; 8];
            let part = bytes.get(at * 8..).unwrap_or(&[]);
            let len = part.len().min(8);
            eight[..len].copy_from_slice(&part[..len]);
            word.store(u64::from_ne_bytes(eight), Relaxed);
        }
    }

    /// The text, with a replacement character for invalid bytes.
    pub fn get(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}

fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_their_room() {
        let text = Text::<2>::default();
        assert_eq!(text.get(), "");
        for (written, read) in [
            ("short", "short"),
            ("sixteen letters!", "sixteen letters!"),
            ("fifteen letterss\u{e9}", "fifteen letterss"),
            ("", ""),
        ] {
            text.set(written);
            assert_eq!(text.get(), read);
        }
        text.set("fifteen letter\u{e9}\u{e9}");
        assert_eq!(text.get(), "fifteen letter\u{e9}");
    }
}
