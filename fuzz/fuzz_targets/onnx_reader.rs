//! Any bytes are an ONNX model of a norm reduction, or a tensor, or a typed error; what was read can be ruled on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_backend::reference::rule;
use normative_onnx::read;

fuzz_target!(|bytes: &[u8]| {
    let _ = read::norm(bytes);
    let fed: Vec<_> = read::tensor(bytes).into_iter().map(|(_, tensor)| tensor).collect();
    for inputs in [&[], &fed[..]] {
        if let Ok(call) = read::call(bytes, inputs) {
            let _ = rule(&call);
        }
    }
    // A model and the tensor that it is fed, one behind the other.
    if let Some((&at, rest)) = bytes.split_first() {
        let (model, tensor) = rest.split_at(usize::from(at).min(rest.len()));
        if let Ok((_, data)) = read::tensor(tensor) {
            if let Ok(call) = read::call(model, &[data]) {
                let _ = rule(&call);
            }
        }
    }
});
