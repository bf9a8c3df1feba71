//! The query string of a search.

use std::fmt::Write;

use crate::Search;

/// The address of searches.
pub const DOCUMENTS_URL: &str = "https://www.federalregister.gov/api/v1/documents.json";

/// The members of a row that are asked for. Without naming them the service sends ten.
pub const FIELDS: &[&str] = &[
    "abstract",
    "action",
    "agencies",
    "agency_names",
    "body_html_url",
    "cfr_references",
    "citation",
    "comment_url",
    "comments_close_on",
    "correction_of",
    "corrections",
    "dates",
    "disposition_notes",
    "docket_ids",
    "document_number",
    "effective_on",
    "end_page",
    "executive_order_notes",
    "executive_order_number",
    "full_text_xml_url",
    "html_url",
    "json_url",
    "page_length",
    "pdf_url",
    "president",
    "presidential_document_number",
    "proclamation_number",
    "public_inspection_pdf_url",
    "publication_date",
    "raw_text_url",
    "regulation_id_number_info",
    "regulation_id_numbers",
    "regulations_dot_gov_url",
    "significant",
    "signing_date",
    "start_page",
    "subtype",
    "title",
    "toc_doc",
    "toc_subject",
    "topics",
    "type",
    "volume",
];

impl Search {
    /// The query string, without a question mark. All but letters, digits and `-._~` is percent-encoded, the brackets of
    /// the names too: the service drops a parameter whose brackets it cannot read.
    pub fn query(&self) -> String {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        if let Some(term) = &self.term {
            pairs.push(("conditions[term]", term.clone()));
        }
        for agency in &self.agencies {
            pairs.push(("conditions[agencies][]", agency.clone()));
        }
        for kind in &self.types {
            pairs.push(("conditions[type][]", kind.code().to_owned()));
        }
        match self.days() {
            (Some(first), Some(last)) if first == last => {
                pairs.push(("conditions[publication_date][is]", first.to_string()));
            }
            (first, last) => {
                if let Some(first) = first {
                    pairs.push(("conditions[publication_date][gte]", first.to_string()));
                }
                if let Some(last) = last {
                    pairs.push(("conditions[publication_date][lte]", last.to_string()));
                }
            }
        }
        if let Some(docket) = &self.docket {
            pairs.push(("conditions[docket_id]", docket.clone()));
        }
        if let Some(significant) = self.significant {
            pairs.push(("conditions[significant]", u8::from(significant).to_string()));
        }
        pairs.extend(FIELDS.iter().map(|field| ("fields[]", (*field).to_owned())));
        let (page, per_page) = self.wire_page();
        pairs.push(("order", "newest".to_owned()));
        pairs.push(("per_page", per_page.to_string()));
        pairs.push(("page", page.to_string()));
        let encoded = pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        encoded.collect::<Vec<_>>().join("&")
    }

    /// The address to fetch.
    pub fn url(&self) -> String {
        format!("{DOCUMENTS_URL}?{}", self.query())
    }
}

fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing to a string never fails");
        }
    }
    encoded
}
