//! The current text of a source: from a page in a file, the pages below a folder, or an installed package.
//!
//! The result is a text for each requested spec. A page that is not the source is an error, not a source in which
//! everything has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use normative_conformance::display;
use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;
use normative_conformance::reference::Spec;
use serde::Deserialize;

use super::document::Document;
use super::outline::{self, Pages, Text};
use super::pages::{self, Format};
use super::standard;
use normative::backends;

/// The package that defines the ONNX operators, and the backend whose set contains it.
const PACKAGE: (&str, &str) = ("onnx", "onnx-reference");

/// The word for the newest release.
const LATEST: &str = "latest";

/// The script that prints the package's texts.
const SCRIPT: &str = include_str!("onnx_schema.py");

/// The place of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    File(PathBuf),
    Folder(PathBuf),
    /// `onnx`, `onnx@VERSION` or `onnx@latest`.
    Package(Option<String>),
}

/// The text found for a spec.
pub(crate) struct Found {
    pub(crate) spec: Spec,
    pub(crate) document: Document,
    /// The file, or the package and its release.
    pub(crate) at: String,
    /// The text; `None` if the package does not have this version.
    pub(crate) text: Option<Text>,
}

/// Everything that was found.
pub(crate) struct Now {
    pub(crate) found: Vec<Found>,
    /// Versions of the requested operators that are not among the specs.
    pub(crate) others: Vec<String>,
}

impl Against {
    /// Parses an argument: a path if it exists, or else a package.
    ///
    /// # Errors
    /// The argument is neither.
    pub(crate) fn of(argument: &str) -> Result<Self> {
        let path = Path::new(argument);
        let (name, version) = argument.split_once('@').map_or((argument, None), |(name, v)| (name, Some(v)));
        match fs::metadata(path) {
            Ok(is) if is.is_dir() => Ok(Self::Folder(path.to_owned())),
            Ok(_) => Ok(Self::File(path.to_owned())),
            Err(_) if name == PACKAGE.0 => Ok(Self::Package(version.map(str::to_owned))),
            Err(error) => {
                bail!("--against {argument}: expected a page, a folder, onnx or onnx@VERSION: {error}")
            }
        }
    }

    /// Finds the texts of these specs. `is_it` decides if a page with a matching title is the source.
    ///
    /// # Errors
    /// No text is found, or a page cannot be read.
    pub(crate) fn look(&self, specs: &[Spec], is_it: &dyn Fn(&Found) -> Result<()>) -> Result<Now> {
        match self {
            Self::File(file) => {
                let titled = in_page(file, specs)?;
                let (mut found, mut refused) = (Vec::new(), None);
                for one in titled {
                    match is_it(&one) {
                        Ok(()) => found.push(one),
                        Err(error) => refused = Some(error),
                    }
                }
                match refused {
                    _ if !found.is_empty() => Ok(Now { found, others: Vec::new() }),
                    Some(error) => Err(error),
                    None => {
                        let (file, specs) = (file.display(), names(specs));
                        bail!("{file}: expected the page of {specs}, got a page without its title")
                    }
                }
            }
            Self::Folder(folder) => {
                let mut found: Vec<Found> = Vec::new();
                let files = pages_below(folder)?;
                for file in &files {
                    let named: Vec<Spec> =
                        specs.iter().copied().filter(|&spec| may_be(folder, file, spec)).collect();
                    if named.is_empty() {
                        continue;
                    }
                    for one in in_page(file, &named)? {
                        let is_known =
                            |known: &Found| (known.spec, known.document) == (one.spec, one.document);
                        if !found.iter().any(is_known) && is_it(&one).is_ok() {
                            found.push(one);
                        }
                    }
                }
                found.extend(for_all_functions(folder, &files, specs)?.filter(|one| is_it(one).is_ok()));
                if found.is_empty() {
                    bail!(
                        "{}: expected a page of {} below this folder, got none",
                        folder.display(),
                        names(specs)
                    );
                }
                Ok(Now { found, others: Vec::new() })
            }
            Self::Package(version) => in_package(version.as_deref(), specs),
        }
    }
}

fn names(specs: &[Spec]) -> String {
    specs.iter().map(|spec| spec.name()).collect::<Vec<_>>().join(", ")
}

/// Returns the texts of these specs on a page.
fn in_page(file: &Path, specs: &[Spec]) -> Result<Vec<Found>> {
    let page = pages::read(file)?;
    let document = Document::of_page(&page);
    let mut found = Vec::new();
    for kind in [Pages::Onnx, Pages::OpenVino, Pages::Bnns, Pages::ArrayApi, Pages::WebNn, Pages::Blas] {
        let of_it: Vec<Spec> = specs.iter().copied().filter(|&spec| Pages::of(spec) == kind).collect();
        let versions: Vec<&str> = of_it.iter().map(|&spec| display::version(spec)).collect();
        // In these families, one text belongs to several specs.
        let shared = matches!(kind, Pages::ArrayApi | Pages::WebNn);
        let at_once = if shared { 1 } else { versions.len().max(1) };
        for text in versions
            .chunks(at_once)
            .flat_map(|versions| outline::texts(kind.of_document(document), versions, &page))
        {
            let spec = of_it.iter().find(|&&spec| display::version(spec) == text.version);
            let at = file.display().to_string();
            found.extend(spec.map(|&spec| Found { spec, document, at, text: Some(text) }));
        }
    }
    Ok(found)
}

/// Returns the pages on all functions of a standard below a folder, for each of these specs of the array API.
fn for_all_functions(
    folder: &Path,
    files: &[PathBuf],
    specs: &[Spec],
) -> Result<impl Iterator<Item = Found>> {
    let mut found = Vec::new();
    for &spec in specs.iter().filter(|&&spec| Pages::of(spec) == Pages::ArrayApi) {
        if let Some((folder, text)) = standard::below(folder, files, display::version(spec))? {
            let (document, at) = (Document::Standard, folder.display().to_string());
            found.push(Found { spec, document, at, text: Some(text) });
        }
    }
    Ok(found.into_iter())
}

/// Returns true if a file's name fits the page of a spec: `reduce-l1-4.rst`, `ReduceL1_4.md`; for WebNN `index.bs`;
/// for BLAS `dasum.f`, `dnrm2.f90`; for the array API `linalg.py` in `folder` or in that of the version.
fn may_be(folder: &Path, file: &Path, spec: Spec) -> bool {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let version = display::version(spec);
    if Pages::of(spec) == Pages::WebNn {
        return file.ends_with("index.bs");
    }
    if Pages::of(spec) == Pages::Blas {
        let name = version.split('-').next().unwrap_or_default();
        return ["f", "f90"].iter().any(|ending| file.ends_with(format!("d{name}.{ending}")));
    }
    if Pages::of(spec) == Pages::ArrayApi {
        let within = file.parent().unwrap_or(folder);
        let year = version.rsplit('-').next().unwrap_or_default();
        let name = within.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        return file.ends_with("linalg.py") && (within == folder || plain(name) == plain(year));
    }
    let is_python = file.extension().is_some_and(|ending| ending == "py");
    let operator = version.split('-').next().unwrap_or_default();
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    !is_python && stem.is_some_and(|stem| plain(stem).contains(&plain(operator)))
}

/// Lists the pages below a folder, sorted, without hidden folders and links.
fn pages_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = pending.pop() {
        let name = || folder.display().to_string();
        for path in outside::entries(&folder, outside::ENTRIES).with_context(name)? {
            let kind = fs::symlink_metadata(&path).with_context(name)?.file_type();
            let hidden = path.file_name().is_some_and(|own| own.to_string_lossy().starts_with('.'));
            if kind.is_dir() && !hidden {
                pending.push(path);
            } else if kind.is_file() && Format::of(&path).is_some() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The output of the script.
#[derive(Deserialize)]
struct Printed {
    release: String,
    texts: Vec<PrintedText>,
}

#[derive(Deserialize)]
struct PrintedText {
    version: String,
    sections: Vec<PrintedSection>,
}

#[derive(Deserialize)]
struct PrintedSection {
    name: String,
    text: String,
}

/// Lists the releases of the package for this Python and platform, newest first; at least one.
///
/// # Errors
/// The message of Python or its installer.
pub(crate) fn releases() -> Result<Vec<String>> {
    let wanted = backends::find(PACKAGE.1)?.with_context(|| format!("no backend is named {}", PACKAGE.1))?;
    let releases = wanted.releases(false)?.unwrap_or_default();
    if releases.is_empty() {
        bail!("the package index offers no release for this Python and platform");
    }
    Ok(releases)
}

/// Returns the texts of a release of the package, and installs it first if it is missing.
fn in_package(version: Option<&str>, specs: &[Spec]) -> Result<Now> {
    let specs: Vec<Spec> = specs.iter().copied().filter(|&spec| Pages::of(spec) == Pages::Onnx).collect();
    if specs.is_empty() {
        bail!("the package {} says nothing of these specs: expected some of onnx", PACKAGE.0);
    }
    let latest = match version {
        Some(LATEST) => releases()?.into_iter().next(),
        _ => None,
    };
    let version = latest.as_deref().or(version);
    let backend = version.map_or_else(|| PACKAGE.1.to_owned(), |version| format!("{}@{version}", PACKAGE.1));
    let wanted = backends::find(&backend)?.with_context(|| format!("no backend is named {backend}"))?;
    wanted.install()?;
    let operator = |&spec: &Spec| display::version(spec).split('-').next().unwrap_or_default();
    let mut operators: Vec<&str> = specs.iter().map(operator).collect();
    operators.dedup();
    let mut python = Command::new(wanted.program(&backend)?.path);
    python.arg("-c").arg(SCRIPT).args(&operators);
    let bounds = Bounds { within: Duration::from_secs(300), memory: Some(8 << 30), kept: outside::WRITTEN };
    let output = errand(&python, bounds).with_context(|| format!("cannot start the Python of {backend}"))?;
    if !output.status.success() {
        bail!("cannot read the package {}:\n{}", PACKAGE.0, String::from_utf8_lossy(&output.stderr));
    }
    let printed: Printed =
        serde_json::from_slice(&output.stdout).context("cannot read what the package printed")?;
    let at = format!("{} {}", PACKAGE.0, printed.release);
    let text = |text: &PrintedText| {
        let sections = text.sections.iter().map(|section| (section.name.as_str(), section.text.as_str()));
        outline::text(&text.version, sections)
    };
    let of = |&spec: &Spec| {
        let said = printed.texts.iter().find(|text| text.version == display::version(spec));
        Found { spec, document: Document::English, at: at.clone(), text: said.map(text) }
    };
    let known: Vec<&str> = Spec::ALL.iter().map(|&spec| display::version(spec)).collect();
    let others = printed.texts.iter().map(|text| text.version.clone());
    let others = others.filter(|version| !known.contains(&version.as_str())).collect();
    Ok(Now { found: specs.iter().map(of).collect(), others })
}
