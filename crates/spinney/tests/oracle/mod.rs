//! What is true, found in the slowest and most obvious way.
//!
//! Nothing here calls the code under test: patterns are plain lists, isomorphism is backtracking
//! over vertex maps, edge sets are bit masks, the smallest DFS code is the least of all
//! depth-first walks, and the reference search scores every column of every pattern with no bound,
//! no classes and no cache. The library's graphs are read through their accessors only.

#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

pub mod data;
pub mod pattern;
pub mod random;
pub mod search;
