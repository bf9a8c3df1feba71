//! Lists: their forms, their snapshots, their differences, and the real publications where they are at hand.

mod bad_input;
mod common;
mod forms;
mod identity;
mod losses;
mod publishers;
mod real;
mod retired;
mod rounds;
mod snapshots;
mod world;
mod world_real;
