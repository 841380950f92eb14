//! Errors of loading a library.

use std::{fmt, path::PathBuf};

/// Why a library cannot be used, as one line: a caller shows it beside the alternative that it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The crate was compiled without the library's headers, so it lacks the library's types.
    NotBuilt {
        /// The library, by its name in prose.
        library: &'static str,
        /// The missing part when the crate was compiled, and the package that has it.
        reason: &'static str,
    },
    /// The file is not there, or is not a library that this process can load.
    Unopened {
        /// The file as it was asked for.
        file: PathBuf,
        /// The message of the dynamic linker.
        reason: String,
    },
    /// The library lacks a function.
    Symbol {
        /// The file as it was asked for.
        file: PathBuf,
        /// The function, with its symbol version after an `@` if one is needed.
        symbol: String,
        /// The versions of the library that have it.
        accepted: &'static str,
    },
    /// The library is of a version that the crate was not made for.
    Version {
        /// The file as it was asked for.
        file: PathBuf,
        /// The version that the library reports.
        found: String,
        /// The versions that are accepted.
        accepted: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt { library, reason } => write!(f, "built without {library}: {reason}"),
            Self::Unopened { file, reason } => write!(f, "cannot open `{}`: {reason}", file.display()),
            Self::Symbol { file, symbol, accepted } => {
                write!(f, "`{}` has no symbol {symbol}: {accepted} is needed", file.display())
            }
            Self::Version { file, found, accepted } => {
                write!(f, "`{}` is version {found}: {accepted} is needed", file.display())
            }
        }
    }
}

impl std::error::Error for Error {}
