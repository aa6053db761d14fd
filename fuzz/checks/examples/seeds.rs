//! Writes the inputs that fuzzing starts from to `fuzz/corpus/TARGET`, where `cargo fuzz` looks: those in `fuzz/kept`, and texts
//! and records of the cases. Prints the files that are named, if any, as lines of `fuzz/kept` instead.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use normative_conformance::corpus::{self, Corpus, Ledger};
use normative_conformance::run::prepare;
use normative_conformance::session::{Calls, Job, Origin, Recorder, Settings};
use normative_fuzz_checks::kept::inputs;

/// The longest seed, in bytes. libFuzzer makes inputs as long as its longest seed, and tries short ones by the thousand in the time
/// of a long one.
const LONGEST: usize = 4096;

type Seeds = Result<Vec<Vec<u8>>, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let named: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for file in &named {
        println!("{}", fs::read(file)?.escape_ascii());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if named.is_empty() { write(&root) } else { Ok(()) }
}

fn write(root: &Path) -> Result<(), Box<dyn Error>> {
    let corpus = corpus::load(&root.join("cases")).map_err(|errors| format!("{errors:?}"))?;
    let ledger = corpus::load_ledger(&root.join("cases/clauses")).map_err(|errors| format!("{errors:?}"))?;
    for (target, seeds) in [
        ("case_loader", texts(&corpus, &ledger)?),
        ("record_reader", records(root, &corpus, &ledger)?),
        // From what is kept, libFuzzer reaches as much of these as with seeds.
        ("frame_decoder", Vec::new()),
        ("baseline_loader", Vec::new()),
        ("onnx_reader", Vec::new()),
    ] {
        let (kept, folder) = (root.join("fuzz/kept").join(target), root.join("fuzz/corpus").join(target));
        fs::create_dir_all(&folder)?;
        let kept = inputs(&fs::read_to_string(kept.with_extension("txt"))?)?;
        let seeds = seeds.into_iter().filter(|seed| seed.len() <= LONGEST);
        for (at, seed) in kept.into_iter().chain(seeds).enumerate() {
            fs::write(folder.join(format!("seed-{at}")), seed)?;
        }
    }
    Ok(())
}

/// Each case, and each clause, with the head of its file.
fn texts(corpus: &Corpus, ledger: &Ledger) -> Seeds {
    let cases = corpus.cases.iter().map(|case| &*case.file);
    let mut files: Vec<&Path> = cases.chain(ledger.iter().map(|clause| &*clause.file)).collect();
    files.dedup();
    let mut texts = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        let mut parts = text.split("\n  - ");
        let head = parts.next().unwrap_or_default();
        texts.extend(parts.map(|case| format!("{head}\n  - {case}\n").into_bytes()));
    }
    Ok(texts)
}

/// Runs of one case each by ndarray.
fn records(root: &Path, corpus: &Corpus, ledger: &Ledger) -> Seeds {
    let file = root.join("fuzz/corpus/record");
    let (mut records, mut known) = (Vec::new(), None);
    for case in corpus.cases.iter().step_by(20) {
        let mut backend = normative_backend_ndarray::backend();
        let prepared = prepare([case]).map_err(|errors| format!("{errors:?}"))?;
        let job = Job { calls: Calls::none(), ..Job::of(corpus.cases.len(), &prepared) };
        // One for all: it holds a digest of the whole corpus, which takes a while.
        let header = known.get_or_insert_with(|| {
            let (name, again) = ("ndarray".to_owned(), "again".to_owned());
            job.header(
                corpus,
                &backend,
                Settings { name, timeout: 10, memory: None, again, origin: Origin::default() },
            )
        });
        let mut recorder = Recorder::create(file.clone(), header, ledger)?;
        job.judge(&mut backend, Some(&mut recorder), &mut ())?;
        records.push(fs::read(&file)?);
    }
    fs::remove_file(file)?;
    Ok(records)
}
