//! Nothing: see `tests/arrow.rs`.
