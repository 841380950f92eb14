//! Scan along a chain: each member receives from the rank below, and sends to the rank above.
//!
//! n - 1 messages of `len` bytes in all, one after the other. Combines exactly as a loop over the ranks, so floating
//! point rounds as in a sequential program. On an oversubscribed node, each member is scheduled once.

use super::Kind;
use crate::exchange::{CELL, Exchange, Flag, Span};
use crate::slots::chunks;

/// `dest` = the sources of the ranks up to ours, combined.
pub async fn chain<X: Exchange>(x: &X, kind: Kind, dest: Span, source: Span) {
    let half = x.scratch() / 2 / x.grain() * x.grain();
    for (offset, len) in chunks(source.len, half) {
        crate::enter(x).await;
        let (into, own) = (dest.part(offset, len), source.part(offset, len));
        let flag = Flag::line(0);
        let slot = if len <= CELL { flag.cell(len) } else { Span::scratch(0, len) };
        let upto = Span::scratch(half, len);
        x.copy(upto, own);
        if x.me() == 0 {
            if kind == Kind::Exclusive {
                x.zero(into);
            }
        } else {
            x.landed(flag).await;
            x.fold_front(upto, slot);
            if kind == Kind::Exclusive {
                x.copy(into, slot);
            }
        }
        if kind == Kind::Inclusive {
            x.copy(into, upto);
        }
        if x.me() + 1 < x.size() {
            // The source is scratch, which is not written again until every member has left this epoch.
            x.send(x.me() + 1, slot, upto, flag);
        }
    }
}
