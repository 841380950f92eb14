//! A [`Boot`] for PEs started by another launcher, based on the common part of PMI-1, PMI-2 and PMIx: a [`Store`].
//!
//! A store keeps values for the job, with a fence over all PEs. Values are short and can be written once. So the values that a PE publishes
//! between two exchanges are put as one page (see [`crate::page`]), under keys that contain the number of the exchange. Only at the start
//! do PEs read more than they look up ([`meet`]).
//!
//! **The secret.** These launchers do not give a job one. PE 0 draws it and puts it into the store, so it is as private as the store. The
//! supported launchers show the store only to the processes of the job and to their own daemons, which run as the job's user or as root.
//! Some of them send it between hosts without encryption.
//!
//! **The end.** These protocols have one goodbye per process, while a PE may leave and join again. So [`Boot::leave`] sends nothing. The
//! goodbye is sent when the process ends by `exit`, or by a return from `main`, after the PE has left. `mpiexec.hydra` and `mpirun` treat
//! an end without goodbye as a death. So the job ends if a PE calls `_exit` or `exec` after its finalize.
//!
//! Behaviour of these launchers when a PE ends without having left:
//!
//! | launcher | a PE exits with 3, and announces it | a PE is killed |
//! |---|---|---|
//! | `mpiexec.hydra`, PMI-1 | the job ends with 3 | the job ends with 9 |
//! | `mpirun` | the job ends with 3 | the job ends with 128 and the signal |
//! | `srun --mpi=pmix` | the job ends with 3 or 137 (its other tasks are killed) | the job ends with 137 |
//! | `srun --mpi=pmi2` | the job ends with 3 or 137 | the job ends with 70 or 137: a PE of the same host notices (`runtime/src/life/neighbour.rs`), or the transport |

use crate::host::{self, Hosts, Welcome};
use crate::page::{self, PAGE_MAX, Page};
use crate::{Boot, Seat, Secret, end, wire};
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::mutex;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A job-wide store of values that are written once, and a fence over it.
///
/// Callable from any thread. At most one thread at a time calls `put`, `fence` or `get`, except where [`Store::gets_meanwhile`] allows more;
/// `abort` may be called at any time.
pub trait Store: Send + Sync {
    /// The launcher and its protocol: "MPICH's mpiexec, PMI-1".
    fn launcher(&self) -> &str;
    /// This PE, and the number of PEs.
    fn place(&self) -> (Pe, u32);
    /// The longest value of one `put`, in bytes.
    fn value_max(&self) -> usize;
    /// Store `value` under `key`. Each key is used once in a job.
    fn put(&self, key: &str, value: &[u8]) -> Result<()>;
    /// Wait for all PEs. Values put by any PE before the fence can be got after it.
    fn fence(&self) -> Result<()>;
    /// The value that `pe` put under `key`.
    fn get(&self, pe: Pe, key: &str) -> Result<Vec<u8>>;
    /// Whether threads may call `get` while another thread is in any call. False if requests share a connection that answers them in order.
    fn gets_meanwhile(&self) -> bool {
        false
    }
    /// Ask the launcher to end the job with this code. It may end this process at once.
    fn abort(&self, code: i32);
    /// Send the one goodbye of this process.
    fn goodbye(&self) -> Result<()>;
}

/// A PE whose launcher serves a [`Store`].
pub struct Served {
    store: Box<dyn Store>,
    seat: Seat,
    said: Mutex<Vec<(String, Vec<u8>)>>,
    /// Held by the thread that uses the store, for as long as a fence takes. Locked before `turns`, never while `turns` is held.
    using: Mutex<()>,
    /// Never held during a call of the store: a page that was read is found during an exchange.
    turns: Mutex<Turns>,
    standing: Mutex<Standing>,
}

/// Number of exchanges so far, and the pages read.
#[derive(Default)]
struct Turns {
    done: u32,
    /// The last exchange in which this PE published something.
    spoke: u32,
    pages: HashMap<(Pe, u32), Arc<Page>>,
}

/// State of the process towards its launcher.
#[derive(Default)]
struct Standing {
    joined: bool,
    ending: bool,
    gone: bool,
}

impl Served {
    /// Find out which PEs share this host, and the job's secret. Collective over the job.
    pub fn over(store: Box<dyn Store>) -> Result<Served> {
        Self::on(&host::identity(), store)
    }

    fn on(identity: &[u8], store: Box<dyn Store>) -> Result<Served> {
        let (me, size) = store.place();
        if me.0 >= size {
            return Err(Error::new(format!("{} started this process as {me} of {size}", store.launcher())));
        }
        let Welcome { secret, nodes } = meet(&*store, identity)?;
        let seat = Seat::new(me, nodes, secret);
        tracing::debug!(me = me.0, size, local = seat.local.len(), launcher = store.launcher(), "joined the job");
        let (said, using, turns, standing) = Default::default();
        Ok(Served { store, seat, said, using, turns, standing })
    }

    /// The process is ending: send the goodbye now if this PE is not in the job, otherwise when it leaves.
    pub(crate) fn process_ends(&self) {
        if self.seat.check_process().is_err() {
            return;
        }
        let mut standing = mutex::lock(&self.standing);
        standing.ending = true;
        if let Err(error) = self.part(&mut standing) {
            tracing::debug!(%error, "the launcher did not answer the goodbye");
        }
    }

    fn part(&self, standing: &mut Standing) -> Result<()> {
        if standing.joined || !standing.ending || standing.gone {
            return Ok(());
        }
        standing.gone = true;
        self.store.goodbye()
    }

    /// The page that `pe` published in exchange `turn`, from the store if it was not read before.
    fn page(&self, pe: Pe, turn: u32) -> Result<Arc<Page>> {
        let known = || mutex::lock(&self.turns).pages.get(&(pe, turn)).cloned();
        if let Some(page) = known() {
            return Ok(page);
        }
        let _using = (!self.store.gets_meanwhile()).then(|| mutex::lock(&self.using));
        // The thread that used the store before may have read it.
        if let Some(page) = known() {
            return Ok(page);
        }
        let page = Arc::new(page_of(&*self.store, pe, turn)?);
        mutex::lock(&self.turns).pages.insert((pe, turn), page.clone());
        Ok(page)
    }
}

/// Maximum number of values that one PE reads between two fences.
const READ_MAX: u32 = 64;

/// The first fences: each PE publishes its host, and receives the map of all hosts.
///
/// The PEs form a tree: every [`READ_MAX`]th PE reads the values of that many PEs and joins them, then every [`READ_MAX`]th of these
/// readers does the same. So a job of up to 64 PEs takes two fences, and one of 262,144 takes four, with 64 look-ups between two.
fn meet(store: &dyn Store, identity: &[u8]) -> Result<Welcome> {
    let (Pe(me), size) = store.place();
    let mut hosts = Hosts::of(host::digest(identity));
    // Number of PEs that a value describes.
    let mut each = 1_u32;
    while each < size {
        let next = each.saturating_mul(READ_MAX);
        if me.is_multiple_of(each) {
            write(store, &hosts_name(each, Pe(me)), &hosts.encode())?;
        }
        store.fence()?;
        if me.is_multiple_of(next) {
            let end = me.saturating_add(next).min(size);
            let parts = (me..end).step_by(each as usize).map(|pe| read_hosts(store, Pe(pe), each, size));
            hosts = Hosts::join(&parts.collect::<Result<Vec<_>>>()?);
        }
        each = next;
    }
    if me == 0 {
        let welcome = Welcome { secret: Secret::draw()?, nodes: hosts.into_nodes() };
        write(store, "welcome", &welcome.encode())?;
    }
    store.fence()?;
    let told = read(store, Pe(0), "welcome")?;
    let welcome = Welcome::decode(&told, size);
    welcome.ok_or_else(|| Error::new(format!("PE 0's description of the job is malformed ({} bytes)", told.len())))
}

/// The hosts of up to `each` PEs, starting at `pe`.
fn read_hosts(store: &dyn Store, pe: Pe, each: u32, size: u32) -> Result<Hosts> {
    let bytes = read(store, pe, &hosts_name(each, pe))?;
    Hosts::decode(&bytes, each.min(size - pe.0))
        .ok_or_else(|| Error::new(format!("{pe}'s description of its hosts is malformed ({} bytes)", bytes.len())))
}

/// Name under which `pe` puts the hosts of `each` PEs.
fn hosts_name(each: u32, pe: Pe) -> String {
    format!("hosts.{each:x}.{:x}", pe.0)
}

/// Put a value of any length under `name`.
fn write(store: &dyn Store, name: &str, value: &[u8]) -> Result<()> {
    for (number, part) in page::parts(value, store.value_max()).iter().enumerate() {
        store.put(&key(name, number), part)?;
    }
    Ok(())
}

/// Get a value that `pe` wrote.
fn read(store: &dyn Store, pe: Pe, name: &str) -> Result<Vec<u8>> {
    page::join(|number| store.get(pe, &key(name, number)))
        .map_err(|error| Error::because(format!("what {pe} has put under `{name}`"), error))
}

/// The page that `pe` published in exchange `turn`.
fn page_of(store: &dyn Store, pe: Pe, turn: u32) -> Result<Page> {
    let bytes = read(store, pe, &page_name(pe, turn))?;
    let page = Page::decode(&bytes).filter(|page| page.before < turn);
    page.ok_or_else(|| Error::new(format!("{pe} published a malformed value ({} bytes)", bytes.len())))
}

/// Key of a part. At most 40 bytes: the lowest limit of the protocols is 64.
fn key(name: &str, part: usize) -> String {
    format!("ferrite.{name}.{part:x}")
}

/// Name of a page. It is used once, and no other code uses keys of this form.
fn page_name(pe: Pe, turn: u32) -> String {
    format!("page.{turn:x}.{:x}", pe.0)
}

impl Boot for Served {
    fn seat(&self) -> &Seat {
        &self.seat
    }

    fn launcher(&self) -> &str {
        self.store.launcher()
    }

    fn publish(&self, key: &str, value: &[u8]) -> Result<()> {
        wire::check(key, value)?;
        let mut said = mutex::lock(&self.said);
        if Page::weight(&said) + key.len() + value.len() + 8 > PAGE_MAX {
            return Err(Error::new(format!("publishing `{key}`: more than {PAGE_MAX} bytes in one turn")));
        }
        said.push((key.to_owned(), value.to_vec()));
        Ok(())
    }

    /// A page is written even if it is empty: some stores wait for a missing key instead of reporting it.
    fn exchange(&self) -> Result<()> {
        self.seat.check_process()?;
        let _using = mutex::lock(&self.using);
        let Turns { done, spoke, .. } = *mutex::lock(&self.turns);
        let turn = done.checked_add(1).ok_or_else(|| Error::new("too many exchanges"))?;
        let page = Page { before: spoke, entries: std::mem::take(&mut *mutex::lock(&self.said)) };
        write(&*self.store, &page_name(self.seat.me, turn), &page.encode())?;
        self.store.fence()?;
        let mut turns = mutex::lock(&self.turns);
        turns.done = turn;
        if !page.entries.is_empty() {
            turns.spoke = turn;
        }
        Ok(())
    }

    fn lookup(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.seat.check_process()?;
        if pe.0 >= self.size() {
            return Err(Error::new(format!("looking up `{key}` of {pe}: this job has {} PEs", self.size())));
        }
        let mut turn = mutex::lock(&self.turns).done;
        while turn > 0 {
            let page = self.page(pe, turn)?;
            if let Some(value) = page.find(key) {
                return Ok(value.to_vec());
            }
            turn = page.before;
        }
        Err(Error::new(format!("{pe} has published nothing under `{key}`")))
    }

    fn join(&self) -> Result<()> {
        self.seat.check_process()?;
        let mut standing = mutex::lock(&self.standing);
        if standing.gone {
            return Err(Error::new(format!(
                "{} has said goodbye to {}: its process is ending",
                self.seat.me,
                self.launcher()
            )));
        }
        standing.joined = true;
        Ok(())
    }

    fn leave(&self) -> Result<()> {
        self.seat.check_process()?;
        let mut standing = mutex::lock(&self.standing);
        standing.joined = false;
        self.part(&mut standing)
    }

    fn hears_last(&self) -> bool {
        true
    }

    /// The reason is printed here, since the launchers print none, or add lines of their own to it. A launcher that ends a job does not
    /// always forward the bytes left in its pipes, so it is given time to read them first.
    fn announce(&self, code: i32, why: &str) {
        end::say(why);
        if self.seat.check_process().is_ok() {
            end::drain();
            self.store.abort(code);
        }
    }
}

/// The connection that says goodbye when the process ends.
static DEPARTING: Mutex<Option<Arc<Served>>> = Mutex::new(None);

/// Make the process say goodbye to the launcher when it ends. Called once, for the one connection of a process.
pub(crate) fn say_goodbye_at_exit(boot: Arc<Served>) {
    extern "C" fn at_exit() {
        let departing = mutex::lock(&DEPARTING).take();
        if let Some(boot) = departing {
            boot.process_ends();
        }
    }
    *mutex::lock(&DEPARTING) = Some(boot);
    // SAFETY: the handler takes no arguments and does not unwind. In a shared library it runs when the library is unloaded, at the latest.
    // If registration fails, the launcher gets no goodbye and decides itself what that means.
    unsafe { libc::atexit(at_exit) };
}

#[cfg(test)]
#[path = "kvs_tests.rs"]
mod tests;
