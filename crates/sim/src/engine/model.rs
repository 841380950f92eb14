//! A model of the values that memory may show and that operations may fetch.
//!
//! Each byte of data has one writer, a lane, and a put stores its own number, so the value of a byte tells which put it comes from. So
//! everything follows from two relations between operations of one lane to one PE:
//!
//! - an operation is **after** the operations that a fence separates it from, and those that were visible when it was posted;
//! - an operation is **visible** once the engine reports it complete, or its signal, its bit or its result is seen. Operations that it is
//!   after are then visible too, and they also are as soon as a single byte of it is seen.
//!
//! A byte may show any put that was posted, except those that a visible put is after. Operations are numbered in the order in which they
//! are posted, so one number for each byte suffices, its *bound*: only greater numbers may be shown. A value that was replaced never comes
//! back.
//!
//! Words that all lanes update show which operations have updated them: an update of *bits* raises a bit of its own, a *swap* leaves a
//! value of its own.

mod layout;

use layout::BITS_EACH;
pub use layout::{BIT_WORDS, DATA_BYTES, Layout, NOBODY, NUMBER_MAX, SWAP_WORDS};

use super::program::Action;
use ferrite_engine::{Amo, Width};
use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// An operation's number in its lane, from 1 on.
type Number = usize;

/// An operation's lane, and its number there.
type Name = (usize, Number);

#[derive(Clone, Debug, Hash)]
struct Operation {
    target: usize,
    /// It is after all operations of its lane to its target up to this number.
    after: Number,
    visible: bool,
    /// The bytes that it puts: places in its lane's data. The word that the lane sets counts as one more place at the end.
    puts: Range<usize>,
    sets: bool,
    /// The bit that it raises: the word, and the bit's place there.
    raises: Option<(usize, usize)>,
    fetches: Fetches,
}

impl Operation {
    fn stores(&self, place: usize) -> bool {
        self.puts.contains(&place) || self.sets && place == DATA_BYTES
    }

    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        self.puts.clone().chain(self.sets.then_some(DATA_BYTES))
    }
}

/// The values that an operation may fetch.
#[derive(Clone, Debug, Hash)]
enum Fetches {
    Nothing,
    /// Bytes of this lane's data from this place on, with their bounds.
    Bytes(usize, usize, Vec<Bound>),
    /// This word of bits, without the operation's own bit (second), and with at least the bits in the third field.
    Bits(usize, u64, u64),
    /// This word that is swapped, the value that replaces it, and the expected value of a compare-and-swap.
    Swapped(usize, u64, Option<u64>),
}

/// Puts up to this number may not be shown, nor the contents before any put; `None` if any value may be shown.
type Bound = Option<Number>;

/// A byte of data, or a word that a lane sets.
#[derive(Clone, Debug, Default, Hash)]
struct Cell {
    bound: Bound,
    shows: Number,
    gone: Vec<Number>,
}

#[derive(Clone, Debug, Default, Hash)]
struct Bits {
    shows: u64,
    /// The operation that raises each bit.
    raised_by: Vec<Name>,
    /// Fetches so far: the fetching operation's bit, and the value that it found.
    found: Vec<(u64, u64)>,
}

#[derive(Clone, Debug, Default, Hash)]
struct Swapped {
    shows: u64,
    gone: Vec<u64>,
    /// The operation that leaves each value, from 1 on.
    left_by: Vec<Name>,
    /// Swaps that have happened: the new value, and the one that it replaced.
    happened: Vec<(u64, u64)>,
}

#[derive(Clone, Debug, Hash)]
struct Lane {
    operations: Vec<Operation>,
    /// The last operation before the last fence.
    fenced: Number,
}

#[derive(Clone, Debug, Hash)]
struct Owner {
    /// The contents of its memory at the last look.
    image: Vec<u64>,
    /// Cells, by lane and place.
    cells: Vec<Vec<Cell>>,
    bits: Vec<Bits>,
    swapped: Vec<Swapped>,
}

/// The model of a run: the operations posted, and what each PE's memory has shown.
#[derive(Clone, Debug, Hash)]
pub struct Model {
    lanes: Vec<Lane>,
    owners: Vec<Owner>,
    /// Something became visible since the last check.
    has_news: bool,
}

/// The values with which to post an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Its number, which is also the value that it puts.
    pub number: Number,
    /// The operand of an atomic, or the value of a signal.
    pub operand: u64,
    /// The expected value of a compare-and-swap.
    pub compare: u64,
}

impl Model {
    /// A model of `pes` PEs with `lanes` lanes in all, before anything was posted.
    pub fn new(pes: usize, lanes: usize) -> Model {
        let owner = Owner {
            image: vec![0; Layout { lanes }.bytes() / 8],
            cells: vec![vec![Cell::default(); DATA_BYTES + 1]; lanes],
            bits: vec![Bits::default(); BIT_WORDS],
            swapped: vec![Swapped::default(); SWAP_WORDS],
        };
        let lane = Lane { operations: Vec::new(), fenced: 0 };
        Model { lanes: vec![lane; lanes], owners: vec![owner; pes], has_news: false }
    }

    fn operation(&self, (lane, number): Name) -> Option<&Operation> {
        self.lanes[lane].operations.get(number.checked_sub(1)?)
    }

    /// A lane is about to post an operation. `None` if its word has no bit left.
    pub fn begin(&mut self, lane: usize, action: &Action) -> Option<Plan> {
        let target = action.target()?;
        let number = self.lanes[lane].operations.len() + 1;
        let after = self.lanes[lane].fenced.max(self.settled(lane, target));
        let mut operation = Operation {
            target,
            after,
            visible: false,
            puts: 0..0,
            sets: false,
            raises: None,
            fetches: Fetches::Nothing,
        };
        let mut plan = Plan { number, operand: number as u64, compare: 0 };
        match *action {
            Action::Put { at, len, .. } => operation.puts = at..at + len,
            Action::PutSignal { at, len, bit, .. } => {
                operation.puts = at..at + len;
                match bit {
                    None => operation.sets = true,
                    Some(word) => plan.operand = self.raise(&mut operation, (lane, number), word)?,
                }
            }
            Action::Set { .. } => operation.sets = true,
            Action::Bit { word, op, fetch, .. } => {
                plan.operand = match op {
                    Amo::Add | Amo::Or | Amo::Xor => self.raise(&mut operation, (lane, number), word)?,
                    _ => u64::MAX,
                };
                let own = operation.raises.map_or(0, |_| plan.operand);
                let least = self.owners[target].bits[word].shows | self.bits_before(lane, target, word, after);
                if fetch {
                    operation.fetches = Fetches::Bits(word, own, least);
                }
            }
            Action::Swap { word, compare, .. } => {
                let swapped = &mut self.owners[target].swapped[word];
                swapped.left_by.push((lane, number));
                plan.operand = swapped.left_by.len() as u64;
                plan.compare = swapped.shows;
                operation.fetches = Fetches::Swapped(word, plan.operand, compare.then_some(plan.compare));
            }
            Action::Get { of, at, len, .. } => {
                let bounds = (at..at + len).map(|place| self.bound_of_get(lane, target, of, place, after));
                operation.fetches = Fetches::Bytes(of, at, bounds.collect());
                // It stores nothing, so operations after it need not wait until it is visible.
                operation.visible = true;
            }
            _ => return None,
        }
        self.lanes[lane].operations.push(operation);
        Some(plan)
    }

    /// Undo `begin`: the operation was refused, so it has no effect.
    pub fn retract(&mut self, lane: usize) {
        let Some(Operation { target, raises, fetches, .. }) = self.lanes[lane].operations.pop() else { return };
        let owner = &mut self.owners[target];
        if let Some((word, _)) = raises {
            owner.bits[word].raised_by.pop();
        }
        if let Fetches::Swapped(word, ..) = fetches {
            owner.swapped[word].left_by.pop();
        }
    }

    fn raise(&mut self, operation: &mut Operation, name: Name, word: usize) -> Option<u64> {
        let raised_by = &mut self.owners[operation.target].bits[word].raised_by;
        let place = BITS_EACH * raised_by.len();
        let width = Layout { lanes: 0 }.bits(word).1;
        if place >= 8 * width.bytes() {
            return None;
        }
        operation.raises = Some((word, raised_by.len()));
        raised_by.push(name);
        Some(1 << place)
    }

    /// The last of a lane's operations to a PE before the first that may be invisible.
    fn settled(&self, lane: usize, target: usize) -> Number {
        let operations = &self.lanes[lane].operations;
        let first = operations.iter().position(|operation| operation.target == target && !operation.visible);
        first.unwrap_or(operations.len())
    }

    /// The bits of a word that a lane has raised up to a number.
    fn bits_before(&self, lane: usize, target: usize, word: usize, upto: Number) -> u64 {
        let raised_by = self.owners[target].bits[word].raised_by.iter().enumerate();
        let before = raised_by.filter(|(_, name)| name.0 == lane && name.1 <= upto);
        before.map(|(place, _)| 1 << (BITS_EACH * place)).sum()
    }

    /// The bound of a byte for a get: the get is after visible puts, and after earlier puts of its own lane.
    fn bound_of_get(&self, lane: usize, target: usize, of: usize, place: usize, after: Number) -> Bound {
        let own =
            if of == lane { &self.lanes[lane].operations[..after.min(self.lanes[lane].operations.len())] } else { &[] };
        let own = own.iter().filter(|put| put.target == target && put.stores(place)).map(|put| Some(put.after)).max();
        own.flatten().max(self.owners[target].cells[of][place].bound)
    }

    /// Record a fence of a lane.
    pub fn fence(&mut self, lane: usize) {
        self.lanes[lane].fenced = self.lanes[lane].operations.len();
    }

    /// The engine has reported that an operation is complete at its target.
    pub fn complete(&mut self, lane: usize, number: Number) {
        self.make_visible((lane, number));
    }

    fn make_visible(&mut self, (lane, number): Name) {
        let Operation { target, after, visible, .. } = self.lanes[lane].operations[number - 1];
        if visible {
            return;
        }
        self.has_news = true;
        let operation = &mut self.lanes[lane].operations[number - 1];
        operation.visible = true;
        for place in operation.places() {
            let bound = &mut self.owners[target].cells[lane][place].bound;
            *bound = (*bound).max(Some(after));
        }
        self.make_visible_upto(lane, target, after);
    }

    /// Make the operations of `lane` to `target` up to `upto` visible: an operation that has taken effect is after them.
    fn make_visible_upto(&mut self, lane: usize, target: usize, upto: Number) {
        for number in 1..=upto {
            if self.lanes[lane].operations[number - 1].target == target {
                self.make_visible((lane, number));
            }
        }
    }

    /// Update the model from a PE's memory.
    pub fn look(&mut self, owner: usize, memory: &[AtomicU64]) -> Result<(), String> {
        let image = &mut self.owners[owner].image;
        if image.iter().zip(memory).all(|(seen, word)| *seen == word.load(Relaxed)) {
            return Ok(());
        }
        *image = memory.iter().map(|word| word.load(Relaxed)).collect();
        let memory: Vec<u8> = image.iter().flat_map(|word| word.to_le_bytes()).collect();
        let memory = memory.as_slice();
        let layout = Layout { lanes: self.lanes.len() };
        for lane in 0..layout.lanes {
            let data = &memory[layout.data(lane)..][..DATA_BYTES];
            for (place, shown) in data.iter().enumerate() {
                self.see(owner, lane, place, usize::from(*shown))?;
            }
            self.see(owner, lane, DATA_BYTES, word(memory, layout.own_word(lane), Width::W64) as usize)?;
        }
        for number in 0..BIT_WORDS {
            let (at, width) = layout.bits(number);
            self.see_bits(owner, number, word(memory, at, width))?;
        }
        for number in 0..SWAP_WORDS {
            let (at, width) = layout.swap(number);
            self.see_swapped(owner, number, word(memory, at, width))?;
        }
        Ok(())
    }

    /// The operation that stored this number there; an error if none can have.
    fn writer(&self, owner: usize, lane: usize, place: usize, number: Number) -> Result<&Operation, String> {
        let writer = self.operation((lane, number));
        writer.filter(|writer| writer.target == owner && writer.stores(place)).ok_or_else(|| {
            format!("byte {place} of lane {lane} at PE {owner} shows {number}, which no operation of that lane has put there")
        })
    }

    fn see(&mut self, owner: usize, lane: usize, place: usize, number: Number) -> Result<(), String> {
        if self.owners[owner].cells[lane][place].shows == number {
            return Ok(());
        }
        let after = self.writer(owner, lane, place, number)?.after;
        let cell = &mut self.owners[owner].cells[lane][place];
        if cell.gone.contains(&number) {
            return Err(format!("byte {place} of lane {lane} at PE {owner} shows {number} again"));
        }
        cell.gone.push(cell.shows);
        cell.shows = number;
        cell.bound = cell.bound.max(Some(after));
        self.has_news = true;
        if place == DATA_BYTES {
            self.make_visible((lane, number));
        }
        self.make_visible_upto(lane, owner, after);
        Ok(())
    }

    fn see_bits(&mut self, owner: usize, number: usize, shown: u64) -> Result<(), String> {
        let bits = &mut self.owners[owner].bits[number];
        let new = shown ^ bits.shows;
        if new == 0 {
            return Ok(());
        }
        let known = (0..bits.raised_by.len()).fold(0, |known, place| known | 1 << (BITS_EACH * place));
        if shown & !known != 0 || bits.shows & !shown != 0 {
            return Err(format!("bits {number} at PE {owner} show {shown:#x} after {:#x} of {known:#x}", bits.shows));
        }
        bits.shows = shown;
        self.has_news = true;
        for place in
            (0..self.owners[owner].bits[number].raised_by.len()).filter(|place| new >> (BITS_EACH * place) & 1 == 1)
        {
            self.make_visible(self.owners[owner].bits[number].raised_by[place]);
        }
        Ok(())
    }

    fn see_swapped(&mut self, owner: usize, number: usize, shown: u64) -> Result<(), String> {
        let swapped = &mut self.owners[owner].swapped[number];
        if shown == swapped.shows {
            return Ok(());
        }
        let left_by = (shown as usize).checked_sub(1).and_then(|index| swapped.left_by.get(index)).copied();
        let Some(left_by) = left_by.filter(|_| !swapped.gone.contains(&shown)) else {
            return Err(format!("swapped word {number} at PE {owner} shows {shown} after {}", swapped.shows));
        };
        swapped.gone.push(swapped.shows);
        swapped.shows = shown;
        self.make_visible(left_by);
        Ok(())
    }

    /// Check that the values seen agree with the completions reported. Call this after looking at all PEs.
    pub fn check(&mut self) -> Result<(), String> {
        if !std::mem::take(&mut self.has_news) {
            return Ok(());
        }
        for (pe, owner) in self.owners.iter().enumerate() {
            for (lane, cells) in owner.cells.iter().enumerate() {
                if let Some(place) = cells.iter().position(|cell| !may_show(cell.bound, cell.shows)) {
                    let Cell { bound, shows, .. } = &cells[place];
                    return Err(format!(
                        "byte {place} of lane {lane} at PE {pe} shows {shows}, though only what is later than {bound:?} may be seen"
                    ));
                }
            }
            for (number, bits) in owner.bits.iter().enumerate() {
                for (place, &name) in bits.raised_by.iter().enumerate() {
                    let is_visible = self.operation(name).is_some_and(|operation| operation.visible);
                    if is_visible && bits.shows >> (BITS_EACH * place) & 1 == 0 {
                        return Err(format!("bits {number} at PE {pe} lack that of {name:?}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The engine has reported that an operation has left this PE's memory: check `result`, the value that it fetched.
    pub fn fetched(&mut self, lane: usize, number: Number, result: &[u8]) -> Result<(), String> {
        let Operation { target, after, fetches, .. } = self.lanes[lane].operations[number - 1].clone();
        let context = |what: String| format!("operation {number} of lane {lane} to PE {target}: {what}");
        match fetches {
            Fetches::Nothing => return Ok(()),
            Fetches::Bytes(of, at, bounds) => {
                for (index, (&shown, bound)) in result.iter().zip(bounds).enumerate() {
                    let (place, shown) = (at + index, usize::from(shown));
                    if !may_show(bound, shown) {
                        return Err(context(format!("fetched {shown} of byte {place}, not later than {bound:?}")));
                    }
                    if shown > 0 {
                        let after = self.writer(target, of, place, shown).map_err(context)?.after;
                        self.make_visible_upto(of, target, after);
                    }
                }
                self.make_visible_upto(lane, target, after);
            }
            Fetches::Bits(index, own, least) => {
                let bits = &mut self.owners[target].bits[index];
                let (found, shows) = (word(result, 0, Layout { lanes: 0 }.bits(index).1), bits.shows);
                let is_chain = bits.found.iter().all(|(other, before)| {
                    // One of the two came first; the other found every bit that the first had found, and the first's own bit.
                    (before | other) & !found == 0 && before & own == 0
                        || (found | own) & !before == 0 && found & other == 0
                });
                if least & !found != 0 || found & (own | !shows) != 0 || own & !shows != 0 || !is_chain {
                    return Err(context(format!(
                        "found {found:#x} where {least:#x} was and {shows:#x} is; others found {:x?}",
                        bits.found
                    )));
                }
                bits.found.push((own, found));
                self.make_visible((lane, number));
            }
            Fetches::Swapped(index, left, expected) => {
                let swapped = &mut self.owners[target].swapped[index];
                let found = word(result, 0, Layout { lanes: 0 }.swap(index).1);
                if found as usize > swapped.left_by.len() || found == left {
                    return Err(context(format!("found {found}, which nobody has left")));
                }
                if expected.is_none_or(|expected| expected == found) {
                    if swapped.happened.iter().any(|(_, replaced)| *replaced == found) {
                        return Err(context(format!("replaced {found}, which another has replaced")));
                    }
                    swapped.happened.push((left, found));
                }
                self.make_visible((lane, number));
            }
        }
        Ok(())
    }

    /// Everything is complete: check that each swap replaced the value of another, in an order that fences allow.
    pub fn end(&self) -> Result<(), String> {
        for (pe, owner) in self.owners.iter().enumerate() {
            for (index, swapped) in owner.swapped.iter().enumerate() {
                let mut order = vec![0];
                while let Some((left, _)) = swapped.happened.iter().find(|(_, found)| Some(found) == order.last()) {
                    order.push(*left);
                }
                let names: Vec<Name> = order[1..].iter().map(|left| swapped.left_by[*left as usize - 1]).collect();
                let precedes = |one: Name, other: Name| {
                    one.0 == other.0 && self.operation(other).is_some_and(|other| one.1 <= other.after)
                };
                let is_ordered =
                    (0..names.len()).all(|at| !names[at..].iter().any(|later| precedes(*later, names[at])));
                if order.len() != swapped.happened.len() + 1 || order.last() != Some(&swapped.shows) || !is_ordered {
                    return Err(format!(
                        "swapped word {index} at PE {pe} shows {} after swaps in this order: {names:?} of {}",
                        swapped.shows,
                        swapped.happened.len()
                    ));
                }
            }
        }
        Ok(())
    }
}

fn may_show(bound: Bound, shown: Number) -> bool {
    bound.is_none_or(|bound| shown > bound)
}

fn word(memory: &[u8], at: usize, width: Width) -> u64 {
    let mut word = [0; 8];
    word[..width.bytes()].copy_from_slice(&memory[at..][..width.bytes()]);
    u64::from_le_bytes(word)
}
