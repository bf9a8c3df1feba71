//! What the tests share.

use std::path::PathBuf;

use watchlist::{Import, ListError, ParsedList, Publication, PublicationBounds};

/// The folder of real publications; `None`, with a line on the terminal, where it is not at hand.
pub fn real_data() -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data/ofac"));
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

/// Reads files that lie on the disk.
pub fn read_paths(paths: &[PathBuf]) -> Result<Import, ListError> {
    Publication::open(paths, PublicationBounds::default())?.read(None)
}

/// Reads files that are in memory.
pub fn read(files: &[(&str, &str)]) -> Result<Import, ListError> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    Publication::from_bytes(files, PublicationBounds::default())?.read(None)
}

/// The only list of an import.
pub fn only(import: Result<Import, ListError>) -> ParsedList {
    let mut import = import.expect("the files are read");
    assert_eq!(
        import.lists.len(),
        1,
        "{:?}",
        import.lists.iter().map(|one| &one.list.name).collect::<Vec<_>>()
    );
    import.lists.remove(0)
}

/// A small publication in the form of SDN.XML.
pub const SDN_XML: &str = include_str!("fixtures/sdn.xml");
/// The same publication in the advanced form.
pub const ADVANCED_XML: &str = include_str!("fixtures/sdn_advanced.xml");
/// The same in the legacy form, but for what that cannot say.
pub const SDN_CSV: &str = "101,\"EXAMPLOV, Ivan Petrovich\",\"individual\",\"TEST-EO1] [TEST-EO2\",\"Director\",-0- ,-0- ,-0- ,-0- ,\
    -0- ,-0- ,\"DOB 03 Mar 1961; alt. DOB circa 1962; nationality Russia; citizen Cyprus; Gender Male; Passport AB 123 (Russia)\
    ; Digital Currency Address - XBT 1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi; a.k.a. 'VANYA'; Secondary sanctions risk: section 1.\"\r\n\
    102,\"EXAMPLE & SONS, LLC\",-0- ,\"TEST-EO1\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n\
    103,\"SEA EXAMPLE\",\"vessel\",\"TEST-EO1\",-0- ,\"CL2192\",\"Tug\",-0- ,-0- ,\"Cuba\",-0- ,\
    \"Vessel Registration Identification IMO 7406784.\"\r\n\
    104,\"EP-EXA\",\"aircraft\",\"TEST-EO1\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n\u{1a}";
pub const ALT_CSV: &str = "101,5,\"aka\",\"EKSAMPLOV, Ivan\",-0- \r\n\u{1a}";
pub const ADD_CSV: &str =
    "101,7,\"1 Test Street\",\"Moscow\",\"Russia\",-0- \r\n104,8,-0- ,-0- ,-0- ,-0- \r\n\u{1a}";
