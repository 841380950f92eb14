//! Reports about the variables for the user: their values and meanings, and misspelt names.

use super::{SETTINGS, Setting, Settings, current, tuning::is_hierarchical, variable, words::BACKTRACE_TOOLS};
use ferrite_collectives::{Rank, pattern::knomial::RADIX_MAX};
use ferrite_memory::heap::{
    budget::Bytes,
    size::{self, Size},
};
use std::fmt::Write;

/// Variables whose values are numbers of bytes, with suffixes that may be read in more than one way.
const SIZES: [&str; 2] = ["SHMEM_SYMMETRIC_SIZE", "SHMEM_COLL_SIZE_CROSSOVER"];

/// The text that `SHMEM_INFO` prints: every setting with its value, grammar and meaning.
pub fn describe_all() -> String {
    let mut text = String::new();
    for setting in SETTINGS {
        let value = match current(setting) {
            Some((name, value)) => {
                let origin = (name != setting.name).then(|| format!("from {name}"));
                let remarks: Vec<_> = origin.into_iter().chain(remark(setting, &value)).collect();
                let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) };
                format!("{value:?}{remarks}")
            }
            None => format!("not set ({})", setting.default),
        };
        let _ = writeln!(text, "{} = {value}\n    {}\n    accepts {}", setting.name, setting.meaning, setting.grammar);
    }
    text
}

/// Remark on a setting's value: that it is refused, or its number of bytes.
pub fn remark(setting: &Setting, value: &str) -> Option<String> {
    let alone = |name: &str| (name == setting.name).then(|| value.to_owned());
    if Settings::from_lookup(alone).is_err() {
        return Some(format!("refused: it must be {}", setting.grammar));
    }
    match size::parse(value) {
        Ok(Size::Bytes(bytes)) if SIZES.contains(&setting.name) => Some(format!("{bytes} bytes, {}", Bytes(bytes))),
        _ => None,
    }
}

/// Variables of Sandia OpenSHMEM and Cray that have no counterpart. ferrite_moving(7) lists them.
const UNREAD: [&str; 25] = [
    "SHMEM_TEAMS_MAX",
    "SHMEM_OFI_ATOMIC_CHECKS_WARN",
    "SHMEM_OFI_DISABLE_MULTIRAIL",
    "SHMEM_OFI_DISABLE_SINGLE_EP",
    "SHMEM_OFI_RX_POLL_LIMIT",
    "SHMEM_OFI_TX_POLL_LIMIT",
    "SHMEM_OFI_STX_MAX",
    "SHMEM_OFI_STX_AUTO",
    "SHMEM_OFI_STX_ALLOCATOR",
    "SHMEM_OFI_STX_DISABLE_PRIVATE",
    "SHMEM_OFI_STX_THRESHOLD",
    "SHMEM_BOUNCE_SIZE",
    "SHMEM_MAX_BOUNCE_BUFFERS",
    "SHMEM_CMA_PUT_MAX",
    "SHMEM_CMA_GET_MAX",
    "SHMEM_DISABLE_ASLR_CHECK",
    "SHMEM_HIER_BARRIER_DEBUG",
    "SHMEM_HIER_BARRIER_THRESHOLD",
    "SHMEM_MPI_THREAD_LEVEL",
    "SHMEM_PROGRESS_INTERVAL",
    "SHMEM_SYMMETRIC_HEAP_PAGE_SIZE",
    "SHMEM_SYMMETRIC_HEAP_USE_DSMML",
    "SHMEM_SYMMETRIC_HEAP_USE_MALLOC",
    "SHMEM_TRAP_ON_ABORT",
    "SHMEM_SYMMETRIC_HEAP_KIND",
];

/// Notices about variables and values of other libraries, with their meanings here.
pub fn of_others() -> Vec<String> {
    let values = SETTINGS.iter().filter_map(|setting| {
        let (name, value) = current(setting)?;
        meaning_of_value(setting.name, name, &value)
    });
    let size = SETTINGS.iter().find(|setting| setting.name == "SHMEM_SYMMETRIC_SIZE").and_then(current);
    let size = size.filter(|(name, _)| *name != "SHMEM_SYMMETRIC_SIZE");
    let size = size.map(|(name, value)| format!("{name}={value} is taken as SHMEM_SYMMETRIC_SIZE={value}"));
    let unread: Vec<&str> =
        UNREAD.into_iter().filter(|name| variable(name).is_some_and(|value| !value.is_empty())).collect();
    let unread = (!unread.is_empty()).then(|| format!("{} of other libraries: no effect here", unread.join(", ")));
    values.chain(size).chain(unread).collect()
}

/// The meaning here of another library's value of `setting`, which was found under `name`.
fn meaning_of_value(setting: &str, name: &str, value: &str) -> Option<String> {
    let means =
        |here: &str| Some(format!("{name}={value} is a value of Sandia OpenSHMEM; here it means {name}={here}"));
    match setting {
        "SHMEM_BACKTRACE" if BACKTRACE_TOOLS.contains(&value) => means("1, a backtrace by the library itself"),
        "SHMEM_BARRIER_ALGORITHM" if is_hierarchical(value) => {
            means("auto, which combines the PEs of each host first where that saves messages")
        }
        "SHMEM_COLL_RADIX" if value.parse().is_ok_and(|given: Rank| given > RADIX_MAX) => {
            means(&format!("{RADIX_MAX}, the widest tree"))
        }
        "SHMEM_OFI_PUT_PIPELINE_DEPTH" if value == "0" => means("1024, the largest"),
        _ => None,
    }
}

/// Variables of the environment that no code reads and whose names are misspelt names of settings, each with that setting.
pub fn misspelt() -> Vec<(String, &'static str)> {
    let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    misspelt_of(set)
}

fn misspelt_of(set: impl Iterator<Item = String>) -> Vec<(String, &'static str)> {
    let mut found: Vec<_> = set.filter_map(|name| meant(&name).map(|known| (name, known))).collect();
    found.sort();
    found
}

/// The setting that `name` probably means: its name is similar but not equal.
fn meant(name: &str) -> Option<&'static str> {
    let prefix = ["FERRITE_", "SHMEM_", "SMA_"].into_iter().find(|prefix| name.starts_with(prefix))?;
    if names().any(|known| known == name) {
        return None;
    }
    // Short names are close to many words.
    let slips = if name.len() - prefix.len() < 8 { 1 } else { 2 };
    // Each PE does this as it starts, so skip most names by their lengths before computing a distance.
    let near = names()
        .filter(|known| known.len().abs_diff(name.len()) <= slips)
        .map(|known| (strsim::osa_distance(known, name), known))
        .filter(|&(distance, _)| distance <= slips);
    near.min().map(|(_, known)| known)
}

/// The names of all settings, their aliases among them.
fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().flat_map(|setting| [setting.name].into_iter().chain(setting.aliases.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<(String, &'static str)> {
        misspelt_of(names.iter().map(|name| (*name).to_owned()))
    }

    #[test]
    fn slips_of_the_pen_are_known() {
        for (slip, name) in [
            ("FERRITE_WAITS", "FERRITE_WAIT"),
            ("SHMEM_SYMETRIC_SIZE", "SHMEM_SYMMETRIC_SIZE"),
            ("SHMEM_SYMMETRIC_SZIE", "SHMEM_SYMMETRIC_SIZE"),
            ("SHMEM_TRANSPROT", "SHMEM_TRANSPORT"),
            ("SMA_SYMETRIC_SIZE", "SMA_SYMMETRIC_SIZE"),
            ("SHMEM_OFI_PROVIDERS", "SHMEM_OFI_PROVIDER"),
            ("FERRITE_HOSTTIMEOUT", "FERRITE_HOST_TIMEOUT"),
        ] {
            assert_eq!(of(&[slip]), [(slip.to_owned(), name)]);
        }
    }

    #[test]
    fn what_is_known_or_far_from_it_is_left_alone() {
        assert_eq!(of(&names().collect::<Vec<_>>()), []);
        // Variables of the launcher, variables that it sets for each PE, variables of module files, variables of other libraries.
        let others = [
            "FERRITE_BOOT",
            "FERRITE_GRACE",
            "FERRITE_LOCAL_PE",
            ferrite_bootstrap::BOARDS,
            ferrite_bootstrap::JOB_GROUP,
            "FERRITE_LAST_RUN",
            "FERRITE_NOT_BOUND",
            "FERRITE_NPES",
            "FERRITE_PE",
            "FERRITE_PREFIX",
            "FERRITE_RSH",
            "FERRITE_ROOT",
            "FERRITE_HOME",
            "FERRITE_DIR",
            "FERRITE_LIB",
            "FERRITE_BIN",
            "FERRITE_VERSION",
            "SHMEM_DIR",
            "SHMEM_HOME",
            "SHMEM_LIB",
            "SHMEM_INC",
            "SHMEM_CC",
            "PATH",
            "FERRITE_",
        ];
        assert_eq!(of(&others), []);
        assert_eq!(of(&UNREAD), []);
    }

    #[test]
    fn the_page_has_the_variables_of_others() {
        let page = include_str!("../../capi/manual/ferrite_moving.7.md");
        let sizes = SETTINGS.iter().find(|setting| setting.name == "SHMEM_SYMMETRIC_SIZE").unwrap().aliases;
        for name in UNREAD.iter().chain(sizes) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
        // What has no effect is no setting, nor another name of one.
        assert!(!UNREAD.iter().any(|name| names().any(|known| known == *name)));
    }

    #[test]
    fn a_value_of_another_library_is_explained() {
        for (name, value, here) in [
            ("SHMEM_BACKTRACE", "gdb", Some("SHMEM_BACKTRACE=1, ")),
            ("SHMEM_BACKTRACE", "1", None),
            ("SHMEM_COLL_RADIX", "16", Some("SHMEM_COLL_RADIX=8, ")),
            ("SHMEM_COLL_RADIX", "8", None),
            ("SHMEM_COLL_RADIX", "04", None),
            ("SHMEM_BARRIER_ALGORITHM", "hierarchical", Some("SHMEM_BARRIER_ALGORITHM=auto, ")),
            ("SHMEM_BARRIER_ALGORITHM", "dissem", None),
            ("SHMEM_OFI_PUT_PIPELINE_DEPTH", "0", Some("SHMEM_OFI_PUT_PIPELINE_DEPTH=1024, ")),
            ("SHMEM_OFI_PUT_PIPELINE_DEPTH", "64", None),
        ] {
            let said = meaning_of_value(name, name, value);
            let expected =
                here.map(|here| format!("{name}={value} is a value of Sandia OpenSHMEM; here it means {here}"));
            assert_eq!(said.is_some(), expected.is_some(), "{said:?}");
            assert!(said.unwrap_or_default().starts_with(&expected.unwrap_or_default()), "{name}={value}");
            // It is understood, not refused.
            Settings::from_lookup(|found| (found == name).then(|| value.to_owned())).unwrap();
        }
    }

    #[test]
    fn a_value_is_remarked_on() {
        let row = |name: &str| SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        let size = row("SHMEM_SYMMETRIC_SIZE");
        assert_eq!(remark(size, "512MB").unwrap(), "536870912 bytes, 512 MiB");
        assert_eq!(remark(size, "80%"), None);
        assert!(remark(size, "abc").unwrap().starts_with("refused: it must be bytes per PE"));
        assert_eq!(remark(row("FERRITE_WAIT"), "spin"), None);
        assert!(remark(row("FERRITE_WAIT"), "sleep").unwrap().starts_with("refused"));
        assert!(remark(row("SHMEM_REDUCE_ALGORITHM"), "pigeon").unwrap().starts_with("refused"));
    }
}
