//! A company's identity and its annual filings, from EDGAR's `submissions/CIK##########.json`.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::error::FactsError;
use crate::fact::{day, read_accession, read_cik, read_day, read_form};
use crate::read::{MAX_NAME_BYTES, checked};

/// The most filings that are kept, the newest first.
pub const MAX_FILINGS: usize = 1_000;

/// The most tickers, and the most former names, that are kept.
pub const MAX_NAMES: usize = 100;

/// The forms that are kept.
const KEPT_FORMS: &[&str] =
    &["10-K", "10-K/A", "10-KT", "10-KT/A", "20-F", "20-F/A", "40-F", "40-F/A", "NT 10-K"];

/// A company's identity and its annual filings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submissions {
    /// The company's number.
    pub cik: u64,
    /// The company's name.
    pub name: String,
    /// The kind of filer, such as `operating` or `other`.
    pub entity_type: Option<String>,
    /// The industry code, 100 to 9999. Funds and persons have none.
    pub sic: Option<u16>,
    /// The industry in words.
    pub sic_description: Option<String>,
    /// The last day of the fiscal year, as month and day: `0928`.
    pub fiscal_year_end: Option<String>,
    /// The tickers.
    pub tickers: Vec<String>,
    /// Earlier names.
    pub former_names: Vec<String>,
    /// Annual reports, and notices that one will be late, in the order of the body.
    pub filings: Vec<Filing>,
}

/// A filing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filing {
    /// The form, such as `10-K/A`.
    pub form: String,
    /// The accession number.
    pub accession: String,
    /// The day of filing.
    pub filed: Date,
    /// The last day of the period of the report.
    pub report_date: Option<Date>,
}

impl Submissions {
    /// Reads a body. Unknown members are passed over.
    ///
    /// # Errors
    ///
    /// [`FactsError`]: the bytes are no such body.
    pub fn read(bytes: &[u8]) -> Result<Self, FactsError> {
        let wire: WireBody = from_json(bytes)?;
        let cik = match wire.cik.ok_or(FactsError::Missing("cik"))? {
            serde_json::Value::String(text) => read_cik(&text)?,
            serde_json::Value::Number(number) => read_cik(&number.to_string())?,
            _ => return Err(FactsError::WrongType { member: "cik", expected: "an integer" }),
        };
        let filings = wire.filings.ok_or(FactsError::Missing("filings"))?;
        let recent = filings.recent.ok_or(FactsError::Missing("filings.recent"))?;
        let former = wire.former_names.unwrap_or_default().into_iter().map(|former| former.name);
        Ok(Self {
            cik,
            name: bounded("name", wire.name.ok_or(FactsError::Missing("name"))?)?,
            entity_type: optional("entityType", wire.entity_type)?,
            sic: wire.sic.filter(|sic| !sic.is_empty()).map(|sic| read_sic(&sic)).transpose()?,
            sic_description: optional("sicDescription", wire.sic_description)?,
            fiscal_year_end: optional("fiscalYearEnd", wire.fiscal_year_end)?,
            tickers: names("tickers", wire.tickers.unwrap_or_default().into_iter().flatten())?,
            former_names: names("formerNames", former)?,
            filings: recent.filings()?,
        })
    }

    /// Writes what was read as compact JSON. Equal submissions have equal bytes.
    ///
    /// # Panics
    ///
    /// Never: text and days always have a JSON form.
    #[must_use]
    pub fn to_canonical(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("text and days have a JSON form")
    }

    /// Reads what [`to_canonical`](Self::to_canonical) wrote.
    ///
    /// # Errors
    ///
    /// [`FactsError`]: other bytes than those of a canonical form.
    pub fn from_canonical(bytes: &[u8]) -> Result<Self, FactsError> {
        let read: Self = serde_json::from_slice(checked(bytes)?)
            .map_err(|error| FactsError::NotCanonical(error.to_string()))?;
        if read.to_canonical() == bytes {
            Ok(read)
        } else {
            Err(FactsError::NotCanonical("the order or the spelling differs".to_owned()))
        }
    }
}

fn from_json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, FactsError> {
    serde_json::from_slice(checked(bytes)?).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => FactsError::Incomplete(bytes.len()),
        serde_json::error::Category::Data => FactsError::malformed("a member", &error.to_string()),
        _ if error.to_string().starts_with("recursion limit") => FactsError::TooDeep(error.column()),
        _ => FactsError::NotJson(error.column()),
    })
}

fn bounded(member: &'static str, text: String) -> Result<String, FactsError> {
    if text.len() > MAX_NAME_BYTES { Err(FactsError::TooLong(member)) } else { Ok(text) }
}

fn optional(member: &'static str, text: Option<String>) -> Result<Option<String>, FactsError> {
    text.filter(|text| !text.is_empty()).map(|text| bounded(member, text)).transpose()
}

fn names(member: &'static str, names: impl Iterator<Item = String>) -> Result<Vec<String>, FactsError> {
    names.take(MAX_NAMES).map(|name| bounded(member, name)).collect()
}

fn read_sic(text: &str) -> Result<u16, FactsError> {
    let is_shape = (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let sic = is_shape.then(|| text.parse().ok()).flatten();
    sic.filter(|sic| (100..=9999).contains(sic)).ok_or_else(|| FactsError::malformed("sic", text))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBody {
    cik: Option<serde_json::Value>,
    name: Option<String>,
    entity_type: Option<String>,
    sic: Option<String>,
    sic_description: Option<String>,
    fiscal_year_end: Option<String>,
    tickers: Option<Vec<Option<String>>>,
    former_names: Option<Vec<WireFormerName>>,
    filings: Option<WireFilings>,
}

#[derive(Deserialize)]
struct WireFormerName {
    name: String,
}

#[derive(Deserialize)]
struct WireFilings {
    recent: Option<WireRecent>,
}

/// One table as columns: the members of one filing have one index.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRecent {
    form: Vec<String>,
    accession_number: Vec<String>,
    filing_date: Vec<String>,
    report_date: Vec<Option<String>>,
}

impl WireRecent {
    fn filings(self) -> Result<Vec<Filing>, FactsError> {
        let lengths = [self.accession_number.len(), self.filing_date.len(), self.report_date.len()];
        if lengths.iter().any(|length| *length != self.form.len()) {
            return Err(FactsError::UnequalColumns("filings.recent"));
        }
        let columns =
            self.form.iter().zip(&self.accession_number).zip(&self.filing_date).zip(&self.report_date);
        let kept = columns.filter(|(((form, _), _), _)| KEPT_FORMS.contains(&&***form));
        let read = kept.take(MAX_FILINGS).map(|(((form, accession), filed), report_date)| {
            Ok(Filing {
                form: read_form(form)?,
                accession: read_accession("accessionNumber", accession)?,
                filed: read_day("filingDate", filed)?,
                report_date: report_date.as_deref().and_then(day),
            })
        });
        read.collect()
    }
}
