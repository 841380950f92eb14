//! Lists of hosts as users write them: `--host a:2,b`, and hostfiles.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A host that may run PEs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostLine {
    /// The host's name or address, as the user wrote it.
    pub name: String,
    /// How many PEs are assigned to it before the next host.
    pub slots: u32,
    /// The most PEs that may be assigned to it (`max_slots`).
    pub most: Option<u32>,
}

impl HostLine {
    /// A host of a list. An error tells what is wrong with its name.
    pub fn new(name: &str, slots: u32) -> Result<HostLine, String> {
        Ok(HostLine { name: checked(name)?, slots, most: None })
    }
}

/// Parse the value of `--host`: names separated by commas, each with its slots after a colon; IPv6 addresses in brackets. The slots of a
/// repeated name are added up.
pub fn listed(text: &str) -> Result<Vec<HostLine>, String> {
    let mut hosts = Merging::default();
    for word in text.split(',').map(str::trim) {
        let (name, slots) = halves(word)?;
        let slots = slots.map_or(Ok(1), |slots| count(slots).map_err(|why| format!("`{word}`: {why}")))?;
        hosts.add(HostLine::new(name, slots)?)?;
    }
    Ok(hosts.lines)
}

/// Split a word into the name and the part after its colon. The colons of an address are in brackets.
fn halves(word: &str) -> Result<(&str, Option<&str>), String> {
    if let Some((address, behind)) = word.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && (behind.is_empty() || behind.starts_with(':'))
    {
        return Ok((address, behind.strip_prefix(':')));
    }
    match word.split_once(':') {
        None => Ok((word, None)),
        Some((_, slots)) if slots.contains(':') => {
            Err(format!("`{word}`: expected HOST:SLOTS; an IPv6 address needs brackets: [{word}]"))
        }
        Some((name, slots)) => Ok((name, Some(slots))),
    }
}

/// Largest file of hosts that is read, in bytes: a million lines of 64 bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Read a file of hosts. A file without an end, such as /dev/zero, is an error.
pub fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    match file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text) {
        Ok(bytes) if bytes as u64 <= FILE_BYTES_MAX => Ok(text),
        Ok(_) => Err(format!("is larger than {} MiB, the limit for a file of hosts", FILE_BYTES_MAX >> 20)),
        Err(error) => Err(error.to_string()),
    }
}

/// The hosts of a file. An error names the line.
pub fn file(path: &Path) -> Result<Vec<HostLine>, String> {
    let shown = path.display();
    let text = read(path).map_err(|why| format!("{shown}: {why}"))?;
    let mut hosts = Merging::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let told = parse(line).and_then(|host| hosts.add(host));
        told.map_err(|why| format!("{shown}, line {number}: {why}"))?;
    }
    if hosts.lines.is_empty() { Err(format!("{shown} names no host")) } else { Ok(hosts.lines) }
}

/// Parse `name`, `name:2` or `name slots=2 max_slots=4`. `cpu` and `count` are accepted for `slots`, and `max-slots` for `max_slots`.
fn parse(line: &str) -> Result<HostLine, String> {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let mut host = listed(name)?.remove(0);
    if name.contains(',') {
        return Err(format!("`{name}`: expected one host per line"));
    }
    for word in words {
        let (key, value) = word.split_once('=').ok_or(format!("`{word}`: expected slots=N or max_slots=N"))?;
        let number = count(value).map_err(|why| format!("`{word}`: {why}"))?;
        match key {
            "slots" | "cpu" | "count" => host.slots = number,
            "max_slots" | "max-slots" => host.most = Some(number),
            _ => return Err(format!("`{word}`: expected slots=N or max_slots=N")),
        }
    }
    if host.most.is_some_and(|most| most < host.slots) {
        return Err(format!("slots={} is more than max_slots={}", host.slots, host.most.unwrap_or_default()));
    }
    Ok(host)
}

/// Parse a number of slots.
pub fn count(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or("expected a number of slots, at least 1".to_owned())
}

/// Check that a name can be a word of the remote shell command, and no option of it.
fn checked(name: &str) -> Result<String, String> {
    let right = |c: char| c.is_ascii_alphanumeric() || ".-_:@%".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(right) {
        return Err(format!("`{name}` is not a host name or address"));
    }
    Ok(name.to_owned())
}

/// Merge lines with the same name.
pub fn merged(lines: Vec<HostLine>) -> Result<Vec<HostLine>, String> {
    let mut hosts = Merging::default();
    lines.into_iter().try_for_each(|line| hosts.add(line))?;
    Ok(hosts.lines)
}

/// Hosts in the order in which they were first named.
#[derive(Default)]
struct Merging {
    lines: Vec<HostLine>,
    /// The index in `lines` of a name. Schedulers write a line for each slot, so a linear search would take long.
    places: HashMap<String, usize>,
}

impl Merging {
    fn add(&mut self, host: HostLine) -> Result<(), String> {
        let Some(&at) = self.places.get(&host.name) else {
            self.places.insert(host.name.clone(), self.lines.len());
            self.lines.push(host);
            return Ok(());
        };
        let known = &mut self.lines[at];
        known.slots = known.slots.checked_add(host.slots).ok_or("too many slots")?;
        known.most = known.most.zip(host.most).map(|(one, other)| one.saturating_add(other));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn shown(hosts: Vec<HostLine>) -> String {
        let word = |host: &HostLine| match host.most {
            Some(most) => format!("{}:{}/{most}", host.name, host.slots),
            None => format!("{}:{}", host.name, host.slots),
        };
        hosts.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_are_read() {
        for (text, hosts) in [
            ("a", "a:1"),
            ("a:2,b:3", "a:2 b:3"),
            ("a, b ,a", "a:2 b:1"),
            ("a:2,b,a:3", "a:5 b:1"),
            ("10.0.0.1:4,me@node-7.x_y", "10.0.0.1:4 me@node-7.x_y:1"),
            ("[fe80::1%eth0]:2,[::1]", "fe80::1%eth0:2 ::1:1"),
        ] {
            assert_eq!(listed(text).map(shown).as_deref(), Ok(hosts), "{text}");
        }
        for (text, named) in [
            ("", "not a host name"),
            ("a,,b", "not a host name"),
            ("a:0", "a:0"),
            ("a:x", "a:x"),
            ("-oProxyCommand=x", "-o"),
            ("a b", "a b"),
            ("a;b", "a;b"),
            ("$(x)", "$(x)"),
            ("fe80::2", "[fe80::2]"),
            ("a,::1", "[::1]"),
            ("[::1]x", "[::1]x"),
            ("[::1", "[::1"),
            ("[::1]:2:3", "2:3"),
            ("[]", "not a host name"),
        ] {
            assert!(listed(text).unwrap_err().contains(named), "{text}");
        }
    }

    #[test]
    fn files_are_read_and_a_wrong_line_is_named() {
        let path = std::env::temp_dir().join(format!("ferrite-hostfile-{}", std::process::id()));
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            file(&path)
        };
        let text = "# all\n\nnode1 slots=4\n node2:2   # two\nnode3 max_slots=8 slots=2\nnode1\n";
        assert_eq!(read(text).map(shown).as_deref(), Ok("node1:5 node2:2 node3:2/8"));
        for (text, named) in [
            ("a\nb slots\n", "line 2: `slots`"),
            ("a\n\n#x\nb slots=0\n", "line 4: `slots=0`"),
            ("a speed=3\n", "line 1: `speed=3`"),
            ("a,b\n", "one host per line"),
            ("a slots=3 max_slots=2\n", "slots=3 is more than max_slots=2"),
            ("# nothing\n", "names no host"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(named) && error.contains("ferrite-hostfile"), "{error}");
        }
        fs::remove_file(&path).unwrap();
        assert!(file(&path).unwrap_err().contains("No such file"));
    }

    #[test]
    fn file_without_end_is_refused() {
        let error = file(Path::new("/dev/zero")).unwrap_err();
        assert!(error.starts_with("/dev/zero: is larger than 64 MiB"), "{error}");
    }
}
