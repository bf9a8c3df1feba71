//! The members that the service documents.

use record_search::Class::{Amount, Count, Date, Dropped, Elsewhere, Flag, Identifier, Nested, Text};
use record_search::{Member, Table};

use crate::SERVICE;

/// An award of a search.
pub(crate) const SEARCH_AWARD: Table = Table {
    service: SERVICE,
    kind: "award",
    members: &[
        Member::same("generated_internal_id", Identifier).required(),
        Member::same("internal_id", Identifier),
        Member::renamed("Award ID", "award_id", Identifier),
        Member::renamed("Award Amount", "award_amount", Amount),
        Member::renamed("Award Type", "award_type", Text),
        Member::renamed("Contract Award Type", "contract_award_type", Text),
        Member::renamed("Recipient Name", "recipient_name", Text),
        Member::renamed("Recipient UEI", "recipient_uei", Identifier),
        Member::renamed("Recipient DUNS Number", "recipient_duns_number", Identifier),
        Member::same("recipient_id", Identifier),
        Member::same("prime_award_recipient_id", Identifier),
        Member::renamed("Awarding Agency", "awarding_agency", Text),
        Member::renamed("Awarding Agency Code", "awarding_agency_code", Identifier),
        Member::renamed("Awarding Sub Agency", "awarding_sub_agency", Text),
        Member::renamed("Awarding Sub Agency Code", "awarding_sub_agency_code", Identifier),
        Member::same("awarding_agency_id", Identifier),
        Member::same("agency_slug", Text),
        Member::same("agency_code", Identifier),
        Member::renamed("Funding Agency", "funding_agency", Text),
        Member::renamed("Funding Agency Code", "funding_agency_code", Identifier),
        Member::renamed("Funding Sub Agency", "funding_sub_agency", Text),
        Member::renamed("Funding Sub Agency Code", "funding_sub_agency_code", Identifier),
        Member::renamed("Description", "description", Text),
        Member::renamed("Start Date", "start_date", Date),
        Member::renamed("End Date", "end_date", Date),
        Member::renamed("Last Date to Order", "last_date_to_order", Date),
        Member::renamed("Issued Date", "issued_date", Date),
        Member::renamed("Base Obligation Date", "base_obligation_date", Date),
        Member::renamed("Last Modified Date", "last_modified_date", Date),
        Member::renamed("Period of Performance Start Date", "period_of_performance_start_date", Date),
        Member::renamed(
            "Period of Performance Current End Date",
            "period_of_performance_current_end_date",
            Date,
        ),
        Member::renamed("Total Outlays", "total_outlays", Amount),
        Member::renamed("Loan Value", "loan_value", Amount),
        Member::renamed("Subsidy Cost", "subsidy_cost", Amount),
        Member::renamed("COVID-19 Obligations", "covid_19_obligations", Amount),
        Member::renamed("COVID-19 Outlays", "covid_19_outlays", Amount),
        Member::renamed("Infrastructure Obligations", "infrastructure_obligations", Amount),
        Member::renamed("Infrastructure Outlays", "infrastructure_outlays", Amount),
        Member::same("def_codes", Nested),
        Member::renamed("NAICS", "naics", Nested),
        Member::renamed("PSC", "psc", Nested),
        Member::renamed("SAI Number", "sai_number", Identifier),
        Member::renamed("CFDA Number", "cfda_number", Identifier),
        Member::renamed("Assistance Listings", "assistance_listings", Nested),
        Member::same("primary_assistance_listing", Nested),
        Member::renamed("Recipient Location", "recipient_location", Nested),
        Member::renamed("Primary Place of Performance", "primary_place_of_performance", Nested),
        Member::renamed("Place of Performance City Code", "place_of_performance_city_code", Identifier),
        Member::renamed("Place of Performance State Code", "place_of_performance_state_code", Identifier),
        Member::renamed("Place of Performance Country Code", "place_of_performance_country_code", Identifier),
        Member::renamed("Place of Performance Zip5", "place_of_performance_zip5", Identifier),
    ],
};

/// A subaward of a search. `subaward_description_sorted` is left out: it is the description again, cut for sorting.
pub(crate) const SUBAWARD: Table = Table {
    service: SERVICE,
    kind: "subaward",
    members: &[
        Member::renamed("Sub-Award ID", "sub_award_id", Identifier).required(),
        Member::same("internal_id", Identifier),
        Member::same("prime_award_internal_id", Identifier),
        Member::same("prime_award_generated_internal_id", Identifier),
        Member::renamed("Sub-Award Amount", "sub_award_amount", Amount),
        Member::renamed("Sub-Award Date", "sub_award_date", Date),
        Member::renamed("Sub-Award Description", "sub_award_description", Text),
        Member::renamed("Sub-Award Type", "sub_award_type", Text),
        Member::renamed(
            "Sub-Award Primary Place of Performance",
            "sub_award_primary_place_of_performance",
            Nested,
        ),
        Member::renamed("Sub-Awardee Name", "sub_awardee_name", Text),
        Member::same("sub_award_recipient_id", Identifier),
        Member::renamed("Sub-Recipient Location", "sub_recipient_location", Nested),
        Member::renamed("Sub-Recipient UEI", "sub_recipient_uei", Identifier),
        Member::renamed("Prime Award ID", "prime_award_id", Identifier),
        Member::renamed("Prime Recipient Name", "prime_recipient_name", Text),
        Member::renamed("Prime Award Recipient UEI", "prime_award_recipient_uei", Identifier),
        Member::same("prime_award_recipient_id", Identifier),
        Member::renamed("Awarding Agency", "awarding_agency", Text),
        Member::renamed("Awarding Sub Agency", "awarding_sub_agency", Text),
        Member::renamed("Assistance Listing", "assistance_listing", Nested),
        Member::renamed("NAICS", "naics", Nested),
        Member::renamed("PSC", "psc", Nested),
        Member::same("subaward_description_sorted", Dropped),
    ],
};

/// A single award: contract, vehicle or assistance.
pub(crate) const AWARD: Table = Table {
    service: SERVICE,
    kind: "single award",
    members: &[
        Member::renamed("generated_unique_award_id", "generated_internal_id", Identifier).required(),
        Member::renamed("id", "internal_id", Identifier),
        Member::same("piid", Identifier),
        Member::same("fain", Identifier),
        Member::same("uri", Identifier),
        Member::same("category", Text),
        Member::same("type", Identifier),
        Member::same("type_description", Text),
        Member::same("description", Text),
        Member::same("date_signed", Date),
        Member::same("total_obligation", Amount),
        Member::same("total_outlay", Amount),
        Member::same("total_funding", Amount),
        Member::same("total_account_outlay", Amount),
        Member::same("total_account_obligation", Amount),
        Member::same("total_subaward_amount", Amount),
        Member::same("total_subsidy_cost", Amount),
        Member::same("total_loan_value", Amount),
        Member::same("base_and_all_options", Amount),
        Member::same("base_exercised_options", Amount),
        Member::same("non_federal_funding", Amount),
        Member::same("transaction_obligated_amount", Amount),
        Member::same("subaward_count", Count),
        Member::same("record_type", Identifier),
        Member::same("account_outlays_by_defc", Nested),
        Member::same("account_obligations_by_defc", Nested),
        Member::same("cfda_info", Nested),
        Member::same("cfda_number", Identifier),
        Member::same("cfda_title", Text),
        Member::same("awarding_agency", Nested),
        Member::same("funding_agency", Nested),
        Member::same("recipient", Nested),
        Member::same("period_of_performance", Nested),
        Member::same("place_of_performance", Nested),
        Member::same("executive_details", Nested),
        Member::same("funding_opportunity", Nested),
        Member::same("parent_award", Nested),
        Member::same("latest_transaction_contract_data", Nested),
        Member::same("psc_hierarchy", Nested),
        Member::same("naics_hierarchy", Nested),
    ],
};

/// A transaction of an award.
pub(crate) const TRANSACTION: Table = Table {
    service: SERVICE,
    kind: "transaction",
    members: &[
        Member::same("id", Identifier).required(),
        Member::same("action_date", Date).required(),
        Member::same("action_type", Identifier),
        Member::same("action_type_description", Text),
        Member::same("type", Identifier),
        Member::same("type_description", Text),
        Member::same("modification_number", Identifier),
        Member::same("description", Text),
        Member::same("federal_action_obligation", Amount),
        Member::same("face_value_loan_guarantee", Amount),
        Member::same("original_loan_subsidy_cost", Amount),
        Member::same("cfda_number", Identifier),
    ],
};

/// An obligation or outlay of an account for an award.
pub(crate) const FUNDING: Table = Table {
    service: SERVICE,
    kind: "funding",
    members: &[
        Member::same("reporting_fiscal_year", Count).required(),
        Member::same("reporting_fiscal_quarter", Count),
        Member::same("reporting_fiscal_month", Count),
        Member::same("is_quarterly_submission", Flag),
        Member::same("transaction_obligated_amount", Amount),
        Member::same("gross_outlay_amount", Amount),
        Member::same("disaster_emergency_fund_code", Identifier),
        Member::same("federal_account", Identifier),
        Member::same("account_title", Text),
        Member::same("object_class", Identifier),
        Member::same("object_class_name", Text),
        Member::same("program_activity_code", Identifier),
        Member::same("program_activity_name", Text),
        Member::same("funding_agency_name", Text),
        Member::same("funding_agency_id", Identifier),
        Member::same("funding_toptier_agency_id", Identifier),
        Member::same("funding_agency_slug", Text),
        Member::same("awarding_agency_name", Text),
        Member::same("awarding_agency_id", Identifier),
        Member::same("awarding_toptier_agency_id", Identifier),
        Member::same("awarding_agency_slug", Text),
        Member::renamed("generated_unique_award_id", "generated_internal_id", Identifier),
        Member::same("piid", Identifier),
    ],
};

/// An order or a vehicle under an indefinite delivery vehicle.
pub(crate) const IDV_AWARD: Table = Table {
    service: SERVICE,
    kind: "award under a vehicle",
    members: &[
        Member::renamed("generated_unique_award_id", "generated_internal_id", Identifier).required(),
        Member::renamed("award_id", "internal_id", Identifier),
        Member::same("award_type", Text),
        Member::same("description", Text),
        Member::same("piid", Identifier),
        Member::same("obligated_amount", Amount),
        Member::same("awarding_agency", Text),
        Member::same("awarding_agency_id", Identifier),
        Member::same("awarding_agency_slug", Text),
        Member::same("funding_agency", Text),
        Member::same("funding_agency_id", Identifier),
        Member::same("funding_agency_slug", Text),
        Member::same("last_date_to_order", Date),
        Member::same("period_of_performance_start_date", Date),
        Member::same("period_of_performance_current_end_date", Date),
    ],
};

/// A toptier agency.
pub(crate) const AGENCY: Table = Table {
    service: SERVICE,
    kind: "toptier agency",
    members: &[
        Member::same("agency_name", Text).required(),
        Member::same("agency_id", Identifier),
        Member::same("toptier_code", Identifier),
        Member::same("abbreviation", Text),
        Member::same("agency_slug", Text),
        Member::same("active_fq", Identifier),
        Member::same("active_fy", Identifier),
        Member::same("budget_authority_amount", Amount),
        Member::same("current_total_budget_authority_amount", Amount),
        Member::same("obligated_amount", Amount),
        Member::same("outlay_amount", Amount),
        Member::same("percentage_of_total_budget_authority", Amount),
        Member::same("congressional_justification_url", Text),
    ],
};

/// Spending by state, recipient and the like.
pub(crate) const CATEGORY: Table = Table {
    service: SERVICE,
    kind: "spending of a category",
    members: &[
        Member::same("amount", Amount).required(),
        Member::same("name", Text),
        Member::same("code", Identifier),
        Member::same("id", Identifier),
        Member::same("total_outlays", Amount),
    ],
};

/// The answer around the rows.
pub(crate) const LIST_ANSWER: Table = Table {
    service: SERVICE,
    kind: "list",
    members: &[
        Member::same("limit", Count),
        Member::same("spending_level", Text),
        Member::same("category", Text),
        Member::same("page_metadata", Nested),
        Member::same("messages", Nested),
        Member::same("results", Elsewhere),
    ],
};

/// The state of paging in an answer.
pub(crate) const PAGE: Table = Table {
    service: SERVICE,
    kind: "page_metadata",
    members: &[
        Member::renamed("hasNext", "has_next", Flag).required(),
        Member::renamed("hasPrevious", "has_previous", Flag),
        Member::same("page", Count),
        Member::same("next", Count),
        Member::same("previous", Count),
    ],
};

/// The numbers of awards of each group.
pub(crate) const COUNTS: Table = Table {
    service: SERVICE,
    kind: "count of awards",
    members: &[
        Member::same("contracts", Count).required(),
        Member::same("idvs", Count).required(),
        Member::same("grants", Count).required(),
        Member::same("direct_payments", Count).required(),
        Member::same("loans", Count).required(),
        Member::same("other", Count).required(),
    ],
};

/// The counts of a search for subawards, of contracts and of grants.
pub(crate) const SUBAWARD_COUNTS: Table = Table {
    service: SERVICE,
    kind: "count of subawards",
    members: &[Member::same("subcontracts", Count).required(), Member::same("subgrants", Count).required()],
};

/// Any other object of the service: all its members are unknown, so all are kept under `other`.
pub(crate) const RECORD: Table = Table { service: SERVICE, kind: "record", members: &[] };
