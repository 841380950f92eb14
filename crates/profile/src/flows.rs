//! Which put ended which wait.
//!
//! A wait ends because a word of its PE's memory has changed. The operation that changed it is taken to be the last one sent to that
//! word of that PE before the wait ended. This is the best guess that times alone allow, and it is right if the word has one writer.

use crate::{Record, record::Class};
use std::collections::HashMap;

/// One end of an arrow: an event of a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    /// Index of the record.
    pub record: usize,
    /// Index of the event in [`Record::events`].
    pub event: usize,
}

/// An arrow from an operation to the wait that it ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    /// The put, signal or atomic.
    pub from: End,
    /// The wait that ended.
    pub to: End,
}

/// All arrows, in the order of the waiting PEs' records. The times of all records must be by one clock.
pub fn flows(records: &[Record]) -> Vec<Flow> {
    let class = |record: &Record, routine: u32| record.routines.get(routine as usize).map(|one| one.class);
    let mut sent: HashMap<(u32, u64), Vec<(u64, End)>> = HashMap::new();
    for (record, of_pe) in records.iter().enumerate() {
        for (event, one) in of_pe.events.iter().enumerate() {
            if let (Some(peer), Some(word), Some(Class::Put | Class::Atomic)) =
                (one.peer, one.word, class(of_pe, one.routine))
            {
                sent.entry((peer, word)).or_default().push((one.begin, End { record, event }));
            }
        }
    }
    sent.values_mut().for_each(|of_word| of_word.sort_unstable());
    let mut flows = Vec::new();
    for (record, of_pe) in records.iter().enumerate() {
        for (event, one) in of_pe.events.iter().enumerate() {
            let Some(word) = one.word.filter(|_| class(of_pe, one.routine) == Some(Class::Wait)) else { continue };
            let Some(of_word) = sent.get(&(of_pe.pe, word)) else { continue };
            let before = of_word.partition_point(|&(begin, _)| begin <= one.end);
            if let Some(&(_, from)) = before.checked_sub(1).map(|last| &of_word[last]) {
                flows.push(Flow { from, to: End { record, event } });
            }
        }
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Routine};

    #[test]
    fn the_last_that_was_sent_before_ends_a_wait() {
        let routine = |class| Routine { name: "r".into(), class, calls: 1, ns: 1, ns_max: 1, bytes: 8 };
        let event = |begin, end, routine, peer, word| Event {
            begin,
            end,
            routine,
            thread: 0,
            peer,
            bytes: 8,
            word: Some(word),
            meeting: None,
            site: 0,
        };
        let routines = vec![routine(Class::Put), routine(Class::Wait)];
        let puts = [
            event(1, 2, 0, Some(1), 64),
            event(8, 9, 0, Some(1), 64),
            event(30, 31, 0, Some(1), 64),
            event(3, 4, 0, Some(1), 72),
        ];
        let waits = [event(0, 10, 1, None, 64), event(11, 12, 1, None, 80)];
        let records = [
            Record { pe: 0, routines: routines.clone(), events: puts.to_vec(), ..Record::default() },
            Record { pe: 1, routines, events: waits.to_vec(), ..Record::default() },
        ];
        let flow = Flow { from: End { record: 0, event: 1 }, to: End { record: 1, event: 0 } };
        assert_eq!(flows(&records), [flow]);
    }
}
