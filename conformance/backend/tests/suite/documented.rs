//! The bytes of the examples in the protocol's documentation.

/// The document for implementers.
pub(crate) const PROTOCOL: &str = include_str!("../../PROTOCOL.md");

/// Returns the frames of the examples, in order: a hello, a call and its answer.
pub(crate) fn documented() -> [Vec<u8>; 3] {
    let mut examples = Vec::new();
    for line in PROTOCOL.lines() {
        if line == "```text" {
            examples.push(Vec::new());
        } else if let Some(example) = examples.last_mut() {
            let words = line.split_whitespace().take_while(|word| word.len() == 2);
            example.extend(words.map_while(|word| u8::from_str_radix(word, 16).ok()));
        }
    }
    examples.try_into().unwrap()
}
