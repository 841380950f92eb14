//! A key-value store whose clients read and write the server's memory without its help. The server only registers memory.
//!
//! ```sh
//! cargo run -p ferrite-transport --example key_value
//! cargo run -p ferrite-transport --features ofi,ucx --example key_value -- ucx      # or libfabric, libfabric=PROVIDER
//! ```
//!
//! The program starts itself again for its two clients. With `loss` as the second word, a client ends without leaving the group, and the
//! others print the error that they get.
//!
//! The table is an array of slots. A slot has a checksum over all that is in it, so a reader sees by itself whether it has read a slot
//! while a writer changed it, and reads again (Mitchell, Geng and Li: "Using one-sided RDMA reads to build a fast, CPU-efficient key-value
//! store", USENIX ATC 2013). A writer holds the lock word of the slot: a compare-and-swap takes it, and a swap behind a fence releases it.

use ferrite_transport::{Error, Group, Id, Options, Over, Remote, Result};
use std::{
    process::{Child, Command, ExitCode},
    thread,
    time::Duration,
};

const SLOTS: usize = 1024;
const KEY_BYTES: usize = 24;
const VALUE_BYTES: usize = 88;
/// Checksum, key, length of the value, value.
const SLOT_BYTES: usize = 8 + KEY_BYTES + 8 + VALUE_BYTES;
const LOCK_BYTES: usize = 8;
/// Where the slots begin, behind the lock words.
const SLOTS_AT: usize = SLOTS * LOCK_BYTES;

/// A client's view of the server's table.
struct Table<'g> {
    group: &'g Group,
    memory: Remote,
}

impl Table<'_> {
    /// Read a value: one read of remote memory for each slot on the way to the key, mostly one.
    fn get(&self, key: &str) -> Result<Option<String>> {
        let key = padded(key);
        for nth in 0..SLOTS {
            let slot = self.read(index(&key, nth))?;
            if slot.key == key {
                return Ok(Some(slot.value));
            }
            if slot.is_empty() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Set a value.
    fn set(&self, key: &str, value: &str) -> Result<()> {
        let key = padded(key);
        for nth in 0..SLOTS {
            let at = index(&key, nth);
            while self.group.compare_swap(&self.memory, at * LOCK_BYTES, 0, 1)? != 0 {}
            let slot = self.read(at)?;
            let is_ours = slot.is_empty() || slot.key == key;
            if is_ours {
                let slot = Slot { key, value: value.to_owned() };
                self.group.put(&self.memory, SLOTS_AT + at * SLOT_BYTES, &slot.encode())?;
                self.group.fence();
            }
            self.group.swap(&self.memory, at * LOCK_BYTES, 0)?;
            if is_ours {
                return Ok(());
            }
        }
        Err(Error::Argument(format!("all {SLOTS} slots are taken")))
    }

    /// A consistent copy of a slot.
    fn read(&self, at: usize) -> Result<Slot> {
        loop {
            let mut bytes = [0; SLOT_BYTES];
            self.group.get(&self.memory, SLOTS_AT + at * SLOT_BYTES, &mut bytes)?;
            if let Some(slot) = Slot::decode(&bytes) {
                return Ok(slot);
            }
        }
    }
}

struct Slot {
    key: [u8; KEY_BYTES],
    value: String,
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.key == [0; KEY_BYTES]
    }

    fn encode(&self) -> Vec<u8> {
        let value = &self.value.as_bytes()[..self.value.len().min(VALUE_BYTES)];
        let mut bytes = self.key.to_vec();
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value);
        bytes.resize(SLOT_BYTES - 8, 0);
        [&digest(&bytes).to_le_bytes()[..], &bytes].concat()
    }

    /// `None` if a writer has changed the slot while it was read.
    fn decode(bytes: &[u8; SLOT_BYTES]) -> Option<Slot> {
        let (sum, bytes) = bytes.split_at(8);
        let is_new = sum == [0; 8] && bytes.iter().all(|&byte| byte == 0);
        if !is_new && sum != digest(bytes).to_le_bytes() {
            return None;
        }
        let (key, rest) = bytes.split_at(KEY_BYTES);
        let (len, value) = rest.split_at(8);
        let len = u64::from_le_bytes(len.try_into().ok()?) as usize;
        let value = String::from_utf8_lossy(value.get(..len)?).into_owned();
        Some(Slot { key: key.try_into().ok()?, value })
    }
}

fn padded(key: &str) -> [u8; KEY_BYTES] {
    let mut bytes = [0; KEY_BYTES];
    let len = key.len().min(KEY_BYTES);
    bytes[..len].copy_from_slice(&key.as_bytes()[..len]);
    bytes
}

/// The slot at which the `nth` attempt looks for a key.
fn index(key: &[u8], nth: usize) -> usize {
    (digest(key) as usize).wrapping_add(nth) % SLOTS
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The server: memory, and nothing else. It ends when the clients have left, or are lost.
fn serve(group: Group) -> Result<()> {
    let table = group.register(SLOTS_AT + SLOTS * SLOT_BYTES)?;
    println!("server: {} bytes over {}", table.len(), group.network());
    group.share("table", &table)?;
    group.exchange()?;
    group.leave()
}

/// A client: writes keys of its own, and reads the other client's.
fn use_table(group: Group, is_faithless: bool) -> Result<()> {
    group.exchange()?;
    let table = Table { group: &group, memory: group.find(0, "table")? };
    let (me, other) = (group.rank(), 3 - group.rank());
    for number in 0..100 {
        table.set(&format!("{me}.{number}"), &format!("value {number} of client {me}"))?;
        table.set("shared", &format!("last written by client {me}"))?;
    }
    let wanted = format!("{other}.99");
    let found = loop {
        match table.get(&wanted)? {
            Some(value) => break value,
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    println!("client {me}: {wanted} is \"{found}\"");
    for number in 0..100 {
        let value = table.get(&format!("{other}.{number}"))?;
        assert_eq!(value, Some(format!("value {number} of client {other}")));
    }
    assert!(table.get("shared")?.is_some_and(|value| value.starts_with("last written by client ")));
    assert_eq!(table.get("nobody")?, None);
    if is_faithless {
        // The others get an error.
        return Ok(());
    }
    group.leave()
}

/// The network of a word.
fn network(word: &str) -> Over {
    match word.split_once('=').unwrap_or((word, "")) {
        ("libfabric", "") => Over::Libfabric { provider: None },
        ("libfabric", provider) => Over::Libfabric { provider: Some(provider.to_owned()) },
        ("ucx", _) => Over::Ucx,
        _ => Over::Tcp,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; Id::BYTES]> {
    let digits = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..Id::BYTES).map(|nth| digits(2 * nth)).collect::<Option<Vec<u8>>>()?.try_into().ok()
}

/// Take part as member `rank`.
fn take_part(id: &Id, rank: u32, over: &str, with_loss: bool) -> Result<()> {
    let group = Group::join(id, rank, 3, &Options::over(network(over)))?;
    let done = if rank == 0 { serve(group) } else { use_table(group, with_loss && rank == 2) };
    match done {
        Err(Error::Lost { rank: Some(lost), why }) if with_loss => {
            println!("member {rank}: member {lost} is lost: {why}");
            Ok(())
        }
        done => done,
    }
}

fn run(words: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    if let ["client", id, rank, over, rest @ ..] = words {
        let id = Id::from_bytes(&from_hex(id).ok_or("the id has other than 128 bytes")?)?;
        return Ok(take_part(&id, rank.parse()?, over, rest == ["loss"])?);
    }
    let over = words.first().copied().unwrap_or("tcp");
    let id = Id::draw()?;
    let client = |rank: &str| -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["client", &hex(&id.to_bytes()), rank, over]).args(&words[words.len().min(1)..]).spawn()
    };
    let clients = [client("1")?, client("2")?];
    let served = take_part(&id, 0, over, words.get(1) == Some(&"loss"));
    for mut client in clients {
        if !client.wait()?.success() {
            return Err("a client has failed".into());
        }
    }
    Ok(served?)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("key_value: {error}");
            ExitCode::FAILURE
        }
    }
}
