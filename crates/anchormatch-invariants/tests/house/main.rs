//! The house is as ARCHITECTURE.md draws it.
//!
//! The tables of that document are the rule: a room of the library reaches only those that its row names, a
//! crate stands only on those of its row, and both stand in the order of the flow. Whoever changes the house
//! changes the document, or this test fails.

#![allow(clippy::unwrap_used)]

mod bans;
mod crates;
mod document;
mod lists;
mod options;
mod rooms;
mod source;
