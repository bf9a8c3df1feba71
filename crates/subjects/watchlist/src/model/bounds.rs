//! Bounds on a publication. Past a bound it is refused whole, never cut.

/// The bounds of one publication. The defaults are several times the largest real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicationBounds {
    /// Bytes of one file as it lies there.
    pub file_bytes: u64,
    /// Bytes of one file after decompression.
    pub unpacked_bytes: u64,
    /// Files of one import.
    pub files: usize,
    /// Entries of one list.
    pub entries: usize,
    /// Names of one entry, the primary one included.
    pub names: usize,
    /// Bytes of one name, number or address.
    pub text_bytes: usize,
    /// Bytes of one entry's remarks.
    pub remarks_bytes: usize,
    /// Values of any one other field of an entry.
    pub values: usize,
    /// Nesting of XML elements.
    pub xml_depth: usize,
    /// Bytes of one XML event, one CSV record or one line of JSON.
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
