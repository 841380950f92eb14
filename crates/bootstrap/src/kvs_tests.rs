//! Tests of `kvs`: jobs over a store in this process.

use super::*;
use crate::NodeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

type Values = Mutex<HashMap<String, Vec<u8>>>;

/// State that the PEs of a job share.
struct Shared {
    /// The store is like PMIx: see [`Store::gets_meanwhile`].
    gets_meanwhile: AtomicBool,
    /// Told of each fence that PE 0 begins.
    begun: Mutex<Option<mpsc::Sender<()>>>,
    fence: Barrier,
    values: Values,
    /// Number of values that each PE has read.
    reads: Box<[AtomicU32]>,
}

/// A store in this process.
struct Memory {
    me: Pe,
    shared: Arc<Shared>,
    size: u32,
    goodbyes: AtomicU32,
    using: Mutex<()>,
}

impl Memory {
    /// One call at a time, as a connection that answers in order requires.
    fn alone(&self) -> impl Sized + '_ {
        self.using.try_lock().expect("two threads use the store")
    }
}

impl Store for Memory {
    fn launcher(&self) -> &str {
        "memory"
    }
    fn place(&self) -> (Pe, u32) {
        (self.me, self.size)
    }
    fn value_max(&self) -> usize {
        50
    }
    fn put(&self, key: &str, value: &[u8]) -> Result<()> {
        let _alone = self.alone();
        assert!(key.len() <= 40 && value.len() <= self.value_max());
        assert_eq!(mutex::lock(&self.shared.values).insert(key.to_owned(), value.to_vec()), None, "{key} is put twice");
        Ok(())
    }
    fn fence(&self) -> Result<()> {
        let _alone = self.alone();
        if let Some(begun) = mutex::lock(&self.shared.begun).as_ref().filter(|_| self.me == Pe(0)) {
            begun.send(()).unwrap();
        }
        self.shared.fence.wait();
        Ok(())
    }
    fn gets_meanwhile(&self) -> bool {
        self.shared.gets_meanwhile.load(Ordering::Relaxed)
    }
    fn get(&self, _pe: Pe, key: &str) -> Result<Vec<u8>> {
        let _alone = (!self.gets_meanwhile()).then(|| self.alone());
        // The further parts of a value count as one read with its first part.
        if key.ends_with(".0") {
            self.shared.reads[self.me.0 as usize].fetch_add(1, Ordering::Relaxed);
        }
        mutex::lock(&self.shared.values).get(key).cloned().ok_or_else(|| Error::new(format!("no {key}")))
    }
    fn abort(&self, _code: i32) {}
    fn goodbye(&self) -> Result<()> {
        assert_eq!(self.goodbyes.fetch_add(1, Ordering::Relaxed), 0, "goodbye is said twice");
        Ok(())
    }
}

/// A job with one PE on each of the named hosts, in order.
fn job(hosts: &[&str]) -> Vec<Served> {
    started(hosts).0
}

fn started(hosts: &[&str]) -> (Vec<Served>, Arc<Shared>) {
    let shared = Arc::new(Shared {
        gets_meanwhile: AtomicBool::new(false),
        begun: Mutex::default(),
        fence: Barrier::new(hosts.len()),
        values: Values::default(),
        reads: hosts.iter().map(|_| AtomicU32::new(0)).collect(),
    });
    let pes = thread::scope(|scope| {
        let started: Vec<_> = (0..)
            .zip(hosts)
            .map(|(pe, host)| {
                let store = Memory {
                    me: Pe(pe),
                    shared: shared.clone(),
                    size: hosts.len() as u32,
                    goodbyes: AtomicU32::new(0),
                    using: Mutex::default(),
                };
                scope.spawn(move || Served::on(host.as_bytes(), Box::new(store)).unwrap())
            })
            .collect();
        started.into_iter().map(|pe| pe.join().unwrap()).collect()
    });
    (pes, shared)
}

#[test]
fn those_on_a_host_know_each_other_however_they_were_dealt() {
    let hosts = ["a", "b", "b", "a", "c", "a", "b"];
    let world = job(&hosts);
    for pe in &world {
        let mine = hosts[pe.me().0 as usize];
        let expected: Vec<Pe> = (0..7).filter(|&other| hosts[other as usize] == mine).map(Pe).collect();
        assert_eq!(pe.local(), expected);
        assert_eq!(pe.nodes(), &NodeMap::of([0, 1, 1, 0, 2, 0, 1]));
        assert_eq!(pe.secret(), world[0].secret());
    }
    assert_ne!(job(&["a"])[0].secret(), world[0].secret());
}

#[test]
fn nobody_reads_what_all_have_put() {
    let hosts: Vec<String> = (0..200).map(|pe| format!("host {}", pe * 7 % 30)).collect();
    let (pes, shared) = started(&hosts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(pes[150].nodes(), &NodeMap::of((0..200).map(|pe| pe * 7 % 30)));
    let reads: Vec<u32> = shared.reads.iter().map(|reads| reads.load(Ordering::Relaxed)).collect();
    // Number of reads besides the welcome: the values of 64 PEs each; PE 0 also reads the joined parts.
    let expected = |pe: u32| match pe {
        0 => 64 + 4,
        64 | 128 => 64,
        192 => 8,
        _ => 0,
    };
    assert_eq!(reads, (0..200).map(|pe| expected(pe) + 1).collect::<Vec<_>>());
}

/// PE 0 is in an exchange that PE 1 has not reached, and looks up a value of PE 1, which it has read before, then one of PE 2, which it has
/// not. Returns the values that it finds during the exchange.
fn found_during_an_exchange(gets_meanwhile: bool) -> Vec<Vec<u8>> {
    let (pes, shared) = started(&["a", "b", "c"]);
    thread::scope(|scope| {
        for pe in &pes {
            scope.spawn(move || pe.publish("k", &[pe.me().0 as u8]).and_then(|()| pe.exchange()).unwrap());
        }
    });
    assert_eq!(pes[0].lookup(Pe(1), "k").unwrap(), [1]);
    shared.gets_meanwhile.store(gets_meanwhile, Ordering::Relaxed);
    let (begun, has_begun) = mpsc::channel();
    *mutex::lock(&shared.begun) = Some(begun);
    let (tell, told) = mpsc::channel();
    let pes = &pes;
    thread::scope(|scope| {
        scope.spawn(move || pes[0].exchange().unwrap());
        has_begun.recv().unwrap();
        scope.spawn(move || [1, 2].iter().for_each(|&pe| tell.send(pes[0].lookup(Pe(pe), "k").unwrap()).unwrap()));
        // A lookup that must wait for the exchange gets a moment to break the store's rule.
        let last = Duration::from_millis(if gets_meanwhile { 60_000 } else { 50 });
        let limits = [Duration::from_secs(60), last];
        let found = limits.iter().map_while(|&limit| told.recv_timeout(limit).ok()).collect();
        for pe in &pes[1..] {
            scope.spawn(|| pe.exchange().unwrap());
        }
        found
    })
}

#[test]
fn lookups_do_not_wait_for_an_exchange_unless_they_need_the_store() {
    assert_eq!(found_during_an_exchange(true), [[1], [2]]);
    assert_eq!(found_during_an_exchange(false), [[1]]);
}

#[test]
fn goodbye_is_said_once_and_at_the_end() {
    // The steps of the process, and the number of steps after which the goodbye has been sent. The exit handler may run before or after
    // the one that leaves.
    let rows: [(&[&str], usize); 4] = [
        (&["join", "leave", "join", "leave", "exit"], 5),
        (&["join", "exit", "leave"], 3),
        (&["exit"], 1),
        (&["join", "exit"], 9),
    ];
    for (deeds, when) in rows {
        let pe = job(&["a"]).remove(0);
        for (done, deed) in (1..).zip(deeds) {
            match *deed {
                "join" => pe.join().unwrap(),
                "leave" => pe.leave().unwrap(),
                _ => pe.process_ends(),
            }
            assert_eq!(mutex::lock(&pe.standing).gone, done >= when, "{deeds:?}, {done}");
        }
        assert_eq!(pe.join().is_err(), mutex::lock(&pe.standing).gone, "{deeds:?}");
    }
}
