"""Ferrite for Spack, from the source archive, which has all crates in it: nothing is downloaded while it builds."""

import os

from spack.package import *

try:
    # From Spack 1.0 on, build systems are in the repository of packages.
    from spack_repo.builtin.build_systems.generic import Package
except ImportError:
    pass


class Ferrite(Package):
    """An OpenSHMEM 1.6 runtime in Rust for programs in C, C++, Fortran and Rust: shared memory, TCP, libfabric, UCX."""

    # Spack looks for the archive in the directory where `spack install` is called, and in mirrors.
    manual_download = True
    url = "file://{0}/ferrite-@VERSION@-source.tar.xz".format(os.getcwd())

    license("MIT OR Apache-2.0", checked_by="ferrite")

    version("@VERSION@", sha256="@SHA256@")

    variant("libfabric", default=True, description="Communicate by libfabric, opened at run time")
    variant("ucx", default=False, description="Communicate by UCX, opened at run time")
    variant("pmix", default=False, description="Be started by launchers that speak PMIx, opened at run time")
    variant("hwloc", default=True, description="Show the machine's topology as hwloc sees it")
    variant("fortran", default=True, description="Have the Fortran compiler's module")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("rust@1.88:", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build", when="+hwloc")
    # libclang generates declarations from the headers.
    depends_on("llvm+clang", type="build", when="+libfabric")
    depends_on("llvm+clang", type="build", when="+ucx")
    depends_on("libfabric@1.17:", when="+libfabric")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("pmix", type="run", when="+pmix")
    depends_on("hwloc@2:", when="+hwloc")

    requires("platform=linux", msg="Ferrite needs Linux")
    requires("target=x86_64:", msg="Ferrite is tested on x86-64 only")

    # The wrappers call the compilers themselves, not Spack's compiler wrappers.
    filter_compiler_wrappers("oshmem.pc", relative_root="lib/pkgconfig")

    def setup_build_environment(self, env):
        for name in self.opened():
            if name != "pmix":
                env.append_path("CPATH", self.spec[name].prefix.include)
        if self.spec.satisfies("+libfabric") or self.spec.satisfies("+ucx"):
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo-home"))

    def opened(self):
        """The libraries that are opened at run time."""
        return [name for name in ("libfabric", "ucx", "pmix") if self.spec.satisfies("+" + name)]

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("xtask", "dist", "--prefix", prefix)

    def setup_run_environment(self, env):
        for name in self.opened():
            for directory in self.spec[name].libs.directories:
                env.prepend_path("LD_LIBRARY_PATH", directory)

    def setup_dependent_build_environment(self, env, dependent_spec):
        # Within Spack, oshcc compiles with Spack's compiler wrappers. Only those of the languages that the package names are there.
        compilers = dependent_spec.package.module
        for variable, compiler in (("SHMEM_CC", "spack_cc"), ("SHMEM_CXX", "spack_cxx"), ("SHMEM_FC", "spack_fc")):
            if hasattr(compilers, compiler):
                env.set(variable, getattr(compilers, compiler))

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.shmemcc = join_path(self.prefix.bin, "oshcc")
        self.spec.shmemcxx = join_path(self.prefix.bin, "oshc++")
        self.spec.shmemfc = join_path(self.prefix.bin, "oshfort")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_hello(self):
        with working_dir(self.stage.source_path):
            Executable(join_path(self.prefix.bin, "oshcc"))("crates/capi/examples/c/hello.c", "-o", "hello-installed")
            Executable(join_path(self.prefix.bin, "oshrun"))("-n", "2", "./hello-installed")
