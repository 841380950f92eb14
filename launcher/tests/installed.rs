//! The installed files by which other build systems find the library, for pkg-config and CMake, in a prefix with a small library.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

/// The files in the repository that go below `lib` of an installation.
const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/share/lib");

const PACKAGES: [&str; 5] = ["oshmem", "oshmem-c", "oshmem-cxx", "oshmem-fort", "sma"];

/// An installation in a directory of its own, removed on drop.
struct Installation {
    root: PathBuf,
}

impl Installation {
    fn new(name: &str) -> Installation {
        let root = env::temp_dir().canonicalize().unwrap().join(format!("ferrite-share-{name}-{}", process::id()));
        for directory in ["include", "lib", "work"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        fs::write(root.join("include/shmem.h"), "int answer(void);\n").unwrap();
        fs::write(root.join("work/sma.c"), "int answer(void) { return 42; }\n").unwrap();
        fs::write(root.join("work/a.c"), "#include <shmem.h>\nint main(void) { return answer() - 42; }\n").unwrap();
        install(Path::new(TEMPLATES), &root.join("lib"), &root);
        Installation { root }
    }

    fn build_library(&self) {
        let at = |name: &str| self.root.join(name);
        let soname = "-Wl,-soname,libsma.so.1";
        run(Command::new("cc")
            .args(["-shared", "-fPIC", soname, "-o"])
            .args([at("lib/libsma.so.1"), at("work/sma.c")]));
        std::os::unix::fs::symlink("libsma.so.1", at("lib/libsma.so")).unwrap();
        run(Command::new("cc").args(["-c", "-o"]).args([at("work/sma.o"), at("work/sma.c")]));
        run(Command::new("ar").arg("rc").args([at("lib/libsma.a"), at("work/sma.o")]));
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The version of the specification, by which other build systems ask.
const SPECIFICATION: &str = "1.6";

/// Copies a tree and fills in the version and the prefix, as an installation does.
fn install(from: &Path, to: &Path, prefix: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => install(&entry.path(), &target, prefix),
            false => {
                let text = fs::read_to_string(entry.path()).unwrap().replace("@VERSION@", env!("CARGO_PKG_VERSION"));
                let text = text.replace("@PREFIX@", prefix.to_str().unwrap());
                fs::write(target, text).unwrap();
            }
        }
    }
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// True if all these programs are on this machine; prints the first that is missing.
fn have(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| Command::new(program).arg("--version").output().is_err());
    missing.inspect(|program| println!("skipped: there is no {program} on this machine")).is_none()
}

#[test]
fn only_the_version_is_left_to_fill_in() {
    let here = Installation::new("text");
    let texts = PACKAGES.map(|package| here.root.join(format!("lib/pkgconfig/{package}.pc")));
    let cmake =
        ["Config", "ConfigVersion"].map(|end| here.root.join(format!("lib/cmake/OpenSHMEM/OpenSHMEM{end}.cmake")));
    for path in texts.iter().chain(&cmake) {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(env!("CARGO_PKG_VERSION")) && !text.contains('@'), "{}", path.display());
    }
}

#[test]
fn pkg_config_builds_a_program() {
    if !have(&["pkg-config", "cc", "ar"]) {
        return;
    }
    let here = Installation::new("pc");
    here.build_library();
    let ask = |words: &[&str]| {
        run(Command::new("pkg-config").args(words).env("PKG_CONFIG_PATH", here.root.join("lib/pkgconfig")))
    };
    for package in PACKAGES {
        assert_eq!(ask(&["--modversion", package]).trim(), SPECIFICATION, "{package}");
        assert_eq!(ask(&["--variable=ferrite_version", package]).trim(), env!("CARGO_PKG_VERSION"), "{package}");
        ask(&["--exists", &format!("{package} >= 1.5")]);
        let program = here.root.join("work").join(package);
        let flags = ask(&["--cflags", "--libs", package]);
        assert!(!flags.contains(".."), "{flags}");
        run(Command::new("cc").arg("-o").arg(&program).arg(here.root.join("work/a.c")).args(flags.split_whitespace()));
        run(Command::new(&program).env_remove("LD_LIBRARY_PATH"));
    }
    assert!(ask(&["--static", "--libs", "oshmem"]).contains("-lpthread"));
}

#[test]
fn cmake_finds_the_targets() {
    if !have(&["cmake", "cc", "ar", "make"]) {
        return;
    }
    let here = Installation::new("cmake");
    here.build_library();
    let project = format!(
        "cmake_minimum_required(VERSION 3.13)\nproject(a C)\nfind_package(OpenSHMEM 1.5 REQUIRED COMPONENTS C)\n\
         if(NOT OpenSHMEM_VERSION STREQUAL {SPECIFICATION} OR NOT OpenSHMEM_FERRITE_VERSION STREQUAL {})\n  \
         message(FATAL_ERROR \"other versions\")\nendif()\n\
         add_executable(shared a.c)\ntarget_link_libraries(shared OpenSHMEM::openshmem)\n\
         add_executable(static a.c)\ntarget_link_libraries(static OpenSHMEM::openshmem_static)\n\
         foreach(wrong 1.7 2.0 99.0)\n  find_package(OpenSHMEM ${{wrong}} QUIET)\n  if(OpenSHMEM_FOUND)\n    \
         message(FATAL_ERROR \"${{wrong}} is not ours\")\n  endif()\nendforeach()\n\
         find_package(OpenSHMEM QUIET COMPONENTS Cobol)\n",
        env!("CARGO_PKG_VERSION")
    );
    fs::write(here.root.join("work/CMakeLists.txt"), project).unwrap();
    let work = here.root.join("work");
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", here.root.display());
    run(Command::new("cmake").args(["-S", ".", "-B", "build", &prefix]).current_dir(&work));
    run(Command::new("cmake").args(["--build", "build"]).current_dir(&work));
    for program in ["shared", "static"] {
        run(Command::new(work.join("build").join(program)).env_remove("LD_LIBRARY_PATH"));
    }
}
