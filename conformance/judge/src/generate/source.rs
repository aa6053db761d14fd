//! Reads bytes as choices. Every read has a fixed width, never that of `usize`, so that the same bytes make the
//! same choices on every machine. When the bytes are used up, every read is 0.

use arbitrary::Unstructured;

/// A source of choices.
pub(super) struct Source<'u, 'bytes> {
    bytes: &'u mut Unstructured<'bytes>,
}

impl<'u, 'bytes> Source<'u, 'bytes> {
    pub(super) fn new(bytes: &'u mut Unstructured<'bytes>) -> Self {
        Self { bytes }
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        if let Some(array) = self.bytes.bytes(N).ok().and_then(|bytes| bytes.try_into().ok()) {
            return array;
        }
        let mut array = [0; N];
        // Takes the rest, and zeros. `fill_buffer` does not fail, and an error would also leave zeros.
        let _ = self.bytes.fill_buffer(&mut array);
        array
    }

    pub(super) fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    pub(super) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// Returns a number below `count`, which is at most 2^16; 0 if there is nothing to choose.
    pub(super) fn below(&mut self, count: usize) -> usize {
        match count {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % count,
            _ => usize::from(u16::from_le_bytes(self.array())) % count,
        }
    }

    /// Returns one of the items.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T], otherwise: T) -> T {
        items.get(self.below(items.len())).copied().unwrap_or(otherwise)
    }

    /// Returns true for `share` of the 256 values of a byte, and never once the bytes are used up.
    pub(super) fn chance(&mut self, share: u8) -> bool {
        self.byte() > u8::MAX - share
    }
}
