//! The statics module inside executables of every language and kind of link: each row compiles a small program, runs it, and expects its
//! last word. The programs are in `tests/statics`: two processes that store into each other's statics, fork, move back and move again;
//! threads that count in statics while these move to and fro; a Fortran program; and a Rust program.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Directory of the library that the programs link to. The library is an example of this crate: `cargo test` builds it, unless its options
/// name other kinds of targets.
fn library_dir() -> PathBuf {
    // target/<profile>/deps/<this test>
    let me = std::env::current_exe().expect("the path of this test");
    let profile = me.parent().and_then(Path::parent).expect("tests lie in target/<profile>/deps");
    let dir = profile.join("examples");
    let library = dir.join("libstatics_probe.a");
    assert!(library.is_file(), "there is no {}; run: cargo build -p ferrite-memory --examples", library.display());
    dir
}

/// How a program is made and run.
struct Program<'a> {
    source: &'a str,
    /// The compiler and its options.
    compiler: &'a str,
    /// Command to run the program under; may be empty.
    under: &'a str,
    /// True to link the shared form of the library.
    shared: bool,
    word: &'a str,
}

const PAIR: Program<'_> = Program { source: "pair.c", compiler: "cc", under: "", shared: false, word: "pair ok" };
const WRITERS: Program<'_> = Program { source: "writers.c", word: "writers ok", ..PAIR };

/// True if `tool` can be started; prints what is skipped if not.
fn have(tool: &str, what: &str) -> bool {
    let there = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("skipped: {what}: there is no {tool} here");
    }
    there
}

impl Program<'_> {
    fn name(&self) -> String {
        let text =
            format!("{} by {} {} {}", self.source, self.compiler, if self.shared { "shared" } else { "" }, self.under);
        text.trim_end().to_owned()
    }

    /// Compiles; `None` if a tool, or a library for a kind of link, is not installed.
    fn build(&self) -> Option<PathBuf> {
        let mut words = self.compiler.split(' ');
        let compiler = words.next().expect("a compiler");
        if !have(compiler, &self.name()) {
            return None;
        }
        let dir = library_dir();
        let plain: String = self.name().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(plain);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statics").join(self.source);
        let mut command = Command::new(compiler);
        command.args(words).arg("-o").arg(&program);
        if self.source.ends_with(".rs") {
            let rpath = format!("-Clink-arg=-Wl,-rpath,{}", dir.display());
            command.args(["--edition", "2024", "-O", "-L"]).arg(&dir).arg(rpath).arg(&source);
        } else {
            command.args(["-O1", "-g"]).arg(&source).args(["-x", "none"]);
            // Fortran compilers write module files to the current directory.
            command.current_dir(env!("CARGO_TARGET_TMPDIR"));
            if self.shared {
                command.arg(dir.join("libstatics_probe.so")).arg(format!("-Wl,-rpath,{}", dir.display()));
            } else {
                command.arg(dir.join("libstatics_probe.a"));
            }
            command.args(["-lpthread", "-ldl", "-lm"]);
        }
        // The messages are parsed below, so they must be in English.
        let Output { status, stderr, .. } = command.env("LC_ALL", "C").output().expect("the compiler runs");
        let said = String::from_utf8_lossy(&stderr);
        let missing =
            ["cannot find -l", "unable to find library", "invalid linker name", "cannot find 'ld'", "libclang_rt"];
        if !status.success() && missing.iter().any(|text| said.contains(text)) {
            println!(
                "skipped: {}: the link needs what is not installed: {}",
                self.name(),
                said.lines().next().unwrap_or("")
            );
            return None;
        }
        assert!(status.success(), "{}: {said}", self.name());
        Some(program)
    }

    fn check(&self) {
        let wrapper: Vec<&str> = self.under.split_whitespace().collect();
        if wrapper.first().is_some_and(|tool| !have(tool, &self.name())) {
            return;
        }
        let Some(program) = self.build() else { return };
        let mut command = match wrapper.split_first() {
            None => Command::new(&program),
            Some((tool, options)) => {
                let mut command = Command::new(tool);
                command.args(options).arg(&program);
                command
            }
        };
        let (success, said) = run(&mut command);
        assert!(success && said.contains(self.word), "{}: {said}", self.name());
        println!("{}: {}", self.name(), said.trim().replace('\n', "; "));
    }
}

/// Runs the program to its end, or kills it after a time that only a hang takes. Returns both outputs together.
fn run(command: &mut Command) -> (bool, String) {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let writer_too = writer.try_clone().expect("a second end");
    let mut child = command.stdin(Stdio::null()).stdout(writer).stderr(writer_too).spawn().expect("the program starts");
    // The command still has the write ends of the pipe. Replacing them lets the reader see the end of the output.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let text = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = reader.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let deadline = Instant::now() + Duration::from_secs(300);
    let success = loop {
        match child.try_wait().expect("waiting for the program") {
            Some(status) => break status.success(),
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    (success, text.join().expect("the reader ends"))
}

/// Every kind of executable: by load address, protection of its parts, linker, and other contents of its range.
const LINKS: [&str; 9] = [
    "cc -pie -fPIE",
    "cc -no-pie",
    "cc -static",
    "cc -static-pie -fPIE",
    "cc -Wl,-z,relro,-z,now",
    "cc -Wl,-z,relro,-z,lazy",
    "cc -DNO_RELRO -Wl,-z,norelro",
    "cc -fuse-ld=lld",
    "clang",
];

#[test]
fn two_processes_share_statics_in_every_kind_of_link() {
    for compiler in LINKS {
        Program { compiler, ..PAIR }.check();
    }
    Program { compiler: "cc", shared: true, ..PAIR }.check();
    Program { compiler: "cc -Wl,--build-id=none", ..PAIR }.check();
}

#[test]
fn two_processes_share_statics_without_address_randomisation() {
    Program { under: "setarch -R", ..PAIR }.check();
}

#[test]
fn two_processes_share_statics_in_cxx() {
    Program { compiler: "c++ -x c++", ..PAIR }.check();
    Program { compiler: "c++ -x c++ -static", ..PAIR }.check();
}

#[test]
fn no_thread_loses_a_write_while_statics_move() {
    for compiler in LINKS {
        Program { compiler, ..WRITERS }.check();
    }
    Program { shared: true, ..WRITERS }.check();
}

#[test]
fn closed_descriptors_limits_and_forks_do_no_harm() {
    const ODD: Program<'_> = Program { source: "odd.c", word: "odd ok", ..PAIR };
    for compiler in ["cc", "cc -no-pie", "cc -static -DSTATIC_LIBC", "gcc -fsanitize=address"] {
        Program { compiler, ..ODD }.check();
    }
    Program { shared: true, ..ODD }.check();
}

#[test]
fn fortran_statics_move() {
    // libgfortran has a weak reference to this function and calls it if it finds threads, so a static link has to request it.
    for compiler in ["gfortran", "gfortran -no-pie", "gfortran -static -Wl,-u,pthread_mutex_destroy"] {
        Program { source: "mix.f90", compiler, word: "mix ok", ..PAIR }.check();
    }
}

#[test]
fn rust_statics_move() {
    Program { source: "rust.rs", compiler: "rustc", word: "rust ok", shared: true, ..PAIR }.check();
    Program { source: "rust.rs", compiler: "rustc -Cprefer-dynamic", word: "rust ok", shared: true, ..PAIR }.check();
}

#[test]
fn statics_move_under_valgrind() {
    let under = concat!(
        "valgrind --quiet --error-exitcode=3 --trace-children=yes --suppressions=",
        env!("CARGO_MANIFEST_DIR"),
        "/tests/statics/valgrind.supp"
    );
    Program { under, ..PAIR }.check();
}

#[test]
fn statics_move_under_address_sanitizer() {
    for compiler in ["gcc -fsanitize=address -fno-omit-frame-pointer", "clang -fsanitize=address"] {
        Program { compiler, ..PAIR }.check();
        Program { compiler, shared: true, ..PAIR }.check();
    }
}
