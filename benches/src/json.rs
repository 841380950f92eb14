//! The JSON file. It holds every run, so that a later reader can judge the table again.

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::Error;
use crate::catalog::Job;
use crate::distance::Thresholds;
use crate::installation::Installation;
use crate::machine::Machine;
use crate::record::Record;
use crate::rows::Row;

/// A whole session.
#[derive(Serialize)]
pub struct Document<'a> {
    /// What it was measured on.
    pub machine: &'a Machine,
    /// What was measured, and how its launcher was called.
    pub ours: &'a Installation,
    /// What it was compared with.
    pub peer: Option<&'a Installation>,
    /// What near and far meant.
    pub thresholds: Thresholds,
    /// How often each side was to run each job.
    pub rounds: u32,
    /// Each job, with its binding and arguments; runs name jobs by their index here.
    pub jobs: &'a [Job],
    /// The table.
    pub rows: &'a [Row],
    /// Every single run.
    pub record: &'a Record,
}

impl Document<'_> {
    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self)?;
        write(path, &(text + "\n"))
    }
}

/// Writes a text file, naming it when that fails.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()).into())
}
