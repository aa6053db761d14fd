//! Lists the files beside it, which the library holds.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut code = String::new();
    // The finds of hunts are not part of the corpus, and schemas are for editors.
    for (name, folders) in [
        ("CASES", &["array-api", "blas", "bnns", "kernels.yaml", "onnx", "openvino", "webnn"][..]),
        ("CLAUSES", &["clauses"]),
    ] {
        let mut files = Vec::new();
        for folder in folders {
            println!("cargo::rerun-if-changed={folder}");
            walk(&here.join(folder), &mut files)?;
        }
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

fn walk(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            walk(&entry?.path(), files)?;
        }
    } else if path.extension() == Some(OsStr::new("yaml")) {
        files.push(path.to_owned());
    }
    Ok(())
}
