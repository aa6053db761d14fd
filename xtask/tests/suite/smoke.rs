//! `smoke` from a user's view: its exit codes, and the error for a program that does not start.

use rstest::rstest;

use crate::common::page::root;
use crate::common::run;

#[test]
fn smoke_ends_with_1_for_a_doubt_where_it_is_strict() {
    let root = root().display();
    let backend = format!(
        "cmd:env PYTHONPATH={root}/backends/python PYTHONDONTWRITEBYTECODE=1 python3 \
         {root}/conformance/tests/languages/planted.py data-through-f32"
    );
    let doubtful =
        "i32 elements          doubtful: by the adapter or by the runtime: i32 elements pass through f32";
    run(&["smoke", "--backend", &backend]).exits_with(0).prints(doubtful).prints("--strict ends with 1");
    run(&["smoke", "--strict", "--backend", &backend]).exits_with(1).prints(doubtful);
}

#[rstest]
#[case::no_worker("cmd:sh -c 'echo sorry >&2; exit 3'", 1, "ended with exit status: 3; stderr: sorry")]
#[case::no_program("cmd:./no-such-program --fast", 2, "cannot run ./no-such-program")]
#[case::no_words("cmd:", 2, "expected a program")]
#[case::no_crate("ndaray", 2, "no backend `ndaray`")]
fn smoke_tells_what_keeps_a_backend_from_starting(
    #[case] backend: &str,
    #[case] code: i32,
    #[case] because: &str,
) {
    let run = run(&["smoke", "--backend", backend]).exits_with(code);
    // The report has an adapter's mistakes; a program that cannot be run is an error.
    assert!(if code == 1 { &run.out } else { &run.err }.contains(because), "{}{}", run.out, run.err);
}
