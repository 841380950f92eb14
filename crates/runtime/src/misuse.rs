//! What a program is told when it asks for the impossible: one line that names PE, routine, argument, value and
//! what would be right; then the job ends.
//!
//! All of this is cold. The near path refuses without knowing why; these functions find out.

use crate::{Ctx, Site, World, near::Window};
use core::{ffi::c_int, fmt, sync::atomic::Ordering::Relaxed};

/// The job's exit code after a misuse, and after any other failure of the library's own: sysexits' EX_SOFTWARE.
pub(crate) const EXIT_CODE: c_int = 70;

impl World {
    /// End the job because of what the program asked of `site`.
    #[cold]
    #[inline(never)]
    pub fn misuse(&self, site: &Site, complaint: fmt::Arguments<'_>) -> ! {
        let who = match self.live() {
            Some(live) => format!("PE {}", live.me),
            None => format!("process {}", std::process::id()),
        };
        self.die(EXIT_CODE, &format!("{who}: {}: {complaint}", site.name))
    }

    /// End the job unless the library is initialised.
    #[inline]
    pub(crate) fn require_live(&self, site: &Site) -> &crate::live::Live {
        match self.live() {
            Some(live) => live,
            None => self.misuse(
                site,
                format_args!("called outside of init and finalize; call shmem_init or shmem_init_thread first"),
            ),
        }
    }

    /// The world's number for `pe` of `ctx`, or the end of the job.
    #[cold]
    pub(crate) fn require_pe(&self, site: &Site, ctx: Ctx, pe: c_int) -> c_int {
        let live = self.require_live(site);
        let (shape, whose) = match ctx {
            Ctx::INVALID => self.misuse(site, format_args!("ctx is SHMEM_CTX_INVALID; use a context that was created")),
            Ctx::DEFAULT => (live.default_context.shape(), ""),
            created => (self.require_context(site, created).shape(), " of the context's team"),
        };
        if pe < 0 || pe as u32 >= shape.size() {
            self.misuse(site, format_args!("pe is {pe}; PE numbers{whose} go from 0 to {}", shape.size() as i64 - 1));
        }
        shape.world_pe(pe)
    }

    /// Say why the guard refused `len` bytes at our `address` for `pe`. Returns only where nothing is wrong:
    /// for a length of 0, and for peers whose memory is not mapped here.
    #[cold]
    pub(crate) fn explain(&self, site: &Site, what: &str, address: usize, len: usize, ctx: Ctx, pe: c_int) {
        let world_pe = self.require_pe(site, ctx, pe);
        if len == 0 {
            return;
        }
        let live = self.require_live(site);
        if address == 0 {
            self.misuse(site, format_args!("{what} is NULL, but the length is {len} bytes"));
        }
        let Some(window) = self.near.window(world_pe) else { return };
        let heap = live.heap_base();
        let extent = live.heap_extent();
        let in_heap = address.wrapping_sub(heap) < live.heap_ceiling();
        if in_heap {
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach to offset {:#x} of the symmetric heap, of which {extent:#x} \
                     bytes are allocated; stay within what shmem_malloc returned",
                    address.wrapping_sub(heap).saturating_add(len),
                ),
            );
        }
        if let Some((base, statics)) = live.statics_range()
            && address.wrapping_sub(base) < statics
        {
            if window.statics_len.load(Relaxed) == 0 {
                self.misuse(
                    site,
                    format_args!(
                        "{what} {address:#x} is static data, and PE {world_pe} runs another executable, whose static data \
                         are laid out differently; use memory from shmem_malloc"
                    ),
                );
            }
            self.misuse(
                site,
                format_args!(
                    "{what} {address:#x} and {len} bytes reach beyond the end of the executable's static data at {:#x}",
                    base + statics
                ),
            );
        }
        self.misuse(
            site,
            format_args!(
                "{what} {address:#x} is not symmetric ({}); pass an address from shmem_malloc or of a global or static \
                 variable of the executable",
                live.describe(address)
            ),
        )
    }

    /// End the job because an atomic's address does not have the alignment of its type.
    #[cold]
    pub(crate) fn unaligned(&self, site: &Site, what: &str, address: usize, size: usize) -> ! {
        self.misuse(
            site,
            format_args!("{what} {address:#x} is not aligned; an atomic of {size} bytes needs a multiple of {size}"),
        )
    }

    /// A valid target that is not mapped here and that no transport carries: the map of the job is at fault.
    #[cold]
    pub(crate) fn no_path(&self, site: &Site, pe: c_int) -> ! {
        self.misuse(site, format_args!("no transport reaches PE {pe}: its memory is not mapped here"))
    }
}

const _: () = assert!(Window::GRAIN.is_power_of_two());
