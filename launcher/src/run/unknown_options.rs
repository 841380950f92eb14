//! Errors about options that oshrun does not have: the advice for known options of other launchers, and slips of the pen.
//!
//! The manual page ferrite_moving(7) lists the options of [`ADVICE`].

use clap::{Command, error::ErrorKind};

/// Options of other launchers that are refused, since a job without them would be another job: their names without dashes, and what to do
/// instead. A name of one letter is an option with a single dash only.
pub const ADVICE: &[(&[&str], &str)] = &[
    // Open MPI's mpirun.
    (&["rankfile", "rf"], "--host, --map-by and --bind-to place PEs; there are no rank files"),
    (&["app"], "name the programs in one line, with a colon between them: -n 1 ./a : -n 3 ./b"),
    (&["cpu-set", "cpu-list", "slot-list"], "taskset -c LIST oshrun ... limits the CPUs of the PEs of this host"),
    (&["preload-binary", "preload-files"], "copy the files to the same path on each host first"),
    (&["path"], "write the path of the program"),
    (&["debug", "tv"], "-n 2 xterm -e gdb ./a.out starts a debugger for each PE"),
    (&["xterm"], "-n 2 xterm -e ./a.out starts a terminal for each PE"),
    // MPICH's mpiexec.
    (&["configfile"], "name the programs in one line, with a colon between them: -n 1 ./a : -n 3 ./b"),
    (&["outfile-pattern", "errfile-pattern"], "--output-filename DIR writes the output of each PE to a file"),
    // srun.
    (&["multi-prog"], "name the programs in one line, with a colon between them: -n 1 ./a : -n 3 ./b"),
    (&["bcast"], "copy the program to the same path on each host first"),
    (&["distribution"], "--map-by slot fills a host before the next; --map-by node takes the hosts in turn"),
    (&["exclude"], "--host lists the hosts to use"),
    (&["pty"], "PEs have no terminal; -n 2 xterm -e ./a.out starts one for each PE"),
    (&["input", "error"], "redirect the streams of oshrun: < FILE, 2> FILE"),
    (&["time"], "--timeout SECONDS limits the time of the job"),
    (&["gpus-per-node"], "--gpus N gives GPUs to each PE"),
    // aprun.
    (&["t"], "--timeout SECONDS limits the time of the job"),
    (&["sn", "sl"], "--map-by numa spreads PEs over NUMA nodes"),
];

/// The error about the option `shown`, whose name without dashes and value is `name`.
pub fn refusal(command: &Command, shown: &str, name: &str) -> clap::Error {
    let is_other = name.len() == 1 && shown.starts_with("--");
    let advice = ADVICE.iter().find(|(names, _)| names.contains(&name) && !is_other).map(|&(_, advice)| advice);
    let said = match (advice, nearest(command, name)) {
        (Some(advice), _) => format!("oshrun has no option '{shown}': {advice}"),
        // The command is that of a further program.
        _ if super::options::is_of_job(name) => {
            format!("'{shown}' is an option of the whole job: it belongs before the first program")
        }
        (None, Some(near)) => format!("unexpected argument '{shown}' found; did you mean --{near}?"),
        (None, None) => format!("unexpected argument '{shown}' found"),
    };
    command.clone().error(ErrorKind::UnknownArgument, said)
}

/// The long option whose name probably was meant. Short names are close to many words, so one slip is the limit there.
fn nearest(command: &Command, name: &str) -> Option<String> {
    let slips = if name.len() < 8 { 1 } else { 2 };
    let longs = command.get_arguments().filter(|option| !option.is_hide_set()).flat_map(|option| {
        let aliases = option.get_all_aliases().unwrap_or_default();
        option.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
    });
    let near = longs.map(|known| (strsim::osa_distance(&known, name), known));
    near.filter(|(distance, known)| *distance <= slips && known.len() > 3).min().map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use crate::run::options;
    use std::ffi::OsString;

    fn said(line: &str) -> String {
        let error = options::parse(line.split(' ').map(OsString::from)).map(drop).expect_err(line);
        assert!(error.use_stderr() && error.exit_code() == 2, "{line}");
        let text = error.to_string();
        assert!(!text.contains("\n\n\n"), "{line}: {text:?}");
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    }

    #[test]
    fn options_of_other_launchers_have_their_own_sentence() {
        for (line, expected) in [
            (
                "oshrun --rankfile f p",
                "oshrun has no option '--rankfile': --host, --map-by and --bind-to place PEs; there are no rank files",
            ),
            (
                "oshrun -rf f p",
                "oshrun has no option '-rf': --host, --map-by and --bind-to place PEs; there are no rank files",
            ),
            ("oshrun --time=10 p", "oshrun has no option '--time=10': --timeout SECONDS limits the time of the job"),
            ("oshrun -t 10 p", "oshrun has no option '-t': --timeout SECONDS limits the time of the job"),
            ("oshrun --t 10 p", "unexpected argument '--t' found"),
        ] {
            assert_eq!(said(line), expected);
        }
    }

    #[test]
    fn only_slips_of_the_pen_get_a_tip() {
        for (line, expected) in [
            ("oshrun --timout 3 p", "unexpected argument '--timout' found; did you mean --timeout?"),
            ("oshrun -hotss a p", "unexpected argument '-hotss' found; did you mean --hosts?"),
            ("oshrun --hotsfile f p", "unexpected argument '--hotsfile' found; did you mean --hostfile?"),
            ("oshrun --hots a p", "unexpected argument '--hots' found; did you mean --host?"),
            ("oshrun --hind x p", "unexpected argument '--hind' found"),
            ("oshrun --profiler x p", "unexpected argument '--profiler' found; did you mean --profile?"),
            ("oshrun --rankings x p", "unexpected argument '--rankings' found"),
            ("oshrun -z p", "unexpected argument '-z' found"),
            ("oshrun --quite p", "unexpected argument '--quite' found"),
        ] {
            assert_eq!(said(line), expected);
        }
    }

    #[test]
    fn options_of_the_job_belong_before_its_first_program() {
        let expected = "'--timeout' is an option of the whole job: it belongs before the first program";
        assert_eq!(said("oshrun -n 1 a : --timeout 3 -n 1 b"), expected);
        assert_eq!(said("oshrun -n 1 a : b"), "with several programs each needs its own -n N; `b` has none");
    }
}
