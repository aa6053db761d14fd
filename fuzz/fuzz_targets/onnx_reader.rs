//! Any bytes are an ONNX model of a norm reduction, or a tensor, or a typed error; what was read can be ruled on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_fuzz_checks::onnx_reader;

fuzz_target!(|bytes: &[u8]| onnx_reader(bytes));
