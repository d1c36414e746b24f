//! Choosing parameters from the data, before the training proper.
//!
//! [`automatic`] derives parameters from what is cheaply known of the data; [`hold_out`] tunes least
//! gain, rounds, temperature and the weight of the linear model on held-out parts of the training
//! graphs; [`early_stopping`] finds the number of rounds on a held-out fifth.

pub mod automatic;
pub mod early_stopping;
pub mod hold_out;
