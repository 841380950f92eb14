//! The transport that PEs use during a measurement.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The transport between the PEs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Transport {
    /// Shared memory, or the transport that the installation chooses by default.
    Shm,
    Tcp,
    /// libfabric with this provider.
    Libfabric(String),
    /// UCX with these transports of its own, as `UCX_TLS` lists them, but with `+` for the comma and without `self`.
    Ucx(String),
}

impl Transport {
    /// The value of `UCX_TLS`, for a UCX transport.
    pub fn ucx_tls(&self) -> Option<String> {
        match self {
            Self::Ucx(tls) => Some(format!("{},self", tls.replace('+', ","))),
            _ => None,
        }
    }

    /// The transport as a part of a file name.
    pub fn file_word(&self) -> String {
        self.to_string().replace([':', '+', ';', '/'], "-")
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shm => f.write_str("shm"),
            Self::Tcp => f.write_str("tcp"),
            Self::Libfabric(provider) => write!(f, "libfabric:{provider}"),
            Self::Ucx(tls) => write!(f, "ucx:{tls}"),
        }
    }
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "shm" => Ok(Self::Shm),
            None if text == "tcp" => Ok(Self::Tcp),
            Some(("libfabric", provider)) if !provider.is_empty() => Ok(Self::Libfabric(provider.to_owned())),
            Some(("ucx", tls)) if !tls.is_empty() => Ok(Self::Ucx(tls.to_owned())),
            _ => Err("expected shm, tcp, libfabric:PROVIDER or ucx:TLS (such as ucx:tcp or ucx:rc+sm)".to_owned()),
        }
    }
}

impl TryFrom<String> for Transport {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Transport> for String {
    fn from(transport: Transport) -> Self {
        transport.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for word in ["shm", "tcp", "libfabric:tcp", "libfabric:verbs;ofi_rxm", "ucx:rc+sm"] {
            assert_eq!(word.parse::<Transport>().unwrap().to_string(), word);
        }
        for word in ["", "memory", "libfabric", "libfabric:", "ucx:", "tcp:x"] {
            assert!(word.parse::<Transport>().unwrap_err().contains("expected shm, tcp"), "{word}");
        }
        assert_eq!(Transport::Ucx("rc+sm".to_owned()).ucx_tls().unwrap(), "rc,sm,self");
        assert_eq!("libfabric:verbs;ofi_rxm".parse::<Transport>().unwrap().file_word(), "libfabric-verbs-ofi_rxm");
    }
}
