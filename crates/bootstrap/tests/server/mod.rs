//! A launcher for tests, which serves PMI-1 and PMI-2 to the PEs of one job with a thread for each.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// How the launcher behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    Sound,
    /// Each byte of an answer is sent by itself, some after a pause.
    Slow,
    /// Values of at most 100 bytes.
    Narrow,
    /// PMI-1 is refused.
    OnlyTwo,
    /// PMI-1 in the words of Flux, as traces of its shell show them: pmodels/mpich#7050, and flux-framework/flux-core#924 for a key that
    /// does not exist. PMI-2 is refused.
    Flux,
}

/// Name of the store. Flux's begins with a letter outside ASCII.
fn store(manner: Manner) -> &'static str {
    if manner == Manner::Flux { "\u{192}f1ND8nb" } else { "kvs_1_2_host" }
}

#[derive(Default)]
struct Board {
    values: HashMap<String, String>,
    twice: HashSet<String>,
    arrived: u32,
    turn: u64,
    goodbyes: u32,
    dead: bool,
}

struct Shared {
    size: u32,
    manner: Manner,
    board: Mutex<Board>,
    turned: Condvar,
}

/// The launcher's side of a job.
pub struct Job {
    shared: Arc<Shared>,
    ours: Vec<UnixStream>,
}

impl Job {
    /// Serve a job. Returns the PEs' ends of the connections.
    pub fn start(size: u32, manner: Manner) -> (Job, Vec<UnixStream>) {
        let shared = Arc::new(Shared { size, manner, board: Mutex::default(), turned: Condvar::new() });
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..size).map(|_| UnixStream::pair().unwrap()).unzip();
        for (rank, stream) in (0..).zip(&ours) {
            let (shared, stream) = (shared.clone(), stream.try_clone().unwrap());
            // An error means that the PE has hung up, which ends the thread.
            thread::spawn(move || Session { shared, rank, reader: BufReader::new(stream) }.serve());
        }
        (Job { shared, ours }, theirs)
    }

    /// Close all connections at once.
    pub fn die(&self) {
        self.shared.board.lock().unwrap().dead = true;
        self.shared.turned.notify_all();
        self.ours.iter().for_each(|stream| stream.shutdown(std::net::Shutdown::Both).unwrap());
    }

    /// Number of PEs that have said goodbye.
    pub fn goodbyes(&self) -> u32 {
        self.shared.board.lock().unwrap().goodbyes
    }

    /// Keys that were put more than once, which no launcher promises to allow.
    pub fn written_twice(&self) -> HashSet<String> {
        self.shared.board.lock().unwrap().twice.clone()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.die();
    }
}

struct Session {
    shared: Arc<Shared>,
    rank: u32,
    reader: BufReader<UnixStream>,
}

fn field<'a>(text: &'a str, separator: char, key: &str) -> &'a str {
    text.split(separator).find_map(|word| word.strip_prefix(key)?.strip_prefix('=')).unwrap_or("")
}

impl Session {
    fn serve(&mut self) -> Result<()> {
        let mut two = false;
        loop {
            let request = if two { self.record()? } else { self.line()? };
            if request.is_empty() {
                return Ok(());
            }
            if field(&request, ' ', "cmd") == "init" && !two {
                let version = field(&request, ' ', "pmi_version");
                let refused = match self.shared.manner {
                    Manner::OnlyTwo => version == "1",
                    Manner::Flux => version == "2",
                    Manner::Sound | Manner::Slow | Manner::Narrow => false,
                };
                two = version == "2" && !refused;
                let rc = if refused { -1 } else { 0 };
                self.say(&format!("cmd=response_to_init pmi_version={version} pmi_subversion=0 rc={rc}\n"))?;
                continue;
            }
            let answer = if two { self.answer_two(&request) } else { self.answer_one(&request) };
            let Some(answer) = answer else { return Ok(()) };
            let framed = if two { format!("{:6}{answer}", answer.len()) } else { format!("{answer}\n") };
            self.say(&framed)?;
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        assert!(line.len() <= 1024, "launchers read 1024 bytes, and this has {}", line.len());
        Ok(line.trim_end().to_owned())
    }

    fn record(&mut self) -> Result<String> {
        let mut count = [0; 6];
        self.reader.read_exact(&mut count)?;
        let count: usize = str::from_utf8(&count).unwrap().trim().parse().unwrap();
        assert!(count <= 1024, "launchers read 1024 bytes, and this has {count}");
        let mut record = vec![0; count];
        self.reader.read_exact(&mut record)?;
        Ok(String::from_utf8(record).unwrap())
    }

    fn say(&mut self, answer: &str) -> Result<()> {
        let mut stream = self.reader.get_ref();
        if self.shared.manner != Manner::Slow {
            return stream.write_all(answer.as_bytes());
        }
        for (number, byte) in answer.bytes().enumerate() {
            stream.write_all(&[byte])?;
            if number % 16 == 0 {
                thread::sleep(Duration::from_micros(200));
            }
        }
        Ok(())
    }

    fn answer_one(&self, line: &str) -> Option<String> {
        let key = field(line, ' ', "key");
        let is_flux = self.shared.manner == Manner::Flux;
        Some(match field(line, ' ', "cmd") {
            "get_maxes" if is_flux => "cmd=maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024".to_owned(),
            "get_my_kvsname" if is_flux => format!("cmd=my_kvsname rc=0 kvsname={}", store(Manner::Flux)),
            "get" if is_flux => match self.get(key) {
                Some(value) => format!("cmd=get_result rc=0 value={value}"),
                None => "cmd=get_result rc=4".to_owned(),
            },
            "get_maxes" => format!("cmd=maxes kvsname_max=256 keylen_max=64 vallen_max={}", self.text_max()),
            "get_my_kvsname" => format!("cmd=my_kvsname kvsname={}", store(self.shared.manner)),
            "put" => {
                assert_eq!(field(line, ' ', "kvsname"), store(self.shared.manner));
                self.put(key, field(line, ' ', "value"));
                if is_flux { "cmd=put_result rc=0".to_owned() } else { "cmd=put_result rc=0 msg=success".to_owned() }
            }
            "get" => match self.get(key) {
                Some(value) => format!("cmd=get_result rc=0 msg=success value={value}"),
                None => format!("cmd=get_result rc=-1 msg=key_{key}_not_found value=unknown"),
            },
            "barrier_in" => self.fence().then(|| "cmd=barrier_out rc=0".to_owned())?,
            "finalize" => self.goodbye(if is_flux { "cmd=finalize_ack rc=0" } else { "cmd=finalize_ack" }),
            other => panic!("a request of no launcher: {other}"),
        })
    }

    fn answer_two(&self, record: &str) -> Option<String> {
        let key = field(record, ';', "key");
        Some(match field(record, ';', "cmd") {
            "fullinit" => {
                assert_eq!(field(record, ';', "pmirank"), self.rank.to_string());
                format!("cmd=fullinit-response;rc=0;pmi-version=2;rank={};size={};", self.rank, self.shared.size)
            }
            "kvs-put" => {
                self.put(key, field(record, ';', "value"));
                "cmd=kvs-put-response;rc=0;".to_owned()
            }
            "kvs-get" => match self.get(key) {
                Some(value) => format!("cmd=kvs-get-response;flag=TRUE;value={value};rc=0;"),
                None => "cmd=kvs-get-response;flag=FALSE;rc=0;".to_owned(),
            },
            "kvs-fence" => self.fence().then(|| "cmd=kvs-fence-response;rc=0;".to_owned())?,
            "finalize" => self.goodbye("cmd=finalize-response;rc=0;"),
            other => panic!("a request of no launcher: {other}"),
        })
    }

    fn text_max(&self) -> usize {
        if self.shared.manner == Manner::Narrow { 100 } else { 1024 }
    }

    fn put(&self, key: &str, value: &str) {
        assert!(!key.is_empty() && key.len() < 64 && value.len() < 1024, "{key}={value}");
        let mut board = self.shared.board.lock().unwrap();
        if board.values.insert(key.to_owned(), value.to_owned()).is_some() {
            board.twice.insert(key.to_owned());
        }
    }

    fn get(&self, key: &str) -> Option<String> {
        self.shared.board.lock().unwrap().values.get(key).cloned()
    }

    fn goodbye(&self, answer: &str) -> String {
        self.shared.board.lock().unwrap().goodbyes += 1;
        answer.to_owned()
    }

    /// Wait for all PEs. False if the launcher died before.
    fn fence(&self) -> bool {
        let mut board = self.shared.board.lock().unwrap();
        let turn = board.turn;
        board.arrived += 1;
        if board.arrived == self.shared.size {
            board.arrived = 0;
            board.turn += 1;
            self.shared.turned.notify_all();
        }
        while board.turn == turn && !board.dead {
            board = self.shared.turned.wait(board).unwrap();
        }
        !board.dead
    }
}
