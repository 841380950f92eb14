//! The user's options for placement: in which order PEs take the parts of the machine, what a PE is bound to, and how
//! many cpus it uses.

use std::{fmt, str::FromStr};

use crate::{Error, Result};

/// The part of the machine that a PE is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindTo {
    /// Not bound: the PE runs wherever the job may run.
    None,
    /// The threads of its core.
    Core,
    /// The cpus of its NUMA node.
    Numa,
    /// The cpus of its package.
    Socket,
}

/// The user's options for placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// The order in which PEs take places.
    pub map_by: MapBy,
    /// The part that each PE is bound to; `None` leaves the choice to [`place`](crate::place).
    pub bind_to: Option<BindTo>,
    /// Number of cpus that each PE uses.
    pub cpus_per_pe: u32,
}

/// The order in which PEs take places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapBy {
    /// One after the other, as the cores come.
    Slot,
    /// The same as `Slot`: a slot is a core.
    Core,
    /// In turn over the NUMA nodes.
    Numa,
    /// In turn over the packages.
    Socket,
    /// In turn over the machines; on one of them, as the cores come.
    Node,
    /// `count` PEs on each `per`, one resource after the other.
    Ppr {
        /// Number of PEs on each resource.
        count: u32,
        /// The kind of resource.
        per: Resource,
    },
}

/// A kind of part of the machine, on each of which `ppr` places a number of PEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// One core, with its hardware threads.
    Core,
    /// A NUMA node.
    Numa,
    /// A package.
    Socket,
    /// The machine.
    Node,
}

impl MapBy {
    /// True if the policy names parts of a machine, so that it cannot be followed without a map.
    pub fn names_parts(self) -> bool {
        match self {
            MapBy::Core | MapBy::Numa | MapBy::Socket => true,
            MapBy::Slot | MapBy::Node => false,
            MapBy::Ppr { per, .. } => per != Resource::Node,
        }
    }
}

const BINDS: [(&str, BindTo); 4] =
    [("none", BindTo::None), ("core", BindTo::Core), ("numa", BindTo::Numa), ("socket", BindTo::Socket)];

const MAPS: [(&str, MapBy); 5] = [
    ("slot", MapBy::Slot),
    ("core", MapBy::Core),
    ("numa", MapBy::Numa),
    ("socket", MapBy::Socket),
    ("node", MapBy::Node),
];

const RESOURCES: [(&str, Resource); 4] =
    [("core", Resource::Core), ("numa", Resource::Numa), ("socket", Resource::Socket), ("node", Resource::Node)];

/// The value that `name` stands for. "package" is accepted for "socket", as other launchers do.
fn named<T: Copy>(rows: &[(&str, T)], name: &str) -> Option<T> {
    let name = if name == "package" { "socket" } else { name };
    rows.iter().find(|(word, _)| *word == name).map(|&(_, value)| value)
}

fn name_of<T: PartialEq>(rows: &[(&'static str, T)], value: &T) -> &'static str {
    rows.iter().find(|(_, other)| other == value).map_or("?", |&(word, _)| word)
}

impl FromStr for BindTo {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        named(&BINDS, text)
            .ok_or_else(|| Error::new(format!("cannot bind to '{text}': expected none, core, numa or socket")))
    }
}

impl FromStr for MapBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let ppr = || {
            let (count, per) = text.strip_prefix("ppr:")?.split_once(':')?;
            let count = count.parse().ok().filter(|&count: &u32| count > 0)?;
            Some(MapBy::Ppr { count, per: named(&RESOURCES, per)? })
        };
        named(&MAPS, text).or_else(ppr).ok_or_else(|| {
            Error::new(format!(
                "cannot map by '{text}': expected slot, core, numa, socket, node, or ppr:N:RESOURCE for N PEs on each \
                 core, numa, socket or node"
            ))
        })
    }
}

impl fmt::Display for BindTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&BINDS, self))
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&RESOURCES, self))
    }
}

impl fmt::Display for MapBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapBy::Ppr { count, per } => write!(f, "ppr:{count}:{per}"),
            other => f.write_str(name_of(&MAPS, other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_is_read_as_it_is_written() {
        for text in
            ["slot", "core", "numa", "socket", "node", "ppr:2:core", "ppr:1:numa", "ppr:12:socket", "ppr:4:node"]
        {
            assert_eq!(text.parse::<MapBy>().unwrap().to_string(), text);
        }
        for text in ["none", "core", "numa", "socket"] {
            assert_eq!(text.parse::<BindTo>().unwrap().to_string(), text);
        }
        assert_eq!("package".parse::<BindTo>().unwrap(), BindTo::Socket);
    }

    #[test]
    fn a_wish_that_is_none_is_told_the_grammar() {
        for text in ["", "cores", "ppr", "ppr:0:numa", "ppr:-1:numa", "ppr:2:", "ppr:2:board", "ppr:2:numa:pe=2"] {
            let error = text.parse::<MapBy>().unwrap_err().to_string();
            assert!(error.contains(&format!("'{text}'")) && error.contains("ppr:N:RESOURCE"), "{error}");
        }
        for text in ["", "cpu", "Core"] {
            let error = text.parse::<BindTo>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("'{text}'")) && error.contains("expected none, core, numa or socket"),
                "{error}"
            );
        }
    }
}
