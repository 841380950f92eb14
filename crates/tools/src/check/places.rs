//! Where an address is in the host's memory file, and the name of the object there.

use super::Check;
use core::ffi::c_int;
use ferrite_check::Place;
use ferrite_memory::statics::locate::kind_of;
use ferrite_os::mutex;
use ferrite_runtime::observe::View;

impl Check {
    /// Place of an address of this process.
    #[inline]
    pub(super) fn here(&self, view: View<'_>, address: usize) -> Place {
        let node = &view.memory().node;
        if let Some(offset) = node.offset_of(address) {
            return Place::Shared(offset);
        }
        // Static data are mapped separately, over the executable's.
        if let Some((base, len)) = view.memory().statics_range()
            && address.wrapping_sub(base) < len
        {
            return Place::Shared(node.layout().statics_at(node.index()) + (address - base));
        }
        Place::Private(address)
    }

    /// Place at `pe` of the symmetric object at our `address`; `None` if the address is not symmetric, or `pe` is on another host.
    pub(super) fn there(&self, view: View<'_>, address: usize, pe: c_int) -> Option<Place> {
        let index = view.memory().local.binary_search(&u32::try_from(pe).ok()?).ok()?;
        let layout = view.memory().node.layout();
        let in_heap = address.wrapping_sub(view.memory().heap_base());
        if in_heap < view.memory().heap_ceiling() {
            return Some(Place::Shared(layout.heap_at(index) + in_heap));
        }
        let (base, len) = view.memory().statics_range()?;
        let in_statics = address.wrapping_sub(base);
        (in_statics < len).then(|| Place::Shared(layout.statics_at(index) + in_statics))
    }

    /// Description of a place, and its PE: "element 17 of the block of heat.c:40" for elements of `size` bytes.
    pub(super) fn words(&self, view: View<'_>, place: Place, size: usize) -> (String, u32) {
        let offset = match place {
            Place::Private(address) => return (format!("{address:#x} ({})", kind_of(address)), self.me),
            Place::Shared(offset) => offset,
        };
        let layout = view.memory().node.layout();
        let size = size.max(1);
        for (index, &pe) in view.memory().local.iter().enumerate() {
            let in_heap = offset.wrapping_sub(layout.heap_at(index));
            if in_heap < view.memory().heap_ceiling() {
                return (self.in_heap(in_heap, size), pe);
            }
            let in_statics = offset.wrapping_sub(layout.statics_at(index));
            if in_statics < layout.statics {
                let base = view.memory().statics_range().map_or(0, |(base, _)| base);
                return (in_statics_of(base + in_statics, size), pe);
            }
        }
        (format!("offset {offset:#x} of the host's memory"), self.me)
    }

    fn in_heap(&self, at: usize, size: usize) -> String {
        let blocks = mutex::lock(&self.blocks);
        match blocks.around(at as u64) {
            Some((start, block)) => {
                let from = self.place_of(block.site).at;
                format!(
                    "element {} of the block of {} bytes allocated at {from}",
                    (at - start as usize) / size,
                    block.bytes
                )
            }
            None => match blocks.was(at as u64) {
                Some((start, block, _)) => {
                    let from = self.place_of(block.site).at;
                    format!("byte {} of the block of {} bytes allocated at {from}", at - start as usize, block.bytes)
                }
                None => format!("offset {at:#x} of the symmetric heap"),
            },
        }
    }
}

/// Description of static data by its symbol.
fn in_statics_of(address: usize, size: usize) -> String {
    use ferrite_memory::statics::locate::AddressKind::{Library, ReadOnly, Static};
    match kind_of(address) {
        Static(Some(symbol)) | ReadOnly(Some(symbol)) | Library { symbol: Some(symbol), .. } => {
            format!("element {} of `{}`", symbol.offset as usize / size, plain_name(&symbol.name))
        }
        other => format!("{address:#x}, {other}"),
    }
}

/// Name of a variable as it is in the source. C++ mangles the names of variables in namespaces and functions, and the last part is the
/// variable's own name; Fortran puts the module before the name; and compilers number variables of functions.
fn plain_name(symbol: &str) -> &str {
    let symbol = match symbol.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => symbol,
    };
    if let Some((_, name)) = symbol.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        return name;
    }
    let Some(mangled) = symbol.strip_prefix("_Z") else { return symbol };
    let mangled = mangled.trim_end_matches('E');
    let ends_here = |&at: &usize| {
        let rest = &mangled[at..];
        let name = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = &rest[..rest.len() - name.len()];
        digits.parse() == Ok(name.len())
    };
    let from = mangled.char_indices().map(|(at, _)| at).find(ends_here);
    from.map_or(symbol, |at| mangled[at..].trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_cxx_have_their_own_names() {
        for (symbol, name) in [
            ("grid", "grid"),
            ("x.0", "x"),
            ("__objects_MOD_row", "row"),
            ("_ZL4cell", "cell"),
            ("_ZZL19array_without_fencevE4data", "data"),
            ("_ZN5space5fieldE", "field"),
            ("_ZTV4Cell9", "_ZTV4Cell9"),
        ] {
            assert_eq!(plain_name(symbol), name);
        }
    }
}
