//! Companies by ticker, from EDGAR's `company_tickers.json`.

use crate::error::FactsError;
use crate::read::{Body, checked, set_once};

/// The most rows of the table. EDGAR's has about 10,000.
pub const MAX_TICKERS: usize = 50_000;

/// The most characters of a ticker.
pub const MAX_TICKER_CHARS: usize = 16;

/// The most tickers that [`Tickers::nearest`] returns.
pub const MAX_NEAREST: usize = 5;

/// The most edits between a ticker and a suggestion for it.
const MAX_EDITS: usize = 2;

/// The table of tickers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tickers {
    /// Ticker in its usual spelling, and company; sorted. A ticker of two companies has both rows.
    rows: Vec<(String, u64)>,
}

/// The usual spelling of a ticker: capital letters, and a hyphen before the class of the share (`BRK-B` for `BRK.B`).
fn usual(ticker: &str) -> Option<String> {
    let ticker = ticker.trim();
    let is_shape =
        (1..=MAX_TICKER_CHARS).contains(&ticker.len()) && ticker.bytes().all(|byte| byte.is_ascii_graphic());
    is_shape.then(|| ticker.to_ascii_uppercase().replace(['.', '/', '_'], "-"))
}

impl Tickers {
    /// Reads the table: an object of rows `{"cik_str", "ticker", "title"}`. Unknown members are passed over.
    ///
    /// # Errors
    ///
    /// [`FactsError`]: the bytes are no such table.
    pub fn read(bytes: &[u8]) -> Result<Self, FactsError> {
        let mut body = Body::new(checked(bytes)?);
        let mut rows = Vec::new();
        let mut next = body.first("the body", |_| ())?;
        while next.is_some() {
            if rows.len() >= MAX_TICKERS {
                return Err(FactsError::TooMany("tickers"));
            }
            rows.push(read_row(&mut body)?);
            next = body.next("the body", |_| ())?;
        }
        body.finish()?;
        rows.sort_unstable();
        rows.dedup();
        Ok(Self { rows })
    }

    /// Returns the company of a ticker in any case; a point, a slash or a hyphen may stand before the class of the share. `None`
    /// for an unknown ticker, and for one that two companies have.
    #[must_use]
    pub fn cik_of(&self, ticker: &str) -> Option<u64> {
        let ticker = usual(ticker)?;
        let first = self.rows.partition_point(|(known, _)| *known < ticker);
        match self.rows[first..]
            .iter()
            .take_while(|(known, _)| *known == ticker)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [(_, cik)] => Some(*cik),
            _ => None,
        }
    }

    /// Returns up to [`MAX_NEAREST`] tickers that differ by at most two edits, and by fewer edits than they have characters; the
    /// nearest first. A transposition counts as one edit.
    #[must_use]
    pub fn nearest(&self, ticker: &str) -> Vec<&str> {
        let Some(ticker) = usual(ticker) else { return Vec::new() };
        let is_near_in_length = |known: &str| known.len().abs_diff(ticker.len()) <= MAX_EDITS;
        let known = self.rows.iter().map(|(known, _)| &**known).filter(|known| is_near_in_length(known));
        let edits = known.map(|known| (strsim::osa_distance(known, &ticker), known));
        let mut near: Vec<(usize, &str)> = edits
            .filter(|(edits, known)| *edits <= MAX_EDITS && *edits < known.len().min(ticker.len()))
            .collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().take(MAX_NEAREST).map(|(_, known)| known).collect()
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if the table has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn read_row(body: &mut Body<'_>) -> Result<(String, u64), FactsError> {
    enum Member {
        Cik,
        Ticker,
        Other,
    }
    let choose = |name: &str| match name {
        "cik_str" => Member::Cik,
        "ticker" => Member::Ticker,
        _ => Member::Other,
    };
    let (mut cik, mut ticker) = (None, None);
    let mut next = body.first("row", choose)?;
    while let Some(member) = next {
        match member {
            Member::Cik => set_once(&mut cik, "cik_str", || body.cik("cik_str"))?,
            Member::Ticker => set_once(&mut ticker, "ticker", || {
                let text = body.text("ticker")?;
                usual(text).ok_or_else(|| FactsError::malformed("ticker", text))
            })?,
            Member::Other => body.skip()?,
        }
        next = body.next("row", choose)?;
    }
    Ok((ticker.ok_or(FactsError::Missing("ticker"))?, cik.ok_or(FactsError::Missing("cik_str"))?))
}
