//! Boards by themselves, and in trees with an archive at the root.

use super::*;
use crate::run::archive::Archive;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The board of a host that has all PEs.
fn board(size: u32) -> Board {
    let pes: Vec<Pe> = (0..size).map(Pe).collect();
    let mut board = Board::new(NodeMap::one(size), [9; 16], &pes, 0);
    for pe in pes {
        hello(&mut board, pe, VERSION).unwrap();
    }
    board
}

fn hello(board: &mut Board, pe: Pe, version: u32) -> Result<Vec<Post>, String> {
    board.heard(pe, 1000 + pe.0 as i32, ToLauncher::Hello { version })
}

fn says(board: &mut Board, pe: u32, message: ToLauncher) -> Result<Vec<Post>, String> {
    board.heard(Pe(pe), 1000 + pe as i32, message)
}

fn exchange(key: &str, value: Vec<u8>) -> ToLauncher {
    ToLauncher::Exchange { said: vec![(key.into(), value)] }
}

fn entry(pe: u32, key: &str, value: &[u8]) -> Entry {
    Entry { pe: Pe(pe), key: key.into(), value: value.to_vec() }
}

#[test]
fn the_last_to_arrive_sends_all_upwards() {
    let mut board = board(3);
    for turn in 0..3_u8 {
        assert_eq!(says(&mut board, 2, exchange("k", vec![turn, 2])).unwrap(), []);
        assert_eq!(says(&mut board, 0, exchange("k", vec![turn, 0])).unwrap(), []);
        let posts = says(&mut board, 1, exchange("k", vec![turn, 1])).unwrap();
        let said = [2, 0, 1].map(|pe| entry(pe, "k", &[turn, pe as u8])).to_vec();
        assert_eq!(posts, [Post::Up(Up::Said(said.clone())), Post::Up(Up::Arrived)]);
        let posts = board.heard_above(Down::Released(Some(said.clone())));
        assert_eq!(posts[1], Post::Pes(ToPe::Released { entries: Some(said) }));
    }
}

#[test]
fn breaches_of_the_protocol_are_named() {
    let mut board = Board::new(NodeMap::one(2), [0; 16], &[Pe(0), Pe(1)], 0);
    assert!(says(&mut board, 0, ToLauncher::Join).unwrap_err().contains("no greeting"));
    hello(&mut board, Pe(0), VERSION).unwrap();
    says(&mut board, 0, ToLauncher::Join).unwrap();
    let other = board.heard(Pe(0), 7, ToLauncher::Hello { version: VERSION }).unwrap_err();
    assert!(other.contains("1000 and 7 both are PE 0"), "{other}");
    assert!(board.heard(Pe(0), 7, ToLauncher::Leave).unwrap_err().contains("process 7"));
    says(&mut board, 0, exchange("k", vec![])).unwrap();
    let twice = says(&mut board, 0, exchange("k", vec![])).unwrap_err();
    assert!(twice.contains("while another is open"), "{twice}");
    says(&mut board, 0, ToLauncher::Leave).unwrap();
    assert_eq!(board.stage(Pe(0)), Stage::Apart);
    let many = ToLauncher::Exchange { said: vec![("k".into(), vec![]); KEYS_MAX + 1] };
    hello(&mut board, Pe(1), VERSION).unwrap();
    assert!(says(&mut board, 1, many).unwrap_err().contains("more than"));
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
    let mut board = Board::new(NodeMap::one(1), [0; 16], &[Pe(0)], 0);
    let posts = hello(&mut board, Pe(0), 99).unwrap();
    let [Post::Pe(Pe(0), ToPe::Refused { why })] = &posts[..] else { panic!("was welcomed: {posts:?}") };
    assert!(why.contains("version 99"), "{why}");
    assert!(says(&mut board, 0, ToLauncher::Join).is_err());
}

#[test]
fn who_waits_for_one_that_has_ended_ends_the_job() {
    let fatal = |posts: &[Post]| posts.iter().any(|post| matches!(post, Post::Up(Up::Fatal { .. })));
    // Ended before, after, and on another host.
    let mut one = board(2);
    assert_eq!(one.left(Pe(1), "gone".into()), [Post::Up(Up::Left { pe: Pe(1), line: "gone".into() })]);
    assert!(fatal(&says(&mut one, 0, exchange("k", vec![])).unwrap()));
    let mut two = board(2);
    assert!(!fatal(&says(&mut two, 0, exchange("k", vec![])).unwrap()));
    assert!(fatal(&two.left(Pe(1), "gone".into())));
    let mut three = Board::new(NodeMap::of([0, 1]), [0; 16], &[Pe(0)], 0);
    hello(&mut three, Pe(0), VERSION).unwrap();
    assert!(!fatal(&says(&mut three, 0, exchange("k", vec![])).unwrap()));
    let posts = three.heard_above(Down::Left { pe: Pe(1), line: "gone".into() });
    let told =
        Up::Fatal { code: 1, line: "gone, and PE 0 waits for it in shmem_init or shmem_finalize".into(), spared: None };
    assert!(posts.contains(&Post::Up(told)), "{posts:?}");
    // Those who were released before do not wait.
    let mut four = board(1);
    says(&mut four, 0, exchange("k", vec![])).unwrap();
    four.heard_above(Down::Released(None));
    assert!(!fatal(&four.heard_above(Down::Left { pe: Pe(1), line: "gone".into() })));
}

/// A tree of boards, and what is under way in it.
struct Tree {
    boards: Vec<Board>,
    /// Of each board, the one above and its place there.
    above: Vec<Option<(usize, usize)>>,
    nodes: NodeMap,
    archive: Archive,
    arrived: usize,
    /// What PEs were answered.
    answers: HashMap<Pe, VecDeque<ToPe>>,
    lookups: usize,
}

impl Tree {
    /// `above[i]` is the board above board `i + 1`, and before it.
    fn new(nodes: NodeMap, above: &[usize]) -> Tree {
        let mut below = vec![0; above.len() + 1];
        let mut places = vec![None];
        for &parent in above {
            places.push(Some((parent, below[parent])));
            below[parent] += 1;
        }
        let boards = (0..).zip(&below).map(|(node, &below)| {
            let pes = nodes.pes_of(node);
            Board::new(nodes.clone(), [1; 16], &pes, below)
        });
        let boards = boards.collect();
        let archive = Archive::new(nodes.size());
        Tree { boards, above: places, nodes, archive, arrived: 0, answers: HashMap::new(), lookups: 0 }
    }

    fn says(&mut self, pe: Pe, message: ToLauncher) {
        let at = self.nodes.node_of(pe) as usize;
        let posts = self.boards[at].heard(pe, 1, message).unwrap();
        self.carry(at, posts);
    }

    fn carry(&mut self, at: usize, posts: Vec<Post>) {
        for post in posts {
            match post {
                Post::Pe(pe, answer) => self.answers.entry(pe).or_default().push_back(answer),
                Post::Pes(answer) => {
                    for pe in self.nodes.pes_of(at as u32) {
                        self.answers.entry(pe).or_default().push_back(answer.clone());
                    }
                }
                Post::Branch(branch, down) => self.down(at, branch, &down),
                Post::Branches(down) => {
                    for branch in 0..self.boards[at].branches {
                        self.down(at, branch, &down);
                    }
                }
                Post::Up(up) => match self.above[at] {
                    Some((parent, branch)) => {
                        let posts = self.boards[parent].heard_below(branch, up);
                        self.carry(parent, posts);
                    }
                    None => self.top(up),
                },
            }
        }
    }

    fn down(&mut self, at: usize, branch: usize, down: &Down) {
        let child = self.above.iter().position(|above| *above == Some((at, branch))).unwrap();
        let posts = self.boards[child].heard_above(down.clone());
        self.carry(child, posts);
    }

    fn top(&mut self, up: Up) {
        let answer = match up {
            Up::Said(entries) => return self.archive.said(entries).unwrap(),
            Up::Arrived => {
                self.arrived += 1;
                Down::Released(self.archive.release())
            }
            Up::Lookup { pe, key } => {
                self.lookups += 1;
                Down::Found { entries: self.archive.page(pe, &key), pe, key }
            }
            other => panic!("{other:?}"),
        };
        let posts = self.boards[0].heard_above(answer);
        self.carry(0, posts);
    }

    fn lookup(&mut self, me: Pe, pe: Pe, key: &str) -> Vec<Entry> {
        self.says(me, ToLauncher::Lookup { pe, key: key.into() });
        match self.answers.get_mut(&me).and_then(VecDeque::pop_front) {
            Some(ToPe::Found { entries }) => entries,
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    /// Over any tree of hosts, whoever comes in whichever order: all are released once, and anyone finds anything.
    #[test]
    fn a_tree_is_one_board(
        nodes in prop::collection::vec(0..6_u32, 1..20), parents in prop::collection::vec(any::<prop::sample::Index>(), 5),
        order in any::<prop::sample::Index>(), large: bool,
    ) {
        let nodes = NodeMap::of(nodes);
        let above: Vec<usize> = (1..nodes.nodes() as usize).map(|node| parents[node - 1].index(node)).collect();
        let mut tree = Tree::new(nodes.clone(), &above);
        let size = nodes.size();
        for pe in 0..size {
            tree.says(Pe(pe), ToLauncher::Hello { version: VERSION });
        }
        tree.answers.clear();
        for turn in 0..3_u8 {
            let value = |pe: u32| if large { [turn, pe as u8].repeat(8_000) } else { vec![turn, pe as u8] };
            let first = order.index(size as usize) as u32;
            for pe in (0..size).map(|pe| (pe + first) % size) {
                prop_assert!(tree.answers.is_empty());
                tree.says(Pe(pe), exchange("k", value(pe)));
            }
            prop_assert_eq!(tree.arrived, usize::from(turn) + 1);
            let released: Vec<ToPe> = mem::take(&mut tree.answers).into_values().flatten().collect();
            prop_assert_eq!(released.len(), size as usize);
            for me in [0, size / 2, size - 1].map(Pe) {
                for pe in 0..size {
                    prop_assert_eq!(&tree.lookup(me, Pe(pe), "k")[0], &entry(pe, "k", &value(pe)));
                }
            }
            tree.answers.clear();
        }
        // One host asks the root for a value once, and three hosts asked.
        prop_assert!(tree.lookups <= 3 * 3 * size as usize);
    }
}

#[test]
fn a_page_is_asked_for_once_by_a_host() {
    let mut tree = Tree::new(NodeMap::of([0, 1, 1, 1, 2, 2]), &[0, 1]);
    for pe in 0..6 {
        tree.says(Pe(pe), ToLauncher::Hello { version: VERSION });
    }
    for pe in 0..6 {
        tree.says(Pe(pe), exchange("k", vec![pe as u8; 20_000]));
    }
    tree.answers.clear();
    for me in [5, 4, 3, 2, 1] {
        assert_eq!(tree.lookup(Pe(me), Pe(0), "k"), [entry(0, "k", &[0; 20_000])]);
    }
    assert_eq!(tree.lookups, 1, "the hosts between the root and the one that asked keep the answer");
    assert!(tree.lookup(Pe(5), Pe(9), "k").is_empty());
}

#[test]
fn names_of_pmi_are_the_whole_jobs() {
    let mut tree = Tree::new(NodeMap::of([0, 1]), &[0]);
    for pe in 0..2 {
        tree.says(Pe(pe), ToLauncher::Hello { version: VERSION });
    }
    for pe in 0..2 {
        tree.says(Pe(pe), exchange(&format!("{}card-{pe}", super::super::pmi::PREFIX), vec![pe as u8]));
    }
    tree.answers.clear();
    let key = format!("{}card-1", super::super::pmi::PREFIX);
    assert_eq!(tree.lookup(Pe(0), Pe(0), &key), [entry(0, &key, &[1])]);
}
