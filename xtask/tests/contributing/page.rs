//! What a page shows: blocks, the commands in them, and whether something printed is what is shown.

/// A block, with the file that is named in the line above it.
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    pub(crate) file: Option<&'a str>,
    pub(crate) text: String,
}

pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut file) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { language, file: file.take(), text: text.join("\n") + "\n" });
        } else if !line.is_empty() {
            file = line
                .strip_prefix('`')
                .and_then(|line| line.strip_suffix('`'))
                .filter(|line| !line.contains('`'));
        }
    }
    blocks
}

/// Commands, each with the lines it is shown to print.
pub(crate) fn commands(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ cargo xtask "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => panic!("a block begins with {line:?}"),
        }
    }
    commands
}

/// Whether `line` is what is shown, `…` standing for anything.
pub(crate) fn is_shown(line: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or("")) else { return false };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || shown.ends_with('…')
}

/// Whether what was printed is what is shown, a line `…` standing for any number of lines.
pub(crate) fn prints(printed: &[&str], shown: &[&str]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, ["…", rest @ ..]) => (0..=printed.len()).any(|skipped| prints(&printed[skipped..], rest)),
        ([line, lines @ ..], [first, rest @ ..]) => is_shown(line, first) && prints(lines, rest),
        _ => false,
    }
}

/// `text` with the changes that a block shows: in each hunk, after a line `@@`, the lines that stay and go are
/// looked for as they stand, and have to be there once.
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
