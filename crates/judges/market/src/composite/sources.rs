//! The published files that the built-in composite is read from.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::civil::Date;
use stress_composite::{FileError, YieldCurve, vix_history};
use verdict::Timestamp;

use crate::source::{Answer, Answers, Document, Gathered, Services, SourceFault, SourceRequest};

/// The first year of the Treasury's files.
pub const TREASURY_YEARS: i16 = 1990;
/// The years of yields before that of the reading: a window of five years for each day of the course, which has two.
pub const TREASURY_YEARS_BACK: i16 = 8;
/// Files that are asked for at once.
const AT_ONCE: usize = 3;

/// The kind of document of CBOE's file.
pub(super) const VIX: &str = "vix_history";
/// The kind of document of a year of the Treasury's.
pub(super) const YIELDS: &str = "yield_curve";

/// The files, with what they have answered.
pub(super) struct CompositeSources {
    vix: Answers<()>,
    /// The file of the running year, which grows each day.
    running: Answers<()>,
    /// Files of years that are over.
    past: Answers<()>,
}

impl CompositeSources {
    pub(super) fn new(services: &Services) -> Self {
        let hour = Duration::from_secs(3600);
        let treasury = |time, most| Answers::new(services.treasury.clone(), YIELDS, time, most, read_yields);
        Self {
            vix: Answers::new(services.cboe.clone(), VIX, hour, 1, read_vix),
            running: treasury(hour, 2),
            past: treasury(24 * hour, 64),
        }
    }

    /// The files that a reading as of a day needs.
    pub(super) async fn gather(
        &self,
        as_of: Date,
        at: Timestamp,
        today: Date,
    ) -> Result<Gathered, SourceFault> {
        let mut gathered = Gathered::default();
        let vix = SourceRequest::get("api/global/us_indices/daily_prices/VIX_History.csv");
        gathered.add(&found(&self.vix, self.vix.of(&vix, at).await?)?);
        let first = (as_of.year() - TREASURY_YEARS_BACK).max(TREASURY_YEARS);
        // In the first days of a year the file of the year before may still get its last row.
        let is_past = |year: i16| year + 1 < today.year() || (year < today.year() && today.month() > 1);
        let year = |year: i16| async move {
            let answers = if is_past(year) { &self.past } else { &self.running };
            found(answers, answers.of(&yields_of(year), at).await?)
        };
        let years: Vec<Answer<()>> =
            stream::iter(first..=as_of.year()).map(year).buffered(AT_ONCE).try_collect().await?;
        years.iter().for_each(|answer| gathered.add(answer));
        Ok(gathered)
    }
}

fn yields_of(year: i16) -> SourceRequest {
    let path =
        format!("resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{year}/all");
    let query = format!("type=daily_treasury_yield_curve&field_tdr_date_value={year}&page&_format=csv");
    SourceRequest { query: Some(query), ..SourceRequest::get(path) }
}

fn found(answers: &Answers<()>, answer: Answer<()>) -> Result<Answer<()>, SourceFault> {
    if answer.document.is_some() { Ok(answer) } else { Err(answers.fault("status_404")) }
}

fn read_vix(body: Bytes) -> Result<Document<()>, String> {
    vix_history(&body).map_err(|error| error.to_string())?;
    Ok(Document { content: (), kept: body })
}

fn read_yields(body: Bytes) -> Result<Document<()>, String> {
    if has_rows(&body) {
        YieldCurve::read([&body[..]]).map_err(|error: FileError| error.to_string())?;
    }
    Ok(Document { content: (), kept: body })
}

/// True if a file has more than its header: in the first days of a year that of the year has none.
pub(super) fn has_rows(body: &[u8]) -> bool {
    let is_line = |line: &&[u8]| !line.trim_ascii().is_empty();
    let mut lines = body.split(|byte| *byte == b'\n').filter(is_line);
    let is_header = |line: &[u8]| line.trim_ascii().to_ascii_lowercase().starts_with(b"date,");
    !lines.next().is_some_and(is_header) || lines.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_header_alone_is_read_and_a_page_is_not() {
        assert!(!has_rows(b"Date,\"3 Mo\",\"2 Yr\",\"10 Yr\"\r\n\r\n"));
        assert!(read_yields(Bytes::from_static(b"Date,3 Mo,2 Yr,10 Yr\n")).is_ok());
        assert!(read_yields(Bytes::from_static(b"<html><body>maintenance")).is_err());
        assert!(read_yields(Bytes::new()).is_err());
        assert!(read_vix(Bytes::from_static(b"DATE,OPEN\n")).is_err());
    }
}
