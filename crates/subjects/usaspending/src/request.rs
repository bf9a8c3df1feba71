//! A search as callers write it.

use jiff::civil::Date;
use record_search::{
    FieldError, FieldProblem, checked_date, checked_list, checked_text, flag_value, list_value, number_value,
    put_once,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgencyFilter, AgencyRole, AgencyTier, Amount, AwardGroup, AwardSearch, AwardTypes, DEFAULT_LIMIT,
    FIRST_DAY, MAX_LIMIT, MAX_PAGED_ROWS, Next, Period,
};

/// The most keywords.
pub const MAX_KEYWORDS: usize = 20;

/// The least characters of a keyword; the service refuses shorter ones.
pub const MIN_KEYWORD_CHARS: usize = 3;

/// The most characters of a keyword, of a recipient and of an agency's name.
pub const MAX_TEXT_CHARS: usize = 200;

/// The most award type codes, industry codes and product codes, each.
pub const MAX_CODES: usize = 50;

/// A search as callers write it, in JSON or in a query string. Days are `2026-02-28`, amounts decimal texts in dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AwardSearchRequest {
    /// The group of award types: contracts, idvs, grants, direct_payments, loans, other.
    pub group: Option<String>,
    /// Award type codes, all of one group; all codes of `group` where it is left out.
    pub types: Option<Vec<String>>,
    /// Words of which an award has one, of at least three characters each.
    pub keywords: Option<Vec<String>>,
    /// A part of the recipient's name, or its UEI.
    pub recipient: Option<String>,
    /// The agency's name; of a toptier agency also its abbreviation, code or slug.
    pub agency: Option<String>,
    /// The agency's role: awarding (where it is left out) or funding.
    pub agency_role: Option<String>,
    /// The agency's level: toptier (where it is left out) or subtier.
    pub agency_tier: Option<String>,
    /// The toptier agency above a subtier one.
    pub agency_parent: Option<String>,
    /// Codes of industries (NAICS), of two to six digits.
    pub naics: Option<Vec<String>>,
    /// Codes of products and services (PSC), of four characters.
    pub psc: Option<Vec<String>>,
    /// The first day of actions, from 2007-10-01 on.
    pub from: Option<String>,
    /// The last day of actions.
    pub to: Option<String>,
    /// The least amount.
    pub min_amount: Option<String>,
    /// The greatest amount.
    pub max_amount: Option<String>,
    /// Only awards that were changed after this day; in place of `from` and `to`.
    pub since: Option<String>,
    /// True for awards that recipients gave on to others.
    pub subawards: Option<bool>,
    /// The rows of a page, from 1 to 100; 20 where it is left out.
    pub limit: Option<u32>,
    /// The page, from 1.
    pub page: Option<u32>,
    /// `next` of an earlier answer, in place of `page`.
    pub next: Option<String>,
}

impl AwardSearchRequest {
    /// The search of a query string: `name` and `value` after percent-decoding. Arrays are comma-joined, with `\,` for a
    /// comma within an element.
    ///
    /// # Errors
    /// [`FieldError`] for an unknown name, a name that is there twice and a value of another type.
    pub fn from_query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, FieldError> {
        let mut request = Self::default();
        for (name, value) in pairs {
            let text = || value.to_owned();
            match name {
                "group" => put_once("group", &mut request.group, text())?,
                "types" => put_once("types", &mut request.types, list_value("types", value)?)?,
                "keywords" => put_once("keywords", &mut request.keywords, list_value("keywords", value)?)?,
                "recipient" => put_once("recipient", &mut request.recipient, text())?,
                "agency" => put_once("agency", &mut request.agency, text())?,
                "agency_role" => put_once("agency_role", &mut request.agency_role, text())?,
                "agency_tier" => put_once("agency_tier", &mut request.agency_tier, text())?,
                "agency_parent" => put_once("agency_parent", &mut request.agency_parent, text())?,
                "naics" => put_once("naics", &mut request.naics, list_value("naics", value)?)?,
                "psc" => put_once("psc", &mut request.psc, list_value("psc", value)?)?,
                "from" => put_once("from", &mut request.from, text())?,
                "to" => put_once("to", &mut request.to, text())?,
                "min_amount" => put_once("min_amount", &mut request.min_amount, text())?,
                "max_amount" => put_once("max_amount", &mut request.max_amount, text())?,
                "since" => put_once("since", &mut request.since, text())?,
                "subawards" => {
                    put_once("subawards", &mut request.subawards, flag_value("subawards", value)?)?
                }
                "limit" => put_once("limit", &mut request.limit, number_value("limit", value)?)?,
                "page" => put_once("page", &mut request.page, number_value("page", value)?)?,
                "next" => put_once("next", &mut request.next, text())?,
                unknown => {
                    let unknown: String = unknown.chars().take(60).collect();
                    return Err(FieldError::new(
                        "query",
                        format!("{unknown:?} is no field of a search for awards"),
                    ));
                }
            }
        }
        Ok(request)
    }

    /// The search after its checks. `today` is the present day in Washington; `types` the codes of the service's reference
    /// or the bundled ones. The name of the agency is compared by
    /// [`AwardSearch::with_agencies`](crate::AwardSearch::with_agencies).
    ///
    /// # Errors
    /// [`FieldError`] for the first field that cannot be used.
    pub fn check(&self, today: Date, types: &AwardTypes) -> Result<AwardSearch, FieldError> {
        let (group, types) = self.checked_types(types)?;
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(FieldError::new("limit", format!("it must be from 1 to {MAX_LIMIT}"))
                .of(FieldProblem::OutOfRange));
        }
        let amount =
            |field, text: &Option<String>| text.as_ref().map(|text| Amount::parse(field, text)).transpose();
        let (period, since) = self.checked_period(today)?;
        let search = AwardSearch {
            group,
            types,
            keywords: self.checked_keywords()?,
            recipient: optional_text("recipient", &self.recipient)?,
            agency: self.checked_agency()?,
            naics: codes("naics", &self.naics, "two to six digits such as 541715", is_naics)?,
            psc: codes("psc", &self.psc, "four letters or digits such as AR34", is_psc)?,
            period,
            since,
            min_amount: amount("min_amount", &self.min_amount)?,
            max_amount: amount("max_amount", &self.max_amount)?,
            subawards: self.subawards.unwrap_or(false),
            limit,
            page: self.page.unwrap_or(1),
            cursor: None,
        };
        let search = self.going_on(search)?;
        check_pages(&search)?;
        check_rest(&search)?;
        Ok(search)
    }

    fn checked_types(&self, known: &AwardTypes) -> Result<(AwardGroup, Vec<String>), FieldError> {
        let group = self.group.as_deref().map(|name| {
            AwardGroup::from_name(name.trim()).ok_or_else(|| {
                let reason = "it is no group; send contracts, idvs, grants, direct_payments, loans or other";
                FieldError::new("group", reason).of(FieldProblem::UnknownValue)
            })
        });
        let group = group.transpose()?;
        let Some(codes) = &self.types else {
            let group = group.ok_or_else(|| {
                FieldError::new(
                    "group",
                    "it is missing; send a group such as contracts, or types of one group",
                )
                .of(FieldProblem::Missing)
            })?;
            return Ok((group, known.codes(group).into_iter().map(str::to_owned).collect()));
        };
        let codes = checked_list("types", codes, MAX_CODES, 20)?;
        let mut common = group;
        for code in &codes {
            let of_code = known.group_of(code).ok_or_else(|| {
                FieldError::new("types", format!("{code:?} is no award type code"))
                    .of(FieldProblem::UnknownValue)
            })?;
            if *common.get_or_insert(of_code) != of_code {
                let reason = format!(
                    "{code:?} is of the group {}; a call searches one group, so ask once for each",
                    of_code.name()
                );
                return Err(FieldError::new("types", reason).of(FieldProblem::Contradictory));
            }
        }
        let group =
            common.ok_or_else(|| FieldError::new("types", "the array is empty").of(FieldProblem::Empty))?;
        Ok((group, codes))
    }

    fn checked_keywords(&self) -> Result<Vec<String>, FieldError> {
        let Some(keywords) = &self.keywords else { return Ok(Vec::new()) };
        let keywords = checked_list("keywords", keywords, MAX_KEYWORDS, MAX_TEXT_CHARS)?;
        match keywords.iter().find(|keyword| keyword.chars().count() < MIN_KEYWORD_CHARS) {
            Some(short) => {
                let reason = format!(
                    "{short:?} is shorter than {MIN_KEYWORD_CHARS} characters, which the service refuses"
                );
                Err(FieldError::new("keywords", reason))
            }
            None => Ok(keywords),
        }
    }

    fn checked_agency(&self) -> Result<Option<AgencyFilter>, FieldError> {
        let parent = optional_text("agency_parent", &self.agency_parent)?;
        let Some(name) = optional_text("agency", &self.agency)? else {
            let others = [
                ("agency_role", &self.agency_role),
                ("agency_tier", &self.agency_tier),
                ("agency_parent", &parent),
            ];
            return match others.iter().find(|(_, value)| value.is_some()) {
                Some((field, _)) => {
                    Err(FieldError::new(field, "it says nothing without agency; send the agency too")
                        .of(FieldProblem::NotApplicable))
                }
                None => Ok(None),
            };
        };
        let role = match self.agency_role.as_deref() {
            None | Some("awarding") => AgencyRole::Awarding,
            Some("funding") => AgencyRole::Funding,
            Some(_) => {
                return Err(FieldError::new("agency_role", "it must be awarding or funding")
                    .of(FieldProblem::UnknownValue));
            }
        };
        let tier = match self.agency_tier.as_deref() {
            None | Some("toptier") => AgencyTier::Toptier,
            Some("subtier") => AgencyTier::Subtier,
            Some(_) => {
                return Err(FieldError::new("agency_tier", "it must be toptier or subtier")
                    .of(FieldProblem::UnknownValue));
            }
        };
        if parent.is_some() && tier == AgencyTier::Toptier {
            return Err(FieldError::new("agency_parent", "it is only for agency_tier subtier; leave it out")
                .of(FieldProblem::NotApplicable));
        }
        Ok(Some(AgencyFilter { role, tier, name, parent, is_known: false }))
    }

    fn checked_period(&self, today: Date) -> Result<(Option<Period>, Option<Date>), FieldError> {
        let day =
            |field, text: &Option<String>| text.as_ref().map(|text| checked_date(field, text)).transpose();
        let (from, to, since) = (day("from", &self.from)?, day("to", &self.to)?, day("since", &self.since)?);
        for (field, day) in [("from", from), ("to", to), ("since", since)] {
            if day.is_some_and(|day| day < FIRST_DAY) {
                let reason = format!("it is before {FIRST_DAY}, the first day that the service searches");
                return Err(FieldError::new(field, reason).of(FieldProblem::OutOfRange));
            }
        }
        for (field, day) in [("from", from), ("since", since)] {
            if day.is_some_and(|day| day > today) {
                return Err(FieldError::new(field, format!("it is in the future; today is {today}"))
                    .of(FieldProblem::InFuture));
            }
        }
        if let Some(since) = since {
            if from.is_some() || to.is_some() {
                let reason =
                    "it cannot be sent together with from or to: the service searches by one kind of day";
                return Err(FieldError::new("since", reason).of(FieldProblem::Contradictory));
            }
            let first = since.tomorrow().unwrap_or(Date::MAX);
            return Ok((Some(Period { first, last: today.max(first), is_modified: true }), Some(since)));
        }
        if from.is_none() && to.is_none() {
            return Ok((None, None));
        }
        let (first, last) = (from.unwrap_or(FIRST_DAY), to.unwrap_or(today));
        if first > last {
            return Err(FieldError::new("from", "it is after to; exchange the two days")
                .of(FieldProblem::Contradictory));
        }
        Ok((Some(Period { first, last, is_modified: false }), None))
    }

    fn going_on(&self, search: AwardSearch) -> Result<AwardSearch, FieldError> {
        let Some(next) = &self.next else { return Ok(search) };
        if self.page.is_some() {
            return Err(FieldError::new("next", "it cannot be sent together with page; leave page out")
                .of(FieldProblem::Contradictory));
        }
        let next: Next = next
            .parse()
            .map_err(|_| FieldError::new("next", "it is not the member next of an answer, such as page:2"))?;
        Ok(search.going_on(next))
    }
}

fn check_pages(search: &AwardSearch) -> Result<(), FieldError> {
    let before = u64::from(search.page.saturating_sub(1)) * u64::from(search.limit);
    if search.page == 0 || before >= MAX_PAGED_ROWS {
        let last = MAX_PAGED_ROWS / u64::from(search.limit);
        let reason = format!(
            "it must be from 1 to {last} with {} rows a page: past {MAX_PAGED_ROWS} rows go on with next of the answer",
            search.limit
        );
        return Err(FieldError::new("page", reason).of(FieldProblem::OutOfRange));
    }
    Ok(())
}

fn check_rest(search: &AwardSearch) -> Result<(), FieldError> {
    if search.min_amount.zip(search.max_amount).is_some_and(|(min, max)| min > max) {
        return Err(FieldError::new("min_amount", "it is greater than max_amount; exchange the two amounts")
            .of(FieldProblem::Contradictory));
    }
    let has_subawards = matches!(search.group, AwardGroup::Contracts | AwardGroup::Idvs | AwardGroup::Grants);
    if search.subawards && !has_subawards {
        return Err(FieldError::new("subawards", "only contracts, idvs and grants have subawards")
            .of(FieldProblem::NotApplicable));
    }
    if search.subawards && search.since.is_some() {
        let reason = "it cannot be sent together with subawards, whose rows do not tell the day of a change";
        return Err(FieldError::new("since", reason).of(FieldProblem::Contradictory));
    }
    Ok(())
}

fn is_naics(code: &str) -> bool {
    (2..=6).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_psc(code: &str) -> bool {
    code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn codes(
    field: &'static str,
    codes: &Option<Vec<String>>,
    form: &str,
    is_code: impl Fn(&str) -> bool,
) -> Result<Vec<String>, FieldError> {
    let Some(codes) = codes else { return Ok(Vec::new()) };
    let mut codes = checked_list(field, codes, MAX_CODES, 10)?;
    codes.iter_mut().for_each(|code| code.make_ascii_uppercase());
    match codes.iter().find(|code| !is_code(code)) {
        Some(wrong) => Err(FieldError::new(field, format!("{wrong:?} is no code; send {form}"))),
        None => Ok(codes),
    }
}

fn optional_text(field: &'static str, text: &Option<String>) -> Result<Option<String>, FieldError> {
    text.as_ref().map(|text| checked_text(field, text, MAX_TEXT_CHARS)).transpose()
}
