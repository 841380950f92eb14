//! The trace meets the requirements of Chrome's and Perfetto's viewers.

mod sample;

use serde_json::Value;
use std::collections::BTreeMap;

fn trace() -> Value {
    let mut bytes = Vec::new();
    ferrite_profile::chrome::write(&sample::neighbours(4), &mut bytes).expect("memory takes all");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn every_event_has_what_its_phase_asks_for() {
    let trace = trace();
    let events = trace["traceEvents"].as_array().expect("a list");
    let number = |event: &Value, field: &str| assert!(event[field].is_number(), "{field} of {event}");
    let mut phases: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        let phase = event["ph"].as_str().expect("a phase");
        *phases.entry(phase).or_default() += 1;
        assert!(event["name"].is_string(), "{event}");
        number(event, "pid");
        match phase {
            "M" => assert!(event["args"].is_object(), "{event}"),
            "X" => {
                ["tid", "ts", "dur"].iter().for_each(|field| number(event, field));
                assert!(
                    event["dur"].as_f64() >= Some(0.0) && event["args"].is_object() && event["cat"].is_string(),
                    "{event}"
                );
            }
            "s" | "f" => {
                ["tid", "ts", "id"].iter().for_each(|field| number(event, field));
                assert_eq!(event["bp"], if phase == "f" { Value::from("e") } else { Value::Null });
            }
            other => panic!("phase {other} is not written"),
        }
    }
    // 4 PEs, each with 40 puts, waits and barriers; a name and a place for each, and a thread.
    assert_eq!(phases, BTreeMap::from([("M", 12), ("X", 480), ("f", 160), ("s", 160)]));
}

#[test]
fn arrows_lead_from_a_put_to_the_wait_that_it_ends() {
    let trace = trace();
    let events = trace["traceEvents"].as_array().expect("a list");
    let enclosing = |arrow: &Value| {
        let at = arrow["ts"].as_f64().expect("a time");
        events.iter().find(|one| {
            let (begin, length) = (one["ts"].as_f64(), one["dur"].as_f64());
            let within = begin.zip(length).is_some_and(|(begin, length)| begin <= at && at <= begin + length + 1e-6);
            one["ph"] == "X" && one["pid"] == arrow["pid"] && within
        })
    };
    let arrows = |phase: &'static str| events.iter().filter(move |one| one["ph"] == phase);
    for (from, to) in arrows("s").zip(arrows("f")) {
        assert_eq!(from["id"], to["id"]);
        let (put, wait) = (enclosing(from).expect("a put"), enclosing(to).expect("a wait"));
        assert_eq!((&put["name"], &wait["name"]), (&"shmem_putmem_signal".into(), &"shmem_signal_wait_until".into()));
        assert_eq!(put["args"]["peer"], wait["pid"]);
    }
}
