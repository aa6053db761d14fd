//! x
use normative_conformance::cases::load;
use normative_conformance::run::prepare;
use normative_zoo::bench::Bench;
use std::path::Path;
#[test]
fn honest() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let t = std::time::Instant::now();
    let bench = Bench::new(prepare(&corpus.cases).unwrap());
    eprintln!("prep {:?}", t.elapsed());
    let n: usize = corpus.cases.iter().map(|c| c.call.data.len()).sum();
    eprintln!("elements {n}");
    let zoo = normative_zoo::honest();
    let t = std::time::Instant::now();
    let trials = bench.trials(&zoo, |h| Box::new(h.backend()));
    eprintln!("{} in {:?}", zoo.len(), t.elapsed());
    for (h, t) in zoo.iter().zip(&trials) {
        let mut bad = vec![];
        for (p, r) in &t.profile {
            let steps = normative_zoo::steps::Readings(h.readings.clone());
            if *r != vec![steps.of(p.question)] {
                bad.push(format!("{} {} {:?} {:?}", p.spec, p.question, p.dtype, r));
            }
        }
        for c in &h.readings {
            if !t.profile.iter().any(|(p, r)| p.question == c.question && r.contains(&c.reading)) {
                bad.push(format!("not shown {c}"));
            }
        }
        if !t.conforms || !bad.is_empty() {
            eprintln!(
                "{} {} {} {}/{} kills {:?} bad {:?}",
                h.name,
                h.does,
                t.conforms,
                t.tally.conforms,
                t.tally.run,
                t.kills.iter().take(6).map(|&k| &bench.case(k).name).collect::<Vec<_>>(),
                bad
            );
        }
    }
}

#[test]
fn mutants() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let bench = Bench::new(prepare(&corpus.cases).unwrap());
    let zoo = normative_zoo::mutants();
    let t = std::time::Instant::now();
    let trials = bench.trials(&zoo, |h| Box::new(h.backend()));
    eprintln!("{} in {:?}", zoo.len(), t.elapsed());
    for (m, t) in zoo.iter().zip(&trials) {
        let clauses: std::collections::BTreeMap<_, usize> =
            t.kills.iter().fold(Default::default(), |mut b, &k| {
                *b.entry(bench.case(k).clauses[0].name.clone()).or_default() += 1;
                b
            });
        let right = clauses.keys().any(|c| m.breaks.contains(&c.as_str()));
        let specs: std::collections::BTreeMap<String, usize> =
            t.kills.iter().fold(Default::default(), |mut b, &k| {
                *b.entry(bench.case(k).call.spec().to_string()).or_default() += 1;
                b
            });
        eprintln!(
            "{}{} {:?} {} kills {} {:?} CL {:?}",
            if t.kills.is_empty() { "SURVIVES " } else { "" },
            if right { "" } else { "WRONGREASON " },
            m.family,
            m.name,
            t.kills.len(),
            specs
                .iter()
                .map(|(s, n)| format!(
                    "{}:{n}",
                    s.replace("onnx/Reduce", "o")
                        .replace("openvino/Reduce", "ov")
                        .replace("bnns/computeNorm", "b")
                ))
                .collect::<Vec<_>>()
                .join(" "),
            clauses
        );
    }
}
