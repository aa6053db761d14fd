//! Tests that failures are grouped by cause: planted mistakes, one and several at once.
//!
//! `normative_zoo::planted` defines planted, hidden and pure. The thresholds of grouping were chosen on other
//! mutants and combinations than this test tries. A real mistake is seldom a known rule, so each set is also
//! grouped without the rules that answer as one of its mistakes. `NORMATIVE_PLANTED=all` tries every mutant
//! and 300 combinations.

use std::collections::BTreeSet;
use std::path::Path;

use normative_conformance::corpus::load;
use normative_conformance::parallel::each;
use normative_conformance::reference::{Family, Norm, Spec};
use normative_conformance::run::prepare;
use normative_zoo::mutants;
use normative_zoo::planted::{Ground, GroupingOutcome, Mistake};

/// The number of generated calls beside the cases.
const CALLS: usize = 3000;

/// The results of some sets of mistakes.
#[derive(Debug, Default)]
struct Count {
    /// Sets in which every mistake has a failure of its own.
    counted: usize,
    /// Sets in which one mistake hides another.
    hidden: usize,
    /// Counted sets with as many groups as mistakes.
    right: usize,
    /// Counted sets with at most twice as many.
    near: usize,
    /// Sets with more groups than mistakes.
    over: usize,
    failures: usize,
    /// Failures that have the most frequent cause of their group.
    pure: usize,
    /// Failures on which the mutant that fails on most of their group would fail alone.
    shared: usize,
}

/// The required shares, in percent.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// Single mistakes that form one group.
    one: usize,
    /// Combinations that form as many groups as mistakes.
    several: usize,
    /// Failures on which the mutant that fails on most of their group would fail alone.
    shared: usize,
}

/// The requirements with the mistakes among the known rules, and without them.
const RIGHT: [(Catalogue, Wanted); 2] = [
    (Catalogue::All, Wanted { one: 95, several: 80, shared: 98 }),
    (Catalogue::Others, Wanted { one: 75, several: 25, shared: 96 }),
];

/// The wrong rules that grouping knows.
#[derive(Clone, Copy, Debug)]
enum Catalogue {
    /// All that are tried, including the mistakes of the implementation.
    All,
    /// Those whose answers differ from each mistake's.
    Others,
}

fn count(ground: &Ground, mistakes: &[Mistake], sets: &[Vec<usize>], catalogue: Catalogue) -> Count {
    let of = |set: &[usize]| -> Vec<&Mistake> { set.iter().map(|&at| &mistakes[at]).collect() };
    let rules = |planted: &[&Mistake]| -> Vec<&Mistake> {
        let known = |rule: &&Mistake| match catalogue {
            Catalogue::All => true,
            Catalogue::Others => !planted.iter().any(|planted| planted.answers_as(rule)),
        };
        mistakes.iter().filter(known).collect()
    };
    let outcomes = each(sets, |set| {
        let planted = of(set);
        ground.outcome(&planted, &rules(&planted))
    });
    let mut count = Count::default();
    for (set, outcome) in sets.iter().zip(&outcomes) {
        if !outcome.hidden.is_empty() {
            count.hidden += 1;
        }
        // A hidden mistake, or one without a failure, cannot be grouped.
        if outcome.failures == 0 || !outcome.hidden.is_empty() {
            continue;
        }
        count.counted += 1;
        count.failures += outcome.failures;
        count.pure += outcome.pure;
        count.shared += outcome.shared;
        count.near += usize::from(outcome.groups.len() <= 2 * outcome.planted);
        count.over += usize::from(outcome.groups.len() > outcome.planted);
        if outcome.groups.len() == outcome.planted {
            count.right += 1;
        } else {
            show(&of(set), outcome);
        }
    }
    count
}

fn show(mistakes: &[&Mistake], outcome: &GroupingOutcome) {
    println!("{:?}", mistakes.iter().map(|mistake| mistake.mutant().name).collect::<Vec<_>>());
    for (group, causes) in outcome.groups.iter().zip(&outcome.causes) {
        let condition: Vec<String> = group.condition.iter().map(ToString::to_string).collect();
        let (failures, conforming) = (group.failures.len(), group.conforming.len());
        let causes = causes.iter().map(|(name, ways)| format!("{name} {}", ways.values().sum::<usize>()));
        let causes: Vec<String> = causes.collect();
        println!("    {failures} fail, {conforming} conform: {} {causes:?}", condition.join(", "));
    }
}

/// Draws sets of two to four mutants from a seed.
fn combinations(all: usize, many: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut state = seed;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    (0..many).map(|at| (0..2 + at % 3).map(|_| draw(all)).collect()).collect()
}

/// The first row of the families that were added after the sample was chosen.
const FIRST_OF_LATER_FAMILIES: &str = "none-means-the-last-axis";

/// The rows that were added to the first families after that.
const LATER: [&str; 9] = [
    "lanes-padded-with-ones",
    "matrix-norm-of-two-axes",
    "numbers-of-what-is-left-where-dropped",
    "types-of-axes-unchecked",
    "stride-leaves-out-an-axis",
    "axes-as-of-channels-last",
    "first-read-only",
    "nan-beside-zeros-lost",
    "root-of-zero-by-its-reciprocal",
];

#[test]
fn failures_are_grouped_by_their_cause() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let prepared = prepare(&corpus.cases).unwrap();
    // A sample that changes with every new row cannot show the effect of a change in grouping. So later
    // rows, and calls of the last family and of added operators, are left out of it, unless all are tried.
    let everything = std::env::var_os("NORMATIVE_PLANTED").is_some();
    let is_first = |spec: &Spec| spec.family() != Family::Blas && Norm::BY_DEFAULT.contains(&spec.norm());
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| everything || is_first(spec)).collect();
    let asked = prepared.iter().filter(|one| specs.contains(&one.case.call.spec()));
    let ground = Ground::new(asked, &specs, CALLS).unwrap();
    let later = mutants().iter().position(|mutant| mutant.name == FIRST_OF_LATER_FAMILIES).unwrap();
    assert!(LATER.iter().all(|name| mutants()[..later].iter().any(|mutant| mutant.name == *name)));
    let is_sampled = |at: usize, name: &str| everything || at < later && !LATER.contains(&name);
    let all = mutants().into_iter().enumerate().filter(|(at, mutant)| is_sampled(*at, mutant.name));
    let all: Vec<_> = all.map(|(_, mutant)| mutant).collect();
    let (first, step, many) = if everything { (0, 1, 300) } else { (5, 28, 12) };
    let singles: Vec<Vec<usize>> = (first..all.len()).step_by(step).map(|at| vec![at]).collect();
    let sets = combinations(all.len(), many, 11);
    let used: BTreeSet<usize> = singles.iter().chain(&sets).flatten().copied().collect();
    let used: Vec<usize> = used.into_iter().collect();
    let mistakes: Vec<Mistake> = each(&used, |&at| ground.mistake(all[at]));
    let place = |at: &usize| used.binary_search(at).unwrap();
    let places = |sets: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
        sets.iter().map(|set| set.iter().map(place).collect()).collect()
    };
    let (singles, sets) = (places(singles), places(sets));
    for (catalogue, right) in RIGHT {
        println!("{catalogue:?}");
        let single = count(&ground, &mistakes, &singles, catalogue);
        println!("one mistake: {single:?}");
        let several = count(&ground, &mistakes, &sets, catalogue);
        println!("several: {several:?}");
        assert!(single.counted * 5 >= singles.len() * 4, "{single:?}");
        assert!(single.right * 100 >= single.counted * right.one, "{single:?}");
        assert!(several.right * 100 >= several.counted * right.several, "{several:?}");
        assert!(several.near * 5 >= several.counted * 4, "{several:?}");
        for Count { shared, failures, .. } in [single, several] {
            assert!(shared * 100 >= failures * right.shared, "{shared} of {failures}");
        }
    }
}
