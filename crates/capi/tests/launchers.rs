//! C programs under other launchers, started as they would be in place of `oshrun`.

mod support;

#[path = "../../../launcher/tests/other_launchers/mod.rs"]
mod other_launchers;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::prefix::Prefix;

/// PE 1 fails in a job whose other PEs would wait for it.
const FAILS: &str = "#include <shmem.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    shmem_init();\n    \
                     printf(\"here\\n\");\n    if (shmem_my_pe() == 1)\n        exit(3);\n    shmem_barrier_all();\n    \
                     shmem_barrier_all();\n    return 0;\n}\n";

/// PE 1 is killed in a job whose other PEs would wait for it; some launchers would leave them waiting.
const KILLED: &str = "#include <shmem.h>\n#include <signal.h>\n#include <stdio.h>\nint main(void) {\n    shmem_init();\n    \
                      printf(\"here\\n\");\n    shmem_barrier_all();\n    if (shmem_my_pe() == 1)\n        raise(SIGKILL);\n    \
                      shmem_barrier_all();\n    return 0;\n}\n";

/// PE 0 sends SIGUSR1 to the launcher until the signal has cut the sleep of each other PE short.
const SIGNALLED: &str = r#"#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    static int woken;
    sigset_t blocked, before;
    shmem_init();
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    shmem_barrier_all();
    if (shmem_my_pe() != 0) {
        while (sleep(60) == 0);
        shmem_int_atomic_inc(&woken, 0);
    }
    while (shmem_my_pe() == 0 && shmem_int_atomic_fetch(&woken, 0) < shmem_n_pes() - 1) {
        kill(atoi(getenv("LAUNCHER")), SIGUSR1);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        usleep(200000);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    shmem_finalize();
    return 0;
}
"#;

fn compiled(directory: &Path, source: &Path) -> PathBuf {
    let program = directory.join(source.file_stem().unwrap());
    let mut oshcc = Command::new(Prefix::get().tool("oshcc"));
    let output = oshcc.arg("-o").arg(&program).arg(source).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    program
}

#[test]
fn programs_run_under_other_launchers() {
    let directory = std::env::temp_dir().join(format!("ferrite-launchers-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("fails.c"), FAILS).unwrap();
    std::fs::write(directory.join("killed.c"), KILLED).unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c");
    let hello = compiled(&directory, &examples.join("hello.c"));
    let ring = compiled(&directory, &examples.join("ring.c"));
    let fails = compiled(&directory, &directory.join("fails.c"));
    let killed = compiled(&directory, &directory.join("killed.c"));
    for other in &other_launchers::all() {
        for n in [2, 4] {
            let ran = other.run(n, &hello, &[]);
            let counted = format!("PE 0 counted {n} greetings");
            assert!(ran.code == 0 && ran.out.contains(&counted), "{}: {ran:?}", other.name);
            let hellos = (0..n).filter(|pe| ran.out.contains(&format!("hello from PE {pe} of {n}\n"))).count();
            assert_eq!(hellos, n as usize, "{}: {ran:?}", other.name);
            let ran = other.run(n, &ring, &[]);
            let expected = format!("the message came back to PE 0 as {}", n * (n - 1) / 2);
            assert!(ran.code == 0 && ran.out.contains(&expected), "{}: {ran:?}", other.name);
        }
        let ran = other.run(3, &fails, &[]);
        assert_ne!(ran.code, 0, "{}: {ran:?}", other.name);
        // The output of the other PEs may be lost when they are killed.
        assert!(ran.out.contains("here\n"), "{}: {ran:?}", other.name);
        let ran = other.run(3, &killed, &[]);
        assert_ne!(ran.code, 0, "{}: {ran:?}", other.name);
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

/// As ferrite(7) says: a SIGUSR1 to the launcher reaches all PEs, whose hosts report.
#[test]
fn launchers_pass_sigusr1_on() {
    let directory = std::env::temp_dir().join(format!("ferrite-sigusr1-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("signalled.c"), SIGNALLED).unwrap();
    let program = compiled(&directory, &directory.join("signalled.c"));
    for other in &other_launchers::all() {
        let inner = other.command(3, &program, &[]);
        let mut command = Command::new("sh");
        command
            .args(["-c", "LAUNCHER=$$; export LAUNCHER; exec \"$@\"", "sh"])
            .arg(inner.get_program())
            .args(inner.get_args());
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let ran = other_launchers::bounded(command);
        assert!(ran.code == 0 && ran.err.contains("ferrite: PE 0 "), "{}: {ran:?}", other.name);
    }
    std::fs::remove_dir_all(&directory).unwrap();
}
