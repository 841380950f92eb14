use super::*;
use core::cell::RefCell;

const HEAP: SegmentId = SegmentId::HEAP;
const ME: Stream = Stream { pe: 0, number: 1 };

/// PE 1's memory, and a network in which it is registered.
struct Target {
    words: Box<[u64; 16]>,
    network: Network,
}

impl Target {
    fn new() -> Target {
        let mut words = Box::new([0; 16]);
        let mut network = Network::default();
        network.register(1, Segment { id: HEAP, base: words.as_mut_ptr().cast(), len: size_of_val(&*words) });
        Target { words, network }
    }

    fn word(&self, at: usize) -> u64 {
        let word = core::ptr::from_ref(&self.words[at]);
        // SAFETY: the network writes there with atomics, in this thread.
        unsafe { word.read_volatile() }
    }

    fn issue(&mut self, op: &Op, choices: &mut Choices) -> Ticket {
        // SAFETY: sources are copied, and destinations outlive the network.
        unsafe { self.network.issue(ME, op, Some(choices)) }
    }

    /// Deliver all operations, in some order; `each` is called after every step.
    fn settle(&mut self, choices: &mut Choices, mut each: impl FnMut(&Target)) {
        loop {
            self.network.step();
            let due = self.network.deliver_due();
            each(self);
            if due == 0 && !self.network.deliver_any(choices) {
                return;
            }
            each(self);
        }
    }
}

fn at(word: u64) -> Remote {
    Remote { pe: ferrite_fabric::Pe(1), segment: HEAP, offset: word * 8 }
}

fn put(word: u64, from: &[u64]) -> Op {
    Op::Put { to: at(word), from: from.as_ptr().cast(), len: size_of_val(from) }
}

fn add(word: u64, operand: u64, fetch: *mut u64) -> Op {
    Op::Amo { at: at(word), width: Width::W64, op: Amo::Add, operand, compare: 0, fetch: fetch.cast() }
}

/// Number of seeds with which a flag is seen before its data.
fn flags_before_data(issue: impl Fn(&mut Target, &mut Choices)) -> usize {
    let early = |seed| {
        let (mut target, mut choices) = (Target::new(), Choices::new(seed, None));
        issue(&mut target, &mut choices);
        let early = RefCell::new(false);
        target.settle(&mut choices, |target| {
            *early.borrow_mut() |= target.word(15) == 1 && (0..8).any(|word| target.word(word) != 7);
        });
        assert_eq!((target.word(0), target.word(7), target.word(15)), (7, 7, 1), "all comes in the end");
        early.into_inner()
    };
    (0..300).filter(|&seed| early(seed)).count()
}

#[test]
fn what_is_ordered_comes_in_order_and_what_is_not_may_not() {
    let data = |target: &mut Target, choices: &mut Choices| _ = target.issue(&put(0, &[7; 8]), choices);
    let flag = |target: &mut Target, choices: &mut Choices| _ = target.issue(&put(15, &[1]), choices);
    let fenced = flags_before_data(|target, choices| {
        data(target, choices);
        target.network.fence(ME);
        flag(target, choices);
    });
    assert_eq!(fenced, 0);
    let with_signal = flags_before_data(|target, choices| {
        let (from, signal) = ([7_u64; 8], at(15));
        let op = ferrite_fabric::SignalOp::Set;
        let op = Op::PutSignal { to: at(0), from: from.as_ptr().cast(), len: 64, signal, op, value: 1 };
        target.issue(&op, choices);
    });
    assert_eq!(with_signal, 0);
    let unordered = flags_before_data(|target, choices| {
        data(target, choices);
        flag(target, choices);
    });
    assert!(unordered > 100, "{unordered}");
    let other_stream = flags_before_data(|target, choices| {
        data(target, choices);
        target.network.fence(Stream { pe: 0, number: 2 });
        flag(target, choices);
    });
    assert_eq!(other_stream, unordered, "a fence is of its own stream");
}

#[test]
fn operations_are_complete_when_they_have_arrived() {
    for seed in 0..100 {
        let (mut target, mut choices) = (Target::new(), Choices::new(seed, None));
        let mut old = [u64::MAX; 5];
        let tickets: Vec<Ticket> = (0..10)
            .map(|i| match i % 2 {
                0 => target.issue(&put(i, &[i + 1]), &mut choices),
                _ => target.issue(&add(i, i, &raw mut old[i as usize / 2]), &mut choices),
            })
            .collect();
        target.settle(&mut choices, |target| {
            let complete = target.network.complete_up_to(ME, false);
            for (i, _) in tickets.iter().enumerate().filter(|&(_, &ticket)| ticket <= complete) {
                assert_eq!(target.word(i), if i % 2 == 0 { i as u64 + 1 } else { i as u64 }, "seed {seed}");
            }
            assert!(target.network.complete_up_to(ME, true) >= complete);
        });
        assert!(target.network.is_quiet_at(ME, 1) && tickets.iter().all(|&ticket| target.network.is_local(ME, ticket)));
        assert_eq!(old, [0; 5]);
    }
}

#[test]
fn who_has_gone_gets_nothing_and_what_it_sent_arrives() {
    let (mut target, mut choices) = (Target::new(), Choices::new(4, None));
    let mut mine = 5_u64;
    target.issue(&Op::Get { from: at(0), to: (&raw mut mine).cast(), len: 8 }, &mut choices);
    target.issue(&put(3, &[9]), &mut choices);
    target.network.take_out(0);
    target.settle(&mut choices, |_| ());
    assert_eq!((mine, target.word(3)), (5, 9));
    target.issue(&put(3, &[1]), &mut choices);
    target.network.take_out(1);
    target.settle(&mut choices, |_| ());
    assert_eq!(target.word(3), 9, "the memory may be gone");
}
