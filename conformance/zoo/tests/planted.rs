//! Whether failures are grouped by cause: planted mistakes, one and several at once.
//!
//! The thresholds of the grouping were chosen on other mutants and other combinations than a plain run tries.
//! `NORMATIVE_PLANTED=all` tries every mutant and 300 combinations.

use std::path::Path;

use normative_conformance::corpus::load;
use normative_conformance::parallel::each;
use normative_conformance::reference::{Family, Spec};
use normative_conformance::run::prepare;
use normative_zoo::planted::{Ground, Outcome};
use normative_zoo::{Mutant, mutants};

/// How many generated calls are asked beside the cases.
const CALLS: usize = 3000;

/// What came of some sets of mistakes.
#[derive(Debug, Default)]
struct Count {
    /// Sets in which every mistake shows alone somewhere.
    counted: usize,
    /// Those among them with as many groups as mistakes.
    right: usize,
    /// Those with no more than twice as many.
    near: usize,
    failures: usize,
    /// Failures that share a cause with most of their group.
    pure: usize,
}

fn count(ground: &Ground, sets: &[Vec<Mutant>]) -> Count {
    let outcomes = each(sets, |mutants| ground.outcome(mutants));
    let mut count = Count::default();
    for (mutants, outcome) in sets.iter().zip(&outcomes) {
        // One that another hides, or that only a call of a thousand shows, cannot be told apart.
        if outcome.failures == 0 || outcome.planted < mutants.len() {
            continue;
        }
        count.counted += 1;
        count.failures += outcome.failures;
        count.pure += outcome.pure;
        count.near += usize::from(outcome.groups.len() <= 2 * mutants.len());
        if outcome.groups.len() == mutants.len() {
            count.right += 1;
        } else {
            show(mutants, outcome);
        }
    }
    count
}

fn show(mutants: &[Mutant], outcome: &Outcome) {
    println!("{:?}", mutants.iter().map(|mutant| mutant.name).collect::<Vec<_>>());
    for (group, causes) in outcome.groups.iter().zip(&outcome.causes) {
        let condition: Vec<String> = group.condition.iter().map(ToString::to_string).collect();
        let (failures, conforming) = (group.failures.len(), group.conforming);
        println!("    {failures} fail, {conforming} conform: {} {causes:?}", condition.join(", "));
    }
}

/// Sets of two to four mutants, drawn from a seed.
fn combinations(all: &[Mutant], many: usize, seed: u64) -> Vec<Vec<Mutant>> {
    let mut state = seed;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    (0..many).map(|at| (0..2 + at % 3).map(|_| all[draw(all.len())]).collect()).collect()
}

/// Where the rows of the families begin that came after the sample was chosen.
const FIRST_OF_LATER_FAMILIES: &str = "none-means-the-last-axis";

#[test]
fn failures_are_grouped_by_their_cause() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let prepared = prepare(&corpus.cases).unwrap();
    // A sample that changes with every row added says nothing of what a change of grouping does: rows of later families,
    // and calls of the last, are left out of it, unless all are tried.
    let everything = std::env::var_os("NORMATIVE_PLANTED").is_some();
    let specs: Vec<Spec> =
        Spec::ALL.into_iter().filter(|spec| everything || spec.family() != Family::Blas).collect();
    let asked = prepared.iter().filter(|one| specs.contains(&one.case.call.spec()));
    let ground = Ground::new(asked, &specs, CALLS).unwrap();
    let later = mutants().iter().position(|mutant| mutant.name == FIRST_OF_LATER_FAMILIES).unwrap();
    let all = if everything { mutants() } else { mutants()[..later].to_vec() };
    let (first, step, many) = if everything { (0, 1, 300) } else { (5, 28, 12) };
    let singles: Vec<Vec<Mutant>> =
        all.iter().skip(first).step_by(step).map(|mutant| vec![*mutant]).collect();
    let single = count(&ground, &singles);
    println!("one mistake: {single:?}");
    let several = count(&ground, &combinations(&all, many, 11));
    println!("several: {several:?}");
    assert!(single.counted * 5 >= singles.len() * 4, "{single:?}");
    assert!(single.right * 4 >= single.counted * 3, "{single:?}");
    assert!(several.right * 4 >= several.counted, "{several:?}");
    assert!(several.near * 5 >= several.counted * 4, "{several:?}");
    for Count { pure, failures, .. } in [single, several] {
        assert!(pure * 100 >= failures * 97, "{pure} of {failures}");
    }
}
