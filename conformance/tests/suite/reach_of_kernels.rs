//! Tests that the generator reaches all loops and values: for every spec, every position, size, number of columns and
//! rows, every special value, and lengths above a thread's share occur among the calls of one seed.

use std::collections::BTreeSet;

use normative_conformance::generate::covering::special::{self, Special};
use normative_conformance::generate::covering::{
    Columns, Inner, Keep, Kernel, Placement, Position, Rows, Size,
};
use normative_conformance::reference::spec::AxesForm;
use normative_conformance::reference::{Axes, Call, Dtype, Family, Operator, Spec};
use normative_conformance::run::property::{Id, row};
use normative_conformance::session::Calls;

/// The number of elements that runtimes give to one thread, or to a block of a grid.
const THRESHOLD: usize = 65_536;

/// Returns the features of a call, in the terms of [`wanted`].
fn features(call: &Call) -> Vec<String> {
    let held = special::of(call).into_iter().map(|special| format!("rows with {special:?}"));
    let mut features: Vec<String> = held.collect();
    if let Operator::Blas { n: 1..=20, incx: 65..=70, .. } = call.operator {
        features.push("few elements far apart".into());
    }
    if let [.., channels, _, _] = *call.data.shape()
        && [4, 5].contains(&call.data.rank())
        && !channels.is_power_of_two()
    {
        features.push(format!("channels at rank {}", call.data.rank()));
    }
    let Some(Kernel { placement: Placement { position, run, inner, rows }, keep, .. }) = Kernel::of(call)
    else {
        return features;
    };
    let remainders = [3, 5, 7, 8].map(|by| format!("length {} mod {by}", run % by));
    features.extend(remainders);
    features.extend([
        format!("position {position:?}"),
        format!("length {:?}", Size::of(run)),
        format!("columns {:?}", Columns::of(inner)),
        format!("inner dim {:?}", Inner::of(inner)),
        format!("rows {:?}", Rows::of(rows)),
        format!("reduced dims {keep:?}"),
    ]);
    let also = [
        ("long before many columns", run > 255 && inner > 31),
        ("more than a thread takes", run > THRESHOLD),
        ("more than a thread takes, axes left out", run > THRESHOLD && call.axes == Axes::Absent),
        ("more than a grid has", inner.max(rows) > THRESHOLD),
        ("tail of 1 after 128", run == 129),
        ("tail of 1 after 256", run == 257),
    ];
    features.extend(also.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_owned()));
    features
}

/// Returns the required features.
fn wanted(spec: Spec) -> BTreeSet<String> {
    let can_hold = |special: &Special| {
        spec.rules().dtypes.iter().any(|&dtype| special.is_possible(dtype, spec.norm(), 1024))
    };
    let rows = Special::ALL.into_iter().filter(can_hold).map(|special| format!("rows with {special:?}"));
    let mut wanted: BTreeSet<String> = rows.collect();
    wanted.extend(Size::ALL.map(|size| format!("length {size:?}")));
    wanted.extend(
        [3, 5, 7, 8].into_iter().flat_map(|by| (0..by).map(move |is| format!("length {is} mod {by}"))),
    );
    wanted.extend(Position::of(spec).iter().map(|position| format!("position {position:?}")));
    wanted.extend(Keep::sayable(spec).iter().map(|keep| format!("reduced dims {keep:?}")));
    wanted
        .extend(["more than a thread takes", "tail of 1 after 128", "tail of 1 after 256"].map(String::from));
    if spec.rules().axes == AxesForm::NoAxes {
        wanted.insert("few elements far apart".into());
        return wanted;
    }
    wanted.extend(Columns::ALL.map(|columns| format!("columns {columns:?}")));
    wanted.extend(Inner::ALL.map(|inner| format!("inner dim {inner:?}")));
    wanted.extend(Rows::ALL.map(|rows| format!("rows {rows:?}")));
    wanted.extend(["long before many columns", "more than a grid has"].map(String::from));
    wanted.extend(["channels at rank 4", "channels at rank 5"].map(String::from));
    if spec.rules().axes != AxesForm::RequiredInput {
        wanted.insert("more than a thread takes, axes left out".into());
    }
    wanted
}

#[test]
fn every_loop_and_every_special_value_occurs_for_every_spec() {
    let mut never = Vec::new();
    for spec in Spec::ALL {
        let mut missing = wanted(spec);
        for id in row(11, &[spec]).take(12_000) {
            if missing.is_empty() {
                break;
            }
            for feature in features(&id.call()) {
                missing.remove(&feature);
            }
        }
        never.extend(missing.into_iter().map(|feature| format!("{spec}: {feature}")));
    }
    assert!(never.is_empty(), "never generated:\n{}", never.join("\n"));
}

#[test]
fn types_have_about_equal_shares_and_few_calls_reduce_everything() {
    // The other families have one or two float types, and WebNN six types.
    let specs: Vec<Spec> = Family::OpenVino.specs().chain(Family::Onnx.specs()).collect();
    let calls = Calls::by_default(false, &specs);
    let (mut of_type, mut reduced, mut everything) = ([0; Dtype::ALL.len()], 0, 0);
    for call in row(1, &specs).take(calls).map(Id::call) {
        if let Some(Kernel { dtype, placement, .. }) = Kernel::of(&call) {
            of_type[dtype as usize] += 1;
            reduced += 1;
            everything += usize::from(placement.position == Position::All);
        }
    }
    let (fewest, most) = (of_type.iter().min().unwrap(), of_type.iter().max().unwrap());
    assert!(2 * fewest >= *most, "{of_type:?}");
    assert!(100 * everything < 40 * reduced, "{everything} of {reduced}");
}

#[test]
fn a_family_is_asked_as_much_whichever_others_are() {
    let all = Calls::by_default(false, &Spec::ALL);
    for spec in Spec::ALL {
        let alone = Calls::by_default(false, &[spec]);
        let among = row(1, &Spec::ALL).take(all).filter(|id| id.spec() == spec).count();
        assert_eq!(alone, among, "{spec}");
    }
}
