//! Builds the state of a world at the first init, and takes it apart at the last finalize.

use crate::{
    Site, World,
    agg::Aggregators,
    area,
    boards::Boards,
    coll::Collectives,
    context::Contexts,
    diagnose::{Diagnosis, record::RecordAll},
    end::{self, Ending, loss::Losses},
    extensions::Extensions,
    far::Far,
    life::{
        exit,
        neighbour::Neighbour,
        phase::{Extent, Remains, StartOptions},
    },
    live::Live,
    observe::{Observers, Start},
    teams::{self, Locale, Teams, shape::Shape},
    wait::{Patience, load, mates::Mates, state::WaitState, turns::Turns},
};
use core::{ffi::c_int, sync::atomic::Ordering::Relaxed};
use ferrite_bootstrap::{Alone, Boot};
use ferrite_carriers::{HostView, Locality, Opened};
use ferrite_diagnose::status::Phase;
use ferrite_fabric::{Error, Fabric, Progress, Result, Segment, SegmentId};
use ferrite_memory::{
    Memory, PeerWindow,
    heap::{
        alloc::Allocator,
        budget::{self, Bytes, Limits},
        pages,
        pools::{LargePages, Pool},
    },
    node::{self, HUGE_PAGE, HostCpus, Introduction, Layout, NodeMemory, Roster},
    statics::{Range, Statics},
};
use ferrite_os::{mutex, process::Process};
use ferrite_program::streams;
use ferrite_registry::Registry;
use ferrite_settings::{Settings, Waiting, logging};
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The default of FERRITE_LOST_TIMEOUT; the transports use the same value.
const LOST_TIMEOUT: Duration = Duration::from_secs(60);

/// Map the node's memory and build the state that depends on it.
pub(crate) fn assemble(world: &World, plan: StartOptions) -> Result<Live> {
    let StartOptions { boot, settings, extent, network, losses } = plan;
    let (me, size) = (boot.me().0, boot.size());
    join(world, &boot, &settings, losses.as_ref())?;
    let statics = if extent == Extent::Executable { take_process(&*boot) } else { None };
    let mapped = if network.is_some() { vec![boot.me()] } else { ferrite_carriers::mapped(&settings, &*boot) };
    let mine = introduction(world, &settings, &*boot, statics.as_ref())?;
    let node = step_with_peers("share memory", losses.as_deref(), || {
        let sizes = (area::CONTROL, settings.large_pages);
        node::assemble(&*boot, (&settings.transport.to_string(), settings.common_vni()), &mapped, &mine, sizes)
    })?;
    let (roster, cpus) = (node.roster(), node::cpus(&*boot, &node));
    let carried = mapped.len() < size as usize;
    let near = Locality::find(&cpus, place_on_host(&*boot), carried, settings.nics.as_ref());
    let pages = step("place memory", || {
        keep_near(&node, &near);
        large_pages(&settings, &node)
    });
    let patience = if network.is_some() { Patience::simulated() } else { patience(&settings, &cpus) };
    let place = HostView { near: &near, crowded: !patience.is_dedicated() };
    let turns = turns(&settings, &cpus);
    // Before a transport starts threads: otherwise they would have to be stopped while static data are moved.
    let statics = step("share static data", || statics.map(|range| share_statics(range, &node)).transpose())?;
    let fabric = match network {
        None if carried => Some(step("open transports", || ferrite_carriers::open(&settings, &*boot, &place))?),
        network => network.map(Opened::from),
    };
    let carriage = carriage(fabric.as_ref(), &near, &pages, &settings, me);
    let fabric = fabric.map(|opened| opened.fabric);
    let reach = |fabric| reach_others(fabric, &boot, &node, statics.as_ref(), &mine);
    let far = step_with_peers("reach others", losses.as_deref(), || fabric.map(reach).transpose())?;
    if let (Some(losses), Some(far)) = (&losses, &far) {
        losses.alert(far.alarm());
    }
    let local: Vec<u32> = mapped.iter().map(|pe| pe.0).collect();
    let windows = windows(&node, &local, &mine, statics.as_ref());
    let patience = if far.is_some() { patience.carrying() } else { patience };
    tracing::info!(ceiling = node.layout().ceiling, statics = mine.statics, waits = %patience, "mapped the host's memory");
    let sharing: Vec<c_int> =
        if settings.shared_only_self { vec![me as c_int] } else { local.iter().map(|&pe| pe as c_int).collect() };
    let boards = Boards::new(&*boot, &node, &local);
    let locale = Locale { me, local: &local, node: &node, map: teams::mixed(&*boot, &settings), boards: &boards };
    let teams = Teams::new(&locale, size, Shape::of(&sharing));
    let alike = (0..local.len()).all(|index| roster.program(index) == (mine.executable, mine.statics));
    let mates = if patience.is_dedicated() { Mates::default() } else { Mates::on(&node, &cpus) };
    let observers = observers(world, &Start { settings: &settings, node: &node, boot: &*boot })?;
    Ok(Live {
        me,
        size,
        // The C library's world owns the executable, and registers itself for the end of the process.
        ending: Ending::new(extent == Extent::Executable, losses.as_ref().map(|losses| losses.flag()).or(boot.over())),
        losses,
        neighbour: next_on_host(&settings, &boot, roster, &local),
        contexts: Contexts::new(size),
        coll: Collectives::new(settings.collectives.clone(), alike, !patience.is_dedicated(), far.is_some()),
        far,
        device: OnceLock::new(),
        diagnosis: Diagnosis::new(&settings, extent != Extent::Thread, boards, &carriage),
        memory: Memory::new(node, windows, local.into(), statics),
        teams,
        wait: WaitState::new(patience, mates, turns),
        extensions: Extensions::default(),
        agg: Aggregators::new(),
        observers,
        settings,
        boot,
    })
}

/// Index of this PE among the PEs of its host.
fn place_on_host(boot: &dyn Boot) -> usize {
    boot.local().iter().position(|&pe| pe == boot.me()).unwrap_or(0)
}

/// Take part in the job.
fn join(world: &World, boot: &Arc<dyn Boot>, settings: &Settings, losses: Option<&Arc<Losses>>) -> Result<()> {
    world.set_boot(boot);
    *mutex::lock(&world.losses) = losses.cloned();
    if boot.loss_returns() && losses.is_none() {
        boot.watch_losses(Box::new(|_, why| end::ended_elsewhere(None, &format!("ferrite: {why}"))));
    }
    logging::start(settings, boot.me().0);
    step_with_peers("join the job", losses.map(|losses| &**losses), || boot.join())?;
    boot.watch(Box::new(|code, why| end::ended_elsewhere(code, why)));
    tracing::info!(pe = boot.me().0, size = boot.size(), launcher = boot.launcher(), "joined the job");
    Ok(())
}

/// Line about what carries this PE's traffic, which is printed if the user asked for it. PE 0 also reports that TCP was taken although this
/// host has hardware for a faster transport.
fn carriage(opened: Option<&Opened>, near: &Locality, pages: &str, settings: &Settings, me: u32) -> String {
    let line = match opened {
        Some(Opened { fabric, .. }) => {
            format!("PE {me} reaches other hosts by {}; {pages}", ferrite_carriers::of_fabric(&**fabric, near))
        }
        None => format!("PE {me} shares memory with all PEs; {pages}"),
    };
    let remark = opened.and_then(|opened| opened.remark.as_deref()).filter(|_| me == 0);
    for line in remark.into_iter().chain(settings.report_transport.then_some(&*line)) {
        // One call for the whole line: PEs share the stream.
        let _ = io::stderr().write_all(format!("ferrite: {line}\n").as_bytes());
    }
    line
}

/// Run a part of init in its own span: `FERRITE_LOG=ferrite_runtime::life=debug` reports how long each part took.
pub(super) fn step<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    tracing::debug_span!("init", step = name).in_scope(work)
}

/// Run a part of init that needs the peers. If it fails, and losses return, wait for the root's word: a loss may explain the failure.
fn step_with_peers<T>(name: &'static str, losses: Option<&Losses>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    step(name, work).inspect_err(|error| losses.iter().for_each(|losses| losses.explain_failed_init(name, error)))
}

/// The observers of the program's calls that the user asked for.
fn observers(world: &World, start: &Start<'_>) -> Result<Observers> {
    let mut observers = Observers::default();
    for tool in world.tools {
        tool.attach(start)?.into_iter().for_each(|tool| observers.add_tool(tool));
    }
    if start.settings.record_all {
        observers.add(Arc::new(RecordAll));
    }
    Ok(observers)
}

/// Set up a process that has an executable: record its exit status, and print its output line by line. Return the range of the executable's
/// static data.
fn take_process(boot: &dyn Boot) -> Option<Range> {
    exit::watch_ending();
    if boot.launcher() != Alone::LAUNCHER {
        streams::print_by_lines();
    }
    Range::of_executable()
}

/// The watch over the next PE of this host, if the launcher may not end the job when that PE ends.
fn next_on_host(settings: &Settings, boot: &Arc<dyn Boot>, roster: Roster, local: &[u32]) -> Option<Neighbour> {
    if !boot.hears_last() || local.len() < 2 {
        return None;
    }
    let mine = local.iter().position(|&pe| pe == boot.me().0)?;
    let next = (mine + 1) % local.len();
    let patience = settings.lost_timeout.unwrap_or(LOST_TIMEOUT);
    Neighbour::watch(local[next], roster.process(next), patience, Arc::clone(boot))
}

/// The facts that the PEs of a host exchange before they share memory.
fn introduction(world: &World, settings: &Settings, boot: &dyn Boot, statics: Option<&Range>) -> Result<Introduction> {
    Ok(Introduction {
        ceiling: ceiling(settings, boot.local().len(), statics.map_or(0, |range| range.len()))?,
        statics: statics.map_or(0, |range| range.len() as u64),
        executable: statics.map_or(0, |range| range.identity()),
        checked: world.tools.iter().any(|tool| tool.needs_check_area(settings)),
        process: if boot.hears_last() { Process::current() } else { Process::default() },
        cpus: ferrite_topology::allowed().to_string(),
    })
}

/// How a PE leaves its job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parting {
    /// All PEs have passed the last barrier.
    Together,
    /// After a loss, without the others.
    Alone,
}

/// Take the world apart.
pub(crate) fn take_apart(world: &World, parting: Parting) -> Option<Remains> {
    // SAFETY: in finalize, and where a job is abandoned, no other routine of the program is running.
    let mut live = unsafe { world.close() }?;
    let contexts = std::mem::replace(&mut live.contexts.created, Registry::new()).count();
    live.diagnosis.enter(Phase::Left);
    drop(live.neighbour.take());
    // Drop the fabric before any memory, so that no peer accesses memory that is going away.
    drop(live.far.take());
    if let Some(Err(error)) = live.memory.statics.take().map(Statics::unshare) {
        tracing::warn!(%error, "static data stay in the host's memory");
    }
    if live.settings.meminfo {
        let _ = writeln!(
            io::stderr(),
            "ferrite: PE {}: symmetric heap at finalize: {}{}",
            live.me,
            live.memory.heap().usage(),
            live.memory.node.large().map_or(String::new(), |(bytes, page)| {
                format!("; {} on pages of {}", Bytes(bytes as u64), Bytes(page as u64))
            })
        );
    }
    tracing::info!(contexts_left = contexts, "left the job");
    let boot = live.boot.clone();
    let remains = Remains(live.memory);
    if parting == Parting::Alone {
        boot.abandon();
    } else if let Err(error) = boot.leave() {
        // A peer that dies after the last barrier takes nothing with it.
        if boot.has_lost() {
            boot.abandon();
            return Some(remains);
        }
        world.die(end::EXIT_CODE, &format!("leaving the job: {error}"));
    }
    Some(remains)
}

/// Move the executable's data into the node's memory.
fn share_statics(range: Range, node: &NodeMemory) -> Result<Statics> {
    let (file, offset) =
        node.statics_file().ok_or_else(|| Error::new("the host's memory file was closed while it was set up"))?;
    // SAFETY: the layout keeps these bytes of the file for this PE, until all PEs have reached finalize.
    let shared = unsafe { Statics::share(range, file, offset) };
    shared.map_err(|cause| Error::because("making the executable's static data symmetric", cause))
}

/// Register this PE's memory for the PEs that are not mapped, and find out how to reach theirs.
fn reach_others(
    fabric: Box<dyn Fabric>,
    boot: &Arc<dyn Boot>,
    node: &NodeMemory,
    statics: Option<&Statics>,
    mine: &Introduction,
) -> Result<Far> {
    let mut segments =
        vec![Segment { id: SegmentId::CONTROL, base: node.control(node.index()), len: area::piece(0).len() }];
    if let Some(statics) = statics {
        let range = statics.range();
        segments.push(Segment { id: SegmentId::STATICS, base: range.base() as *mut u8, len: range.len() });
    }
    // SAFETY: `take_apart` drops the fabric before it releases either segment.
    unsafe { Far::open(fabric, boot, mine.executable, &segments) }
}

/// Agree on the facts that all PEs must know of each other before the program begins. Collective, and so the first barrier.
pub(crate) fn compare(world: &World, site: &'static Site, wants_device: bool) {
    let live = world.require_live(site);
    let executable = live.far.as_ref().map_or(0, Far::executable);
    let choices = live.coll.choices.digest();
    let alone = live.far.is_some() && live.settings.progress == Progress::Program;
    let by_nic = live.nic_atomics();
    // A fact is true after the agreement if it is true on all PEs. So `!alone` is included as well: it shows whether `alone` is false on
    // all PEs.
    let (is_uniform, is_dedicated) = (live.coll.uniform.load(Relaxed), !live.coll.crowded.load(Relaxed));
    let facts = [is_uniform, is_dedicated, alone, !alone, by_nic, !by_nic, wants_device, !wants_device];
    let facts = facts.iter().rev().fold(0, |word, &fact| word << 1 | u64::from(fact));
    let mine = [live.memory.node.layout().ceiling as u64, executable, !executable, choices, !choices, facts];
    let agreed = world.agree_on(site, mine, |at, a, b| if at == mine.len() - 1 { a & b } else { a.min(b) });
    let [ceiling, least, greatest, choices_least, choices_greatest, facts] = agreed;
    let [
        nodes_are_alike,
        are_dedicated,
        are_alone,
        have_threads,
        are_by_nic,
        are_by_processors,
        want_device,
        want_none,
    ] = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| facts >> at & 1 == 1);
    if choices_least != !choices_greatest {
        refuse_difference(
            (world, live, site),
            choices,
            "settings of collectives, and would deadlock: SHMEM_COLL_* and SHMEM_*_ALGORITHM must be the same for all \
             PEs",
        );
    }
    if !are_alone && !have_threads {
        refuse_difference(
            (world, live, site),
            alone.into(),
            "values of FERRITE_PROGRESS, which must be the same for all PEs: a PE without a progress thread is silent \
             while it computes, and PEs with one would consider it lost",
        );
    }
    if !are_by_nic && !are_by_processors {
        refuse_difference(
            (world, live, site),
            by_nic.into(),
            "executors of atomics: a NIC and processors exclude each other on no word; SHMEM_ATOMICS must be the same for all PEs",
        );
    }
    if !want_device && !want_none {
        refuse_difference(
            (world, live, site),
            wants_device.into(),
            "requests for device memory: SHMEM_GPU_SUPPORT_ENABLED, and in C SHMEM_DEVICE_HOST_INIT in shmem_init_thread, must be the same on \
             all PEs",
        );
    }
    let uniform = least == !greatest && nodes_are_alike;
    if let Some(far) = &live.far {
        far.set_uniform(uniform);
    }
    live.coll.uniform.store(uniform, Relaxed);
    // PEs in different containers may see this differently, and it selects the collectives, so all use the common value.
    live.coll.crowded.store(!are_dedicated, Relaxed);
    *live.memory.heap() = Allocator::new(ceiling);
    tracing::debug!(ceiling, uniform, are_dedicated, "agreed with all PEs");
}

/// End the job, and report which PE has another value than PE 0 where all PEs must have the same value.
fn refuse_difference((world, live, site): (&World, &Live, &'static Site), mine: u64, what: &str) -> ! {
    let [of_the_first] = world.agree_on(site, [if live.me == 0 { mine } else { 0 }], |_, a, b| a | b);
    let other = if mine == of_the_first { u64::MAX } else { live.me.into() };
    let [other] = world.agree_on(site, [other], |_, a, b| a.min(b));
    world.misuse(site, format_args!("PE {other} and PE 0 have different {what}"))
}

/// Maximum size of this PE's heap, in bytes.
fn ceiling(settings: &Settings, pes: usize, statics: usize) -> Result<u64> {
    let beside = Layout::beside_heaps(pes, area::CONTROL, statics) as u64;
    let least = beside + pes as u64 * budget::ALIGN;
    let limits = Limits::of_process();
    for (limit, name) in
        [(limits.address_space, "address space (ulimit -v)"), (limits.file_size, "file size (ulimit -f)")]
    {
        if let Some(left) = limit.filter(|&left| left < least) {
            return Err(Error::new(format!(
                "the limit on {name} leaves {}, but {pes} PEs on a host need {} even with small symmetric heaps; \
                 raise it, or run fewer PEs",
                Bytes(left),
                Bytes(least)
            )));
        }
    }
    let fits = |heaps| pages::address_space_holds(beside.saturating_add(heaps));
    let ceiling = budget::ceiling(settings.symmetric_size, pes as u64, beside, &budget::memory(), &limits, fits)
        .map_err(|error| Error::because("SHMEM_SYMMETRIC_SIZE", error))?;
    tracing::debug!(bytes = ceiling.bytes, bound_by = ceiling.bound_by, "ceiling of the symmetric heap");
    Ok(ceiling.bytes)
}

/// Ask for large pages for the heaps' part of the memory file, if the node offers them and the settings do not forbid them. Returns the page
/// sizes of the heap, in words.
fn large_pages(settings: &Settings, node: &NodeMemory) -> String {
    let small = pages::page_size() as u64;
    if settings.large_pages == LargePages::Off {
        return format!("pages of {}", Bytes(small));
    }
    let offer = pages::offer();
    let asked = node.ask_for_large_pages(offer);
    tracing::debug!(page = offer.page, policy = offer.policy.name(), asked, "large pages for the symmetric heaps");
    let pool = node.large().map(|(_, page)| Pool::read(page as u64));
    let rest = if asked == 0 { small } else { offer.page };
    let largest = pool.map_or(rest, |pool| pool.page);
    let wished = settings.large_pages.asked();
    // Each host has a pool of its own.
    if largest < wished && node.index() == 0 {
        let _ = io::stderr().write_all(
            format!(
                "ferrite: the symmetric heap was to have pages of {}, but this host has none: pages of {} are used; nr_hugepages and \
                 nr_overcommit_hugepages in /sys/kernel/mm/hugepages make them, or, for 2 MiB, shmem_enabled in \
                 /sys/kernel/mm/transparent_hugepage (it is {})\n",
                Bytes(wished),
                Bytes(largest),
                offer.policy.name()
            )
            .as_bytes(),
        );
    }
    match (pool, asked) {
        (Some(pool), _) => format!("pages of {} (pool: {pool}), others of {}", Bytes(pool.page), Bytes(rest)),
        (None, 0) => format!("pages of {}", Bytes(small)),
        (None, _) => format!("pages of {} where the kernel has them", Bytes(offer.page)),
    }
}

/// Place the PE's memory on its own NUMA node, whichever PE touches it first.
fn keep_near(node: &NodeMemory, near: &Locality) {
    let Some(home) = near.node else { return };
    match node.prefer(home) {
        Ok(()) => tracing::debug!(home, "the symmetric memory is kept near"),
        // A container may forbid it. Then the first touch decides, which is the PE's own for most memory.
        Err(error) => tracing::info!(home, %error, "the symmetric memory is not kept near"),
    }
}

/// How to wait, given the CPUs that each PE of this host may run on.
fn patience(settings: &Settings, cpus: &HostCpus) -> Patience {
    let pes_per_core = || load::pes_per_core(cpus, load::worth(cpus));
    match settings.wait {
        Waiting::Spin => Patience::dedicated(),
        Waiting::Yield => Patience::sharing(pes_per_core()),
        Waiting::Auto | Waiting::Turns => Patience::for_load(pes_per_core()),
    }
}

/// Turn-taking among the PEs of one core, if the settings ask for it and several PEs share a core.
fn turns(settings: &Settings, cpus: &HostCpus) -> Option<Turns> {
    let pes_per_core = (settings.wait == Waiting::Turns).then(|| load::pes_per_core(cpus, load::worth(cpus)))?;
    let started = (pes_per_core > 1).then(|| Turns::among(pes_per_core))?;
    started.inspect_err(|error| tracing::warn!(%error, "PEs of one core do not take turns")).ok()
}

/// The windows from the first to the last PE of this node. Windows of PEs in between that are on other nodes stay shut.
fn windows(node: &NodeMemory, local: &[u32], mine: &Introduction, statics: Option<&Statics>) -> Box<[PeerWindow]> {
    let first = local[0];
    let span = local.last().map_or(0, |last| last - first + 1);
    let mut windows: Vec<PeerWindow> = (0..span).map(|_| PeerWindow::default()).collect();
    let my_heap = node.own_heap() as isize;
    for (index, &pe) in local.iter().enumerate() {
        let window = &mut windows[(pe - first) as usize];
        *window.heap.get_mut() = node.heap(index) as isize - my_heap;
        if let Some(statics) = statics
            && node.roster().program(index) == (mine.executable, mine.statics)
        {
            // Our own static data are accessed in place; the file's mapping shows the same bytes.
            *window.statics.get_mut() =
                if index == node.index() { 0 } else { node.statics(index) as isize - statics.range().base() as isize };
            *window.statics_len.get_mut() = statics.range().len();
        }
    }
    windows.into()
}

const _: () = assert!(HUGE_PAGE.is_multiple_of(PeerWindow::GRAIN));
