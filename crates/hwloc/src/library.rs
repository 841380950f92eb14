//! hwloc itself: a loaded topology, and its objects.
//!
//! Uses the crate hwloc2 2.2.0 to link to the library and to walk its objects, and for nothing else. The crate cannot
//! keep devices, import XML or list NUMA nodes (its `size_at_depth` refuses the levels of both), and it hides an
//! object's infos. Three of its functions are unsound: `TopologyObject::name` frees hwloc's string, an object's
//! `Display` writes 2,048 bytes into a buffer of one, and its `ObjectType` has no value for the types of later
//! libraries. Its object also lacks a field; padding makes up for that on 64-bit machines, and elsewhere the assertion
//! below stops the build.
//!
//! So this file declares the loading functions, and [`Object`] reads kind, name and infos itself. All of this follows
//! hwloc's ABI of version 2. A library that reports another version is refused before anything else is called.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void},
    marker::PhantomData,
    ptr,
};

use hwloc2::{Bitmap, TopologyObject};

use ferrite_topology::{CpuSet, Error, Result};

/// hwloc's `struct hwloc_topology`, which is opaque.
#[repr(C)]
struct Handle {
    _opaque: [u8; 0],
}

// Linked by the crate hwloc2.
unsafe extern "C" {
    fn hwloc_get_api_version() -> c_uint;
    fn hwloc_topology_init(topology: *mut *mut Handle) -> c_int;
    fn hwloc_topology_set_flags(topology: *mut Handle, flags: c_ulong) -> c_int;
    fn hwloc_topology_set_xmlbuffer(topology: *mut Handle, buffer: *const c_char, size: c_int) -> c_int;
    fn hwloc_topology_set_components(topology: *mut Handle, flags: c_ulong, name: *const c_char) -> c_int;
    fn hwloc_topology_set_io_types_filter(topology: *mut Handle, filter: c_int) -> c_int;
    fn hwloc_topology_load(topology: *mut Handle) -> c_int;
    fn hwloc_topology_destroy(topology: *mut Handle);
    fn hwloc_topology_get_allowed_cpuset(topology: *mut Handle) -> *const c_void;
    fn hwloc_bitmap_next(bitmap: *const c_void, previous: c_int) -> c_int;
    fn hwloc_get_type_depth(topology: *mut Handle, kind: c_int) -> c_int;
    fn hwloc_get_nbobjs_by_depth(topology: *mut Handle, depth: c_int) -> c_uint;
    fn hwloc_get_obj_by_depth(topology: *mut Handle, depth: c_int, index: c_uint) -> *mut Layout;
}

/// `HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED`: the map includes cpus that this process may not use.
const INCLUDE_DISALLOWED: c_ulong = 1;
/// `HWLOC_TYPE_FILTER_KEEP_IMPORTANT`: the map includes only devices that are likely to matter.
const KEEP_IMPORTANT: c_int = 3;
/// `HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST`.
const BLACKLIST: c_ulong = 1;
/// hwloc's components that look for accelerators. They are disabled: accelerators are not on our map, and these components start the
/// accelerators' drivers.
const ACCELERATORS: [&CStr; 6] = [c"opencl", c"cuda", c"nvml", c"rsmi", c"levelzero", c"gl"];

/// Largest number that is accepted for a cpu or a node: a set may be infinite, and a file may contain any number.
const NUMBER_MAX: u32 = 65_535;

/// Type of an object, with the numbers of hwloc's ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Kind {
    Machine = 0,
    Package = 1,
    Core = 2,
    Cpu = 3,
    Numa = 13,
    Device = 16,
}

/// Types of devices of the operating system, with hwloc's numbers.
pub(crate) const NETWORK: c_int = 2;
pub(crate) const OPENFABRICS: c_int = 3;

/// The version of the library's interface, which rises more slowly than the version of the library.
fn version() -> c_uint {
    // SAFETY: a query without arguments.
    unsafe { hwloc_get_api_version() }
}

pub(crate) struct Topology {
    handle: *mut Handle,
}

impl Topology {
    /// Loads the topology of this machine.
    pub fn here() -> Result<Topology> {
        Topology::load(None)
    }

    /// Loads the topology of an exported map.
    pub fn xml(mut text: Vec<u8>) -> Result<Topology> {
        // hwloc would take a zero byte in the middle for the end of the text.
        if text.contains(&0) {
            return Err(Error::new("is not hwloc's XML: there are zero bytes in it"));
        }
        text.push(0);
        Topology::load(Some(&text))
    }

    fn load(xml: Option<&[u8]>) -> Result<Topology> {
        let version = version();
        if version >> 16 != 2 {
            return Err(Error::new(format!("hwloc is of version {}, and 2 is needed", version >> 16)));
        }
        let mut handle = ptr::null_mut();
        // SAFETY: room for one pointer, which is valid if the call returns 0.
        if unsafe { hwloc_topology_init(&mut handle) } != 0 {
            return Err(Error::new("hwloc does not start"));
        }
        let topology = Topology { handle };
        // SAFETY: the handle is initialised and not loaded, and all of these may be called in this state. The text ends with a zero, which
        // its size counts, and hwloc copies it. Only the result for the text is checked: if a component cannot be disabled, hwloc merely
        // finds more.
        let set = unsafe {
            for name in ACCELERATORS {
                hwloc_topology_set_components(handle, BLACKLIST, name.as_ptr());
            }
            hwloc_topology_set_flags(handle, INCLUDE_DISALLOWED);
            hwloc_topology_set_io_types_filter(handle, KEEP_IMPORTANT);
            match xml {
                Some(text) => {
                    hwloc_topology_set_xmlbuffer(handle, text.as_ptr().cast(), c_int::try_from(text.len()).unwrap_or(0))
                }
                None => 0,
            }
        };
        // SAFETY: as above; a topology that does not load may still be destroyed.
        if set != 0 || unsafe { hwloc_topology_load(handle) } != 0 {
            return Err(Error::new(match xml {
                Some(text) if is_newer(text) => {
                    "is of hwloc 3, and hwloc 2 reads it here (lstopo --of xml --export-xml-flags v2 writes it for both)"
                }
                Some(_) => "is not hwloc's XML, or not of a machine (lstopo --of xml writes it)",
                None => "hwloc does not understand this machine",
            }));
        }
        Ok(topology)
    }

    /// All objects of a kind, in hwloc's order.
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = Object<'_>> {
        // SAFETY: the topology is loaded; the kind is one of this ABI.
        let depth = unsafe { hwloc_get_type_depth(self.handle, kind as c_int) };
        // A negative depth is either a level of its own, such as the NUMA nodes, or it means that there are no such objects, or that
        // they are on several levels. In the last two cases, no object is found.
        // SAFETY: as above, and any depth is accepted.
        let count = unsafe { hwloc_get_nbobjs_by_depth(self.handle, depth) };
        (0..count).filter_map(move |index| {
            // SAFETY: as above; the object, if there is one, lives as long as the topology, which is not changed after loading.
            let layout = unsafe { hwloc_get_obj_by_depth(self.handle, depth, index).as_ref()? };
            Some(Object { layout, _topology: PhantomData })
        })
    }

    /// The cpus that a process may use on that machine.
    pub fn allowed(&self) -> CpuSet {
        // SAFETY: the topology is loaded, and owns the set.
        let set = unsafe { hwloc_topology_get_allowed_cpuset(self.handle) };
        let mut last = -1;
        let next = || {
            // SAFETY: the set lives as long as the topology, and the last number came from it.
            last = unsafe { hwloc_bitmap_next(set, last) };
            u32::try_from(last).ok()
        };
        if set.is_null() {
            CpuSet::new()
        } else {
            std::iter::from_fn(next).take_while(|&cpu| cpu <= NUMBER_MAX).collect()
        }
    }
}

/// True if an exported map is of hwloc 3, whose format is different.
fn is_newer(text: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&text[..text.len().min(512)]);
    head.contains("<topology version=\"3")
}

impl Drop for Topology {
    fn drop(&mut self) {
        // SAFETY: the handle is initialised, and no object of the topology exists any longer.
        unsafe { hwloc_topology_destroy(self.handle) }
    }
}

/// `struct hwloc_obj` of hwloc 2. Only the crate hwloc2 reads the fields in the middle.
#[repr(C)]
struct Layout {
    kind: c_int,
    subtype: *const c_char,
    os_index: c_uint,
    name: *const c_char,
    total_memory: u64,
    /// The type of a device. For other objects, unused here.
    attributes: *const c_int,
    depth: c_int,
    logical_index: c_uint,
    cousins_and_parent: [*const c_void; 3],
    sibling_rank: c_uint,
    siblings: [*const c_void; 2],
    arity: c_uint,
    children: [*const c_void; 3],
    symmetric_subtree: c_int,
    memory_arity: c_uint,
    memory_first_child: *const c_void,
    io_arity: c_uint,
    io_first_child: *const c_void,
    misc_arity: c_uint,
    misc_first_child: *const c_void,
    sets: [*const c_void; 4],
    infos: *const Info,
    infos_count: c_uint,
    userdata: *const c_void,
    gp_index: u64,
}

/// `struct hwloc_info_s`.
#[repr(C)]
struct Info {
    name: *const c_char,
    value: *const c_char,
}

const _: () = assert!(size_of::<Layout>() == size_of::<TopologyObject>(), "hwloc2 and this file differ on an object");

/// An object of a topology.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    layout: &'a Layout,
    _topology: PhantomData<&'a Topology>,
}

impl<'a> Object<'a> {
    /// The same object as the crate hwloc2 declares it. Do not read its type or name through that: see the module.
    fn walked(self) -> &'a TopologyObject {
        // SAFETY: both are hwloc's object, of equal size. The crate's enum of types ends where this ABI's ends: hwloc 2 has added no type
        // since 2.1. So the type of each object is a value of the enum.
        unsafe { &*ptr::from_ref(self.layout).cast::<TopologyObject>() }
    }

    pub fn is(self, kind: Kind) -> bool {
        self.layout.kind == kind as c_int
    }

    /// The kernel's number of a cpu or a NUMA node.
    pub fn number(self) -> Option<u32> {
        Some(self.walked().os_index()).filter(|&number| number <= NUMBER_MAX)
    }

    /// The kernel's number of any object, which may be large, since firmware chooses it. If it is not known, the object's place among its
    /// kind.
    pub fn label(self) -> u32 {
        // The largest number means "not known".
        Some(self.walked().os_index()).filter(|&number| number != u32::MAX).unwrap_or(self.place())
    }

    /// The object's index among all objects of its kind.
    pub fn place(self) -> u32 {
        self.walked().logical_index()
    }

    /// The memory of a NUMA node.
    pub fn memory_bytes(self) -> u64 {
        self.walked().total_memory()
    }

    /// The object around it.
    pub fn parent(self) -> Option<Object<'a>> {
        let parent = ptr::from_ref(self.walked().parent()?).cast::<Layout>();
        // SAFETY: hwloc's object, as in `walked`, which lives as long as the topology.
        Some(Object { layout: unsafe { &*parent }, _topology: PhantomData })
    }

    /// The nearest object around it that is of a kind.
    pub fn within(self, kind: Kind) -> Option<Object<'a>> {
        std::iter::successors(self.parent(), |object| object.parent()).find(|object| object.is(kind))
    }

    /// The cpus that belong to the object; `None` for a device, which belongs to the object around it.
    pub fn cpus(self) -> Option<CpuSet> {
        Some(members(self.walked().cpuset()?).collect())
    }

    /// The NUMA nodes that are near to it.
    pub fn nodes(self) -> Vec<u32> {
        self.walked().nodeset().map(|set| members(set).collect()).unwrap_or_default()
    }

    pub fn name(self) -> Option<String> {
        self.text(self.layout.name)
    }

    /// A finer kind than the type: "MCDRAM", "Slingshot".
    pub fn subtype(self) -> Option<String> {
        self.text(self.layout.subtype)
    }

    /// The type of a device: [`NETWORK`], [`OPENFABRICS`] or another.
    pub fn device(self) -> Option<c_int> {
        // SAFETY: every device has attributes, whose first field is its type; they live as long as the device.
        self.is(Kind::Device).then(|| unsafe { self.layout.attributes.as_ref().copied() })?
    }

    /// The value of the object's info `name`.
    pub fn info(self, name: &str) -> Option<String> {
        let count = if self.layout.infos.is_null() { 0 } else { self.layout.infos_count as usize };
        (0..count).find_map(|at| {
            // SAFETY: hwloc keeps that many infos there, as long as the object lives.
            let info = unsafe { &*self.layout.infos.add(at) };
            (self.text(info.name)? == name).then(|| self.text(info.value))?
        })
    }

    fn text(self, text: *const c_char) -> Option<String> {
        // SAFETY: hwloc's strings end with a zero and live as long as their object; it is copied.
        (!text.is_null()).then(|| clean(unsafe { CStr::from_ptr(text) }.to_bytes()))
    }
}

/// Replaces every character that does not occur in the kernel's names. A file may contain anything, and the text goes to a terminal and to
/// the program that reads the listing.
fn clean(text: &[u8]) -> String {
    let plain = |&byte: &u8| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '?' };
    text.iter().map(plain).collect()
}

/// The members of a set, up to the largest number that a cpu or node may have.
fn members(set: Bitmap) -> impl Iterator<Item = u32> {
    set.into_iter().take_while(|&number| number <= NUMBER_MAX)
}
