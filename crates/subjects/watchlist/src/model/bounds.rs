//! Bounds on a publication. Past a bound it is refused whole, never cut.

/// The upper bounds of one publication. The defaults are several times the values of the largest real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicationBounds {
    /// Maximum size of one file before decompression, in bytes.
    pub file_bytes: u64,
    /// Maximum size of one file after decompression, in bytes.
    pub unpacked_bytes: u64,
    /// Maximum number of files of one import.
    pub files: usize,
    /// Maximum number of entries of one list.
    pub entries: usize,
    /// Maximum number of names of one entry, the primary one included.
    pub names: usize,
    /// Maximum length of one name, number or address, in bytes.
    pub text_bytes: usize,
    /// Maximum length of one entry's remarks, in bytes.
    pub remarks_bytes: usize,
    /// Maximum number of values of any other field of an entry.
    pub values: usize,
    /// Maximum nesting depth of XML elements.
    pub xml_depth: usize,
    /// Maximum size of one XML event, one CSV record or one line of JSON, in bytes.
    pub record_bytes: usize,
}

impl Default for PublicationBounds {
    fn default() -> Self {
        Self {
            file_bytes: 512 << 20,
            unpacked_bytes: 1 << 30,
            files: 32,
            entries: 1_000_000,
            names: 2_000,
            text_bytes: 4_096,
            remarks_bytes: 256 << 10,
            values: 4_000,
            xml_depth: 32,
            record_bytes: 4 << 20,
        }
    }
}
