//! Reads a trace that `oshrun --trace` wrote.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How the model accounts for a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It takes as long as in the trace.
    AsMeasured,
    /// It sends data to a peer.
    Put,
    /// It sends a request to a peer and waits for the answer.
    Ask,
    /// It waits until everything that this PE sent has arrived.
    Settle,
    /// It waits for the put from which an arrow leads to it.
    Await,
    /// It is a collective of the team with this number.
    Collective(Algorithm, usize),
}

/// Kind of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Every collective that moves no data: barriers, and calls that create teams or allocate blocks.
    Barrier,
    /// One member's data go to all.
    Broadcast,
    /// All members' data are combined.
    Reduce,
    /// All members' data are put side by side.
    Fcollect,
    /// Each member sends a part of its data to each member.
    Alltoall,
    Scan,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The routine, as an index into [`Trace::routines`].
    pub routine: usize,
    /// When the call was entered, in nanoseconds.
    pub begin: u64,
    /// When the call returned, in nanoseconds.
    pub end: u64,
    /// The peer; for a wait, the PE that sent the data that ended it.
    pub peer: Option<u32>,
    /// Bytes that the call moves.
    pub bytes: u64,
    /// How the model accounts for the call.
    pub act: Act,
    /// Arrows that lead from this call.
    pub sends: Vec<u64>,
    /// The arrow that leads to this call.
    pub awaits: Option<u64>,
    /// Sequence number among the team's collectives, if the call is one.
    pub meeting: u64,
    /// How long the call took once the event that it waited for had happened: the last member of a collective had come, or the put that
    /// the arrow leads from had returned.
    pub after: After,
}

/// One collective of a team.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meeting {
    /// When its last member came.
    begin: u64,
    /// The member that came last.
    pub last: u32,
    came: usize,
    /// Members that returned before the last one came, in ascending order.
    pub early: Vec<u32>,
}

/// How a call that waits for other PEs ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// This many nanoseconds after the event that it waited for.
    Took(u64),
    /// Before the last member came.
    Early,
    /// The trace lacks the event that it waited for.
    Unknown,
}

impl After {
    /// For a call that returned at `end`, and waited for an event that happened at `there`.
    fn of(there: u64, end: u64) -> After {
        end.checked_sub(there).map_or(After::Early, After::Took)
    }
}

/// A trace: the calls of each PE's main thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The program and its arguments.
    pub program: String,
    /// Number of PEs on the first host.
    pub per_host: u32,
    /// The names of routines.
    pub routines: Vec<String>,
    /// The members of teams, in ascending order.
    pub teams: Vec<Vec<u32>>,
    /// The calls of each PE.
    pub pes: Vec<Vec<Call>>,
    /// The collectives for which the trace has every member's call, by team and number.
    pub meetings: HashMap<(usize, u64), Meeting>,
    /// Number of calls that are left out because other threads made them.
    pub left_out: u64,
}

type Result<T> = std::result::Result<T, String>;

/// Convert a time to nanoseconds. The trace has microseconds with three decimals.
fn ns(value: &Value) -> Option<u64> {
    Some((value.as_f64()? * 1000.0).round() as u64)
}

/// Read a trace's text.
pub fn read(text: &str) -> Result<Trace> {
    let json: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let ours = || "it is not a trace of oshrun".to_owned();
    let about = &json["otherData"];
    let events = json["traceEvents"].as_array().ok_or_else(ours)?;
    let pes = about["pes"].as_u64().filter(|&pes| 0 < pes && pes < 1 << 24).ok_or_else(ours)? as usize;
    let hosts = about["hosts"].as_array().ok_or_else(ours)?;
    let names: HashSet<_> = hosts.iter().map(Value::as_str).collect();
    if hosts.chunk_by(|one, next| one == next).count() > names.len() {
        return Err("its PEs take turns over the hosts: trace the program with `oshrun --map-by slot`".to_owned());
    }
    let per_host = hosts.iter().take_while(|host| *host == &hosts[0]).count().max(1) as u32;
    let program = about["program"].as_str().unwrap_or_default().to_owned();
    let mut trace = Trace {
        program,
        per_host,
        routines: Vec::new(),
        teams: Vec::new(),
        pes: vec![Vec::new(); pes],
        meetings: HashMap::new(),
        left_out: 0,
    };
    let mut slices = Slices::default();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        slices.add(&mut trace, event).ok_or_else(ours)?;
    }
    trace.teams = slices.teams.into_iter().map(|team| team.members).collect();
    meet(&mut trace);
    bind(&mut trace, events).ok_or_else(ours)?;
    Ok(trace)
}

#[derive(Default)]
struct Slices {
    routines: HashMap<String, usize>,
    numbers: HashMap<[u64; 4], usize>,
    teams: Vec<Team>,
}

struct Team {
    members: Vec<u32>,
}

impl Slices {
    fn add(&mut self, trace: &mut Trace, event: &Value) -> Option<()> {
        let (pe, thread) = (event["pid"].as_u64()? as usize, event["tid"].as_u64()?);
        if thread != 0 {
            trace.left_out += 1;
            return Some(());
        }
        let name = event["name"].as_str()?;
        let routine = *self.routines.entry(name.to_owned()).or_insert_with(|| {
            trace.routines.push(name.to_owned());
            trace.routines.len() - 1
        });
        let args = &event["args"];
        let begin = ns(&event["ts"])?;
        let peer = args["peer"].as_u64().and_then(|peer| u32::try_from(peer).ok());
        let team = args["collective"].as_array().and_then(|parts| self.team(parts, pe as u32));
        let meeting = args["collective"][4].as_u64().unwrap_or(0);
        let act = act(name, event["cat"].as_str()?, peer, team);
        let bytes = args["bytes"].as_u64().unwrap_or(0);
        let end = begin + ns(&event["dur"])?;
        let call = Call {
            routine,
            begin,
            end,
            peer,
            bytes,
            act,
            sends: Vec::new(),
            awaits: None,
            meeting,
            after: After::Unknown,
        };
        trace.pes.get_mut(pe)?.push(call);
        Some(())
    }

    /// Return the number of a team, and add this PE to its members.
    fn team(&mut self, parts: &[Value], pe: u32) -> Option<usize> {
        let [slot, born, first, size] = [0, 1, 2, 3].map(|at| parts.get(at).and_then(Value::as_u64));
        let team = [slot?, born?, first?, size?];
        let number = *self.numbers.entry(team).or_insert_with(|| {
            self.teams.push(Team { members: Vec::new() });
            self.teams.len() - 1
        });
        let members = &mut self.teams[number].members;
        if let Err(at) = members.binary_search(&pe) {
            members.insert(at, pe);
        }
        Some(number)
    }
}

/// How the model accounts for a call, by the routine's class and name.
fn act(name: &str, class: &str, peer: Option<u32>, team: Option<usize>) -> Act {
    let is = |word: &str| name.contains(word);
    match (class, peer, team) {
        ("put", Some(_), _) => Act::Put,
        ("get", Some(_), _) => Act::Ask,
        ("atomic", Some(_), _) if ["fetch", "swap", "fadd", "finc"].iter().any(|word| is(word)) => Act::Ask,
        ("atomic", Some(_), _) => Act::Put,
        ("fence, quiet", ..) if is("quiet") => Act::Settle,
        (_, _, Some(team)) if class != "wait" => {
            let algorithm = if is("broadcast") {
                Algorithm::Broadcast
            } else if is("alltoall") {
                Algorithm::Alltoall
            } else if is("scan") {
                Algorithm::Scan
            } else if is("collect") {
                Algorithm::Fcollect
            } else if is("reduce") || is("to_all") {
                Algorithm::Reduce
            } else {
                Algorithm::Barrier
            };
            Act::Collective(algorithm, team)
        }
        _ => Act::AsMeasured,
    }
}

/// Determine when the last member came to each collective, and how long each member's call took after that.
fn meet(trace: &mut Trace) {
    let collective = |call: &Call| match call.act {
        Act::Collective(_, team) => Some((team, call.meeting)),
        _ => None,
    };
    let mut meetings: HashMap<(usize, u64), Meeting> = HashMap::new();
    for (pe, call) in (0..).zip(&trace.pes).flat_map(|(pe, calls)| calls.iter().map(move |call| (pe, call))) {
        let Some(meeting) = collective(call).map(|at| meetings.entry(at).or_default()) else { continue };
        meeting.came += 1;
        if call.begin >= meeting.begin {
            (meeting.begin, meeting.last) = (call.begin, pe);
        }
    }
    meetings.retain(|&(team, _), meeting| meeting.came == trace.teams[team].len());
    for (pe, calls) in (0..).zip(&mut trace.pes) {
        for call in calls {
            let Some(meeting) = collective(call).and_then(|at| meetings.get_mut(&at)) else { continue };
            call.after = After::of(meeting.begin, call.end);
            if call.after == After::Early {
                meeting.early.push(pe);
            }
        }
    }
    trace.meetings = meetings;
}

/// Attach each arrow to its two calls. It starts when the first call begins, and ends when the second call returns.
fn bind(trace: &mut Trace, events: &[Value]) -> Option<()> {
    let mut begins: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    let mut ends = begins.clone();
    for (pe, calls) in trace.pes.iter_mut().enumerate() {
        calls.sort_by_key(|call| (call.begin, call.end));
        for (at, call) in calls.iter().enumerate() {
            begins.insert((pe, call.begin), at);
            ends.insert((pe, call.end), at);
        }
    }
    let mut from: HashMap<u64, (usize, usize)> = HashMap::new();
    for event in events.iter().filter(|event| event["ph"] == "s" && event["tid"] == 0) {
        let (id, pe) = (event["id"].as_u64()?, event["pid"].as_u64()? as usize);
        from.extend(begins.get(&(pe, ns(&event["ts"])?)).map(|&at| (id, (pe, at))));
    }
    for event in events.iter().filter(|event| event["ph"] == "f" && event["tid"] == 0) {
        let (id, pe) = (event["id"].as_u64()?, event["pid"].as_u64()? as usize);
        let (Some(&(sender, sent)), Some(&at)) = (from.get(&id), ends.get(&(pe, ns(&event["ts"])?))) else { continue };
        if trace.pes[sender][sent].act == Act::Put {
            let put = &mut trace.pes[sender][sent];
            put.sends.push(id);
            let there = put.end;
            let wait = &mut trace.pes[pe][at];
            (wait.awaits, wait.act, wait.peer) = (Some(id), Act::Await, u32::try_from(sender).ok());
            // If the wait ended before the put returned, it saw the data at once.
            wait.after = After::Took(wait.end.saturating_sub(there.max(wait.begin)));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_belong_to_calls() {
        let text = r#"{"otherData":{"program":"p","pes":2,"hosts":["a","b"]},"traceEvents":[
            {"ph":"M","name":"process_name","pid":0,"args":{"name":"PE 0"}},
            {"ph":"X","name":"shmem_put_signal","cat":"put","pid":0,"tid":0,"ts":1.000,"dur":0.500,"args":{"peer":1,"bytes":8}},
            {"ph":"X","name":"shmem_barrier_all","cat":"collective","pid":0,"tid":0,"ts":4.000,"dur":1.000,"args":{"collective":[0,0,0,2,0]}},
            {"ph":"X","name":"shmem_barrier_all","cat":"collective","pid":1,"tid":0,"ts":4.000,"dur":1.000,"args":{"collective":[0,0,0,2,0]}},
            {"ph":"X","name":"shmem_wait_until","cat":"wait","pid":1,"tid":0,"ts":0.250,"dur":2.000,"args":{"bytes":8}},
            {"ph":"X","name":"shmem_quiet","cat":"fence, quiet","pid":1,"tid":1,"ts":0.1,"dur":2.0,"args":{}},
            {"ph":"s","name":"put to wait","cat":"flow","id":7,"pid":0,"tid":0,"ts":1.000},
            {"ph":"f","bp":"e","name":"put to wait","cat":"flow","id":7,"pid":1,"tid":0,"ts":2.250}]}"#;
        let trace = read(text).unwrap();
        assert_eq!((trace.per_host, trace.left_out, &trace.teams[..]), (1, 1, &[vec![0, 1]][..]));
        let [put, barrier] = &trace.pes[0][..] else { panic!("{trace:?}") };
        let wait = &trace.pes[1][0];
        assert_eq!((put.act, &put.sends[..], put.begin, put.end), (Act::Put, &[7][..], 1000, 1500));
        assert_eq!((wait.act, wait.awaits), (Act::Await, Some(7)));
        assert_eq!(barrier.act, Act::Collective(Algorithm::Barrier, 0));
    }

    #[test]
    fn hosts_whose_pes_have_scattered_numbers_are_refused() {
        let of = |hosts: &str| read(&format!(r#"{{"otherData":{{"pes":4,"hosts":[{hosts}]}},"traceEvents":[]}}"#));
        assert_eq!(of(r#""a","a","b","b""#).unwrap().per_host, 2);
        assert!(of(r#""a","b","a","b""#).is_err_and(|error| error.contains("--map-by slot")));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "{}", "[]", r#"{"traceEvents":[]}"#, r#"{"otherData":{"pes":0,"hosts":[]},"traceEvents":[]}"#]
        {
            assert!(read(text).is_err_and(|error| error.starts_with("it is not ")), "{text}");
        }
    }
}
