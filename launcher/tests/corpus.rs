//! Runs the fuzzers' corpus (`ci/fuzz`) through the launcher's parsers.

#[path = "../../ci/fuzz/judges/launcher.rs"]
mod judges;
#[path = "../../ci/fuzz/replay.rs"]
mod replay;

#[test]
fn nothing_near_the_corpus_is_understood_wrongly() {
    replay::replay("launcher", judges::judge);
}
