//! Traces whose replay can be calculated by hand, and their replay with other numbers of PEs.

use ferrite_replay::{network, replay::replay, report, trace};
use ferrite_sim::model::{Link, Machine};

/// A ring of `pes` PEs on hosts of `per_host`: each computes 10 us, puts 8 bytes to the next with a signal, waits for the bytes of
/// the previous, and meets all.
fn ring(pes: u32, per_host: u32, rounds: u32) -> String {
    let mut events = Vec::new();
    for pe in 0..pes {
        for round in 0..rounds {
            let at = f64::from(round) * 20.0;
            let slice = |name: &str, class: &str, ts: f64, args: String| {
                format!(
                    r#"{{"ph":"X","name":"{name}","cat":"{class}","pid":{pe},"tid":0,"ts":{ts:.3},"dur":1.000,"args":{{{args}}}}}"#
                )
            };
            let arrow = |ph: &str, id: u32, ts: f64| {
                format!(r#"{{"ph":"{ph}","name":"put to wait","id":{id},"pid":{pe},"tid":0,"ts":{ts:.3}}}"#)
            };
            let (next, id) = ((pe + 1) % pes, |pe: u32| round * pes + pe);
            events.push(slice("shmem_put_signal", "put", at + 10.0, format!(r#""peer":{next},"bytes":8"#)));
            events.push(slice("shmem_signal_wait_until", "wait", at + 12.0, String::new()));
            events.push(slice(
                "shmem_barrier_all",
                "collective",
                at + 15.0,
                format!(r#""collective":[0,0,0,{pes},{round}]"#),
            ));
            events.push(arrow("s", id(pe), at + 10.0));
            events.push(arrow("f", id((pe + pes - 1) % pes), at + 13.0));
        }
    }
    let hosts: Vec<String> = (0..pes).map(|pe| format!("\"h{}\"", pe / per_host)).collect();
    format!(
        r#"{{"otherData":{{"program":"ring","pes":{pes},"hosts":[{}]}},"traceEvents":[{}]}}"#,
        hosts.join(","),
        events.join(",")
    )
}

/// Between nodes 2 us and nothing else; within them nothing.
fn plain() -> Machine {
    let nothing = Link { latency: 0, overhead: 0, gap: 0, gap_per_byte: 0 };
    Machine { near: nothing, far: Link { latency: 2_000_000, ..nothing }, ..Machine::TYPICAL }
}

#[test]
fn each_message_costs_what_the_model_says() {
    let trace = trace::read(&ring(2, 1, 1)).unwrap();
    let outcome = replay(&trace, 2, plain()).unwrap();
    // 10 us to the put, 1 us between put and wait, whose message has 1 us to go; 2 us to the barrier, which is one message each.
    assert_eq!(outcome.time, 16_000_000);
    let by_name = |name: &str| outcome.routines[trace.routines.iter().position(|one| one == name).unwrap()];
    assert_eq!(by_name("shmem_put_signal"), 0);
    assert_eq!(by_name("shmem_signal_wait_until"), 2 * 1_000_000);
    assert_eq!(by_name("shmem_barrier_all"), 2 * 2_000_000);
}

#[test]
fn what_stays_on_a_host_takes_what_it_took() {
    let trace = trace::read(&ring(4, 4, 3)).unwrap();
    let outcome = replay(&trace, 4, plain()).unwrap();
    let put = trace.routines.iter().position(|one| one == "shmem_put_signal").unwrap();
    assert_eq!(outcome.routines[put], 4 * 3 * 1_000_000);
}

/// A trace of PEs that share two cores: PEs wait until long after the awaited event.
fn crowded(pes: u32, rounds: u32) -> String {
    let mut json: serde_json::Value = serde_json::from_str(&ring(pes, pes, rounds)).unwrap();
    for event in json["traceEvents"].as_array_mut().unwrap() {
        let (pe, slow) = (event["pid"].as_u64().unwrap(), event["name"] != "shmem_put_signal" && event["ph"] == "X");
        if slow && pe % 2 == 1 {
            event["dur"] = serde_json::json!(2.5);
        }
        if event["ph"] == "f" && pe % 2 == 1 {
            event["ts"] = serde_json::json!(event["ts"].as_f64().unwrap() + 1.5);
        }
    }
    json.to_string()
}

/// The replay of that trace: each routine takes nearly its measured time, although the machine was slower than any model.
#[test]
fn a_run_of_eight_on_one_host_is_told_again_within_a_factor_of_two() {
    let trace = trace::read(&crowded(8, 20)).unwrap();
    let outcome = replay(&trace, 8, network::known("infiniband").unwrap()).unwrap();
    for (at, measured) in report::measured(&trace).into_iter().enumerate() {
        let factor = outcome.routines[at] as f64 / measured as f64;
        assert!((0.5..=2.0).contains(&factor), "{}: {factor}", trace.routines[at]);
    }
}

/// A root that goes on at once does not wait in the replay either.
#[test]
fn who_went_on_before_the_last_came_waits_for_nobody() {
    let slice = |pe: u32, ts: f64, dur: f64| {
        format!(
            r#"{{"ph":"X","name":"shmem_broadcast","cat":"collective","pid":{pe},"tid":0,"ts":{ts:.3},"dur":{dur:.3},"args":{{"collective":[0,0,0,2,0],"bytes":8}}}}"#
        )
    };
    let events = [slice(0, 1.0, 0.5), slice(1, 10.0, 1.0)].join(",");
    let text = format!(r#"{{"otherData":{{"program":"p","pes":2,"hosts":["h","h"]}},"traceEvents":[{events}]}}"#);
    let outcome = replay(&trace::read(&text).unwrap(), 2, plain()).unwrap();
    assert_eq!((outcome.time, outcome.routines[0]), (11_000_000, 1_500_000));
}

/// Two PEs exchange blocks of 1,000 bytes, whether or not the job has PEs that take no part.
#[test]
fn an_all_to_all_of_a_team_has_blocks_for_its_members_only() {
    let slice = |pe: u32| {
        format!(
            r#"{{"ph":"X","name":"shmem_alltoallmem","cat":"collective","pid":{pe},"tid":0,"ts":1.0,"dur":1.0,"args":{{"collective":[1,0,0,2,0],"bytes":2000}}}}"#
        )
    };
    let machine = Machine { far: Link { gap_per_byte: 1_000, ..plain().far }, ..plain() };
    for hosts in [r#""a","b""#, r#""a","b","c","d""#] {
        let pes = hosts.split(',').count() as u32;
        let text = format!(
            r#"{{"otherData":{{"program":"p","pes":{pes},"hosts":[{hosts}]}},"traceEvents":[{},{}]}}"#,
            slice(0),
            slice(1)
        );
        let outcome = replay(&trace::read(&text).unwrap(), pes, machine).unwrap();
        assert_eq!(outcome.time, 1_000_000 + 2_000_000 + 1_000 * 1_000, "{pes} PEs");
    }
}

#[test]
fn more_pes_talk_to_their_own_neighbours() {
    let trace = trace::read(&ring(8, 4, 5)).unwrap();
    let machine = network::known("slingshot").unwrap();
    let mut last = 0;
    for pes in [8, 64, 512] {
        let outcome = replay(&trace, pes, machine).unwrap();
        assert!(outcome.time > last, "{pes} PEs");
        last = outcome.time;
    }
    assert!(replay(&trace, 12, machine).is_err_and(|error| error == "12 PEs are no multiple of the trace's 8"));
}

#[test]
fn the_report_names_routines_and_limits() {
    let trace = trace::read(&ring(8, 4, 5)).unwrap();
    let text = report::report(&trace, 64, network::known("infiniband").unwrap()).unwrap();
    for line in ["shmem_barrier_all", "the whole run", "would be saved by no latency between nodes"] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn calls_that_wait_for_each_other_are_told() {
    // The second barrier, which one of two never enters.
    let mut json: serde_json::Value = serde_json::from_str(&ring(2, 1, 2)).unwrap();
    let is_missing = |event: &serde_json::Value| {
        event["pid"] == 1 && event["name"] == "shmem_barrier_all" && event["ts"].as_f64() > Some(30.0)
    };
    json["traceEvents"].as_array_mut().unwrap().retain(|event| !is_missing(event));
    let trace = trace::read(&json.to_string()).unwrap();
    assert!(replay(&trace, 2, plain()).is_err_and(|error| error.contains("it lacks some")));
}
