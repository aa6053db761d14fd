//! A run's record as it is written, and what an earlier run left of it.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use normative_conformance::report::record::{self, Entry, Header, Line, Probe, Record};

use crate::runner::target_directory;
use crate::select::workspace_root;

/// A record being written.
pub(crate) struct Recorder {
    path: PathBuf,
    file: File,
    /// Answers of an earlier run to the first cases.
    pub(crate) cases: Vec<Entry>,
    /// Answers of an earlier run to the first generated calls.
    pub(crate) calls: Vec<Entry>,
    /// Answers of an earlier run to the calls that tell why others were refused.
    pub(crate) probes: Vec<Probe>,
}

impl Recorder {
    /// A record of a run of this header, or what is missing of one that is there. To go on, the headers have to be
    /// the same in everything, the machine and the options included: the record says of all its answers that they
    /// came about in one way. Whoever has several machines makes parts of a run.
    pub(crate) fn open(path: PathBuf, header: &Header, resume: bool) -> Result<Self> {
        let name = || path.display().to_string();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(name)?;
        }
        if resume {
            let Record { header: earlier, cases, calls, probes, end, length, .. } = read(&path)?;
            if earlier != *header {
                bail!("{}: that run was of something else: {}", name(), difference(&earlier, header));
            }
            if end.is_some_and(|end| end.complete) {
                bail!("{}: that run is complete; cargo xtask report show {}", name(), name());
            }
            // What was cut off, or said that it was stopped, is written over.
            let file = OpenOptions::new().append(true).open(&path).with_context(name)?;
            file.set_len(length).with_context(name)?;
            return Ok(Self { path, file, cases, calls, probes });
        }
        let file = File::create(&path).with_context(name)?;
        let (cases, calls, probes) = (Vec::new(), Vec::new(), Vec::new());
        let mut recorder = Self { path, file, cases, calls, probes };
        recorder.write(&Line::Run(header.clone()))?;
        Ok(recorder)
    }

    /// Adds a line, whole or not at all as far as this process decides.
    pub(crate) fn write(&mut self, line: &Line) -> Result<()> {
        let mut text = Vec::new();
        let written = record::write(&mut text, line).and_then(|()| self.file.write_all(&text));
        written.with_context(|| self.path.display().to_string())
    }
}

/// Reads the record of one run.
pub(crate) fn read(path: &Path) -> Result<Record> {
    record::read(open(path)?).with_context(|| path.display().to_string())
}

/// Reads the records of runs that stand one after another.
pub(crate) fn read_all(path: &Path) -> Result<Vec<Record>> {
    record::read_all(open(path)?).with_context(|| path.display().to_string())
}

fn open(path: &Path) -> Result<BufReader<File>> {
    let name = || path.display().to_string();
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("{}: there is no record of a run", name()),
        _ => anyhow::Error::new(error).context(name()),
    })?;
    Ok(BufReader::new(file))
}

/// Where the record of a run of this backend goes, unless somebody says.
pub(crate) fn usual_path(backend: &str) -> Result<PathBuf> {
    let plain: String = backend
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' })
        .collect();
    let target = target_directory(workspace_root())?;
    Ok(target.join("normative-runs").join(format!("{}.ndjson", plain.trim_matches(['-', '.']))))
}

/// Where the record of a run that asks little goes: into a folder of its own, so that it never replaces that of a full run.
pub(crate) fn path_apart(folder: &str, backend: &str) -> Result<PathBuf> {
    let usual = usual_path(backend)?;
    let name = usual.file_name().context("a record without a name")?;
    Ok(usual.with_file_name(folder).join(name))
}

/// The first thing that differs between two headers.
fn difference(earlier: &Header, now: &Header) -> String {
    let of = |header: &Header| serde_json::to_value(header).unwrap_or_default();
    let (earlier, now) = (of(earlier), of(now));
    let differs = |(key, value): &(&String, &serde_json::Value)| earlier.get(key.as_str()) != Some(*value);
    let fields = now.as_object().into_iter().flatten();
    let found = fields.into_iter().find(differs);
    found.map_or_else(String::new, |(key, value)| {
        format!("{key} was {}, is {value}", earlier.get(key).unwrap_or(&serde_json::Value::Null))
    })
}
