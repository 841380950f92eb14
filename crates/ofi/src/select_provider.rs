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
        return lacks("completion on delivery (FI_DELIVERY_COMPLETE)");
    }
    let more = offer.mr_mode & !MR_MODES;
    if more != 0 {
        return Some(format!("it requires unsupported registration modes (mr_mode {more:#x})"));
    }
    let more = offer.mode & !MODES;
    if more != 0 {
        return Some(format!("it requires unsupported modes (mode {more:#x})"));
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
        return Some("it reaches only this host; to use it, set SHMEM_OFI_PROVIDER".to_owned());
    } else if !RANKS.contains(&offer.core()) {
        return Some("it is unknown to this version; to use it, set SHMEM_OFI_PROVIDER".to_owned());
    }
    if let Some(nic) = options.unwanted.iter().find(|nic| offer.is_of(nic)) {
        return Some(format!("NIC {nic} is excluded by SHMEM_NICS"));
    }
    if let Some(nic) = options.nic.as_ref().filter(|nic| !offer.is_of(nic)) {
        return Some(format!("NIC {nic} was requested"));
    }
    let other = |what: &str, wish: &Option<String>, is: &str| {
        wish.as_ref().filter(|wish| *wish != is).map(|wish| format!("{what} {wish} was requested"))
    };
    other("domain", &options.domain, &offer.domain).or_else(|| other("fabric", &options.fabric, &offer.fabric))
}

/// Rank of an offer: smaller is better.
fn rank(offer: &Offer, options: &Options) -> impl Ord + use<> {
    let core = RANKS.iter().position(|name| *name == offer.core()).unwrap_or(RANKS.len());
    let near = options.nearest.iter().position(|nic| offer.is_of(nic)).unwrap_or(options.nearest.len());
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
    let wishes = [
        ("SHMEM_OFI_PROVIDER", &options.provider),
        ("SHMEM_OFI_DOMAIN", &options.domain),
        ("SHMEM_OFI_FABRIC", &options.fabric),
        ("SHMEM_NICS", &options.nic),
    ];
    let wishes: Vec<String> =
        wishes.iter().filter_map(|(name, wish)| wish.as_ref().map(|wish| format!("{name}={wish}"))).collect();
    let asked = if wishes.is_empty() { String::new() } else { format!(" for {}", wishes.join(" and ")) };
    if candidates.is_empty() {
        return format!(
            "libfabric has no provider{asked} on this host: are its providers installed, and is an \
                        interface up?"
        );
    }
    // List each reason once: there may be dozens of candidates. Providers of another name than the requested one are listed by name only.
    let other_name = options.provider.as_deref().map(misnamed);
    let mut others: Vec<&str> = Vec::new();
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for Candidate { name, domain, verdict, .. } in candidates {
        let Verdict::Refused(why) = verdict else { continue };
        if Some(why) == other_name.as_ref() {
            if !others.contains(&name.as_str()) {
                others.push(name);
            }
            continue;
        }
        let whom = format!("{name} on {domain}");
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, all)) if all.contains(&whom) => {}
            Some((_, all)) => all.push(whom),
            None => reasons.push((why, vec![whom])),
        }
    }
    let no_shm = no_shm(options, candidates);
    if reasons.is_empty() {
        return format!("libfabric has no provider{asked} on this host; it has {}{no_shm}", others.join(", "));
    }
    let reasons: Vec<String> = reasons.iter().map(|(why, whom)| format!("{}: {why}", whom.join(", "))).collect();
    format!("libfabric has no usable provider{asked} on this host: {}{no_shm}", reasons.join("; "))
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
    format!("provider {wish} was requested")
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
    fn nics_are_named_or_excluded() {
        let all = [offer("efa", "rdmap0s6-rdm"), offer("efa", "rdmap0s7-rdm"), offer("tcp", "eth0")];
        let nic = |nic: &str| Options { nic: Some(nic.into()), ..options() };
        let without = |nics: &[&str]| Options { unwanted: nics.iter().map(|&nic| nic.into()).collect(), ..options() };
        for (options, expected) in [
            (nic("rdmap0s7"), Some("efa rdmap0s7-rdm")),
            (nic("eth0"), Some("tcp eth0")),
            (nic("eth1"), None),
            (without(&["rdmap0s6"]), Some("efa rdmap0s7-rdm")),
            (without(&["rdmap0s6", "rdmap0s7"]), Some("tcp eth0")),
        ] {
            assert_eq!(chosen(&all, &options).as_deref(), expected, "{options:?}");
        }
        let text = nothing(&select(&all, &nic("eth1")).0, &nic("eth1"));
        assert!(text.contains("for SHMEM_NICS=eth1") && text.contains("NIC eth1 was requested"), "{text}");
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
        assert_eq!(text, "libfabric has no provider for SHMEM_OFI_PROVIDER=cxxi on this host; it has tcp");
        assert!(nothing(&[], &options).contains("no provider for SHMEM_OFI_PROVIDER=cxxi on this host: are its"));
        assert!(!text.contains("/dev/shm"), "{text}");
        let shm = Options { provider: Some("shm".to_owned()), ..options };
        assert!(nothing(&candidates, &shm).contains("; shm is offered only where /dev/shm has room"));
    }
}
