//! Lines of the kernel's lists of a process's mappings.

use std::ops::Range;

/// Return the address range in a line such as `7f00-7f10 rw-s ...`: a line of maps or the head of an entry in smaps.
pub fn range(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_heads_have_a_range() {
        assert_eq!(super::range("7f00-7f10 rw-s 00000000 00:01 5 /memfd:x y"), Some(0x7f00..0x7f10));
        for line in ["Size:    4 kB", "", "7f00 rw-p", "x-y rw-p"] {
            assert_eq!(super::range(line), None, "{line}");
        }
    }
}
