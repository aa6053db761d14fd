//! Reads files of kept inputs, `fuzz/kept/TARGET.txt`: one input a line, with Rust's byte string escapes.

/// The inputs of a file, or the first line that is none.
///
/// # Errors
/// Returns the first invalid line.
pub fn inputs(text: &str) -> Result<Vec<Vec<u8>>, String> {
    text.lines().map(|line| unescaped(line).ok_or_else(|| line.to_owned())).collect()
}

fn unescaped(line: &str) -> Option<Vec<u8>> {
    let mut input = Vec::new();
    let mut rest = line.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let (byte, after) = match (byte, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digits = [*high, *low];
                (u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?, after)
            }
            (b'\\', [escape, after @ ..]) => (escaped(*escape)?, after),
            (b'\\', []) => return None,
            (byte, after) => (byte, after),
        };
        input.push(byte);
        rest = after;
    }
    Some(input)
}

/// Returns the byte for a character after a backslash.
const fn escaped(byte: u8) -> Option<u8> {
    match byte {
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        b'\\' | b'\'' | b'"' => Some(byte),
        _ => None,
    }
}
