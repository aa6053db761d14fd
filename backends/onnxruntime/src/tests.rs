//! Tests that need no library; with it, `cargo xtask smoke --backend onnxruntime` tests the rest.

use rstest::rstest;

use super::*;

#[rstest]
#[case::linux("libonnxruntime.so.1.31.1", "1.31.1")]
#[case::macos("libonnxruntime.1.22.0.dylib", "1.22.0")]
#[case::without("onnxruntime.dll", "onnxruntime.dll")]
fn a_version_is_that_of_the_file_or_its_name(#[case] file: &str, #[case] expected: &str) {
    assert_eq!(version(&Path::new("/capi").join(file)), expected);
}

#[test]
fn a_library_that_is_none_is_unavailable_with_its_path() {
    let why = environment(Path::new("/no/such/libonnxruntime.so")).err().unwrap();
    assert!(why.contains("/no/such/libonnxruntime.so"), "{why}");
}
