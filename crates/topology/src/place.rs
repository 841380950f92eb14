//! Placement: from a topology and the user's options to the cpus and NICs of each PE. A pure function.
//!
//! It has two steps. First, the usable cores are sorted into the order in which PEs take them ([`order`]), and PE `i`
//! takes the `i`-th. If PEs outnumber cores the order starts again, with the cores that have free threads. Second, each
//! PE's core is widened to the part of the machine that the PE is bound to.
//!
//! A job in which more PEs would share a set than the set has cpus is oversubscribed, and is not bound at all: the
//! scheduler balances it better than any placement. The NICs of a PE follow from its cpus ([`rails`]).

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    iter,
};

use crate::{BindTo, CpuSet, Error, Machine, MapBy, Rails, Resource, Result, Unbound, Wishes, rails};

mod gather;

/// A core that PEs may take, or several cores if one has too few cpus for a PE; and the indices of the parts of the
/// machine around it. A NUMA node that spans packages is one part.
#[derive(Clone, PartialEq, Eq)]
struct CoreGroup {
    socket: usize,
    numa: usize,
    core: usize,
    /// The usable threads of the core.
    cpus: CpuSet,
    /// Number of PEs that `cpus` is enough for.
    room: usize,
}

/// The cpus and NICs of one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The cpus that it may run on.
    pub cpus: CpuSet,
    /// Why it is not bound to its cpus, if it is not. Then it runs wherever the kernel schedules it.
    pub unbound: Option<Unbound>,
    /// The NICs that it uses.
    pub rails: Rails,
}

/// The placements of `pes` PEs.
///
/// A PE that is not bound gets every usable cpu. If `bind` is `None`, PEs are bound to cores if each has a core of its own, and are not
/// bound otherwise. There are three exceptions. A PE that has the machine to itself is not bound, since all its threads would be on one
/// core. PEs are not bound if a control group limits the job's time and not its cpus, since the neighbours that share the cpus may be bound
/// to the same first ones. And PEs are not bound if it is unknown on which cpus of the map they run. Whatever `bind` says, a job is never
/// bound if PEs outnumber the cpus they would share. The only error is `ppr` with more PEs than its count allows.
pub fn place(machine: &Machine, pes: u32, by: MapBy, bind: Option<BindTo>) -> Result<Vec<Placement>> {
    place_programs(machine, &[pes], Wishes { map_by: by, bind_to: bind, cpus_per_pe: 1 })
}

/// Like [`place`], for a job of several programs; `pes` is the number of PEs of each. The programs are placed one after the other, except
/// that `ppr` counts the PEs of each program separately. If a PE is to have several cpus, groups of neighbouring cores with that many cpus
/// take the place of single cores.
pub fn place_programs(machine: &Machine, pes: &[u32], wishes: Wishes) -> Result<Vec<Placement>> {
    let Wishes { map_by, bind_to, cpus_per_pe } = wishes;
    let (all, each) = (pes.iter().sum::<u32>() as usize, cpus_per_pe.max(1) as usize);
    let cores = places(machine);
    let wide = gather::gathered(&cores, each);
    // If no part of the machine has enough cpus for a PE, no PE is bound, and the places that they take do not matter.
    let places = if wide.is_empty() { &cores } else { &wide };
    let taken = match map_by {
        MapBy::Ppr { count, per } => counted(places, pes, count, per)?,
        other => turns(&places.iter().collect::<Vec<_>>(), other).take(all).collect(),
    };
    let room = wide.iter().map(|place| place.room).sum();
    let parts = match bind_to {
        None | Some(BindTo::Core) => places,
        Some(_) => &cores,
    };
    let unbound = match bind_to {
        Some(BindTo::Core) if room < all && each > 1 => Some(Unbound::Wide { pes: all, each, room }),
        None if room < all && each > 1 && all > 1 => Some(Unbound::Wide { pes: all, each, room }),
        _ => unbound(machine, parts, &taken, bind_to, each),
    };
    let level = if unbound.is_some() { BindTo::None } else { bind_to.unwrap_or(BindTo::Core) };
    let whole = if unbound.is_some() { &cores } else { parts };
    let widened: HashMap<usize, CpuSet> = group(whole, |place| part(place, level));
    let sets: Vec<CpuSet> = taken.iter().map(|place| widened[&part(place, level)].clone()).collect();
    let rails = rails(machine, &sets);
    Ok(iter::zip(sets, rails).map(|(cpus, rails)| Placement { cpus, unbound: unbound.clone(), rails }).collect())
}

/// The reason not to bind the PEs; `None` if they are to be bound.
fn unbound(
    machine: &Machine,
    places: &[CoreGroup],
    taken: &[&CoreGroup],
    bind: Option<BindTo>,
    each: usize,
) -> Option<Unbound> {
    let (pes, cores) = (taken.len(), cores_of(taken));
    match bind {
        Some(BindTo::None) => Some(Unbound::Wished),
        Some(part) => crowded(places, taken, part, each),
        None if pes < 2 => Some(Unbound::Alone),
        None if machine.astray => Some(Unbound::Astray),
        None if cores < pes => Some(Unbound::Cores { pes, cores }),
        None => machine.quota.map(|cpus| Unbound::Time { cpus }),
    }
}

/// The cores with a usable thread, in the map's order.
fn places(machine: &Machine) -> Vec<CoreGroup> {
    let mut places = Vec::new();
    let mut numas: HashMap<u32, usize> = HashMap::new();
    let mut core_index = 0;
    for (socket, package) in machine.packages.iter().enumerate() {
        for numa in &package.numas {
            let next = numas.len();
            let numa_index = *numas.entry(numa.id).or_insert(next);
            for core in &numa.cores {
                let cpus: CpuSet = core.usable(&machine.usable).collect();
                if !cpus.is_empty() {
                    let room = cpus.len();
                    places.push(CoreGroup { socket, numa: numa_index, core: core_index, cpus, room });
                }
                core_index += 1;
            }
        }
    }
    places
}

/// The cores in the order in which PEs take them, repeated without end. In each round, one more PE takes each core. A core is left out of
/// the rounds beyond the number of PEs that it has cpus for. Once all cpus are taken, the rounds start again.
fn turns<'a>(places: &[&'a CoreGroup], by: MapBy) -> impl Iterator<Item = &'a CoreGroup> {
    let rounds = places.iter().map(|place| place.room).max().unwrap_or(0);
    let round = |taken: usize| order(places.iter().copied().filter(move |place| place.room > taken), by);
    (0..rounds).flat_map(round).collect::<Vec<_>>().into_iter().cycle()
}

/// The order in which PEs take cores: as they come, or in turn over the parts of the machine. A part that has no
/// core left is passed over.
fn order<'a>(places: impl Iterator<Item = &'a CoreGroup>, by: MapBy) -> impl Iterator<Item = &'a CoreGroup> {
    let key = |place: &CoreGroup| match by {
        MapBy::Numa => place.numa,
        MapBy::Socket => place.socket,
        _ => 0,
    };
    let mut turns: HashMap<usize, usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize, &CoreGroup)> = places
        .map(|place| {
            let turn = turns.entry(key(place)).or_default();
            *turn += 1;
            (*turn, key(place), place)
        })
        .collect();
    ranked.sort_by_key(|&(turn, part, _)| (turn, part));
    ranked.into_iter().map(|(_, _, place)| place)
}

/// Number of parts of a kind that have a usable cpu.
pub fn usable_parts(machine: &Machine, of: Resource) -> usize {
    parts(&places(machine), of).len()
}

/// The cores of each part of a kind.
fn parts(places: &[CoreGroup], of: Resource) -> Vec<Vec<&CoreGroup>> {
    let key = |place: &CoreGroup| match of {
        Resource::Core => place.core,
        Resource::Numa => place.numa,
        Resource::Socket => place.socket,
        Resource::Node => 0,
    };
    let mut parts: BTreeMap<usize, Vec<&CoreGroup>> = BTreeMap::new();
    places.iter().for_each(|place| parts.entry(key(place)).or_default().push(place));
    parts.into_values().collect()
}

/// The places of `ppr`: `count` PEs of each program on each resource, one resource after the other. Within a resource, PEs take the cores
/// in order.
fn counted<'a>(places: &'a [CoreGroup], programs: &[u32], count: u32, per: Resource) -> Result<Vec<&'a CoreGroup>> {
    let resources = parts(places, per);
    let room = u64::from(count) * resources.len() as u64;
    if let Some(pes) = programs.iter().find(|&&pes| u64::from(pes) > room) {
        return Err(Error::new(format!(
            "ppr:{count}:{per} has room for {room} PEs on this host ({} usable at the level of {per}), but {pes} were \
             requested; request at most {room}, or raise the count",
            resources.len()
        )));
    }
    let mut cores: Vec<_> = resources.iter().map(|cores| turns(cores, MapBy::Slot)).collect();
    let at = programs.iter().flat_map(|&pes| (0..pes).map(|pe| (pe / count) as usize));
    Ok(at.filter_map(|resource| cores[resource].next()).collect())
}

/// Index of the part of the machine that a PE is bound to.
fn part(place: &CoreGroup, level: BindTo) -> usize {
    match level {
        BindTo::None => 0,
        BindTo::Core => place.core,
        BindTo::Numa => place.numa,
        BindTo::Socket => place.socket,
    }
}

/// The usable cpus of each part.
fn group(places: &[CoreGroup], part: impl Fn(&CoreGroup) -> usize) -> HashMap<usize, CpuSet> {
    let mut parts: HashMap<usize, CpuSet> = HashMap::new();
    for place in places {
        parts.entry(part(place)).or_default().extend(place.cpus.iter());
    }
    parts
}

/// Number of different cores that are taken.
fn cores_of(taken: &[&CoreGroup]) -> usize {
    taken.iter().map(|place| place.core).collect::<HashSet<_>>().len()
}

/// The first part that would be shared by more PEs than it has cpus for, if each PE needs `each` cpus.
fn crowded(places: &[CoreGroup], taken: &[&CoreGroup], level: BindTo, each: usize) -> Option<Unbound> {
    let mut pes: BTreeMap<usize, usize> = BTreeMap::new();
    for place in taken {
        *pes.entry(part(place, level)).or_default() += 1;
    }
    let room = group(places, |place| part(place, level));
    let (pes, cpus) =
        pes.iter().map(|(part, &count)| (count, room[part].len())).find(|(count, cpus)| count * each > *cpus)?;
    Some(Unbound::Crowded { pes, each, cpus, part: level })
}
