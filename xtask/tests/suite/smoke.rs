//! `smoke` from a user's view: its exit codes, and the error for a program that does not start.

use crate::common::{python_worker, run};

#[test]
fn smoke_ends_with_1_for_a_doubt_where_it_is_strict() {
    let backend = python_worker("planted.py", "data-through-f32");
    let doubtful =
        "i32 elements          doubtful: by the adapter or by the runtime: i32 elements pass through f32";
    run(&["smoke", "--backend", &backend]).exits_with(0).prints(doubtful).prints("--strict ends with 1");
    run(&["smoke", "--strict", "--backend", &backend]).exits_with(1).prints(doubtful);
}

#[test]
fn smoke_tells_what_keeps_a_backend_from_starting() {
    run(&["smoke", "--backend", "cmd:sh -c 'echo sorry >&2; exit 3'"])
        .exits_with(1)
        .prints("ended with exit status: 3; stderr: sorry");
}
