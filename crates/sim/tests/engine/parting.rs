//! Peers that leave in order: they have answered all requests, so their absence is not a loss.

use ferrite_sim::engine::trial::Trial;

/// A lane learns of the loss before it has processed the answers, which arrived at another port. It may also have asked for a sign of life
/// for which no thread waits.
#[test]
fn who_has_answered_may_leave() {
    let mut left = 0;
    for seed in 0..2_000 {
        let trial = Trial::draw(seed);
        match trial.run_to_parting(seed) {
            Ok(peers) => left += peers,
            Err(what) => panic!("seed {seed}: {what}\n{trial:?}"),
        }
    }
    println!("2,000 seeds, {left} peers have left");
    assert!(left > 3_000);
}
