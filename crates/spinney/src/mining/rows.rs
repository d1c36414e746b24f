//! Embeddings as rows of packed vertices.
//!
//! A row holds the vertices of one embedding in the order of the code's positions, several to a
//! 64-bit word: 8 bits each where every graph has fewer than 256 vertices, else 16 or 32. Unused
//! lanes are all ones, which is no vertex. Looking for a vertex compares a word at a time.

/// How many vertices a word holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    bits: u32,
    /// The logarithm of `bits`.
    log: u32,
    /// The lowest bit of every lane.
    low: u64,
}

impl Packing {
    /// For graphs of at most `vertices` vertices.
    pub(crate) fn new(vertices: usize) -> Self {
        match vertices {
            0..0x100 => Packing { bits: 8, log: 3, low: 0x0101_0101_0101_0101 },
            0x100..0x1_0000 => Packing { bits: 16, log: 4, low: 0x0001_0001_0001_0001 },
            _ => Packing { bits: 32, log: 5, low: 0x0000_0001_0000_0001 },
        }
    }

    /// The words of a row of `width` vertices.
    pub(crate) fn words(self, width: usize) -> usize {
        (width << self.log).div_ceil(64)
    }

    fn place(self, position: usize) -> (usize, u32) {
        let bit = position << self.log;
        (bit / 64, (bit % 64) as u32)
    }

    /// The vertex at `position`.
    pub(crate) fn get(self, row: &[u64], position: usize) -> u32 {
        let (word, shift) = self.place(position);
        (row[word] >> shift) as u32 & (u32::MAX >> (32 - self.bits))
    }

    /// Writes `vertex` into an unused lane.
    pub(crate) fn set(self, row: &mut [u64], position: usize, vertex: u32) {
        let (word, shift) = self.place(position);
        let flipped = !vertex & (u32::MAX >> (32 - self.bits));
        row[word] ^= u64::from(flipped) << shift;
    }

    /// The position of `vertex` in a row.
    #[inline(always)]
    pub(crate) fn find(self, row: &[u64], vertex: u32) -> Option<usize> {
        self.any(row, vertex).then(|| self.position(row, vertex))
    }

    /// Marks the lanes of a word that hold `wanted`, repeated in every lane: the lowest mark is
    /// exact.
    #[inline(always)]
    fn marks(self, word: u64, wanted: u64) -> u64 {
        let differs = word ^ wanted;
        differs.wrapping_sub(self.low) & !differs & (self.low << (self.bits - 1))
    }

    #[inline(always)]
    fn any(self, row: &[u64], vertex: u32) -> bool {
        let wanted = u64::from(vertex).wrapping_mul(self.low);
        row.iter().fold(0, |found, &word| found | self.marks(word, wanted)) != 0
    }

    fn position(self, row: &[u64], vertex: u32) -> usize {
        let wanted = u64::from(vertex).wrapping_mul(self.low);
        let mut bits = 0;
        for &word in row {
            let marks = self.marks(word, wanted);
            if marks != 0 {
                return (bits + marks.trailing_zeros() as usize) >> self.log;
            }
            bits += 64;
        }
        bits >> self.log
    }
}

#[cfg(test)]
mod tests {
    use super::Packing;
    use crate::random::mix;

    #[test]
    fn rows_hold_what_was_written() {
        let mut seed = 5;
        for most in [3, 200, 255, 256, 65_535, 65_536, 4_000_000] {
            let packing = Packing::new(most);
            for width in 1..40_usize.min(most) {
                let mut row = vec![u64::MAX; packing.words(width)];
                let mut plain: Vec<u32> = Vec::new();
                while plain.len() < width {
                    seed = mix(seed);
                    let v = (seed % most as u64) as u32;
                    if !plain.contains(&v) {
                        packing.set(&mut row, plain.len(), v);
                        plain.push(v);
                    }
                }
                for (i, &v) in plain.iter().enumerate() {
                    assert_eq!(packing.get(&row, i), v);
                    assert_eq!(packing.find(&row, v), Some(i));
                }
                for v in (0..most as u32).filter(|v| !plain.contains(v)).take(300) {
                    assert_eq!(packing.find(&row, v), None);
                }
            }
        }
    }
}
