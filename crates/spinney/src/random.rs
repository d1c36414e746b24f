//! Numbers that look random and are functions of their arguments: the same on every machine.

/// One step of SplitMix64 (Steele, Lea and Flood 2014): mixes every bit into every other.
pub(crate) fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The `i`-th number of a stream, one of many that belong to a seed.
pub(crate) fn random(seed: u64, stream: u64, i: u64) -> u64 {
    mix(mix(mix(seed) ^ stream).wrapping_add(i))
}

/// The positions 0..n in a random order.
pub(crate) fn shuffled(n: usize, seed: u64, stream: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| (random(seed, stream, i.into()), i));
    order
}

#[cfg(test)]
mod tests {
    use super::mix;

    #[test]
    fn known_values() {
        // The first outputs of SplitMix64 seeded with 0, as published with the algorithm.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }
}
