//! The agents of all hosts in *one* step of the scheduler: one `srun` or `mpiexec` starts a process on each host, the first host too.
//!
//! On Slingshot a process reaches only processes with the same VNI. Launchers give one to each step: Slurm another one to each srun, and
//! none to a step of a single host; PALS one to each mpiexec. A process that was started by ssh has none (fi_cxi(7), "Authorization
//! Keys"; Slurm's guide to HPE Slingshot). So agents that are started host by host carry PEs that cannot reach each other.
//!
//! A step has one standard input and one output for all its processes, which cannot carry the messages of agents. Instead:
//!
//! 1. oshrun listens on a port, and starts the step. Each of its processes ([`ARGUMENT`], `step_process`) connects, and waits under the
//!    name of its host.
//! 2. The remote shell of the job is `oshrun --step-link HOST`. It connects too, and is joined with the process that waits on that host.
//!    That process becomes the agent, with the connection as its standard streams.
//! 3. The port is closed once each host was joined.
//!
//! All else is as over ssh. A process that connects must know the token, which the step's processes and the remote shells find in their
//! environment. It travels in clear, like all data that srun carries; another user of a host cannot read it.

use super::Refusal;
use super::job_spec::{AgentSettings, JobHost};
use super::rsh;
use ferrite_bootstrap::Secret;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;

/// The argument of a process of the step.
pub const ARGUMENT: &str = "--step-process";
/// The argument of the remote shell, before the host.
pub const LINK: &str = "--step-link";
/// The variable with the port, the token and the addresses of oshrun.
pub const VARIABLE: &str = "FERRITE_STEP";
/// The value of `--rsh` that asks for a step.
pub const WORD: &str = "step";

/// First bytes of every connection.
const MAGIC: &[u8; 8] = b"oshstep1";
/// Length of the token in hexadecimal digits.
const TOKEN: usize = 2 * Secret::BYTES;
/// How much of the step's standard error is kept, in bytes.
const COMPLAINT_MAX: usize = 1 << 10;
/// Time after which the broker accepts connections again if that failed.
const PAUSE: Duration = Duration::from_millis(50);
/// The byte that joins a waiting connection; an error has another byte, and a text behind it.
pub const JOINED: u8 = b'J';
const REFUSED: u8 = b'R';

/// The other end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// A process of the step, which waits on its host.
    Process,
    /// The remote shell for a host.
    Link,
}

/// The first message of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The kind of process that connects.
    pub side: Side,
    /// The host on which the sender waits, or for which it asks.
    pub host: String,
}

/// Name by which a host is known here: without its domain, which the scheduler may leave out.
fn short(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

/// Two hosts that a step cannot tell apart, if there are any.
fn of_one_name(hosts: &[JobHost]) -> Option<[&str; 2]> {
    let mut known = HashMap::new();
    hosts.iter().find_map(|JobHost { host, .. }| known.insert(short(host), &**host).map(|earlier| [earlier, host]))
}

impl Hello {
    /// The message's bytes.
    pub fn encode(&self, token: &str) -> Vec<u8> {
        let side = if self.side == Side::Process { b'P' } else { b'L' };
        let host = short(&self.host).as_bytes();
        [MAGIC, token.as_bytes(), &[side, host.len().min(255) as u8], &host[..host.len().min(255)]].concat()
    }

    /// Read the message of a stranger. `None` if it does not know the token.
    async fn receive(from: &mut TcpStream, token: &str) -> Option<Hello> {
        let mut head = [0; MAGIC.len() + TOKEN + 2];
        from.read_exact(&mut head).await.ok()?;
        let (known, [side, len]) =
            (&head[..MAGIC.len() + TOKEN], [head[MAGIC.len() + TOKEN], head[MAGIC.len() + TOKEN + 1]]);
        // Every byte is compared, so that the time tells nothing of the token.
        let expected = [MAGIC.as_slice(), token.as_bytes()].concat();
        if known.iter().zip(&expected).fold(0, |differ, (a, b)| differ | (a ^ b)) != 0 {
            return None;
        }
        let side = match side {
            b'P' => Side::Process,
            b'L' => Side::Link,
            _ => return None,
        };
        let mut host = vec![0; usize::from(len)];
        from.read_exact(&mut host).await.ok()?;
        Some(Hello { side, host: String::from_utf8(host).ok()? })
    }
}

/// The value of [`VARIABLE`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invitation {
    /// The token that a connection must present.
    pub token: String,
    /// Where oshrun listens.
    pub addresses: Vec<SocketAddr>,
}

impl Invitation {
    /// The text for the environment.
    pub fn encode(&self) -> String {
        let addresses: Vec<String> = self.addresses.iter().map(SocketAddr::to_string).collect();
        format!("{} {}", self.token, addresses.join(" "))
    }

    pub fn parse(text: &str) -> Option<Invitation> {
        let mut words = text.split(' ');
        let token = words.next().filter(|token| token.len() == TOKEN)?.to_owned();
        let addresses: Option<Vec<SocketAddr>> = words.map(|word| word.parse().ok()).collect();
        Some(Invitation { token, addresses: addresses.filter(|all| !all.is_empty())? })
    }
}

/// The scheduler that starts a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// Slurm, by srun.
    Slurm,
    /// PALS, by its mpiexec, in a job of PBS.
    Pals,
}

impl Scheduler {
    /// The scheduler of this process's job.
    pub fn of_job(variable: impl Fn(&str) -> Option<String>) -> Option<Scheduler> {
        let is_set = |name| variable(name).is_some();
        match () {
            () if is_set("SLURM_JOB_ID") => Some(Scheduler::Slurm),
            () if is_set("PBS_JOBID") => Some(Scheduler::Pals),
            () => None,
        }
    }

    /// The command of the step.
    pub fn program(self) -> &'static str {
        match self {
            Scheduler::Slurm => "srun",
            Scheduler::Pals => "mpiexec",
        }
    }

    /// The words that start one process on each host: `srun(1)`, and `mpiexec(1)` of PALS. Processes are not bound, since agents bind their
    /// PEs. The step may use what other steps of the job use.
    fn words(self, hosts: &[&str]) -> Vec<String> {
        let count = hosts.len();
        let text = match self {
            Scheduler::Slurm => {
                // The list has this host by its own name, which may have a domain. Slurm's names have none.
                let list: Vec<&str> = hosts.iter().map(|host| short(host)).collect();
                let list = list.join(",");
                format!(
                    "srun --overlap --mpi=none --cpu-bind=none --export=ALL --wait=0 --kill-on-bad-exit=0 -N {count} -n {count} \
                     --ntasks-per-node=1 -w {list}"
                )
            }
            Scheduler::Pals => format!("mpiexec -n {count} --ppn 1 --hosts {} --cpu-bind none", hosts.join(",")),
        };
        text.split(' ').map(str::to_owned).collect()
    }
}

/// A step that was not started yet, and the port on which its processes are expected.
#[derive(Debug)]
pub struct Step {
    scheduler: Scheduler,
    listener: TcpListener,
    /// Where the step's processes and the remote shells find oshrun.
    pub invitation: Invitation,
}

impl Step {
    /// Listen for the processes of a step.
    pub fn prepare(scheduler: Scheduler) -> Result<Step, Refusal> {
        let wrong = |why: String| Refusal::new(format!("cannot listen for the agents of a step: {why}"));
        let everywhere = |text: &str| TcpListener::bind(text);
        let listener =
            everywhere("[::]:0").or_else(|_| everywhere("0.0.0.0:0")).map_err(|error| wrong(error.to_string()))?;
        let local = listener.local_addr().map_err(|error| wrong(error.to_string()))?;
        let mut ips = ferrite_tcp::survey(None).map_err(|error| wrong(error.to_string()))?;
        if local.is_ipv4() {
            ips.retain(IpAddr::is_ipv4);
        }
        if ips.is_empty() {
            ips.push(std::net::Ipv4Addr::LOCALHOST.into());
        }
        let secret = Secret::draw().map_err(|error| wrong(error.to_string()))?;
        let token = secret.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let addresses = ips.into_iter().map(|ip| SocketAddr::new(ip, local.port())).collect();
        Ok(Step { scheduler, listener, invitation: Invitation { token, addresses } })
    }

    /// Start the step on these hosts, and join its processes with the remote shells that ask for them.
    pub fn start(self, hosts: &[JobHost], settings: &AgentSettings) -> Result<(), Refusal> {
        if let Some([one, other]) = of_one_name(hosts) {
            return Err(Refusal::new(format!(
                "hosts {one} and {other} have one name without their domains, by which the processes of a step are known: \
                 use another remote shell, such as --rsh '{}'",
                rsh::DEFAULT
            )));
        }
        let program = self.scheduler.program();
        let wrong = |error| Refusal::new(format!("cannot start the agents in one step: `{program}`: {error}"));
        self.start_process(hosts, settings).map_err(wrong)
    }

    fn start_process(self, hosts: &[JobHost], settings: &AgentSettings) -> io::Result<()> {
        let patience = Duration::from_millis(settings.start_ms.into());
        let names: Vec<&str> = hosts.iter().map(|host| &*host.host).collect();
        let words = self.scheduler.words(&names);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(&settings.agent).arg(ARGUMENT).env(VARIABLE, self.invitation.encode());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let (_, complaints) = rsh::start(command)?;
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let broker = Rc::new(Broker::new(self.invitation.token, &names));
        tokio::task::spawn_local(watch(self.scheduler, complaints, broker.clone()));
        tokio::task::spawn_local(async move {
            loop {
                tokio::select! {
                    () = broker.done.notified() => return,
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => {
                            let broker = broker.clone();
                            tokio::task::spawn_local(async move {
                                // A stranger that says nothing is dropped.
                                let _ = tokio::time::timeout(patience, broker.greet(stream)).await;
                            });
                        }
                        // For want of descriptors or memory, or since the caller has gone.
                        Err(_) => tokio::time::sleep(PAUSE).await,
                    }
                }
            }
        });
        Ok(())
    }
}

/// Joins connections of the two sides.
struct Broker {
    token: String,
    /// The hosts that were not joined yet.
    missing: RefCell<HashSet<String>>,
    waiting: RefCell<HashMap<(Side, String), TcpStream>>,
    /// Why no more processes come, once the step has ended.
    over: RefCell<Option<String>>,
    /// Notified when all hosts were joined.
    done: Notify,
}

impl Broker {
    fn new(token: String, hosts: &[&str]) -> Broker {
        Broker {
            token,
            missing: RefCell::new(hosts.iter().map(|host| short(host).to_owned()).collect()),
            waiting: RefCell::default(),
            over: RefCell::new(None),
            done: Notify::new(),
        }
    }

    async fn greet(&self, mut stream: TcpStream) {
        let Some(Hello { side, host }) = Hello::receive(&mut stream, &self.token).await else { return };
        let other = if side == Side::Process { Side::Link } else { Side::Process };
        let partner = self.waiting.borrow_mut().remove(&(other, host.clone()));
        if let Some(partner) = partner {
            let mut missing = self.missing.borrow_mut();
            // A host may be joined twice: a remote shell can be started again.
            if missing.remove(&host) && missing.is_empty() {
                self.done.notify_one();
            }
            drop(missing);
            tokio::task::spawn_local(join(stream, partner));
            return;
        }
        let over = self.over.borrow().clone();
        match over {
            Some(why) if side == Side::Link => refuse(stream, &why).await,
            _ => drop(self.waiting.borrow_mut().insert((side, host), stream)),
        }
    }

    /// End the step: refuse the remote shells that still wait, because no process comes for them any more.
    async fn end(&self, why: String) {
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        *self.over.borrow_mut() = Some(why.clone());
        for ((side, _), stream) in waiting {
            if side == Side::Link {
                refuse(stream, &why).await;
            }
        }
    }
}

async fn refuse(mut stream: TcpStream, why: &str) {
    let _ = stream.write_all(&[&[REFUSED], why.as_bytes()].concat()).await;
}

/// Notify both sides that they are joined, and forward the bytes of each to the other until both have ended.
async fn join(mut a: TcpStream, mut b: TcpStream) {
    for stream in [&mut a, &mut b] {
        // Messages are short and awaited.
        let _ = stream.set_nodelay(true);
        if stream.write_all(&[JOINED]).await.is_err() {
            return;
        }
    }
    let _ = copy_bidirectional(&mut a, &mut b).await;
}

/// Read the step's standard error until it ends, and report its last line to the remote shells that still wait.
async fn watch(scheduler: Scheduler, mut complaints: Receiver, broker: Rc<Broker>) {
    let (mut chunk, mut text) = (vec![0; 4 << 10], Vec::new());
    while let Ok(got) = complaints.read(&mut chunk).await {
        if got == 0 {
            break;
        }
        text.extend_from_slice(&chunk[..got]);
        text.drain(..text.len().saturating_sub(COMPLAINT_MAX));
    }
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing");
    broker.end(format!("{} has ended: {last}", scheduler.program())).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invitations_survive_the_environment() {
        let one = Invitation {
            token: "0123456789abcdef0123456789abcdef".into(),
            addresses: vec!["10.0.0.1:4711".parse().unwrap(), "[fd00::2]:4711".parse().unwrap()],
        };
        assert_eq!(Invitation::parse(&one.encode()), Some(one.clone()));
        for wrong in ["", "short 10.0.0.1:1", &one.token, &format!("{} 10.0.0.1", one.token)] {
            assert_eq!(Invitation::parse(wrong), None, "{wrong}");
        }
    }

    /// Two connections of `host`, as the broker gets them: one of its process, and one of its remote shell.
    async fn join_host(broker: &Broker, host: &str) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        for side in [Side::Process, Side::Link] {
            let mut peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            peer.write_all(&Hello { side, host: host.into() }.encode(&broker.token)).await.unwrap();
            broker.greet(listener.accept().await.unwrap().0).await;
        }
    }

    #[test]
    fn a_host_that_joins_twice_does_not_close_the_port_for_another() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let broker = Broker::new("0".repeat(TOKEN), &["a.cluster", "b"]);
            let missing = || broker.missing.borrow().iter().cloned().collect::<Vec<_>>();
            join_host(&broker, "a").await;
            join_host(&broker, "a").await;
            assert_eq!(missing(), ["b"]);
            join_host(&broker, "b.cluster").await;
            assert_eq!(missing(), [""; 0]);
            broker.done.notified().await;
        });
    }

    #[test]
    fn hosts_that_differ_in_their_domains_only_are_found() {
        let of = |names: &[&str]| -> Vec<JobHost> {
            (0..).zip(names).map(|(node, name)| JobHost { node, host: (*name).into() }).collect()
        };
        assert_eq!(of_one_name(&of(&["a.x", "b.x", "a.y"])), Some(["a.x", "a.y"]));
        assert_eq!(of_one_name(&of(&["a.x", "b.x", "c"])), None);
    }

    #[test]
    fn one_step_has_all_hosts() {
        let words = |scheduler: Scheduler| scheduler.words(&["a.cluster", "b"]).join(" ");
        assert!(words(Scheduler::Slurm).ends_with("-N 2 -n 2 --ntasks-per-node=1 -w a,b"));
        assert_eq!(words(Scheduler::Pals), "mpiexec -n 2 --ppn 1 --hosts a.cluster,b --cpu-bind none");
        let of = |set: &'static str| Scheduler::of_job(|name| (name == set).then(String::new));
        assert_eq!(
            [of("SLURM_JOB_ID"), of("PBS_JOBID"), of("")],
            [Some(Scheduler::Slurm), Some(Scheduler::Pals), None]
        );
    }
}
