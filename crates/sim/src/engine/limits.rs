//! The capabilities of a run's ports, and the habits of their network: drawn from a seed.

use super::network::Habits;
use crate::rng::Rng;
use ferrite_engine::{Answers, Atomics, Flush, Limits, Orders};

/// A port that needs the engine for everything: it keeps no order, copies nothing, and does not report when a write is visible.
pub const WEAKEST: Limits = Limits {
    depth: 8,
    copy_bytes_max: 0,
    message_bytes_max: 8,
    writes: true,
    orders: Orders {
        write_write: 0,
        write_read: 0,
        write_message: 0,
        message_message: 0,
        message_read: 0,
        message_write: 0,
    },
    atomics: Atomics::Target,
    flush: Flush::Call,
    answers: Answers::Each,
    answers_come_to_service: false,
    needs_polling: true,
    sleeps_long: false,
    drives_nic: false,
};

pub fn draw(rng: &mut Rng) -> Limits {
    let writes = !rng.one_in(3);
    let atomics = match rng.below(4) {
        0 if writes => Atomics::Nic { fenced: rng.one_in(2) },
        _ => Atomics::Target,
    };
    let mut any = |of: &[usize]| rng.pick(of);
    Limits {
        depth: any(&[4, 5, 8, 12, 40]),
        copy_bytes_max: any(&[0, 1, 8, 20]),
        message_bytes_max: any(&[1, 8, 13, 64]),
        writes,
        atomics,
        flush: if any(&[0, 1]) == 0 { Flush::Done } else { Flush::Call },
        answers: if any(&[0, 1]) == 0 { Answers::Each } else { Answers::Asked },
        answers_come_to_service: any(&[0, 1]) == 0,
        needs_polling: any(&[0, 1]) == 0,
        sleeps_long: any(&[0, 1]) == 0,
        drives_nic: any(&[0, 1]) == 0,
        orders: orders(rng),
    }
}

fn orders(rng: &mut Rng) -> Orders {
    match rng.below(4) {
        0 => Orders::ALL,
        1 => Orders { message_message: usize::MAX, ..WEAKEST.orders },
        2 => WEAKEST.orders,
        _ => {
            let mut any = || rng.pick(&[0, 0, 8, 20, usize::MAX]);
            Orders {
                write_write: any(),
                write_read: any(),
                write_message: any(),
                message_message: any(),
                message_read: any(),
                message_write: any(),
            }
        }
    }
}

pub fn draw_habits(rng: &mut Rng) -> Habits {
    Habits {
        busy: rng.pick(&[0, 0, 8, 2]),
        partial: rng.pick(&[0, 4, 2]),
        at_once: rng.pick(&[0, 4, 2, 1]),
        pieces: rng.pick(&[0, 4, 2]),
        late: rng.pick(&[0, 4, 2]),
    }
}
