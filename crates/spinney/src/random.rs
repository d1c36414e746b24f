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
    let mut order = drawn(n, seed, stream);
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

/// Whether each of 0..n is among the first `count` of [`shuffled`].
pub(crate) fn among_first(count: usize, n: usize, seed: u64, stream: u64) -> Vec<bool> {
    let order = drawn(n, seed, stream);
    if count >= n {
        return vec![true; n];
    }
    let first_after = *order.clone().select_nth_unstable(count).1;
    order.into_iter().map(|drawn| drawn < first_after).collect()
}

/// Each of 0..n behind its number in a stream.
fn drawn(n: usize, seed: u64, stream: u64) -> Vec<(u64, u32)> {
    (0..n as u32).map(|i| (random(seed, stream, i.into()), i)).collect()
}

#[cfg(test)]
mod tests {
    use super::{among_first, mix, shuffled};

    #[test]
    fn known_values() {
        // The first outputs of SplitMix64 seeded with 0, as published with the algorithm.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn the_first_of_a_shuffle_are_found_without_it() {
        for (n, count) in [(0, 0), (1, 1), (10, 0), (10, 3), (100, 99), (100, 100)] {
            let first = among_first(count, n, 7, 9);
            let order = shuffled(n, 7, 9);
            assert!((0..).zip(&order).all(|(at, &i)| first[i as usize] == (at < count)));
        }
    }
}
