//! Many threads in each PE do everything at once. Calls that a program may make from several threads must not race inside the library.
//! `ci/threads` runs this test under the thread sanitizer as well.
//!
//! The PEs are threads too, and each has a mapping of its own. The sanitizer identifies memory by its address, so it sees races between
//! threads of one PE, but not races between PEs. Therefore a thread shares plain data only with the thread of the same index on other PEs,
//! and everything else through atomics.

mod local;

use ferrite_abi::constants::{
    SHMEM_CMP_EQ, SHMEM_CMP_GE, SHMEM_CTX_PRIVATE, SHMEM_CTX_SESSION_BATCH, SHMEM_SIGNAL_ADD,
};
use ferrite_runtime::{Ctx, Site, Team, World};
use local::{world_of, worlds_of};
use std::{
    ffi::{c_int, c_long},
    ptr,
    sync::Barrier,
    thread,
};

static SITE: Site = Site::of_c("threads");
const DEFAULT: Ctx = Ctx::DEFAULT;
const THREADS: usize = 8;
const ROUNDS: i64 = 30;
const LEN: usize = 40;

/// Symmetric words of one thread index, used only by threads of this index.
struct Own {
    area: *mut i64,
    signal: *mut u64,
    taken: *mut u64,
    set: *mut i64,
    source: *mut i64,
    dest: *mut i64,
    team: Team,
}

/// Symmetric words that all threads use.
struct Common {
    lock: *mut c_long,
    guarded: *mut i64,
    total: *mut i64,
    shared: Ctx,
}

// SAFETY: addresses of symmetric memory, which any thread may use; the module's documentation says which threads use which words.
unsafe impl Sync for Own {}
// SAFETY: as above.
unsafe impl Sync for Common {}

struct Member<'w> {
    world: &'w World,
    me: c_int,
    n: c_int,
    own: &'w Own,
    common: &'w Common,
}

impl Member<'_> {
    fn right(&self) -> c_int {
        (self.me + 1) % self.n
    }

    fn left(&self) -> c_int {
        (self.me + self.n - 1) % self.n
    }

    /// Contexts and teams are made and destroyed, sessions start and stop, memory is queried.
    unsafe fn come_and_go(&self, round: i64) {
        let (world, mut ctx, mut child) = (self.world, Ctx::INVALID, Team::INVALID);
        // SAFETY: the handles to write to are this function's own, and the symmetric addresses lie in the blocks.
        unsafe {
            let split =
                world.team_split_strided(&SITE, self.own.team, self.n - 1, -1, self.n, ptr::null(), 0, &raw mut child);
            assert_eq!((split, world.team_my_pe(&SITE, child)), (0, self.n - 1 - self.me));
            assert_eq!(world.team_create_ctx(&SITE, child, SHMEM_CTX_PRIVATE, &raw mut ctx), 0);
            world.session_start(&SITE, ctx, SHMEM_CTX_SESSION_BATCH, ptr::null(), 0);
            world.atomic_add(&SITE, ctx, self.common.total, 5, (round as c_int) % self.n);
            world.session_stop(&SITE, ctx);
            world.ctx_destroy(&SITE, ctx);
            world.team_destroy(&SITE, child);
        }
        // SAFETY: a query of the world's own teams.
        let near = unsafe { world.team_translate_pe(&SITE, Team::WORLD, self.left(), Team::SHARED) } >= 0;
        assert_eq!(!world.ptr(&SITE, self.own.area.cast(), self.left()).is_null(), near);
    }

    /// Puts and gets on a context of the thread's own, and on one shared by all threads.
    unsafe fn moves(&self, ctx: Ctx, round: i64) {
        let by = if round % 3 == 0 { self.common.shared } else { ctx };
        let sent: Vec<i64> = (0..LEN as i64).map(|i| round * 1000 + i64::from(self.me) + i).collect();
        let mut back = vec![0; LEN];
        // SAFETY: the blocks have `LEN` words.
        unsafe {
            self.world.put_nbi(&SITE, by, self.own.area, sent.as_ptr(), LEN, self.right());
            self.world.quiet(&SITE, by);
            self.world.get(&SITE, by, back.as_mut_ptr(), self.own.area, LEN, self.right());
        }
        assert_eq!(back, sent);
    }

    /// A signal to the right, an acknowledgement to the left, and then a set of variables that the left neighbour fills.
    unsafe fn signals(&self, ctx: Ctx, round: i64) {
        let (world, own, number) = (self.world, self.own, round as u64 + 1);
        // SAFETY: symmetric words.
        unsafe {
            let nothing: [i64; 0] = [];
            let add = SHMEM_SIGNAL_ADD;
            world.put_signal(&SITE, ctx, own.area, nothing.as_ptr(), 0, own.signal, 1, add, self.right());
            assert_eq!(world.signal_wait_until(&SITE, own.signal, SHMEM_CMP_GE, number), number);
            world.signal_add(&SITE, DEFAULT, own.taken, 1, self.left());
            while world.test(&SITE, own.taken, SHMEM_CMP_EQ, number) == 0 {}
            for i in 0..4 {
                world.atomic_set(&SITE, ctx, own.set.add(i), round + 1, self.right());
            }
            assert!(world.wait_until_any(&SITE, own.set, 4, ptr::null(), SHMEM_CMP_GE, round + 1) < 4);
            world.wait_until_all(&SITE, own.set, 4, ptr::null(), SHMEM_CMP_GE, round + 1);
        }
    }

    /// Atomics from all PEs, and a count that only the lock protects.
    unsafe fn counts(&self, round: i64) {
        let (world, common) = (self.world, self.common);
        // SAFETY: symmetric words.
        unsafe {
            world.atomic_inc(&SITE, DEFAULT, common.total, (round as c_int) % self.n);
            world.atomic_fetch_add(&SITE, common.shared, common.total, 2, self.right());
            world.set_lock(&SITE, common.lock);
            let seen = world.atomic_fetch(&SITE, DEFAULT, common.guarded.cast_const(), 0);
            world.atomic_set(&SITE, DEFAULT, common.guarded, seen + 1, 0);
            world.clear_lock(&SITE, common.lock);
        }
    }

    /// Collectives on the team of this thread index.
    unsafe fn gather(&self, round: i64) {
        let (world, own, n) = (self.world, self.own, i64::from(self.n));
        // SAFETY: the blocks have `LEN` words, and the destination has `LEN` words for each PE.
        unsafe {
            for i in 0..LEN {
                own.source.add(i).write(i64::from(self.me) + round + i as i64);
            }
            assert_eq!(world.sum_reduce(&SITE, own.team, own.dest, own.source, LEN), 0);
            assert_eq!(own.dest.add(1).read(), n * (n - 1) / 2 + n * (round + 1));
            // Peers may write to the destination as soon as this PE could be in the next collective, so synchronise first.
            assert_eq!(world.team_sync(&SITE, own.team), 0);
            assert_eq!(world.fcollect(&SITE, own.team, own.dest, own.source, LEN), 0);
            assert_eq!(own.dest.add((n as usize - 1) * LEN).read(), n - 1 + round);
            assert_eq!(world.team_sync(&SITE, own.team), 0);
        }
    }

    unsafe fn everything(&self) {
        let mut ctx = Ctx::INVALID;
        // SAFETY: the blocks have the sizes that the steps need.
        unsafe {
            assert_eq!(self.world.ctx_create(&SITE, SHMEM_CTX_PRIVATE, &raw mut ctx), 0);
            for round in 0..ROUNDS {
                self.moves(ctx, round);
                self.counts(round);
                self.signals(ctx, round);
                self.gather(round);
                self.come_and_go(round);
            }
            self.world.ctx_destroy(&SITE, ctx);
        }
    }
}

fn own(world: &World, n: usize) -> Own {
    let words = |count| world.calloc(&SITE, count, 8);
    let mut team = Team::INVALID;
    // SAFETY: the team may be written.
    let split =
        unsafe { world.team_split_strided(&SITE, Team::WORLD, 0, 1, n as c_int, ptr::null(), 0, &raw mut team) };
    assert_eq!(split, 0);
    Own {
        area: words(LEN).cast(),
        signal: words(1).cast(),
        taken: words(1).cast(),
        set: words(4).cast(),
        source: words(LEN).cast(),
        dest: words(LEN * n).cast(),
        team,
    }
}

#[test]
fn eight_threads_a_pe() {
    for n in [1, 2] {
        worlds_of(n, |world, me| {
            let words = |count| world.calloc(&SITE, count, 8);
            let mut shared = Ctx::INVALID;
            // SAFETY: the context may be written.
            assert_eq!(unsafe { world.ctx_create(&SITE, 0, &raw mut shared) }, 0);
            let (lock, guarded, total) = (words(1).cast(), words(1).cast(), words(1).cast());
            let common = Common { lock, guarded, total, shared };
            let own: Vec<Own> = (0..THREADS).map(|_| own(world, n as usize)).collect();
            thread::scope(|scope| {
                for own in &own {
                    let member = Member { world, me, n: n as c_int, own, common: &common };
                    scope.spawn(move || {
                        let _fail = local::FailAtOnce;
                        // SAFETY: the blocks are symmetric and large enough, and each thread index has its own.
                        unsafe { member.everything() }
                    });
                }
            });
            world.barrier_all(&SITE);
            let sum = |word: *mut i64| -> i64 {
                // SAFETY: a symmetric word.
                (0..n as c_int).map(|pe| unsafe { world.atomic_fetch(&SITE, DEFAULT, word.cast_const(), pe) }).sum()
            };
            let steps = ROUNDS * THREADS as i64 * i64::from(n);
            assert_eq!((sum(common.total), sum(common.guarded)), (8 * steps, steps));
            world.barrier_all(&SITE);
        });
    }
}

/// Two threads store to one word without synchronisation. If the sanitizer does not find this race, it is not working.
#[test]
#[ignore = "a race on purpose, for ci/threads"]
fn a_race_on_purpose() {
    world_of(1, |world, me| {
        let word = world.calloc(&SITE, 1, 8) as usize;
        let (start, end) = (&Barrier::new(2), &Barrier::new(2));
        thread::scope(|scope| {
            for value in 0..2i64 {
                scope.spawn(move || {
                    start.wait();
                    for i in 0..100_000 {
                        // SAFETY: a symmetric word.
                        unsafe { world.p(&SITE, DEFAULT, word as *mut i64, value + i, me) };
                    }
                    end.wait();
                });
            }
        });
    });
}
