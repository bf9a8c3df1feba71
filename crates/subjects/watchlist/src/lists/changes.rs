//! The document of OFAC's last publication: what it changed, as `/changes/latest` gives it.
//!
//! `sanctionsData`, with a `publicationInfo` and an `entity` for each party that was added, changed or removed. Nothing of
//! the changes is used: the lists come from the exports, where they are whole.

use std::io::Cursor;

use jiff::civil::Date;

use super::bounded::{BoundedReader, read_error};
use super::context::{InputFile, malformed};
use super::error::ListError;
use super::xml;
use crate::model::{ListName, PublicationBounds};

const ROOT: &str = "sanctionsData";
const CONTAINERS: [&str; 1] = ["entities"];

/// The day that the publication is of. The whole document is read, so that a part of one is none.
///
/// # Errors
/// [`ListError`] where it is no such document.
pub(crate) fn day(name: &str, document: Vec<u8>) -> Result<Date, ListError> {
    let bounds = PublicationBounds::default();
    let bytes =
        BoundedReader::new(Cursor::new(document), &bounds).map_err(|error| read_error(name, error))?;
    let input = InputFile { file: name, list: ListName::new(ListName::OFAC_SDN), bounds: &bounds, bytes };
    let mut published = None;
    xml::read(input, ROOT, &CONTAINERS, &mut |_, record| {
        if &*record.name == "publicationInfo" {
            published = record.text_of("datePublished").get(..10).and_then(|day| day.parse().ok());
        }
        Ok(())
    })?;
    published.ok_or_else(|| malformed(name, "it does not say its day"))
}

#[cfg(test)]
mod tests {
    const DOCUMENT: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
        <sanctionsData xmlns=\"https://publisher.example/DeltaFile/1.0\"><publicationInfo>\
        <datePublished>2026-08-20T00:00:00-04:00</datePublished><publicationType>Standard Action</publicationType>\
        </publicationInfo><entities><entity id=\"101\" action=\"add\"><generalInfo/></entity></entities></sanctionsData>";

    #[test]
    fn a_publication_says_its_day_and_nothing_else_does() {
        let day = |text: &str| super::day("latest", text.as_bytes().to_vec()).ok();
        assert_eq!(day(DOCUMENT), Some(jiff::civil::date(2026, 8, 20)));
        for length in (0..DOCUMENT.len()).filter(|length| DOCUMENT.is_char_boundary(*length)) {
            assert_eq!(day(&DOCUMENT[..length]), None, "cut at {length}");
        }
        for other in [
            "<!DOCTYPE html><html><body>Down for maintenance.</body></html>",
            "<sanctionsData><entities/></sanctionsData>",
            "{\"publicationID\": 501}",
        ] {
            assert_eq!(day(other), None, "{other}");
        }
        assert_eq!(day(&DOCUMENT.replace("2026-08-20T", "2026-08-40T")), None);
        assert_eq!(day(&DOCUMENT.replace("2026-08-20T", "ééééé")), None);
    }
}
