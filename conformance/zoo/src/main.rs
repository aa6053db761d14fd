//! x
use normative_zoo::bench::Bench;
use normative_conformance::cases::load;
use normative_conformance::run::prepare;
use std::path::Path;
fn main() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let t = std::time::Instant::now();
    let bench = Bench::new(prepare(&corpus.cases).unwrap());
    eprintln!("prep {:?}", t.elapsed());
    let zoo = normative_zoo::mutants();
    let t = std::time::Instant::now();
    let trials = bench.trials(&zoo, |h| Box::new(h.backend()));
    eprintln!("{} in {:?}", trials.len(), t.elapsed());
    let zoo = normative_zoo::honest();
    let t = std::time::Instant::now();
    let trials = bench.trials(&zoo, |h| Box::new(h.backend()));
    eprintln!("{} in {:?}", trials.len(), t.elapsed());
}
