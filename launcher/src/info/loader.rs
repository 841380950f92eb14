//! Finds the file that the dynamic loader would load for a library, without loading it. Some libraries take a fifth of
//! a second to load, and a query must not run their constructors.
//!
//! Searches in the loader's order: `LD_LIBRARY_PATH`, the loader's cache, its default directories.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::elf::is_loadable;

/// A library that the loader would find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The file that the path links to, whose name usually has the version.
    pub(super) file: PathBuf,
    /// The version in the package's pkg-config file beside the library.
    pub(super) version: Option<String>,
}

/// The library called `soname`, of the package called `package`.
pub(super) fn find(soname: &str, package: &str) -> Option<Found> {
    let listed = library_path().map(|directory| directory.join(soname));
    let cached = fs::read("/etc/ld.so.cache").map(|cache| in_cache(&cache, soname)).unwrap_or_default();
    let own = own_directories().into_iter().map(|directory| directory.join(soname));
    let path = listed.chain(cached).chain(own).find(|path| is_loadable(path))?;
    let file = path.canonicalize().unwrap_or_else(|_| path.clone());
    let version = [&path, &file].iter().find_map(|path| package_version(path, package));
    Some(Found { path, file, version })
}

/// The directories of `LD_LIBRARY_PATH`.
fn library_path() -> impl Iterator<Item = PathBuf> {
    let value = variable("LD_LIBRARY_PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect();
    directories.into_iter()
}

/// The loader's default directories.
fn own_directories() -> Vec<PathBuf> {
    let multiarch = format!("{}-linux-gnu", env::consts::ARCH);
    ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
        .iter()
        .flat_map(|directory| [Path::new(directory).join(&multiarch), PathBuf::from(directory)])
        .collect()
}

const CACHE_MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const CACHE_HEADER: usize = 48;
const CACHE_ENTRY: usize = 24;

/// The paths of a name in the loader's cache. The format is a header, entries of fixed size, and the strings, to which entries refer by
/// offsets from the header. If the cache is truncated, or has another format, only the readable entries are returned.
fn in_cache(cache: &[u8], soname: &str) -> Vec<PathBuf> {
    let Some(start) = cache.windows(CACHE_MAGIC.len()).position(|bytes| bytes == CACHE_MAGIC) else {
        return Vec::new();
    };
    let cache = &cache[start..];
    let number = |at: usize| Some(u32::from_ne_bytes(cache.get(at..at + 4)?.try_into().ok()?) as usize);
    let string = |at: usize| {
        let bytes = cache.get(at..)?;
        std::str::from_utf8(bytes.split(|&byte| byte == 0).next()?).ok()
    };
    let entries = number(CACHE_MAGIC.len()).unwrap_or(0).min(cache.len() / CACHE_ENTRY);
    (0..entries)
        .filter_map(|index| {
            let entry = CACHE_HEADER + index * CACHE_ENTRY;
            let (name, path) = (string(number(entry + 4)?)?, string(number(entry + 8)?)?);
            (name == soname).then(|| PathBuf::from(path))
        })
        .collect()
}

/// The version in the pkg-config file of `package` beside a library.
fn package_version(library: &Path, package: &str) -> Option<String> {
    let file = library.parent()?.join("pkgconfig").join(format!("{package}.pc"));
    let text = fs::read_to_string(file).ok()?;
    let version = text.lines().find_map(|line| line.strip_prefix("Version:"))?.trim();
    (!version.is_empty() && !version.contains('$')).then(|| version.to_owned())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program of its own, with no World: the loader's variable is read here"
)]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache in the loader's format, with these names and paths.
    fn cache(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut strings = Vec::new();
        let mut table = Vec::new();
        let base = CACHE_HEADER + entries.len() * CACHE_ENTRY;
        for (name, path) in entries {
            let mut put = |text: &str| {
                let at = (base + strings.len()) as u32;
                strings.extend_from_slice(text.as_bytes());
                strings.push(0);
                at
            };
            let (name, path) = (put(name), put(path));
            table.extend([0x0303, name, path, 0, 0, 0].iter().flat_map(|number: &u32| number.to_ne_bytes()));
        }
        let mut cache = CACHE_MAGIC.to_vec();
        cache.extend((entries.len() as u32).to_ne_bytes());
        cache.resize(CACHE_HEADER, 0);
        [cache, table, strings].concat()
    }

    #[test]
    fn a_name_is_looked_up_in_the_cache() {
        let cache = cache(&[("liba.so.1", "/x/liba.so.1"), ("libb.so", "/y/libb.so"), ("liba.so.1", "/z/liba.so.1")]);
        assert_eq!(in_cache(&cache, "liba.so.1"), [Path::new("/x/liba.so.1"), Path::new("/z/liba.so.1")]);
        assert!(in_cache(&cache, "liba.so").is_empty());
        // Older loaders have a cache in the older format in front.
        assert_eq!(in_cache(&[&[7; 40], &cache[..]].concat(), "libb.so"), [Path::new("/y/libb.so")]);
    }

    #[test]
    fn a_cache_cut_short_anywhere_is_read_as_far_as_it_goes() {
        let whole = cache(&[("liba.so.1", "/x/liba.so.1"), ("libb.so", "/y/libb.so")]);
        for length in 0..whole.len() {
            assert!(in_cache(&whole[..length], "libb.so").len() <= 1);
        }
        let mut wild = whole;
        for at in CACHE_MAGIC.len()..wild.len() {
            wild[at] = 0xff;
            in_cache(&wild, "libb.so");
        }
    }

    #[test]
    fn the_c_library_is_where_the_loader_finds_it() {
        if Path::new("/etc/ld.so.cache").exists() {
            let found = find("libc.so.6", "no-such-package").expect("every program here has loaded it");
            assert!(found.file.exists() && found.version.is_none());
        } else {
            println!("skipped: this loader has no cache");
        }
        assert_eq!(find("libno-such-library.so.7", "none"), None);
    }
}
