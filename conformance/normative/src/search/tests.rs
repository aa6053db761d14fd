//! The search over planted histories: the changes it names, the releases it tries, and their order.

use anyhow::ensure;
use normative_conformance::judge::fault::Fault;
use proptest::prelude::*;
use rstest::rstest;

use super::*;

const GOOD: ReleaseVerdict = ReleaseVerdict::Conforms;
const BAD: ReleaseVerdict = ReleaseVerdict::Fails(Fault::WrongValue);

/// Builds a history from letters: `.` conforms, `x` fails, `!` dies, and `-` cannot be asked.
fn planted(history: &str) -> Vec<ReleaseOutcome> {
    let outcome = |letter| match letter {
        '.' => ReleaseOutcome::Asked(GOOD, String::new()),
        'x' => ReleaseOutcome::Asked(BAD, String::new()),
        '!' => ReleaseOutcome::Asked(ReleaseVerdict::Fails(Fault::Crashed), String::new()),
        _ => ReleaseOutcome::NotInstalled(String::new()),
    };
    history.chars().map(outcome).collect()
}

/// Returns the releases that the search tries, by place and in order.
fn searched(history: &[ReleaseOutcome]) -> (Tried, Vec<usize>) {
    let (mut tried, mut order) = (Tried::new(), Vec::new());
    search(history.len(), 7, &mut tried, &mut |at| {
        order.push(at);
        Ok(history[at].clone())
    })
    .unwrap();
    (tried, order)
}

fn named(history: &str) -> Vec<(usize, usize)> {
    let (tried, _) = searched(&planted(history));
    changes(&tried).into_iter().map(|Turning { before, after }| (before, after)).collect()
}

#[rstest]
#[case::it_came("....xxxx", &[(3, 4)])]
#[case::it_went("xx......", &[(1, 2)])]
#[case::two_releases(".x", &[(0, 1)])]
#[case::nothing_changed("........", &[])]
#[case::one_release("x", &[])]
#[case::no_release("", &[])]
#[case::none_can_be_asked("---", &[])]
#[case::one_can_be_asked("--x-", &[])]
#[case::ends_that_cannot_be_asked("--..xx--", &[(3, 4)])]
#[case::a_hole_where_it_came("..---xx", &[(1, 5)])]
#[case::a_hole_beside_it("..--.xx", &[(4, 5)])]
#[case::it_came_and_went("..........xxxxxx....", &[(9, 10), (15, 16)])]
#[case::another_way_to_fail("..xxxx!!", &[(1, 2), (5, 6)])]
#[case::it_died_and_recovered("!!!!xxxx", &[(3, 4)])]
fn what_is_named(#[case] history: &str, #[case] expected: &[(usize, usize)]) {
    assert_eq!(named(history), expected);
}

#[test]
fn the_newest_comes_first_then_the_oldest_then_the_middle() {
    let (_, order) = searched(&planted("--......xxx-"));
    assert_eq!(order[..7], [11, 10, 0, 1, 2, 6, 8]);
}

#[test]
fn halving_tries_no_more_than_the_logarithm() {
    for first_bad in 1..1000 {
        let history: String = (0..1000).map(|at| if at < first_bad { '.' } else { 'x' }).collect();
        let (_, order) = searched(&planted(&history));
        assert!(order.len() <= 2 + 10, "{first_bad}: {} releases", order.len());
    }
}

#[test]
fn ends_that_agree_are_followed_by_few_looks_spread_evenly() {
    let (_, order) = searched(&planted(&".".repeat(33)));
    assert_eq!(order, [32, 0, 16, 24, 8, 28, 20, 12, 4]);
}

#[test]
fn what_was_tried_is_kept_where_the_search_is_stopped() {
    let history = planted("...xxx");
    let mut tried = Tried::new();
    let stopped = search(history.len(), 7, &mut tried, &mut |at| {
        ensure!(at != 2, "stopped");
        Ok(history[at].clone())
    });
    assert_eq!(stopped.unwrap_err().to_string(), "stopped");
    assert_eq!(tried.keys().collect::<Vec<_>>(), [&0, &5]);
}

/// Draws a history whose verdict changes at most once, with releases anywhere that cannot be asked.
fn monotone() -> impl Strategy<Value = Vec<ReleaseOutcome>> {
    let verdicts = prop_oneof![Just(('.', 'x')), Just(('x', '.')), Just(('x', '!')), Just(('!', '.'))];
    (1..60_usize, verdicts).prop_flat_map(|(count, (before, after))| {
        let holes = proptest::collection::vec(proptest::bool::weighted(0.4), count);
        (0..=count, holes).prop_map(move |(turn, holes)| {
            let letter = |(at, hole)| match (hole, at < turn) {
                (true, _) => '-',
                (false, true) => before,
                (false, false) => after,
            };
            planted(&holes.into_iter().enumerate().map(letter).collect::<String>())
        })
    })
}

/// Draws any verdicts in any order.
fn any_history() -> impl Strategy<Value = Vec<ReleaseOutcome>> {
    proptest::collection::vec(
        prop_oneof![3 => Just('.'), 3 => Just('x'), 1 => Just('!'), 2 => Just('-')],
        0..60,
    )
    .prop_map(|letters| planted(&letters.into_iter().collect::<String>()))
}

/// Returns every pair of releases that differ and have only unaskable releases between them.
fn true_changes(history: &[ReleaseOutcome]) -> Vec<Turning> {
    changes(&history.iter().cloned().enumerate().collect())
}

proptest! {
    #[test]
    fn the_only_change_of_a_history_is_named(history in monotone()) {
        let (tried, _) = searched(&history);
        prop_assert_eq!(changes(&tried), true_changes(&history));
    }

    #[test]
    fn what_is_named_is_a_change(history in any_history()) {
        let (tried, order) = searched(&history);
        let known = true_changes(&history);
        for change in changes(&tried) {
            prop_assert!(known.contains(&change), "{change:?}");
            prop_assert!((change.before..=change.after).all(|at| tried.contains_key(&at)));
        }
        prop_assert_eq!(order.len(), tried.len(), "a release was tried twice");
        // Two ends that differ have a change between them.
        let asked: Vec<ReleaseVerdict> = history.iter().filter_map(ReleaseOutcome::verdict).collect();
        prop_assert!(asked.first() == asked.last() || !changes(&tried).is_empty());
    }

    #[test]
    fn the_ends_are_the_oldest_and_the_newest_that_can_be_asked(history in any_history()) {
        let (tried, _) = searched(&history);
        let all: Vec<usize> = (0..history.len()).filter(|&at| history[at].verdict().is_some()).collect();
        let seen = asked(&tried);
        prop_assert_eq!(seen.first().map(|(at, _)| at), all.first());
        prop_assert_eq!(seen.last().map(|(at, _)| at), all.last());
    }
}
