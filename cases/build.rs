//! Lists the files beside it, which the library holds.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::new();
    // The calls that runs kept are not part of the corpus, schemas are for editors, and fingerprints for one check.
    let others = ["clauses", "found", "large", "schema", "sources"].map(OsStr::new);
    for (name, folder, except) in
        [("CASES", here.clone(), &others[..]), ("CLAUSES", here.join("clauses"), &[])]
    {
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        walk(&folder, except, &mut files)?;
        files.sort();
        let _ = writeln!(code, "static {name}: &[CorpusFile] = &[");
        for file in files {
            let words: Vec<_> =
                file.strip_prefix(&here).unwrap_or(&file).iter().map(OsStr::to_string_lossy).collect();
            let (path, file) = (words.join("/"), file.to_str().ok_or(io::ErrorKind::InvalidFilename)?);
            let _ = writeln!(code, "    CorpusFile {{ path: {path:?}, text: include_str!({file:?}) }},");
        }
        code.push_str("];\n");
    }
    fs::write(out.join("files.rs"), code)
}

fn walk(folder: &Path, except: &[&OsStr], files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.file_name().is_some_and(|name| except.contains(&name)) {
                walk(&path, except, files)?;
            }
        } else if path.extension() == Some(OsStr::new("yaml")) {
            files.push(path);
        }
    }
    Ok(())
}
