//! Checks that the links of a Markdown page lead to an existing file and heading.
//!
//! Links to other sites are not checked.

use normative_conformance::outside;

use std::collections::BTreeMap;
use std::path::Path;

/// Returns the broken links of the page `file`, each with the reason.
pub(super) fn broken(root: &Path, file: &Path, text: &str) -> Vec<String> {
    let folder = root.join(file);
    let folder = folder.parent().unwrap_or(root);
    let broken = |target: &str| {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        let there = folder.join(path);
        if !path.is_empty() && !there.exists() {
            return Some(format!("links to {path}, which is not there"));
        }
        let has = match (path, heading) {
            (_, "") => true,
            ("", heading) => headings(text).iter().any(|known| known == heading),
            // Anchors in files that are not Markdown, such as lines of code, are not checked.
            (path, _) if Path::new(path).extension().is_none_or(|ending| ending != "md") => true,
            (_, heading) => {
                let page = outside::text(&there, outside::WRITTEN).unwrap_or_default();
                headings(&page).iter().any(|known| known == heading)
            }
        };
        (!has).then(|| format!("links to {target}, and there is no such heading"))
    };
    targets(text).into_iter().filter_map(broken).collect()
}

/// Returns the targets of links within the repository.
fn targets(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://") && !target.is_empty()).collect()
}

/// Returns the headings of a page as links name them.
fn headings(text: &str) -> Vec<String> {
    let (mut headings, mut seen, mut in_fence) = (Vec::new(), BTreeMap::new(), false);
    for line in text.lines() {
        in_fence ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        let Some(title) = title.strip_prefix(' ').filter(|_| line.starts_with('#') && !in_fence) else {
            continue;
        };
        let name = slug(title);
        let times: &mut usize = seen.entry(name.clone()).or_default();
        headings.push(if *times == 0 { name } else { format!("{name}-{times}") });
        *times += 1;
    }
    headings
}

/// Returns a heading's anchor as on GitHub: lower-case letters, digits, '-' and '_', with '-' for a blank.
fn slug(title: &str) -> String {
    let kept = title.trim().chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::words("In your own CI", "in-your-own-ci")]
    #[case::code("The `axes` of a call", "the-axes-of-a-call")]
    #[case::signs("ONNX Runtime 1.31.1, CPU", "onnx-runtime-1311-cpu")]
    #[case::kept("a_b - c", "a_b---c")]
    fn a_heading_is_named_as_links_name_it(#[case] title: &str, #[case] name: &str) {
        assert_eq!(slug(title), name);
    }

    #[test]
    fn headings_of_one_title_are_counted_and_comments_in_a_fence_are_none() {
        let page = "# One\n\n## Two\n\n```sh\n# no heading\n```\n\n## Two\n\n#no heading either\n";
        assert_eq!(headings(page), ["one", "two", "two-1"]);
    }
}
