//! Fills as Hyperliquid's API sends them. Members that are not read take no memory.

use std::fmt;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use crate::error::{ImportError, Problem, shown};
use crate::{Format, MAX_ROWS};

/// The members of a fill that are read.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RawFill {
    pub(super) coin: Cell,
    pub(super) px: Cell,
    pub(super) sz: Cell,
    pub(super) side: Cell,
    pub(super) time: Cell,
    pub(super) start_position: Cell,
    pub(super) closed_pnl: Cell,
    pub(super) fee: Cell,
    pub(super) fee_token: Cell,
    pub(super) tid: Cell,
}

/// The value of a member.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Cell {
    Text(String),
    Whole(i64),
    /// Absent, or of another type.
    #[default]
    Other,
}

impl Cell {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Self::Whole(number) => Some(*number),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cell, E> {
        Ok(Cell::Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cell, E> {
        Ok(i64::try_from(number).map_or(Cell::Other, Cell::Whole))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Cell, E> {
        Ok(Cell::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Cell, E> {
        Ok(Cell::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Cell, E> {
        Ok(Cell::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cell, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Cell, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Other)
    }
}

/// Reads fills up to the bound.
struct FillsVisitor;

/// The error of too many fills, which cannot be an error of JSON.
const TOO_MANY: &str = "too many fills";

impl<'de> Visitor<'de> for FillsVisitor {
    type Value = Vec<RawFill>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array of fills")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<RawFill>, A::Error> {
        let mut fills = Vec::new();
        while let Some(fill) = items.next_element()? {
            if fills.len() >= MAX_ROWS {
                return Err(de::Error::custom(TOO_MANY));
            }
            fills.push(fill);
        }
        Ok(fills)
    }
}

impl RawFill {
    /// Reads an array of fills.
    pub(super) fn read_all(content: &str) -> Result<Vec<Self>, ImportError> {
        if !content.trim_start().starts_with('[') {
            let missing = "an array of fills".to_owned();
            return Err(Problem::OtherFormat { format: Format::HyperliquidFills, missing }.anywhere());
        }
        let mut json = serde_json::Deserializer::from_str(content);
        let fills = json.deserialize_seq(FillsVisitor).and_then(|fills| json.end().map(|()| fills));
        fills.map_err(|error| {
            let detail = error.to_string();
            if detail.starts_with(TOO_MANY) {
                return Problem::TooManyRows.anywhere();
            }
            Problem::Damaged(shown(&detail)).anywhere()
        })
    }
}
