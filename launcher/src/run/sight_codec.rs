//! Encodes a host's view of its PEs in the frames of [`ferrite_bootstrap::codec`]. Pure.

use ferrite_bootstrap::codec::{Malformed, Reader, Writer};
use ferrite_diagnose::entry::Entry;
use ferrite_diagnose::record::Called;
use ferrite_diagnose::sight::Sight;
use ferrite_diagnose::status::{Class, Phase, Seen, Waiting};

/// The longest name, place or call, in bytes.
const TEXT_MAX: usize = 1024;

/// Write the view of some PEs.
pub fn sights_to<'a>(to: &'a mut Writer, sights: &[Sight]) -> &'a mut Writer {
    to.len(sights.len());
    for Sight { seen, called, past, carrier, still_ms, aborts, told } in sights {
        to.u32(seen.pe).tag(phase_number(seen.phase)).u64(seen.looks);
        match &seen.waiting {
            None => to.tag(0),
            Some(waiting) => waiting_to(to.tag(1), waiting),
        };
        to.len(called.len());
        for (slot, Called { key, rank, arrived, calls }) in called {
            to.u32((*slot).into()).u64(*key).u32(*rank).u64(*arrived).len(calls.len());
            for (number, call) in calls {
                to.u64(*number).u64(call.word(*number));
            }
        }
        to.len(past.len());
        past.iter().for_each(|call| _ = to.bytes(call.as_bytes()));
        to.bytes(carrier.as_bytes());
        to.u64(*still_ms).tag((*aborts).into()).tag((*told).into());
    }
    to
}

/// Read a [`sights_to`] encoding.
pub fn sights_from(from: &mut Reader<'_>) -> Result<Vec<Sight>, Malformed> {
    from.list(32, |from| {
        let (pe, phase, looks) = (from.u32()?, phase(from.u8()?)?, from.u64()?);
        let waiting = if from.u8()? == 0 { None } else { Some(waiting_from(from)?) };
        let called = from.list(28, |from| {
            let (slot, key, rank, arrived) = (slot_from(from)?, from.u64()?, from.u32()?, from.u64()?);
            let calls = from.list(16, |from| {
                let (number, word) = (from.u64()?, from.u64()?);
                let (_, call) = Entry::of_word(word).ok_or_else(|| Malformed::new("not a call of a collective"))?;
                Ok((number, call))
            })?;
            Ok((slot, Called { key, rank, arrived, calls }))
        })?;
        let past = from.list(4, |from| from.text(TEXT_MAX))?;
        let carrier = from.text(TEXT_MAX)?;
        let (still_ms, aborts, told) = (from.u64()?, from.u8()? != 0, from.u8()? != 0);
        Ok(Sight { seen: Seen { pe, phase, looks, waiting }, called, past, carrier, still_ms, aborts, told })
    })
}

fn waiting_to<'a>(to: &'a mut Writer, waiting: &Waiting) -> &'a mut Writer {
    to.u64(waiting.version).tag(waiting.class as u8).u64(waiting.since_ns).bytes(waiting.name.as_bytes());
    to.u32(waiting.absent.unwrap_or(u32::MAX)).u32(waiting.team.map_or(u32::MAX, u32::from));
    match &waiting.place {
        None => to.tag(0),
        Some(place) => to.tag(1).bytes(place.as_bytes()),
    }
}

fn waiting_from(from: &mut Reader<'_>) -> Result<Waiting, Malformed> {
    let (version, class) = (from.u64()?, class(from.u8()?)?);
    let (since_ns, name) = (from.u64()?, from.text(TEXT_MAX)?);
    let absent = Some(from.u32()?).filter(|&pe| pe != u32::MAX);
    let team = Some(from.u32()?).filter(|&slot| slot != u32::MAX).map(small).transpose()?;
    let place = if from.u8()? == 0 { None } else { Some(from.text(TEXT_MAX)?) };
    Ok(Waiting { version, class, since_ns, name, absent, team, place })
}

fn slot_from(from: &mut Reader<'_>) -> Result<u16, Malformed> {
    small(from.u32()?)
}

fn small(number: u32) -> Result<u16, Malformed> {
    u16::try_from(number).map_err(|_| Malformed::new("a team slot that does not exist"))
}

const PHASES: [Phase; 3] = [Phase::Absent, Phase::Joined, Phase::Left];

fn phase_number(phase: Phase) -> u8 {
    PHASES.iter().position(|one| *one == phase).map_or(0, |at| at as u8)
}

fn phase(number: u8) -> Result<Phase, Malformed> {
    PHASES.get(usize::from(number)).copied().ok_or_else(|| Malformed::new("an unknown phase"))
}

fn class(number: u8) -> Result<Class, Malformed> {
    [Class::Collective, Class::Peers, Class::Anyone]
        .into_iter()
        .find(|class| *class as u8 == number)
        .ok_or_else(|| Malformed::new("an unknown class"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ferrite_diagnose::entry::EntryKind;
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    fn waiting() -> impl Strategy<Value = Waiting> {
        let class = prop::sample::select(&[Class::Collective, Class::Peers, Class::Anyone][..]);
        let numbers = (any::<u64>(), class, any::<u64>(), option::of(0..9_u32), option::of(any::<u16>()));
        (numbers, ".{0,9}", option::of(".{0,9}")).prop_map(|((version, class, since_ns, absent, team), name, place)| {
            Waiting { version, class, since_ns, name, absent, team, place }
        })
    }

    fn called() -> impl Strategy<Value = (u16, Called)> {
        let call = (any::<u64>(), 0..1_usize << 30).prop_map(|(n, size)| (n, Entry::sized(EntryKind::Scan, size)));
        (any::<u16>(), any::<u64>(), any::<u32>(), any::<u64>(), vec(call, 0..3))
            .prop_map(|(slot, key, rank, arrived, calls)| (slot, Called { key, rank, arrived, calls }))
    }

    /// Any view of some PEs.
    pub fn sights() -> impl Strategy<Value = Vec<Sight>> {
        let seen = (any::<u32>(), prop::sample::select(&PHASES[..]), any::<u64>(), option::of(waiting()))
            .prop_map(|(pe, phase, looks, waiting)| Seen { pe, phase, looks, waiting });
        let rest = (vec(called(), 0..3), vec(".{0,9}", 0..3), ".{0,9}", any::<u64>(), any::<[bool; 2]>());
        let sight = (seen, rest).prop_map(|(seen, (called, past, carrier, still_ms, [aborts, told]))| Sight {
            seen,
            called,
            past,
            carrier,
            still_ms,
            aborts,
            told,
        });
        vec(sight, 0..4)
    }
}
