//! What a lane knows of its peers, looked up when they are first used.

use crate::{
    endpoint::Endpoint,
    extents::{Reach, Spot, Window},
    plan::{Class, Orders},
    shared::Shared,
};
use ferrite_fabric::{Error, Pe, Remote, Result, SegmentId};
use libfabric_sys::fi_addr_t;
use std::collections::HashMap;

/// One peer.
pub struct Peer {
    /// Which one.
    pub pe: Pe,
    /// libfabric's handle of its address.
    pub handle: fi_addr_t,
    reaches: Vec<(SegmentId, Reach)>,
    /// The extent that was used last.
    window: Option<(SegmentId, Window)>,
    /// Pieces under way, by class.
    open: [u32; Class::ALL.len()],
    /// The longest write since none was under way.
    longest: usize,
    /// The lane's last fence that was seen here.
    fence: u64,
    /// Something from before it may be under way.
    fenced: bool,
}

impl Peer {
    /// Whether something may go to this peer now, behind what was posted before the fence numbered `fence`.
    #[inline]
    pub fn admits(&mut self, fence: u64, orders: &Orders, class: Class, len: usize) -> bool {
        if self.fence != fence {
            self.fence = fence;
            self.fenced = true;
        }
        if !self.fenced {
            return true;
        }
        if self.is_quiet() {
            self.fenced = false;
            return true;
        }
        let len = len.max(self.longest);
        Class::ALL.iter().all(|&before| self.open[before as usize] == 0 || orders.keep(before, class, len))
    }

    /// Nothing is under way.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.open.iter().all(|&open| open == 0)
    }

    /// A piece is under way.
    #[inline]
    pub fn opened(&mut self, class: Class, len: usize) {
        self.open[class as usize] += 1;
        if class == Class::Write {
            self.longest = self.longest.max(len);
        }
    }

    /// It is complete.
    #[inline]
    pub fn closed(&mut self, class: Class) {
        let open = &mut self.open[class as usize];
        *open = open.saturating_sub(1);
        if class == Class::Write && *open == 0 {
            self.longest = 0;
        }
    }
}

/// The peers of a lane, by numbers that are its own.
#[derive(Default)]
pub struct Peers {
    all: Vec<Peer>,
    numbers: HashMap<Pe, u32>,
    recent: u32,
}

impl Peers {
    /// The number of a PE.
    #[inline]
    pub fn number(&mut self, shared: &Shared, endpoint: &Endpoint, pe: Pe) -> Result<u32> {
        match self.all.get(self.recent as usize) {
            Some(peer) if peer.pe == pe => {}
            _ => self.recent = self.find(shared, endpoint, pe)?,
        }
        Ok(self.recent)
    }

    fn find(&mut self, shared: &Shared, endpoint: &Endpoint, pe: Pe) -> Result<u32> {
        if let Some(&number) = self.numbers.get(&pe) {
            return Ok(number);
        }
        let handle = shared.enter(endpoint, pe)?;
        let number = self.all.len() as u32;
        let open = [0; Class::ALL.len()];
        self.all.push(Peer {
            pe,
            handle,
            reaches: Vec::new(),
            window: None,
            open,
            longest: 0,
            fence: 0,
            fenced: false,
        });
        self.numbers.insert(pe, number);
        Ok(number)
    }

    /// The number of a PE that was met before.
    pub fn known(&self, pe: Pe) -> Option<u32> {
        self.numbers.get(&pe).copied()
    }

    /// A peer.
    #[inline]
    pub fn at(&mut self, number: u32) -> &mut Peer {
        &mut self.all[number as usize]
    }

    /// A peer, if there is one of this number.
    pub fn get(&self, number: u32) -> Option<&Peer> {
        self.all.get(number as usize)
    }

    /// How calls name a place at a peer. The key is asked for when it is first needed, and again where the segment
    /// has grown beyond what the last one told.
    #[inline]
    pub fn spot(&mut self, shared: &Shared, number: u32, at: Remote) -> Result<Spot> {
        let peer = &mut self.all[number as usize];
        match peer.window {
            Some((segment, window)) if segment == at.segment => window.spot(at.offset),
            _ => None,
        }
        .map_or_else(|| peer.look_up(shared, at), Ok)
    }
}

impl Peer {
    #[inline(never)]
    fn look_up(&mut self, shared: &Shared, at: Remote) -> Result<Spot> {
        let known = self.reaches.iter().find(|(segment, _)| *segment == at.segment);
        let found = known.and_then(|(_, reach)| reach.window(at.offset));
        let (window, spot) = match found {
            Some(found) => found,
            None => self.learn(shared, at)?,
        };
        self.window = Some((at.segment, window));
        Ok(spot)
    }

    #[cold]
    fn learn(&mut self, shared: &Shared, at: Remote) -> Result<(Window, Spot)> {
        let key = shared.book()?.key(self.pe, at.segment)?;
        let reach = Reach::decode(at.segment, &key.0)?;
        let (found, len) = (reach.window(at.offset), reach.len());
        self.reaches.retain(|(segment, _)| *segment != at.segment);
        self.reaches.push((at.segment, reach));
        found.ok_or_else(|| {
            let (pe, segment) = (self.pe, at.segment.0);
            Error::new(format!("offset {} of segment {segment} of {pe} is not reached: it has {len} bytes", at.offset))
        })
    }
}
