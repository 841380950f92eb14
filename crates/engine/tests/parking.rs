//! The service thread must not sleep without a limit while its port has an event, over a transport whose ports share connections. A failed call
//! names its peer.

use ferrite_engine::{
    Answers, Arm, Atomics, Bell, Engine, Error, Event, Flush, Handover, Limits, Location, Options, Orders, Pe,
    PeerNumber, Port, PostError, Posted, Result, Segment, SegmentId, Token, Transport,
};
use ferrite_fabric::{AddressBook, Busy, Fabric, Key, Lane, Op, Progress, Remote, Ticket};
use std::{
    os::fd::BorrowedFd,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Bound for a hang.
const HANG: Duration = Duration::from_secs(60);

static LIMITS: Limits = Limits {
    depth: 4,
    copy_bytes_max: 64,
    message_bytes_max: 64,
    writes: true,
    orders: Orders::ALL,
    atomics: Atomics::Target,
    flush: Flush::Done,
    answers: Answers::Each,
    answers_come_to_service: false,
    needs_polling: true,
    sleeps_long: true,
    drives_nic: false,
};

/// A connection that all ports poll, with one write under way.
#[derive(Default)]
struct Connection {
    /// The next poll of a lane completes the write and finds that the connection is lost, which only the service port reports.
    breaks: AtomicBool,
    /// The next poll of a lane finds that its calls have failed.
    calls_fail: AtomicBool,
    /// Writes are refused for good.
    refuses: AtomicBool,
    service_events: Handover<Event>,
    /// When the service port is armed next, it sends to the first and waits for the second.
    pause: Mutex<Option<(Sender<()>, Receiver<()>)>>,
}

struct SharedTransport(Arc<Connection>);

struct SharedPort {
    connection: Arc<Connection>,
    is_service: bool,
    under_way: Vec<Token>,
    /// Never rung: no event comes from outside.
    silent: Bell,
}

impl SharedTransport {
    fn port(&self, is_service: bool) -> Result<SharedPort> {
        let connection = Arc::clone(&self.0);
        Ok(SharedPort { connection, is_service, under_way: Vec::new(), silent: Bell::new()? })
    }
}

impl Transport for SharedTransport {
    type Port = SharedPort;

    fn name(&self) -> &'static str {
        "shared"
    }

    fn limits(&self) -> &Limits {
        &LIMITS
    }

    fn address(&self) -> Vec<u8> {
        Vec::new()
    }

    unsafe fn register(&self, _: Segment) -> Result<Key> {
        Ok(Key(Box::default()))
    }

    fn connect(&self, _: Arc<dyn AddressBook>) -> Result<()> {
        Ok(())
    }

    fn service(&self) -> Result<SharedPort> {
        self.port(true)
    }

    fn open(&self) -> Result<SharedPort> {
        self.port(false)
    }

    fn ports_max(&self) -> usize {
        usize::MAX
    }
}

impl Port for SharedPort {
    fn meet(&mut self, _: Pe) -> Result<()> {
        Ok(())
    }

    unsafe fn send(&mut self, _: PeerNumber, _: &[u8], _: *const u8, _: usize, _: Token) -> Result<Posted, PostError> {
        Err(PostError::Busy)
    }

    unsafe fn read(&mut self, _: PeerNumber, _: Location, _: *mut u8, _: usize, _: Token) -> Result<Posted, PostError> {
        Err(PostError::Busy)
    }

    unsafe fn write(
        &mut self,
        _: PeerNumber,
        _: Location,
        _: *const u8,
        len: usize,
        _: bool,
        token: Token,
    ) -> Result<Posted, PostError> {
        if self.connection.refuses.load(Ordering::SeqCst) {
            return Err(PostError::Lost(Error::new("the connection is lost")));
        }
        self.under_way.push(token);
        Ok(Posted::Pending(len))
    }

    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        if self.is_service {
            self.connection.service_events.take(events);
        } else if self.connection.calls_fail.swap(false, Ordering::SeqCst) {
            let lost = |token| Event::CallLost(token, Error::new("the connection is lost"));
            events.extend(self.under_way.drain(..).map(lost));
        } else if self.connection.breaks.swap(false, Ordering::SeqCst) {
            events.extend(self.under_way.drain(..).map(Event::Done));
            self.connection.service_events.put(Event::Failed(Error::new("the connection is lost")));
        }
        events.len()
    }

    fn arm(&mut self) -> Arm {
        if !self.is_service {
            return Arm::Armed;
        }
        let arm = if self.connection.service_events.has_any() { Arm::Busy } else { Arm::Armed };
        if let Some((at_rest, go_on)) = self.connection.pause.lock().unwrap().take() {
            at_rest.send(()).unwrap();
            go_on.recv().unwrap();
        }
        arm
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.silent.fd())
    }
}

fn open(connection: &Arc<Connection>) -> Engine<SharedTransport> {
    let (progress, one_host) = (Progress::Thread, true);
    let options = Options { me: Pe(0), size: 2, job: 7, progress, one_host, crowded: false, silence: None };
    Engine::open(options, |_| Ok(SharedTransport(Arc::clone(connection)))).unwrap()
}

fn put(lane: &dyn Lane) -> Result<Ticket, Busy> {
    let to = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
    // SAFETY: the port reads nothing.
    unsafe { lane.post(&Op::Put { to, from: [7_u64].as_ptr().cast(), len: 8 }) }
}

/// A call that fails for want of its peer, under way or as it is posted: the fabric says which peer is lost.
#[test]
fn a_failed_call_names_its_peer() {
    for is_posted in [true, false] {
        let connection = Arc::new(Connection::default());
        let engine = open(&connection);
        let lane = engine.lane().unwrap();
        connection.refuses.store(!is_posted, Ordering::SeqCst);
        assert_eq!(put(&*lane).is_ok(), is_posted);
        connection.calls_fail.store(true, Ordering::SeqCst);
        let begin = Instant::now();
        while engine.fault().is_none() {
            assert!(begin.elapsed() < HANG, "there is no fault");
            lane.progress();
        }
        assert_eq!(engine.lost_peer(), Some(Pe(1)));
    }
}

/// The service thread has found its port at rest. Before it goes on, the program polls its lane for the last time: its write is complete,
/// and the service has a fault to report.
#[test]
fn fault_found_by_a_lane_is_reported_while_the_program_computes() {
    let connection = Arc::new(Connection::default());
    let engine = open(&connection);
    let lane = engine.lane().unwrap();
    put(&*lane).unwrap();

    let (at_rest, is_at_rest) = channel();
    let (goes_on, go_on) = channel();
    *connection.pause.lock().unwrap() = Some((at_rest, go_on));
    is_at_rest.recv_timeout(HANG).unwrap();
    connection.breaks.store(true, Ordering::SeqCst);
    while connection.breaks.load(Ordering::SeqCst) {
        lane.progress();
    }
    assert!(engine.fault().is_none(), "only the service reports it");
    goes_on.send(()).unwrap();

    let begin = Instant::now();
    while engine.fault().is_none() {
        assert!(begin.elapsed() < HANG, "the service thread sleeps on its fault");
        thread::sleep(Duration::from_millis(1));
    }
}
