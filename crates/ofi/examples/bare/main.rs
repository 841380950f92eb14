//! What this crate adds to libfabric: a put with its completion and a get of 8 bytes, once by a bare program and once
//! by a lane, in alternation, between two pinned processes of this machine.
//!
//! `cargo run --release -p ferrite-ofi --example bare -- [provider [domain [rounds]]]`

#[cfg(bindings)]
mod raw;

#[cfg(not(bindings))]
fn main() {
    println!("skipped: built without libfabric's headers");
}

#[cfg(bindings)]
fn main() {
    live::main();
}

#[cfg(bindings)]
mod live {
    use crate::raw::Raw;
    use ferrite_fabric::{
        AddressBook, Busy, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, Stage,
    };
    use ferrite_ofi::{OfiFabric, Options, Progress};
    use std::{
        env,
        io::{BufRead, BufReader, Write},
        process::{Child, ChildStdout, Command, Stdio},
        sync::{
            Arc, OnceLock,
            atomic::{AtomicU64, Ordering},
        },
        time::Instant,
    };

    const WORDS: usize = 64;
    /// The word that ends the target.
    const STOP: usize = 63;
    const TIMES: usize = 4000;

    /// One side of a measurement.
    pub trait Side {
        /// What the other side must know.
        fn card(&self) -> Vec<u8>;
        /// Know the other side.
        fn meet(&mut self, card: &[u8]);
        /// Put word 0 to a word there, and wait until it is there.
        fn put(&mut self, word: usize);
        /// Get a word from there to word 0.
        fn get(&mut self, word: usize);
        /// Put word 0 there, and wait for nothing: the target may be gone before it answers.
        fn stop(&mut self, word: usize);
        /// Make progress, as far as that is possible.
        fn progress(&mut self);
        /// A word of one's own.
        fn word(&self, index: usize) -> &AtomicU64;
    }

    /// A lane of this crate.
    struct Ferrite {
        lane: Box<dyn Lane>,
        fabric: OfiFabric,
        words: Box<[AtomicU64; WORDS]>,
        key: Key,
        book: Arc<Book>,
    }

    #[derive(Default)]
    struct Book(OnceLock<(Vec<u8>, Key)>);

    impl AddressBook for Book {
        fn address(&self, _: Pe) -> Result<Vec<u8>> {
            self.0.get().map(|(address, _)| address.clone()).ok_or_else(|| Error::new("nobody is known"))
        }

        fn key(&self, _: Pe, _: SegmentId) -> Result<Key> {
            self.0.get().map(|(_, key)| key.clone()).ok_or_else(|| Error::new("nobody is known"))
        }
    }

    impl Ferrite {
        fn new(me: u32, provider: &str, domain: Option<&str>) -> Self {
            let (provider, domain) = (Some(provider.to_owned()), domain.map(str::to_owned));
            let fabric = domain.as_ref().filter(|d| *d == "lo").map(|_| "127.0.0.1/32".to_owned());
            let library = crate::raw::library();
            let progress = progress();
            let options = Options { provider, domain, fabric, library, progress, ..Options::new(Pe(me), 2, 7) };
            let fabric = OfiFabric::open(options).expect("the provider opens");
            let words = Box::new([const { AtomicU64::new(0) }; WORDS]);
            let segment = Segment { id: SegmentId::HEAP, base: words.as_ptr().cast_mut().cast(), len: 8 * WORDS };
            // SAFETY: the words outlive the fabric, which is declared before them.
            let key = unsafe { fabric.register(segment) }.expect("words are registered");
            let book = Arc::new(Book::default());
            fabric.connect(Arc::<Book>::clone(&book)).expect("the book is taken");
            let lane = fabric.lane().expect("a lane opens");
            Ferrite { lane, fabric, words, key, book }
        }

        fn run(&mut self, op: &Op, stage: Stage) {
            let ticket = loop {
                // SAFETY: words live as long as this, and each operation is waited for.
                match unsafe { self.lane.post(op) } {
                    Ok(ticket) => break ticket,
                    Err(Busy) => self.progress(),
                }
                if let Some(fault) = self.fabric.fault() {
                    panic!("{fault}");
                }
            };
            while self.lane.reached(stage) < ticket {
                self.progress();
            }
        }
    }

    impl Side for Ferrite {
        fn card(&self) -> Vec<u8> {
            [&[self.key.0.len() as u8], &*self.key.0, &self.fabric.address()].concat()
        }

        fn meet(&mut self, card: &[u8]) {
            let (key, address) = card[1..].split_at(usize::from(card[0]));
            self.book.0.set((address.to_vec(), Key(key.into()))).expect("they meet once");
        }

        fn put(&mut self, word: usize) {
            let to = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 * word as u64 };
            self.run(&Op::Put { to, from: self.words.as_ptr().cast(), len: 8 }, Stage::Remote);
        }

        fn get(&mut self, word: usize) {
            let from = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 * word as u64 };
            self.run(&Op::Get { from, to: self.words.as_ptr().cast_mut().cast(), len: 8 }, Stage::Local);
        }

        fn stop(&mut self, word: usize) {
            let to = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 * word as u64 };
            // SAFETY: as above; it is copied at once.
            let _ = unsafe { self.lane.post(&Op::Put { to, from: self.words.as_ptr().cast(), len: 8 }) };
        }

        fn progress(&mut self) {
            self.lane.progress();
        }

        fn word(&self, index: usize) -> &AtomicU64 {
            &self.words[index]
        }
    }

    /// `PROGRESS=program` leaves the thread out.
    fn progress() -> Progress {
        #[expect(clippy::disallowed_methods, reason = "the other variable of this program")]
        let wish = env::var_os("PROGRESS");
        if wish.is_some_and(|wish| wish == "program") { Progress::Program } else { Progress::Needed }
    }

    fn side(kind: &str, me: u32, provider: &str, domain: Option<&str>) -> Box<dyn Side> {
        match kind {
            "bare" => Box::new(Raw::new(provider, domain)),
            _ => Box::new(Ferrite::new(me, provider, domain)),
        }
    }

    fn pin(cpu: usize) {
        let mut set = rustix::thread::CpuSet::new();
        set.set(cpu);
        if let Err(error) = rustix::thread::sched_setaffinity(None, &set) {
            println!("not pinned to cpu {cpu}: {error}");
        }
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn unhex(line: &str) -> Vec<u8> {
        let line = line.trim();
        (0..line.len() / 2).map(|i| u8::from_str_radix(&line[2 * i..2 * i + 2], 16).expect("hex")).collect()
    }

    /// The target: says its card, hears the other's, and makes progress until it is stopped.
    fn target(kind: &str, provider: &str, domain: Option<&str>) {
        pin(1);
        let mut side = side(kind, 1, provider, domain);
        println!("{}", hex(&side.card()));
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("the initiator speaks");
        side.meet(&unhex(&line));
        while side.word(STOP).load(Ordering::Acquire) == 0 {
            side.progress();
        }
    }

    fn start(kind: &str, provider: &str, domain: Option<&str>) -> (Child, BufReader<ChildStdout>) {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["--target", kind, provider])
            .args(domain)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the target starts");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        (child, from)
    }

    fn median(mut times: Vec<f64>) -> f64 {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }

    /// Medians of a put with its completion and of a get, in microseconds.
    fn measure(kind: &str, provider: &str, domain: Option<&str>) -> [f64; 2] {
        let (mut child, mut from) = start(kind, provider, domain);
        let mut side = side(kind, 0, provider, domain);
        let mut line = String::new();
        from.read_line(&mut line).expect("the target speaks");
        let mut to = child.stdin.take().expect("a pipe");
        writeln!(to, "{}", hex(&side.card())).expect("the target listens");
        side.meet(&unhex(&line));
        side.word(0).store(1, Ordering::Relaxed);
        let mut time = |one: &mut dyn FnMut(&mut dyn Side)| {
            (0..TIMES / 4).for_each(|_| one(&mut *side));
            let once = |side: &mut dyn Side| {
                let start = Instant::now();
                one(side);
                start.elapsed().as_secs_f64() * 1e6
            };
            let mut once = once;
            median((0..TIMES).map(|_| once(&mut *side)).collect())
        };
        let times = [time(&mut |side| side.put(1)), time(&mut |side| side.get(1))];
        side.stop(STOP);
        while child.try_wait().expect("the target can be asked").is_none() {
            side.progress();
        }
        times
    }

    pub fn main() {
        let args: Vec<String> = env::args().skip(1).collect();
        let arg = |i: usize| args.get(i).map(String::as_str);
        if arg(0) == Some("--target") {
            return target(arg(1).unwrap_or_default(), arg(2).unwrap_or_default(), arg(3));
        }
        pin(0);
        let provider = arg(0).unwrap_or("tcp");
        let domain = arg(1).or(if provider == "tcp" { Some("lo") } else { None });
        let rounds = arg(2).and_then(|n| n.parse().ok()).unwrap_or(5);
        let mut all = [const { Vec::new() }; 4];
        println!("{provider}, 8 bytes, medians of {TIMES} in us: put + completion, get");
        for round in 1..=rounds {
            for (i, kind) in ["bare", "ferrite"].into_iter().enumerate() {
                let [put, get] = measure(kind, provider, domain);
                println!("round {round}  {kind:8} {put:8.2} {get:8.2}");
                all[2 * i].push(put);
                all[2 * i + 1].push(get);
            }
        }
        let [bare_put, bare_get, put, get] = all.map(median);
        println!("ratio of medians  put {:.3}  get {:.3}", put / bare_put, get / bare_get);
    }
}
