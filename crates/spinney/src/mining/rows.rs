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

    /// Where the vertex at `position` is.
    pub(crate) fn lane(self, position: usize) -> Lane {
        let bit = position << self.log;
        Lane { word: bit / 64, shift: (bit % 64) as u32, ones: u64::MAX >> (64 - self.bits) }
    }

    /// The vertex at `position`.
    pub(crate) fn get(self, row: &[u64], position: usize) -> u32 {
        self.lane(position).get(row)
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

/// The place of a vertex in rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    word: usize,
    shift: u32,
    ones: u64,
}

impl Lane {
    /// The vertex there.
    #[inline(always)]
    pub(crate) fn get(self, row: &[u64]) -> u32 {
        (row[self.word] >> self.shift & self.ones) as u32
    }

    /// Writes `vertex` into the lane, which is unused.
    #[inline(always)]
    pub(crate) fn set(self, row: &mut [u64], vertex: u32) {
        row[self.word] ^= (u64::from(vertex) ^ self.ones) << self.shift;
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
                        packing.lane(plain.len()).set(&mut row, v);
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
