//! The stack frames of a PE that dies, as the user sees them.

use crate::caller::{CallSite, is_ours, name_of, resolve, symbol_of};

/// Maximum number of frames that are inspected, and of lines that are shown.
const FRAMES: usize = 64;
const LINES: usize = 20;
/// Objects of the system. A mistake in their functions lies in the program's call of them.
const SYSTEM: [&str; 9] = [
    "libc.so",
    "libm.so",
    "libpthread.so",
    "libstdc++.so",
    "libc++",
    "libgcc_s.so",
    "libgfortran.so",
    "ld-linux",
    "linux-vdso",
];
/// Functions that run before main.
const BEFORE_MAIN: [&str; 3] = ["__libc_start", "_start", "__libc_start_call_main"];

/// Instructions of the frames, from the innermost frame outwards.
pub struct Frames(Vec<usize>);

impl Frames {
    /// The frames of this thread, from the instruction `at` that the signal interrupted, or all frames if there is none.
    pub fn of_thread(at: Option<usize>) -> Frames {
        let mut frames = Vec::new();
        backtrace::trace(|frame| {
            frames.push(frame.ip() as usize);
            frames.len() < FRAMES
        });
        // The frames of the handler and of the kernel come first.
        let begin = frames.iter().position(|&ip| Some(ip) == at);
        let mut frames = frames.split_off(begin.unwrap_or(0));
        // All other addresses are return addresses. Subtract one, so that they lie within the call instruction.
        frames.iter_mut().skip(usize::from(begin.is_some())).for_each(|ip| *ip = ip.saturating_sub(1));
        Frames(frames)
    }

    /// Whether the interrupted instruction belongs to the library.
    pub fn begin_in_library(&self) -> bool {
        self.0.first().is_some_and(|&at| is_ours(at))
    }

    /// The innermost routine of the library that the thread is in.
    pub fn routine(&self) -> Option<String> {
        self.0.iter().filter(|&&at| is_ours(at)).find_map(|&at| routine(at))
    }

    /// The innermost place in the program.
    pub fn place(&self) -> Option<String> {
        let at = *self.0.iter().find(|&&at| !is_ours(at) && !is_system(at))?;
        Some(CallSite(at).source().to_string())
    }

    /// One line for each function of the program, and for each routine of the library. A recursion becomes one line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<(String, usize)> = Vec::new();
        for line in self.0.iter().flat_map(|&at| shown(at)) {
            match lines.last_mut().filter(|(last, _)| *last == line) {
                Some((_, count)) => *count += 1,
                None => lines.push((line, 1)),
            }
        }
        let told =
            |(line, count): (String, usize)| if count > 1 { format!("{line}, {count} times or more") } else { line };
        lines.into_iter().map(told).take(LINES).collect()
    }
}

/// Whether an instruction is in a `SYSTEM` object, or in a template of the C++ library.
fn is_system(at: usize) -> bool {
    let source = CallSite(at).source();
    source.is_of_system()
        || source.object.is_some_and(|(path, _)| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            SYSTEM.iter().any(|system| name.starts_with(system))
        })
}

/// The routine that a frame belongs to: by the exported symbol, or, in a static program, by its debug information.
fn routine(at: usize) -> Option<String> {
    let public = |name: String| {
        let public = name.strip_prefix('p').unwrap_or(&name);
        let is_routine = ["shmem_", "shmemx_"].iter().any(|prefix| public.to_ascii_lowercase().starts_with(prefix));
        is_routine.then(|| public.to_owned())
    };
    if let Some(routine) = symbol_of(at).and_then(public) {
        return Some(routine);
    }
    let mut routine = None;
    resolve(at, |symbol| {
        let found = symbol.name().map(|name| format!("{name:#}")).and_then(public);
        routine = routine.take().or(found);
    });
    routine
}

fn shown(at: usize) -> Vec<String> {
    if is_ours(at) {
        return routine(at).into_iter().collect();
    }
    let mut lines = Vec::new();
    resolve(at, |symbol| {
        let Some(name) = symbol.name().map(name_of) else { return };
        if BEFORE_MAIN.iter().any(|before| name.starts_with(before)) {
            return;
        }
        lines.push(match (symbol.filename().and_then(|file| file.file_name()), symbol.lineno()) {
            (Some(file), Some(line)) => format!("{name} ({}:{line})", file.to_string_lossy()),
            _ => name,
        });
    });
    lines
}
