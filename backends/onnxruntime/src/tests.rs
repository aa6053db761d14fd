//! What can be told without the library; with it, `cargo xtask smoke --backend onnxruntime` tells the rest.

use rstest::rstest;

use super::*;

#[rstest]
#[case::release(
    "ORT Build Info: git-branch=rel-1.31.1, git-commit-id=1a2b3c4d",
    "libonnxruntime.so.1.31.1",
    "1.31.1"
)]
#[case::other_branch(
    "ORT Build Info: git-branch=main, git-commit-id=1a2b3c4d",
    "libonnxruntime.so.1.32.0",
    "libonnxruntime.so.1.32.0"
)]
#[case::silent("", "onnxruntime.dll", "onnxruntime.dll")]
fn a_version_is_that_of_the_release_or_the_name_of_the_file(
    #[case] build: &str,
    #[case] file: &str,
    #[case] expected: &str,
) {
    assert_eq!(version(build, &Path::new("/capi").join(file)), expected);
}

#[test]
fn a_library_that_is_none_is_unavailable_with_its_path() {
    let why = environment(Path::new("/no/such/libonnxruntime.so")).err().unwrap();
    assert!(why.contains("/no/such/libonnxruntime.so"), "{why}");
}
