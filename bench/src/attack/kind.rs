//! The attacks by name.

use clap::ValueEnum;

/// An attack.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attack {
    /// Nobody attacks: what the honest client sees anyway.
    Nobody,
    /// Queries of 64 KB with thousands of names.
    Queries,
    /// Bodies of 4 MB, 256 KiB and 63 KiB that are slow to parse.
    Bodies,
    /// 16 networks hold 256 connections each.
    #[value(name = "connections-16")]
    Connections16,
    /// 64 networks hold 256 connections each.
    #[value(name = "connections-64")]
    Connections64,
    /// 1,000 networks hold 10 idle connections each.
    #[value(name = "connections-10000")]
    Connections10000,
    /// Heads that never end, and answers that nobody reads.
    Unfinished,
    /// Free calls that fill the disk.
    Disk,
    /// Free records of 46,000 days.
    Grading,
    /// A hundred unfinished bodies of 4 MiB an address.
    Memory,
    /// Bonds that are spent elsewhere, disputes that decide nothing, and reruns without end.
    Disputes,
    /// Proofs of payment that are none.
    Proofs,
    /// The honest client's own names, and made-up ones.
    Names,
    /// More names than the rate limiter has room for.
    Keys,
    /// Looks at dead domains, names of 4,096 characters, batches.
    Looks,
    /// All of them at once.
    Everything,
}

impl Attack {
    /// The name on the command line and in the table.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The files that its attackers have open at once, and some more.
    pub fn files(self) -> u64 {
        match self {
            Self::Connections64 => 17_500,
            Self::Connections10000 | Self::Everything => 11_000,
            Self::Connections16 | Self::Unfinished => 5_500,
            _ => 2_000,
        }
    }
}
