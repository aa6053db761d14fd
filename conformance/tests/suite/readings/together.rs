//! Tests by trying every assignment if answers are consistent. It checks the solver, and shares no code with it.

use super::*;

/// A call, and the combinations of readings that accept its answer; empty if all do.
pub(super) type Said<'a> = (&'a Call, Vec<Vec<Choice>>);

/// Returns true if one reading per place explains all answers, by trying all combinations.
pub(super) fn go_together(answers: &[Said<'_>], fixed: Option<(Place, Reading)>) -> bool {
    fn assign(answers: &[Said<'_>], places: &[Place], taken: &mut BTreeMap<Place, Reading>) -> bool {
        let fits = |(call, combinations): &Said<'_>| {
            let takes = |choice: &Choice| {
                taken.get(&Place::of(call, choice.question)).is_none_or(|known| *known == choice.reading)
            };
            combinations.is_empty() || combinations.iter().any(|choices| choices.iter().all(takes))
        };
        if !answers.iter().all(fits) {
            return false;
        }
        let Some((place, rest)) = places.split_first() else { return true };
        let readings: Vec<Reading> = match taken.get(place) {
            Some(&fixed) => vec![fixed],
            None => place.question.readings().to_vec(),
        };
        let before = taken.get(place).copied();
        let found = readings.into_iter().any(|reading| {
            taken.insert(*place, reading);
            assign(answers, rest, taken)
        });
        match before {
            Some(reading) => taken.insert(*place, reading),
            None => taken.remove(place),
        };
        found
    }
    let places: BTreeSet<Place> = answers
        .iter()
        .flat_map(|(call, combinations)| {
            combinations.iter().flatten().map(|choice| Place::of(call, choice.question))
        })
        .collect();
    let places: Vec<Place> = places.into_iter().collect();
    assign(answers, &places, &mut fixed.into_iter().collect())
}

/// Returns true if no other reading of the place explains all answers of its spec and, for values, of its type.
pub(super) fn is_forced(
    answered: &[(&Asked, &Accepts)],
    profile: &ReadingProfile<usize>,
    place: Place,
    reading: Reading,
) -> bool {
    let values = place.question.concerns_values();
    let same =
        |call: &Call| call.spec() == place.spec && place.dtype.is_none_or(|dtype| call.data.dtype() == dtype);
    let of_place = answered.iter().filter(|(asked, _)| same(&asked.call));
    // Repeated statements add nothing.
    let said: BTreeMap<Vec<Vec<Choice>>, &Call> = of_place
        .map(|(asked, accepts)| said(asked, accepts, values, profile))
        .map(|(call, combinations)| (combinations, call))
        .collect();
    let answers: Vec<Said<'_>> = said.into_iter().map(|(combinations, call)| (call, combinations)).collect();
    let others = place.question.readings().iter().filter(|other| **other != reading);
    others.into_iter().all(|&other| !go_together(&answers, Some((place, other))))
}
