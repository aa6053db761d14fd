//! Tests the solver of readings over a whole run: a backend with one reading per place is never accused, a
//! switch is found, and the profile has only readings that the answers force.
//!
//! The calls are the cases and generated ones, prepared once: the answer of each alternative, and the
//! readings that accept that answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::example::{CORPUS, Draw};
use crate::reference_backend::{answer_under, make_coherent};
use normative_conformance::judge::verdict::Accepts;
use normative_conformance::reference::{
    Axes, Call, Choice, Dtype, Norm, Operator, Opset, Question, Reading, Spec, rule,
};
use normative_conformance::run::property::{Id, row};
use normative_conformance::run::readings::{Answers, Place, ReadingProfile, Row};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};

mod together;

use together::{Said, go_together, is_forced};

/// The number of generated calls beside the cases: as many of each spec, however many there are.
const CALLS: usize = 230 * Spec::ALL.len();

/// A call that is open.
struct Asked {
    call: Call,
    /// For each alternative its choices, and the readings that accept its answer.
    alternatives: Vec<(Vec<Choice>, Accepts)>,
}

/// Every open case and generated call.
static ASKED: LazyLock<Vec<Asked>> = LazyLock::new(|| {
    let generated = row(17, &Spec::ALL).take(CALLS).map(Id::call);
    CORPUS.cases.iter().map(|case| case.call.clone()).chain(generated).filter_map(asked).collect()
});

fn asked(call: Call) -> Option<Asked> {
    let ruling = rule(&call);
    if ruling.alternatives.len() == 1 {
        return None;
    }
    let sheet = Sheet::of(&call).unwrap();
    let mut known: Vec<(_, Accepts)> = Vec::new();
    let alternatives = ruling.alternatives.into_iter().map(|alternative| {
        let answer = answer_under(&call, &alternative.outcome).into();
        if let Some((_, accepts)) = known.iter().find(|(known, _)| *known == answer) {
            return (alternative.choices, accepts.clone());
        }
        let verdict = judge(&sheet, &answer, &Demands::default());
        let Verdict::Conforms { accepting, .. } = verdict else { panic!("{call:?}: {verdict:?}") };
        let own = |taken: &Vec<Choice>| alternative.choices.iter().all(|choice| taken.contains(choice));
        let combinations = accepting.combinations();
        assert!(
            combinations.is_empty() || combinations.iter().any(own),
            "{}: not accepted as what it is: {:?}",
            call.spec(),
            alternative.choices
        );
        known.push((answer, accepting.clone()));
        (alternative.choices, accepting)
    });
    let alternatives = alternatives.collect();
    Some(Asked { call, alternatives })
}

/// The reading of each place; other places take the first reading.
type Policy = BTreeMap<Place, Reading>;

fn read(policy: &Policy, call: &Call, question: Question) -> Reading {
    policy.get(&Place::of(call, question)).copied().unwrap_or(question.readings()[0])
}

/// Returns the readings that accept the answer of a backend with these readings.
fn accepts(asked: &Asked, reads: impl Fn(Question) -> Reading) -> &Accepts {
    let takes = |(choices, _): &&(Vec<Choice>, Accepts)| {
        choices.iter().all(|choice| reads(choice.question) == choice.reading)
    };
    &asked.alternatives.iter().find(takes).unwrap().1
}

/// Returns the readings that calls of a type can show. x86 cuts narrow types out of a wider one, so that they wrap.
fn told(question: Question, dtype: Dtype) -> Vec<Reading> {
    let is_cut = match question {
        Question::IntegerOverflow => !matches!(dtype, Dtype::I32 | Dtype::I64 | Dtype::U64),
        Question::IntegerL2Negative => matches!(dtype, Dtype::U8 | Dtype::U16 | Dtype::U32),
        _ => false,
    };
    let told = |reading: &Reading| !(is_cut && *reading == Reading::Indefinite);
    question.readings().iter().copied().filter(told).collect()
}

/// Draws one reading per spec for each question of form, and per spec and type for each question of values.
fn policy(dice: &mut Draw) -> Policy {
    let mut policy = Policy::new();
    for spec in Spec::ALL {
        for question in Question::ALL.into_iter().filter(|question| !question.concerns_values()) {
            policy.insert(Place { spec, question, dtype: None }, dice.one_of(question.readings()));
        }
        for dtype in Dtype::ALL {
            let questions = Question::ALL.into_iter().filter(|question| question.concerns_values());
            let mut of_type: BTreeMap<Question, Reading> =
                questions.map(|question| (question, dice.one_of(&told(question, dtype)))).collect();
            // Questions about other types' precision do not matter here.
            if !matches!(dtype, Dtype::F16 | Dtype::Bf16) {
                of_type.remove(&Question::HalfAccumulation);
            }
            if dtype != Dtype::F64 || !spec.rules().casts_to_f32 {
                of_type.remove(&Question::F64Precision);
            }
            make_coherent(&mut of_type);
            let place = |(question, reading)| (Place { spec, question, dtype: Some(dtype) }, reading);
            policy.extend(of_type.into_iter().map(place));
        }
    }
    policy
}

fn profile_of<'a>(answered: impl Iterator<Item = (&'a Asked, &'a Accepts)>) -> ReadingProfile<usize> {
    let mut answers = Answers::default();
    for (at, (asked, accepts)) in answered.enumerate() {
        answers.add(&asked.call, accepts, at);
    }
    answers.profile()
}

fn check_policies(count: usize, seed: u64) {
    let mut dice = Draw::from(seed);
    let mut rows = 0;
    for number in 0..count {
        let policy = policy(&mut dice);
        let answered: Vec<(&Asked, &Accepts)> = ASKED
            .iter()
            .map(|asked| (asked, accepts(asked, |question| read(&policy, &asked.call, question))))
            .collect();
        let profile = profile_of(answered.iter().copied());
        rows += profile.len();
        for (place, row) in &profile {
            let Row::Forced(reading) = row else { panic!("{number}: {place}: {row:?}") };
            let wanted = policy.get(place).copied().unwrap_or(place.question.readings()[0]);
            assert_eq!(*reading, wanted, "{number}: {place}");
            // The check by hand is slow, and policies force much the same readings.
            if number % 20 == 0 {
                assert!(
                    is_forced(&answered, &profile, *place, *reading),
                    "{number}: {place}={reading} is not forced"
                );
            }
        }
    }
    eprintln!("{count} policies, {} profile rows each, none refused or inconsistent", rows / count);
}

/// A condition on calls.
#[derive(Clone, Copy, Debug)]
enum When {
    Dtype(Dtype),
    Rank(usize),
    NamedAxes(usize),
    NegativeAxis,
    NegativeData,
    LongerThan(usize),
    HasDimOne,
    LastDimOver(usize),
    AttributeGiven,
}

impl When {
    fn is_met(self, call: &Call) -> bool {
        let shape = call.data.shape();
        let named = match &call.axes {
            Axes::Given(axes) => &axes.values[..],
            Axes::Absent | Axes::Null | Axes::OtherForm(_) => &[],
        };
        match self {
            Self::Dtype(dtype) => call.data.dtype() == dtype,
            Self::Rank(rank) => shape.len() == rank,
            Self::NamedAxes(count) => named.len() == count,
            Self::NegativeAxis => named.iter().any(|axis| *axis < 0),
            Self::NegativeData => {
                let sign = 1_u64 << (call.data.dtype().size() * 8 - 1);
                call.data.bits().iter().any(|bits| bits & sign != 0)
            }
            Self::LongerThan(length) => call.data.len() > length,
            Self::HasDimOne => shape.contains(&1),
            Self::LastDimOver(dim) => shape.last().is_some_and(|last| *last > dim),
            Self::AttributeGiven => match &call.operator {
                Operator::OpenVino { keep_dims: keep, .. }
                | Operator::ArrayApi { keepdims: keep, .. }
                | Operator::WebNn { keep_dimensions: keep, .. } => keep.is_some(),
                Operator::Blas { .. } => true,
                Operator::Onnx { keepdims, .. } => keepdims.is_some(),
                Operator::Bnns { output_shape } => output_shape.len() > 1,
            },
        }
    }

    fn any(dice: &mut Draw) -> Self {
        match dice.below(9) {
            0 => Self::Dtype(dice.one_of(&Dtype::ALL)),
            1 => Self::Rank(dice.below(5)),
            2 => Self::NamedAxes(dice.below(4)),
            3 => Self::NegativeAxis,
            4 => Self::NegativeData,
            5 => Self::LongerThan(dice.one_of(&[0, 1, 2, 4, 8, 16])),
            6 => Self::HasDimOne,
            7 => Self::LastDimOver(dice.one_of(&[1, 2, 3, 4])),
            _ => Self::AttributeGiven,
        }
    }
}

#[derive(Debug, Default)]
struct Switches {
    /// Switches that change an answer on either side of the condition.
    on_both_sides: usize,
    /// Those that one reading per place explains nevertheless.
    explained: usize,
    found: usize,
    most: usize,
}

/// Draws a switch and checks the finding: its place, and the length of its witness.
fn check_switch(dice: &mut Draw, switches: &mut Switches) {
    let base = policy(dice);
    let (question, when) = (dice.one_of(&Question::ALL), When::any(dice));
    let spec = dice.one_of(&Spec::ALL);
    let dtype = question.concerns_values().then(|| dice.one_of(&Dtype::ALL));
    let reading = dice.one_of(&dtype.map_or(question.readings().to_vec(), |dtype| told(question, dtype)));
    let place = Place { spec, question, dtype };
    if read_place(&base, place) == reading {
        return;
    }
    // A real implementation is coherent, so the consequences of the reading are switched with it.
    let mut other = base.clone();
    other.insert(place, reading);
    let mut of_place: BTreeMap<Question, Reading> = other
        .iter()
        .filter(|(known, _)| (known.spec, known.dtype) == (spec, dtype))
        .map(|(place, reading)| (place.question, *reading))
        .collect();
    make_coherent(&mut of_place);
    if of_place[&question] != reading {
        return;
    }
    other.extend(of_place.into_iter().map(|(question, reading)| (Place { question, ..place }, reading)));
    let answered: Vec<(&Asked, &Accepts)> = ASKED
        .iter()
        .map(|asked| {
            let policy = if when.is_met(&asked.call) { &other } else { &base };
            (asked, accepts(asked, |question| read(policy, &asked.call, question)))
        })
        .collect();
    // A call shows the switch if its two readings give different answers.
    let shows = |met: bool| {
        ASKED.iter().any(|asked| {
            let of = |policy| accepts(asked, |question| read(policy, &asked.call, question));
            let here = Place::of(&asked.call, question) == place && when.is_met(&asked.call) == met;
            here && of(&base) != of(&other)
        })
    };
    if !(shows(true) && shows(false)) {
        return;
    }
    switches.on_both_sides += 1;
    let profile = profile_of(answered.iter().copied());
    let splits: Vec<_> = profile
        .iter()
        .filter_map(|(place, row)| match row {
            Row::Split(split) => Some((place, split)),
            Row::Forced(_) => None,
        })
        .collect();
    for (split_place, split) in &splits {
        let values = split_place.question.concerns_values();
        // A switch of form may be explained by a free choice, but not the other way round.
        assert!(values || !question.concerns_values(), "{split_place} for {place}={reading} where {when:?}");
        let witness = split.witness.iter().map(|statement| answered[statement.answer]);
        let witness: Vec<Said<'_>> =
            witness.map(|(asked, accepts)| said(asked, accepts, values, &profile)).collect();
        assert!(!go_together(&witness, None), "{split_place}: {split:?}");
        for without in 0..witness.len() {
            let mut fewer = witness.clone();
            fewer.remove(without);
            assert!(go_together(&fewer, None), "{split_place}: {split:?}");
        }
    }
    let of_kind =
        splits.iter().filter(|(place, _)| place.question.concerns_values() == question.concerns_values());
    match of_kind.map(|(_, split)| split.witness.len()).min() {
        Some(least) if least <= 3 => switches.found += 1,
        Some(_) => {}
        None => switches.explained += 1,
    }
    let most = splits.iter().map(|(_, split)| split.witness.len()).max();
    switches.most = switches.most.max(most.unwrap_or(0));
}

fn read_place(policy: &Policy, place: Place) -> Reading {
    policy.get(&place).copied().unwrap_or(place.question.readings()[0])
}

/// Returns an answer's statement about values where form is read as forced, or about form with any reading of values.
fn said<'a>(
    asked: &'a Asked,
    accepts: &Accepts,
    of_values: bool,
    profile: &ReadingProfile<usize>,
) -> Said<'a> {
    let forced = |choice: &&Choice| match profile.get(&Place::of(&asked.call, choice.question)) {
        Some(Row::Forced(reading)) => *reading == choice.reading,
        Some(Row::Split(_)) | None => true,
    };
    let is_value = |choice: &&Choice| choice.question.concerns_values();
    let fits = |choices: &&Vec<Choice>| {
        !of_values || choices.iter().filter(|choice| !is_value(choice)).all(|choice| forced(&choice))
    };
    let of = |choices: &Vec<Choice>| -> Vec<Choice> {
        choices.iter().filter(|choice| is_value(choice) == of_values).copied().collect()
    };
    (&asked.call, accepts.combinations().iter().filter(fits).map(of).collect())
}

fn check_switches(count: usize, seed: u64) {
    let (mut dice, mut switches) = (Draw::from(seed), Switches::default());
    while switches.on_both_sides < count {
        check_switch(&mut dice, &mut switches);
    }
    eprintln!("{switches:?}");
    assert!(switches.found * 100 >= switches.on_both_sides * 95, "{switches:?}");
}

#[test]
fn whoever_has_one_reading_a_place_is_never_accused() {
    check_policies(number("NORMATIVE_POLICIES", 21), 1);
}

#[test]
#[ignore = "weekly: it judges 200 backends, each by many calls"]
fn whoever_switches_a_reading_is_found_by_a_small_witness() {
    check_switches(number("NORMATIVE_SWITCHES", 200), 2);
}

/// Returns the number of trials; the environment sets more for the full acceptance run.
fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[test]
fn a_scalar_read_apart_from_all_else_is_found() {
    let question = Question::NoopEmptyAxes;
    let switched = |call: &Call| {
        let scalar = call.data.rank() == 0;
        move |asked: Question| match asked {
            _ if asked != question => asked.readings()[0],
            _ if scalar => Reading::NormOfEachElement,
            _ => Reading::Unchanged,
        }
    };
    let scalar = |norm| {
        Call::new(
            Operator::Onnx { norm, opset: Opset::V18, keepdims: None, noop_with_empty_axes: Some(1) },
            ndarray::arr0(-2.0_f32).into_dyn().into(),
            Axes::list(&[]),
        )
    };
    let scalars = [Norm::L1, Norm::L2].map(|norm| asked(scalar(norm)).unwrap());
    let answered: Vec<(&Asked, &Accepts)> =
        ASKED.iter().chain(&scalars).map(|asked| (asked, accepts(asked, switched(&asked.call)))).collect();
    let profile = profile_of(answered.iter().copied());
    let splits: Vec<(&Place, &Row<usize>)> =
        profile.iter().filter(|(_, row)| !matches!(row, Row::Forced(_))).collect();
    assert_eq!(splits.len(), 2, "of each norm at opset 18, and of nothing else: {splits:?}");
    for (place, row) in splits {
        assert_eq!(place.question, question);
        let split = row.inconsistent(place).unwrap();
        let says: BTreeSet<&str> = split.witness.iter().map(|statement| statement.says.as_str()).collect();
        assert_eq!(says, BTreeSet::from(["norm-of-each-element or reduce-all", "x"]));
        assert!(split.exceptions < split.others);
    }
}

#[test]
fn an_answer_that_several_questions_explain_tells_none_of_them() {
    // Refusing an axis that is named three times, in two spellings, fits two readings.
    let call = Call::new(
        Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: None, noop_with_empty_axes: None },
        ndarray::arr2(&[[1.0_f32, -2.0]]).into_dyn().into(),
        Axes::list(&[1, 1, -1]),
    );
    let refused = Observed::Rejected("no".into());
    let verdict = judge(&Sheet::of(&call).unwrap(), &refused, &Demands::default());
    let Verdict::Conforms { accepting, .. } = verdict else { panic!("{verdict:?}") };
    let mut answers = Answers::default();
    answers.add(&call, &accepting, 0);
    assert_eq!(answers.profile(), ReadingProfile::new());
    // If the other reading is excluded elsewhere, this one is left.
    let same = Call { axes: Axes::list(&[1, 1]), ..call.clone() };
    let collapsed = judge(
        &Sheet::of(&same).unwrap(),
        &answer_under(&same, &rule(&same).alternatives[0].outcome).into(),
        &Demands::default(),
    );
    let Verdict::Conforms { accepting, .. } = collapsed else { panic!("{collapsed:?}") };
    answers.add(&same, &accepting, 1);
    let read: BTreeMap<Question, Vec<Reading>> =
        answers.profile().into_iter().map(|(place, row)| (place.question, row.readings())).collect();
    let wanted = [
        (Question::DuplicateAxes, vec![Reading::Collapse]),
        (Question::DuplicateAxesMixedSign, vec![Reading::Reject]),
    ];
    assert_eq!(read, BTreeMap::from(wanted));
}
