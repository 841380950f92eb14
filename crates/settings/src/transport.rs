//! The value of `SHMEM_TRANSPORT`: what carries communication.

use ferrite_bootstrap::NodeMap;
use std::fmt;

/// The transport to PEs whose memory is not mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// The best for each peer.
    Auto,
    /// The best that a NIC for RDMA carries. TCP is refused.
    Hardware,
    /// Shared memory alone: no network.
    Shm,
    /// Ferrite's own TCP.
    Tcp,
    /// The library libfabric, by one of its providers.
    Libfabric,
    /// The library UCX, by its own choice of transports.
    Ucx,
}

/// The words for them. `ofi` is accepted for libfabric.
pub const CARRIERS: [(&str, Carrier); 6] = [
    ("auto", Carrier::Auto),
    ("hardware", Carrier::Hardware),
    ("shm", Carrier::Shm),
    ("tcp", Carrier::Tcp),
    ("libfabric", Carrier::Libfabric),
    ("ucx", Carrier::Ucx),
];

impl Carrier {
    /// True if the PEs of a host map each other's memory unless the user says otherwise.
    fn maps_hosts(self) -> bool {
        matches!(self, Carrier::Auto | Carrier::Hardware | Carrier::Shm)
    }
}

/// The transports within hosts and between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transport {
    /// The transport to PEs whose memory is not mapped.
    pub carrier: Carrier,
    /// Whether the PEs of a host map each other's memory. The same for all PEs of a job, which choose their ways by it.
    pub maps_hosts: bool,
}

impl Default for Transport {
    fn default() -> Transport {
        Transport { carrier: Carrier::Auto, maps_hosts: true }
    }
}

impl Transport {
    /// A carrier, which carries everything, between the PEs of one host too; `shm,` before it leaves those to shared memory.
    pub fn parse(text: &str) -> Option<Transport> {
        let carrier = |text| {
            let text = if text == "ofi" { "libfabric" } else { text };
            CARRIERS.iter().find(|(word, _)| *word == text).map(|&(_, carrier)| carrier)
        };
        match text.strip_prefix("shm,") {
            Some(rest) => {
                let carrier = carrier(rest).filter(|&carrier| carrier != Carrier::Shm)?;
                Some(Transport { carrier, maps_hosts: true })
            }
            None => {
                let carrier = carrier(text)?;
                Some(Transport { carrier, maps_hosts: carrier.maps_hosts() })
            }
        }
    }
}

impl Transport {
    /// Advice for the user of a job whose traffic inside hosts does not use shared memory, with the value that changes that. There is none
    /// on a single host, where this is what the user asks for, or if each host has one PE.
    pub fn advice(&self, map: &NodeMap) -> Option<String> {
        let has_such_traffic = 1 < map.nodes() && map.nodes() < map.size();
        (has_such_traffic && !self.maps_hosts).then(|| {
            format!(
                "SHMEM_TRANSPORT={self} carries what the PEs of one host send each other, too; SHMEM_TRANSPORT=shm,{self} leaves \
                 that to shared memory"
            )
        })
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CARRIERS.iter().find(|(_, carrier)| carrier == self).map_or("?", |(word, _)| word))
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Transport { carrier, maps_hosts } = *self;
        if maps_hosts && !carrier.maps_hosts() {
            f.write_str("shm,")?;
        }
        carrier.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_are_read_and_written_by_their_words() {
        for (word, carrier) in CARRIERS {
            let transport = Transport::parse(word).unwrap();
            assert_eq!(transport.carrier, carrier, "{word}");
            assert_eq!(transport.to_string(), word);
        }
        for word in ["shm,tcp", "shm,libfabric", "shm,ucx"] {
            let transport = Transport::parse(word).unwrap();
            assert!(transport.maps_hosts);
            assert_eq!(transport.to_string(), word);
        }
        assert_eq!(Transport::parse("ofi"), Transport::parse("libfabric"));
        assert_eq!(Transport::parse("shm,ofi"), Transport::parse("shm,libfabric"));
        assert_eq!(Transport::parse("shm,auto"), Transport::parse("auto"));
        assert_eq!(Transport::parse("shm,hardware"), Transport::parse("hardware"));
        for wrong in ["", "shm,", "shm,shm", "ucx,shm", "tcp,ucx", "shm, ucx", "pigeon", "shm,pigeon"] {
            assert_eq!(Transport::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn who_gives_up_shared_memory_between_hosts_is_told() {
        let advice = |text: &str, nodes: &[u32]| {
            Transport::parse(text).unwrap().advice(&NodeMap::of(nodes.iter().copied())).unwrap_or_default()
        };
        for (text, kept) in
            [("tcp", "shm,tcp"), ("ucx", "shm,ucx"), ("libfabric", "shm,libfabric"), ("ofi", "shm,libfabric")]
        {
            for nodes in [&[0, 0, 1, 1][..], &[0, 1, 0], &[0, 1, 1]] {
                let said = advice(text, nodes);
                assert!(said.contains(&format!("SHMEM_TRANSPORT={kept} leaves")), "{text} on {nodes:?}: {said}");
                assert_eq!(said.lines().count(), 1);
            }
            for nodes in [&[0][..], &[0, 0, 0], &[0, 1], &[0, 1, 2]] {
                assert_eq!(advice(text, nodes), "", "{text} on {nodes:?}");
            }
            assert_eq!(advice(kept, &[0, 0, 1, 1]), "");
        }
        for text in ["auto", "hardware", "shm"] {
            assert_eq!(advice(text, &[0, 0, 1, 1]), "");
        }
    }

    #[test]
    fn a_named_library_maps_no_hosts_by_itself() {
        let mapping = CARRIERS.map(|(word, _)| Transport::parse(word).unwrap().maps_hosts);
        assert_eq!(mapping, [true, true, true, false, false, false]);
    }
}
