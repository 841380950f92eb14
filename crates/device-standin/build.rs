//! Gives the library the name by which programs load CUDA's driver: the dynamic linker then finds it loaded under that name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
}
