//! What PEs say to each other before they share memory, and where each stands. Pure: messages in, frames out.

use ferrite_bootstrap::NodeMap;
use ferrite_bootstrap::wire::{Entry, KEY_MAX, ToLauncher, ToPe, VERSION};
use ferrite_fabric::Pe;
use std::collections::HashMap;
use std::mem;

/// A turn's values travel with its release up to so many bytes; what is larger is asked for by the page.
const INLINE_MAX: usize = 32 << 10;
/// How many different keys a job may use, and how many a PE in one turn: only what is published last under a key is
/// kept, so this bounds what a job of any length can make oshrun hold.
const KEYS_MAX: usize = 4096;

/// Where a PE stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// It has not spoken, or its program has left.
    #[default]
    Apart,
    /// It owes the job a `Leave`.
    Joined,
}

#[derive(Default)]
struct Member {
    /// The process that speaks for it.
    speaker: Option<i32>,
    stage: Stage,
    /// It waits for all others; what it said is seen when they have come.
    waiting: bool,
    said: Vec<(String, Vec<u8>)>,
    gone: bool,
}

/// What the job's PEs have told the launcher.
pub struct Board {
    members: Vec<Member>,
    nodes: NodeMap,
    secret: [u8; 16],
    values: HashMap<String, Vec<Option<Vec<u8>>>>,
    waiting: usize,
    gone: usize,
}

/// What follows from a message.
#[derive(PartialEq, Eq, Debug)]
pub enum Reply {
    /// Nothing.
    None,
    /// A frame to the PE that spoke.
    One(Vec<u8>),
    /// A frame to every PE.
    All(Vec<u8>),
    /// The job ends.
    Abort {
        /// With this code.
        code: i32,
        /// For this reason, unless empty.
        why: String,
    },
}

impl Board {
    /// For a job of `size` PEs on one host.
    pub fn new(size: u32, secret: [u8; 16]) -> Self {
        Board {
            members: (0..size).map(|_| Member::default()).collect(),
            nodes: NodeMap::one(size),
            secret,
            values: HashMap::new(),
            waiting: 0,
            gone: 0,
        }
    }

    /// How many PEs the job has.
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Where a PE stands.
    pub fn stage(&self, pe: Pe) -> Stage {
        self.members[pe.0 as usize].stage
    }

    /// The process that speaks for a PE.
    pub fn speaker(&self, pe: Pe) -> Option<i32> {
        self.members[pe.0 as usize].speaker
    }

    /// Process `pid` of `pe` has said something. An error is a breach of the protocol, and says which.
    pub fn heard(&mut self, pe: Pe, pid: i32, message: ToLauncher) -> Result<Reply, String> {
        if let ToLauncher::Hello { version } = message {
            return self.greeted(pe, pid, version);
        }
        let member = &mut self.members[pe.0 as usize];
        match member.speaker {
            None => return Err("its first message is no greeting".into()),
            Some(speaker) if speaker != pid => {
                return Err(format!("process {pid} speaks on the connection of process {speaker}"));
            }
            Some(_) => {}
        }
        if member.waiting && !matches!(message, ToLauncher::Leave | ToLauncher::Abort { .. }) {
            return Err("it asks a question while another is open".into());
        }
        match message {
            ToLauncher::Hello { .. } => unreachable!("handled above"),
            ToLauncher::Join => member.stage = Stage::Joined,
            ToLauncher::Leave => member.stage = Stage::Apart,
            ToLauncher::Abort { code, why } => return Ok(Reply::Abort { code, why }),
            ToLauncher::Lookup { pe, key } => return Ok(Reply::One(self.page(pe, &key).frame())),
            ToLauncher::Exchange { said } => return self.arrived(pe, said),
        }
        Ok(Reply::None)
    }

    fn greeted(&mut self, pe: Pe, pid: i32, version: u32) -> Result<Reply, String> {
        let (nodes, secret) = (self.nodes.clone(), self.secret);
        let member = &mut self.members[pe.0 as usize];
        match member.speaker {
            Some(other) if other != pid && (member.stage == Stage::Joined || member.waiting) => {
                return Err(format!("processes {other} and {pid} both are {pe}: a PE is one process at a time"));
            }
            _ if version != VERSION => {
                let why = format!(
                    "its library speaks version {version} of the launcher's protocol, this oshrun speaks {VERSION}: \
                     use the oshrun that was installed with the library"
                );
                return Ok(Reply::One(ToPe::Refused { why }.frame()));
            }
            _ => member.speaker = Some(pid),
        }
        Ok(Reply::One(ToPe::Welcome { me: pe, nodes, secret }.frame()))
    }

    fn arrived(&mut self, pe: Pe, said: Vec<(String, Vec<u8>)>) -> Result<Reply, String> {
        let new = said.iter().filter(|(key, _)| !self.values.contains_key(key)).count();
        if said.len() > KEYS_MAX || self.values.len() + new > KEYS_MAX {
            return Err(format!("it publishes under more than {KEYS_MAX} keys"));
        }
        let member = &mut self.members[pe.0 as usize];
        member.said = said;
        member.waiting = true;
        self.waiting += 1;
        if self.waiting < self.members.len() { Ok(Reply::None) } else { Ok(Reply::All(self.release().frame())) }
    }

    /// Make what all have said visible.
    fn release(&mut self) -> ToPe {
        self.waiting = 0;
        let size = self.members.len();
        let mut entries = Vec::new();
        let mut bytes = 0;
        for (pe, member) in self.members.iter_mut().enumerate() {
            member.waiting = false;
            for (key, value) in mem::take(&mut member.said) {
                bytes += key.len() + value.len() + 12;
                if bytes <= INLINE_MAX {
                    entries.push(Entry { pe: Pe(pe as u32), key: key.clone(), value: value.clone() });
                }
                self.values.entry(key).or_insert_with(|| vec![None; size])[pe] = Some(value);
            }
        }
        ToPe::Released { entries: (bytes <= INLINE_MAX).then_some(entries) }
    }

    /// The value of `pe`, and those of the PEs after it that fit a page; nothing if `pe` has none.
    fn page(&self, pe: Pe, key: &str) -> ToPe {
        let column = self.values.get(key).map_or(&[][..], Vec::as_slice);
        let mut entries: Vec<Entry> = Vec::new();
        let mut bytes = 0;
        for (number, value) in column.iter().enumerate().skip(pe.0 as usize) {
            let Some(value) = value else { if entries.is_empty() { break } else { continue } };
            bytes += value.len() + KEY_MAX + 12;
            if bytes > INLINE_MAX && !entries.is_empty() {
                break;
            }
            entries.push(Entry { pe: Pe(number as u32), key: key.to_owned(), value: value.clone() });
        }
        ToPe::Found { entries }
    }

    /// A PE has ended without owing anything.
    pub fn left(&mut self, pe: Pe) {
        let member = &mut self.members[pe.0 as usize];
        self.gone += usize::from(!mem::replace(&mut member.gone, true));
    }

    /// If PEs wait for one that has ended: who is missing, and one who waits.
    pub fn stuck(&self) -> Option<(Pe, Pe)> {
        if self.gone == 0 || self.waiting == 0 {
            return None;
        }
        let number = |found: Option<usize>| found.map(|pe| Pe(pe as u32));
        let gone = number(self.members.iter().position(|member| member.gone))?;
        let waiting = number(self.members.iter().position(|member| member.waiting))?;
        Some((gone, waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn board(size: u32) -> Board {
        let mut board = Board::new(size, [9; 16]);
        for pe in 0..size {
            hello(&mut board, pe);
        }
        board
    }

    fn hello(board: &mut Board, pe: u32) -> ToPe {
        match board.heard(Pe(pe), 1000 + pe as i32, ToLauncher::Hello { version: VERSION }).unwrap() {
            Reply::One(frame) => ToPe::parse(&frame[4..]).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn says(board: &mut Board, pe: u32, message: ToLauncher) -> Result<Reply, String> {
        board.heard(Pe(pe), 1000 + pe as i32, message)
    }

    fn exchange(board: &mut Board, pe: u32, value: Vec<u8>) -> Reply {
        says(board, pe, ToLauncher::Exchange { said: vec![("k".into(), value)] }).unwrap()
    }

    fn lookup(board: &mut Board, pe: u32) -> Vec<Entry> {
        match says(board, 0, ToLauncher::Lookup { pe: Pe(pe), key: "k".into() }).unwrap() {
            Reply::One(frame) => match ToPe::parse(&frame[4..]).unwrap() {
                ToPe::Found { entries } => entries,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_to_arrive_releases_all_with_the_values_of_the_turn() {
        let mut board = board(3);
        for turn in 0..3_u8 {
            assert_eq!(exchange(&mut board, 2, vec![turn, 2]), Reply::None);
            assert_eq!(exchange(&mut board, 0, vec![turn, 0]), Reply::None);
            let Reply::All(frame) = exchange(&mut board, 1, vec![turn, 1]) else { panic!("nobody is released") };
            let ToPe::Released { entries: Some(entries) } = ToPe::parse(&frame[4..]).unwrap() else {
                panic!("no values")
            };
            assert_eq!(entries.iter().map(|e| e.value.clone()).collect::<Vec<_>>(), [[turn, 0], [turn, 1], [turn, 2]]);
        }
    }

    #[test]
    fn a_large_turn_is_read_by_the_page() {
        let mut board = board(100);
        let mut last = Reply::None;
        for pe in 0..100 {
            last = exchange(&mut board, pe, vec![pe as u8; 1000]);
        }
        let Reply::All(frame) = last else { panic!("nobody is released") };
        assert_eq!(ToPe::parse(&frame[4..]).unwrap(), ToPe::Released { entries: None });
        let (mut pe, mut pages) = (0, 0);
        while pe < 100 {
            let page = lookup(&mut board, pe);
            assert!(page.iter().all(|entry| entry.value == vec![entry.pe.0 as u8; 1000]));
            assert_eq!(page[0].pe, Pe(pe));
            pe = page.last().unwrap().pe.0 + 1;
            pages += 1;
        }
        assert_eq!(pages, 4);
        assert!(lookup(&mut board, 100).is_empty() && lookup(&mut board, u32::MAX).is_empty());
    }

    #[test]
    fn breaches_of_the_protocol_are_named() {
        let mut board = Board::new(2, [0; 16]);
        assert!(says(&mut board, 0, ToLauncher::Join).unwrap_err().contains("no greeting"));
        hello(&mut board, 0);
        says(&mut board, 0, ToLauncher::Join).unwrap();
        let other = board.heard(Pe(0), 7, ToLauncher::Hello { version: VERSION }).unwrap_err();
        assert!(other.contains("1000 and 7 both are PE 0"), "{other}");
        assert!(board.heard(Pe(0), 7, ToLauncher::Leave).unwrap_err().contains("process 7"));
        exchange(&mut board, 0, vec![]);
        let twice = says(&mut board, 0, ToLauncher::Exchange { said: vec![] }).unwrap_err();
        assert!(twice.contains("while another is open"), "{twice}");
        says(&mut board, 0, ToLauncher::Leave).unwrap();
        assert_eq!(board.stage(Pe(0)), Stage::Apart);
    }

    #[test]
    fn one_program_after_another_may_be_the_same_pe() {
        let mut board = board(1);
        for pid in [5, 6] {
            board.heard(Pe(0), pid, ToLauncher::Hello { version: VERSION }).unwrap();
            board.heard(Pe(0), pid, ToLauncher::Join).unwrap();
            board.heard(Pe(0), pid, ToLauncher::Leave).unwrap();
        }
        assert_eq!(board.speaker(Pe(0)), Some(6));
    }

    #[test]
    fn another_version_is_refused_politely() {
        let mut board = Board::new(1, [0; 16]);
        let Reply::One(frame) = board.heard(Pe(0), 5, ToLauncher::Hello { version: 99 }).unwrap() else { panic!() };
        let ToPe::Refused { why } = ToPe::parse(&frame[4..]).unwrap() else { panic!("was welcomed") };
        assert!(why.contains("version 99"), "{why}");
    }

    #[test]
    fn keys_are_bounded_and_values_are_replaced() {
        let mut board = board(1);
        for turn in 0..3 * KEYS_MAX {
            assert!(matches!(exchange(&mut board, 0, turn.to_le_bytes().to_vec()), Reply::All(_)));
        }
        assert_eq!(lookup(&mut board, 0)[0].value, (3 * KEYS_MAX - 1).to_le_bytes());
        let many = (0..KEYS_MAX).map(|key| (key.to_string(), vec![])).collect();
        assert!(says(&mut board, 0, ToLauncher::Exchange { said: many }).unwrap_err().contains("keys"));
    }

    fn any_message() -> impl Strategy<Value = ToLauncher> {
        prop_oneof![
            prop_oneof![Just(VERSION), any::<u32>()].prop_map(|version| ToLauncher::Hello { version }),
            Just(ToLauncher::Join),
            Just(ToLauncher::Leave),
            prop::collection::vec(("[ab]", prop::collection::vec(any::<u8>(), 0..40_000)), 0..3)
                .prop_map(|said| ToLauncher::Exchange { said }),
            (0..5_u32, "[ab]").prop_map(|(pe, key)| ToLauncher::Lookup { pe: Pe(pe), key }),
            Just(ToLauncher::Abort { code: 1, why: String::new() }),
        ]
    }

    proptest! {
        /// Whatever three PEs and two processes each say in whatever order: every answer is a frame that a PE can
        /// read, and all are released at once or none.
        #[test]
        fn any_talk_is_answered_by_frames(talk in prop::collection::vec((0..3_u32, 1..3_i32, any_message()), 0..60)) {
            let mut board = Board::new(3, [1; 16]);
            let mut waiting = 0;
            for (pe, pid, message) in talk {
                let exchange = matches!(message, ToLauncher::Exchange { .. });
                match board.heard(Pe(pe), pid, message) {
                    Ok(Reply::One(frame)) => prop_assert!(ToPe::parse(&frame[4..]).is_ok()),
                    Ok(Reply::All(frame)) => {
                        prop_assert!(ToPe::parse(&frame[4..]).is_ok());
                        prop_assert_eq!(mem::take(&mut waiting), 2);
                    }
                    Ok(Reply::None) => waiting += u32::from(exchange),
                    Ok(Reply::Abort { .. }) | Err(_) => {}
                }
                prop_assert_eq!(board.waiting, waiting as usize);
            }
        }
    }

    #[test]
    fn waiting_for_one_who_has_ended_is_noticed() {
        let mut board = board(3);
        board.left(Pe(2));
        assert_eq!(board.stuck(), None);
        exchange(&mut board, 1, vec![]);
        assert_eq!(board.stuck(), Some((Pe(2), Pe(1))));
    }
}
