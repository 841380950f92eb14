//! A line at the end of a terminal that is erased before anything else is printed.

use rustix::io::Errno;

/// The part of the line that is on the terminal.
#[derive(Default)]
pub struct StatusLine {
    /// The number of columns of the line, which is plain ASCII and shorter than the terminal's width.
    columns: usize,
}

impl StatusLine {
    /// Replace the line by another one. An empty line only erases it.
    pub fn show(&mut self, line: &[u8], mut write: impl FnMut(&[u8]) -> Result<(), Errno>) -> Result<(), Errno> {
        let mut bytes = Vec::new();
        if self.columns > 0 {
            // Erase with blanks, which every terminal understands.
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
