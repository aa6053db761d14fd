use normative_conformance::hunt::*;
use normative_conformance::{Backend, Demands, display};
use normative_conformance::reference::Spec;
use normative_conformance::generate::Profile;
use normative_conformance::cases::{load_ledger, write};
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let only = std::env::args().nth(2);
    let ledger = load_ledger(std::path::Path::new("cases/clauses")).unwrap();
    let t = std::time::Instant::now();
    for m in normative_zoo::mutants() {
        if only.as_ref().is_some_and(|o| o != m.name) { continue }
        let start = || Ok(Box::new(m.backend()) as Box<dyn Backend>);
        let plan = Plan { seed: 1, specs: Spec::ALL.to_vec(), profiles: Profile::ALL.to_vec(), calls: Some(20480), deadline: None, finds: Some(n), jobs: 2 };
        let t1 = std::time::Instant::now();
        let c = hunt(&plan, &[Subject { start: &start, demands: Demands::default() }], |_| {}).unwrap();
        let ms = t1.elapsed().as_millis();
        println!("{} calls {} finds {} {ms} ms", m.name, c.calls, c.finds.len());
        for f in &c.finds {
            println!("   {} complete {} seen {} id {}", found::id(f), f.complete, f.seen, f.id);
            for call in f.evidence.calls() { println!("      {} {}", display::call(call), display::data(&call.data)); }
            match found::cases(f, &found::id(f), &ledger) {
                Ok(cases) => if only.is_some() { println!("{}", write::file("x", &cases)) },
                Err(e) => println!("      NO CASE {e}"),
            }
        }
    }
    println!("total {:?}", t.elapsed());
}
