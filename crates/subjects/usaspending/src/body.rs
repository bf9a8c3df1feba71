//! The JSON bodies of a search.

use receipt::json::{Json, Number, Object};

use crate::{Amount, AwardGroup, AwardSearch};

/// The address of searches; the body goes by POST.
pub const SEARCH_URL: &str = "https://api.usaspending.gov/api/v2/search/spending_by_award/";

/// The address of counts; the body goes by POST.
pub const COUNT_URL: &str = "https://api.usaspending.gov/api/v2/search/spending_by_award_count/";

/// The members of a row that each group has. `elasticsearch_lookups.py` of the service names them.
const COMMON: &[&str] = &[
    "Award ID",
    "Recipient Name",
    "Recipient UEI",
    "recipient_id",
    "prime_award_recipient_id",
    "Description",
    "Awarding Agency",
    "Awarding Agency Code",
    "Awarding Sub Agency",
    "Awarding Sub Agency Code",
    "Funding Agency",
    "Funding Agency Code",
    "Funding Sub Agency",
    "Funding Sub Agency Code",
    "Last Modified Date",
    "Base Obligation Date",
    "Recipient Location",
    "Primary Place of Performance",
    "def_codes",
];

const CONTRACT: &[&str] =
    &["Start Date", "End Date", "Award Amount", "Total Outlays", "Contract Award Type", "NAICS", "PSC"];

const IDV: &[&str] = &[
    "Start Date",
    "Last Date to Order",
    "Award Amount",
    "Total Outlays",
    "Contract Award Type",
    "NAICS",
    "PSC",
];

const LOAN: &[&str] = &[
    "Issued Date",
    "Loan Value",
    "Subsidy Cost",
    "SAI Number",
    "CFDA Number",
    "Assistance Listings",
    "primary_assistance_listing",
];

const ASSISTANCE: &[&str] = &[
    "Start Date",
    "End Date",
    "Award Amount",
    "Total Outlays",
    "Award Type",
    "SAI Number",
    "CFDA Number",
    "Assistance Listings",
    "primary_assistance_listing",
];

const SUBAWARD: &[&str] = &[
    "Sub-Award ID",
    "Sub-Award Type",
    "Sub-Award Date",
    "Sub-Award Amount",
    "Sub-Award Description",
    "Sub-Awardee Name",
    "Sub-Recipient UEI",
    "sub_award_recipient_id",
    "Sub-Recipient Location",
    "Sub-Award Primary Place of Performance",
    "Awarding Agency",
    "Awarding Sub Agency",
    "Prime Award ID",
    "Prime Recipient Name",
    "Prime Award Recipient UEI",
    "prime_award_recipient_id",
];

impl AwardSearch {
    /// The members of a row that are asked for.
    pub fn fields(&self) -> Vec<&'static str> {
        if self.subawards {
            let own: &[&str] =
                if self.group == AwardGroup::Grants { &["Assistance Listing"] } else { &["NAICS", "PSC"] };
            return [SUBAWARD, own].concat();
        }
        let own = match self.group {
            AwardGroup::Contracts => CONTRACT,
            AwardGroup::Idvs => IDV,
            AwardGroup::Loans => LOAN,
            AwardGroup::Grants | AwardGroup::DirectPayments | AwardGroup::Other => ASSISTANCE,
        };
        [COMMON, own].concat()
    }

    /// The member by which rows are sorted, the greatest first: the amount, or the day of the last change with `since`.
    pub fn sort(&self) -> &'static str {
        match self.group {
            _ if self.subawards => "Sub-Award Amount",
            _ if self.since.is_some() => "Last Modified Date",
            AwardGroup::Loans => "Loan Value",
            _ => "Award Amount",
        }
    }

    /// The body to send to [`SEARCH_URL`]: canonical JSON, so one search has one body.
    pub fn body(&self) -> Vec<u8> {
        let mut body = self.with_filters();
        body.insert("fields", texts(&self.fields()));
        body.insert("sort", self.sort());
        body.insert("order", "desc");
        body.insert("limit", Number::from(self.limit));
        body.insert("page", Number::from(self.page));
        if let Some(cursor) = &self.cursor {
            body.insert("last_record_unique_id", Number::from(cursor.id));
            body.insert("last_record_sort_value", cursor.sort_value.as_str());
        }
        Json::Object(body).canonical()
    }

    /// The body to send to [`COUNT_URL`].
    pub fn count_body(&self) -> Vec<u8> {
        Json::Object(self.with_filters()).canonical()
    }

    fn with_filters(&self) -> Object {
        let mut body = Object::new();
        body.insert("filters", self.filters());
        body.insert("subawards", self.subawards);
        body.insert("spending_level", if self.subawards { "subawards" } else { "awards" });
        body
    }

    fn filters(&self) -> Object {
        let mut filters = Object::new();
        filters.insert("award_type_codes", texts(&self.types));
        if !self.keywords.is_empty() {
            filters.insert("keywords", texts(&self.keywords));
        }
        if let Some(recipient) = &self.recipient {
            filters.insert("recipient_search_text", texts(&[recipient]));
        }
        if let Some(agency) = &self.agency {
            let mut filter = Object::new();
            filter.insert("type", agency.role.name());
            filter.insert("tier", agency.tier.name());
            filter.insert("name", agency.name.as_str());
            if let Some(parent) = &agency.parent {
                filter.insert("toptier_name", parent.as_str());
            }
            filters.insert("agencies", vec![Json::Object(filter)]);
        }
        if !self.naics.is_empty() {
            let mut codes = Object::new();
            codes.insert("require", texts(&self.naics));
            filters.insert("naics_codes", codes);
        }
        if !self.psc.is_empty() {
            filters.insert("psc_codes", texts(&self.psc));
        }
        if let Some(period) = &self.period {
            let mut days = Object::new();
            days.insert("start_date", period.first.to_string());
            days.insert("end_date", period.last.to_string());
            days.insert("date_type", if period.is_modified { "last_modified_date" } else { "action_date" });
            filters.insert("time_period", vec![Json::Object(days)]);
        }
        let bounds = [("lower_bound", self.min_amount), ("upper_bound", self.max_amount)];
        if bounds.iter().any(|(_, amount)| amount.is_some()) {
            let mut amounts = Object::new();
            for (name, amount) in bounds {
                if let Some(amount) = amount {
                    amounts.insert(name, number(amount));
                }
            }
            filters.insert("award_amounts", vec![Json::Object(amounts)]);
        }
        filters
    }
}

fn texts<T: AsRef<str>>(texts: &[T]) -> Json {
    Json::Array(texts.iter().map(|text| Json::from(text.as_ref())).collect())
}

fn number(amount: Amount) -> Number {
    amount.to_string().parse().expect("an amount is digits, a point and two digits")
}
