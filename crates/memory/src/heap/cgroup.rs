//! Memory limits from the control groups of this process, versions 1 and 2.
//!
//! A group's limit applies to everything below it. So the tightest group on the path up to the root counts, not only the process's own.
//! Page cache counts as free, even if it is in use: the kernel drops it before it kills a process. Symmetric memory is not page cache: the
//! kernel lists it as anonymous. `memory.high` is left out: it slows a group down but refuses nothing.
//!
//! Everything is a function of file contents, which a reader passes in. So it can be tested with the files of machines that are not at
//! hand.

/// Returns the contents of a file, or `None` if it cannot be read.
pub type Reader<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One control group that limits memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its directory below the hierarchy's root, `/` for the root itself.
    pub name: String,
    /// Name of the file that contains the limit.
    pub file: &'static str,
    /// Bytes that its members may use together.
    pub limit: u64,
    /// Bytes that they use, without those that the kernel would drop.
    pub used: u64,
}

impl Group {
    /// Bytes that its members may still take.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    /// Name of the group in messages.
    pub fn title(&self) -> String {
        format!("{} of cgroup {}", self.file, self.name)
    }
}

/// The file names of one version.
struct Version {
    limit: &'static str,
    usage: &'static str,
    /// Keys in the statistics of the part of the usage that can be dropped.
    droppable: [&'static str; 2],
}

const V1: Version = Version {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    droppable: ["total_inactive_file", "total_active_file"],
};
const V2: Version =
    Version { limit: "memory.max", usage: "memory.current", droppable: ["inactive_file", "active_file"] };

/// Version 1 writes "no limit" as the largest number of pages. A value near it limits nothing.
const UNLIMITED: u64 = 1 << 60;

/// All groups above this process that limit memory, of both versions, from the innermost outwards.
pub fn groups(read: Reader<'_>) -> Vec<Group> {
    let (Some(own), Some(mounts)) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for line in own.lines() {
        // hierarchy:controllers:path
        let mut fields = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let version = if id == "0" && controllers.is_empty() {
            V2
        } else if controllers.split(',').any(|controller| controller == "memory") {
            V1
        } else {
            continue;
        };
        let kind = if version.limit == V2.limit { "cgroup2" } else { "cgroup" };
        if let Some(mount) = mounts.lines().filter_map(Mount::parse).find(|mount| mount.holds(kind)) {
            climb(read, &mount, path, &version, &mut found);
        }
    }
    found
}

/// The fields of one line of mountinfo that are needed here.
struct Mount<'a> {
    /// The part of the file system that is mounted: often a container's own group.
    root: String,
    point: String,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        // id parent device root point options [optional]... - kind source super-options
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let mut after = after.split(' ');
        Some(Mount {
            root: unescape(before.next()?),
            point: unescape(before.next()?),
            kind: after.next()?,
            options: after.nth(1).unwrap_or(""),
        })
    }

    fn holds(&self, kind: &str) -> bool {
        self.kind == kind && (kind == "cgroup2" || self.options.split(',').any(|option| option == "memory"))
    }
}

/// mountinfo writes blanks, tabs, newlines and backslashes as three octal digits.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// Follow `path` from the innermost group to the root of the mount.
fn climb(read: Reader<'_>, mount: &Mount<'_>, path: &str, version: &Version, found: &mut Vec<Group>) {
    // If the path is outside of the mounted part (a container that sees the host's names), only the mount's own group is visible.
    let inside = if mount.root == "/" { Some(path) } else { path.strip_prefix(mount.root.as_str()) };
    let mut inside = match inside {
        Some(rest) if !path.starts_with("/..") && (rest.is_empty() || rest.starts_with('/')) => {
            rest.trim_end_matches('/')
        }
        _ => "",
    };
    loop {
        let directory = format!("{}{inside}", mount.point.trim_end_matches('/'));
        let name = if inside.is_empty() { "/" } else { inside };
        found.extend(group(read, &directory, name, version));
        let Some(slash) = inside.rfind('/') else { return };
        inside = &inside[..slash];
    }
}

fn group(read: Reader<'_>, directory: &str, name: &str, version: &Version) -> Option<Group> {
    let number = |file: &str| read(&format!("{directory}/{file}"))?.trim().parse::<u64>().ok();
    // "max" is not a number and means no limit. The root of version 2 has no such file at all.
    let limit = number(version.limit).filter(|&limit| limit < UNLIMITED)?;
    let usage = number(version.usage).unwrap_or(0);
    let statistics = read(&format!("{directory}/memory.stat")).unwrap_or_default();
    let lines = statistics.lines().filter_map(|line| line.split_once(' '));
    let droppable: u64 = lines
        .filter(|(key, _)| version.droppable.contains(key))
        .filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok())
        .sum();
    Some(Group { name: name.to_owned(), file: version.limit, limit, used: usage.saturating_sub(droppable) })
}
