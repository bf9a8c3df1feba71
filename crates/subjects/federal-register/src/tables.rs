//! The members that the service documents.

use record_search::Class::{Count, Date, Dropped, Elsewhere, Flag, Identifier, Nested, Text};
use record_search::{Member, Table};

use crate::SERVICE;

/// A document, in a search or alone. `page_views` is left out: it counts visits and changes by the hour, so two answers about
/// one document would differ.
pub(crate) const DOCUMENT: Table = Table {
    service: SERVICE,
    kind: "document",
    members: &[
        Member::same("document_number", Identifier).required(),
        Member::same("title", Text).required(),
        Member::same("type", Text).required(),
        Member::same("publication_date", Date).required(),
        Member::same("html_url", Text).required(),
        Member::same("abstract", Text),
        Member::same("action", Text),
        Member::same("agencies", Nested),
        Member::same("agency_names", Nested),
        Member::same("body_html_url", Text),
        Member::same("cfr_references", Nested),
        Member::same("citation", Text),
        Member::same("comment_url", Text),
        Member::same("comments_close_on", Date),
        Member::same("correction_of", Text),
        Member::same("corrections", Nested),
        Member::same("dates", Text),
        Member::same("disposition_notes", Text),
        Member::same("docket_id", Text),
        Member::same("docket_ids", Nested),
        Member::same("dockets", Nested),
        Member::same("effective_on", Date),
        Member::same("end_page", Count),
        Member::same("excerpts", Text),
        Member::same("executive_order_notes", Text),
        Member::same("executive_order_number", Identifier),
        Member::same("explanation", Nested),
        Member::same("full_text_xml_url", Text),
        Member::same("images", Nested),
        Member::same("images_metadata", Nested),
        Member::same("json_url", Text),
        Member::same("mods_url", Text),
        Member::same("not_received_for_publication", Flag),
        Member::same("page_length", Count),
        Member::same("page_views", Dropped),
        Member::same("pdf_url", Text),
        Member::same("president", Nested),
        Member::same("presidential_document_number", Identifier),
        Member::same("proclamation_number", Identifier),
        Member::same("public_inspection_pdf_url", Text),
        Member::same("raw_text_url", Text),
        Member::same("regulation_id_number_info", Nested),
        Member::same("regulation_id_numbers", Nested),
        Member::same("regulations_dot_gov_info", Nested),
        Member::same("regulations_dot_gov_url", Text),
        Member::same("significant", Flag),
        Member::same("signing_date", Date),
        Member::same("start_page", Count),
        Member::same("subtype", Text),
        Member::same("toc_doc", Text),
        Member::same("toc_subject", Text),
        Member::same("topics", Nested),
        Member::same("volume", Count),
    ],
};

/// A document on public inspection, which is published on a day to come. Members that mean the same as those of a document
/// have their names.
pub(crate) const INSPECTION: Table = Table {
    service: SERVICE,
    kind: "public inspection document",
    members: &[
        Member::same("document_number", Identifier).required(),
        Member::same("agencies", Nested),
        Member::same("agency_letters", Nested),
        Member::same("agency_names", Nested),
        Member::renamed("docket_numbers", "docket_ids", Nested),
        Member::same("editorial_note", Text),
        Member::same("excerpts", Text),
        Member::same("filed_at", Date),
        Member::same("filing_type", Text),
        Member::same("html_url", Text),
        Member::same("json_url", Text),
        Member::same("last_public_inspection_issue", Date),
        Member::renamed("num_pages", "page_length", Count),
        Member::same("page_views", Dropped),
        Member::same("pdf_file_name", Text),
        Member::same("pdf_file_size", Count),
        Member::same("pdf_updated_at", Date),
        Member::same("pdf_url", Text),
        Member::same("publication_date", Date),
        Member::same("raw_text_url", Text),
        Member::same("subject_1", Text),
        Member::same("subject_2", Text),
        Member::same("subject_3", Text),
        Member::same("title", Text),
        Member::same("toc_doc", Text),
        Member::same("toc_subject", Text),
        Member::same("type", Text),
    ],
};

/// The answer around the rows of a search.
pub(crate) const SEARCH_ANSWER: Table = Table {
    service: SERVICE,
    kind: "search answer",
    members: &[
        Member::same("count", Count).required(),
        Member::same("description", Text).required(),
        Member::same("total_pages", Count),
        Member::same("next_page_url", Text),
        Member::same("previous_page_url", Text),
        Member::same("results", Elsewhere),
    ],
};

/// The answer around the rows of public inspection, and around documents that were asked for by number.
pub(crate) const LIST_ANSWER: Table = Table {
    service: SERVICE,
    kind: "list",
    members: &[
        Member::same("count", Count).required(),
        Member::same("description", Text),
        Member::same("total_pages", Count),
        Member::same("next_page_url", Text),
        Member::same("previous_page_url", Text),
        Member::same("special_filings_updated_at", Date),
        Member::same("regular_filings_updated_at", Date),
        Member::same("errors", Nested),
        Member::same("results", Elsewhere),
    ],
};

/// Any other object of the service: all its members are unknown, so all are kept under `other`.
pub(crate) const RECORD: Table = Table { service: SERVICE, kind: "record", members: &[] };
