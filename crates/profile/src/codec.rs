//! Records as bytes. Numbers are written in groups of seven bits, the lowest first; texts are preceded by their length. Both sides are
//! the same version of the library, so the format carries no version number. Bytes that cannot be read are refused, not guessed.

use crate::record::{Class, Event, HeapUse, Meeting, Peer, Record, Routine, SIZE_BINS, Team};

/// Encode a record as bytes.
pub fn encode(record: &Record) -> Vec<u8> {
    let mut w = Writer(Vec::new());
    for number in [record.pe.into(), record.pes.into(), record.node.into(), record.begin, record.end, record.closed] {
        w.number(number);
    }
    w.text(&record.host);
    w.number(record.shared_cpus.into());
    w.text(&record.program);
    w.all(&record.routines, |w, one| {
        w.text(&one.name);
        w.numbers(&[one.class as u64, one.calls, one.ns, one.ns_max, one.bytes]);
    });
    w.all(&record.peers, |w, one| {
        w.numbers(&[one.pe.into(), one.transport.into()]);
        w.numbers(&one.ops);
        w.numbers(&one.bytes);
    });
    w.all(&record.transports, |w, name| w.text(name));
    w.all(&record.sizes, |w, bins| w.numbers(bins));
    w.all(&record.heap, |w, one| w.numbers(&[one.at, one.live, one.extent]));
    w.number(record.stride);
    w.all(&record.meetings, |w, one| {
        w.team(&one.team);
        w.numbers(&[one.number, one.routine.into(), one.bytes, one.begin, one.end.wrapping_sub(one.begin)]);
        w.number(one.site.into());
    });
    w.all(&record.sites, |w, site| w.text(site));
    w.all(&record.syncs, |w, &(begin, end)| w.numbers(&[begin, end]));
    let mut last = 0;
    w.all(&record.events, |w, one| {
        w.signed(one.begin.wrapping_sub(last) as i64);
        last = one.begin;
        w.numbers(&[one.end.wrapping_sub(one.begin), one.routine.into(), one.thread.into(), one.bytes]);
        w.number(one.peer.map_or(0, |pe| u64::from(pe) + 1));
        w.option(one.word, |w, word| w.number(word));
        w.option(one.meeting, |w, (team, number)| {
            w.team(&team);
            w.number(number);
        });
        w.number(one.site.into());
    });
    w.number(record.events_lost);
    w.0
}

/// Decode a record. `None` if the bytes are not exactly one record.
pub fn decode(bytes: &[u8]) -> Option<Record> {
    let r = &mut Reader(bytes);
    let mut record = Record { pe: r.small()?, pes: r.small()?, node: r.small()?, ..Record::default() };
    [record.begin, record.end, record.closed] = r.numbers()?;
    record.host = r.text()?;
    record.shared_cpus = r.small()?;
    record.program = r.text()?;
    record.routines = r.all(|r| {
        let name = r.text()?;
        let [class, calls, ns, ns_max, bytes] = r.numbers()?;
        Some(Routine { name, class: Class::of(u8::try_from(class).ok()?)?, calls, ns, ns_max, bytes })
    })?;
    record.peers = r.all(|r| {
        let (pe, transport) = (r.small()?, u8::try_from(r.number()?).ok()?);
        Some(Peer { pe, transport, ops: r.numbers()?, bytes: r.numbers()? })
    })?;
    record.transports = r.all(Reader::text)?;
    record.sizes = r.all(Reader::numbers::<SIZE_BINS>)?;
    record.heap = r.all(|r| r.numbers().map(|[at, live, extent]| HeapUse { at, live, extent }))?;
    record.stride = r.number()?;
    record.meetings = r.all(|r| {
        let (team, number, routine, bytes) = (r.team()?, r.number()?, r.small()?, r.number()?);
        let [begin, length] = r.numbers()?;
        Some(Meeting { team, number, routine, bytes, begin, end: begin.wrapping_add(length), site: r.small()? })
    })?;
    record.sites = r.all(Reader::text)?;
    record.syncs = r.all(|r| r.numbers().map(|[begin, end]| (begin, end)))?;
    let mut last = 0_u64;
    record.events = r.all(|r| {
        last = last.wrapping_add(r.signed()? as u64);
        let (length, routine, thread, bytes) = (r.number()?, r.small()?, r.small()?, r.number()?);
        let peer = match r.number()? {
            0 => None,
            pe => Some(u32::try_from(pe - 1).ok()?),
        };
        let word = r.option(Reader::number)?;
        let meeting = r.option(|r| Some((r.team()?, r.number()?)))?;
        let (begin, end) = (last, last.wrapping_add(length));
        Some(Event { begin, end, routine, thread, peer, bytes, word, meeting, site: r.small()? })
    })?;
    record.events_lost = r.number()?;
    r.0.is_empty().then_some(record)
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Zigzag encoding: numbers near zero are short, whatever their sign.
    fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|&number| self.number(number));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn team(&mut self, team: &Team) {
        self.numbers(&[team.slot.into(), team.born, team.first.into(), team.size.into()]);
    }

    fn all<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Writer, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| each(self, item));
    }

    fn option<T>(&mut self, item: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.number(item.is_some().into());
        if let Some(item) = item {
            write(self, item);
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        self.number().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn text(&mut self) -> Option<String> {
        let len = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn team(&mut self) -> Option<Team> {
        Some(Team { slot: self.small()?, born: self.number()?, first: self.small()?, size: self.small()? })
    }

    fn all<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = usize::try_from(self.number()?).ok()?;
        // Each item takes at least one byte, so there cannot be more items than bytes left: reserve no more.
        let mut items = Vec::with_capacity(len.min(self.0.len()));
        for _ in 0..len {
            items.push(each(self)?);
        }
        Some(items)
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Record {
        let team = Team { slot: 3, born: 70_000, first: 2, size: 4 };
        let routine =
            Routine { name: "shmem_putmem".into(), class: Class::Put, calls: 9, ns: u64::MAX, ns_max: 1, bytes: 300 };
        let event = Event {
            begin: 1 << 40,
            end: (1 << 40) + 7,
            routine: 0,
            thread: 2,
            peer: Some(0),
            bytes: 8,
            word: Some(u64::MAX),
            meeting: Some((team, 5)),
            site: 1,
        };
        Record {
            pe: 1,
            pes: 8,
            node: 1,
            host: "nöde".into(),
            shared_cpus: 3,
            program: "./heat 7".into(),
            begin: 5,
            end: u64::MAX,
            closed: 128,
            routines: vec![routine],
            peers: vec![Peer { pe: 7, ops: [1, 2, 3], bytes: [4, 5, 6], transport: 1 }],
            transports: vec!["shared memory".into(), "tcp".into()],
            sizes: vec![[3; SIZE_BINS]; 9],
            heap: vec![HeapUse { at: 9, live: 10, extent: 11 }],
            meetings: vec![Meeting { team, number: 5, routine: 0, bytes: 8, begin: 20, end: 30, site: 0 }],
            stride: 2,
            sites: vec!["heat.c:7".into()],
            syncs: vec![(1, 2)],
            events: vec![event, Event { begin: 3, end: 4, peer: None, word: None, meeting: None, ..event }],
            events_lost: 12,
        }
    }

    #[test]
    fn records_come_back() {
        for record in [Record::default(), full()] {
            assert_eq!(decode(&encode(&record)), Some(record));
        }
    }

    #[test]
    fn pieces_are_refused() {
        let bytes = encode(&full());
        for len in 0..bytes.len() {
            assert_eq!(decode(&bytes[..len]), None, "{len} bytes");
        }
        assert_eq!(decode(&[&bytes[..], &[0]].concat()), None);
    }
}
