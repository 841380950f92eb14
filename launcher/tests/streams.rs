//! Standard streams: lines are whole, nothing is lost, and PE 0 gets the input.

mod job;

use job::{command, run, start_with_input};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;

#[test]
fn lines_never_mix_and_nothing_is_lost() {
    // 8 PEs, 1.25 MB each: lines of 100, 9,000 and 300,000 bytes, each of one letter.
    let script = r#"
        letter=$(printf 'ABCDEFGH' | cut -c$((FERRITE_PE + 1)))
        for length in 300000 300000 300000 300000; do
            head -c $length /dev/zero | tr '\0' $letter; echo
            for i in 1 2 3 4 5; do head -c 9000 /dev/zero | tr '\0' $letter; echo; printf '%0100d\n' 0 | tr 0 $letter; done
        done
        printf "$letter at the end"
    "#;
    let ran = run(&["-n", "8", "sh", "-c", script]);
    let mut lengths: HashMap<char, usize> = HashMap::new();
    for line in ran.went_well().lines() {
        let letter = line.chars().next().unwrap();
        let body = line.strip_suffix(" at the end").unwrap_or(line);
        assert!(body.chars().all(|c| c == letter), "lines are mixed");
        assert!([1, 100, 9000, 300_000].contains(&body.len()), "a line of {} bytes", body.len());
        *lengths.entry(letter).or_default() += body.len();
    }
    assert_eq!(lengths.len(), 8);
    assert!(lengths.values().all(|&length| length == 4 * 300_000 + 20 * 9100 + 1), "{lengths:?}");
}

/// Output that a PE prints before it fails comes before oshrun's own line, in each of many runs.
#[test]
fn the_reason_comes_before_the_verdict() {
    for _ in 0..30 {
        let ran = run(&["-n", "1", "sh", "-c", "echo the reason >&2; exit 3"]);
        let lines: Vec<&str> = ran.err.lines().collect();
        let [reason, verdict] = lines[..] else { panic!("{}", ran.err) };
        assert!(reason == "the reason" && verdict.contains("exited with 3"), "{}", ran.err);
    }
}

#[test]
fn one_pe_s_output_comes_byte_for_byte() {
    assert_eq!(run(&["-n", "1", "printf", "no end of line"]).went_well(), "no end of line");
    assert_eq!(run(&["-n", "1", "printf", "a\\n\\n\\000b"]).went_well(), "a\n\n\0b");
    let ran = run(&["-n", "1", "sh", "-c", "echo out; echo err >&2"]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("out\n", "err\n"));
}

/// The two ends of a terminal: the test's, and the program's.
fn terminal() -> (OwnedFd, OwnedFd) {
    use rustix::{fs, pty};
    let ours = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).unwrap();
    pty::grantpt(&ours).unwrap();
    pty::unlockpt(&ours).unwrap();
    let name = pty::ptsname(&ours, Vec::new()).unwrap();
    let theirs = fs::open(name.as_c_str(), fs::OFlags::RDWR | fs::OFlags::NOCTTY, fs::Mode::empty()).unwrap();
    (ours, theirs)
}

/// The second host starts only after the test has seen that the first has started.
#[test]
fn start_progress_is_shown_only_on_a_terminal() {
    let gate = std::env::temp_dir().join(format!("start-gate-{}", std::process::id()));
    // The loop is bounded, in case the test fails.
    let wait = format!("for i in $(seq 6000); do [ -e {} ] && break; sleep 0.05; done", gate.display());
    let script = format!("if [ \"$0\" = hb ]; then {wait}; fi; exec \"$@\"");
    let rsh = format!("sh -c '{script}' {{host}}");
    let options = ["--host", "ha,hb", "--rsh", &rsh, "--bind-to", "none", "--host-timeout", "300"];
    let over_hosts = || command(&[&options[..], &["echo", "up"]].concat());
    let piped = start_with_input(over_hosts(), b"");
    let (ours, theirs) = terminal();
    let mut shown = over_hosts();
    shown.stdin(Stdio::null()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut oshrun = shown.spawn().unwrap();
    // Close the command's copies of the terminal.
    drop(shown);
    let opened = gate.clone();
    let text = in_time(move || {
        let (mut terminal, mut text, mut chunk) = (std::fs::File::from(ours), String::new(), [0; 4096]);
        // Reading is an error once no process has the terminal open.
        while let Ok(got @ 1..) = terminal.read(&mut chunk) {
            text.push_str(str::from_utf8(&chunk[..got]).unwrap());
            if text.contains("1 of 2 hosts") && !opened.exists() {
                std::fs::write(&opened, "").unwrap();
            }
        }
        text
    });
    assert!(oshrun.wait().unwrap().success(), "{text:?}");
    assert_eq!(piped.finish().went_well(), "up\nup\n");
    std::fs::remove_file(&gate).unwrap();
    // The text that remains when carriage returns take effect.
    let status = "oshrun: 1 of 2 hosts have started their PEs";
    let lines: Vec<&str> = text.split("\r\n").map(|line| line.rsplit('\r').next().unwrap()).collect();
    assert!(text.contains(status), "{text:?}");
    assert_eq!(lines, ["up", "up", ""], "{text:?}");
    assert!(text.contains(&format!("\r{:1$}\r", "", status.len())), "{text:?}");
}

#[test]
fn output_before_a_death_is_not_lost() {
    let ran = run(&["-n", "2", "sh", "-c", "if [ $FERRITE_PE = 1 ]; then seq 20000; exit 3; fi; sleep 1000"]);
    ran.ended(3, &["exited with 3"]);
    assert_eq!(ran.out.lines().count(), 20_000);
}

/// A job without input, whose stdout is not read yet.
fn unread(words: &[&str]) -> (Command, PipeReader) {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut command = command(words);
    command.stdin(Stdio::null()).stdout(writer);
    (command, reader)
}

/// Start such a job; return it with its stderr.
fn heard(words: &[&str]) -> (Child, PipeReader, BufReader<ChildStderr>) {
    let (mut command, reader) = unread(words);
    let mut oshrun = command.stderr(Stdio::piped()).spawn().unwrap();
    let err = BufReader::new(oshrun.stderr.take().unwrap());
    (oshrun, reader, err)
}

/// The result of a thread.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(work()));
    told.recv_timeout(job::PATIENCE).expect("it hangs")
}

fn read_all(mut reader: impl Read + Send + 'static) -> String {
    in_time(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).map(|_| text).unwrap()
    })
}

#[test]
fn reason_and_loss_are_reported_with_blocked_stdout() {
    // PE 0 writes more than a pipe holds. Then it writes nothing, or more than may be buffered on the way: oshrun gives up the PEs' pipes
    // unread.
    let file = std::env::temp_dir().join(format!("ferrite-unread-{}", std::process::id()));
    for more in ["sleep 1000", "yes"] {
        let script = format!(
            "if [ $FERRITE_PE = 0 ]; then seq 1 30000; : >$0; {more}; fi
             until [ -e $0 ]; do sleep 0.1; done; sleep 1; exit 9"
        );
        let (command, reader) = unread(&["-n", "2", "sh", "-c", &script, file.to_str().unwrap()]);
        let ended = job::bounded(command);
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(9), "{told}");
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines.len() == 2 && lines[0].contains("PE 1") && lines[0].contains("exited with 9"), "{told}");
        assert_eq!(lines[1], "oshrun: some output was lost: it was not read in time");
        assert!(read_all(reader).starts_with("1\n2\n3\n"));
        std::fs::remove_file(&file).unwrap();
    }
}

/// Wait until an unread pipe has no room left. The number of bytes in it does not show that, because pages may be filled in part.
fn wait_until_full(pipe: &PipeReader) {
    let writer = std::fs::File::options().write(true).open(format!("/proc/self/fd/{}", pipe.as_raw_fd())).unwrap();
    job::wait_until("standard output is full", || {
        rustix::event::poll(&mut [PollFd::new(&writer, PollFlags::OUT)], Some(&Timespec::default())).unwrap() == 0
    });
}

#[test]
fn second_sigterm_kills_job_with_blocked_output() {
    let (mut command, reader) = unread(&["-n", "2", "sh", "-c", "trap '' TERM; yes"]);
    let mut oshrun = command.env("FERRITE_GRACE", "3600").stderr(Stdio::piped()).spawn().unwrap();
    wait_until_full(&reader);
    job::insist(&mut oshrun, libc::SIGTERM);
    let told = read_all(oshrun.stderr.take().unwrap());
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("ending the job on SIGTERM"), "{told}");
    assert_eq!(lines[1], "oshrun: some output was lost: it was not read in time");
    assert_eq!(oshrun.wait().unwrap().code(), Some(143));
    drop(reader);
}

#[test]
fn streams_that_are_one_keep_their_order() {
    let place = std::env::temp_dir().join(format!("ferrite-order-{}", std::process::id()));
    let at = |name: &str| place.with_extension(name);
    let script =
        "seq 1 20000; echo $$ >$0.tmp; mv $0.tmp $0.pid; until [ -e $0.go ]; do sleep 0.05; done; echo last >&2";
    let (reader, writer) = std::io::pipe().unwrap();
    let mut command = command(&["-n", "1", "sh", "-c", script, place.to_str().unwrap()]);
    command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut oshrun = command.spawn().unwrap();
    drop(command);
    // The PE writes to stderr once oshrun has read all of its stdout, which waits for a reader that has not come.
    job::wait_until("the PE has written", || at("pid").exists());
    let pid = std::fs::read_to_string(at("pid")).unwrap();
    let stdout = std::fs::File::open(format!("/proc/{}/fd/1", pid.trim())).unwrap();
    job::wait_until("oshrun has read", || rustix::io::ioctl_fionread(&stdout).unwrap() == 0);
    drop(stdout);
    wait_until_full(&reader);
    std::fs::write(at("go"), "").unwrap();
    let text = read_all(reader);
    assert!(text.lines().take(20_000).enumerate().all(|(at, line)| line == (at + 1).to_string()), "not in order");
    assert!(text.ends_with("\n20000\nlast\n"), "{}", &text[text.len() - 40..]);
    assert!(in_time(move || oshrun.wait().unwrap()).success());
    for name in ["pid", "go"] {
        std::fs::remove_file(at(name)).unwrap();
    }
}

/// Stderr of the same PE, and of another PE while more stdout waits than is buffered on the way.
#[test]
fn stderr_goes_on_while_stdout_is_not_read() {
    for (pes, script, lines) in [
        ("1", "seq 1 20000; echo here >&2", 20_000),
        ("2", "if [ $FERRITE_PE = 0 ]; then seq 1 1000000; else sleep 1; echo here >&2; fi", 1_000_000),
    ] {
        let (mut oshrun, reader, mut err) = heard(&["-n", pes, "sh", "-c", script]);
        let (line, err) = in_time(move || {
            let mut line = String::new();
            err.read_line(&mut line).map(|_| (line, err)).unwrap()
        });
        assert_eq!(line, "here\n");
        // Once the reader comes, nothing is lost.
        assert_eq!(read_all(reader).lines().count(), lines);
        assert_eq!(read_all(err), "");
        assert!(in_time(move || oshrun.wait().unwrap()).success());
    }
}

#[test]
fn tags_name_the_pe_of_each_line() {
    for option in ["-l", "--tag-output"] {
        let ran = run(&[option, "-n", "3", "sh", "-c", "echo a$FERRITE_PE; echo b"]);
        ran.went_well();
        assert_eq!(ran.sorted(), ["[0] a0", "[0] b", "[1] a1", "[1] b", "[2] a2", "[2] b"]);
    }
}

#[test]
fn input_goes_to_pe_0_alone() {
    let input = "0123456789\n".repeat(100_000);
    let job = start_with_input(command(&["-n", "3", "-l", "wc", "-c"]), input.as_bytes());
    let ran = job.finish();
    ran.went_well();
    assert_eq!(ran.sorted(), ["[0] 1100000", "[1] 0", "[2] 0"]);
}

#[test]
fn input_that_pe_0_does_not_read_stays_for_others() {
    let mut shell = Command::new("sh");
    let script = "while read word; do \"$0\" -n 2 echo $word; done <<END\none\ntwo\nthree\nEND";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_oshrun")]);
    let output = job::bounded(shell);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "one\none\ntwo\ntwo\nthree\nthree\n");
}

/// Run two PEs, of which PE 0 asks a question on stdout and reads the answer. Return all lines of output.
fn ask(options: &[&str], input: OwnedFd, mut answer: impl Write) -> Vec<String> {
    // PE 1 prints all the while.
    let script = "if [ $FERRITE_PE = 1 ]; then while sleep 0.05; do echo tick; done; fi
        printf 'who? '; read who; echo \"hello $who\"; exit 3";
    let (mut command, reader) = unread(&[options, &["-n", "2", "sh", "-c", script]].concat());
    let mut oshrun = command.stdin(input).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let mut reader = BufReader::new(reader);
    let (question, reader) = in_time(move || {
        let mut read = Vec::new();
        while !read.ends_with(b"who? ") && reader.read_until(b' ', &mut read).unwrap() > 0 {}
        (String::from_utf8(read).unwrap(), reader)
    });
    answer.write_all(b"world\n").unwrap();
    let rest = read_all(reader);
    in_time(move || oshrun.wait().unwrap());
    assert!(question.ends_with("who? ") && rest.contains("hello world\n"), "{question}{rest}");
    (question + &rest).lines().map(str::to_owned).collect()
}

#[test]
fn prompt_without_newline_is_passed_on() {
    let (read_end, write_end) = std::io::pipe().unwrap();
    let lines = ask(&[], read_end.into(), write_end);
    let known = ["tick", "who? ", "hello world", "who? hello world"];
    assert!(lines.iter().all(|line| known.contains(&line.as_str())), "{lines:?}");
    let (ours, theirs) = UnixStream::pair().unwrap();
    let lines = ask(&["-l"], theirs.into(), ours);
    let known = ["[1] tick", "[0] who? ", "hello world", "[0] who? hello world"];
    assert!(lines.iter().all(|line| known.contains(&line.as_str())), "{lines:?}");
}

#[test]
fn lines_stay_whole_without_interactive_input() {
    let script = "if [ $FERRITE_PE = 0 ]; then printf a; sleep 1; echo b; else sleep 0.5; echo c; fi";
    assert_eq!(run(&["-n", "2", "sh", "-c", script]).sorted(), ["ab", "c"]);
    let mut oshrun = command(&["-n", "2", "sh", "-c", script]);
    oshrun.stdin(std::fs::File::open(env!("CARGO_BIN_EXE_oshrun")).unwrap());
    let ended = job::bounded(oshrun);
    let mut lines: Vec<_> = std::str::from_utf8(&ended.stdout).unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["ab", "c"]);
}

#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "{ \"$0\" -n 2 yes; echo $? >&2; } | head -n 3", env!("CARGO_BIN_EXE_oshrun")]);
    let output = job::bounded(shell);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "y\ny\ny\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "141\n");
}

#[test]
fn unwritable_output_is_reported() {
    // At the end of a job, and while it runs.
    for program in ["echo hi", "while echo hi; do sleep 0.01; done"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" -n 2 sh -c \"$1\" >/dev/full", env!("CARGO_BIN_EXE_oshrun"), program]);
        let output = job::bounded(shell);
        assert_eq!(output.status.code(), Some(1));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told, "oshrun: cannot write standard output: No space left on device\n");
    }
    // If stderr cannot be written, only the exit code shows it.
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" -n 1 sh -c 'echo hi >&2' 2>/dev/full", env!("CARGO_BIN_EXE_oshrun")]);
    assert_eq!(job::bounded(shell).status.code(), Some(1));
}

#[test]
fn output_files_are_one_for_each_pe_and_stream() {
    let directory = std::env::temp_dir().join(format!("ferrite-output-{}", std::process::id()));
    let shown = directory.to_str().unwrap();
    let ran = run(&["--output-filename", shown, "-n", "2", "sh", "-c", "echo o$FERRITE_PE; echo e$FERRITE_PE >&2"]);
    assert_eq!(ran.went_well(), "");
    for (file, text) in [("pe.0.out", "o0\n"), ("pe.0.err", "e0\n"), ("pe.1.out", "o1\n"), ("pe.1.err", "e1\n")] {
        assert_eq!(std::fs::read_to_string(directory.join(file)).unwrap(), text, "{file}");
    }
    std::fs::remove_dir_all(directory).unwrap();
}
