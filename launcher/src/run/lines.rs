//! Cuts the output of a PE into lines.
//!
//! A line is written as a whole, so lines of different PEs never mix. An unfinished line is held until it is finished,
//! or until the PE's stream ends. A part of a line is written early only if the held bytes of all PEs exceed
//! `HELD_MAX`, or if it may be a prompt.

use std::cell::Cell;
use std::rc::Rc;

/// How many bytes of unfinished lines are held, over all PEs.
const HELD_MAX: usize = 256 << 20;

/// One stream's bytes, cut into whole lines.
pub struct Lines {
    tag: Option<Vec<u8>>,
    /// The unfinished line, with its tag.
    open: Vec<u8>,
    /// A part of the unfinished line was written already.
    begun: bool,
    held: Rc<Cell<usize>>,
}

impl Lines {
    /// For one stream of a PE. `held` counts the held bytes of all PEs.
    pub fn new(tag: Option<Vec<u8>>, held: Rc<Cell<usize>>) -> Self {
        Lines { tag, open: Vec::new(), begun: false, held }
    }

    /// Add bytes that were read, and return the bytes to write.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<u8> {
        let before = self.open.len();
        let out = match chunk.iter().rposition(|&byte| byte == b'\n') {
            None => {
                self.open_line(chunk);
                Vec::new()
            }
            Some(last) => {
                let mut lines = chunk[..=last].split_inclusive(|&byte| byte == b'\n');
                self.open_line(lines.next().unwrap_or_default());
                let mut out = std::mem::take(&mut self.open);
                self.begun = false;
                for line in lines {
                    out.extend_from_slice(self.tag.as_deref().unwrap_or_default());
                    out.extend_from_slice(line);
                }
                self.open_line(&chunk[last + 1..]);
                out
            }
        };
        self.held.set(self.held.get() + self.open.len() - before);
        if self.held.get() > HELD_MAX && out.is_empty() { self.rest() } else { out }
    }

    fn open_line(&mut self, part: &[u8]) {
        if part.is_empty() {
            return;
        }
        if let Some(tag) = self.tag.as_ref().filter(|_| self.open.is_empty() && !self.begun) {
            self.open.extend_from_slice(tag);
        }
        self.open.extend_from_slice(part);
    }

    /// Whether a line is unfinished.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Return the held bytes, although the line is unfinished.
    pub fn rest(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.open);
        self.begun |= !rest.is_empty();
        self.held.set(self.held.get() - rest.len());
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(tag: Option<&str>) -> Lines {
        Lines::new(tag.map(|tag| tag.as_bytes().to_vec()), Rc::default())
    }

    #[test]
    fn only_whole_lines_go_out_until_the_end() {
        let mut lines = lines(None);
        assert_eq!(lines.push(b"ab"), b"");
        assert_eq!(lines.push(b"c\nde\nf"), b"abc\nde\n");
        assert_eq!(lines.held.get(), 1);
        assert_eq!(lines.push(b"\n"), b"f\n");
        assert_eq!(lines.push(b"g"), b"");
        assert_eq!(lines.rest(), b"g");
        assert_eq!(lines.held.get(), 0);
    }

    #[test]
    fn every_line_is_tagged_once() {
        let mut lines = lines(Some("[3] "));
        assert_eq!(lines.push(b"a\n\nb"), b"[3] a\n[3] \n");
        assert_eq!(lines.push(b"c\nd"), b"[3] bc\n");
        assert_eq!(lines.rest(), b"[3] d");
        assert_eq!(lines.push(b"e\n"), b"e\n", "it continues a line that went out in part");
    }

    #[test]
    fn too_much_held_goes_out_early() {
        let mut lines = lines(None);
        lines.held.set(HELD_MAX);
        assert_eq!(lines.push(b"abc"), b"abc");
        assert_eq!(lines.held.get(), HELD_MAX);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_added(text in "[ab\n]{0,60}", cuts in prop::collection::vec(1_usize..9, 1..9)) {
            let (mut lines, mut out, mut rest) = (lines(None), Vec::new(), text.as_bytes());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (part, after) = rest.split_at((*cut).min(rest.len()));
                let piece = lines.push(part);
                prop_assert!(piece.is_empty() || piece.ends_with(b"\n"));
                out.extend(piece);
                rest = after;
            }
            out.extend(lines.rest());
            prop_assert_eq!(out, text.as_bytes());
            prop_assert_eq!(lines.held.get(), 0);
        }
    }
}
