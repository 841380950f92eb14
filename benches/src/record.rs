//! The JSON file: everything that a later reader needs to judge the table again.

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::Error;
use crate::machine::Machine;
use crate::probe::Thresholds;
use crate::rows::Row;
use crate::session::Record;

/// A whole session.
#[derive(Serialize)]
pub struct Document<'a> {
    /// What it was measured on.
    pub machine: &'a Machine,
    /// The version of ours.
    pub ours: &'a str,
    /// The version of the peer.
    pub peer: Option<&'a str>,
    /// What near and far meant.
    pub thresholds: Thresholds,
    /// Each job's program and PEs; runs name jobs by their index here.
    pub jobs: Vec<(&'static str, u32)>,
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
