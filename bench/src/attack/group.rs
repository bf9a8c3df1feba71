//! The first number of each attack's group of addresses (see [`attacker`](super::scene::attacker)).

pub const QUERIES: u8 = 0;
pub const BODIES: u8 = 1;
pub const UNFINISHED: u8 = 2;
pub const DISK: u8 = 3;
pub const GRADING: u8 = 4;
pub const MEMORY: u8 = 5;
pub const DISPUTES: u8 = 6;
pub const PROOFS: u8 = 7;
pub const NAMES: u8 = 8;
pub const KEYS: u8 = 9;
pub const LOOKS: u8 = 10;
/// And the four after it.
pub const CONNECTIONS: u8 = 11;
