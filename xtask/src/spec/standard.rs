//! The pages of the array API standard on all its functions: their paths below a checkout, and the parts that clauses
//! rest on.
//!
//! The other parts do not concern the calls here. A part ends at the next heading of any level, and is named after
//! page and heading. This module does not interpret sentences.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::html::HEADING;
use super::outline::{self, Text, slug};
use super::pages;

/// The function whose own page is another document.
pub(super) const FUNCTION: &str = "vector_norm";

/// The words by which citations name these pages, in lower case.
const CITED: [&str; 3] = ["purpose and scope", "api specification", "design topics"];

/// A page: its path below the folder of a version, without the ending, and the headings of the parts to read.
struct Page {
    path: &'static str,
    headings: &'static [&'static str],
}

/// The pages, in the order of reading.
const PAGES: [Page; 6] = [
    Page { path: "purpose_and_scope", headings: &["In scope", "Out of scope"] },
    Page { path: "API_specification/index", headings: &["API specification"] },
    Page { path: "API_specification/array_object", headings: &["Array object"] },
    Page {
        path: "API_specification/data_types",
        headings: &[
            "Data Types",
            "float32",
            "float64",
            // The note on subnormal numbers stands below the last of the types.
            "complex128",
            "Floating-point Data Types",
            "Real-valued Floating-point Data Types",
        ],
    },
    Page {
        path: "API_specification/type_promotion",
        headings: &["Rules", "Floating-point type promotion table"],
    },
    Page { path: "design_topics/accuracy", headings: &["Arithmetic Operations", "Linear Algebra"] },
];

/// Returns true if a citation names one of these pages.
pub(super) fn is_cited(place: &str) -> bool {
    let place = place.to_lowercase();
    CITED.iter().any(|title| place.contains(title))
}

/// Returns the text of these pages in a version such as `vector_norm-l1-2022.12`, and their folder.
///
/// `files` are the pages below `folder`, which is a checkout or the folder of one version.
///
/// # Errors
/// A page cannot be read.
pub(super) fn below(folder: &Path, files: &[PathBuf], version: &str) -> Result<Option<(PathBuf, Text)>> {
    let year = version.rsplit('-').next().unwrap_or_default();
    let is_its_folder = |base: &Path| base == folder || base.file_name().is_some_and(|name| name == year);
    let mut there: Option<PathBuf> = None;
    let mut parts: Vec<(String, String)> = Vec::new();
    for page in &PAGES {
        let base = |file: &&PathBuf| within(file, page.path).filter(|base| is_its_folder(base));
        // The folder that the user named is accepted for every version.
        let Some(file) = files.iter().find(|file| base(file).is_some()) else { continue };
        there = there.or(base(&file));
        parts.extend(cut(page, &pages::read(file)?));
    }
    let sections = parts.iter().map(|(name, said)| (name.as_str(), said.as_str()));
    Ok(there.map(|folder| (folder, outline::text(version, sections))))
}

/// Returns the folder in which a file has this path, with any ending.
fn within(file: &Path, path: &str) -> Option<PathBuf> {
    let base = file.ancestors().nth(Path::new(path).components().count())?;
    (file.with_extension("") == base.join(path)).then(|| base.to_owned())
}

/// Returns the parts of a page, each with its name.
fn cut(page: &Page, lines: &str) -> Vec<(String, String)> {
    let of_page = page.path.rsplit('/').next().unwrap_or_default().replace('_', "-");
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut is_read = false;
    for line in lines.lines() {
        if let Some(heading) = line.trim_start().strip_prefix(HEADING) {
            let heading = heading.trim().trim_end_matches(['#', '¶']);
            let wanted = page.headings.iter().find(|wanted| wanted.eq_ignore_ascii_case(heading));
            is_read = wanted.is_some();
            parts.extend(wanted.map(|wanted| (format!("{of_page}/{}", slug(wanted)), String::new())));
        } else if let Some((_, said)) = parts.last_mut().filter(|_| is_read) {
            said.push_str(line);
            said.push('\n');
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_page_of_the_function("vector_norm, Parameters, axis", false)]
    #[case::another_page("Purpose and scope, Out of scope", true)]
    #[case::both("vector_norm, Parameters, ord, and design topics, Accuracy", true)]
    fn a_citation_names_its_pages(#[case] place: &str, #[case] is_one: bool) {
        assert_eq!(is_cited(place), is_one);
    }

    #[test]
    fn a_part_ends_at_the_next_heading_of_any_level() {
        let page = Page { path: "of/all_types", headings: &["Types", "f8"] };
        let lines = format!(
            "{HEADING}Types¶\nThere are three.\n{HEADING}f4\nIt is short.\n{HEADING}F8\nIt is long.\nIt is.\n{HEADING}More\nNo."
        );
        let parts = [("all-types/types", "There are three.\n"), ("all-types/f8", "It is long.\nIt is.\n")];
        assert_eq!(cut(&page, &lines), parts.map(|(name, said)| (name.to_owned(), said.to_owned())));
    }

    #[rstest]
    #[case::within("/a/2022.12/topics/accuracy.rst", "topics/accuracy", Some("/a/2022.12"))]
    #[case::another_ending("/a/2022.12/scope.md", "scope", Some("/a/2022.12"))]
    #[case::another_folder("/a/2022.12/others/accuracy.rst", "topics/accuracy", None)]
    #[case::half_a_name("/a/2022.12/my_scope.md", "scope", None)]
    #[case::too_short("scope.md", "topics/scope", None)]
    fn a_page_is_known_by_its_path(#[case] file: &str, #[case] path: &str, #[case] folder: Option<&str>) {
        assert_eq!(within(Path::new(file), path), folder.map(PathBuf::from));
    }
}
