//! The fuzzers' corpus (`ci/fuzz`).

#[path = "../../../ci/fuzz/judges/tcp.rs"]
mod judges;
#[path = "../../../ci/fuzz/replay.rs"]
mod replay;

#[test]
fn nothing_near_the_corpus_is_understood_wrongly() {
    replay::replay("tcp", judges::judge);
}
