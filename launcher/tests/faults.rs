//! Every system call of oshrun fails once: the k-th call of each of its processes and threads, for each k of a short job. The job then
//! succeeds all the same, or ends with one line that gives the reason. It never hangs, and leaves nothing behind.
//!
//! The test intercepts the calls with ptrace(2). A process that executes another program (a PE) is no longer traced.

mod job;

#[cfg(target_arch = "x86_64")]
#[path = "faults/tracer.rs"]
mod tracer;

#[cfg(target_arch = "x86_64")]
#[test]
fn every_system_call_may_fail_once() {
    use std::fmt::Write;
    if !tracer::is_allowed() {
        println!("skipped: ptrace is not allowed here");
        return;
    }
    let (mut wrong, mut runs) = (String::new(), 0);
    for role in 0.. {
        let mut reached = false;
        for call in 0.. {
            let ran = tracer::run(tracer::Fault { role, call });
            runs += 1;
            let Some(name) = &ran.failed else { break };
            reached = true;
            if let Err(why) = judge(&ran) {
                let (code, out, err) = (ran.code, &ran.out, &ran.err);
                let _ = writeln!(wrong, "role {role}, call {call} ({name}): {why}: code {code:?}, {out:?}, {err:?}");
            }
        }
        if !reached {
            break;
        }
    }
    println!("{runs} runs");
    assert!(runs > 100, "calls were not intercepted");
    assert!(wrong.is_empty(), "{wrong}");
}

#[cfg(target_arch = "x86_64")]
fn judge(ran: &tracer::Ran) -> Result<(), String> {
    if !ran.left.is_empty() {
        return Err(format!("processes are left: {:?}", ran.left));
    }
    // A PE that loses oshrun says so itself.
    let lines = ran.err.lines().filter(|line| !line.starts_with("pe: ")).count();
    match ran.code {
        None => Err("it hangs".into()),
        Some(0) if ran.out == tracer::OUTPUT && lines <= 1 => Ok(()),
        Some(0) => Err("it counts as a success".into()),
        Some(_) if lines == 1 => Ok(()),
        Some(_) => Err(format!("{lines} lines say why")),
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[test]
fn every_system_call_may_fail_once() {
    println!("skipped: how calls are intercepted is known for x86-64 alone");
}
