//! `oshmem_info`: reports on this build, on this machine, and on the settings.
//!
//! Each part of the report is a `Section` of rows. How a row is written (for people, or a line for scripts) is decided once, in `report`.

mod bug_report;
mod build;
mod doctor;
mod elf;
mod last_run;
mod loader;
mod memory;
mod replay;
mod report;
mod settings;
mod topology;
mod transports;
mod tuning;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;
use ferrite_os::{error_text, signals::name_file_size_limit};
use ferrite_topology::Machine;

pub(crate) use self::doctor::PE as PE_OF_DOCTOR;
use self::report::{Detail, Section};
use crate::prefix::Prefix;
use crate::stderr::print_line;

/// Show this build of Ferrite, the facilities of this host, and the settings
#[derive(Parser)]
#[command(name = "oshmem_info", disable_version_flag = true)]
struct Options {
    /// Show everything: also paths, and the meaning, accepted values and other names of each setting
    #[arg(long, short)]
    all: bool,

    /// Show which algorithm each collective would use on this host, and why
    #[arg(long)]
    tuning: bool,

    /// Show only the transports: all that were considered on this host, and why each is used or not
    #[arg(long)]
    transports: bool,

    #[command(flatten)]
    topology: topology::Wishes,

    #[command(flatten)]
    doctor: doctor::Examination,

    #[command(flatten)]
    replay: replay::Replay,

    /// Show the last calls of each PE of the last run of oshrun, and where it made them; also of PEs that died
    #[arg(long)]
    last_run: bool,

    /// Print one "key:value" line for each fact, for scripts
    #[arg(long)]
    parsable: bool,

    /// Print one directory of the installation: prefix, bindir, libdir, incdir, pkglibdir, pkgconfigdir, cmakedir,
    /// datadir; or all of them
    #[arg(long, value_name = "KIND")]
    path: Option<String>,

    /// Print the version
    #[arg(long, short = 'V')]
    version: bool,
}

/// Run the command with this process's arguments.
pub fn main() -> ExitCode {
    let options = Options::parse();
    if options.doctor.doctor_pe {
        return doctor::be_a_pe();
    }
    let write = |text: String| match io::stdout()
        .write_all(error_text::plain(&text).as_bytes())
        .and_then(|()| io::stdout().flush())
    {
        // A reader that closes the pipe early has read enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write standard output: {}", name_file_size_limit(error)))
        }
        _ => Ok(()),
    };
    let outcome =
        if options.doctor.doctor { examine(&options) } else { answer(&options).and_then(write).map(|()| true) };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            print_line(format_args!("oshmem_info: {why}"));
            ExitCode::FAILURE
        }
    }
}

/// Run the doctor, and write the report of a bug if one is wanted. True if nothing is broken, or if the reader has closed the pipe.
fn examine(options: &Options) -> Result<bool, String> {
    let report = options.doctor.report.as_deref().map(bug_report::BugReport::begin).transpose()?;
    let findings = match doctor::examine(&options.doctor, options.parsable) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(true),
        outcome => outcome.map_err(|error| format!("cannot write standard output: {error}"))?,
    };
    if let Some(report) = report {
        report.write(&installation()?, &findings.lines)?;
    }
    Ok(findings.are_good)
}

fn installation() -> Result<Prefix, String> {
    Prefix::of_this_program().map_err(|error| format!("cannot find out where this program is installed: {error}"))
}

/// The sections of the report without options.
fn sections(prefix: &Prefix) -> [Section; 6] {
    let machine = Machine::probe();
    [
        build::section(),
        build::paths(prefix),
        transports::section(&machine),
        memory::section(),
        topology::section(&machine),
        settings::section(),
    ]
}

fn answer(options: &Options) -> Result<String, String> {
    let prefix = installation()?;
    if options.version {
        return Ok(format!("{}\n", build::title()));
    }
    let detail = if options.all || options.parsable { Detail::All } else { Detail::Short };
    if let Some(kind) = &options.path {
        let paths = build::paths(&prefix);
        let section = Section { rows: paths.only(kind)?, ..paths };
        let bare = kind != "all" && !options.parsable;
        return Ok(if bare { section.values() } else { section.write(options.parsable, Detail::All) });
    }
    if options.tuning {
        return Ok(tuning::section()?.write(options.parsable, detail));
    }
    if options.transports {
        return Ok(transports::section(&Machine::probe()).write(options.parsable, Detail::All));
    }
    if options.last_run {
        return last_run::report();
    }
    if options.replay.alone() {
        return options.replay.report();
    }
    if options.topology.alone() {
        return Ok(options.topology.section(&prefix)?.write(options.parsable, detail));
    }
    Ok(sections(&prefix).iter().map(|section| section.write(options.parsable, detail)).collect())
}
