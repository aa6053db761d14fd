//! The format of a report: the options that every command with a report has.
//!
//! Every format is a pure function of the reports, the clause ledger and the commands that repeat the runs. Only text
//! for a terminal is laid out by `screen`.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::display::grouped;
use normative_conformance::outside;
use normative_conformance::report::defects::PAIR;
use normative_present::column::Column;
use normative_present::matrix;
use normative_present::terminal::Detail;
use normative_present::{badge, json, junit, markdown, page, terminal};

use crate::progress::Progress;
use crate::{home, provenance, screen};

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Format {
    /// Text.
    #[default]
    Terminal,
    /// For the summary of a CI job.
    Markdown,
    /// One page for a browser.
    Html,
    /// The matrix of that page as a picture.
    Svg,
    /// For CI systems that count tests.
    Junit,
    /// For shields.io.
    Badge,
    /// For other programs.
    Json,
}

/// All formats, by name.
const FORMATS: [(&str, Format); 7] = [
    ("terminal", Format::Terminal),
    ("markdown", Format::Markdown),
    ("junit", Format::Junit),
    ("html", Format::Html),
    ("svg", Format::Svg),
    ("badge", Format::Badge),
    ("json", Format::Json),
];

/// The parsed options.
pub struct Output {
    format: Format,
    all: bool,
}

impl Output {
    /// Returns the options.
    pub fn options() -> [Arg; 2] {
        let named =
            |name: String| FORMATS.into_iter().find(|(known, _)| *known == name).unwrap_or_default().1;
        [
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(FORMATS.map(|(name, _)| name)).map(named))
                .help("Show the report like this [default: terminal]"),
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Show every failure, whole tables, and more than a screen (of the terminal format)"),
        ]
    }

    /// Reads the options.
    pub fn of(matches: &ArgMatches) -> Self {
        let format = matches.get_one("format").copied().unwrap_or_default();
        Self { format, all: matches.get_flag("all") }
    }

    /// Returns true if the text has a defect for every failure, however few they are.
    pub fn shows_defects_alone(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns true if the report may be read elsewhere, so commands in it must not depend on this machine.
    pub fn is_for_others(&self) -> bool {
        self.format != Format::Terminal
    }

    /// Writes one report. `show` is the command that makes it again from a record; without it, the run is repeated.
    ///
    /// # Errors
    /// The text cannot be written.
    pub fn write_one(
        &self,
        column: &Column<'_>,
        show: Option<&str>,
        corpus: &Corpus,
        ledger: &Ledger,
    ) -> Result<()> {
        self.write(std::slice::from_ref(column), show, corpus, ledger)
    }

    /// Writes one report, or several side by side.
    ///
    /// # Errors
    /// The format cannot show several reports, or the text cannot be written.
    pub fn write(
        &self,
        columns: &[Column<'_>],
        show: Option<&str>,
        corpus: &Corpus,
        ledger: &Ledger,
    ) -> Result<()> {
        // A path of this machine says nothing to others, and a text that is piped or kept may go to them.
        let elsewhere = format!("{} report show FILE", home::program());
        let is_here = !self.is_for_others() && io::stdout().is_terminal();
        let again = columns.first().map_or("", |column| &column.again);
        let show = show.map_or(again, |show| if is_here { show } else { &elsewhere });
        let whole = format!("{show} --all | less");
        let detail = if self.all { Detail::All } else { Detail::Brief(&whole) };
        let reports = columns.iter().map(|column| &column.report).filter(|report| report.grouped.is_none());
        let failures: usize = reports.map(|report| report.severities().values().sum::<usize>()).sum();
        let step = (failures > PAIR)
            .then(|| Progress::step(format!("grouping {} failures", grouped(failures)), None));
        let text = rendered(self, columns, detail, corpus, ledger)?;
        if let Some(step) = step {
            step.finish();
        }
        match self.format {
            Format::Terminal => print(&screen::for_stdout(&text, &format!("{show} | less"), self.all)),
            _ => print(&text),
        }
    }
}

/// Renders the reports in the format of the options.
fn rendered(
    output: &Output,
    columns: &[Column<'_>],
    detail: Detail<'_>,
    corpus: &Corpus,
    ledger: &Ledger,
) -> Result<String> {
    let mut text = String::new();
    match output.format {
        Format::Terminal => match columns {
            [column] => terminal::write(&mut text, column, ledger, detail)?,
            columns => matrix::write(&mut text, columns)?,
        },
        Format::Markdown => markdown::write(&mut text, columns, ledger)?,
        Format::Junit => junit::write(&mut text, columns, ledger)?,
        Format::Html => {
            page::write(&mut text, columns, ledger, &provenance::made_by(corpus))?;
        }
        Format::Svg => page::picture::write(&mut text, columns)?,
        Format::Badge => badge::write(&mut text, columns)?,
        Format::Json => json::write(&mut text, columns, corpus, ledger)?,
    }
    Ok(text)
}

/// Writes text to standard output. A closed pipe (`| head`) is not an error: the reader has read enough.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Returns the option that names a folder to fill.
pub fn output_folder() -> Arg {
    Arg::new("output")
        .long("output")
        .value_name("DIR")
        .required(true)
        .value_parser(clap::value_parser!(PathBuf))
        .help("Write into this folder, which must be empty or not be there")
}

/// Writes a file, and the folders that it is in.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent.and_then(|()| std::fs::write(path, bytes)).with_context(|| path.display().to_string())
}

/// Makes a folder to write into, and refuses one that is not empty.
pub fn fresh_folder(path: &Path) -> Result<()> {
    let name = || path.display().to_string();
    std::fs::create_dir_all(path).with_context(name)?;
    if !outside::entries(path, outside::ENTRIES).with_context(name)?.is_empty() {
        bail!("{}: expected an empty folder, or none", name());
    }
    Ok(())
}
