//! The reduction kernels must consist of vector instructions, which this test looks for in the compiler's output. A kernel that has fallen
//! back to one element at a time still gives right results, so no other test would notice.
#![cfg(target_arch = "x86_64")]

use std::{fs, path::Path, process::Command};

/// The kernels by themselves, optimised, as assembly. Compiling takes a second. The assembly equals a release build's, whatever profile the
/// tests run in.
fn assembly() -> Option<String> {
    let compiler = Path::new(env!("CARGO")).with_file_name("rustc");
    if !compiler.exists() {
        println!("skipped: there is no rustc beside cargo");
        return None;
    }
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels.s");
    let done = Command::new(compiler)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "asm", "-O", "-Cpanic=abort"])
        .args(["-Ccodegen-units=1", "-Csymbol-mangling-version=v0", "-Cdebuginfo=0", "-o"])
        .arg(&output)
        .arg("tests/packed/probe.rs")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(done.status.success(), "the probe does not compile: {}", String::from_utf8_lossy(&done.stderr));
    Some(fs::read_to_string(output).unwrap())
}

/// The lines of the function whose mangled name contains both texts.
fn function<'a>(assembly: &'a str, generic: &str, operation: &str) -> Vec<&'a str> {
    let is_it = |line: &&str| {
        line.starts_with("_R") && line.ends_with(':') && line.contains(generic) && line.contains(operation)
    };
    let lines: Vec<&str> =
        assembly.lines().skip_while(|line| !is_it(line)).take_while(|line| !line.contains(".cfi_endproc")).collect();
    assert!(!lines.is_empty(), "there is no function {generic}...{operation}");
    lines
}

/// The first loop: from a label to the jump that goes back to it.
fn first_loop<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    for (start, label) in lines.iter().enumerate() {
        let Some(label) = label.strip_suffix(':').filter(|label| label.starts_with(".L")) else { continue };
        let goes_back = |line: &&str| line.trim().starts_with('j') && line.split_whitespace().last() == Some(label);
        if let Some(len) = lines[start..].iter().position(goes_back) {
            return &lines[start..=start + len];
        }
    }
    panic!("there is no loop in {lines:#?}");
}

/// Number of these instructions in the loop on registers of this kind.
fn count(lines: &[&str], instruction: &str, register: &str) -> usize {
    lines.iter().filter(|line| line.trim().starts_with(instruction) && line.contains(register)).count()
}

#[test]
fn hot_loops_are_packed() {
    let Some(assembly) = assembly() else { return };
    // Kernel, the type's letter in mangled names, the operation, and the loop's instructions with AVX2 and without.
    for (kernel, lane, operation, wide, plain) in [
        ("maximum of int", 'l', "3Max", "vpmaxsd", "pcmpgtd"),
        ("maximum of short", 's', "3Max", "vpmaxsw", "pmaxsw"),
        ("maximum of long", 'x', "3Max", "vpcmpgtq", "pcmpgtd"),
        ("sum of long", 'y', "3Sum", "vpaddq", "paddq"),
        ("product of signed char", 'h', "4Prod", "vpmullw", "pmullw"),
        ("sum of float", 'f', "3Sum", "vaddps", "addps"),
        ("sum of double", 'd', "3Sum", "vaddpd", "addpd"),
        ("maximum of double", 'd', "3Max", "vmaxpd", "maxpd"),
        ("product of float complex", 'f', "8PairProd", "vmulps", "mulps"),
    ] {
        let lines = function(&assembly, &format!("4avx2{lane}"), operation);
        let hot = first_loop(&lines);
        let packed = count(hot, wide, "%ymm");
        assert!(packed >= 2, "{kernel}: {packed} times {wide} on ymm registers in a step of 64 bytes: {hot:#?}");
        let stores = hot.iter().filter(|line| line.trim_end().ends_with(')') && line.contains("vmov")).count();
        assert_eq!(stores, 2, "{kernel}: two stores make a step of 64 bytes: {hot:#?}");
        assert_eq!(count(hot, "vmovs", "%xmm"), 0, "{kernel}: single elements are moved: {hot:#?}");

        let lines = function(&assembly, &format!("6kernel{lane}"), operation);
        let hot = first_loop(&lines);
        assert!(count(hot, plain, "%xmm") >= 4, "{kernel}: not four times {plain} in a step of 64 bytes: {hot:#?}");
    }
}
