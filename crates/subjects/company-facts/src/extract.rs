//! The extract of a body: the facts of mapped tags, and their canonical form.

use std::io::Read;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::decimal;
use crate::error::FactsError;
use crate::fact::{Fact, MAX_VALUE_CHARS, read_accession, read_cik, read_day, read_form};
use crate::mapping::{IFRS, US_GAAP};
use crate::read::{MAX_FACTS, MAX_NAME_BYTES, MAX_SERIES, MAX_TAXONOMIES, bytes_of, checked, company_facts};

/// The facts of one tag in one unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Series {
    pub(crate) taxonomy: String,
    pub(crate) tag: String,
    pub(crate) unit: String,
    /// In order, each once.
    pub(crate) facts: Vec<Fact>,
}

impl Series {
    fn key(&self) -> (&str, &str, &str) {
        (&self.taxonomy, &self.tag, &self.unit)
    }
}

/// The facts of mapped tags that a body of company facts holds. Two bodies with the same facts in another order are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompanyFacts {
    cik: u64,
    entity_name: String,
    taxonomies: Vec<String>,
    series: Vec<Series>,
}

impl CompanyFacts {
    /// Reads a body from a source of bytes, at most [`MAX_BODY_BYTES`](crate::MAX_BODY_BYTES).
    ///
    /// # Errors
    ///
    /// [`FactsError`]: the source fails, or the bytes are no such body.
    pub fn read(reader: impl Read) -> Result<Self, FactsError> {
        Self::read_slice(&bytes_of(reader)?)
    }

    /// Reads a body in memory, without storing anything of an unmapped tag. Unknown members are passed over.
    ///
    /// # Errors
    ///
    /// [`FactsError`]: the bytes are no such body.
    pub fn read_slice(bytes: &[u8]) -> Result<Self, FactsError> {
        company_facts(bytes)
    }

    pub(crate) fn new(
        cik: u64,
        entity_name: String,
        mut taxonomies: Vec<String>,
        mut series: Vec<Series>,
    ) -> Self {
        taxonomies.sort_unstable();
        for one in &mut series {
            one.facts.sort_unstable();
            one.facts.dedup();
        }
        series.retain(|one| !one.facts.is_empty());
        series.sort_unstable_by(|left, right| left.key().cmp(&right.key()));
        Self { cik, entity_name, taxonomies, series }
    }

    /// The company's number.
    #[must_use]
    pub fn cik(&self) -> u64 {
        self.cik
    }

    /// The company's name.
    #[must_use]
    pub fn entity_name(&self) -> &str {
        &self.entity_name
    }

    /// The taxonomies of which the body has at least one tag, sorted.
    #[must_use]
    pub fn taxonomies(&self) -> &[String] {
        &self.taxonomies
    }

    /// The number of facts that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.series.iter().map(|series| series.facts.len()).sum()
    }

    /// True if no fact is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// True if the company reports by the international standards, and nothing by those of the US.
    #[must_use]
    pub fn is_ifrs_only(&self) -> bool {
        self.has_taxonomy(IFRS) && !self.has_taxonomy(US_GAAP)
    }

    pub(crate) fn has_taxonomy(&self, name: &str) -> bool {
        self.taxonomies.iter().any(|taxonomy| taxonomy == name)
    }

    /// The facts of a tag in a unit, by period and then by filing; none for a tag that is not mapped.
    #[must_use]
    pub fn facts_of(&self, taxonomy: &str, tag: &str, unit: &str) -> &[Fact] {
        let found = self.series.binary_search_by(|series| series.key().cmp(&(taxonomy, tag, unit)));
        found.map_or(&[], |at| &self.series[at].facts)
    }

    /// Every kept tag with its unit and facts: taxonomy, tag, unit.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str, &str, &[Fact])> {
        self.series.iter().map(|one| (&*one.taxonomy, &*one.tag, &*one.unit, &*one.facts))
    }

    /// The units and facts of a tag.
    pub(crate) fn units_of<'a>(
        &'a self,
        taxonomy: &'a str,
        tag: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a [Fact])> {
        let first = self.series.partition_point(|one| (&*one.taxonomy, &*one.tag) < (taxonomy, tag));
        let same =
            self.series[first..].iter().take_while(move |one| one.taxonomy == taxonomy && one.tag == tag);
        same.map(|one| (&*one.unit, &*one.facts))
    }

    /// Writes the extract as compact JSON. Equal extracts have equal bytes.
    ///
    /// # Panics
    ///
    /// Never: text and days always have a JSON form.
    #[must_use]
    pub fn to_canonical(&self) -> Vec<u8> {
        let wire = WireExtract {
            cik: self.cik,
            entity_name: self.entity_name.clone(),
            taxonomies: self.taxonomies.clone(),
            series: self.series.iter().map(WireSeries::from).collect(),
        };
        serde_json::to_vec(&wire).expect("text and days have a JSON form")
    }

    /// Reads what [`to_canonical`](Self::to_canonical) wrote.
    ///
    /// # Errors
    ///
    /// [`FactsError`]: other bytes than those of a canonical form.
    pub fn from_canonical(bytes: &[u8]) -> Result<Self, FactsError> {
        let wire: WireExtract = serde_json::from_slice(checked(bytes)?)
            .map_err(|error| FactsError::NotCanonical(error.to_string()))?;
        let count: usize = wire.series.iter().map(|series| series.facts.len()).sum();
        if count > MAX_FACTS || wire.series.len() > MAX_SERIES || wire.taxonomies.len() > MAX_TAXONOMIES {
            return Err(FactsError::TooManyFacts);
        }
        let names = wire.taxonomies.iter().chain([&wire.entity_name]);
        if names.chain(wire.series.iter().map(|series| &series.unit)).any(|name| name.len() > MAX_NAME_BYTES)
        {
            return Err(FactsError::TooLong("a name"));
        }
        let cik = read_cik(&wire.cik.to_string())?;
        let series: Result<Vec<Series>, FactsError> = wire.series.into_iter().map(Series::try_from).collect();
        let read = Self::new(cik, wire.entity_name, wire.taxonomies, series?);
        if read.to_canonical() == bytes {
            Ok(read)
        } else {
            Err(FactsError::NotCanonical("the order or the spelling differs".to_owned()))
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireExtract {
    cik: u64,
    entity_name: String,
    taxonomies: Vec<String>,
    series: Vec<WireSeries>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSeries {
    taxonomy: String,
    tag: String,
    unit: String,
    facts: Vec<WireFact>,
}

/// Start, end, value, accession, form, filed.
#[derive(Serialize, Deserialize)]
struct WireFact(Option<String>, String, String, String, String, String);

impl From<&Series> for WireSeries {
    fn from(series: &Series) -> Self {
        let wire = |fact: &Fact| {
            WireFact(
                fact.start.map(|start: Date| start.to_string()),
                fact.end.to_string(),
                fact.value.clone(),
                fact.accession.clone(),
                fact.form.clone(),
                fact.filed.to_string(),
            )
        };
        Self {
            taxonomy: series.taxonomy.clone(),
            tag: series.tag.clone(),
            unit: series.unit.clone(),
            facts: series.facts.iter().map(wire).collect(),
        }
    }
}

impl TryFrom<WireSeries> for Series {
    type Error = FactsError;

    fn try_from(wire: WireSeries) -> Result<Self, FactsError> {
        let read = |WireFact(start, end, value, accession, form, filed): WireFact| {
            if value.len() > MAX_VALUE_CHARS {
                return Err(FactsError::TooLong("val"));
            }
            if !decimal::is_json_number(&value) {
                return Err(FactsError::malformed("val", &value));
            }
            Ok(Fact {
                end: read_day("end", &end)?,
                start: start.map(|start| read_day("start", &start)).transpose()?,
                filed: read_day("filed", &filed)?,
                accession: read_accession("accn", &accession)?,
                form: read_form(&form)?,
                value,
            })
        };
        let facts: Result<Vec<Fact>, FactsError> = wire.facts.into_iter().map(read).collect();
        Ok(Self { taxonomy: wire.taxonomy, tag: wire.tag, unit: wire.unit, facts: facts? })
    }
}
