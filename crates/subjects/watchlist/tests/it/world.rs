//! The lists of other publishers than OFAC, and lists of an operator's own, in small documents about invented parties.

mod bad_input;
mod bounds;
mod columns;
mod csl;
mod eu;
mod opensanctions;
mod seco;
mod truncated;
mod uk;
mod un;

use watchlist::lists::ColumnMap;
use watchlist::{Entry, Import, List, ListError, Publication, PublicationBounds, Quality};

use crate::common::{only, read};

/// A document of each form, with the name of its file. All speak of `Janek`.
fn forms() -> Vec<(&'static str, String)> {
    vec![
        ("un.xml", un::XML.to_owned()),
        ("eu.xml", eu::XML.to_owned()),
        ("eu.csv", eu::csv()),
        ("uk.xml", uk::XML.to_owned()),
        ("uk.csv", uk::csv()),
        ("ofsi.xml", uk::OFSI_XML.to_owned()),
        ("ofsi.csv", uk::ofsi_csv()),
        ("seco.xml", seco::XML.to_owned()),
        ("csl.csv", csl::csv()),
    ]
}

/// The documents that are XML.
fn xml_forms() -> impl Iterator<Item = (&'static str, String)> {
    forms().into_iter().filter(|(name, _)| name.ends_with(".xml"))
}

/// The only list of one file.
fn list(name: &str, text: &str) -> List {
    only(read(&[(name, text)])).list
}

/// Reads one file of any bytes.
fn read_bytes(name: &str, bytes: &[u8], bounds: PublicationBounds) -> Result<Import, ListError> {
    Publication::from_bytes([(name.to_owned(), bytes.to_vec())], bounds)?.read(None)
}

/// Reads one file by a map of its columns, which is JSON.
fn read_by(map: &str, name: &str, text: &str) -> Result<Import, ListError> {
    let map: ColumnMap = serde_json::from_str(map).expect("a map of columns");
    let file = (name.to_owned(), text.as_bytes().to_vec());
    Publication::from_bytes_with([file], map, PublicationBounds::default())?.read(None)
}

/// The error of a file, which must name it.
fn refused(name: &str, import: Result<Import, ListError>) -> ListError {
    let error = import.expect_err("the file is refused");
    assert!(error.to_string().contains(name), "{error}");
    error
}

/// The reason of a malformed file, which must name it.
fn malformed(name: &str, import: Result<Import, ListError>) -> String {
    match refused(name, import) {
        ListError::Malformed { why, .. } => why,
        other => panic!("{other}"),
    }
}

/// The lists of an import.
fn lists(import: Import) -> Vec<List> {
    import.lists.into_iter().map(|parsed| parsed.list).collect()
}

/// The names of an entry, each with its quality and with true where it is in an original script.
fn names(entry: &Entry) -> Vec<(&str, Quality, bool)> {
    entry.names.iter().map(|name| (&*name.text, name.quality, name.original_script)).collect()
}

/// Tests that an entry has exactly that name.
fn has_name(entry: &Entry, text: &str) -> bool {
    entry.names.iter().any(|name| &*name.text == text)
}

/// The dates of birth of an entry, as EDTF.
fn births(entry: &Entry) -> Vec<String> {
    entry.births.iter().map(ToString::to_string).collect()
}

/// The numbers of an entry: kind, number and issuer, which is empty where the list names none.
fn numbers(entry: &Entry) -> Vec<(&str, &str, &str)> {
    let numbers = entry.identifiers.iter();
    numbers.map(|one| (&*one.kind, &*one.number, one.country.as_deref().unwrap_or_default())).collect()
}

/// Texts of an entry.
fn texts(texts: &[Box<str>]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}

/// A table of those columns with a record for each set of cells. Cells that are not named are empty.
fn table(delimiter: char, columns: &[&str], records: &[&[(&str, &str)]]) -> String {
    let line = |cells: Vec<String>| format!("{}\n", cells.join(&delimiter.to_string()));
    let mut text = line(columns.iter().map(|column| (*column).to_owned()).collect());
    for record in records {
        assert!(record.iter().all(|(name, _)| columns.contains(name)), "{record:?}");
        let cell = |column: &&str| {
            let value = record.iter().find(|(name, _)| name == column).map_or("", |(_, value)| *value);
            format!("\"{}\"", value.replace('"', "\"\""))
        };
        text.push_str(&line(columns.iter().map(cell).collect()));
    }
    text
}
