//! The compiler wrapper in an installation of its own: a prefix in a temporary directory, a library small enough to build here, and
//! compilers that only print their arguments.

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::atomic::{AtomicU32, Ordering},
};

/// An installation in a directory of its own, removed on drop.
struct Installation {
    root: PathBuf,
}

const NAMES: [&str; 10] =
    ["oshcc", "oshc++", "oshcxx", "oshCC", "oshfort", "shmemcc", "shmemc++", "shmemcxx", "shmemCC", "shmemfort"];

impl Installation {
    fn new(name: &str) -> Installation {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = format!("ferrite-wrap-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap().join(unique);
        // A killed process of this number may have left one.
        let _ = fs::remove_dir_all(&place);
        let root = place.join(name);
        for directory in ["bin", "include", "lib", "work"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        let here = Installation { root };
        // A link, not a copy: a program that was just written cannot be executed while another test's child has it open. The program of all
        // commands, as it is installed.
        fs::hard_link(env!("CARGO_BIN_EXE_oshrun"), here.path("bin/oshrun")).unwrap();
        for name in NAMES {
            symlink("oshrun", here.path("bin").join(name)).unwrap();
        }
        symlink("oshcc", here.path("bin/something")).unwrap();
        here
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    fn file(&self, relative: &str, text: &str) -> PathBuf {
        let path = self.path(relative);
        fs::write(&path, text).unwrap();
        path
    }

    /// A compiler that prints its words, one a line, and ends with 0. A shell reads the script, so that it need not be executable (see
    /// above).
    fn echoing_compiler(&self) -> String {
        let path = self.file("work/echoing compiler", "printf '<%s>\\n' \"$@\"\n");
        format!("sh '{}'", path.display())
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path("bin").join(name));
        command.current_dir(self.path("work"));
        for language in ["CC", "CXX", "FC"] {
            ["SHMEM", "SMA", "OSHMEM"].iter().for_each(|whose| {
                command.env_remove(format!("{whose}_{language}"));
            });
        }
        command
    }

    /// The words that the wrapper passes to the compiler, one a line.
    fn handed_over(&self, name: &str, words: &[&str]) -> String {
        let compiler = self.echoing_compiler();
        let variable = match name {
            _ if name.ends_with('+') => "SHMEM_CXX",
            _ if name.ends_with("fort") => "SHMEM_FC",
            _ => "SHMEM_CC",
        };
        let output = self.command(name).env(variable, compiler).args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        stdout(&output).replace(self.root.to_str().unwrap(), "@")
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.root.parent().unwrap());
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// True if the program is on this machine; prints a line if not.
fn have(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: there is no {program} on this machine");
    }
    found
}

const LINK: &str = "<-L@/lib>\n<-Wl,--enable-new-dtags>\n<-Wl,-rpath,@/lib>\n<-lsma>\n<-lm>\n";

#[test]
fn the_installation_is_added_around_the_users_words() {
    let here = Installation::new("prefix");
    here.file("lib/libsma.so", "");
    let rows = [
        (&["a.c"][..], format!("<a.c>\n<-I@/include>\n{LINK}")),
        (&["a b.c", "-o", "out put"], format!("<a b.c>\n<-o>\n<out put>\n<-I@/include>\n{LINK}")),
        (&["-x", "c", "-"], format!("<-x>\n<c>\n<->\n<-I@/include>\n{LINK}")),
        (&["-DX=\"a b\"", "a.c", ""], format!("<-DX=\"a b\">\n<a.c>\n<>\n<-I@/include>\n{LINK}")),
        (&["-c", "a.c"], "<-c>\n<a.c>\n<-I@/include>\n".to_owned()),
        (&["--version"], "<--version>\n".to_owned()),
        (&["-v"], "<-v>\n".to_owned()),
        (
            &["-static", "a.c"],
            "<-static>\n<a.c>\n<-I@/include>\n<-L@/lib>\n<-lsma>\n<-lpthread>\n<-ldl>\n<-lm>\n".to_owned(),
        ),
    ];
    for (words, expected) in rows {
        assert_eq!(here.handed_over("oshcc", words), expected, "{words:?}");
    }
}

/// A program with MPI names the directory of MPI's headers. That of Open MPI has another `shmem.h`.
#[test]
fn headers_come_before_those_of_another_library_beside_mpi() {
    let here = Installation::new("prefix");
    for file in ["lib/libsma.so", "mpi/mpi.h", "mpi/shmem.h", "only/mpi.h", "own/shmem.h"] {
        fs::create_dir_all(here.path(file).parent().unwrap()).unwrap();
        here.file(file, "");
    }
    let mpi = here.path("mpi").display().to_string();
    let joined = format!("-I{mpi}");
    for (words, expected) in [
        (&["-Iown", "-DX", &joined, "-c", "a.c"][..], "<-Iown>\n<-DX>\n<-I@/include>\n<-I@/mpi>\n<-c>\n<a.c>\n"),
        (&["-c", "a.c", "-I", &mpi], "<-c>\n<a.c>\n<-I@/include>\n<-I>\n<@/mpi>\n"),
        (&["-I../own", "-I../only", "-c", "a.c"], "<-I../own>\n<-I../only>\n<-c>\n<a.c>\n<-I@/include>\n"),
        (&["-c", "a.c", "-I"], "<-c>\n<a.c>\n<-I>\n<-I@/include>\n"),
    ] {
        assert_eq!(here.handed_over("oshcc", words), expected, "{words:?}");
    }
}

/// gfortran's library has weak references to the thread functions it calls, so a static program must link all of these functions.
#[test]
fn static_fortran_program_gets_its_symbols() {
    let here = Installation::new("prefix");
    here.file("lib/libsma.so", "");
    here.file("lib/libsma.a", "");
    let wanted = "<-Wl,-u,pthread_mutex_destroy>";
    for (words, expected) in
        [(&["-static", "a.f90"][..], true), (&["a.f90"], false), (&["-static", "-c", "a.f90"], false)]
    {
        let handed = here.handed_over("oshfort", words);
        assert_eq!(handed.contains(wanted), expected, "{handed}");
        assert!(handed.contains("<-I@/include>"), "{handed}");
    }
    assert!(!here.handed_over("oshcc", &["-static", "a.c"]).contains(wanted));
}

#[test]
fn static_library_is_linked_with_its_dependencies() {
    let here = Installation::new("prefix");
    here.file("lib/libsma.a", "");
    assert_eq!(
        here.handed_over("oshcc", &["a.c"]),
        "<a.c>\n<-I@/include>\n<-L@/lib>\n<-lsma>\n<-lpthread>\n<-ldl>\n<-lm>\n"
    );
}

#[test]
fn a_prefix_with_a_comma_still_has_its_run_path() {
    let here = Installation::new("pre,fix");
    here.file("lib/libsma.so", "");
    let words = here.handed_over("oshcc", &["a.o"]);
    assert!(words.contains("<-Xlinker>\n<-rpath>\n<-Xlinker>\n<@/lib>\n"), "{words}");
}

#[test]
fn words_that_are_no_text_are_passed_on_unharmed() {
    let here = Installation::new("prefix");
    let compiler = here.echoing_compiler();
    let word = OsStr::from_bytes(b"caf\xe9.c");
    let output = here.command("oshcc").env("SHMEM_CC", compiler).arg("-c").arg(word).output().unwrap();
    assert!(output.stdout.starts_with(b"<-c>\n<caf\xe9.c>\n"), "{output:?}");
}

#[test]
fn a_link_to_it_from_elsewhere_finds_the_installation() {
    let here = Installation::new("prefix");
    let elsewhere = here.path("work/oshc++");
    symlink("../bin/oshcc", &elsewhere).unwrap();
    let output = Command::new(&elsewhere).arg("--showme:incdirs").output().unwrap();
    assert_eq!(stdout(&output), format!("{}\n", here.path("include").display()));
    let output = Command::new(&elsewhere).env_remove("SHMEM_CXX").arg("--showme:command").output().unwrap();
    assert_eq!(stdout(&output), "c++\n");
}

#[test]
fn response_files_are_parsed_and_passed_on() {
    let here = Installation::new("prefix");
    here.file("lib/libsma.so", "");
    here.file("work/link.rsp", "-o 'a b' a.o");
    here.file("work/compile.rsp", "-c a.c\n@link.rsp");
    assert_eq!(here.handed_over("oshcc", &["@link.rsp"]), format!("<@link.rsp>\n<-I@/include>\n{LINK}"));
    assert_eq!(here.handed_over("oshcc", &["@compile.rsp"]), "<@compile.rsp>\n<-I@/include>\n");
    here.file("work/endless.rsp", "@endless.rsp");
    assert!(here.handed_over("oshcc", &["@endless.rsp"]).contains("<@endless.rsp>"));
}

#[test]
fn every_name_chooses_its_compiler() {
    let here = Installation::new("prefix");
    let rows = [
        ("oshcc", "cc"),
        ("shmemcc", "cc"),
        ("oshc++", "c++"),
        ("oshcxx", "c++"),
        ("oshCC", "c++"),
        ("shmemc++", "c++"),
        ("shmemcxx", "c++"),
        ("shmemCC", "c++"),
        ("oshfort", "gfortran"),
        ("shmemfort", "gfortran"),
        ("something", "cc"),
    ];
    for (name, compiler) in rows {
        let output = here.command(name).arg("--showme:command").output().unwrap();
        assert_eq!(stdout(&output), format!("{compiler}\n"), "{name}");
    }
}

#[test]
fn variables_name_other_compilers_with_their_options() {
    let here = Installation::new("prefix");
    for (name, variable) in [("oshcc", "SHMEM_CC"), ("oshc++", "SHMEM_CXX"), ("oshfort", "SHMEM_FC")] {
        let output = here.command(name).env(variable, "ccache my-cc -m64").arg("--showme:command").output().unwrap();
        assert_eq!(stdout(&output), "ccache my-cc -m64\n", "{name}");
        let output = here.command(name).env(variable, "").arg("--showme:command").output().unwrap();
        assert_ne!(stdout(&output), "\n", "an empty {variable} is no compiler");
    }
    // Variables of other libraries' wrappers are read after Ferrite's own.
    for (name, language) in [("oshcc", "CC"), ("oshc++", "CXX"), ("oshfort", "FC")] {
        let mut command = here.command(name);
        command.arg("--showme:command");
        for whose in ["OSHMEM", "SMA", "SHMEM"] {
            let output = command.env(format!("{whose}_{language}"), format!("{whose}-cc")).output().unwrap();
            assert_eq!(stdout(&output), format!("{whose}-cc\n"), "{name}");
        }
    }
}

#[test]
fn questions_are_answered_without_a_compiler() {
    let here = Installation::new("pre fix");
    here.file("lib/libsma.so", "");
    let rows = [
        ("--showme:compile", "'-I@/include'\n".to_owned()),
        ("--showme:link", "'-L@/lib' -Wl,--enable-new-dtags '-Wl,-rpath,@/lib' -lsma -lm\n".to_owned()),
        ("--showme:incdirs", "'@/include'\n".to_owned()),
        ("--showme:libdirs", "'@/lib'\n".to_owned()),
        ("--showme:libs", "sma m\n".to_owned()),
        ("--showme:version", format!("oshcc: Ferrite {}\n", env!("CARGO_PKG_VERSION"))),
        ("-V", format!("oshcc: Ferrite {}\n", env!("CARGO_PKG_VERSION"))),
    ];
    for (question, expected) in rows {
        let output = here.command("oshcc").env("SHMEM_CC", "no-such-compiler").arg(question).output().unwrap();
        assert!(output.status.success(), "{question}: {output:?}");
        assert_eq!(stdout(&output).replace(here.root.to_str().unwrap(), "@"), expected, "{question}");
    }
    let output = here.command("oshcc").args(["-show", "-c", "a b.c"]).output().unwrap();
    assert_eq!(stdout(&output).replace(here.root.to_str().unwrap(), "@"), "cc -c 'a b.c' '-I@/include'\n");
    let output = here.command("oshcc").arg("--showme").output().unwrap();
    assert!(stdout(&output).ends_with("-lsma -lm\n"), "{output:?}");
    for question in ["--help", "--showme:help"] {
        let output = here.command("oshfort").arg(question).output().unwrap();
        assert!(stdout(&output).contains("SHMEM_FC") && output.status.success());
    }
}

/// The compiler cannot warn: it does not know that the size of the library's elements is fixed.
#[test]
fn default_types_that_are_wider_than_the_librarys_are_warned_of() {
    let here = Installation::new("prefix");
    here.file("work/wide.rsp", "-O2 -i8");
    let plain = here.echoing_compiler();
    let said = |name: &str, compiler: &str, words: &[&str]| {
        let mut command = here.command(name);
        command.env("SHMEM_FC", compiler).env("SHMEM_CC", compiler).args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        stderr(&output)
    };
    for (option, words) in [
        ("-fdefault-integer-8", &["-c", "-fdefault-integer-8", "a.f90"][..]),
        ("-r8", &["a.f", "-r8", "-o", "a"]),
        ("-s", &["-s", "default64", "a.f90"]),
        ("-i8", &["@wide.rsp", "a.f90"]),
    ] {
        let line = said("oshfort", &plain, words);
        assert!(line.starts_with(&format!("oshfort: warning: {option}: ")) && line.lines().count() == 1, "{line}");
        assert!(line.contains("INT8") && line.contains("PUT64"), "{line}");
    }
    assert!(said("shmemfort", &format!("{plain} -fdefault-real-8"), &["a.f90"]).contains("-fdefault-real-8"));
    for (name, words) in [
        ("oshfort", &["-O2", "a.f90"][..]),
        ("oshfort", &["-i8", "a.o", "-o", "a"]),
        ("oshfort", &["-i8", "--version"]),
        ("oshfort", &["--showme", "-i8", "a.f90"]),
        ("oshcc", &["-i8", "a.c"]),
    ] {
        assert_eq!(said(name, &plain, words), "", "{name} {words:?}");
    }
}

#[test]
fn a_compiler_with_blanks_in_its_path_is_one_word() {
    let here = Installation::new("prefix");
    let compiler = here.path("bin/my echo");
    symlink("/bin/echo", &compiler).unwrap();
    let output = here.command("oshcc").env("SHMEM_CC", &compiler).args(["-c", "a.c"]).output().unwrap();
    assert_eq!(stdout(&output), format!("-c a.c -I{}\n", here.path("include").display()));
}

#[test]
fn a_missing_compiler_is_named_with_the_way_out() {
    let here = Installation::new("prefix");
    let output = here.command("oshfort").env("SHMEM_FC", "no-such-compiler").arg("a.f90").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "oshfort: there is no Fortran compiler 'no-such-compiler' here: install one, or name another with SHMEM_FC\n"
    );
}

#[test]
fn a_wrapper_that_would_call_itself_is_refused() {
    let here = Installation::new("prefix");
    for compiler in [here.path("bin/oshcc").to_str().unwrap(), here.path("bin/shmemcc").to_str().unwrap(), "oshcc -g"] {
        let output = here
            .command("oshcc")
            .env("SHMEM_CC", compiler)
            .env("PATH", format!("{}:/usr/bin:/bin", here.path("bin").display()))
            .arg("a.c")
            .output()
            .unwrap();
        assert!(!output.status.success() && stderr(&output).contains("this wrapper itself"), "{output:?}");
    }
}

#[test]
fn the_compilers_exit_code_is_the_wrappers() {
    let here = Installation::new("prefix");
    let status = here.command("oshcc").env("SHMEM_CC", "sh -c 'exit 42'").arg("a.c").status().unwrap();
    assert_eq!(status.code(), Some(42));
}

/// Builds a library whose function returns 42 into the installation, shared and static.
fn small_library(here: &Installation) {
    here.file("include/shmem.h", "int answer(void);\n");
    let source = here.file("work/sma.c", "int answer(void) { return 42; }\n");
    let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    let at = |relative: &str| here.path(relative);
    run(Command::new("cc").arg("-shared").arg("-fPIC").arg("-o").arg(at("lib/libsma.so")).arg(&source));
    run(Command::new("cc").arg("-c").arg("-o").arg(at("work/sma.o")).arg(&source));
    run(Command::new("ar").arg("rc").arg(at("lib/libsma.a")).arg(at("work/sma.o")));
}

#[test]
fn programs_built_by_it_run_and_find_the_library_by_runpath() {
    if !have("cc") || !have("ar") {
        return;
    }
    let here = Installation::new("pre fix");
    small_library(&here);
    here.file("work/a.c", "#include <shmem.h>\nint main(void) { return answer(); }\n");
    let build = |words: &[&str]| {
        let output = here.command("oshcc").args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    };
    let run = |program: &Path| Command::new(program).env_remove("LD_LIBRARY_PATH").output().unwrap().status.code();
    build(&["a.c", "-o", "shared"]);
    assert_eq!(run(&here.path("work/shared")), Some(42));
    build(&["-c", "a.c"]);
    build(&["-o", "in two", "a.o"]);
    assert_eq!(run(&here.path("work/in two")), Some(42));
    build(&["-static", "a.c", "-o", "static"]);
    fs::remove_file(here.path("lib/libsma.so")).unwrap();
    assert_eq!(run(&here.path("work/static")), Some(42));
    assert_ne!(run(&here.path("work/shared")), Some(42), "the library is gone");

    let dynamic = Command::new("readelf").arg("-d").arg(here.path("work/shared")).output();
    match dynamic {
        Ok(output) => assert!(stdout(&output).contains("(RUNPATH)"), "{}", stdout(&output)),
        Err(error) => println!("skipped: readelf cannot be run ({error})"),
    }
}

#[test]
fn an_installation_can_be_moved() {
    let here = Installation::new("before");
    let after = here.root.with_file_name("after");
    fs::rename(&here.root, &after).unwrap();
    let output = Command::new(after.join("bin/oshcc")).arg("--showme:incdirs").output().unwrap();
    assert_eq!(stdout(&output), format!("{}\n", after.join("include").display()));
}
