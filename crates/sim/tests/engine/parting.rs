//! Peers that leave in order: they have answered all that they were asked, and nobody misses them.

use ferrite_sim::engine::trial::Trial;

/// A lane hears of the loss before it has taken in the answers, which another port has; and it may have asked for a sign of life that
/// nobody waits for.
#[test]
fn who_has_answered_may_leave() {
    let mut left = 0;
    for seed in 0..2_000 {
        let trial = Trial::draw(seed);
        match trial.run_to_parting::<0>(seed) {
            Ok(peers) => left += peers,
            Err(what) => panic!("seed {seed}: {what}\n{trial:?}"),
        }
    }
    println!("2,000 seeds, {left} peers have left");
    assert!(left > 3_000);
}
