pub use crate::search::stop::Limits;
