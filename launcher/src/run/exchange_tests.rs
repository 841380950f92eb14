//! The exchange of one host, and of trees of hosts with a key-value store at the root.

use super::*;
use ferrite_bootstrap::values::KeyValueStore;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The exchange of a host that has all PEs.
fn exchange(size: u32) -> BootExchange {
    let pes: Vec<Pe> = (0..size).map(Pe).collect();
    let mut exchange = BootExchange::new(NodeMap::one(size), Secret::of([9; 16]), &pes, 0);
    for pe in pes {
        hello(&mut exchange, pe, VERSION).unwrap();
    }
    exchange
}

fn hello(exchange: &mut BootExchange, pe: Pe, version: u32) -> Result<Vec<Outgoing>, String> {
    exchange.on_pe_message(pe, 1000 + pe.0 as i32, ToLauncher::Hello { version })
}

fn send(exchange: &mut BootExchange, pe: u32, message: ToLauncher) -> Result<Vec<Outgoing>, String> {
    exchange.on_pe_message(Pe(pe), 1000 + pe as i32, message)
}

fn exchange_message(key: &str, value: Vec<u8>) -> ToLauncher {
    ToLauncher::Exchange { published: vec![(key.into(), value)] }
}

fn entry(pe: u32, key: &str, value: &[u8]) -> Entry {
    Entry { pe: Pe(pe), key: key.into(), value: value.to_vec() }
}

#[test]
fn the_last_to_arrive_sends_all_upwards() {
    let mut exchange = exchange(3);
    for turn in 0..3_u8 {
        assert_eq!(send(&mut exchange, 2, exchange_message("k", vec![turn, 2])).unwrap(), []);
        assert_eq!(send(&mut exchange, 0, exchange_message("k", vec![turn, 0])).unwrap(), []);
        let messages = send(&mut exchange, 1, exchange_message("k", vec![turn, 1])).unwrap();
        let published = [2, 0, 1].map(|pe| entry(pe, "k", &[turn, pe as u8])).to_vec();
        assert_eq!(messages, [Outgoing::Up(Up::Published(published.clone())), Outgoing::Up(Up::Arrived)]);
        let messages = exchange.on_parent_message(Down::Released(Some(published.clone())));
        assert_eq!(messages[1], Outgoing::Pes(ToPe::Released { entries: Some(published) }));
    }
}

#[test]
fn lookup_during_an_exchange_is_answered() {
    let mut exchange = exchange(2);
    let values = vec![entry(1, "k", &[1])];
    exchange.on_parent_message(Down::Released(Some(values.clone())));
    send(&mut exchange, 0, exchange_message("k", vec![2])).unwrap();
    let answer = send(&mut exchange, 0, ToLauncher::Lookup { pe: Pe(1), key: "k".into() }).unwrap();
    assert_eq!(answer, [Outgoing::Pe(Pe(0), ToPe::Found { entries: values })]);
}

#[test]
fn breaches_of_the_protocol_are_named() {
    let mut exchange = BootExchange::new(NodeMap::one(2), Secret::of([0; 16]), &[Pe(0), Pe(1)], 0);
    assert!(send(&mut exchange, 0, ToLauncher::Join).unwrap_err().contains("not a greeting"));
    hello(&mut exchange, Pe(0), VERSION).unwrap();
    send(&mut exchange, 0, ToLauncher::Join).unwrap();
    let other = exchange.on_pe_message(Pe(0), 7, ToLauncher::Hello { version: VERSION }).unwrap_err();
    assert!(other.contains("1000 and 7 both are PE 0"), "{other}");
    assert!(exchange.on_pe_message(Pe(0), 7, ToLauncher::Leave).unwrap_err().contains("process 7"));
    send(&mut exchange, 0, exchange_message("k", vec![])).unwrap();
    let twice = send(&mut exchange, 0, exchange_message("k", vec![])).unwrap_err();
    assert!(twice.contains("before the last one was answered"), "{twice}");
    send(&mut exchange, 0, ToLauncher::Leave).unwrap();
    assert_eq!(exchange.stage(Pe(0)), Stage::Apart);
    let many = ToLauncher::Exchange { published: vec![("k".into(), vec![]); KEYS_MAX + 1] };
    hello(&mut exchange, Pe(1), VERSION).unwrap();
    assert!(send(&mut exchange, 1, many).unwrap_err().contains("more than"));
}

#[test]
fn one_program_after_another_may_be_the_same_pe() {
    let mut exchange = exchange(1);
    for pid in [5, 6] {
        exchange.on_pe_message(Pe(0), pid, ToLauncher::Hello { version: VERSION }).unwrap();
        exchange.on_pe_message(Pe(0), pid, ToLauncher::Join).unwrap();
        exchange.on_pe_message(Pe(0), pid, ToLauncher::Leave).unwrap();
    }
    assert_eq!(exchange.speaker(Pe(0)), Some(6));
}

#[test]
fn another_version_is_refused_politely() {
    let mut exchange = BootExchange::new(NodeMap::one(1), Secret::of([0; 16]), &[Pe(0)], 0);
    let messages = hello(&mut exchange, Pe(0), 99).unwrap();
    let [Outgoing::Pe(Pe(0), ToPe::Refused { why })] = &messages[..] else { panic!("was welcomed: {messages:?}") };
    assert!(why.contains("version 99"), "{why}");
    assert!(send(&mut exchange, 0, ToLauncher::Join).is_err());
}

#[test]
fn waiting_for_an_ended_pe_is_fatal() {
    let fatal =
        |messages: &[Outgoing]| messages.iter().any(|message| matches!(message, Outgoing::Up(Up::Fatal { .. })));
    // The other PE ended before, after, and on another host.
    let mut one = exchange(2);
    assert_eq!(one.left(Pe(1), "gone".into()), [Outgoing::Up(Up::PeLeft { pe: Pe(1), line: "gone".into() })]);
    assert!(fatal(&send(&mut one, 0, exchange_message("k", vec![])).unwrap()));
    let mut two = exchange(2);
    assert!(!fatal(&send(&mut two, 0, exchange_message("k", vec![])).unwrap()));
    assert!(fatal(&two.left(Pe(1), "gone".into())));
    let mut three = BootExchange::new(NodeMap::of([0, 1]), Secret::of([0; 16]), &[Pe(0)], 0);
    hello(&mut three, Pe(0), VERSION).unwrap();
    assert!(!fatal(&send(&mut three, 0, exchange_message("k", vec![])).unwrap()));
    let messages = three.on_parent_message(Down::PeLeft { pe: Pe(1), line: "gone".into() });
    let told = Up::Fatal { code: 1, line: "gone, and PE 0 waits for it in init or finalize".into(), spared: None };
    assert!(messages.contains(&Outgoing::Up(told)), "{messages:?}");
    // PEs that were released before do not wait.
    let mut four = exchange(1);
    send(&mut four, 0, exchange_message("k", vec![])).unwrap();
    four.on_parent_message(Down::Released(None));
    assert!(!fatal(&four.on_parent_message(Down::PeLeft { pe: Pe(1), line: "gone".into() })));
}

/// A tree of hosts, and the messages between them.
struct Tree {
    hosts: Vec<BootExchange>,
    /// For each host, its parent, and its index among the parent's agents.
    parents: Vec<Option<(usize, usize)>>,
    nodes: NodeMap,
    store: KeyValueStore,
    arrived: usize,
    /// The answers that PEs have received.
    answers: HashMap<Pe, VecDeque<ToPe>>,
    lookups: usize,
}

impl Tree {
    /// `above[i]` is the parent of host `i + 1`, and has a lower number.
    fn new(nodes: NodeMap, above: &[usize]) -> Tree {
        let mut below = vec![0; above.len() + 1];
        let mut parents = vec![None];
        for &parent in above {
            parents.push(Some((parent, below[parent])));
            below[parent] += 1;
        }
        let hosts = (0..).zip(&below).map(|(node, &below)| {
            let pes = nodes.pes_of(node);
            BootExchange::new(nodes.clone(), Secret::of([1; 16]), &pes, below)
        });
        let hosts = hosts.collect();
        let store = KeyValueStore::new(nodes.size());
        Tree { hosts, parents, nodes, store, arrived: 0, answers: HashMap::new(), lookups: 0 }
    }

    fn send(&mut self, pe: Pe, message: ToLauncher) {
        let at = self.nodes.node_of(pe) as usize;
        let messages = self.hosts[at].on_pe_message(pe, 1, message).unwrap();
        self.carry(at, messages);
    }

    fn carry(&mut self, at: usize, messages: Vec<Outgoing>) {
        for message in messages {
            match message {
                Outgoing::Pe(pe, answer) => self.answers.entry(pe).or_default().push_back(answer),
                Outgoing::Pes(answer) => {
                    for pe in self.nodes.pes_of(at as u32) {
                        self.answers.entry(pe).or_default().push_back(answer.clone());
                    }
                }
                Outgoing::Agent(agent, down) => self.down(at, agent, &down),
                Outgoing::Agents(down) => {
                    for agent in 0..self.hosts[at].agents {
                        self.down(at, agent, &down);
                    }
                }
                Outgoing::Up(up) => match self.parents[at] {
                    Some((parent, agent)) => {
                        let messages = self.hosts[parent].on_agent_message(agent, up);
                        self.carry(parent, messages);
                    }
                    None => self.top(up),
                },
            }
        }
    }

    fn down(&mut self, at: usize, agent: usize, down: &Down) {
        let child = self.parents.iter().position(|parent| *parent == Some((at, agent))).unwrap();
        let messages = self.hosts[child].on_parent_message(down.clone());
        self.carry(child, messages);
    }

    fn top(&mut self, up: Up) {
        let answer = match up {
            Up::Published(entries) => return self.store.publish(entries).unwrap(),
            Up::Arrived => {
                self.arrived += 1;
                Down::Released(self.store.release())
            }
            Up::Lookup { pe, key } => {
                self.lookups += 1;
                Down::Found { entries: self.store.page(pe, &key), pe, key }
            }
            other => panic!("{other:?}"),
        };
        let messages = self.hosts[0].on_parent_message(answer);
        self.carry(0, messages);
    }

    fn lookup(&mut self, me: Pe, pe: Pe, key: &str) -> Vec<Entry> {
        self.send(me, ToLauncher::Lookup { pe, key: key.into() });
        match self.answers.get_mut(&me).and_then(VecDeque::pop_front) {
            Some(ToPe::Found { entries }) => entries,
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    /// For any tree of hosts and any order of arrival: all PEs are released once, and every PE finds every value.
    #[test]
    fn a_tree_is_one_exchange(
        nodes in prop::collection::vec(0..6_u32, 1..20), parents in prop::collection::vec(any::<prop::sample::Index>(), 5),
        order in any::<prop::sample::Index>(), large: bool,
    ) {
        let nodes = NodeMap::of(nodes);
        let above: Vec<usize> = (1..nodes.nodes() as usize).map(|node| parents[node - 1].index(node)).collect();
        let mut tree = Tree::new(nodes.clone(), &above);
        let size = nodes.size();
        for pe in 0..size {
            tree.send(Pe(pe), ToLauncher::Hello { version: VERSION });
        }
        tree.answers.clear();
        for turn in 0..3_u8 {
            let value = |pe: u32| if large { [turn, pe as u8].repeat(8_000) } else { vec![turn, pe as u8] };
            let first = order.index(size as usize) as u32;
            for pe in (0..size).map(|pe| (pe + first) % size) {
                prop_assert!(tree.answers.is_empty());
                tree.send(Pe(pe), exchange_message("k", value(pe)));
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
        // Three hosts asked, and each host asks the root for a value only once.
        prop_assert!(tree.lookups <= 3 * 3 * size as usize);
    }
}

#[test]
fn a_page_is_asked_for_once_by_a_host() {
    let mut tree = Tree::new(NodeMap::of([0, 1, 1, 1, 2, 2]), &[0, 1]);
    for pe in 0..6 {
        tree.send(Pe(pe), ToLauncher::Hello { version: VERSION });
    }
    for pe in 0..6 {
        tree.send(Pe(pe), exchange_message("k", vec![pe as u8; 20_000]));
    }
    tree.answers.clear();
    for me in [5, 4, 3, 2, 1] {
        assert_eq!(tree.lookup(Pe(me), Pe(0), "k"), [entry(0, "k", &[0; 20_000])]);
    }
    assert_eq!(tree.lookups, 1, "the hosts between the root and the one that asked keep the answer");
    assert!(tree.lookup(Pe(5), Pe(9), "k").is_empty());
}

#[test]
fn a_pe_gets_pages_of_its_own_host_and_single_values_of_others() {
    let mut tree = Tree::new(NodeMap::of([0, 0, 1, 1, 1]), &[0]);
    for pe in 0..5 {
        tree.send(Pe(pe), ToLauncher::Hello { version: VERSION });
    }
    for pe in 0..5 {
        tree.send(Pe(pe), exchange_message("k", vec![pe as u8; 7_000]));
    }
    tree.answers.clear();
    // All values together are too many for the release, and a page holds four.
    let value = |pe: u32| entry(pe, "k", &[pe as u8; 7_000]);
    assert_eq!(tree.lookup(Pe(2), Pe(0), "k"), [value(0)]);
    assert_eq!(tree.lookup(Pe(3), Pe(1), "k"), [value(1)]);
    assert_eq!(tree.lookups, 1, "the page stays with the host");
    assert_eq!(tree.lookup(Pe(2), Pe(2), "k"), [value(2), value(3)]);
}

#[test]
fn names_of_pmi_are_the_whole_jobs() {
    let mut tree = Tree::new(NodeMap::of([0, 1]), &[0]);
    for pe in 0..2 {
        tree.send(Pe(pe), ToLauncher::Hello { version: VERSION });
    }
    for pe in 0..2 {
        tree.send(Pe(pe), exchange_message(&format!("{}card-{pe}", super::super::pmi::PREFIX), vec![pe as u8]));
    }
    tree.answers.clear();
    let key = format!("{}card-1", super::super::pmi::PREFIX);
    assert_eq!(tree.lookup(Pe(0), Pe(0), &key), [entry(0, &key, &[1])]);
}
