//! The rule about sleep in the provider, and a test that a member's own operations wake it.

use crate::{
    Member,
    rules::{control, heap, pattern},
};
use ferrite_fabric::{Amo, Doze, Op, Pe, Stage, Width};
use std::{cell::Cell, sync::atomic::Ordering, thread, time::Duration};

/// Shorter than the time after which a service thread takes a PE for absent. The service thread would take over, and a PE that it serves
/// is not woken.
const DOZE: Duration = Duration::from_micros(300);
/// Delay before the sleeper's peer posts: long enough for the sleeper to doze more than once.
const SILENCE: Duration = Duration::from_millis(2);
const ROUNDS: u64 = 100;
/// On a busy machine dozes end late, and the operation that should wake a sleeper comes after its doze. So the rounds are repeated until
/// every member was woken, at most this many times.
const PATIENCE: u64 = 50;

/// Number of dozes, by outcome.
#[derive(Default, Debug)]
struct Nights {
    refused: Cell<u64>,
    woken: Cell<u64>,
    through: Cell<u64>,
}

impl Nights {
    fn doze(&self, m: &Member<'_>) {
        let seen = match m.fabric().doze(DOZE) {
            Doze::Refused => &self.refused,
            Doze::Woken => &self.woken,
            Doze::Through => &self.through,
            Doze::Busy => return,
        };
        seen.set(seen.get() + 1);
    }

    /// Whether this member slept, and was either never woken or always woken.
    fn lack_one(&self) -> bool {
        (self.woken.get() == 0) != (self.through.get() == 0)
    }
}

/// Check that some dozes last to their limit and that peers end others. A descriptor that is always readable, or never, would not show
/// in the data that arrive.
pub(crate) fn dozing(m: &Member<'_>) -> Result<(), &'static str> {
    if m.size == 1 {
        return Err("nobody speaks to one alone");
    }
    // A NIC that writes to memory wakes no sleeper.
    if m.fabric().caps().nic_atomics {
        return Err("its NIC executes atomics");
    }
    let (nights, mut asked) = (Nights::default(), 0);
    for round in 0..ROUNDS * PATIENCE {
        m.meet();
        if round % ROUNDS == 0 && round > 0 && m.all(!nights.lack_one()) {
            break;
        }
        let sleeper = Pe((round % u64::from(m.size)) as u32);
        if m.me == sleeper {
            asked += 1;
            m.until(&*m.lane, "what is asked of one who dozes", || {
                nights.doze(m);
                m.control(6).load(Ordering::Acquire) == asked
            });
        } else if m.right() == sleeper {
            thread::sleep(SILENCE);
            m.wait(m.amo(control(sleeper, 6), Width::W64, Amo::Add, 1), Stage::Remote);
        }
    }
    m.meet();
    if nights.woken.get() + nights.through.get() == 0 {
        return Err("it cannot be waited for");
    }
    assert!(nights.through.get() > 0, "it never sleeps: {nights:?}");
    assert!(nights.woken.get() > 0, "nothing wakes it: {nights:?}");
    Ok(())
}

/// A member that waits for its own operations is woken by their completion. For the tests of providers that have a descriptor for this.
/// PE 0 of two fetches data while the other is not in the provider.
pub fn woken_by_ones_own(m: &Member<'_>) {
    const HELD: usize = 64;
    const LEN: usize = 4 << 20;
    let data = pattern(9, LEN);
    m.fill(HELD, &data);
    m.meet();
    if m.me == Pe(0) {
        let nights = Nights::default();
        for _ in 0..ROUNDS {
            let mut got = vec![0; LEN];
            let get = m.post(&Op::Get { from: heap(Pe(1), HELD), to: got.as_mut_ptr(), len: LEN });
            m.until(&*m.lane, "what one who dozes has asked for", || {
                nights.doze(m);
                m.lane.is_local(get)
            });
            assert!(got == data);
        }
        assert!(nights.woken.get() > 0, "nothing wakes it: {nights:?}");
    }
    m.meet();
}
