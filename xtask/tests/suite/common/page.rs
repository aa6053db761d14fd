//! Pages of documentation: their blocks, the commands in them, and the output that they show.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub(crate) fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("xtask/Cargo.toml").is_file()).unwrap()
}

/// A block, with the file that the line above it names.
pub(crate) struct Block<'a> {
    /// The line where its text begins, from 1.
    pub(crate) line: usize,
    /// The language; `None` for an indented block.
    pub(crate) language: Option<&'a str>,
    pub(crate) file: Option<&'a str>,
    pub(crate) text: String,
}

/// Returns the blocks of a page, fenced or indented.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut file) = (Vec::new(), None);
    let mut lines = page.lines().zip(1..).peekable();
    while let Some((line, at)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> =
                lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```").collect();
            let text = text.join("\n") + "\n";
            blocks.push(Block { line: at + 1, language: Some(language), file: file.take(), text });
        } else if let Some(first) = line.strip_prefix("    ") {
            let mut text = first.to_owned() + "\n";
            while let Some((line, _)) = lines.next_if(|(line, _)| line.starts_with("    ")) {
                text.push_str(&line[4..]);
                text.push('\n');
            }
            blocks.push(Block { line: at, language: None, file: None, text });
        } else if !line.is_empty() {
            file = line
                .strip_prefix('`')
                .and_then(|line| line.strip_suffix('`'))
                .filter(|line| !line.contains('`'));
        }
    }
    blocks
}

/// A command of a block, and the output that the block shows for it.
pub(crate) struct Command<'a> {
    /// Its line in the block, from 0.
    pub(crate) at: usize,
    pub(crate) text: &'a str,
    pub(crate) shown: Vec<&'a str>,
}

/// Returns the commands of a block that shows their output: the lines after a `$`.
pub(crate) fn commands(text: &str) -> Vec<Command<'_>> {
    let mut commands: Vec<Command<'_>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(text), _) => commands.push(Command { at, text, shown: Vec::new() }),
            (None, Some(Command { shown, .. })) => shown.push(line),
            (None, None) => panic!("a block begins with {line:?}"),
        }
    }
    commands
}

/// Returns true if `line` matches `shown`, in which `…` stands for any text.
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

/// Returns true if the output matches the lines shown, in which a line `…` stands for any number of lines.
pub(crate) fn prints(printed: &[&str], shown: &[&str]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, ["…", rest @ ..]) => (0..=printed.len()).any(|skipped| prints(&printed[skipped..], rest)),
        ([line, lines @ ..], [first, rest @ ..]) => is_shown(line, first) && prints(lines, rest),
        _ => false,
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Returns every file below a folder, by name.
pub(crate) fn files_below(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn below(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, files);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    below(root, root, &mut files);
    files
}

/// Copies the corpus, without a hunt's finds.
pub(crate) fn copy_of_the_cases(to: &Path) -> PathBuf {
    let cases = to.join("cases");
    copy(&root().join("cases"), &cases);
    fs::remove_dir_all(cases.join("found")).ok();
    cases
}

/// Makes a crate like the ndarray backend, except that it refuses the axis -2 of rows of five for f32. Integers are
/// not refused: that would be a reading of a question, and another find.
///
/// Each caller gives its own `package`: workers are built under that name, and tests run in parallel.
pub(crate) fn planted(path: &Path, package: &str) -> PathBuf {
    fs::create_dir_all(path.join("src")).unwrap();
    // A JSON string is also a TOML string.
    let at = |path: &str| serde_json::to_string(root().join(path).to_str().unwrap()).unwrap();
    let manifest = format!(
        "[package]\nname = \"{package}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n
[dependencies]\nnormative-backend = {{ path = {} }}\nnormative-backend-ndarray = {{ path = {} }}\n",
        at("conformance/backend"),
        at("backends/ndarray")
    );
    fs::write(path.join("Cargo.toml"), manifest).unwrap();
    let source = "use normative_backend::reference::{Axes, Call, Dtype};
use normative_backend::{Answer, Backend, Identity};
pub fn backend() -> impl Backend { Planted(Box::new(normative_backend_ndarray::backend())) }
struct Planted(Box<dyn Backend>);
impl Backend for Planted {
    fn identity(&self) -> Identity {
        Identity { name: \"planted\".into(), version: \"1\".into(), report_bugs_to: \"me\".into() }
    }
    fn answer(&mut self, call: &Call) -> Answer {
        match &call.axes {
            Axes::Given(axes) if axes.values == [-2] && call.data.shape().last() == Some(&5) && call.data.dtype() == Dtype::F32 => {
                Answer::Rejected(\"no such axis\".into())
            }
            _ => self.0.answer(call),
        }
    }
}
";
    fs::write(path.join("src/lib.rs"), source).unwrap();
    path.to_owned()
}
