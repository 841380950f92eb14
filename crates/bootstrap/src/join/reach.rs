//! Where members meet their root, and how a member reaches it.

use super::opening::{GREETING_BYTES, Key, Knock};
use super::{end_if_silent, left};
use ferrite_fabric::{Error, Result};
use ferrite_os::unix_peer;
use rustix::io::Errno;
use rustix::process::geteuid;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Time for one address to answer. Addresses that swallow packets must not use up the limit while another one would answer.
const ATTEMPT: Duration = Duration::from_secs(3);
/// Time between two rounds over all addresses.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the members of a start meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meeting {
    /// The addresses in a unique id, whose root listens before the id exists.
    Drawn(Vec<SocketAddr>),
    /// A port of a host, where rank 0 listens sooner or later.
    Network { host: String, port: u16 },
    /// The same port as a number only: an abstract Unix socket, for processes of one user in one network namespace.
    Local { host: String, port: u16 },
}

impl Meeting {
    /// Listen there, as the root. `Drawn` roots listen already.
    pub fn listen(&self) -> Result<super::serve::Door> {
        use super::serve::Door;
        match self {
            Meeting::Drawn(_) => Err(Error::new("the root of a unique id listens where the id was drawn")),
            Meeting::Network { host, port } => listen_at(host, *port).map(|door| Door::Network(door.into())),
            Meeting::Local { port, .. } => UnixListener::bind_addr(&local_name(*port)?)
                .map(|door| Door::Local(door.into()))
                .map_err(|error| busy(*port, error)),
        }
    }

    /// Reach the root before `end`: a connection on which both sides have proven the secret.
    pub fn reach(&self, key: &Key, end: Instant, limit: Duration) -> Result<OwnedFd> {
        let mut telling: Option<io::Error> = None;
        loop {
            let error = match self.attempt(key, end) {
                Ok(socket) => return Ok(socket),
                Err(error) => error,
            };
            if let (Meeting::Drawn(_), ErrorKind::ConnectionRefused) = (self, error.kind()) {
                return Err(Error::because(
                    format!(
                        "nothing listens at {self}: the process that drew the unique id has ended, or the id was used already \
                         (each start needs a new one)"
                    ),
                    error,
                ));
            }
            if telling.as_ref().is_none_or(|before| informs(&error) >= informs(before)) {
                telling = Some(error);
            }
            if let Some(left) = left(end) {
                std::thread::sleep(PAUSE.min(left));
            }
            if left(end).is_none() {
                let hint = match self {
                    Meeting::Local { .. } => {
                        "; without FERRITE_SECRET or FERRITE_SECRET_FILE only processes of one user on one host start together \
                         (FERRITE_NETWORK=trusted admits every process that reaches the port)"
                    }
                    _ => "",
                };
                let (after, error) = (limit.as_secs_f64(), telling.expect("an attempt has failed"));
                return Err(Error::because(
                    format!("the root at {self} was not reached within {after} s{hint}"),
                    error,
                ));
            }
        }
    }

    /// One round over all addresses. Returns the error that says most, the last of several.
    fn attempt(&self, key: &Key, end: Instant) -> io::Result<OwnedFd> {
        let targets = match self {
            Meeting::Drawn(targets) => targets.clone(),
            Meeting::Network { host, port } => (host.as_str(), *port).to_socket_addrs()?.collect(),
            Meeting::Local { port, .. } => return knock_locally(*port, key, end),
        };
        let mut error = io::Error::from(ErrorKind::ConnectionRefused);
        for target in targets {
            let Some(time) = left(end) else {
                // A root may listen at an address that was not tried.
                return Err(if informs(&error) == 0 { Errno::TIMEDOUT.into() } else { error });
            };
            match knock_at(target, key, Instant::now() + time.min(ATTEMPT)) {
                Ok(socket) => return Ok(socket),
                Err(failed) if informs(&failed) == 0 || informs(&failed) < informs(&error) => {}
                Err(failed) => error = io::Error::new(failed.kind(), format!("{target}: {failed}")),
            }
        }
        Err(error)
    }
}

impl std::fmt::Display for Meeting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Meeting::Drawn(targets) => {
                let names: Vec<String> = targets.iter().map(SocketAddr::to_string).collect();
                f.write_str(&names.join(", "))
            }
            Meeting::Network { host, port } | Meeting::Local { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// Rank of an error of an attempt. A refusal says least: a root that has given up, or has not begun, refuses. An answer of a root says most.
fn informs(error: &io::Error) -> u8 {
    match error.kind() {
        ErrorKind::ConnectionRefused => 0,
        ErrorKind::TimedOut | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => 1,
        _ => 2,
    }
}

/// Listen at the addresses of `host`. If they are not this host's, but those of a service that forwards to it, listen at all addresses of this
/// host. So too if the name is not known yet, or if only this host resolves it to the loopback.
fn listen_at(host: &str, port: u16) -> Result<TcpListener> {
    let known = (host, port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let addresses = for_all_hosts(host, known);
    let door = match TcpListener::bind(&addresses[..]) {
        Err(error) if addresses.is_empty() || error.kind() == ErrorKind::AddrNotAvailable => listen_everywhere(port),
        door => door,
    };
    door.map_err(|error| busy(port, error))
}

/// Listen at all addresses of this host. A host without IPv6 refuses the first.
pub(super) fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(("::", port)).or_else(|_| TcpListener::bind(("0.0.0.0", port)))
}

/// The addresses under which other hosts know this name. Debian's /etc/hosts gives a host's own name an address of the loopback.
fn for_all_hosts(host: &str, known: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let name = host.to_ascii_lowercase();
    let loopback = ["localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"];
    let means_loopback = loopback.contains(&&*name) || name.ends_with(".localhost") || host.parse::<IpAddr>().is_ok();
    known.into_iter().filter(|address| means_loopback || !address.ip().is_loopback()).collect()
}

fn busy(port: u16, error: io::Error) -> Error {
    Error::because(
        format!("PE 0 cannot listen for the other PEs at port {port}: choose another in FERRITE_BOOT"),
        error,
    )
}

/// The name of the root's socket. The user's number keeps users apart that choose the same port.
fn local_name(port: u16) -> Result<UnixAddr> {
    let name = format!("ferrite-start-{}-{port}", geteuid().as_raw());
    UnixAddr::from_abstract_name(name).map_err(|error| Error::because("naming the root's socket", error))
}

fn knock_locally(port: u16, key: &Key, end: Instant) -> io::Result<OwnedFd> {
    let socket = UnixStream::connect_addr(&local_name(port).map_err(io::Error::other)?)?;
    if unix_peer::user(&socket)? != geteuid() {
        return Err(io::Error::other("a process of another user listens there"));
    }
    knock(socket.into(), key, left(end).unwrap_or(PAUSE).min(ATTEMPT))
}

fn knock_at(target: SocketAddr, key: &Key, end: Instant) -> io::Result<OwnedFd> {
    let time = || left(end).ok_or(io::Error::from(ErrorKind::TimedOut));
    let socket = TcpStream::connect_timeout(&target, time()?)?;
    let socket = knock(socket.into(), key, time()?)?;
    end_if_silent(&socket)?;
    Ok(socket)
}

/// Prove the secret, and have the other end prove it. Each message may take `limit`.
fn knock(socket: OwnedFd, key: &Key, limit: Duration) -> io::Result<OwnedFd> {
    // A stream socket of any family: it is read, written and limited in the same way.
    let mut socket = UnixStream::from(socket);
    socket.set_read_timeout(Some(limit))?;
    socket.set_write_timeout(Some(limit))?;
    let knock = Knock::new().map_err(io::Error::other)?;
    socket.write_all(&knock.encode(key)).map_err(unlike_refusal)?;
    let mut challenge = [0; GREETING_BYTES];
    socket.read_exact(&mut challenge).map_err(unlike_refusal)?;
    let claim = knock.judge(&challenge, key).map_err(io::Error::other)?;
    socket.write_all(&claim).map_err(unlike_refusal)?;
    socket.set_read_timeout(None)?;
    socket.set_write_timeout(None)?;
    Ok(socket.into())
}

/// The error of a connection whose other end closed it: a root hangs up on those without the secret, as anything else does that does not
/// understand the knock.
fn unlike_refusal(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => io::Error::new(
            error.kind(),
            "what listens there has closed the connection, as a root does if the secret is another (FERRITE_SECRET), or if it has too \
             many connections",
        ),
        ErrorKind::WouldBlock => io::Error::from(Errno::TIMEDOUT),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;

    #[test]
    fn a_server_of_something_else_is_no_root() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = other.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let (mut socket, _) = other.accept().unwrap();
            socket.write_all(&[b'x'; GREETING_BYTES]).unwrap();
            socket.read_exact(&mut [0; GREETING_BYTES]).unwrap();
            let mut rest = Vec::new();
            socket.read_to_end(&mut rest).unwrap();
            rest.len()
        });
        let key = Key::of(&Secret::of([1; 16]));
        let error = knock_at(target, &key, Instant::now() + Duration::from_secs(60)).unwrap_err();
        assert!(error.to_string().contains("does not have this start's secret"), "{error}");
        assert_eq!(serving.join().unwrap(), 0, "something else was told more than a knock");
    }

    #[test]
    fn root_listens_where_other_hosts_look_for_it() {
        let listened = |host, known: &[&str]| -> Vec<String> {
            let known = known.iter().map(|address| format!("{address}:7").parse().unwrap()).collect();
            for_all_hosts(host, known).iter().map(|address| address.ip().to_string()).collect()
        };
        assert_eq!(listened("node1", &["127.0.1.1"]), [""; 0], "as Debian's /etc/hosts has it");
        assert_eq!(listened("node1", &["127.0.1.1", "10.0.0.1"]), ["10.0.0.1"]);
        assert_eq!(listened("localhost", &["127.0.0.1", "[::1]"]), ["127.0.0.1", "::1"]);
        assert_eq!(listened("127.0.0.1", &["127.0.0.1"]), ["127.0.0.1"]);
        assert_eq!(listened("IP6-localhost", &["[::1]"]), ["::1"]);
        let door = listen_at("name.invalid", 0).unwrap();
        assert!(door.local_addr().unwrap().ip().is_unspecified(), "the name may be known later");
    }

    #[test]
    fn names_say_where_the_root_is() {
        let drawn = Meeting::Drawn(vec!["10.0.0.1:7".parse().unwrap(), "[::1]:7".parse().unwrap()]);
        assert_eq!(drawn.to_string(), "10.0.0.1:7, [::1]:7");
        assert_eq!(Meeting::Local { host: "node1".into(), port: 9 }.to_string(), "node1:9");
    }
}
