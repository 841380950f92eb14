//! State that a port keeps of each peer.

use crate::{
    endpoint::Endpoint,
    extents::{Extent, Reach, Spot},
    shared::Shared,
};
use ferrite_engine::{Error, Location, Pe, Result, SegmentId};
use libfabric_sys::fi_addr_t;

/// A peer of a port.
pub struct Peer {
    /// Number of the PE.
    pub pe: Pe,
    /// libfabric's handle of its address.
    pub handle: fi_addr_t,
    /// Number of the port's buffers that calls to this peer use.
    pub buffers: u32,
    reaches: Vec<(SegmentId, Reach)>,
    /// The extent that was used last.
    recent: Option<(SegmentId, Extent)>,
}

impl Peer {
    /// Insert a peer's address at an endpoint. The caller has exclusive use of the endpoint.
    pub fn meet(shared: &Shared, endpoint: &Endpoint, pe: Pe) -> Result<Peer> {
        let handle = shared.enter(endpoint, pe)?;
        Ok(Peer { pe, handle, buffers: 0, reaches: Vec::new(), recent: None })
    }

    /// Translate a location at this peer to the address and key that calls take. The key is looked up when it is first needed, and again if
    /// the segment has grown beyond the extents of the key known here.
    #[inline]
    pub fn spot(&mut self, shared: &Shared, at: Location) -> Result<Spot> {
        match self.recent {
            Some((segment, extent)) if segment == at.segment => extent.spot(at.offset),
            _ => None,
        }
        .map_or_else(|| self.look_up(shared, at), Ok)
    }

    #[inline(never)]
    fn look_up(&mut self, shared: &Shared, at: Location) -> Result<Spot> {
        let known = self.reaches.iter().find(|(segment, _)| *segment == at.segment);
        let found = known.and_then(|(_, reach)| reach.find(at.offset));
        let (extent, spot) = match found {
            Some(found) => found,
            None => self.learn(shared, at)?,
        };
        self.recent = Some((at.segment, extent));
        Ok(spot)
    }

    #[cold]
    fn learn(&mut self, shared: &Shared, at: Location) -> Result<(Extent, Spot)> {
        let key = shared.book()?.key(self.pe, at.segment)?;
        let reach = Reach::decode(at.segment, &key.0)?;
        let (found, len) = (reach.find(at.offset), reach.len());
        self.reaches.retain(|(segment, _)| *segment != at.segment);
        self.reaches.push((at.segment, reach));
        found.ok_or_else(|| {
            let (pe, segment) = (self.pe, at.segment.0);
            Error::new(format!(
                "offset {} of segment {segment} of {pe} is out of range: the segment has {len} bytes",
                at.offset
            ))
        })
    }
}
