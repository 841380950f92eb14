//! The two short programs at the ends of a step's connections: see [`super::step`].

use super::Refusal;
use super::child_agent;
use super::plan::host_name;
use super::step::{Hello, Invitation, JOINED, Side, VARIABLE};
use rustix::io::dup;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// How long one address of oshrun is tried.
const CONNECT: Duration = Duration::from_secs(20);

/// A process of a step: wait until the remote shell for this host is there, then become the agent.
pub fn be_a_process() -> Result<u8, Refusal> {
    // Slurm's name of the host is the one in its list of hosts (srun(1), SLURMD_NODENAME).
    let host = variable("SLURMD_NODENAME").unwrap_or_else(host_name);
    let stream = connect(Side::Process, host)?;
    let wrong = |error: io::Error| Refusal::new(format!("cannot become an agent: {error}"));
    let (from, to): (OwnedFd, OwnedFd) = (dup(&stream).map_err(|error| wrong(error.into()))?, stream.into());
    let program = std::env::current_exe().map_err(wrong)?;
    // PEs must not find the token.
    let error = Command::new(program)
        .arg0("oshrun")
        .arg(child_agent::ARGUMENT)
        .env_remove(VARIABLE)
        .stdin(Stdio::from(from))
        .stdout(Stdio::from(to))
        .exec();
    Err(wrong(error))
}

/// The remote shell for a host: carry bytes between the standard streams and the agent until the agent has ended.
pub fn be_a_link(host: Option<&OsString>) -> Result<u8, Refusal> {
    let host = host.ok_or_else(|| Refusal::new("no host was named"))?.to_string_lossy().into_owned();
    let stream = connect(Side::Link, host)?;
    let wrong = |error: io::Error| Refusal::new(format!("a connection to an agent: {error}"));
    let mut towards = stream.try_clone().map_err(wrong)?;
    // The thread ends with the process.
    let up = thread::Builder::new().spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut towards);
        let _ = towards.shutdown(Shutdown::Write);
    });
    up.map_err(wrong)?;
    let (mut from, mut to) = (stream, io::stdout().lock());
    let mut chunk = vec![0; 64 << 10];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(0),
            Ok(got) => to.write_all(&chunk[..got]).and_then(|()| to.flush()).map_err(wrong)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(wrong(error)),
        }
    }
}

/// Connect to oshrun, and wait until the other side is there.
fn connect(side: Side, host: String) -> Result<TcpStream, Refusal> {
    let invitation = variable(VARIABLE).and_then(|text| Invitation::parse(&text));
    let invitation = invitation.ok_or_else(|| Refusal::new(format!("{VARIABLE} does not say where oshrun is")))?;
    let mut why = io::Error::other("no address");
    for address in &invitation.addresses {
        match TcpStream::connect_timeout(address, CONNECT) {
            Ok(mut stream) => return greet(&mut stream, side, &host, &invitation.token).map(|()| stream),
            Err(error) => why = io::Error::new(error.kind(), format!("{address}: {error}")),
        }
    }
    Err(Refusal::new(format!("host {host} does not reach the oshrun that started it: {why}")))
}

fn greet(stream: &mut TcpStream, side: Side, host: &str, token: &str) -> Result<(), Refusal> {
    let lost = |error: io::Error| Refusal::new(format!("host {host}: the oshrun that started it has gone: {error}"));
    let _ = stream.set_nodelay(true);
    stream.write_all(&Hello { side, host: host.to_owned() }.encode(token)).map_err(lost)?;
    let mut answer = [0];
    stream.read_exact(&mut answer).map_err(lost)?;
    if answer == [JOINED] {
        return Ok(());
    }
    let mut text = String::new();
    stream.read_to_string(&mut text).map_err(lost)?;
    Err(Refusal::new(text))
}

#[expect(clippy::disallowed_methods, reason = "what oshrun and the scheduler tell a process of a step")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
