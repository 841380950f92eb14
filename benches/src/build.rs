//! Builds the C programs with the compiler of each side.
//!
//! A build directory is named by a hash of the sources, the flags, the compiler and the installation's headers. `oshcc` is often a script
//! that contains its flags, so the file itself is hashed. A new installation in the same directory is therefore built again.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;
use crate::document;

macro_rules! sources {
    ($($dir:literal: $($file:literal),+ $(,)?);+ $(;)?) => {
        /// The sources of all programs, embedded in this program so that it runs from anywhere.
        pub const SOURCES: &[(&str, &str)] = &[$($(($file, include_str!(concat!("../", $dir, "/", $file)))),+),+];
    };
}

sources!(
    "c":
    "add.c",
    "affinity.c",
    "allocate.c",
    "alltoall64.c",
    "atomics.c",
    "away.c",
    "bare.h",
    "bare_barrier.c",
    "bare_fabric.c",
    "bare_memcpy.c",
    "bare_pingpong.c",
    "bare_start.c",
    "bare_tcp.c",
    "bare_ucx.c",
    "barrier.c",
    "batch.h",
    "bench.h",
    "beside.c",
    "broadcast64.c",
    "collective.h",
    "contended.c",
    "device.c",
    "fcollect64.c",
    "fetch_add.c",
    "g.c",
    "get.c",
    "hello.c",
    "instructions.c",
    "int_max_to_all.c",
    "locks.c",
    "overlap.c",
    "p_stream.c",
    "pingpong.c",
    "put.c",
    "put_flag.c",
    "put_nbi.c",
    "put_signal.c",
    "quiet_litmus.c",
    "round_trips.h",
    "statics.c",
    "stream.c",
    "strided.c",
    "teams.c",
    "threads.c";
    "../crates/capi/examples/c":
    "bfs.c",
    "example.h",
    "gups.c",
    "heat.c",
    "histogram.c",
    "index_gather.c",
    "sort.c",
    "transpose.c",
);

const FLAGS: &[&str] = &["-std=gnu11", "-O2", "-g", "-Wall", "-pthread"];

/// The libraries that programs are linked to.
const LIBRARIES: &[(&str, &str)] = &[("bare_fabric", "-lfabric"), ("device", "-ldl"), ("heat", "-lm")];

/// Headers of an installation whose code may be compiled into a program.
const HEADERS: &[&str] = &["shmem.h", "shmemx.h", "shmemg.h", "pshmem.h", "mpp/shmem.h"];

/// One compiler, and the directory of the programs that it built from the present sources.
#[derive(Clone, Debug)]
pub struct Builder {
    compiler: PathBuf,
    dir: PathBuf,
}

impl Builder {
    /// Prepare a build directory below `work` for this compiler.
    pub fn new(compiler: &Path, work: &Path) -> Result<Self, Error> {
        let dir = work.join(format!("{:016x}", fingerprint(compiler)));
        fs::create_dir_all(&dir).map_err(|e| format!("cannot make the build directory {}: {e}", dir.display()))?;
        // The directory's name is predictable and the programs in it are executed, so it must belong to this user.
        if fs::symlink_metadata(&dir)?.uid() != rustix::process::geteuid().as_raw() {
            let dir = dir.display();
            return Err(format!("the build directory {dir} belongs to another user; --work names another place").into());
        }
        for (name, text) in SOURCES {
            write_if_new(&dir.join(name), text)?;
        }
        Ok(Self { compiler: compiler.to_owned(), dir })
    }

    /// The directory of the programs.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Path of the built program; compiles it if these sources have not been compiled yet.
    pub fn program(&self, name: &str) -> Result<PathBuf, Error> {
        let program = self.dir.join(name);
        if program.exists() {
            return Ok(program);
        }
        // Compile under a name that includes this process's id, then rename: an interrupted build leaves no partial program.
        let draft = self.dir.join(format!("{name}.{}", std::process::id()));
        let output = Command::new(&self.compiler)
            .args(FLAGS)
            .arg(self.dir.join(format!("{name}.c")))
            .arg("-o")
            .arg(&draft)
            .args(LIBRARIES.iter().filter(|(program, _)| *program == name).map(|(_, library)| library))
            .output()
            .map_err(|e| format!("cannot run the compiler {}: {e}", self.compiler.display()))?;
        if !output.status.success() {
            let compiler = self.compiler.display();
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{compiler} could not build {name}.c ({}):\n{said}", output.status).into());
        }
        fs::rename(&draft, &program)?;
        Ok(program)
    }
}

fn fingerprint(compiler: &Path) -> u64 {
    let mut hash = DefaultHasher::new();
    (SOURCES, FLAGS, LIBRARIES).hash(&mut hash);
    compiler.hash(&mut hash);
    fs::read(compiler).ok().hash(&mut hash);
    if let Some(prefix) = compiler.parent().and_then(Path::parent) {
        for header in HEADERS {
            fs::read(prefix.join("include").join(header)).ok().hash(&mut hash);
        }
    }
    hash.finish()
}

fn write_if_new(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    document::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_carried() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("c");
        let mut there: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        there.sort();
        let carried: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        assert_eq!(there, carried[..there.len()]);
    }

    #[test]
    fn a_changed_compiler_gets_a_directory_of_its_own() {
        let dir = std::env::temp_dir().join(format!("benches-fingerprint-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let compiler = dir.join("oshcc");
        fs::write(&compiler, "first").unwrap();
        let before = fingerprint(&compiler);
        assert_eq!(before, fingerprint(&compiler));
        fs::write(&compiler, "second").unwrap();
        assert_ne!(before, fingerprint(&compiler));
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn build_directory_of_another_user_is_refused() {
        let work = std::env::temp_dir().join(format!("benches-planted-{}", std::process::id()));
        let builder = Builder::new(Path::new("cc"), &work).unwrap();
        match std::os::unix::fs::chown(builder.dir(), Some(4711), None) {
            Err(_) => println!("skipped: only root can give directories to other users"),
            Ok(()) => {
                let error = Builder::new(Path::new("cc"), &work).unwrap_err().to_string();
                assert!(error.contains("belongs to another user"), "{error}");
            }
        }
        fs::remove_dir_all(&work).unwrap();
    }

    #[test]
    fn the_bare_programs_build_and_a_bad_compiler_is_named() {
        let work = std::env::temp_dir().join(format!("benches-build-{}", std::process::id()));
        let builder = Builder::new(Path::new("cc"), &work).unwrap();
        for name in ["bare_pingpong", "bare_memcpy", "bare_barrier"] {
            assert!(builder.program(name).unwrap().exists());
        }
        let nobody = Builder::new(Path::new("/nobody/bin/oshcc"), &work).unwrap();
        let error = nobody.program("put").unwrap_err().to_string();
        assert!(error.contains("/nobody/bin/oshcc"), "{error}");
        fs::remove_dir_all(&work).unwrap();
    }
}
