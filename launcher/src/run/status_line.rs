//! A line at the end of a terminal that goes before anything else is printed there.

use rustix::io::Errno;

/// The line, as far as it is on the terminal.
#[derive(Default)]
pub struct StatusLine {
    /// How many columns it takes: it is plain ASCII, and shorter than a terminal is wide.
    columns: usize,
}

impl StatusLine {
    /// Show another line, or none, where it was.
    pub fn show(&mut self, line: &[u8], mut write: impl FnMut(&[u8]) -> Result<(), Errno>) -> Result<(), Errno> {
        let mut bytes = Vec::new();
        if self.columns > 0 {
            // By blanks, which every terminal knows.
            bytes = format!("\r{:1$}\r", "", self.columns).into_bytes();
        }
        bytes.extend_from_slice(line);
        self.columns = line.len();
        if bytes.is_empty() { Ok(()) } else { write(&bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_takes_the_place_of_another_and_leaves_nothing() {
        let mut written = Vec::new();
        let mut status = StatusLine::default();
        for line in ["", "12345", "678", "", ""] {
            let mut write = |bytes: &[u8]| {
                written.push(String::from_utf8(bytes.to_vec()).unwrap());
                Ok(())
            };
            status.show(line.as_bytes(), &mut write).unwrap();
        }
        assert_eq!(written, ["12345", "\r     \r678", "\r   \r"]);
    }
}
