//! Diffs as a page shows them: context, removed and added lines, without line numbers.

/// Applies the diff of a block to `text`. In each hunk, after a line `@@`, the context and removed lines must occur
/// exactly once.
pub(crate) fn patched(text: &str, diff: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = text.lines().collect();
    for hunk in diff.split("@@\n").filter(|hunk| !hunk.is_empty()) {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for line in hunk.lines() {
            match line.split_at_checked(1) {
                Some((" ", line)) => {
                    old.push(line);
                    new.push(line);
                }
                Some(("-", line)) => old.push(line),
                Some(("+", line)) => new.push(line),
                None => {
                    old.push("");
                    new.push("");
                }
                Some(_) => return Err(format!("{line:?} begins with none of ' ', '-' and '+'")),
            }
        }
        let at: Vec<usize> =
            (0..lines.len()).filter(|&at| !old.is_empty() && lines[at..].starts_with(&old)).collect();
        let [at] = at.as_slice() else {
            return Err(format!("is there {} times:\n{}", at.len(), old.join("\n")));
        };
        lines.splice(*at..at + old.len(), new);
    }
    Ok(lines.join("\n") + "\n")
}
