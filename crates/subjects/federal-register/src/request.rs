//! A search as callers write it.

use jiff::civil::Date;
use record_search::{
    FieldError, FieldProblem, checked_date, checked_list, checked_text, flag_value, list_value, number_value,
    put_once,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DEFAULT_PER_PAGE, DocumentType, FIRST_DAY, MAX_PAGE, MAX_PER_PAGE, MAX_RESULTS, Next, Search};

/// The most characters of a term.
pub const MAX_TERM_CHARS: usize = 500;

/// The most agencies of a search.
pub const MAX_AGENCIES: usize = 20;

/// The most characters of an agency's slug.
pub const MAX_SLUG_CHARS: usize = 150;

/// The most characters of a docket.
pub const MAX_DOCKET_CHARS: usize = 120;

/// A search as callers write it, in JSON or in a query string. Days are `2026-02-28`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Words to search for, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// Slugs of agencies, such as `environmental-protection-agency`; at most 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agencies: Option<Vec<String>>,
    /// Types: RULE, PRORULE, NOTICE, PRESDOCU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// The first day of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last day of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The docket of the agency, such as `EPA-HQ-OAR-2021-0317`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docket: Option<String>,
    /// True for documents that are significant under Executive Order 12866, false for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub significant: Option<bool>,
    /// Only documents published after this day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The page, from 1 to 50; 1 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The rows of a page, from 1 to 100; 20 where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// `next` of an earlier answer, in place of `page`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl SearchRequest {
    /// The search of a query string: `name` and `value` after percent-decoding. Arrays are comma-joined, with `\,` for a
    /// comma within an element.
    ///
    /// # Errors
    /// [`FieldError`] for an unknown name, a name that is there twice and a value of another type.
    pub fn from_query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, FieldError> {
        let mut request = Self::default();
        for (name, value) in pairs {
            match name {
                "term" => put_once("term", &mut request.term, value.to_owned())?,
                "agencies" => put_once("agencies", &mut request.agencies, list_value("agencies", value)?)?,
                "types" => put_once("types", &mut request.types, list_value("types", value)?)?,
                "from" => put_once("from", &mut request.from, value.to_owned())?,
                "to" => put_once("to", &mut request.to, value.to_owned())?,
                "docket" => put_once("docket", &mut request.docket, value.to_owned())?,
                "significant" => {
                    put_once("significant", &mut request.significant, flag_value("significant", value)?)?
                }
                "since" => put_once("since", &mut request.since, value.to_owned())?,
                "page" => put_once("page", &mut request.page, number_value("page", value)?)?,
                "per_page" => put_once("per_page", &mut request.per_page, number_value("per_page", value)?)?,
                "next" => put_once("next", &mut request.next, value.to_owned())?,
                unknown => {
                    let unknown: String = unknown.chars().take(60).collect();
                    let known =
                        "term, agencies, types, from, to, docket, significant, since, page, per_page, next";
                    return Err(FieldError::new(
                        "query",
                        format!("{unknown:?} is no field; the fields are {known}"),
                    ));
                }
            }
        }
        Ok(request)
    }

    /// The search after its checks. `today` is the present day in Washington; `from` and `since` must not be after it.
    ///
    /// # Errors
    /// [`FieldError`] for the first field that cannot be used.
    pub fn check(&self, today: Date) -> Result<Search, FieldError> {
        let term = self.term.as_deref().map(|term| checked_text("term", term, MAX_TERM_CHARS)).transpose()?;
        let docket = self
            .docket
            .as_deref()
            .map(|docket| checked_text("docket", docket, MAX_DOCKET_CHARS))
            .transpose()?;
        let per_page = self.per_page.unwrap_or(DEFAULT_PER_PAGE);
        if !(1..=MAX_PER_PAGE).contains(&per_page) {
            return Err(FieldError::new("per_page", format!("it must be from 1 to {MAX_PER_PAGE}"))
                .of(FieldProblem::OutOfRange));
        }
        let mut search = Search {
            term,
            agencies: self.checked_agencies()?,
            types: self.checked_types()?,
            from: day("from", self.from.as_deref())?,
            to: day("to", self.to.as_deref())?,
            docket,
            significant: self.significant,
            since: day("since", self.since.as_deref())?,
            page: self.page.unwrap_or(1),
            per_page,
        };
        self.go_on(&mut search)?;
        check_page(&search)?;
        check_days(&search, today)?;
        Ok(search)
    }

    fn checked_agencies(&self) -> Result<Vec<String>, FieldError> {
        let Some(agencies) = &self.agencies else { return Ok(Vec::new()) };
        let agencies = checked_list("agencies", agencies, MAX_AGENCIES, MAX_SLUG_CHARS)?;
        let is_slug = |text: &String| {
            text.split('-').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
        };
        match agencies.iter().find(|agency| !is_slug(agency)) {
            Some(name) => {
                let reason = format!("{name:?} is no slug; send one such as environmental-protection-agency");
                Err(FieldError::new("agencies", reason))
            }
            None => Ok(agencies),
        }
    }

    fn checked_types(&self) -> Result<Vec<DocumentType>, FieldError> {
        let Some(types) = &self.types else { return Ok(Vec::new()) };
        let mut checked = Vec::new();
        for code in checked_list("types", types, 2 * DocumentType::ALL.len(), 20)? {
            let kind = DocumentType::from_code(&code).ok_or_else(|| {
                let reason = format!("{code:?} is no type; the types are RULE, PRORULE, NOTICE and PRESDOCU");
                FieldError::new("types", reason).of(FieldProblem::UnknownValue)
            })?;
            if !checked.contains(&kind) {
                checked.push(kind);
            }
        }
        checked.sort_unstable();
        Ok(checked)
    }

    fn go_on(&self, search: &mut Search) -> Result<(), FieldError> {
        let Some(next) = &self.next else { return Ok(()) };
        if self.page.is_some() {
            return Err(FieldError::new("next", "it cannot be sent together with page; leave page out")
                .of(FieldProblem::Contradictory));
        }
        let next: Next = next.trim().parse().map_err(|_| {
            FieldError::new(
                "next",
                "it is not the member next of an answer, such as page:2 or before:2026-02-28",
            )
        })?;
        *search = search.going_on(next);
        Ok(())
    }
}

fn day(field: &'static str, text: Option<&str>) -> Result<Option<Date>, FieldError> {
    text.map(|text| checked_date(field, text)).transpose()
}

fn check_page(search: &Search) -> Result<(), FieldError> {
    let last = u64::from(MAX_PAGE).min(MAX_RESULTS / u64::from(search.per_page));
    if search.page == 0 || u64::from(search.page) > last {
        let reason = format!(
            "it must be from 1 to {last} with {} rows a page: the service shows {MAX_PAGE} pages and {MAX_RESULTS} \
             results; send a greater per_page or go on with to, the day of the last row",
            search.per_page
        );
        return Err(FieldError::new("page", reason).of(FieldProblem::OutOfRange));
    }
    Ok(())
}

fn check_days(search: &Search, today: Date) -> Result<(), FieldError> {
    for (field, day) in [("from", search.from), ("since", search.since)] {
        if day.is_some_and(|day| day > today) {
            return Err(FieldError::new(field, format!("it is in the future; today is {today}"))
                .of(FieldProblem::InFuture));
        }
    }
    let Some(to) = search.to else { return Ok(()) };
    if search.from.is_some_and(|from| from > to) {
        return Err(
            FieldError::new("from", "it is after to; exchange the two days").of(FieldProblem::Contradictory)
        );
    }
    if search.since.is_some_and(|since| since >= to) {
        return Err(FieldError::new(
            "since",
            "it is not before to, so no document can be found; send a later to",
        )
        .of(FieldProblem::Contradictory));
    }
    if to < FIRST_DAY {
        let reason = format!("it is before {FIRST_DAY}, the first day whose documents the service searches");
        return Err(FieldError::new("to", reason).of(FieldProblem::OutOfRange));
    }
    Ok(())
}
