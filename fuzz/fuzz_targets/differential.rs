//! Any bytes are a call, and the backend this was built with answers it as the reference says it may.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_conformance::generate::input;
use normative_conformance::report::finding;
use normative_conformance::{Demands, Driver as _, Sheet, judge};
use normative_present::terminal;

fuzz_target!(|bytes: &[u8]| {
    let call = input::call(bytes);
    // A new one for each call, so that what is found is found again by these bytes alone.
    let mut backend = backend::backend();
    let demands = Demands { capabilities: backend.capabilities(), ..Demands::default() };
    let sheet = Sheet::of(&call).expect("the results of no generated call are too large");
    let verdict = judge(&sheet, &backend.ask(&call), &demands);
    if verdict.is_failure() {
        let mut failure = String::new();
        terminal::write_lines(&mut failure, &finding::of_call(&call, &verdict))
            .expect("a string takes any text");
        panic!("the backend does not conform\n{failure}");
    }
});
