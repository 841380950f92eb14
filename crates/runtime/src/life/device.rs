//! Opens device memory at init, if the program requests it. All PEs take part, and either all have device memory afterwards or none.
//!
//! Each step is local, and followed by an agreement: if one PE fails, all give up what they have, and init does not grant the request. The
//! steps are: open the device that is current; create the heap and map it; pass its handle to the PEs of this host that share memory, and
//! map theirs; make slots of host memory for the other PEs, and serve their requests.

use crate::{
    Site, World,
    device::{
        DeviceRoom, Neighbor,
        served::{STAGING_BYTES, Served, Staging},
    },
    far::Far,
    live::Live,
    observe::hidden,
};
use ferrite_device::{Device, Mapping};
use ferrite_fabric::{Error, Pe, Result, SegmentId};
use ferrite_memory::node::{HEAP_ALIGN, handles};
use std::{
    io::{self, Write},
    os::fd::AsFd,
    sync::Arc,
};

/// Slots begin at multiples of a page of any size in use.
const STAGING_ALIGN: usize = 64 << 10;

impl World {
    /// Open device memory, and report why if that is impossible. Collective over the world.
    pub(super) fn open_device(&self, site: &'static Site) {
        let live = self.require_live(site);
        let opened = hidden(|| self.build_device(site, live));
        match opened {
            Ok(room) => {
                let _ = live.device.set(room);
                // Every call takes its cold twin from here on.
                self.observed.store(true, core::sync::atomic::Ordering::Relaxed);
                self.near.shut();
                self.words.shut();
            }
            // PEs that gave up for another's sake have no reason of their own.
            Err(Some(error)) => {
                let _ = writeln!(
                    io::stderr(),
                    "ferrite: PE {}: no device memory: {error}; {} does not grant it",
                    live.me,
                    site.name
                );
            }
            Err(None) => tracing::info!("another PE has no device memory"),
        }
    }

    fn build_device(&self, site: &'static Site, live: &Live) -> Result<Arc<DeviceRoom>, Option<Error>> {
        let device = self.all(site, open(live))?;
        let bytes = self.size_of_device_heap(site, live, &*device);
        let heap = self.all(
            site,
            Mapping::create(&device, bytes, HEAP_ALIGN).map_err(|e| because("creating the device heap", e)),
        )?;
        let neighbors = self.neighbors(site, live, &device, &heap)?;
        let room = DeviceRoom::new(live.me, device, heap, neighbors, live.ending.over()).map(Arc::new);
        let room = self.all(site, room.map_err(|e| because("opening queues of the device", e)))?;
        // Before the fabric gets the room, which it keeps.
        self.stage(site, live, &room)?;
        let served = self.all(site, live.far.as_ref().map_or(Ok(()), |far| serve(live, far, &room)));
        served.inspect_err(|_| self.unstage(site, &room))?;
        Ok(room)
    }

    /// The value, if all PEs have theirs. PEs that fail return their reason.
    fn all<T>(&self, site: &'static Site, mine: Result<T>) -> Result<T, Option<Error>> {
        let all = self.agree_on(site, [u64::from(mine.is_ok())], |_, a, b| a & b) == [1];
        match mine {
            Ok(value) if all => Ok(value),
            Ok(_) => Err(None),
            Err(error) => Err(Some(error)),
        }
    }

    /// Size of the heap, the same on all PEs: a multiple of the unit of every device, and not zero.
    fn size_of_device_heap(&self, site: &'static Site, live: &Live, device: &dyn Device) -> usize {
        let (wanted, unit) = (live.settings.device_size, device.about().granularity_bytes as u64);
        let [least, greatest, unit] =
            self.agree_on(site, [wanted, !wanted, unit], |at, a, b| if at == 2 { a.max(b) } else { a.min(b) });
        if least != !greatest {
            self.misuse(
                site,
                format_args!(
                    "SHMEM_DEVICE_SYMMETRIC_SIZE is {wanted} bytes here, and between {least} and {} on other PEs; it must be the same on all",
                    !greatest
                ),
            );
        }
        least.max(1).checked_next_multiple_of(unit).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    }

    /// Exchange handles with the PEs of this host that share memory, and map their heaps.
    fn neighbors(
        &self,
        site: &'static Site,
        live: &Live,
        device: &Arc<dyn Device>,
        heap: &Mapping,
    ) -> Result<Box<[Neighbor]>, Option<Error>> {
        let local: Vec<Pe> = live.memory.local.iter().map(|&pe| Pe(pe)).collect();
        let file = self.all(site, heap.export().map_err(|e| because("exporting the device heap", e)))?;
        let meet = || {
            self.agree_on(site, [1], |_, a, b| a & b);
            Ok(())
        };
        let index = live.memory.node.index();
        let files = handles::exchange(&live.boot.secret(), "device heap", &local, index, file, meet);
        // The others wait for this PE's handle.
        let files = files.unwrap_or_else(|error| live.die(&format!("PE {}: {}: {error}", live.me, site.name)));
        let bytes = heap.range().bytes;
        let mapped = files.into_iter().zip(&*live.memory.local).enumerate().map(|(index, (file, &pe))| {
            let import = |file: std::os::fd::OwnedFd| Mapping::import(device, file.as_fd(), bytes, HEAP_ALIGN);
            let heap = file.map(import).transpose();
            let heap = heap.map_err(|e| because(&format!("mapping the device heap of PE {pe}"), e))?;
            Ok(Neighbor { pe, heap, lock: live.device_lock(index) })
        });
        self.all(site, mapped.collect())
    }

    /// Allocate the slots of host memory, if there are PEs that need them.
    fn stage(&self, site: &'static Site, live: &Live, room: &DeviceRoom) -> Result<(), Option<Error>> {
        let far = self.agree_on(site, [u64::from(live.far.is_some())], |_, a, b| a | b) == [1];
        if !far {
            return Ok(());
        }
        let block: *mut u8 = self.align(site, STAGING_ALIGN, STAGING_BYTES).cast();
        if block.is_null() {
            let error =
                Error::new(format!("no room for {STAGING_BYTES} bytes of the host heap, which it needs between hosts"));
            return Err((live.me == 0).then_some(error));
        }
        let staging = Staging::new(block, (block as usize - live.memory.heap_base()) as u64);
        // SAFETY: the block was allocated with that length, in the heap, which is unmapped after the room is dropped (`Live`).
        unsafe { room.add_staging(staging) };
        Ok(())
    }

    /// Give back the host memory of device memory, before the last barrier of the job. Collective over the world.
    pub(super) fn close_device(&self, site: &'static Site) {
        self.device_room().into_iter().for_each(|room| self.unstage(site, room));
    }

    /// Free the host memory through which peers reach device memory, if there is any. No peer has a transfer under way. Collective over the
    /// world.
    fn unstage(&self, site: &'static Site, room: &DeviceRoom) {
        if let Some(staging) = room.staging() {
            // SAFETY: nothing uses it any more: each peer waits for its own transfers.
            hidden(|| unsafe { self.free(site, staging.base().cast()) });
        }
    }
}

fn because(what: &str, error: ferrite_device::Error) -> Error {
    Error::because(what, error)
}

/// Open the device, unless a part of the job cannot use device memory.
fn open(live: &Live) -> Result<Arc<dyn Device>> {
    if live.nic_atomics() {
        return Err(Error::new(
            "the NIC executes all atomics of the job, but not those on device memory; set SHMEM_ATOMICS=processor",
        ));
    }
    if live.boot.loss_returns() {
        // A PE that dies with the lock of a heap's words would leave the others waiting for it.
        return Err(Error::new("a job that survives the loss of PEs has no device memory"));
    }
    let device = ferrite_device::cuda::open(None).map_err(|error| because("opening the GPU", error))?;
    tracing::info!(device = ?device.about(), "opened the device");
    Ok(device)
}

/// Serve the requests of PEs that are not mapped.
fn serve(live: &Live, far: &Far, room: &Arc<DeviceRoom>) -> Result<()> {
    let served = |moves| Arc::new(Served { room: Arc::clone(room), boot: Arc::clone(&live.boot), moves });
    far.serve(SegmentId::DEVICE, served(false))?;
    far.serve(SegmentId::MOVES, served(true))
}
