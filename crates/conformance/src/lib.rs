//! The suite that every transport must pass. Each member of a small job runs it as one program.
//!
//! A transport's tests supply a function that makes a fabric for PE i of n. [`threads`] runs all rules with a thread for each PE. A test
//! that needs processes gives each of them a [`Meeting`], such as [`Pipes`], and calls [`run`]. A rule that a transport's
//! [`Caps`](ferrite_fabric::Caps) exclude is skipped, and the suite prints the reason.

mod completion;
mod dozing;
mod member;
mod pages;
mod pipes;
mod rules;
mod sharing;
mod unattended;

pub use dozing::woken_by_ones_own;
pub use member::{Meeting, Member};
pub use pages::Pages;
pub use pipes::Pipes;

use ferrite_fabric::{Fabric, Pe};
use ferrite_os::mutex;
use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
};

/// Function that makes the fabric of a PE, given the PE and the number of PEs.
pub type Make<'a> = &'a (dyn Fn(Pe, u32) -> Box<dyn Fabric> + Sync);

/// Run all rules as one of `size` members. Every member calls this, each with its own end of the same meeting.
pub fn run(me: Pe, size: u32, make: Make<'_>, meeting: &dyn Meeting) {
    for (name, rule) in rules::ALL {
        let member = Member::new(make(me, size), me, size, meeting);
        if let Err(why) = rule(&member)
            && me == Pe(0)
        {
            println!("skipped: {name}, {size} PEs, over {}: {why}", member.name());
        }
        // No member drops its fabric while another still works.
        member.meet();
    }
}

/// Run all rules, with a thread for each of `size` PEs.
pub fn threads(size: u32, make: Make<'_>) {
    among_threads(size, &|me, meeting| run(me, size, make, meeting));
}

/// Run `member` once for each of `size` PEs, each in a thread of its own.
pub fn among_threads(size: u32, member: &(dyn Fn(Pe, &dyn Meeting) + Sync)) {
    let table = Table::new(size);
    thread::scope(|scope| {
        for me in 0..size {
            let table = Arc::clone(&table);
            scope.spawn(move || {
                let place = Place { table, me: me as usize };
                member(Pe(me), &place);
            });
        }
    });
}

/// Meeting point of threads. In each round every thread makes one contribution.
struct Table {
    round: Mutex<Round>,
    turned: Condvar,
}

struct Round {
    number: u64,
    said: Vec<Option<Vec<u8>>>,
    last: Vec<Vec<u8>>,
    /// A thread panicked and will never come.
    broken: bool,
}

struct Place {
    table: Arc<Table>,
    me: usize,
}

impl Table {
    fn new(size: u32) -> Arc<Self> {
        let round = Round { number: 0, said: vec![None; size as usize], last: Vec::new(), broken: false };
        Arc::new(Table { round: Mutex::new(round), turned: Condvar::new() })
    }
}

impl Meeting for Place {
    fn exchange(&self, mine: Vec<u8>) -> Vec<Vec<u8>> {
        let mut round = mutex::lock(&self.table.round);
        let number = round.number;
        round.said[self.me] = Some(mine);
        if round.said.iter().all(Option::is_some) {
            round.last = round.said.iter_mut().filter_map(Option::take).collect();
            round.number += 1;
            self.table.turned.notify_all();
        }
        let over = self.table.turned.wait_while(round, |round| round.number == number && !round.broken);
        let over = over.unwrap_or_else(PoisonError::into_inner);
        assert!(over.number > number, "another member failed");
        over.last.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if thread::panicking() {
            mutex::lock(&self.table.round).broken = true;
            self.table.turned.notify_all();
        }
    }
}
