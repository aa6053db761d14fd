//! Judges more generated calls in process than the main job does through a worker.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use normative_backend::Backend as _;
use normative_backend::reference::Spec;
use normative_backend_ndarray::backend;
use normative_conformance::run::property;
use normative_conformance::{Demands, display};

#[test]
fn every_generated_call_conforms_and_each_question_is_read_one_way() {
    let calls = 30_000;
    let demands = Demands { capabilities: backend().capabilities(), ..Demands::default() };
    let generated = property::run(99, calls, &Spec::ALL, &mut backend(), &demands).unwrap();
    if let Some(find) = generated.finds.first() {
        let shown = (display::call(&find.call), display::data(&find.call.data));
        panic!("{} of {calls}: {} {shown:?}: {:?}", generated.finds.len(), find.id, find.verdict);
    }
    assert_eq!(generated.total().conforms, calls, "it declines nothing");
    for (place, row) in &generated.readings.profile() {
        assert_eq!(row.readings().len(), 1, "{place:?}: {row:?}");
    }
}
