//! Broadcast on a node: every member reads the root's memory.
//!
//! One round. The root copies a payload that fits to the work area, and continues at once. A longer one is read from
//! the root's source, and the root waits until n - 1 members have counted. All members read `len` bytes at the same
//! time.

use crate::exchange::{CELL, Direct, Flag, Rank, Span};

/// `dest` everywhere but at the root = `source` at `root`.
#[inline]
pub async fn pull<X: Direct>(x: &X, root: Rank, dest: Span, source: Span) {
    let len = source.len;
    if x.size() == 1 || len == 0 {
        return;
    }
    let posted = len <= x.scratch().max(CELL);
    let (flag, at) = if len <= CELL {
        let flag = crate::enter_queue(x).await;
        (flag, flag.cell(len))
    } else {
        crate::enter(x).await;
        (Flag::line(0), if posted { Span::scratch(0, len) } else { source })
    };
    if x.me() == root {
        let (to, from) = if posted { (at, source) } else { (Span::NOTHING, Span::NOTHING) };
        x.send(root, to, from, flag);
        if !posted {
            x.tallied(x.size() as u64 - 1).await;
        }
    } else {
        x.landed_at(root, flag).await;
        x.pull(root, dest, at).await;
        if !posted {
            x.count(root);
        }
    }
}
