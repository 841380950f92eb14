//! Overview charts of all ratios: a strip for each family or application.

use crate::document::Results;
use crate::family::Family;
use crate::plot::{Dot, Drawing, Strip, StripChart};
use crate::rows::{Row, Standing};
use crate::table::bytes;
use crate::transport::Transport;

/// The reference of the ratios.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Peer,
    /// The bare programs, which show the limits of the machine.
    Limits,
}

/// A strip for each family over one transport; `None` if nothing was compared there.
pub fn families(results: &Results, transport: &Transport, beside: Beside) -> Option<Drawing> {
    let of = |family: Family| {
        let of_family = move |row: &&Row| row.family == family;
        strip(family.name(), rows(results, transport, beside).filter(of_family))
    };
    chart(results, transport, beside, Family::all().iter().filter_map(|&family| of(family)).collect())
}

/// A strip for each application beside the other installation.
pub fn applications(results: &Results, transport: &Transport) -> Option<Drawing> {
    let all = || rows(results, transport, Beside::Peer).filter(|row| row.family == Family::Applications);
    let mut names: Vec<&str> = all().map(|row| row.test.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: &str| strip(name.to_owned(), all().filter(|row| row.test == name));
    chart(results, transport, Beside::Peer, names.into_iter().filter_map(of).collect())
}

fn rows<'a>(results: &'a Results, transport: &Transport, beside: Beside) -> impl Iterator<Item = &'a Row> {
    let wanted = move |row: &&Row| match beside {
        Beside::Peer => row.beside_peer(),
        Beside::Limits => row.against.as_ref().is_some_and(|name| name.starts_with("bare_")),
    };
    results.rows.iter().filter(move |row| row.transport == *transport).filter(wanted)
}

fn strip<'a>(name: String, rows: impl Iterator<Item = &'a Row>) -> Option<Strip> {
    let dots: Vec<Dot> = rows.filter_map(dot).collect();
    (!dots.is_empty()).then_some(Strip { name, dots })
}

fn dot(row: &Row) -> Option<Dot> {
    let ratio = row.cost()?;
    let standing = row.standing()?;
    let class = match standing {
        Standing::Faster => "ours",
        Standing::Slower => "bad",
        Standing::Alike | Standing::Noise | Standing::Few => "limit",
    };
    let size = if row.bytes > 0 { format!(" {} B", bytes(row.bytes)) } else { String::new() };
    let against = row.against.as_deref().unwrap_or_default();
    let says = format!("{}{size}, {} PEs, beside {against}: {ratio:.2} ({})", row.test, row.pes, standing.name());
    Some(Dot { ratio, class, says })
}

fn chart(results: &Results, transport: &Transport, beside: Beside, strips: Vec<Strip>) -> Option<Drawing> {
    if strips.is_empty() {
        return None;
    }
    let other = match (beside, &results.head.peer) {
        (Beside::Peer, Some(peer)) => peer.name(),
        (Beside::Peer, None) => "the peer",
        (Beside::Limits, _) => "the bare machine",
    };
    let ours = results.head.ours.name();
    let title = format!("time of {ours} in units of {other}'s, over {transport}: each ratio, and their mean");
    let sides = (format!("{ours} is faster"), format!("{other} is faster"));
    Some(StripChart { title, sides, strips }.draw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_results::results;

    #[test]
    fn families_and_applications_have_strips() {
        let (results, shm) = (results(), Transport::Shm);
        let svg = families(&results, &shm, Beside::Peer).unwrap().inline();
        assert!(svg.contains(">put<") && svg.contains(">threads<") && svg.contains("Ferrite is faster"), "{svg}");
        assert!(svg.contains("put 1 Ki B, 2 PEs, beside peer: 0.50 (faster)"), "{svg}");
        let svg = applications(&results, &shm).unwrap().inline();
        assert!(svg.contains(">gups<") && svg.contains(">0.25 x<"), "{svg}");
        assert!(applications(&results, &Transport::Tcp).is_none());
        let svg = families(&results, &shm, Beside::Limits).unwrap().inline();
        assert!(svg.contains("the bare machine is faster"), "{svg}");
    }
}
