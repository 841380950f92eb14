//! Choice of an offer: a pure function from offers and wishes to the chosen offer, with a reason against each other one.

use crate::{
    Candidate, Options, Verdict,
    info::{MODES, MR_MODES},
    offer::Offer,
};
use libfabric_sys::*;
use std::cmp::Reverse;

/// Providers from the best to the last resort. A provider that is not listed is unknown to this version, and is used only if asked for.
const RANKS: &[&str] = &["cxi", "opx", "psm3", "psm2", "efa", "verbs", "tcp", "net", "udp", "sockets"];

/// Providers that reach only this host. Memory on this host is mapped already, so they are used only if asked for.
const LOCAL: &[&str] = &["shm", "sm2"];

/// Reason why an offer cannot be used at all.
fn unfit(offer: &Offer) -> Option<String> {
    let lacks = |what: &str| Some(format!("it has no {what}"));
    if !offer.reliable {
        return lacks("reliable endpoints without connections (FI_EP_RDM)");
    }
    if offer.caps & FI_RMA != FI_RMA {
        return lacks("one-sided operations (FI_RMA)");
    }
    if offer.caps & FI_MSG != FI_MSG {
        return lacks("messages (FI_MSG)");
    }
    if !offer.delivery {
        return lacks("way to tell when data has been delivered (FI_DELIVERY_COMPLETE)");
    }
    let more = offer.mr_mode & !MR_MODES;
    if more != 0 {
        return Some(format!("it asks for registration modes that are not served (mr_mode {more:#x})"));
    }
    let more = offer.mode & !MODES;
    if more != 0 {
        return Some(format!("it asks for modes that are not served (mode {more:#x})"));
    }
    if offer.key_bytes > 8 {
        return Some(format!("its keys have {} bytes, more than 8", offer.key_bytes));
    }
    if offer.fabric.starts_with("fe80") {
        return Some("its addresses are link-local".to_owned());
    }
    None
}

/// Reason why an offer does not suit the wishes.
fn unwished(offer: &Offer, options: &Options) -> Option<String> {
    if let Some(wish) = &options.provider {
        if *wish != offer.name && wish != offer.core() {
            return Some(misnamed(wish));
        }
    } else if LOCAL.contains(&offer.core()) {
        return Some("it reaches this host alone; ask for it by name".to_owned());
    } else if !RANKS.contains(&offer.core()) {
        return Some("it is unknown to this version; ask for it by name".to_owned());
    }
    let other = |what: &str, wish: &Option<String>, is: &str| {
        wish.as_ref().filter(|wish| *wish != is).map(|wish| format!("{what} {wish} was asked for"))
    };
    other("domain", &options.domain, &offer.domain).or_else(|| other("fabric", &options.fabric, &offer.fabric))
}

/// Rank of an offer: smaller is better.
fn rank(offer: &Offer, options: &Options) -> impl Ord + use<> {
    let core = RANKS.iter().position(|name| *name == offer.core()).unwrap_or(RANKS.len());
    // EFA's domains are named after the device and a kind of endpoint: rdmap0s6-rdm.
    let is =
        |nic: &String| offer.domain.strip_prefix(&**nic).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let near = options.nearest.iter().position(is).unwrap_or(options.nearest.len());
    let layers = offer.name.matches(';').count();
    // Of two layers, the datagram layer is the worse.
    (core, layers, offer.name.ends_with("ofi_rxd"), offer.is_loopback(), near, Reverse(offer.caps & FI_REMOTE_COMM))
}

/// Verdicts of all offers, and the index of the chosen one. Among equals the first is chosen: libfabric lists the better one first.
pub fn select(offers: &[Offer], options: &Options) -> (Vec<Candidate>, Option<usize>) {
    let reason = |offer: &Offer| unwished(offer, options).or_else(|| unfit(offer));
    let fit = (0..offers.len()).filter(|&i| reason(&offers[i]).is_none());
    let chosen = fit.min_by_key(|&i| rank(&offers[i], options));
    let verdict = |i: usize| match reason(&offers[i]) {
        Some(why) => Verdict::Refused(why),
        None if Some(i) == chosen => Verdict::Chosen,
        None => Verdict::Spare,
    };
    let candidate = |(i, offer): (usize, &Offer)| Candidate {
        name: offer.name.clone(),
        domain: offer.domain.clone(),
        fabric: offer.fabric.clone(),
        verdict: verdict(i),
    };
    (offers.iter().enumerate().map(candidate).collect(), chosen)
}

/// Error text for the case that no offer is chosen.
pub fn nothing(candidates: &[Candidate], options: &Options) -> String {
    let wishes = [("provider", &options.provider), ("domain", &options.domain), ("fabric", &options.fabric)];
    let wishes: Vec<String> =
        wishes.iter().filter_map(|(what, wish)| wish.as_ref().map(|wish| format!("{what} {wish:?}"))).collect();
    let asked = if wishes.is_empty() { String::new() } else { format!(" for {}", wishes.join(", ")) };
    if candidates.is_empty() {
        return format!("libfabric offers nothing{asked}: are its providers installed, and is an interface up?");
    }
    // List each reason once: there may be dozens of candidates. A candidate that is refused for its provider's name is listed by that name
    // alone.
    let other_name = options.provider.as_deref().map(misnamed);
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for Candidate { name, domain, verdict, .. } in candidates {
        let Verdict::Refused(why) = verdict else { continue };
        let whom = if Some(why) == other_name.as_ref() { name.clone() } else { format!("{name} on {domain}") };
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, all)) if all.contains(&whom) => {}
            Some((_, all)) => all.push(whom),
            None => reasons.push((why, vec![whom])),
        }
    }
    let reasons: Vec<String> = reasons.iter().map(|(why, whom)| format!("{}: {why}", whom.join(", "))).collect();
    format!("libfabric has nothing usable{asked}; refused are {}{}", reasons.join("; "), no_shm(options, candidates))
}

/// Why `shm` is not even offered although it was asked for. libfabric itself does not report this.
fn no_shm(options: &Options, candidates: &[Candidate]) -> String {
    if options.provider.as_deref() != Some("shm") || candidates.iter().any(|candidate| candidate.name == "shm") {
        return String::new();
    }
    let left = rustix::fs::statvfs("/dev/shm")
        .map_or("is not there".to_owned(), |found| format!("has {} KiB left", found.f_bavail * found.f_frsize / 1024));
    format!("; shm is offered only where /dev/shm has room for the messages of all cores, and it {left}")
}

fn misnamed(wish: &str) -> String {
    format!("provider {wish} was asked for")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_fabric::Pe;

    fn offer(name: &str, domain: &str) -> Offer {
        Offer {
            name: name.to_owned(),
            domain: domain.to_owned(),
            fabric: "net".to_owned(),
            caps: FI_RMA | FI_MSG,
            reliable: true,
            delivery: true,
            ..Offer::default()
        }
    }

    fn options() -> Options {
        Options::new(Pe(0), 2, 1)
    }

    fn chosen(offers: &[Offer], options: &Options) -> Option<String> {
        select(offers, options).1.map(|i| format!("{} {}", offers[i].name, offers[i].domain))
    }

    #[test]
    fn the_best_is_taken() {
        let wish = |provider: &str| Options { provider: Some(provider.to_owned()), ..options() };
        let all = [
            offer("shm", "shm"),
            offer("udp;ofi_rxd", "eth0"),
            offer("tcp", "lo"),
            offer("tcp;ofi_rxm", "eth0"),
            offer("tcp", "eth0"),
            offer("verbs;ofi_rxd", "mlx0"),
            offer("verbs;ofi_rxm", "mlx0"),
            offer("verbs;ofi_rxm", "mlx1"),
            offer("novel", "n0"),
            offer("cxi", "cxi0"),
        ];
        let efa = [offer("efa", "rdmap0s6-rdm"), offer("efa", "rdmap0s7-rdm")];
        let near = |domain: &str| Options { nearest: vec!["none".into(), domain.into()], ..options() };
        let domain = Options { domain: Some("lo".into()), ..options() };
        for (offers, options, expected) in [
            (&all[..], options(), Some("cxi cxi0")),
            (&all[..9], options(), Some("verbs;ofi_rxm mlx0")),
            (&all[..9], near("mlx1"), Some("verbs;ofi_rxm mlx1")),
            (&all[..9], near("mlx"), Some("verbs;ofi_rxm mlx0")),
            (&efa[..], options(), Some("efa rdmap0s6-rdm")),
            (&efa[..], near("rdmap0s7"), Some("efa rdmap0s7-rdm")),
            (&all[..5], options(), Some("tcp eth0")),
            (&all[..4], options(), Some("tcp lo")),
            (&all[..2], options(), Some("udp;ofi_rxd eth0")),
            (&all[..1], options(), None),
            (&all[..], wish("shm"), Some("shm shm")),
            (&all[..], wish("tcp"), Some("tcp eth0")),
            (&all[..], wish("tcp;ofi_rxm"), Some("tcp;ofi_rxm eth0")),
            (&all[..], wish("novel"), Some("novel n0")),
            (&all[..], wish("gni"), None),
            (&all[..], domain, Some("tcp lo")),
        ] {
            assert_eq!(chosen(offers, &options).as_deref(), expected, "{options:?}");
        }
    }

    #[test]
    fn each_refusal_has_its_reason() {
        let good = offer("cxi", "cxi0");
        for (bad, words) in [
            (Offer { reliable: false, ..good.clone() }, "FI_EP_RDM"),
            (Offer { caps: FI_MSG, ..good.clone() }, "FI_RMA"),
            (Offer { caps: FI_RMA, ..good.clone() }, "FI_MSG"),
            (Offer { delivery: false, ..good.clone() }, "FI_DELIVERY_COMPLETE"),
            (Offer { mr_mode: FI_MR_RAW | FI_MR_LOCAL, ..good.clone() }, "mr_mode 0x8"),
            (Offer { mode: FI_LOCAL_MR | FI_CONTEXT, ..good.clone() }, "mode 0x"),
            (Offer { key_bytes: 16, ..good.clone() }, "16 bytes"),
            (Offer { fabric: "fe80::/64".into(), ..good.clone() }, "link-local"),
        ] {
            let (candidates, none) = select(&[bad], &options());
            assert_eq!(none, None);
            let text = candidates[0].to_string();
            assert!(text.starts_with("cxi on cxi0 (") && text.contains(words), "{text}");
        }
    }

    #[test]
    fn an_unusable_name_is_answered_with_what_there_is() {
        let options = Options { provider: Some("cxxi".into()), ..options() };
        let (candidates, _) = select(&[offer("tcp", "eth0")], &options);
        let text = nothing(&candidates, &options);
        assert!(text.contains("usable for provider \"cxxi\"; refused are "), "{text}");
        assert!(text.ends_with(": provider cxxi was asked for") && text.matches("asked for").count() == 1, "{text}");
        assert!(nothing(&[], &options).contains("offers nothing for provider \"cxxi\""));
        assert!(!text.contains("/dev/shm"), "{text}");
        let shm = Options { provider: Some("shm".to_owned()), ..options };
        assert!(nothing(&candidates, &shm).contains("; shm is offered only where /dev/shm has room"));
    }
}
