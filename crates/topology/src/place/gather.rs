//! Groups neighbouring cores for PEs that use more cpus than one core has, so that a PE's threads share caches and
//! memory.

use super::CoreGroup;

/// Groups of at least `each` cpus, in the topology's order: within NUMA nodes, if one has that many cpus; else within
/// packages; else anywhere. Cores left over at the end of a part are unused. There may be no group.
pub(super) fn gathered(cores: &[CoreGroup], each: usize) -> Vec<CoreGroup> {
    if each <= 1 {
        return cores.to_vec();
    }
    let within = |same: fn(&CoreGroup, &CoreGroup) -> bool| -> Vec<CoreGroup> {
        cores.chunk_by(same).flat_map(|part| gathered_of(part, each)).collect()
    };
    let tries: [fn(&CoreGroup, &CoreGroup) -> bool; 3] =
        [|a, b| (a.socket, a.numa) == (b.socket, b.numa), |a, b| a.socket == b.socket, |_, _| true];
    tries.into_iter().map(within).find(|places| !places.is_empty()).unwrap_or_default()
}

fn gathered_of(part: &[CoreGroup], each: usize) -> Vec<CoreGroup> {
    let mut places = Vec::new();
    let mut open: Option<CoreGroup> = None;
    for core in part {
        let place = match open.take() {
            None => core.clone(),
            Some(mut place) => {
                place.cpus.extend(core.cpus.iter());
                place
            }
        };
        if place.cpus.len() >= each {
            places.push(CoreGroup { room: place.cpus.len() / each, ..place });
        } else {
            open = Some(place);
        }
    }
    places
}
